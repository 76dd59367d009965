// Many copies, prefetches or discards by one call. They are done one after the other, which is one of the
// orders that a batch leaves open.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/runtime/array.h"
#include "engine/runtime/launcher.h"
#include "engine/runtime/stream.h"

using namespace warplens;
using namespace warplens::runtime;

namespace {

// Entry k is for those from first[k] on, up to the one that entry k + 1 begins with.
bool covers(const std::size_t* first, std::size_t entries, std::size_t count) {
  if (first == nullptr || entries == 0 || entries > count || first[0] != 0) return false;
  for (std::size_t k = 1; k < entries; ++k)
    if (first[k] <= first[k - 1]) return false;
  return first[entries - 1] < count;
}

// What every batch asks of its arguments; `each` does number i and answers with what is wrong with it.
template <typename Each>
cudaError_t batch(cudaStream_t stream, std::size_t count, bool fits, Each&& each) {
  return call([&](Context&) -> cudaError_t {
    if (!fits || count == 0 || is_legacy(stream)) return cudaErrorInvalidValue;
    if (stream_of(stream) == nullptr) return cudaErrorInvalidResourceHandle;
    for (std::size_t i = 0; i < count; ++i)
      if (const cudaError_t error = each(i); error != cudaSuccess) return error;
    return cudaSuccess;
  });
}

// Of entry k for number i, for i that grows.
class Entry {
 public:
  Entry(const std::size_t* first, std::size_t entries) : first_(first), entries_(entries) {}
  std::size_t of(std::size_t i) {
    while (at_ + 1 < entries_ && first_[at_ + 1] <= i) ++at_;
    return at_;
  }

 private:
  const std::size_t* first_;
  std::size_t entries_, at_ = 0;
};

cudaError_t prefetch(void** pointers, std::size_t* sizes, std::size_t count, cudaMemLocation* places,
                     std::size_t* first, std::size_t entries, unsigned long long flags, cudaStream_t stream) {
  Entry entry(first, entries);
  const bool fits = pointers != nullptr && sizes != nullptr && places != nullptr && flags == 0 &&
                    covers(first, entries, count);
  return batch(stream, count, fits, [&](std::size_t i) {
    return cudaMemPrefetchAsync(pointers[i], sizes[i], places[entry.of(i)], 0, stream);
  });
}

// One copy of a batch. Lengths are in elements: of the array, or of bytes where there is none; a row or a
// layer of memory that has no length is as long as what is copied.
struct BatchCopy {
  cudaMemcpy3DParms copy{};
  bool fits = false;
};

std::size_t element_bytes(const cudaMemcpy3DOperand& operand) {
  return operand.type == cudaMemcpyOperandTypeArray && operand.op.array.array != nullptr
             ? operand.op.array.array->texel_bytes()
             : 0;
}

bool place(const cudaMemcpy3DOperand& operand, const cudaExtent& extent, std::size_t bytes,
           cudaArray_t& array, cudaPos& at, cudaPitchedPtr& memory) {
  if (operand.type == cudaMemcpyOperandTypeArray) {
    array = operand.op.array.array;
    at = {operand.op.array.offset.x, operand.op.array.offset.y, operand.op.array.offset.z};
    return array != nullptr;
  }
  const auto& [pointer, row, layer, hint] = operand.op.ptr;
  if (operand.type != cudaMemcpyOperandTypePointer || pointer == nullptr) return false;
  if ((row != 0 && row < extent.width) || (layer != 0 && layer < extent.height)) return false;
  const std::size_t width = row == 0 ? extent.width : row, height = layer == 0 ? extent.height : layer;
  memory = {pointer, width * bytes, width, height};
  return true;
}

BatchCopy batch_copy(const cudaMemcpy3DBatchOp& op) {
  BatchCopy out;
  const std::size_t from = element_bytes(op.src), to = element_bytes(op.dst);
  const std::size_t bytes = from != 0 ? from : to != 0 ? to : 1;
  cudaMemcpy3DParms& copy = out.copy;
  copy.extent = op.extent;
  copy.kind = cudaMemcpyDefault;
  out.fits = op.extent.width != 0 && op.extent.height != 0 && op.extent.depth != 0 &&
             (from == 0 || to == 0 || from == to) && op.srcAccessOrder >= cudaMemcpySrcAccessOrderStream &&
             op.srcAccessOrder <= cudaMemcpySrcAccessOrderAny &&
             place(op.src, op.extent, bytes, copy.srcArray, copy.srcPos, copy.srcPtr) &&
             place(op.dst, op.extent, bytes, copy.dstArray, copy.dstPos, copy.dstPtr);
  return out;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMemcpy3DBatchAsync(std::size_t count, cudaMemcpy3DBatchOp* operations,
                                   unsigned long long flags, cudaStream_t stream) {
  std::vector<BatchCopy> copies;
  if (operations != nullptr)
    for (std::size_t i = 0; i < count; ++i) copies.push_back(batch_copy(operations[i]));
  const bool fits = operations != nullptr && flags == 0 && std::ranges::all_of(copies, &BatchCopy::fits);
  return batch(stream, count, fits,
               [&](std::size_t i) { return cudaMemcpy3DAsync(&copies[i].copy, stream); });
}

cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* sizes,
                                 std::size_t count, cudaMemcpyAttributes* attributes, std::size_t* first,
                                 std::size_t entries, cudaStream_t stream) {
  bool fits = to != nullptr && from != nullptr && sizes != nullptr && attributes != nullptr &&
              covers(first, entries, count);
  for (std::size_t k = 0; fits && k < entries; ++k)
    fits = attributes[k].srcAccessOrder >= cudaMemcpySrcAccessOrderStream &&
           attributes[k].srcAccessOrder <= cudaMemcpySrcAccessOrderAny;
  return batch(stream, count, fits, [&](std::size_t i) {
    return cudaMemcpyAsync(to[i], from[i], sizes[i], cudaMemcpyDefault, stream);
  });
}

cudaError_t cudaMemPrefetchBatchAsync(void** pointers, std::size_t* sizes, std::size_t count,
                                      cudaMemLocation* places, std::size_t* first, std::size_t entries,
                                      unsigned long long flags, cudaStream_t stream) {
  return prefetch(pointers, sizes, count, places, first, entries, flags, stream);
}

// What is discarded may be read as anything: as what was there, too.
cudaError_t cudaMemDiscardBatchAsync(void** pointers, std::size_t* sizes, std::size_t count,
                                     unsigned long long flags, cudaStream_t stream) {
  const bool fits = pointers != nullptr && sizes != nullptr && flags == 0;
  return batch(stream, count, fits, [&](std::size_t i) -> cudaError_t {
    const Allocation* const found = context().arena.find(pointers[i]);
    const auto at = reinterpret_cast<std::uint64_t>(pointers[i]);
    return found == nullptr || sizes[i] > found->end() - at ? cudaErrorInvalidValue : cudaSuccess;
  });
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** pointers, std::size_t* sizes, std::size_t count,
                                                cudaMemLocation* places, std::size_t* first,
                                                std::size_t entries, unsigned long long flags,
                                                cudaStream_t stream) {
  return prefetch(pointers, sizes, count, places, first, entries, flags, stream);
}

}  // extern "C"
#pragma GCC visibility pop
