// Instruction-level parallelism: independent operations of one thread can be in flight together.
//
// Each thread runs CHAINS chains of dependent multiply-adds. One chain leaves the pipeline empty between
// two results; four chains fill it, so that fewer warps are needed to keep the SM busy.
#ifndef CHAINS
#define CHAINS 2
#endif

__global__ void independent_work(float* out, int n, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) v[c] = 0.001f * (i + c);
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) v[c] = v[c] * 0.5f + 1.0f;
  }
  float sum = 0.0f;
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) sum += v[c];
  out[i] = sum;
}
