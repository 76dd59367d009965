// One grid, more elements than threads: who takes which?
//
// In a grid-stride loop neighbouring threads take neighbouring elements, turn after turn, so every turn of
// a warp is one contiguous piece of memory. Giving each thread a chunk of its own looks natural to
// somebody who comes from CPU threads, but then the lanes of a warp are a whole chunk apart.
__global__ void grid_stride(const float* in, float* out, int n) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    out[i] = 2.0f * in[i];
  }
}

__global__ void one_chunk_each(const float* in, float* out, int n) {
  int threads = gridDim.x * blockDim.x;
  int chunk = (n + threads - 1) / threads;
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  int last = min(first + chunk, n);
  for (int i = first; i < last; ++i) {
    out[i] = 2.0f * in[i];
  }
}
