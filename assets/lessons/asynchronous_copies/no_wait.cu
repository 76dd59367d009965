// An asynchronous copy, and what may happen when nobody waits for it.
#include <cuda_pipeline.h>

__global__ void shift_waiting(const float* in, float* out) {
  __shared__ float tile[256];
  int t = threadIdx.x, base = blockIdx.x * 256;
  __pipeline_memcpy_async(&tile[t], &in[base + t], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);  // my own copies are there
  __syncthreads();           // and those of the others
  out[base + t] = tile[(t + 1) % 256];
}

__global__ void shift_barrier_only(const float* in, float* out) {
  __shared__ float tile[256];
  int t = threadIdx.x, base = blockIdx.x * 256;
  __pipeline_memcpy_async(&tile[t], &in[base + t], sizeof(float));
  __pipeline_commit();
  __syncthreads();
  out[base + t] = tile[(t + 1) % 256];
}

__global__ void shift_wait_only(const float* in, float* out) {
  __shared__ float tile[256];
  int t = threadIdx.x, base = blockIdx.x * 256;
  __pipeline_memcpy_async(&tile[t], &in[base + t], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[base + t] = tile[(t + 1) % 256];
}
