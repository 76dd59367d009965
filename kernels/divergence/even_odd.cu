// Two branches: what if the lanes of a warp disagree?
//
// A warp has one instruction at a time. When its lanes take different branches, both are executed one
// after the other, each with part of the lanes switched off. If whole warps agree, nothing is lost,
// however many threads take either branch.
__device__ float one_way(float x, int turns) {
  for (int i = 0; i < turns; ++i) x = x * 0.5f + 1.0f;
  return x;
}

__device__ float other_way(float x, int turns) {
  for (int i = 0; i < turns; ++i) x = 3.0f - x * 0.25f;
  return x;
}

__global__ void split_even_odd(float* x, int n, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (i % 2 == 0) {
    x[i] = one_way(v, turns);
  } else {
    x[i] = other_way(v, turns);
  }
}

__global__ void split_by_warp(float* x, int n, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (i / 32 % 2 == 0) {
    x[i] = one_way(v, turns);
  } else {
    x[i] = other_way(v, turns);
  }
}

// One lane goes its own way and 31 wait for it.
__global__ void split_one_lane(float* x, int n, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (i % 32 == 0) {
    x[i] = one_way(v, turns);
  } else {
    x[i] = other_way(v, turns);
  }
}
