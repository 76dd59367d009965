// Rows of a table by index, as an embedding does: a warp copies one row of 128 floats.
__global__ void lookup_rows(const float4* table, const int* index, float4* out, int rows, int n) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= n) return;
  const int row = index[warp] % rows;
  out[warp * 32 + lane] = table[row * 32 + lane];
}
