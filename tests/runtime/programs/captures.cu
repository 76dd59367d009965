// What a capture that is under way allows beside it, as an H100 answers (driver 580.159.04, CUDA 13.0).
#include <thread>

#include "check.h"

__global__ void one(int* to) {
  *to = 1;
}

static int* memory;
static cudaStream_t blocking, apart;

template <typename Call>
bool breaks(unsigned stream_flags, cudaStreamCaptureMode mode, cudaError_t wanted, Call call) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, stream_flags));
  CHECK(cudaStreamBeginCapture(stream, mode));
  one<<<1, 1, 0, stream>>>(memory);
  const cudaError_t answer = call(stream);
  cudaGraph_t graph;
  const cudaError_t end = cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();
  CHECK(cudaStreamDestroy(stream));
  const cudaError_t ends = wanted == cudaSuccess ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
  if (answer != wanted || end != ends) std::printf("answered %d, ended with %d\n", answer, end);
  return answer == wanted && end == ends && (graph == nullptr) == (ends != cudaSuccess);
}

cudaError_t launch_into(cudaStream_t stream) {
  one<<<1, 1, 0, stream>>>(memory);
  return cudaGetLastError();
}

int main() {
  CHECK(cudaMalloc(&memory, 4));
  CHECK(cudaStreamCreate(&blocking));
  CHECK(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  const auto kernel = [](cudaStream_t) { return launch_into(nullptr); };
  const auto copy = [](cudaStream_t) { int from = 0; return cudaMemcpy(memory, &from, 4, cudaMemcpyHostToDevice); };
  const auto fill = [](cudaStream_t) { return cudaMemsetAsync(memory, 0, 4, nullptr); };
  const auto record = [&](cudaStream_t) { return cudaEventRecord(event, nullptr); };
  const auto look = [](cudaStream_t) { return cudaStreamQuery(nullptr); };
  const auto wait = [](cudaStream_t) { return cudaDeviceSynchronize(); };
  const auto wait_apart = [](cudaStream_t) { return cudaStreamSynchronize(apart); };
  const auto take = [](cudaStream_t) { int* more; return cudaMalloc(&more, 4); };
  const auto elsewhere = [](cudaStream_t) {
    cudaError_t answer;
    std::thread([&] { int* more; answer = cudaMalloc(&more, 4); }).join();
    return answer;
  };
  const auto relaxed_thread = [&](cudaStream_t stream) {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    const cudaError_t answer = take(stream);
    cudaThreadExchangeStreamCaptureMode(&mode);
    return answer;
  };
  const auto joined = [&](cudaStream_t stream) {
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(blocking, event, 0);
    const cudaError_t answer = launch_into(nullptr);
    cudaEventRecord(event, blocking);
    cudaStreamWaitEvent(stream, event, 0);
    return answer;
  };
  const cudaError_t implicit = cudaErrorStreamCaptureImplicit, unsafe = cudaErrorStreamCaptureUnsupported;
  for (int i = 0; i < 3; ++i) {
    const auto mode = static_cast<cudaStreamCaptureMode>(i);
    const cudaError_t if_strict = mode == cudaStreamCaptureModeRelaxed ? cudaSuccess : unsafe;
    const cudaError_t if_global = mode == cudaStreamCaptureModeGlobal ? unsafe : cudaSuccess;
    EXPECT(breaks(cudaStreamDefault, mode, implicit, kernel));
    EXPECT(breaks(cudaStreamDefault, mode, implicit, copy));
    EXPECT(breaks(cudaStreamDefault, mode, implicit, fill));
    EXPECT(breaks(cudaStreamDefault, mode, implicit, record));
    EXPECT(breaks(cudaStreamDefault, mode, implicit, look));
    EXPECT(breaks(cudaStreamNonBlocking, mode, implicit, joined));
    EXPECT(breaks(cudaStreamNonBlocking, mode, cudaSuccess, kernel));
    EXPECT(breaks(cudaStreamNonBlocking, mode, cudaSuccess, copy));
    EXPECT(breaks(cudaStreamNonBlocking, mode, if_strict, look));
    for (unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
      EXPECT(breaks(flags, mode, unsafe, wait));
      EXPECT(breaks(flags, mode, if_strict, wait_apart));
      EXPECT(breaks(flags, mode, if_strict, take));
      EXPECT(breaks(flags, mode, if_global, elsewhere));
      EXPECT(breaks(flags, mode, cudaSuccess, relaxed_thread));
      EXPECT(breaks(flags, mode, cudaSuccess, [](cudaStream_t) { return launch_into(apart); }));
    }
  }
  CHECK(cudaDeviceSynchronize());
  // A graph outlives the streams in which it was captured, and is launched while another is captured.
  cudaStream_t gone, next;
  cudaGraph_t graph, other;
  cudaGraphExec_t exec;
  int back = 7;
  CHECK(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(gone, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(memory, 0, 4, gone));
  CHECK(cudaMemcpyAsync(&back, memory, 4, cudaMemcpyDeviceToHost, gone));
  CHECK(cudaStreamEndCapture(gone, &graph));
  cudaGraphNode_t more;
  int after = 7;
  CHECK(cudaGraphAddMemcpyNode1D(&more, graph, nullptr, 0, &after, memory, 4, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaStreamDestroy(gone));
  for (int i = 0; i < 64; ++i) CHECK(cudaStreamCreate(&next));
  CHECK(cudaStreamBeginCapture(next, cudaStreamCaptureModeGlobal));
  CHECK(cudaGraphLaunch(exec, apart));
  CHECK(cudaStreamEndCapture(next, &other));
  CHECK(cudaStreamSynchronize(apart));
  EXPECT(back == 0 && after != 7);
  one<<<1, 1>>>(memory);
  CHECK(cudaDeviceSynchronize());
  std::printf("captures answered\n");
}
