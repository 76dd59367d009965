// Turns every stretch of 256 elements round, twice, and adds one on the way.
__global__ void reverse(const int* in, int* out, int n) {
  __shared__ int tile[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = in[i];
  int other = tile[255 - t];
  tile[t] = other + 1;
  __syncthreads();
  out[i] = tile[255 - t];
}
