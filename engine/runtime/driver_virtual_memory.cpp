// Virtual memory management of the driver API: addresses that are reserved, memory that is mapped there, also
// at several places at once. Memory is a file of its own in RAM.
#include <sys/mman.h>
#include <unistd.h>

#include <map>

#include "engine/base/align.h"
#include "engine/runtime/driver.h"

using namespace warplens;
using namespace warplens::runtime;

namespace {

constexpr std::size_t kGranularity = std::size_t{2} << 20;

struct Memory {
  int file = -1;
  std::size_t bytes = 0;
  CUmemAllocationProp properties{};
  int held = 1;  // by the program and by mappings
};
struct Mapping {
  std::size_t bytes = 0;
  CUmemGenericAllocationHandle memory = 0;
  bool open = false;  // may kernels and copies touch it
};

struct All {
  std::map<CUmemGenericAllocationHandle, Memory> memories;
  std::map<CUdeviceptr, Mapping> mappings;
  std::map<CUdeviceptr, std::size_t> reserved;
  CUmemGenericAllocationHandle next = 1;
};
All& all_of_it() {
  static All* const all = new All;
  return *all;
}

void let_go(CUmemGenericAllocationHandle handle) {
  auto& memories = all_of_it().memories;
  const auto found = memories.find(handle);
  if (found == memories.end() || --found->second.held > 0) return;
  ::close(found->second.file);
  memories.erase(found);
}

// What may be touched of a reservation, neighbours as one allocation: copies and kernels cross from one
// mapping to the next.
void show(Context& all, CUdeviceptr begin, std::size_t bytes) {
  const CUdeviceptr end = begin + bytes;
  std::vector<std::uint64_t> gone;
  for (const auto& [at, allocation] : all.arena.all())
    if (at >= begin && at < end) gone.push_back(at);
  for (const std::uint64_t at : gone) all.arena.release(at);
  CUdeviceptr first = 0, last = 0;
  const auto put = [&] {
    if (last > first) all.arena.put(first, last - first, Kind::Device);
  };
  const auto& mappings = all_of_it().mappings;
  for (auto one = mappings.lower_bound(begin); one != mappings.end() && one->first < end; ++one) {
    if (!one->second.open) continue;
    if (one->first != last) {
      put();
      first = one->first;
    }
    last = one->first + one->second.bytes;
  }
  put();
}

// The reservation that holds these addresses; end: none does.
std::map<CUdeviceptr, std::size_t>::iterator around(CUdeviceptr at, std::size_t bytes) {
  auto& reserved = all_of_it().reserved;
  auto after = reserved.upper_bound(at);
  if (after == reserved.begin()) return reserved.end();
  --after;
  return at - after->first <= after->second && bytes <= after->second - (at - after->first) ? after
                                                                                            : reserved.end();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
  return *bytes = kGranularity, CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long) {
  return driver([&](Context& all) -> cudaError_t {
    if (handle == nullptr || properties == nullptr || bytes == 0 || bytes % kGranularity != 0)
      return cudaErrorInvalidValue;
    if (properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE)
      return all.not_supported("cuMemCreate for other processes");
    if (bytes > all.arena.total() - all.arena.used()) return cudaErrorMemoryAllocation;
    Memory made{::memfd_create("warplens", MFD_CLOEXEC), bytes, *properties, 1};
    if (made.file < 0 || ::ftruncate(made.file, static_cast<off_t>(bytes)) != 0)
      return cudaErrorMemoryAllocation;
    *handle = all_of_it().next++;
    all_of_it().memories[*handle] = made;
    return cudaSuccess;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return driver([&](Context&) {
    if (!all_of_it().memories.contains(handle)) return cudaErrorInvalidValue;
    return let_go(handle), cudaSuccess;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment, CUdeviceptr,
                             unsigned long long) {
  return driver([&](Context& all) {
    if (address == nullptr || bytes == 0 || bytes % kGranularity != 0) return cudaErrorInvalidValue;
    *address = all.arena.reserve(bytes, std::max(alignment, kGranularity));
    if (*address == 0) return cudaErrorMemoryAllocation;
    all_of_it().reserved[*address] = bytes;
    return cudaSuccess;
  });
}

CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  return driver([&](Context& all) {
    auto& reserved = all_of_it().reserved;
    const auto found = reserved.find(address);
    if (found == reserved.end() || found->second != bytes) return cudaErrorInvalidValue;
    const auto mapped = all_of_it().mappings.lower_bound(address);
    if (mapped != all_of_it().mappings.end() && mapped->first < address + bytes) return cudaErrorInvalidValue;
    reserved.erase(found);
    all.arena.give_up(address);
    return cudaSuccess;
  });
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long) {
  return driver([&](Context&) {
    const auto memory = all_of_it().memories.find(handle);
    if (memory == all_of_it().memories.end() || bytes == 0 || bytes % kGranularity != 0 ||
        address % kGranularity != 0 || offset > memory->second.bytes || bytes > memory->second.bytes - offset)
      return cudaErrorInvalidValue;
    if (around(address, bytes) == all_of_it().reserved.end()) return cudaErrorInvalidValue;
    auto& mappings = all_of_it().mappings;
    const auto after = mappings.lower_bound(address + bytes);
    if (after != mappings.begin() && std::prev(after)->first + std::prev(after)->second.bytes > address)
      return cudaErrorInvalidValue;
    if (::mmap(pointer(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory->second.file,
               static_cast<off_t>(offset)) == MAP_FAILED)
      return cudaErrorMemoryAllocation;
    ++memory->second.held;
    mappings[address] = {bytes, handle, false};
    return cudaSuccess;
  });
}

CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  return driver([&](Context& all) {
    const auto place = around(address, bytes);
    if (place == all_of_it().reserved.end()) return cudaErrorInvalidValue;
    auto& mappings = all_of_it().mappings;
    for (auto one = mappings.lower_bound(address); one != mappings.end() && one->first < address + bytes;) {
      ::mmap(pointer(one->first), one->second.bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
      let_go(one->second.memory);
      one = mappings.erase(one);
    }
    show(all, place->first, place->second);
    return cudaSuccess;
  });
}

CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* what,
                        std::size_t count) {
  return driver([&](Context& all) {
    const auto place = around(address, bytes);
    if (place == all_of_it().reserved.end() || what == nullptr) return cudaErrorInvalidValue;
    bool open = false;
    for (std::size_t i = 0; i < count; ++i)
      open = open || what[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ||
             what[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ;
    auto& mappings = all_of_it().mappings;
    for (auto one = mappings.lower_bound(address); one != mappings.end() && one->first < address + bytes;
         ++one)
      one->second.open = open;
    show(all, place->first, place->second);
    return cudaSuccess;
  });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation*, CUdeviceptr address) {
  return driver([&](Context& all) {
    *flags = all.arena.find(pointer(address)) == nullptr ? CU_MEM_ACCESS_FLAGS_PROT_NONE
                                                         : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return cudaSuccess;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                CUmemGenericAllocationHandle handle) {
  return driver([&](Context&) {
    const auto found = all_of_it().memories.find(handle);
    if (found == all_of_it().memories.end()) return cudaErrorInvalidValue;
    return *properties = found->second.properties, cudaSuccess;
  });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  return driver([&](Context&) {
    const auto at = reinterpret_cast<CUdeviceptr>(address);
    auto& mappings = all_of_it().mappings;
    auto after = mappings.upper_bound(at);
    if (after == mappings.begin() || at >= (--after)->first + after->second.bytes)
      return cudaErrorInvalidValue;
    *handle = after->second.memory;
    ++all_of_it().memories[*handle].held;
    return cudaSuccess;
  });
}

}  // extern "C"
#pragma GCC visibility pop
