// What the buffers of a launch start with, kept on the device from one launch to the next: a slider that
// moves leaves most of them as they are, and filling one on the host takes longer than the kernel that is
// timed.
//
//   auto bytes = initial.of(argument);          // copied there now, or since the launch before
//   driver.copy_on_device(buffer.pointer(), (*bytes)->pointer(), argument.bytes());
#pragma once

#include <list>
#include <memory>

#include "engine/gpu/device_buffer.h"
#include "engine/trace/launch.h"

namespace warplens::gpu {

class InitialBuffers {
 public:
  explicit InitialBuffers(const Driver& driver) : driver_(&driver) {}
  // At least the argument's bytes; alive for as long as it is held. What a file holds is read each time.
  Result<std::shared_ptr<const DeviceBuffer>> of(const trace::Argument& argument);

 private:
  struct Kept {
    trace::Argument argument;
    std::shared_ptr<const DeviceBuffer> buffer;
  };
  Result<std::shared_ptr<const DeviceBuffer>> fill(const trace::Argument& argument);
  void make_room(std::size_t bytes);

  const Driver* driver_;
  std::list<Kept> kept_;  // the last used first
};

}  // namespace warplens::gpu
