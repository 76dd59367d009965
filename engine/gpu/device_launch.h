// Inside the worker: device buffers of a launch and the launch itself.
#pragma once

#include <vector>

#include "engine/gpu/device_texture.h"
#include "engine/gpu/driver.h"
#include "engine/gpu/initial_buffers.h"
#include "engine/trace/launch.h"

namespace warplens::gpu {

// A kernel with its arguments in place, ready to be launched any number of times.
class DeviceLaunch {
 public:
  // `cooperative`: the blocks wait for each other (grid.sync()), so all of them must run at the same time.
  static Result<DeviceLaunch> prepare(const Driver& driver, ModuleHandle module, const trace::Launch& launch,
                                      bool cooperative, InitialBuffers& initial);

  Status reset();  // buffers back to their initial bytes
  // Copies on the device of what the buffers hold now, in order.
  Result<std::vector<DeviceBuffer>> copies() const;
  const std::vector<DeviceBuffer>& buffers() const { return buffers_; }
  bool writes_surfaces() const;
  Status enqueue(StreamHandle stream);  // asynchronous
  Status wait();                        // for everything enqueued; a kernel's fault comes out here
  Result<std::vector<std::vector<std::uint8_t>>> read_buffers() const;
  std::size_t buffer_bytes() const;
  std::vector<DevicePointer> addresses() const;  // one an argument, 0 for scalars
  int attribute(int which) const;

 private:
  DeviceLaunch(const Driver& driver, FunctionHandle function, trace::Launch launch)
      : driver_(&driver), function_(function), launch_(std::move(launch)) {}
  const Driver* driver_;
  FunctionHandle function_;
  trace::Launch launch_;
  bool cooperative_ = false;
  std::vector<DeviceBuffer> buffers_;
  std::vector<std::shared_ptr<const DeviceBuffer>> pristine_;  // initial bytes, for quick resets
  std::vector<DeviceTexture> textures_;
  std::vector<std::uint64_t> values_;  // one a parameter: pointer, handle or scalar bits
};

}  // namespace warplens::gpu
