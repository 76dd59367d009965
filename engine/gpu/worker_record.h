// The worker's request "record": an instrumented run, with records, counters or both.
#pragma once

#include <functional>

#include "engine/gpu/channel.h"
#include "engine/gpu/device_launch.h"

namespace warplens::gpu {

// `request`: head {launch, bytes (room for records), counters (bytes of counters), runs}; blobs: the control
// block and the rewritten PTX, which `module` was made of. The kernel runs `runs` times, each time from the
// same initial state. Answer: head {milliseconds of the last run, runs: of each, addresses}; blobs: the final
// control block, records, counters, and the buffers.
// `once` launches and waits, in milliseconds; `facts` describes the launched kernel.
Result<Frame> record_run(const Driver& driver, ModuleHandle module, const Frame& request,
                         const std::function<Result<double>(DeviceLaunch&)>& once,
                         const std::function<nlohmann::json(const DeviceLaunch&, double)>& facts,
                         InitialBuffers& initial);

}  // namespace warplens::gpu
