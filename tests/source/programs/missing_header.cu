//= invert grid 8 8 1 | block 16 16 1 | shared 0 | 16384B | 128 | 128
#include <helper_cuda.h>
#include <helper_functions.h>
#include "not_here.h"
__global__ void invert(unsigned char* image, int w, int h) { int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; if (x < w && y < h) image[y * w + x] = 255 - image[y * w + x]; }
int main(int argc, char** argv) {
  findCudaDevice(argc, (const char**)argv);
  StopWatchInterface* timer = NULL;
  sdkCreateTimer(&timer);
  const int w = 128, h = 128;
  unsigned char* image;
  checkCudaErrors(cudaMalloc((void**)&image, w * h * sizeof(unsigned char)));
  dim3 threads(16, 16), grid(w / threads.x, h / threads.y);
  sdkStartTimer(&timer);
  invert<<<grid, threads, 0>>>(image, w, h);
  getLastCudaError("invert failed");
}
