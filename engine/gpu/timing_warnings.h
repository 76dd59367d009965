// What may be wrong with a measurement, judged from its own evidence.
#pragma once

#include <vector>

#include "engine/base/message.h"
#include "engine/gpu/device.h"
#include "engine/gpu/execution.h"
#include "engine/trace/launch.h"

namespace warplens::gpu {

std::vector<Message> timing_warnings(const Timing& timing, const DeviceInfo& device,
                                     const trace::Launch& launch, bool flushed_l2);

}  // namespace warplens::gpu
