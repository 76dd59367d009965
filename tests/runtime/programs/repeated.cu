// What a program that measures does: the same launch again and again, over memory that is filled anew or that it
// has changed itself; then with other contents, and a launch that prints.
#include "check.h"

constexpr int kNumbers = 1 << 20, kTimes = 20;

__global__ void grow(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = in[i];
  for (int k = 0; k < 40; ++k) sum = sum * 1.5f - sum * 0.5f + 1;
  if (i < n) out[i] = sum;
}
__global__ void add_up(const float* in, unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mine = 0;
  for (int k = 0; k < 40; ++k) mine += static_cast<unsigned>(in[(i + 97 * k) % kNumbers]);
  atomicAdd(sum, mine);
}
__global__ void count_up(unsigned* counters) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 40; ++k) counters[i] += k & 1;
}
// Of its own: the other kernels of the module are as steady as before.
__global__ void look_at_clock(long long* when) {
  for (int i = 0; i < 40000; ++i) when[threadIdx.x] = clock64();
}
__global__ void greet(const float* in) {
  float sum = 0;
  for (int i = threadIdx.x; i < kNumbers; i += blockDim.x) sum += in[i];
  if (threadIdx.x == 0 && sum > -1) printf("again\n");
}

int main() {
  float *in = nullptr, *out = nullptr;
  unsigned *sum = nullptr, *counters = nullptr, found = 0;
  CHECK(cudaMalloc(&in, kNumbers * sizeof(float)));
  CHECK(cudaMalloc(&out, kNumbers * sizeof(float)));
  CHECK(cudaMalloc(&sum, sizeof *sum));
  CHECK(cudaMalloc(&counters, kNumbers * sizeof(unsigned)));
  CHECK(cudaMemset(counters, 0, kNumbers * sizeof(unsigned)));
  for (const int bits : {0, 0x3f}) {  // all zero, then all 0.7473...
    CHECK(cudaMemset(in, bits, kNumbers * sizeof(float)));
    for (int i = 0; i < kTimes; ++i) {
      CHECK(cudaMemset(sum, 0, sizeof *sum));
      grow<<<kNumbers / 256, 256>>>(in, out, kNumbers);
      add_up<<<kNumbers / 256, 256>>>(out, sum);
    }
    CHECK(cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost));
    EXPECT(found == 40u * 40u * kNumbers);
    float first = 0;
    CHECK(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost));
    EXPECT(bits == 0 ? first == 40.0f : first > 40.5f);
  }
  for (int i = 0; i < kTimes; ++i) count_up<<<kNumbers / 256, 256>>>(counters);
  CHECK(cudaMemcpy(&found, counters + 77, sizeof found, cudaMemcpyDeviceToHost));
  EXPECT(found == 20u * kTimes);
  for (int i = 0; i < 5; ++i) greet<<<1, 256>>>(in);
  long long* when = nullptr;
  CHECK(cudaMalloc(&when, 256 * sizeof *when));
  for (int i = 0; i < 5; ++i) look_at_clock<<<1, 256>>>(when);
  CHECK(cudaDeviceSynchronize());
  std::printf("the same each time\n");
}
