// The GPU that a measurement was made on, by the name that the device list has for it.
#pragma once

#include "engine/base/measured_on.h"
#include "engine/gpu/device.h"

namespace warplens::model {

MeasuredOn measured_on(const gpu::DeviceInfo& device);

}  // namespace warplens::model
