// Reading the same array again and again: which cache is large enough to keep it?
//
// Every block walks over its own part of the array, round after round. While the parts of an SM fit into its
// L1 cache, only the first round goes further; while all of it fits into L2, only the first round goes to
// DRAM.
__global__ void working_set(const float* in, float* out, int words, int rounds) {
  int t = threadIdx.x, part = words / gridDim.x;
  const float* mine = in + blockIdx.x * part;
  float sum = 0.0f;
  for (int round = 0; round < rounds; ++round) {
    for (int i = t; i < part; i += blockDim.x) {
      sum += mine[i];
    }
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}
