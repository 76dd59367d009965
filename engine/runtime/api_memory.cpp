// Memory: given out, taken back, asked about. All of it is memory of this process; kinds differ in what the
// program is told.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
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
  Kind kind = Kind::Device;  // Pinned: of the host
  bool reached = true;       // by the device; a pool of the host only once that is asked for
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
  const bool of_pool = found->pool != 0;
  const bool fits = host ? found->kind == Kind::Pinned && !of_pool
                         : of_pool || found->kind == Kind::Device || found->kind == Kind::Managed;
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

// Where a pool lies, if it is no device: the host, or its memory by node.
constexpr int kHost = -1, kHostNode = -2;

CUmemPoolHandle_st* default_pool(int place = 0) {
  static CUmemPoolHandle_st pool, host{2, Kind::Pinned, false}, node{3, Kind::Pinned, false};
  return place == kHost ? &host : place == kHostNode ? &node : &pool;
}

// Where cudaMallocAsync takes it from, by device; those of the host are asked for by their location.
CUmemPoolHandle_st*& current_pool(int place) {
  static std::map<int, CUmemPoolHandle_st*> chosen;
  return chosen.try_emplace(place, default_pool(place)).first->second;
}

// None where there is no pool: the node that is current, as an H100 (driver 580.159.04, CUDA 13.0,
// 2026-11-28) has none either.
std::optional<int> place_of(const cudaMemLocation& location) {
  switch (location.type) {
    case cudaMemLocationTypeDevice:
      return location.id;
    case cudaMemLocationTypeHost:
      return kHost;
    case cudaMemLocationTypeHostNuma:
      return kHostNode;
    default:
      return std::nullopt;
  }
}

template <typename Action>
cudaError_t at_location(const char* call_name, const cudaMemLocation* location, cudaMemAllocationType type,
                        Action&& action) {
  return call([&](Context& all) -> cudaError_t {
    if (location == nullptr) return cudaErrorInvalidValue;
    const std::optional<int> place = place_of(*location);
    if (!place || type != cudaMemAllocationTypePinned)
      return all.not_supported(std::string(call_name) +
                               " of memory that is neither a device's nor the host's");
    if (*place >= 0 && !is_device(all, *place)) return cudaErrorInvalidDevice;
    return action(*place);
  });
}

// The pool of an allocation.
CUmemPoolHandle_st*& pool_of_number(int number) {
  static std::map<int, CUmemPoolHandle_st*> pools;
  return pools[number];
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
    const CUmemPoolHandle_st* const pool = found->pool == 0 ? nullptr : pool_of_number(found->pool);
    attributes->devicePointer = pool == nullptr || pool->reached ? same : nullptr;
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
    const bool of_host = pool->kind == Kind::Pinned;
    if (in->capture && of_host) return all.not_supported("memory of the host from a pool in a graph");
    if (in->capture) return capture_allocation(all, *in, pointer, bytes);
    pool_of_number(pool->number) = pool;
    const cudaError_t error = allocate(all, pointer, bytes, pool->kind, 0, pool->number);
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
  return at_location("cudaMemGetDefaultMemPool", location, type, [&](int place) {
    *pool = default_pool(place);
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
  return at_location("cudaMemGetMemPool", location, type, [&](int place) {
    *pool = current_pool(place);
    return cudaSuccess;
  });
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t pool) {
  return at_location("cudaMemSetMemPool", location, type, [&](int place) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    current_pool(place) = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return call([&](Context& all) {
    if (pool == nullptr || properties == nullptr || properties->allocType != cudaMemAllocationTypePinned)
      return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone)
      return all.not_supported("cudaMemPoolCreate for other processes");
    const std::optional<int> place = place_of(properties->location);
    if (!place) return cudaErrorInvalidValue;
    static int number = 3;
    *pool = new CUmemPoolHandle_st{++number, *place < 0 ? Kind::Pinned : Kind::Device, *place >= 0};
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return call([&](Context& all) {
    for (int place = kHostNode; place < all.settings.devices; ++place) {
      if (default_pool(place) == pool) return cudaErrorInvalidValue;
      if (current_pool(place) == pool) current_pool(place) = default_pool(place);
    }
    pool_of_number(pool->number) = nullptr;
    delete pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) {
  return call([&](Context&) { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* how, std::size_t count) {
  return call([&](Context&) {
    for (std::size_t i = 0; i < count; ++i)
      if (pool->kind == Kind::Pinned && how[i].location.type == cudaMemLocationTypeDevice)
        pool->reached = how[i].flags != cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return call([&](Context&) {
    const bool reached = pool->reached || location->type != cudaMemLocationTypeDevice;
    *flags = reached ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
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
