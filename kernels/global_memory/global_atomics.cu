// Atomic additions in global memory: all to one counter, to neighbours, or spread out.
//
// Without a use of the result the hardware reduces: the update is sent off and the warp goes on. Who wants
// the old value waits for it. A loop around atomicCAS builds any other operation, and repeats for every lane
// that was overtaken. What all of them cost depends on how many lanes meet at one address, and on how many
// sectors they touch.
__global__ void count_reducing(unsigned int* counters, unsigned int*, int n, int count, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&counters[i % count * step], 1u);
  }
}

__global__ void count_returning(unsigned int* counters, unsigned int* before, int n, int count, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    before[i] = atomicAdd(&counters[i % count * step], 1u);
  }
}

__global__ void count_comparing(unsigned int* counters, unsigned int* before, int n, int count, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned int* counter = &counters[i % count * step];
    unsigned int seen = atomicAdd(counter, 0u), expected;
    do {
      expected = seen;
      seen = atomicCAS(counter, expected, expected + 1);
    } while (seen != expected);
    before[i] = seen;
  }
}
