// Memory nodes: an address known before the graph runs, memory there from one node to another, or to a call.
#include <cstdint>

#include "check.h"

__global__ void twice(const int* from, int* to) { to[threadIdx.x] = 2 * from[threadIdx.x]; }

constexpr int kCount = 64;
constexpr std::size_t kBytes = kCount * sizeof(int);

cudaMemAllocNodeParams asked() {
  cudaMemAllocNodeParams p{};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  p.bytesize = kBytes;
  return p;
}

void built(const int* host, int* back, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams first = asked(), second = asked();
  cudaGraphNode_t a, b, in, run, out, free_a, free_b;
  CHECK(cudaGraphAddMemAllocNode(&a, graph, nullptr, 0, &first));
  CHECK(cudaGraphAddMemAllocNode(&b, graph, &a, 1, &second));
  EXPECT(first.dptr != nullptr && second.dptr != nullptr && first.dptr != second.dptr);
  EXPECT(cudaMemset(first.dptr, 0, kBytes) == cudaErrorInvalidValue);  // nothing is there yet
  CHECK(cudaGraphAddMemcpyNode1D(&in, graph, &b, 1, first.dptr, host, kBytes, cudaMemcpyHostToDevice));
  void* arguments[] = {&first.dptr, &second.dptr};
  cudaGraphNodeParams kernel{};
  kernel.type = cudaGraphNodeTypeKernel;
  kernel.kernel.func = reinterpret_cast<void*>(twice);
  kernel.kernel.gridDim = 1;
  kernel.kernel.blockDim = kCount;
  kernel.kernel.kernelParams = arguments;
  CHECK(cudaGraphAddNode(&run, graph, &in, nullptr, 1, &kernel));
  CHECK(cudaGraphAddMemFreeNode(&free_a, graph, &run, 1, first.dptr));
  CHECK(cudaGraphAddMemcpyNode1D(&out, graph, &run, 1, back, second.dptr, kBytes, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphAddMemFreeNode(&free_b, graph, &out, 1, second.dptr));
  std::size_t edges = 0, behind = 0;
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CHECK(cudaGraphNodeGetDependentNodes(run, nullptr, nullptr, &behind));
  EXPECT(edges == 6 && behind == 2);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, stream));
  EXPECT(back[5] == 10 && back[kCount - 1] == 2 * (kCount - 1));
  std::uint64_t used = 1, high = 0;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
  // As an H200 counts it: by blocks of 32 MiB, which stay until somebody trims.
  const std::uint64_t block = 32 << 20;
  EXPECT(used == block && high == block);
  CHECK(cudaDeviceGraphMemTrim(0));
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  EXPECT(used == 0);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

// Memory of a node behind another's free has that one's addresses: as an H100 answers.
void addresses_again(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams p = asked();
  p.bytesize = 64 << 20;
  cudaGraphNode_t first, second, lower, upper, larger, apart, freed[2];
  CHECK(cudaGraphAddMemAllocNode(&first, graph, nullptr, 0, &p));
  char* const at = static_cast<char*>(p.dptr);
  CHECK(cudaGraphAddMemFreeNode(&freed[0], graph, &first, 1, at));
  CHECK(cudaGraphAddMemAllocNode(&second, graph, &freed[0], 1, &p));
  EXPECT(p.dptr == at);
  cudaGraphNode_t beside, fill;
  CHECK(cudaGraphAddMemAllocNode(&beside, graph, &freed[0], 1, &p));
  EXPECT(p.dptr != at);  // the second may have it just then
  cudaMemsetParams with{};
  with.dst = at;
  with.elementSize = 1;
  with.width = p.bytesize;
  with.height = 1;
  CHECK(cudaGraphAddMemsetNode(&fill, graph, &second, 1, &with));
  CHECK(cudaGraphAddMemFreeNode(&freed[1], graph, &fill, 1, at));
  p.bytesize = 32 << 20;
  CHECK(cudaGraphAddMemAllocNode(&lower, graph, &freed[1], 1, &p));
  EXPECT(p.dptr == at);
  CHECK(cudaGraphAddMemAllocNode(&upper, graph, &freed[1], 1, &p));
  EXPECT(p.dptr == at + (32 << 20));  // nothing says that the lower half is free by then
  p.bytesize = 100 << 20;
  CHECK(cudaGraphAddMemAllocNode(&larger, graph, &freed[1], 1, &p));
  EXPECT(p.dptr < at || p.dptr >= at + (64 << 20));
  p.bytesize = 64 << 20;
  CHECK(cudaGraphAddMemAllocNode(&apart, graph, nullptr, 0, &p));
  EXPECT(p.dptr < at || p.dptr >= at + (64 << 20));
  CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaFree(at));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

void captured(const int* host, int* back, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int *from, *to;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&from, kBytes, stream));
  CHECK(cudaMallocAsync(&to, kBytes, stream));
  CHECK(cudaMemcpyAsync(from, host, kBytes, cudaMemcpyHostToDevice, stream));
  twice<<<1, kCount, 0, stream>>>(from, to);
  CHECK(cudaFreeAsync(from, stream));
  CHECK(cudaMemcpyAsync(back, to, kBytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(to, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  back[7] = 0;
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(exec, stream));
  EXPECT(back[7] == 14);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

// What a graph leaves allocated is freed by a call, or by its next launch.
void left(const int* host, int* back, cudaStream_t stream) {
  for (const bool frees : {false, true}) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, in;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams p = asked();
    CHECK(cudaGraphAddMemAllocNode(&a, graph, nullptr, 0, &p));
    CHECK(cudaGraphAddMemcpyNode1D(&in, graph, &a, 1, p.dptr, host, kBytes, cudaMemcpyHostToDevice));
    CHECK(cudaGraphInstantiate(&exec, graph, frees ? cudaGraphInstantiateFlagAutoFreeOnLaunch : 0));
    CHECK(cudaGraphLaunch(exec, stream));
    EXPECT((cudaGraphLaunch(exec, stream) == cudaSuccess) == frees);
    cudaGetLastError();
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaMemcpy(back, p.dptr, kBytes, cudaMemcpyDeviceToHost));
    EXPECT(back[3] == 3);
    CHECK(cudaFreeAsync(p.dptr, stream));
  }
}

int main() {
  int host[kCount], back[kCount] = {};
  for (int i = 0; i < kCount; ++i) host[i] = i;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  built(host, back, stream);
  addresses_again(stream);
  captured(host, back, stream);
  left(host, back, stream);
  std::printf("graphs allocated\n");
}
