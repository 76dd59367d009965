// Reading the same array again and again: which cache is large enough to keep it?
//
// Every block walks over the whole working set. While it fits into the L1 cache of an SM, only the first
// round goes further; while it fits into L2, only the first round goes to DRAM.
__global__ void working_set(const float* in, float* out, int words, int rounds) {
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int round = 0; round < rounds; ++round) {
    for (int i = t; i < words; i += blockDim.x) {
      sum += in[i];
    }
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}
