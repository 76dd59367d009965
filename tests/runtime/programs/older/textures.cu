// Texture references, as programs had them before CUDA 12.
#include "../check.h"

static texture<float> line;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> picture;
texture<float4, cudaTextureType2D, cudaReadModeElementType> colours;
texture<float, 3> volume;
texture<float, 1> ring;

__global__ void read(float* to, int width) {
  const int x = threadIdx.x;
  to[x] = tex1Dfetch(line, x);
  to[width + x] = tex2D(picture, (x + 0.5f) / width, 0.75f);
  to[2 * width + x] = tex2D(colours, x, 1).y;
  to[3 * width + x] = tex3D(volume, x + 0.5f, 0.5f, 1.5f);
}

__global__ void read_around(float* to, int width) {
  const int x = threadIdx.x;
  to[x] = tex1D(ring, (x + 0.5f) / width + 3);
  to[width + x] = tex1D(ring, (x + 0.5f) / width - 1);
}

template <typename T>
cudaArray* array_of(const T* from, int width, int height) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray* array;
  CHECK(cudaMallocArray(&array, &format, width, height));
  CHECK(cudaMemcpyToArray(array, 0, 0, from, width * height * sizeof(T), cudaMemcpyHostToDevice));
  return array;
}

int main() {
  const int width = 16;
  float numbers[width], results[4 * width], boxes[4 * width];
  unsigned char bytes[2 * width];
  float4 quads[2 * width];
  for (int i = 0; i < 2 * width; ++i) {
    if (i < width) numbers[i] = 1.5f * i;
    bytes[i] = static_cast<unsigned char>(8 * i);
    quads[i] = make_float4(0, 100.0f * i, 0, 0);
    boxes[i] = boxes[2 * width + i] = static_cast<float>(i);
    boxes[2 * width + i] += 1000;
  }
  float *memory, *out;
  CHECK(cudaMalloc(&memory, sizeof numbers));
  CHECK(cudaMalloc(&out, sizeof results));
  CHECK(cudaMemcpy(memory, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  size_t offset = 7;
  CHECK(cudaBindTexture(&offset, line, memory));
  EXPECT(offset == 0);
  picture.normalized = true;
  picture.filterMode = cudaFilterModePoint;
  picture.addressMode[0] = picture.addressMode[1] = cudaAddressModeClamp;
  CHECK(cudaBindTextureToArray(picture, array_of(bytes, width, 2)));
  CHECK(cudaBindTextureToArray(colours, array_of(quads, width, 2)));
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray* deep;
  CHECK(cudaMalloc3DArray(&deep, &format, make_cudaExtent(width, 2, 2)));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(boxes, width * sizeof(float), width, 2);
  copy.dstArray = deep;
  copy.extent = make_cudaExtent(width, 2, 2);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  CHECK(cudaBindTextureToArray(volume, deep, format));
  read<<<1, width>>>(out, width);
  CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  for (int i = 0; i < width; ++i) {
    EXPECT(results[i] == 1.5f * i);
    EXPECT(results[width + i] == bytes[width + i] / 255.0f);
    EXPECT(results[2 * width + i] == 100.0f * (width + i));
    EXPECT(results[3 * width + i] == 1000.0f + i);
  }
  // Bound anew, a kernel reads what is bound then.
  for (float& number : numbers) number = -3;
  float* other;
  CHECK(cudaMalloc(&other, sizeof numbers));
  CHECK(cudaMemcpy(other, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  CHECK(cudaBindTexture(nullptr, line, other, format, sizeof numbers));
  read<<<1, width>>>(out, width);
  CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  EXPECT(results[5] == -3);
  CHECK(cudaUnbindTexture(line));
  // C names references by their addresses, also those it has asked for.
  const textureReference* asked;
  CHECK(cudaGetTextureReference(&asked, &line));
  CHECK(cudaBindTexture(&offset, asked, memory, &format, sizeof numbers));
  CHECK(cudaBindTextureToArray(&picture, array_of(bytes + width / 2, width, 1), &picture.channelDesc));
  read<<<1, width>>>(out, width);
  CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  EXPECT(results[5] == 1.5f * 5);
  EXPECT(results[width + 5] == bytes[width / 2 + 5] / 255.0f);
  CHECK(cudaUnbindTexture(&line));
  // What is set behind the binding counts from the next launch on; an array of height 1 is a line too.
  for (int i = 0; i < width; ++i) numbers[i] = 2.0f * i;
  CHECK(cudaBindTextureToArray(ring, array_of(numbers, width, 1)));
  ring.normalized = true;
  ring.addressMode[0] = ring.addressMode[1] = cudaAddressModeWrap;
  read_around<<<1, width>>>(out, width);
  CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  for (int i = 0; i < width; ++i) EXPECT(results[i] == 2.0f * i && results[width + i] == 2.0f * i);
  ring.addressMode[0] = cudaAddressModeClamp;
  EXPECT(ring.addressMode[0] == cudaAddressModeClamp && ring.normalized);
  read_around<<<1, width>>>(out, width);
  CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  for (int i = 0; i < width; ++i) EXPECT(results[i] == 2.0f * (width - 1) && results[width + i] == 0);
  std::printf("references bound\n");
}
