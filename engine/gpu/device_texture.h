// Inside the worker: a texture or surface argument as a real object of the driver, over a CUDA array or, for
// plain 1-D textures, over linear memory.
#pragma once

#include <optional>
#include <vector>

#include "engine/gpu/device_buffer.h"
#include "engine/trace/launch.h"

namespace warplens::gpu {

class DeviceTexture {
 public:
  static Result<DeviceTexture> make(const Driver& driver, const trace::Argument& argument);
  DeviceTexture(DeviceTexture&& other) noexcept;
  DeviceTexture& operator=(DeviceTexture&& other) noexcept;
  ~DeviceTexture();

  ObjectHandle handle() const { return handle_; }
  Status reset();  // a surface gets its first texels back
  Result<std::vector<std::uint8_t>> read() const;

 private:
  DeviceTexture(const Driver& driver, const trace::Argument& argument)
      : driver_(&driver), format_(*argument.texture), type_(argument.type) {}
  Status make_array();
  Status make_object();
  Status copy(void* host, bool to_device) const;

  const Driver* driver_;
  trace::Texture format_;
  trace::ElementType type_;
  std::vector<std::uint8_t> texels_;  // before the launch
  ArrayHandle array_ = nullptr;
  std::optional<DeviceBuffer> linear_;  // instead of an array
  ObjectHandle handle_ = 0;
};

}  // namespace warplens::gpu
