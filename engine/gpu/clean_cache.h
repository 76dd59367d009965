// Empties L2 and leaves nothing dirty in it. Filling a large buffer, as clocks do before a cold run, leaves
// L2 full of lines that still have to be written: the next kernel pays for that, and its DRAM counters count
// it. Here a kernel of ours reads a buffer of several times L2's size that nobody writes, so that what was
// dirty has gone and what is there can be dropped.
//
//   auto cache = CleanCache::make(driver, l2_bytes);
//   cache->empty();        // and waits for it
#pragma once

#include "engine/gpu/device_buffer.h"

namespace warplens::gpu {

class CleanCache {
 public:
  static Result<CleanCache> make(const Driver& driver, std::size_t l2_bytes);
  CleanCache(CleanCache&& other) noexcept;
  CleanCache& operator=(CleanCache&&) = delete;
  ~CleanCache();
  Status empty() const;

 private:
  CleanCache(const Driver& driver, DeviceBuffer buffer, ModuleHandle module, FunctionHandle reader)
      : driver_(&driver), buffer_(std::move(buffer)), module_(module), reader_(reader) {}
  const Driver* driver_;
  DeviceBuffer buffer_;
  ModuleHandle module_;
  FunctionHandle reader_;
};

}  // namespace warplens::gpu
