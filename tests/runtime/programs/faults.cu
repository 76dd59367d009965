// A kernel that faults: what comes after it, as on a GPU. The argument says what to do wrong.
#include <cassert>
#include <cstring>

#include "check.h"

__global__ void past_the_end(int* data) { data[threadIdx.x + 1] = 1; }
__global__ void far_off(int* data) { data[threadIdx.x + (size_t{1} << 34)] = 1; }
__global__ void through_null(int* data) { data[threadIdx.x] = 1; }
__global__ void misaligned(char* data) { *reinterpret_cast<int*>(data + 1) = 1; }
__global__ void asserted(int n) { assert(n > 32); }

int main(int argc, char** argv) {
  int* data;
  CHECK(cudaMalloc(&data, 32 * sizeof(int)));
  const char* what = argc > 1 ? argv[1] : "";
  cudaError_t expected = cudaErrorIllegalAddress;
  if (std::strcmp(what, "null") == 0) {
    through_null<<<1, 32>>>(nullptr);
  } else if (std::strcmp(what, "misaligned") == 0) {
    misaligned<<<1, 1>>>(reinterpret_cast<char*>(data));
    expected = cudaErrorMisalignedAddress;
  } else if (std::strcmp(what, "assert") == 0) {
    asserted<<<1, 1>>>(7);
    expected = cudaErrorAssert;
  } else if (std::strcmp(what, "far") == 0) {
    far_off<<<1, 32>>>(data);
  } else {
    past_the_end<<<1, 32>>>(data);
  }
  CHECK(cudaGetLastError());  // the launch itself was fine
  EXPECT(cudaDeviceSynchronize() == expected);
  // Every call answers with it from now on; the error that was taken is gone until then.
  EXPECT(cudaMalloc(&data, 4) == expected && cudaPeekAtLastError() == expected);
  EXPECT(cudaGetLastError() == expected && cudaPeekAtLastError() == cudaSuccess);
  EXPECT(cudaMalloc(&data, 4) == expected && cudaGetLastError() == expected);
  std::printf("faulted: %s\n", cudaGetErrorName(expected));
  return 7;
}
