// Two kinds of element that need different work: what does it help to sort them?
//
// Mixed, nearly every warp has both kinds and walks both ways. When all elements of one kind come before those
// of the other, only the warp at the border does. When it is known beforehand which element is of which kind,
// each kind can have a list, and a launch of its own: no warp parts, but the elements are no longer neighbours.
// (Here both launches are halves of one grid, so that they can be compared with the others.)
__device__ float smooth(float v, int turns) {
  for (int k = 0; k < turns; ++k) v = v * 0.5f + 0.25f;
  return v;
}

__device__ float sharpen(float v, int turns) {
  for (int k = 0; k < turns; ++k) v = v * 0.75f - 0.125f;
  return v;
}

__global__ void mixed(const int* kind, const int*, float* x, int n, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (kind[i] % 2 == 0) {
    x[i] = smooth(x[i], turns);
  } else {
    x[i] = sharpen(x[i], turns);
  }
}

__global__ void sorted(const int*, const int* place, float* x, int n, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (place[i] < n / 2 - 16) {  // the border lies inside a warp
    x[i] = smooth(x[i], turns);
  } else {
    x[i] = sharpen(x[i], turns);
  }
}

__global__ void a_kernel_each(const int*, const int* list, float* x, int n, int turns) {
  int half = gridDim.x / 2;
  if (blockIdx.x < half) {  // the first launch: the even elements
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * k >= n) return;
    int element = list[2 * k];
    x[element] = smooth(x[element], turns);
  } else {  // the second: the odd ones
    int k = (blockIdx.x - half) * blockDim.x + threadIdx.x;
    if (2 * k + 1 >= n) return;
    int element = list[2 * k + 1];
    x[element] = sharpen(x[element], turns);
  }
}
