// Shared memory whose size is chosen at the launch, beside one whose size is fixed in the code.
//
// Each block turns its piece of the array round (n is a multiple of the block). Both are the same memory
// and cost the same. Static arrays end at 48 KB; a dynamic one may be larger, is declared once without a
// size, and every piece of it has to be found by hand. Whatever a block asks for is taken from the other
// blocks of its SM.
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

// Two arrays out of one: the second begins where the first ends.
__global__ void reverse_carved(const float* in, float* out, int n) {
  extern __shared__ float words[];
  int* from = (int*)&words[blockDim.x];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) words[threadIdx.x] = in[i];
  from[threadIdx.x] = blockDim.x - 1 - threadIdx.x;
  __syncthreads();
  if (i < n) out[i] = words[from[threadIdx.x]];
}
