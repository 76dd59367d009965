// What kernels ask of the device and of other kernels. It is asked while a launch runs, so that nobody else
// changes what is read here.
#include <cstring>

#include "engine/runtime/devices.h"
#include "engine/runtime/launcher.h"

namespace warplens::runtime {
namespace {

template <typename T>
int put(const T& value, std::vector<std::uint8_t>& out) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&value);
  out.assign(bytes, bytes + sizeof value);
  return cudaSuccess;
}

int occupancy(Context& all, Function& function, const simt::DeviceQuestion& question,
              std::vector<std::uint8_t>& out) {
  if (question.block <= 0) return cudaErrorInvalidValue;
  const bool fits = question.block <= 1024;  // an H200 (driver 580) answers 0 blocks, and no error
  return put(fits ? occupancy_of(all, function, question.block, question.shared_bytes).blocks_per_sm : 0,
             out);
}

}  // namespace

int answer(Context& all, Module& module, const simt::DeviceQuestion& question,
           std::vector<std::uint8_t>& out) {
  using What = simt::DeviceQuestion::What;
  switch (question.what) {
    case What::Attribute: {
      if (!is_device(all, question.device)) return cudaErrorInvalidDevice;
      const auto value = device_attribute(all, question.number);
      return value ? put(*value, out) : cudaErrorInvalidValue;
    }
    case What::Limit: {
      const auto value = device_limit(question.number);
      return value ? put(*value, out) : cudaErrorUnsupportedLimit;
    }
    case What::DeviceCount:
      return put(all.settings.devices, out);
    case What::Device:
      return put(current_device(), out);
    default:
      break;
  }
  Function* const function = all.modules.function(&module, question.kernel);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  if (question.what == What::Occupancy) return occupancy(all, *function, question, out);
  cudaFuncAttributes attributes{};
  const cudaError_t error = get_attributes(all, *function, attributes);
  return error != cudaSuccess ? error : put(attributes, out);
}

}  // namespace warplens::runtime
