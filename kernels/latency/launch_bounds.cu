// Promising the compiler how the kernel will be launched: occupancy against spills.
//
// __launch_bounds__(256, MIN_BLOCKS) says that a block has at most 256 threads and that MIN_BLOCKS of them
// should fit on an SM. The compiler then uses no more registers than that allows. This kernel wants many
// at once; with too few it keeps some of them in local memory and has to store and load them.
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1
#endif

__global__ void __launch_bounds__(256, MIN_BLOCKS) many_values(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v[48];
#pragma unroll
  for (int k = 0; k < 48; ++k) v[k] = in[(i + k) % n];  // 48 values alive together
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 48; ++k) sum += v[k] * v[(k * 7 + 5) % 48];
  out[i] = sum;
}
