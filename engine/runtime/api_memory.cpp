// Memory: given out, taken back, asked about. All of it is memory of this process; kinds differ in what the
// program is told.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "engine/base/align.h"
#include "engine/runtime/calling_line.h"
#include "engine/runtime/devices.h"
#include "engine/runtime/misuse.h"
#include "engine/runtime/stream.h"

using namespace warplens;
using namespace warplens::runtime;

struct CUmemPoolHandle_st {
  int number = 1;
  std::uint64_t release_threshold = 0, most_used = 0;
  int reuse[3] = {1, 1, 1};
};

namespace {

constexpr std::size_t kPitch = 512;  // rows of cudaMallocPitch begin at multiples of this

cudaError_t allocate(Context& all, void** pointer, std::size_t bytes, Kind kind, unsigned flags = 0,
                     int pool = 0) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (pool == 0) all.host_waited_for_all();  // as it may have
  const std::uint64_t at = all.arena.allocate(bytes, kind);
  if (at == 0) return cudaErrorMemoryAllocation;
  Allocation* const made = all.arena.find(at);
  made->flags = flags;
  made->pool = pool;
  *pointer = reinterpret_cast<void*>(at);
  return cudaSuccess;
}

// `in`: the stream in which it is given back; nullptr: the call waits for the device.
cudaError_t release(Context& all, const char* name, void* pointer, bool host,
                    const CUstream_st* in = nullptr) {
  if (in == nullptr) all.host_waited_for_all();
  if (pointer == nullptr) return cudaSuccess;
  const Allocation* const found = all.arena.find(pointer);
  if (found == nullptr || found->address != reinterpret_cast<std::uint64_t>(pointer))
    return refuse_free(all, name, pointer);
  const bool fits =
      host ? found->kind == Kind::Pinned : found->kind == Kind::Device || found->kind == Kind::Managed;
  if (!fits) return refuse_free(all, name, pointer);
  if (in != nullptr && all.follows_order()) {  // whoever still uses it may find what is another's
    StreamOrder::Operation operation;
    operation.kind = "free";
    operation.what = {"run.order.free", {{"number", value_of(found->number)}}};
    operation.touched.signals = {{found->address, found->end()}};
    operation.place = calling_place();
    const ByteRanges none;
    all.order->end(all.order->begin(in->id, &none), std::move(operation));
  }
  all.arena.release(found->address);
  return cudaSuccess;
}

CUmemPoolHandle_st* default_pool() {
  static CUmemPoolHandle_st pool;
  return &pool;
}

// Where cudaMallocAsync takes it from, by device.
CUmemPoolHandle_st*& current_pool(int device) {
  static std::map<int, CUmemPoolHandle_st*> chosen;
  return chosen.try_emplace(device, default_pool()).first->second;
}

// The pool of a location: of devices alone. Memory of the host has none here.
template <typename Action>
cudaError_t at_location(const char* call_name, const cudaMemLocation* location, cudaMemAllocationType type,
                        Action&& action) {
  return call([&](Context& all) -> cudaError_t {
    if (location == nullptr) return cudaErrorInvalidValue;
    if (location->type != cudaMemLocationTypeDevice || type != cudaMemAllocationTypePinned)
      return all.not_supported(std::string(call_name) + " of memory that is not a device's own");
    if (!is_device(all, location->id)) return cudaErrorInvalidDevice;
    return action(location->id);
  });
}

std::uint64_t used_of(Context& all, const CUmemPoolHandle_st& pool) {
  std::uint64_t used = 0;
  for (const auto& [address, allocation] : all.arena.all())
    if (allocation.pool == pool.number) used += allocation.bytes;
  return used;
}

cudaMemoryType type_of(Kind kind) {
  return kind == Kind::Managed                              ? cudaMemoryTypeManaged
         : kind == Kind::Pinned || kind == Kind::Registered ? cudaMemoryTypeHost
                                                            : cudaMemoryTypeDevice;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return call_outside_of_captures([&](Context& all) { return allocate(all, pointer, bytes, Kind::Device); });
}

cudaError_t cudaFree(void* pointer) {
  return call_outside_of_captures([&](Context& all) { return release(all, "cudaFree", pointer, false); });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return call_outside_of_captures([&](Context& all) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return allocate(all, pointer, bytes, Kind::Managed, flags);
  });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return call_outside_of_captures(
      [&](Context& all) { return allocate(all, pointer, bytes, Kind::Pinned, flags); });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* pointer) {
  return call_outside_of_captures([&](Context& all) { return release(all, "cudaFreeHost", pointer, true); });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return call([&](Context& all) {
    if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
    return all.arena.enter(reinterpret_cast<std::uint64_t>(pointer), bytes, flags)
               ? cudaSuccess
               : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return call([&](Context& all) {
    const Allocation* const found = all.arena.find(pointer);
    if (found == nullptr || found->kind != Kind::Registered) return cudaErrorHostMemoryNotRegistered;
    all.arena.release(found->address);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return call([&](Context& all) {
    const Allocation* const found = all.arena.find(host);
    if (device == nullptr || found == nullptr) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return call([&](Context& all) {
    const Allocation* const found = all.arena.find(host);
    if (flags == nullptr || found == nullptr || type_of(found->kind) != cudaMemoryTypeHost)
      return cudaErrorInvalidValue;
    *flags = found->flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return call_outside_of_captures([&](Context& all) {
    if (pitch == nullptr) return cudaErrorInvalidValue;
    *pitch = align_up(width, kPitch);
    return allocate(all, pointer, *pitch * height, Kind::Device);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  return call_outside_of_captures([&](Context& all) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    void* at = nullptr;
    const std::size_t pitch = align_up(extent.width, kPitch);
    const cudaError_t error = allocate(all, &at, pitch * extent.height * extent.depth, Kind::Device);
    *pointer = {at, pitch, extent.width, extent.height};
    return error;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call([&](Context& all) {
    if (free != nullptr) *free = all.arena.total() - all.arena.used();
    if (total != nullptr) *total = all.arena.total();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call([&](Context& all) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    *attributes = {};
    const Allocation* const found = all.arena.find(pointer);
    void* const same = const_cast<void*>(pointer);
    if (found == nullptr) {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = cudaInvalidDeviceId;
      attributes->hostPointer = same;
      return cudaSuccess;
    }
    attributes->type = type_of(found->kind);
    attributes->device = found->device;
    attributes->devicePointer = same;
    attributes->hostPointer = attributes->type == cudaMemoryTypeDevice ? nullptr : same;
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return call([&](Context& all) {
    const Variable* const variable = all.modules.variable(symbol);
    if (variable == nullptr) return refuse_symbol(all, symbol);
    if (pointer == nullptr) return cudaErrorInvalidSymbol;
    if (const Status status = variable->module->load(); !status) {
      all.note(status.error().text());
      return runtime::error_of(status.error());
    }
    const std::uint64_t at = variable->module->address_of(variable->name);
    *pointer = reinterpret_cast<void*>(at);
    return at == 0 ? cudaErrorInvalidSymbol : cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return call([&](Context& all) {
    const Variable* const variable = all.modules.variable(symbol);
    if (variable == nullptr) return refuse_symbol(all, symbol);
    if (bytes == nullptr) return cudaErrorInvalidSymbol;
    *bytes = variable->bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, bytes, current_pool(current_device()), stream);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return call([&](Context& all) {
    CUstream_st* const in = stream_of(stream);
    if (in == nullptr || pool == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t refused = refused_in_legacy_stream(stream); refused != cudaSuccess) return refused;
    if (in->capture) return capture_allocation(all, *in, pointer, bytes);
    const cudaError_t error = allocate(all, pointer, bytes, Kind::Device, 0, pool->number);
    pool->most_used = std::max(pool->most_used, used_of(all, *pool));
    return error;
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return call([&](Context& all) {
    CUstream_st* const in = stream_of(stream);
    if (in == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t refused = refused_in_legacy_stream(stream); refused != cudaSuccess) return refused;
    if (in->capture) return capture_free(all, *in, pointer);
    return release(all, "cudaFreeAsync", pointer, false, in);
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  return call([&](Context&) {
    *pool = default_pool();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return call([&](Context& all) {
    if (!is_device(all, device)) return cudaErrorInvalidDevice;
    *pool = current_pool(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return call([&](Context& all) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (!is_device(all, device)) return cudaErrorInvalidDevice;
    current_pool(device) = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                                     cudaMemAllocationType type) {
  return at_location("cudaMemGetDefaultMemPool", location, type,
                     [&](int device) { return cudaDeviceGetDefaultMemPool(pool, device); });
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
  return at_location("cudaMemGetMemPool", location, type,
                     [&](int device) { return cudaDeviceGetMemPool(pool, device); });
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t pool) {
  return at_location("cudaMemSetMemPool", location, type,
                     [&](int device) { return cudaDeviceSetMemPool(device, pool); });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return call([&](Context& all) {
    if (pool == nullptr || properties == nullptr || properties->allocType != cudaMemAllocationTypePinned)
      return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone)
      return all.not_supported("cudaMemPoolCreate for other processes");
    static int number = 1;
    *pool = new CUmemPoolHandle_st{++number, 0, 0, {1, 1, 1}};
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return call([&](Context& all) {
    if (pool == default_pool()) return cudaErrorInvalidValue;
    for (int device = 0; device < all.settings.devices; ++device)
      if (current_pool(device) == pool) current_pool(device) = default_pool();
    delete pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) {
  return call([&](Context&) { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, std::size_t) {
  return call([&](Context&) { return cudaSuccess; });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t, cudaMemLocation*) {
  return call([&](Context&) {
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call([&](Context& all) {
    if (attribute == cudaMemPoolAttrReleaseThreshold)
      pool->release_threshold = *static_cast<std::uint64_t*>(value);
    else if (attribute <= cudaMemPoolReuseAllowInternalDependencies)
      pool->reuse[static_cast<int>(attribute) - 1] = *static_cast<int*>(value);
    else if (attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh)
      pool->most_used = used_of(all, *pool);
    else
      return all.not_supported(fmt::format("memory pool attribute {}", static_cast<int>(attribute)));
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call([&](Context& all) {
    const bool most = attribute == cudaMemPoolAttrUsedMemHigh || attribute == cudaMemPoolAttrReservedMemHigh;
    if (attribute == cudaMemPoolAttrReleaseThreshold)
      *static_cast<std::uint64_t*>(value) = pool->release_threshold;
    else if (attribute <= cudaMemPoolReuseAllowInternalDependencies)
      *static_cast<int*>(value) = pool->reuse[static_cast<int>(attribute) - 1];
    else
      *static_cast<std::uint64_t*>(value) = most ? pool->most_used : used_of(all, *pool);
    return cudaSuccess;
  });
}

}  // extern "C"
#pragma GCC visibility pop
