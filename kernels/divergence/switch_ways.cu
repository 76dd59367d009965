// Up to eight ways: the warp walks every way that at least one lane takes.
//
// Written as a switch or as conditions inside conditions, it is the same eight pieces of work. The nested form
// meets again three times, once for every level.
__device__ float way(float v, float factor, float term, int turns) {
  for (int k = 0; k < turns; ++k) v = v * factor + term;
  return v;
}

__global__ void switch_ways(float* x, int n, int ways, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  switch (i % ways) {
    case 0: v = way(v, 0.5f, 1.0f, turns); break;
    case 1: v = way(v, 0.25f, 2.0f, turns); break;
    case 2: v = way(v, 0.125f, -1.0f, turns); break;
    case 3: v = way(v, -0.5f, 2.0f, turns); break;
    case 4: v = way(v, -0.25f, 0.5f, turns); break;
    case 5: v = way(v, -0.125f, -0.5f, turns); break;
    case 6: v = way(v, 0.75f, 0.125f, turns); break;
    default: v = way(v, -0.75f, 1.5f, turns); break;
  }
  x[i] = v;
}

__global__ void nested_ways(float* x, int n, int ways, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  int k = i % ways;
  if (k < 4) {
    if (k < 2) {
      if (k < 1) v = way(v, 0.5f, 1.0f, turns);
      else v = way(v, 0.25f, 2.0f, turns);
    } else {
      if (k < 3) v = way(v, 0.125f, -1.0f, turns);
      else v = way(v, -0.5f, 2.0f, turns);
    }
  } else {
    if (k < 6) {
      if (k < 5) v = way(v, -0.25f, 0.5f, turns);
      else v = way(v, -0.125f, -0.5f, turns);
    } else {
      if (k < 7) v = way(v, 0.75f, 0.125f, turns);
      else v = way(v, -0.75f, 1.5f, turns);
    }
  }
  x[i] = v;
}
