// One branch, or one kernel for each side?
//
// When it is known beforehand which elements go which way, each side can have a launch of its own over a
// list of its elements. No warp diverges then; the lists cost a read, and the elements are no longer
// neighbours.
__device__ float smooth(float v) {
  for (int k = 0; k < 12; ++k) v = v * 0.5f + 0.25f;
  return v;
}

__device__ float sharpen(float v) {
  for (int k = 0; k < 12; ++k) v = v * 0.75f - 0.125f;
  return v;
}

__global__ void in_one_kernel(const int* kind, const int*, float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = kind[i] % 2 == 0 ? smooth(x[i]) : sharpen(x[i]);
}

// Launched once with the list of even elements; the odd ones get a launch of `sharpen` like it.
__global__ void in_two_kernels(const int*, const int* list, float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i >= n) return;
  int element = list[2 * i];
  x[element] = smooth(x[element]);
}
