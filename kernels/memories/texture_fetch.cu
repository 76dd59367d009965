// An image read along a slanted line: through a texture, and by hand.
//
// Neighbouring threads take steps of right/8 texels to the right and down/8 texels downwards, and blend the
// four texels around the place where they arrive. A texture unit does that in one instruction: it keeps
// coordinates inside the image, blends, and its cache is laid out in small squares, so that a walk down a
// column costs as little as one along a row. By hand the same value takes four loads, and along a column each
// of them touches another sector for every thread. (Both kernels take both forms of the image, so that they
// are launched alike.)
__global__ void read_by_texture(cudaTextureObject_t texture, const float* image, float* out, int size,
                                int right, int down) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size) return;
  float u = (x * right - y * down) * 0.125f, v = (x * down + y * right) * 0.125f;
  out[y * size + x] = tex2D<float>(texture, u + 0.5f, v + 0.5f);
}

__device__ float texel(const float* image, int size, int x, int y) {
  x = min(max(x, 0), size - 1);
  y = min(max(y, 0), size - 1);
  return image[y * size + x];
}

__global__ void read_by_hand(cudaTextureObject_t texture, const float* image, float* out, int size, int right,
                             int down) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size) return;
  float u = (x * right - y * down) * 0.125f, v = (x * down + y * right) * 0.125f;
  int i = (int)floorf(u), j = (int)floorf(v);
  float a = u - i, b = v - j;
  float top = (1 - a) * texel(image, size, i, j) + a * texel(image, size, i + 1, j);
  float bottom = (1 - a) * texel(image, size, i, j + 1) + a * texel(image, size, i + 1, j + 1);
  out[y * size + x] = (1 - b) * top + b * bottom;
}
