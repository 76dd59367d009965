// Atomic additions in global memory: all to one counter, to neighbours, or spread out.
//
// The result is not used, so the hardware reduces: the update is sent off and the warp goes on. What it
// costs depends on how many lanes meet at one address, and on how many sectors they touch.
__global__ void count_into(unsigned int* counters, int n, int count, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&counters[i % count * step], 1u);
  }
}
