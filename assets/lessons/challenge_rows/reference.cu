// A warp sums a row: its lanes go along the row side by side, and add up at the end.
__global__ void row_sums(const int* in, int* out, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  int sum = 0;
  for (int k = lane; k < 256; k += 32) sum += in[row * 256 + k];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (lane == 0) out[row] = sum;
}
