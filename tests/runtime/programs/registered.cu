// Memory of the program's own that kernels reach (cudaHostRegister), beside the device's.
#include <string>
#include <vector>

#include "check.h"

constexpr int kNumbers = 1000;

__global__ void twice(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
// Even lanes write to one side, odd ones to the other.
__global__ void both(int* host, int* device) {
  int* const to = threadIdx.x % 2 ? host : device;
  to[threadIdx.x] += 1;
}
__global__ void tally(const int* in, int* sum) {
  *sum += in[threadIdx.x];
}
// One block hands data over to the other, by a flag in the program's memory.
__global__ void hand_over(int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    data[0] = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
    out[0] = data[0];
  }
}

int main(int, char** argv) {
  const std::string what = argv[1];
  int* device;
  CHECK(cudaMalloc(&device, kNumbers * sizeof(int)));
  std::vector<int> numbers(kNumbers), results(kNumbers);
  for (int i = 0; i < kNumbers; ++i) numbers[i] = i;
  CHECK(cudaHostRegister(numbers.data(), kNumbers * sizeof(int), cudaHostRegisterDefault));
  CHECK(cudaHostRegister(results.data(), kNumbers * sizeof(int), cudaHostRegisterDefault));
  CHECK(cudaMemset(device, 0, kNumbers * sizeof(int)));
  if (what == "race") {
    tally<<<1, 64>>>(numbers.data(), device);
    CHECK(cudaDeviceSynchronize());
  } else if (what == "bounds") {
    twice<<<8, 128>>>(numbers.data(), results.data(), 1 << 20);
    CHECK(cudaDeviceSynchronize());
  } else {
    twice<<<8, 128>>>(numbers.data(), results.data(), kNumbers);
    both<<<1, 32>>>(results.data(), device);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < kNumbers; ++i)
      if (results[i] != 2 * i + (i < 32 && i % 2)) return 2;
    results[0] = 0;
    hand_over<<<2, 1>>>(results.data(), device, device + 1);
    CHECK(cudaDeviceSynchronize());
    int got = 0;
    CHECK(cudaMemcpy(&got, device + 1, sizeof got, cudaMemcpyDeviceToHost));
    if (got != 42) return 3;
  }
  CHECK(cudaHostUnregister(numbers.data()));
  CHECK(cudaHostUnregister(results.data()));
  CHECK(cudaFree(device));
  std::printf("registered\n");
}
