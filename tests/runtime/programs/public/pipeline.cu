// Chunks through three streams: pinned memory, events between streams, callbacks of the host, priorities.
#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include "../check.h"

template <typename F>
__global__ void transform(const float* in, float* out, int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = f(in[i]);
}

struct Scale {
  float a, b;
  __host__ __device__ float operator()(float x) const { return fmaf(a, x, b); }
};

static std::atomic<int> g_done{0};
void CUDART_CB count(void* by) { g_done += *static_cast<int*>(by); }
void CUDART_CB called(cudaStream_t, cudaError_t status, void*) { g_done += status == cudaSuccess ? 100 : 10000; }

int main() {
  constexpr int kStreams = 3, kChunks = 9, kChunk = 5000;
  int least = 0, greatest = 0;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t streams[kStreams];
  cudaEvent_t ready[kChunks];
  for (int s = 0; s < kStreams; ++s)
    CHECK(cudaStreamCreateWithPriority(&streams[s], cudaStreamNonBlocking, s == 0 ? greatest : least));
  for (cudaEvent_t& e : ready) CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  float *host, *in, *out;
  CHECK(cudaHostAlloc(&host, kChunks * kChunk * sizeof(float), cudaHostAllocDefault));
  CHECK(cudaMalloc(&in, kChunks * kChunk * sizeof(float)));
  CHECK(cudaMalloc(&out, kChunks * kChunk * sizeof(float)));
  std::iota(host, host + kChunks * kChunk, 0.0f);
  int one = 1;
  for (int c = 0; c < kChunks; ++c) {
    cudaStream_t stream = streams[c % kStreams], next = streams[(c + 1) % kStreams];
    const size_t at = size_t(c) * kChunk;
    CHECK(cudaMemcpyAsync(in + at, host + at, kChunk * sizeof(float), cudaMemcpyHostToDevice, stream));
    transform<<<8, 128, 0, stream>>>(in + at, out + at, kChunk, Scale{2.0f, float(c)});
    CHECK(cudaEventRecord(ready[c], stream));
    CHECK(cudaStreamWaitEvent(next, ready[c], 0));
    transform<<<8, 128, 0, next>>>(out + at, in + at, kChunk, [] __device__(float x) { return sqrtf(x); });
    CHECK(cudaMemcpyAsync(host + at, in + at, kChunk * sizeof(float), cudaMemcpyDeviceToHost, next));
    CHECK(cudaLaunchHostFunc(next, count, &one));
  }
  CHECK(cudaStreamAddCallback(streams[1], called, nullptr, 0));
  for (cudaStream_t s : streams) {
    CHECK(cudaStreamSynchronize(s));
    EXPECT(cudaStreamQuery(s) == cudaSuccess);
  }
  EXPECT(g_done == kChunks + 100);
  for (int c = 0; c < kChunks; ++c)
    for (int i = 0; i < kChunk; ++i) {
      const float x = std::sqrt(2.0f * (c * kChunk + i) + c);
      EXPECT(std::fabs(host[c * kChunk + i] - x) <= 1e-5f * (1 + x));
    }
  for (cudaStream_t s : streams) CHECK(cudaStreamDestroy(s));
  CHECK(cudaFreeHost(host));
  std::puts("PASSED: chunks went through");
}
