// Accesses out of bounds that an H200 (driver 580) lets pass, and at last one that it does not: memory is mapped by
// 2 MiB there, the system keeps a KiB in front of a block's shared memory, local memory lies among that of others.
#include "check.h"

__global__ void past_the_end(int* data) {
  data[threadIdx.x + 1] = static_cast<int>(threadIdx.x);
}
__global__ void read_around(const int* data, int* out) {
  out[0] = data[-1] + data[64];
}
__global__ void shared(int* out) {
  __shared__ volatile int tile[32];
  const int t = static_cast<int>(threadIdx.x);
  tile[t] = t;
  __syncthreads();
  const int before = tile[t - 1];
  out[t] = t == 0 ? 0 : before + 1;
}
__global__ void local(int* out, int at) {
  volatile int mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = i * at;
  const int behind = mine[at * 100];
  out[0] = mine[at / 4] + (behind == 12345 ? 1 : 0);
}
__global__ void far_behind(int* data) {
  data[1 << 19] = 1;
}

int main() {
  int *data, *out, *large;
  CHECK(cudaMalloc(&data, 32 * sizeof(int)));
  CHECK(cudaMallocManaged(&out, 32 * sizeof(int)));
  for (int i = 0; i < 5; ++i) past_the_end<<<1, 32>>>(data);
  int last = -1;
  CHECK(cudaMemcpy(&last, data + 31, sizeof last, cudaMemcpyDeviceToHost));
  EXPECT(last == 30);
  read_around<<<1, 1>>>(data, out);
  shared<<<1, 32>>>(out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) EXPECT(out[i] == i);
  local<<<1, 1>>>(out, 12);
  CHECK(cudaDeviceSynchronize());
  EXPECT(out[0] == 36);
  CHECK(cudaMalloc(&large, 2 << 20));
  far_behind<<<1, 1>>>(large);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  std::printf("went on\n");
  return 3;
}
