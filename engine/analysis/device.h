// Facts about named GPUs, read from assets/devices/*.toml: what an analysis may need to model one.
//
//   auto catalogue = DeviceCatalogue::load();
//   auto device = catalogue->device("H200");                  // "H200 SXM"
//   auto limits = catalogue->capability((*device)->cc);       // also "sm_90", "90"
//
// The pointers stay valid as long as the catalogue is neither changed nor destroyed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace warplens::analysis {

// Limits of a compute capability (occupancy). Bytes unless said.
struct ComputeCapability {
  std::string name;  // "9.0"
  int threads_per_sm = 2048, warps_per_sm = 64, blocks_per_sm = 32, threads_per_block = 1024;
  int registers_per_sm = 65536, registers_per_block = 65536, registers_per_thread = 255;
  int register_unit_per_warp = 256, subpartitions = 4;
  int shared_per_sm = 0, shared_per_block = 49152, shared_per_block_optin = 0;
  int shared_unit = 128, shared_reserved = 1024;
  int barrier_factor = 0;      // 0: barriers never limit
  std::vector<int> carveouts;  // bytes, ascending
};

struct Device {
  std::string name;  // "H200 SXM"
  std::string cc;    // "9.0"
  int sms = 0;
  double boost_mhz = 0, fp32_tflops = 0, dram_gbps = 0, l2_mb = 0, unified_l1_kb = 0;
  double l2_gbps = 0;                                          // measured read bandwidth; 0 unknown
  double fp16_tflops = 0, fp64_tflops = 0, tensor_tflops = 0;  // tensor: dense, f16 in, f32 out; 0 unknown
  double host_gbps = 0;                                        // one direction of the link; 0 unknown
  double l1_bytes_per_clock = 128;                             // of an SM
  double shared_latency = 0, l1_latency = 0, l2_latency = 0, dram_latency = 0;  // SM cycles, about

  std::string target() const;  // what code for it is compiled for: "sm_90"
};

// What a driver says of a GPU; 0 where it does not.
struct Hardware {
  std::string name;  // "NVIDIA A100-SXM4-80GB"
  int sms = 0;
  std::uint64_t memory_bytes = 0;
};

class DeviceCatalogue {
 public:
  static Result<DeviceCatalogue> load();  // assets/devices
  static Result<DeviceCatalogue> load(const std::filesystem::path& folder);
  const std::vector<Device>& devices() const { return devices_; }
  const std::vector<ComputeCapability>& capabilities() const { return capabilities_; }
  // Exact, or the only one whose name contains the text; the error lists what there is.
  Result<const Device*> device(std::string_view name) const;
  Result<const ComputeCapability*> capability(std::string_view cc) const;  // "9.0", "sm_90", "90"
  // The device that this GPU is; null when none is it. A variant of another size (Laptop, Ti, PCIe) is none.
  const Device* of_hardware(const Hardware& hardware) const;

 private:
  std::vector<Device> devices_;
  std::vector<ComputeCapability> capabilities_;
};

}  // namespace warplens::analysis
