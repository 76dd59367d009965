// Device memory that frees itself.
#pragma once

#include "engine/gpu/driver.h"

namespace warplens::gpu {

class DeviceBuffer {
 public:
  static Result<DeviceBuffer> make(const Driver& driver, std::size_t bytes);
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  ~DeviceBuffer();
  DevicePointer pointer() const { return pointer_; }
  std::size_t bytes() const { return bytes_; }

 private:
  DeviceBuffer(const Driver& driver, DevicePointer pointer, std::size_t bytes)
      : driver_(&driver), pointer_(pointer), bytes_(bytes) {}
  const Driver* driver_;
  DevicePointer pointer_;
  std::size_t bytes_;
};

}  // namespace warplens::gpu
