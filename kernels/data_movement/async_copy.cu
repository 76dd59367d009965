// Copying into shared memory without passing through registers, while the warp does something else.
//
// An ordinary load waits in a register before it is stored to shared memory. An asynchronous copy (since
// compute capability 8.0) goes there by itself. With several stages the next pieces are on their way while
// one is used. A copy of 16 bytes a thread goes past the L1 cache and needs a quarter of the instructions.
#include <cuda_pipeline.h>

#ifndef STAGES
#define STAGES 2
#endif
#define PIECE 256

__global__ void smooth_waiting(const float* in, float* out, int pieces) {
  __shared__ float tile[PIECE];
  int t = threadIdx.x, base = blockIdx.x * pieces * PIECE;
  for (int piece = 0; piece < pieces; ++piece) {
    tile[t] = in[base + piece * PIECE + t];
    __syncthreads();
    out[base + piece * PIECE + t] = 0.5f * (tile[t] + tile[(t + 1) % PIECE]);
    __syncthreads();
  }
}

__global__ void smooth_staged(const float* in, float* out, int pieces) {
  __shared__ float tile[STAGES][PIECE];
  int t = threadIdx.x, base = blockIdx.x * pieces * PIECE;
  for (int piece = 0; piece < STAGES - 1; ++piece) {
    if (piece < pieces) __pipeline_memcpy_async(&tile[piece][t], &in[base + piece * PIECE + t], sizeof(float));
    __pipeline_commit();
  }
  for (int piece = 0; piece < pieces; ++piece) {
    int next = piece + STAGES - 1;
    if (next < pieces) {
      __pipeline_memcpy_async(&tile[next % STAGES][t], &in[base + next * PIECE + t], sizeof(float));
    }
    __pipeline_commit();
    __pipeline_wait_prior(STAGES - 1);  // all but the newest STAGES - 1 are there
    __syncthreads();
    const float* here = tile[piece % STAGES];
    out[base + piece * PIECE + t] = 0.5f * (here[t] + here[(t + 1) % PIECE]);
    __syncthreads();
  }
}

// The same with 64 threads that copy 16 bytes each.
__global__ void smooth_staged_wide(const float* in, float* out, int pieces) {
  __shared__ __align__(16) float tile[STAGES][PIECE];
  int t = threadIdx.x, base = blockIdx.x * pieces * PIECE;
  for (int piece = 0; piece < STAGES - 1; ++piece) {
    if (piece < pieces && t < 64) {
      __pipeline_memcpy_async(&tile[piece][4 * t], &in[base + piece * PIECE + 4 * t], 16);
    }
    __pipeline_commit();
  }
  for (int piece = 0; piece < pieces; ++piece) {
    int next = piece + STAGES - 1;
    if (next < pieces && t < 64) {
      __pipeline_memcpy_async(&tile[next % STAGES][4 * t], &in[base + next * PIECE + 4 * t], 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(STAGES - 1);
    __syncthreads();
    const float* here = tile[piece % STAGES];
    out[base + piece * PIECE + t] = 0.5f * (here[t] + here[(t + 1) % PIECE]);
    __syncthreads();
  }
}
