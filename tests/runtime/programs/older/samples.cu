// With the headers of the toolkit's samples and of a book, which lie nowhere near.
#include <helper_cuda.h>
#include <helper_functions.h>
#include <helper_math.h>
#include <unistd.h>

#include "../common/book.h"

__global__ void turn(float3* of, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) of[i] = normalize(cross(of[i], make_float3(0, 0, 1))) * 2.0f + make_float3(1.0f);
}

// What one has written the other reads, by a thread of the book's.
CUT_THREADPROC read_back(void* name) {
  float* values = nullptr;
  unsigned int count = 0;
  const bool fine = sdkReadFile((const char*)name, &values, &count, false) && count == 3 && values[2] == 0.25f;
  free(values);
  return fine ? name : nullptr;
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
  float numbers[] = {1, 2, 0.25f};
  char file[] = "warplens_samples_XXXXXX";  // in the folder that it runs in
  close(mkstemp(file));
  bool files = sdkWriteFile<float>(file, numbers, 3, 0.0f, false);
  void* answer = nullptr;
  const CUTThread thread = start_thread(read_back, file);
  pthread_join(thread, &answer);
  files = files && answer == file;
  sdkDumpBin(numbers, sizeof numbers, file);
  float block[3] = {};
  float* blocks[] = {block};
  unsigned int count = 0;
  files = files && sdkReadFileBlocks(file, blocks, &count, 0, 3, false) && count == 3 && block[1] == 2 &&
          sdkCompareBin2BinFloat(file, file, 3, 0.0f, 0.0f, argv[0]);
  remove(file);
  const bool same = files && sdkCompareL2fe(wanted, got, 3, 1e-6f) && sdkGetTimerValue(&watch) > 0;
  sdkDeleteTimer(&watch);
  std::printf("%d points %s\n", n, same ? "turned" : "went wrong");
  return same ? 0 : 1;
}
