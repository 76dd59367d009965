// Two devices: a thread for each, peers, whose memory is whose, contexts of the driver; one is reset.
#include <cuda.h>

#include <cstring>
#include <thread>

#include "check.h"

__global__ void twice(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 2 * from[i];
}

constexpr int kNumbers = 1000;

__device__ int mark = 5;
__constant__ int factor = 7;
__managed__ int seen;
__global__ void look(int* out) {
  out[0] = mark;
  out[1] = factor;
  out[2] = ++seen;
}

// A variable of a module is there once for each device, a managed one once for all.
void ask_variables() {
  for (const int device : {1, 0, 1}) {
    CHECK(cudaSetDevice(device));
    static bool set = false;
    const int ten = 10;
    if (!set) {
      CHECK(cudaMemcpyToSymbol(mark, &ten, sizeof ten));
      CHECK(cudaMemcpyToSymbol(factor, &ten, sizeof ten));
      set = true;
    }
    static int times = 0;
    int *out = nullptr, found[3];
    CHECK(cudaMalloc(&out, sizeof found));
    look<<<1, 1>>>(out);
    CHECK(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
    EXPECT(found[0] == (device == 1 ? 10 : 5));
    EXPECT(found[1] == (device == 1 ? 10 : 7));
    EXPECT(found[2] == ++times && seen == times);
    CHECK(cudaFree(out));
  }
  CHECK(cudaSetDevice(0));
}

// Each thread begins at device 0 and stays where it went.
void fill_on(int device, int** numbers) {
  int now = -1;
  CHECK(cudaGetDevice(&now));
  EXPECT(now == 0);
  CHECK(cudaSetDevice(device));
  CHECK(cudaMalloc(numbers, kNumbers * sizeof(int)));
  CHECK(cudaMemset(*numbers, device + 1, kNumbers * sizeof(int)));
}

int main() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) return 2;
  EXPECT(cudaSetDevice(devices) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice);

  ask_variables();

  cudaDeviceProp properties[2];
  for (int i = 0; i < 2; ++i) CHECK(cudaGetDeviceProperties(&properties[i], i));
  EXPECT(std::memcmp(&properties[0].uuid, &properties[1].uuid, sizeof properties[0].uuid) != 0);
  char place[32];
  int found = -1;
  CHECK(cudaDeviceGetPCIBusId(place, sizeof place, 1));
  CHECK(cudaDeviceGetByPCIBusId(&found, place));
  EXPECT(found == 1);

  int *first = nullptr, *second = nullptr;
  std::thread(fill_on, 0, &first).join();
  std::thread(fill_on, 1, &second).join();
  cudaPointerAttributes of{};
  CHECK(cudaPointerGetAttributes(&of, second));
  EXPECT(of.device == 1 && of.type == cudaMemoryTypeDevice);

  int can = 0;
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
  EXPECT(can == 1);
  CHECK(cudaDeviceCanAccessPeer(&can, 1, 1));
  EXPECT(can == 0);
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
  EXPECT(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
  cudaGetLastError();
  CHECK(cudaMemcpyPeer(first, 0, second, 1, kNumbers * sizeof(int)));
  twice<<<4, 256>>>(second, first, kNumbers);
  int last = 0;
  CHECK(cudaMemcpy(&last, first + kNumbers - 1, sizeof last, cudaMemcpyDefault));
  EXPECT(last == 0x04040404);
  CHECK(cudaDeviceDisablePeerAccess(1));
  EXPECT(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
  cudaGetLastError();

  CUcontext one = nullptr, other = nullptr;
  CUdevice device = -1;
  EXPECT(cuDevicePrimaryCtxRetain(&one, 0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&other, 1) == CUDA_SUCCESS);
  EXPECT(one != other);
  EXPECT(cuCtxSetCurrent(other) == CUDA_SUCCESS && cuCtxGetDevice(&device) == CUDA_SUCCESS && device == 1);
  int now = -1;
  CHECK(cudaGetDevice(&now));
  EXPECT(now == 1);

  // What the other device holds stays.
  CHECK(cudaDeviceReset());
  EXPECT(cudaFree(second) == cudaErrorInvalidValue);
  cudaGetLastError();
  CHECK(cudaSetDevice(0));
  CHECK(cudaFree(first));
  std::printf("%d devices took turns\n", devices);
}
