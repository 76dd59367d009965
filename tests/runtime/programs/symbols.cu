// Constants and variables of the module: written by the host, kept from launch to launch; a table of functions.
#include "check.h"

__constant__ float weights[4];
__constant__ int preset[3] = {7, 8, 9};
__device__ int counter = 5;
__device__ int table[16];
__device__ int* where = table + 2;
__managed__ int shared_with_host = 3;

__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ int (*const functions[])(int) = {twice, square};
__device__ int (*chosen)(int);

__global__ void use(float* out) {
  out[threadIdx.x] = weights[threadIdx.x & 3] * preset[threadIdx.x % 3];
  atomicAdd(&counter, 1);
  if (threadIdx.x < 4) where[threadIdx.x] = threadIdx.x + 10;
  if (threadIdx.x == 0) shared_with_host *= 2;
}
__global__ void choose(int which) { chosen = functions[which]; }
__global__ void call(int* out) { *out = chosen(9) + functions[0](1); }

int main() {
  const float values[] = {0.5f, 1, 2, 4};
  CHECK(cudaMemcpyToSymbol(weights, values, sizeof values));
  float *out, host[32];
  CHECK(cudaMalloc(&out, sizeof host));
  EXPECT(shared_with_host == 3);
  for (int i = 0; i < 3; ++i) use<<<1, 32>>>(out);
  CHECK(cudaDeviceSynchronize());
  EXPECT(shared_with_host == 24);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  const int three[] = {7, 8, 9};
  for (int i = 0; i < 32; ++i) EXPECT(host[i] == values[i & 3] * three[i % 3]);
  int count = 0, cells[16];
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  CHECK(cudaMemcpyFromSymbol(cells, table, sizeof cells));
  EXPECT(count == 5 + 3 * 32 && cells[2] == 10 && cells[5] == 13 && cells[1] == 0);
  void* address = nullptr;
  std::size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&address, counter));
  CHECK(cudaGetSymbolSize(&bytes, weights));
  EXPECT(bytes == sizeof values);
  CHECK(cudaMemset(address, 0, sizeof(int)));
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  EXPECT(count == 0);
  int *answer, found = 0;
  CHECK(cudaMalloc(&answer, sizeof(int)));
  for (int which = 0; which < 2; ++which) {
    choose<<<1, 1>>>(which);
    call<<<1, 1>>>(answer);
    CHECK(cudaMemcpy(&found, answer, sizeof found, cudaMemcpyDeviceToHost));
    EXPECT(found == (which == 0 ? 18 : 81) + 2);
  }
  std::printf("symbols kept\n");
}
