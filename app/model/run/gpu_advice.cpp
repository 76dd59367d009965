#include "app/model/run/gpu_advice.h"

namespace warplens::model {

std::optional<Message> gpu_advice(const Error& error, const gpu::Discovery& found) {
  if (error.kind != ErrorKind::Unsupported) return std::nullopt;
  if (found.devices.empty()) return Message{"gpu.only.missing", {{"reason", value_of(found.reason)}}};
  return Message{"gpu.only.there", {{"gpu", value_of(found.devices.front().name)}}};
}

}  // namespace warplens::model
