#include "app/model/recording/measured_on.h"

#include "engine/analysis/device.h"

namespace warplens::model {

MeasuredOn measured_on(const gpu::DeviceInfo& device) {
  static const Result<analysis::DeviceCatalogue> catalogue = analysis::DeviceCatalogue::load();
  MeasuredOn out{device.name, {}};
  if (!catalogue) return out;
  const analysis::Device* listed = catalogue->of_hardware({device.name, device.sms, device.memory_bytes});
  if (listed != nullptr) out.device = listed->name;
  return out;
}

}  // namespace warplens::model
