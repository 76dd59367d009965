// Inside the worker: how long a launch takes on the GPU, without the time it takes to issue it.
//
// Launches are queued behind a gate kernel that spins until a batch is enqueued; events around each launch
// then measure back-to-back execution. What remains of launch overhead is measured the same way with an empty
// kernel.
#pragma once

#include <functional>
#include <vector>

#include "engine/gpu/device_launch.h"
#include "engine/gpu/driver.h"

namespace warplens::gpu {

struct Measured {
  std::vector<double> milliseconds;  // one a run, in order
  bool restored = false;  // buffers were restored before each run, since a run changes its own input
};

class Stopwatch {
 public:
  static Result<Stopwatch> make(const Driver& driver, int compute_capability);

  // Runs at most `runs` times or `seconds` long; restoring and flushing come before each run, outside the
  // measured time. `restore`: the kernel cannot run twice on what it left (it counts up an index, say);
  // otherwise a second run tells whether it changes its own input.
  Result<Measured> time(DeviceLaunch& launch, int warmup, int runs, double seconds, bool flush_l2,
                        bool restore, std::size_t l2_bytes, const std::function<bool(double)>& progress);
  // The same for a call that issues its own launches into the default stream.
  Result<std::vector<double>> time_calls(const std::function<Status()>& call, int warmup, int runs,
                                         double seconds, const std::function<bool(double)>& progress);
  // Median milliseconds of an empty kernel.
  Result<double> empty_kernel();
  // Bytes a second that a large copy inside device memory reaches (read and written bytes both count).
  Result<double> copy_bandwidth();

 private:
  explicit Stopwatch(const Driver& driver) : driver_(&driver) {}
  Status gate(double microseconds);
  Result<bool> changes_its_input(DeviceLaunch& launch);
  Result<bool> same_bytes(const DeviceBuffer& a, const DeviceBuffer& b);
  Result<std::vector<double>> runs_of(const std::function<Status()>& before,
                                      const std::function<Status()>& run, int warmup, int runs,
                                      double seconds, const std::function<bool(double)>& progress);
  Result<std::vector<double>> batch(int count, const std::function<Status()>& before,
                                    const std::function<Status()>& run);
  const Driver* driver_;
  FunctionHandle gate_ = nullptr, empty_ = nullptr, compare_ = nullptr;
};

// Clock of the SMs in MHz through the driver's management library; 0 when it cannot be read.
int sm_clock_mhz(int ordinal);

double median(std::vector<double> values);
double percentile(std::vector<double> values, double fraction);

}  // namespace warplens::gpu
