// Pools that a device takes its memory from, and many copies and prefetches by one call.
#include <cstring>
#include <vector>

#include "check.h"

unsigned long long used(cudaMemPool_t pool) {
  unsigned long long bytes = 0;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
  return bytes;
}

void pools(cudaStream_t stream) {
  cudaMemPool_t own, first, now;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemPoolCreate(&own, &properties));
  CHECK(cudaDeviceGetDefaultMemPool(&first, 0));
  CHECK(cudaDeviceGetMemPool(&now, 0));
  EXPECT(now == first && now != own);
  CHECK(cudaDeviceSetMemPool(0, own));
  CHECK(cudaMemGetMemPool(&now, &properties.location, cudaMemAllocationTypePinned));
  EXPECT(now == own);
  void *of_own, *of_first;
  CHECK(cudaMallocAsync(&of_own, 4096, stream));
  CHECK(cudaMallocFromPoolAsync(&of_first, 512, first, stream));
  EXPECT(used(own) >= 4096 && used(first) >= 512 && used(first) < 4096);
  CHECK(cudaFreeAsync(of_own, stream));
  CHECK(cudaFreeAsync(of_first, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(used(own) == 0);
  CHECK(cudaMemPoolDestroy(own));  // what a device took from goes: it takes from its first one again
  CHECK(cudaDeviceGetMemPool(&now, 0));
  EXPECT(now == first);
  EXPECT(cudaDeviceSetMemPool(7, first) == cudaErrorInvalidDevice);
  cudaGetLastError();
}

__global__ void write(int* to) { *to = 42; }

// Pools of the host's memory, as an H100 (driver 580.159.04, CUDA 13.0) has them: a kernel may use what comes
// from one once that is asked for.
void pools_of_the_host(cudaStream_t stream) {
  cudaMemLocation location{cudaMemLocationTypeHost, 0}, device{cudaMemLocationTypeDevice, 0};
  cudaMemPool_t first, own;
  CHECK(cudaMemGetDefaultMemPool(&first, &location, cudaMemAllocationTypePinned));
  CHECK(cudaMemGetMemPool(&own, &location, cudaMemAllocationTypePinned));
  EXPECT(own == first);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = location;
  CHECK(cudaMemPoolCreate(&own, &properties));
  CHECK(cudaMemSetMemPool(&location, cudaMemAllocationTypePinned, own));
  int* number;
  CHECK(cudaMallocFromPoolAsync(&number, 64, own, stream));
  cudaPointerAttributes told;
  CHECK(cudaPointerGetAttributes(&told, number));
  EXPECT(told.type == cudaMemoryTypeHost && told.hostPointer == number && told.devicePointer == nullptr);
  cudaMemAccessFlags access;
  CHECK(cudaMemPoolGetAccess(&access, own, &device));
  EXPECT(access == cudaMemAccessFlagsProtNone);
  cudaMemAccessDesc asked{device, cudaMemAccessFlagsProtReadWrite};
  CHECK(cudaMemPoolSetAccess(own, &asked, 1));
  CHECK(cudaPointerGetAttributes(&told, number));
  EXPECT(told.devicePointer == number);
  write<<<1, 1, 0, stream>>>(number);
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(*number == 42 && used(own) >= 64);
  CHECK(cudaFreeAsync(number, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(used(own) == 0);
  CHECK(cudaMemPoolDestroy(own));
  CHECK(cudaMemGetMemPool(&own, &location, cudaMemAllocationTypePinned));
  EXPECT(own == first);
  properties.location.type = cudaMemLocationTypeHostNumaCurrent;
  EXPECT(cudaMemPoolCreate(&own, &properties) == cudaErrorInvalidValue);
  cudaGetLastError();
}

// Answers are those of an H100 (driver 580.159.04, CUDA 13.0).
void batch_of_boxes(cudaStream_t stream) {
  float box[64], back[64] = {};
  for (int i = 0; i < 64; ++i) box[i] = static_cast<float>(i);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 3, 2)));
  const auto memory = [](float* at, std::size_t row, std::size_t layer) {
    cudaMemcpy3DOperand out{};
    out.type = cudaMemcpyOperandTypePointer;
    out.op.ptr.ptr = at;
    out.op.ptr.rowLength = row;
    out.op.ptr.layerHeight = layer;
    return out;
  };
  cudaMemcpy3DOperand in_array{};
  in_array.type = cudaMemcpyOperandTypeArray;
  in_array.op.array.array = array;
  in_array.op.array.offset = {1, 1, 0};
  cudaMemcpy3DBatchOp there{};
  there.src = memory(box, 8, 3);
  there.dst = in_array;
  there.extent = make_cudaExtent(3, 2, 2);
  there.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  cudaMemcpy3DBatchOp here = there;
  here.src = in_array;
  here.dst = memory(back, 0, 0);
  CHECK(cudaMemcpy3DBatchAsync(1, &there, 0, stream));
  CHECK(cudaMemcpy3DBatchAsync(1, &here, 0, stream));
  CHECK(cudaStreamSynchronize(stream));
  const float expected[12] = {0, 1, 2, 8, 9, 10, 24, 25, 26, 32, 33, 34};
  for (int i = 0; i < 12; ++i) EXPECT(back[i] == expected[i]);
  cudaMemcpy3DBatchOp bytes[2] = {there, there};
  bytes[0].dst = memory(back, 16, 2);
  bytes[0].src = memory(box, 16, 2);
  bytes[0].extent = make_cudaExtent(8, 2, 2);
  CHECK(cudaMemcpy3DBatchAsync(2, bytes, 0, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(back[1] == 1 && back[2] == 2 && back[4] == 4 && back[5] == 5);
  const auto refused = [&](auto&& change, cudaStream_t in = nullptr) {
    cudaMemcpy3DBatchOp wrong = there;
    change(wrong);
    EXPECT(cudaMemcpy3DBatchAsync(1, &wrong, 0, in) == cudaErrorInvalidValue);
    cudaGetLastError();
  };
  refused([&](auto& op) { op.src = memory(box, 2, 3); }, stream);
  refused([&](auto& op) { op.src = memory(box, 8, 1); }, stream);
  refused([](auto& op) { op.extent.width = 0; }, stream);
  refused([](auto& op) { op.extent.width = 4; }, stream);
  refused([](auto& op) { op.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid; }, stream);
  refused([](auto&) {});
  EXPECT(cudaMemcpy3DBatchAsync(1, &there, 1, stream) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy3DBatchAsync(0, &there, 0, stream) == cudaErrorInvalidValue);
  cudaGetLastError();
}

void batches(cudaStream_t stream) {
  constexpr std::size_t kCount = 3;
  std::vector<int> host[kCount];
  void* to[kCount];
  const void* from[kCount];
  std::size_t sizes[kCount];
  for (std::size_t i = 0; i < kCount; ++i) {
    host[i].assign(100 * (i + 1), static_cast<int>(7 + i));
    from[i] = host[i].data();
    sizes[i] = host[i].size() * sizeof(int);
    CHECK(cudaMallocManaged(&to[i], sizes[i]));
  }
  cudaMemcpyAttributes attributes[2]{};
  attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  std::size_t first[2] = {0, 2};
  CHECK(cudaMemcpyBatchAsync(to, from, sizes, kCount, attributes, first, 2, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (std::size_t i = 0; i < kCount; ++i) EXPECT(std::memcmp(to[i], from[i], sizes[i]) == 0);
  EXPECT(cudaMemcpyBatchAsync(to, from, sizes, kCount, attributes, first, 2, nullptr) == cudaErrorInvalidValue);
  first[1] = kCount;
  EXPECT(cudaMemcpyBatchAsync(to, from, sizes, kCount, attributes, first, 2, stream) == cudaErrorInvalidValue);
  first[1] = 1;
  cudaMemLocation places[2] = {{cudaMemLocationTypeHost, 0}, {cudaMemLocationTypeDevice, 0}};
  CHECK(cudaMemPrefetchBatchAsync(to, sizes, kCount, places, first, 2, 0, stream));
  int where = -7;
  CHECK(cudaMemRangeGetAttribute(&where, sizeof where, cudaMemRangeAttributeLastPrefetchLocation, to[0], 4));
  EXPECT(where == cudaCpuDeviceId);
  CHECK(cudaMemRangeGetAttribute(&where, sizeof where, cudaMemRangeAttributeLastPrefetchLocation, to[2], 4));
  EXPECT(where == 0);
  CHECK(cudaMemDiscardBatchAsync(to, sizes, kCount, 0, stream));
  CHECK(cudaMemDiscardAndPrefetchBatchAsync(to, sizes, kCount, places, first, 2, 0, stream));
  cudaGetLastError();
}

int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  pools(stream);
  pools_of_the_host(stream);
  batches(stream);
  batch_of_boxes(stream);
  std::printf("pooled and batched\n");
}
