// Leaving early: lanes that return are gone, and the warp goes on with the rest.
//
// If only some lanes of a warp leave, nothing is saved. If all of them leave, the whole warp is done.
__global__ void early_return(float* x, int n, int keep, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (threadIdx.x % 64 >= keep) return;
  float v = x[i];
  for (int k = 0; k < turns; ++k) {
    v = v * 0.5f + 1.0f;
  }
  x[i] = v;
}
