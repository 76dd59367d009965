// The GPUs of this machine, found at run time without linking libcuda: a program built without the toolkit,
// or run without a driver, starts all the same and says why there is no GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace warplens::gpu {

struct DeviceInfo {
  int ordinal = 0;
  std::string name;  // "NVIDIA H200"
  int cc_major = 0, cc_minor = 0;
  int sms = 0;
  std::uint64_t memory_bytes = 0, l2_bytes = 0;
  int clock_khz = 0, memory_clock_khz = 0;

  std::string target() const { return "sm_" + std::to_string(cc_major) + std::to_string(cc_minor); }
};

struct Discovery {
  std::vector<DeviceInfo> devices;
  std::string driver_version;  // "580.159.04 (CUDA 13.0)", empty without a driver
  Error reason = {};           // why there is no device, and what would give one; empty when there is one
};

// Cheap after the first call. Never throws, never fails: what is wrong is in `reason`.
const Discovery& discover();

}  // namespace warplens::gpu
