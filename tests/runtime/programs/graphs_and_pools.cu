// Graphs captured and built by hand, launched again with other parameters; callbacks; memory pools.
#include <cstdint>

#include "check.h"

__global__ void add(int* data, int by) { data[threadIdx.x] += by; }

void note(void* data) { ++*static_cast<int*>(data); }

int main() {
  cudaStream_t stream, other;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&other));
  int* data;
  CHECK(cudaMallocAsync(&data, 32 * sizeof(int), stream));
  CHECK(cudaMemsetAsync(data, 0, 32 * sizeof(int), stream));
  int host[32], calls = 0;

  cudaEvent_t forked, joined;
  CHECK(cudaEventCreate(&forked));
  CHECK(cudaEventCreate(&joined));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, stream>>>(data, 1);
  CHECK(cudaEventRecord(forked, stream));
  CHECK(cudaStreamWaitEvent(other, forked, 0));
  add<<<1, 16, 0, other>>>(data, 10);
  CHECK(cudaEventRecord(joined, other));
  CHECK(cudaStreamWaitEvent(stream, joined, 0));
  CHECK(cudaLaunchHostFunc(stream, note, &calls));
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  CHECK(cudaStreamEndCapture(stream, &graph));
  std::size_t count = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 3 && calls == 0);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(host[0] == 33 && host[31] == 3 && calls == 3);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));

  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill{};
  fill.dst = data;
  fill.elementSize = 4;
  fill.width = 32;
  fill.height = 1;
  fill.value = 7;
  cudaGraphNode_t filled, added, copied;
  CHECK(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill));
  int by = 5;
  void* arguments[] = {&data, &by};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = 1;
  kernel.blockDim = 32;
  kernel.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&added, graph, &filled, 1, &kernel));
  CHECK(cudaGraphAddMemcpyNode1D(&copied, graph, &added, 1, host, data, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(host[0] == 12 && host[31] == 12);
  by = 100;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, added, &kernel));
  CHECK(cudaGraphLaunch(exec, stream));
  EXPECT(host[5] == 107);
  // An object lives as long as a graph, or what was made of it, keeps it.
  int destroyed = 0;
  cudaUserObject_t object;
  CHECK(cudaUserObjectCreate(&object, &destroyed, note, 1, cudaUserObjectNoDestructorSync));
  CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphReleaseUserObject(graph, object, 1));
  CHECK(cudaGraphDestroy(graph));
  EXPECT(destroyed == 0);
  CHECK(cudaGraphExecDestroy(exec));
  EXPECT(destroyed == 1);
  CHECK(cudaFreeAsync(data, stream));
  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t used = 1, keep = ~0ull;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used == 0);
  cudaMemPoolProps properties = {};
  EXPECT(cudaMemPoolCreate(&pool, &properties) == cudaErrorInvalidValue);
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemPoolCreate(&pool, &properties));
  CHECK(cudaMemPoolDestroy(pool));
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  EXPECT(cudaMemPoolCreate(&pool, &properties) == cudaErrorNotSupported);
  std::printf("graphs launched\n");
}
