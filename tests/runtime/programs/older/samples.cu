// With the headers of the toolkit's samples and of a book, which lie nowhere near.
#include <helper_cuda.h>
#include <helper_functions.h>
#include <helper_math.h>

#include "../common/book.h"

__global__ void turn(float3* of, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) of[i] = normalize(cross(of[i], make_float3(0, 0, 1))) * 2.0f + make_float3(1.0f);
}

int main(int argc, char** argv) {
  findCudaDevice(argc, (const char**)argv);
  int n = 100;
  if (checkCmdLineFlag(argc, (const char**)argv, "n")) n = getCmdLineArgumentInt(argc, (const char**)argv, "n=");
  StopWatchInterface* watch = nullptr;
  sdkCreateTimer(&watch);
  sdkStartTimer(&watch);
  float3* points;
  HANDLE_ERROR(cudaMallocManaged(&points, n * sizeof(float3)));
  for (int i = 0; i < n; ++i) points[i] = make_float3(0, i + 1.0f, 0);
  turn<<<(n + 63) / 64, 64>>>(points, n);
  getLastCudaError("turn");
  checkCudaErrors(cudaDeviceSynchronize());
  sdkStopTimer(&watch);
  const float wanted[] = {3, 1, 1};
  const float got[] = {points[n - 1].x, points[n - 1].y, points[n - 1].z};
  const bool same = sdkCompareL2fe(wanted, got, 3, 1e-6f) && sdkGetTimerValue(&watch) > 0;
  sdkDeleteTimer(&watch);
  std::printf("%d points %s\n", n, same ? "turned" : "went wrong");
  return same ? 0 : 1;
}
