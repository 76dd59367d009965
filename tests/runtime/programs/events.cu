// Elapsed time is the model's: the same every time, longer for more work, and none for none.
#include "check.h"

__global__ void fill(float* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = static_cast<float>(i);
}

float milliseconds(float* p, int n, int times) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  for (int i = 0; i < times; ++i) fill<<<(n + 255) / 256, 256>>>(p, n);
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float took = -1;
  CHECK(cudaEventElapsedTime(&took, begin, end));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return took;
}

// As many rounds as its argument or its memory says: the sizes of the launch do not tell its time.
__global__ void work(float* p, const int* more, int rounds) {
  float x = threadIdx.x;
  for (int i = 0; i < rounds + *more; ++i) x = x * 0.5f + 1;
  p[threadIdx.x] = x;
}

float milliseconds_of_work(float* p, const int* more, int rounds) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  work<<<1, 128>>>(p, more, rounds);
  CHECK(cudaEventRecord(end));
  float took = -1;
  CHECK(cudaEventElapsedTime(&took, begin, end));
  return took;
}

// Waits for the clock, and executes few instructions meanwhile.
__global__ void wait_for(long long clocks) {
  const long long begin = clock64();
  while (clock64() - begin < clocks) {}
}

float milliseconds_of_waiting(int blocks, long long clocks) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  wait_for<<<blocks, 32>>>(clocks);
  CHECK(cudaEventRecord(end));
  float took = -1;
  CHECK(cudaEventElapsedTime(&took, begin, end));
  return took;
}

int main() {
  constexpr int n = 1 << 20;
  float* p;
  CHECK(cudaMalloc(&p, n * sizeof *p));
  const float once = milliseconds(p, n, 1), small = milliseconds(p, 256, 1);
  EXPECT(once == milliseconds(p, n, 1));
  EXPECT(once > small && small > 0.0005f && once < 1);
  const float four = milliseconds(p, n, 4);
  EXPECT(four > 3.9f * once && four < 4.1f * once);
  EXPECT(milliseconds(p, n, 0) == 0);
  int* more;
  CHECK(cudaMalloc(&more, sizeof *more));
  CHECK(cudaMemset(more, 0, sizeof *more));
  const float few = milliseconds_of_work(p, more, 100), many = milliseconds_of_work(p, more, 2000);
  EXPECT(many > 1.5f * few);
  EXPECT(few == milliseconds_of_work(p, more, 100));
  const int rounds = 1900;
  CHECK(cudaMemcpy(more, &rounds, sizeof rounds, cudaMemcpyHostToDevice));
  const float as_many = milliseconds_of_work(p, more, 100);  // the arguments of `few`
  EXPECT(as_many > 0.9f * many && as_many < 1.1f * many);
  // 19.8 million clocks of 1,980 MHz, and up to a quarter more; blocks that fit wait together.
  const float waited = milliseconds_of_waiting(1, 19'800'000);
  EXPECT(waited >= 10 && waited <= 12.6f);
  const float together = milliseconds_of_waiting(8, 19'800'000);
  EXPECT(together >= 10 && together <= 12.6f);
  std::puts("time modelled");
}
