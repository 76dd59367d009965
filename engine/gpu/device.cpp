#include "engine/gpu/device.h"

#include <fmt/format.h>

#include <fstream>

#include "engine/base/message.h"
#include "engine/gpu/driver.h"

namespace warplens::gpu {
namespace {

// "580.159.04" from the kernel module's own file; empty on systems without it.
std::string module_version() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  file >> version;
  return version;
}

std::string driver_text(const Driver& driver) {
  int version = 0;
  driver.driver_version(&version);
  const std::string cuda = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  const std::string module = module_version();
  return module.empty() ? cuda : fmt::format("{} ({})", module, cuda);
}

bool read_device(const Driver& driver, int ordinal, DeviceInfo& out) {
  DeviceOrdinal device = 0;
  char name[256] = {};
  std::size_t bytes = 0;
  if (driver.device_get(&device, ordinal) != 0 || driver.device_name(name, sizeof name - 1, device) != 0 ||
      driver.device_memory(&bytes, device) != 0)
    return false;
  const auto attribute = [&](int which) {
    int value = 0;
    return driver.device_attribute(&value, which, device) == 0 ? value : 0;
  };
  out.ordinal = ordinal;
  out.name = name;
  out.memory_bytes = bytes;
  out.cc_major = attribute(kDeviceAttributeMajor);
  out.cc_minor = attribute(kDeviceAttributeMinor);
  out.sms = attribute(kDeviceAttributeMultiprocessors);
  out.l2_bytes = static_cast<std::uint64_t>(attribute(kDeviceAttributeL2Bytes));
  out.clock_khz = attribute(kDeviceAttributeClockRate);
  out.memory_clock_khz = attribute(kDeviceAttributeMemoryClockRate);
  return true;
}

Discovery find() {
  Discovery out;
  const auto driver = Driver::load();
  if (!driver) {
    out.reason = driver.error();
    return out;
  }
  out.driver_version = driver_text(**driver);
  int count = 0;
  if (const CudaResult code = (*driver)->device_count(&count); code != 0) {
    out.reason = (*driver)->error(code, "count_gpus");
    return out;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    DeviceInfo info;
    if (read_device(**driver, ordinal, info)) out.devices.push_back(std::move(info));
  }
  if (out.devices.empty()) out.reason = told(ErrorKind::System, {"gpu.none.invisible", {}});
  return out;
}

}  // namespace

const Discovery& discover() {
  static const Discovery found = find();
  return found;
}

}  // namespace warplens::gpu
