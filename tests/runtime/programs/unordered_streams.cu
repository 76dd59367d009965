// Operations of streams that touch the same memory. The first argument names the case; with "right" as the second
// something makes the order that is missing without it, and nothing is to be told.
#include <cstring>
#include <string>

#include "check.h"

constexpr int kN = 4096, kBytes = kN * sizeof(int);

__global__ void fill_with(int* p, int value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = value + i;
}
__global__ void twice(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
__global__ void count(const int* in, int* counters, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counters[in[i] & 7], 1);
}
__global__ void constant(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 7;
}
__global__ void hand_over(int* data, int* flag) {
  data[threadIdx.x] = 1;
  __syncthreads();
  __threadfence();
  if (threadIdx.x == 0) atomicExch(flag, 1);
}
__global__ void take_over(const int* data, int* flag, int* out) {
  if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) == 0) {}
  __syncthreads();
  out[threadIdx.x] = data[threadIdx.x];
}

constexpr int kBlock = 256, kGrid = kN / kBlock;

int main(int count_of_arguments, char** argv) {
  const std::string what = argv[1];
  const bool right = count_of_arguments > 2;
  int *a, *b, *pinned;
  CHECK(cudaMalloc(&a, kBytes));
  CHECK(cudaMalloc(&b, kBytes));
  CHECK(cudaMallocHost(&pinned, kBytes));
  CHECK(cudaMemset(a, 0, kBytes));
  CHECK(cudaMemset(b, 0, kBytes));
  std::memset(pinned, 0, kBytes);
  cudaStream_t one, two, alone;
  cudaEvent_t event;
  CHECK(cudaStreamCreate(&one));
  CHECK(cudaStreamCreate(&two));
  CHECK(cudaStreamCreateWithFlags(&alone, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CHECK(cudaDeviceSynchronize());
  if (what == "launches") {  // one writes, the other reads
    fill_with<<<kGrid, kBlock, 0, one>>>(a, 1, kN);
    if (right) {
      CHECK(cudaEventRecord(event, one));
      CHECK(cudaStreamWaitEvent(two, event));
    }
    twice<<<kGrid, kBlock, 0, two>>>(a, b, kN);
  } else if (what == "early_event") {  // recorded in front of what is to be waited for
    if (!right) CHECK(cudaEventRecord(event, one));
    fill_with<<<kGrid, kBlock, 0, one>>>(a, 1, kN);
    if (right) CHECK(cudaEventRecord(event, one));
    CHECK(cudaStreamWaitEvent(two, event));
    twice<<<kGrid, kBlock, 0, two>>>(a, b, kN);
  } else if (what == "copy") {  // to the host before the kernel has ended
    fill_with<<<kGrid, kBlock, 0, one>>>(a, 1, kN);
    if (right) CHECK(cudaStreamSynchronize(one));
    CHECK(cudaMemcpyAsync(pinned, a, kBytes, cudaMemcpyDeviceToHost, two));
  } else if (what == "overwritten") {  // what the kernel still reads
    twice<<<kGrid, kBlock, 0, one>>>(a, b, kN);
    CHECK(cudaMemcpyAsync(a, pinned, kBytes, cudaMemcpyHostToDevice, right ? one : two));
  } else if (what == "default") {  // a fill in the default stream, for which only ordinary streams wait
    CHECK(cudaMemset(a, 0, kBytes));
    fill_with<<<kGrid, kBlock, 0, right ? two : alone>>>(a, 1, kN);
  } else if (what == "freed") {
    int* c;
    CHECK(cudaMallocAsync(&c, kBytes, one));
    fill_with<<<kGrid, kBlock, 0, one>>>(c, 1, kN);
    CHECK(cudaFreeAsync(c, right ? one : two));
  } else if (what == "counters") {  // set to zero while others count
    CHECK(cudaMemsetAsync(b, 0, 32, one));
    if (right) CHECK(cudaEventRecord(event, one));
    if (right) CHECK(cudaStreamWaitEvent(two, event));
    count<<<kGrid, kBlock, 0, two>>>(a, b, kN);
  } else if (what == "repeated") {  // the same a hundred times, which is executed once
    for (int i = 0; i < 100; ++i) {
      fill_with<<<kGrid, kBlock, 0, one>>>(a, 1, kN);
      if (right) CHECK(cudaEventRecord(event, one));
      if (right) CHECK(cudaStreamWaitEvent(two, event));
      twice<<<kGrid, kBlock, 0, two>>>(a, b, kN);
      if (right) CHECK(cudaEventRecord(event, two));
      if (right) CHECK(cudaStreamWaitEvent(one, event));
    }
  } else if (what == "fine") {  // nothing of all this is wrong
    // Each stream its own half, byte by byte.
    fill_with<<<kGrid, kBlock / 2, 0, one>>>(a, 1, kN / 2);
    fill_with<<<kGrid, kBlock / 2, 0, alone>>>(a + kN / 2, 1, kN / 2);
    CHECK(cudaMemcpyAsync(pinned, a, kBytes / 2, cudaMemcpyDeviceToHost, one));
    CHECK(cudaMemcpyAsync(pinned + kN / 2, a + kN / 2, kBytes / 2, cudaMemcpyDeviceToHost, alone));
    CHECK(cudaDeviceSynchronize());
    // Both read; both count; both write the same.
    twice<<<kGrid, kBlock, 0, one>>>(a, b, kN);
    count<<<kGrid, kBlock, 0, two>>>(a, pinned, kN);
    CHECK(cudaDeviceSynchronize());
    count<<<kGrid, kBlock, 0, one>>>(a, b, kN);
    count<<<kGrid, kBlock, 0, two>>>(a, b, kN);
    CHECK(cudaDeviceSynchronize());
    constant<<<kGrid, kBlock, 0, one>>>(a, kN);
    constant<<<kGrid, kBlock, 0, two>>>(a, kN);
    CHECK(cudaDeviceSynchronize());
    // The default stream waits for ordinary ones, and they for it.
    fill_with<<<kGrid, kBlock, 0, one>>>(a, 3, kN);
    twice<<<kGrid, kBlock>>>(a, b, kN);
    fill_with<<<kGrid, kBlock, 0, two>>>(b, 3, kN);
    CHECK(cudaDeviceSynchronize());
    // They hand data over by a flag.
    CHECK(cudaMemset(b, 0, kBytes));
    CHECK(cudaDeviceSynchronize());
    hand_over<<<1, 32, 0, one>>>(a, b);
    take_over<<<1, 32, 0, alone>>>(a, b, b + 32);
    CHECK(cudaDeviceSynchronize());
    // The event of a wait that the host has made; a stream that is gone; memory that is another's by now.
    fill_with<<<kGrid, kBlock, 0, one>>>(a, 5, kN);
    CHECK(cudaEventRecord(event, one));
    CHECK(cudaEventSynchronize(event));
    twice<<<kGrid, kBlock, 0, alone>>>(a, b, kN);
    CHECK(cudaStreamSynchronize(alone));
    CHECK(cudaStreamDestroy(alone));
    for (int i = 0; i < 3; ++i) {
      int* c;
      CHECK(cudaMallocAsync(&c, kBytes, i % 2 ? one : two));
      fill_with<<<kGrid, kBlock, 0, i % 2 ? one : two>>>(c, 1, kN);
      CHECK(cudaFreeAsync(c, i % 2 ? one : two));
    }
    // A graph whose branches join.
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    fill_with<<<kGrid, kBlock, 0, one>>>(a, 1, kN);
    CHECK(cudaEventRecord(event, one));
    CHECK(cudaStreamWaitEvent(two, event));
    twice<<<kGrid, kBlock, 0, two>>>(a, b, kN);
    CHECK(cudaEventRecord(event, two));
    CHECK(cudaStreamWaitEvent(one, event));
    fill_with<<<kGrid, kBlock, 0, one>>>(b, 1, kN);
    CHECK(cudaStreamEndCapture(one, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, one));
    CHECK(cudaStreamSynchronize(one));
  } else if (what == "graph") {  // launched into one stream, its result read in another
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    fill_with<<<kGrid, kBlock, 0, one>>>(a, 1, kN);
    CHECK(cudaStreamEndCapture(one, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, one));
    twice<<<kGrid, kBlock, 0, right ? one : two>>>(a, b, kN);
  }
  CHECK(cudaDeviceSynchronize());
  std::printf("ran to its end\n");
}
