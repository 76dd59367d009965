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
  batches(stream);
  std::printf("pooled and batched\n");
}
