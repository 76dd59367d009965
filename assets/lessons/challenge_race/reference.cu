__global__ void reverse(const int* in, int* out, int n) {
  __shared__ int tile[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = in[i];
  __syncthreads();  // all have stored before anybody reads
  int other = tile[255 - t];
  __syncthreads();  // all have read before anybody stores again
  tile[t] = other + 1;
  __syncthreads();
  out[i] = tile[255 - t];
}
