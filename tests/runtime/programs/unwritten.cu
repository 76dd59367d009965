// Memory of the device that nobody has written: a copy of n instead of n * sizeof(float) bytes, sums that nobody
// has set to zero. Beside them what is written in every other way, of which nothing is told.
#include "check.h"

constexpr int kNumbers = 1024;

__global__ void twice(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}
__global__ void add_up(const float* in, float* sum) {
  atomicAdd(sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
}
__device__ float table[kNumbers];
__global__ void from_table(float* out) {
  out[threadIdx.x] = table[threadIdx.x];
}
__global__ void bytes_of(const unsigned char* in, unsigned char* out) {
  out[threadIdx.x] = in[threadIdx.x];
}

int main() {
  static float numbers[kNumbers];
  float *in = nullptr, *out = nullptr, *copied = nullptr, *sum = nullptr, *managed = nullptr;
  const std::size_t bytes = sizeof numbers;
  CHECK(cudaMalloc(&in, bytes));
  CHECK(cudaMalloc(&out, bytes));
  CHECK(cudaMalloc(&copied, bytes));
  CHECK(cudaMalloc(&sum, sizeof *sum));
  CHECK(cudaMallocManaged(&managed, bytes));
  for (int i = 0; i < kNumbers; ++i) managed[i] = 1;
  // All of this is written: by the host, a kernel, a fill, a copy of what is written.
  twice<<<8, 128>>>(managed, out);
  CHECK(cudaMemcpy(copied, out, bytes, cudaMemcpyDeviceToDevice));
  twice<<<8, 128>>>(copied, out);
  CHECK(cudaMemset2D(copied, 256, 0, 256, bytes / 256));
  twice<<<8, 128>>>(copied, out);
  from_table<<<1, 128>>>(out);
  CHECK(cudaMemset(sum, 0, sizeof *sum));
  add_up<<<8, 128>>>(out, sum);
  // A quarter of it.
  CHECK(cudaMemcpy(in, numbers, kNumbers, cudaMemcpyHostToDevice));
  for (int i = 0; i < 5; ++i) twice<<<8, 128>>>(in, out);
  // What is new is not what was there before; nor is a copy of it.
  CHECK(cudaFree(sum));
  CHECK(cudaMalloc(&sum, sizeof *sum));
  add_up<<<8, 128>>>(out, sum);
  CHECK(cudaFree(copied));
  CHECK(cudaMalloc(&copied, bytes));
  CHECK(cudaMemset(copied, 0, 32));
  CHECK(cudaMemcpy(out, copied, bytes, cudaMemcpyDeviceToDevice));
  bytes_of<<<1, 64>>>(reinterpret_cast<unsigned char*>(out), reinterpret_cast<unsigned char*>(managed));
  CHECK(cudaDeviceSynchronize());
  std::printf("ran to its end\n");
}
