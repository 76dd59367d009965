// As it was written for the toolkits up to CUDA 12: properties, places of managed memory, warps without masks,
// functors with typedefs, edges of graphs without data.
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include "../check.h"

struct Square : public thrust::unary_function<int, int> {
  THRUST_HOST_DEVICE int operator()(int x) const { return x * x; }
};

__global__ void sum_of_warp(const int* from, int* to) {
  int value = from[threadIdx.x];
  for (int by = 16; by > 0; by /= 2) value += __shfl_down(value, by);
  if (__any(value < 0) || !__all(value >= 0) || __ballot(1) != 0xffffffffu) value = -1;
  if (threadIdx.x == 0) *to = value + __shfl(value, 0) - __shfl_xor(value, 0);
}

__global__ void largest(const int* from, int* to) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ Reduce::TempStorage storage;
  const int value = Reduce(storage).Reduce(from[threadIdx.x], cub::Max());
  if (threadIdx.x == 0) *to = value;
}

__global__ void increase(int* value) { *value += 1; }

int main() {
  struct cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.clockRate > 0 && properties.memoryClockRate > 0);
  EXPECT(properties.major == 9 && properties.deviceOverlap == 1 && properties.computeMode == 0);

  int* numbers;
  CHECK(cudaMallocManaged(&numbers, 66 * sizeof(int)));
  for (int i = 0; i < 64; ++i) numbers[i] = (i * 37) % 64;
  CHECK(cudaMemAdvise(numbers, 66 * sizeof(int), cudaMemAdviseSetReadMostly, 0));
  CHECK(cudaMemPrefetchAsync(numbers, 66 * sizeof(int), 0));
  sum_of_warp<<<1, 32>>>(numbers, numbers + 64);
  largest<<<1, 64>>>(numbers, numbers + 65);
  CHECK(cudaThreadSynchronize());
  CHECK(cudaMemPrefetchAsync(numbers, 66 * sizeof(int), cudaCpuDeviceId, 0));
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += numbers[i];
  EXPECT(numbers[64] == sum);
  EXPECT(numbers[65] == 63);

  {
    thrust::device_vector<int> values(4, 7);
    thrust::transform(values.begin(), values.end(), values.begin(), Square());
    EXPECT(values[3] == 49);
    const int sum = thrust::transform_reduce(values.begin(), values.end(), thrust::identity<int>(), 0, cub::Sum());
    EXPECT(sum == CUB_MAX(196, 4));
  }
  {
    // 1 + 4 + ... + 100 of squares, without an array.
    using Squares = cub::TransformInputIterator<int, Square, cub::CountingInputIterator<int>>;
    const Squares squares(cub::CountingInputIterator<int>(1), Square());
    size_t bytes = 0;
    CHECK(cub::DeviceReduce::Sum(nullptr, bytes, squares, numbers + 65, 10));
    thrust::device_vector<char> room(bytes);
    CHECK(cub::DeviceReduce::Sum(thrust::raw_pointer_cast(room.data()), bytes, squares, numbers + 65, 10));
    CHECK(cudaThreadSynchronize());
    EXPECT(numbers[65] == 385);
  }

  cudaGraph_t graph;
  cudaGraphNode_t nodes[2];
  CHECK(cudaGraphCreate(&graph, 0));
  void* arguments[] = {&numbers};
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(increase);
  launch.gridDim = launch.blockDim = dim3(1);
  launch.kernelParams = arguments;
  for (cudaGraphNode_t& node : nodes) CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &launch));
  CHECK(cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], 1));
  size_t edges = 0;
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT(edges == 1);
  cudaGraphExec_t instance;
  CHECK(cudaGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
  CHECK(cudaGraphLaunch(instance, 0));
  CHECK(cudaThreadSynchronize());
  EXPECT(numbers[0] == 2);

  // A node that is put into what a stream captures.
  cudaStream_t stream;
  cudaGraph_t captured;
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t* before;
  size_t count;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  increase<<<1, 1, 0, stream>>>(numbers);
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &captured, &before, &count));
  EXPECT(count == 1);
  cudaGraphNodeParams node{};
  node.type = cudaGraphNodeTypeKernel;
  node.kernel.func = reinterpret_cast<void*>(increase);
  node.kernel.gridDim = node.kernel.blockDim = dim3(1);
  node.kernel.kernelParams = arguments;
  cudaGraphNode_t added;
  CHECK(cudaGraphAddNode(&added, captured, before, count, &node));
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &added, 1, cudaStreamSetCaptureDependencies));
  CHECK(cudaStreamEndCapture(stream, &captured));
  CHECK(cudaGraphInstantiate(&instance, captured, nullptr, nullptr, 0));
  CHECK(cudaGraphLaunch(instance, 0));
  CHECK(cudaThreadSynchronize());
  EXPECT(numbers[0] == 4);
  CHECK(cudaFree(numbers));
  CHECK(cudaThreadExit());
  std::printf("older names answered\n");
}
