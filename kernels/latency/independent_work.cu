// Instruction-level parallelism: independent operations of one thread can be in flight together.
//
// Each thread makes 12 multiply-adds a turn, as CHAINS chains that do not need each other. One chain leaves
// the pipeline empty between two results; four chains fill it, so that fewer warps are needed to keep the SM
// busy. Try it with 128 threads a block and with 1,024.
#ifndef CHAINS
#define CHAINS 2
#endif

__global__ void independent_work(float* out, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) v[c] = 0.001f * (i + c);
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int k = 0; k < 12 / CHAINS; ++k) {
#pragma unroll
      for (int c = 0; c < CHAINS; ++c) v[c] = v[c] * 0.5f + 1.0f;
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) sum += v[c];
  out[i] = sum;
}
