// Textures over arrays, pitched and linear memory; a surface; a layered array.
#include <cmath>
#include <vector>

#include "check.h"

__global__ void sample(cudaTextureObject_t t, float* out, int width, int height) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(t, x + 1.0f, y + 0.5f);
}
__global__ void fetch(cudaTextureObject_t t, float* out, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x) + tex1Dfetch<float>(t, n + 5);
}
__global__ void paint(cudaSurfaceObject_t s, int width) {
  if (threadIdx.x < width) surf2Dwrite(static_cast<float>(threadIdx.x * 10 + blockIdx.x), s, threadIdx.x * 4, blockIdx.x);
}
__global__ void layer(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex2DLayered<float>(t, 1.5f, 0.5f, threadIdx.x); }

__global__ void other_forms(cudaTextureObject_t t, float* out) {
  const float x = threadIdx.x * 0.75f - 1;
  out[threadIdx.x] = tex1D<float>(t, x);
  out[8 + threadIdx.x] = tex2D<float>(t, x, 2.5f);
  out[16 + threadIdx.x] = tex2DLayered<float>(t, x, 2.5f, 1);
}

// A function for one dimension more or less, or for layers, reads what an H100 (driver 580.159.04, CUDA 13.0) reads.
void expect_other_forms(int height, int layers, float row, float of_layer) {
  std::vector<float> texels(4 * (height == 0 ? 1 : height) * (layers == 0 ? 1 : layers)), back(24);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i / 16 * 100 + i / 4 % 4 * 10 + i % 4);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  const cudaExtent extent = make_cudaExtent(4, height, layers);
  CHECK(cudaMalloc3DArray(&resource.res.array.array, &format, extent, layers == 0 ? 0 : cudaArrayLayered));
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(texels.data(), 16, 4, height == 0 ? 1 : height);
  p.dstArray = resource.res.array.array;
  p.extent = make_cudaExtent(4, height == 0 ? 1 : height, layers == 0 ? 1 : layers);
  p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&p));
  float* out;
  CHECK(cudaMalloc(&out, 24 * 4));
  for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
    cudaTextureDesc description{};
    for (auto& mode : description.addressMode) mode = cudaAddressModeClamp;
    description.filterMode = filter;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    other_forms<<<1, 8>>>(texture, out);
    CHECK(cudaMemcpy(back.data(), out, 24 * 4, cudaMemcpyDeviceToHost));
    const float nearest[8] = {0, 0, 0, 1, 2, 2, 3, 3}, blended[8] = {0, 0, 0, 0.75f, 1.5f, 2.25f, 3, 3};
    const float* const along = filter == cudaFilterModePoint ? nearest : blended;
    for (int i = 0; i < 8; ++i) {
      EXPECT(back[i] == along[i]);
      EXPECT(back[8 + i] == row + along[i]);
      EXPECT(back[16 + i] == row + of_layer + along[i]);
    }
    CHECK(cudaDestroyTextureObject(texture));
  }
}

int main() {
  expect_other_forms(0, 0, 0, 0);
  expect_other_forms(1, 0, 0, 0);
  expect_other_forms(4, 0, 20, 0);
  expect_other_forms(4, 4, 20, 100);
  cudaArray_t none;
  const cudaChannelFormatDesc odd = cudaCreateChannelDesc(7, 0, 0, 0, cudaChannelFormatKindUnsigned),
                              three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
  EXPECT(cudaMallocArray(&none, &odd, 4, 4) == cudaErrorInvalidChannelDescriptor);
  EXPECT(cudaMallocArray(&none, &three, 4, 4) == cudaErrorInvalidChannelDescriptor);
  cudaGetLastError();
  const int width = 16, height = 8;
  std::vector<float> host(width * height), back(width * height);
  for (int i = 0; i < width * height; ++i) host[i] = static_cast<float>(i * i % 31);
  float* out;
  CHECK(cudaMalloc(&out, host.size() * sizeof(float)));
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  const auto expected = [&](int x, int y) {
    const int next = x + 1 < width ? x + 1 : x;
    return 0.5f * host[y * width + x] + 0.5f * host[y * width + next];
  };
  sample<<<height, width>>>(texture, out, width, height);
  CHECK(cudaMemcpy(back.data(), out, back.size() * 4, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) EXPECT(std::fabs(back[y * width + x] - expected(x, y)) < 1e-4f);
  CHECK(cudaDestroyTextureObject(texture));

  char* pitched;
  std::size_t pitch;
  CHECK(cudaMallocPitch(&pitched, &pitch, width * 4, height));
  CHECK(cudaMemcpy2D(pitched, pitch, host.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  cudaResourceDesc rows{};
  rows.resType = cudaResourceTypePitch2D;
  rows.res.pitch2D.devPtr = pitched;
  rows.res.pitch2D.desc = format;
  rows.res.pitch2D.width = width;
  rows.res.pitch2D.height = height;
  rows.res.pitch2D.pitchInBytes = pitch;
  CHECK(cudaCreateTextureObject(&texture, &rows, &description, nullptr));
  sample<<<height, width>>>(texture, out, width, height);
  CHECK(cudaMemcpy(back.data(), out, back.size() * 4, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) EXPECT(std::fabs(back[y * width + x] - expected(x, y)) < 1e-4f);

  float* line;
  CHECK(cudaMalloc(&line, 32 * 4));
  CHECK(cudaMemcpy(line, host.data(), 32 * 4, cudaMemcpyHostToDevice));
  cudaResourceDesc linear{};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = line;
  linear.res.linear.desc = format;
  linear.res.linear.sizeInBytes = 32 * 4;
  const cudaTextureDesc plain{};
  CHECK(cudaCreateTextureObject(&texture, &linear, &plain, nullptr));
  fetch<<<1, 32>>>(texture, out, 32);
  CHECK(cudaMemcpy(back.data(), out, 32 * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) EXPECT(back[i] == host[i]);

  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  paint<<<height, width>>>(surface, width);
  CHECK(cudaMemcpy2DFromArray(back.data(), width * 4, array, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) EXPECT(back[y * width + x] == x * 10 + y);
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));

  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 2, 3), cudaArrayLayered));
  std::vector<float> layers(4 * 2 * 3);
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i] = static_cast<float>(i);
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(layers.data(), 16, 4, 2);
  p.dstArray = array;
  p.extent = make_cudaExtent(4, 2, 3);
  p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&p));
  resource.res.array.array = array;
  description.filterMode = cudaFilterModePoint;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  layer<<<1, 3>>>(texture, out);
  CHECK(cudaMemcpy(back.data(), out, 12, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 3; ++i) EXPECT(back[i] == i * 8 + 1);
  std::printf("textures read\n");
}
