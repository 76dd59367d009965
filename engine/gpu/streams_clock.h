// Inside the worker: when copies and kernels really began and ended, as CUPTI records it. CUPTI is opened at
// run time; without it, or in a build without the toolkit's headers, there is no clock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/gpu/driver.h"
#include "engine/gpu/streams.h"

namespace warplens::gpu {

struct ActivityRecord {
  StreamWork work = StreamWork::Compute;
  std::uint32_t stream = 0;          // CUPTI's number
  std::uint64_t begin = 0, end = 0;  // nanoseconds of the GPU's clock
};

// One at a time; records from its start to its end.
class ActivityClock {
 public:
  static std::unique_ptr<ActivityClock> start();  // null when CUPTI is not there or refuses
  virtual ~ActivityClock() = default;
  virtual std::uint32_t stream_id(ContextHandle context, StreamHandle stream) const = 0;
  // What ran since the last call; everything must have ended (synchronize).
  virtual std::vector<ActivityRecord> take() = 0;
};

}  // namespace warplens::gpu
