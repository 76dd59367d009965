// A switch with up to eight ways: the warp walks every way that at least one lane takes.
__global__ void switch_ways(float* x, int n, int ways) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  switch (i % ways) {
    case 0: for (int k = 0; k < 4; ++k) v = v * 0.5f + 1.0f; break;
    case 1: for (int k = 0; k < 4; ++k) v = v * 0.25f + 2.0f; break;
    case 2: for (int k = 0; k < 4; ++k) v = v * 0.125f - 1.0f; break;
    case 3: for (int k = 0; k < 4; ++k) v = 2.0f - v * 0.5f; break;
    case 4: for (int k = 0; k < 4; ++k) v = v * v * 0.25f; break;
    case 5: for (int k = 0; k < 4; ++k) v = v * v - 0.5f; break;
    case 6: for (int k = 0; k < 4; ++k) v = v * 0.75f + 0.125f; break;
    default: for (int k = 0; k < 4; ++k) v = 1.0f - v; break;
  }
  x[i] = v;
}
