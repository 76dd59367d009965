// Surface references, as programs had them before CUDA 12.
#include "../check.h"

surface<void, cudaSurfaceType1D> line;
surface<void, 2> picture;

__global__ void write(int width) {
  const int x = threadIdx.x;
  surf1Dwrite(1.5f * x, line, x * sizeof(float), cudaBoundaryModeTrap);
  if (x < width) surf2Dwrite(make_int2(x, -x), picture, x * 8, 1);
}
__global__ void read(float* to, int width) {
  const int x = threadIdx.x;
  to[x] = surf1Dread<float>(line, x * 4);
  int2 pair;
  surf2Dread(&pair, picture, x % width * 8, 1, cudaBoundaryModeClamp);
  to[32 + x] = pair.x - 1000.0f * pair.y;
}

int main() {
  const int width = 16;
  cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>(), pairs = cudaCreateChannelDesc<int2>();
  cudaArray *one, *two;
  CHECK(cudaMallocArray(&one, &floats, 32, 0, cudaArraySurfaceLoadStore));
  CHECK(cudaMallocArray(&two, &pairs, width, 2, cudaArraySurfaceLoadStore));
  CHECK(cudaBindSurfaceToArray(line, one));
  CHECK(cudaBindSurfaceToArray(picture, two, pairs));
  write<<<1, 32>>>(width);
  float *out, back[64];
  CHECK(cudaMalloc(&out, sizeof back));
  read<<<1, 32>>>(out, width);
  CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int x = 0; x < 32; ++x) {
    EXPECT(back[x] == 1.5f * x);
    EXPECT(back[32 + x] == 1001.0f * (x % width));
  }
  std::printf("surface references written\n");
}
