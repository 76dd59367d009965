// A small array of a thread's own: in registers, or in memory?
//
// Registers have no address. An array whose indices are all known when compiling is taken apart into
// registers; one that is indexed at run time must live in local memory, which is ordinary memory laid out
// so that lanes with equal indices stay coalesced.
__global__ void own_array_fixed(const float* in, float* out, int n, int) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  float mine[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) mine[k] = v * k;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += mine[k] * mine[7 - k];
  out[i] = sum;
}

__global__ void own_array_indexed(const float* in, float* out, int n, int turn) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  float mine[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) mine[k] = v * k;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 8; ++k) sum += mine[k] * mine[(7 - k + turn) % 8];
  out[i] = sum;
}
