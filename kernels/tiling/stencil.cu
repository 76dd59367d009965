// A running average over 2 * radius + 1 neighbours: from global memory, or through a tile with a halo.
//
// Neighbouring threads read almost the same elements. A block can load each of them once, with the halo of
// `radius` elements on both sides, and read them from shared memory afterwards.
#ifndef RADIUS
#define RADIUS 4
#endif

__global__ void stencil_global(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int offset = -RADIUS; offset <= RADIUS; ++offset) {
    int j = i + offset;
    if (j >= 0 && j < n) sum += in[j];
  }
  out[i] = sum / (2 * RADIUS + 1);
}

__global__ void stencil_shared(const float* in, float* out, int n) {
  __shared__ float tile[1024 + 2 * RADIUS];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x + RADIUS;
  tile[t] = i < n ? in[i] : 0.0f;
  if (threadIdx.x < RADIUS) {  // the first threads fetch the halo on both sides
    int left = i - RADIUS, right = i + blockDim.x;
    tile[t - RADIUS] = left >= 0 ? in[left] : 0.0f;
    tile[t + blockDim.x] = right < n ? in[right] : 0.0f;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0.0f;
  for (int offset = -RADIUS; offset <= RADIUS; ++offset) {
    sum += tile[t + offset];
  }
  out[i] = sum / (2 * RADIUS + 1);
}
