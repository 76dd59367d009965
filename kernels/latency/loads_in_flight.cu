// How many loads must be on their way at once? (Little's law)
//
// Bytes in flight = bandwidth x latency. A thread that waits for each load before it asks for the next has one
// in flight. One that asks for LOADS elements before it uses the first has that many. With few warps on an SM
// this is what fills the memory pipe; with many it hardly matters.
#ifndef LOADS
#define LOADS 1
#endif

__global__ void sum_array(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float sum = 0.0f;
#pragma unroll 1
  for (int first = i; first < n; first += threads * LOADS) {
    float v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) {
      int at = first + k * threads;
      v[k] = at < n ? in[at] : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < LOADS; ++k) sum += v[k];
  }
  out[i] = sum;
}
