// Edges of an image: pitched memory through a texture object with clamped addresses, results through a surface.
#include <cmath>
#include <vector>

#include "../check.h"

__global__ void sobel(cudaTextureObject_t image, cudaSurfaceObject_t out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float p[3][3];
#pragma unroll
  for (int j = 0; j < 3; ++j)
#pragma unroll
    for (int i = 0; i < 3; ++i) p[j][i] = tex2D<float>(image, x + i - 0.5f, y + j - 0.5f);
  const float h = p[0][2] + 2 * p[1][2] + p[2][2] - p[0][0] - 2 * p[1][0] - p[2][0];
  const float v = p[2][0] + 2 * p[2][1] + p[2][2] - p[0][0] - 2 * p[0][1] - p[0][2];
  surf2Dwrite(static_cast<unsigned char>(min(255.0f, hypotf(h, v) * 255.0f)), out, x, y);
}

int main() {
  const int width = 100, height = 70;
  std::vector<unsigned char> image(width * height), edges(width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image[y * width + x] = x > 30 && x < 60 && y > 20 && y < 50 ? 64 : 0;
  unsigned char* pitched = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&pitched, &pitch, width, height));
  CHECK(cudaMemcpy2D(pitched, pitch, image.data(), width, width, height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {pitched, cudaCreateChannelDesc<unsigned char>(), width, height, pitch};
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModePoint;
  how.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>();
  CHECK(cudaMallocArray(&array, &bytes, width, height, cudaArraySurfaceLoadStore));
  cudaResourceDesc target{};
  target.resType = cudaResourceTypeArray;
  target.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &target));
  sobel<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(texture, surface, width, height);
  CHECK(cudaMemcpy2DFromArray(edges.data(), width, array, 0, 0, width, height, cudaMemcpyDeviceToHost));
  auto at = [&](int x, int y) {
    x = std::min(std::max(x, 0), width - 1), y = std::min(std::max(y, 0), height - 1);
    return image[y * width + x] / 255.0f;
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float h = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x - 1, y) - at(x - 1, y + 1);
      const float v = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x, y - 1) - at(x + 1, y - 1);
      EXPECT(std::abs(edges[y * width + x] - int(std::min(255.0f, std::hypot(h, v) * 255.0f))) <= 1);
    }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));
  std::puts("PASSED: edges found");
}
