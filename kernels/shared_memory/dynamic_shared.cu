// Shared memory whose size is chosen at the launch, beside one whose size is fixed in the code.
//
// Each block turns its piece of the array round (n is a multiple of the block). Both are the same memory
// and cost the same. Static arrays end at 48 KB; a dynamic one may be larger, is declared once without a
// size, and every piece of it has to be found by hand.
__global__ void reverse_static(const float* in, float* out, int n) {
  __shared__ float words[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) words[threadIdx.x] = in[i];
  __syncthreads();
  if (i < n) out[i] = words[blockDim.x - 1 - threadIdx.x];
}

__global__ void reverse_dynamic(const float* in, float* out, int n) {
  extern __shared__ float words[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) words[threadIdx.x] = in[i];
  __syncthreads();
  if (i < n) out[i] = words[blockDim.x - 1 - threadIdx.x];
}
