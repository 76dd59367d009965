// Waves and the tail: the last blocks of a launch may leave most of the GPU idle.
//
// An SM takes as many blocks as fit. When the grid is one block larger than all SMs can hold, a second
// wave runs for that single block: the time doubles for a thousandth more work. With many waves the tail
// weighs less.
__global__ void long_work(float* out, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0.001f * i;
  for (int k = 0; k < turns; ++k) {
    v = v * 0.5f + 1.0f;
  }
  out[i] = v;
}
