// Runs the PTX of a kernel on the GPU: once for its results, many times for its duration, or instrumented for
// what its warps did. Buffers, arguments and initial values are those of the emulator (trace/launch.h).
//
//   Result<std::unique_ptr<Session>> session = Session::open(module, 0);
//   Result<RunResult> run = (*session)->run(launch);
//   Result<Timing> timing = (*session)->time(launch, {});
//
// A kernel that faults or never ends takes down its own worker process, not the program: work happens in a
// child process that is made anew when it dies.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/message.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/gpu/counters.h"
#include "engine/gpu/device.h"
#include "engine/gpu/product_size.h"
#include "engine/gpu/streams.h"
#include "engine/gpu/totals.h"
#include "engine/gpu/transfers.h"
#include "engine/ptx/syntax/module.h"
#include "engine/trace/event.h"
#include "engine/trace/launch.h"
#include "engine/trace/trace.h"

namespace warplens::gpu {

struct RunResult {
  std::vector<std::vector<std::uint8_t>> buffers;  // final bytes, one an argument (empty for scalars)
  double milliseconds = 0;                         // of this one launch, by events
  int registers_per_thread = 0;                    // as the driver reports it
  int static_shared = 0, local_bytes = 0;
  std::string output;  // what printf wrote
  // Of a recorded run:
  std::vector<std::uint64_t> addresses;  // device address of each argument's buffer, 0 for scalars
  std::unordered_map<std::string, std::uint64_t>
      constants;                        // where each of the module's lies in the constant space
  bool records_lost = false;            // the buffer was too small: raise max_bytes or record fewer blocks
  std::optional<CountedTotals> totals;  // of the whole launch, when asked for
  std::vector<double> milliseconds_of_runs;
};

struct RunOptions {
  double limit_seconds = 10.0;
  bool results = true;  // false: leaves RunResult::buffers empty, which saves copying them
};

struct TimingOptions {
  int warmup = 3;
  int runs = 100;  // at most; fewer when max_seconds is reached
  double max_seconds = 2.0;
  bool flush_l2 = false;      // write a buffer larger than L2 before each run
  bool also_flushed = false;  // measure a second time with a flushed L2: Timing::flushed
};

struct Timing {
  std::vector<double> milliseconds;      // every run, in order: outliers stay visible
  std::vector<double> flushed;           // the same with a flushed L2, when that was asked for
  double median = 0, low = 0, high = 0;  // low, high: 5th and 95th percentile
  double launch_overhead = 0;            // of an empty kernel, same method
  int sm_clock_before_mhz = 0, sm_clock_after_mhz = 0;
  double peak_bytes_per_second = 0;  // measured copy bandwidth of this device
  bool inputs_restored = false;      // the kernel changes its own input: it was restored before each run
  std::uint64_t buffer_bytes = 0;    // of all buffers together
  std::vector<Message>
      warnings;  // computed from this evidence: "timing.launch_bound", "timing.fits_in_l2", ...
};

struct TraceOptions {
  bool records = true;                // every access in full, for the listeners
  std::vector<std::uint64_t> blocks;  // record from the lowest to the highest of these; empty: every block
  std::size_t max_bytes = std::size_t{256} << 20;
  bool totals = false;  // count the whole launch on the GPU (totals.h); needs no room for records
  int runs = 1;         // the same launch again and again, for its duration
};

class Session {
 public:
  // Loads the module on a device; fails with a reason a user can act on.
  static Result<std::unique_ptr<Session>> open(std::shared_ptr<const ptx::Module> module, int device);
  virtual ~Session() = default;
  virtual Result<RunResult> run(const trace::Launch& launch, const RunOptions& options = {}) = 0;
  virtual Result<Timing> time(const trace::Launch& launch, const TimingOptions& options,
                              Progress* progress) = 0;
  // The instrumented run (see instrument.h): events go to the listeners exactly as the emulator's do (blocks
  // in ascending order, within a warp in program order; the order between warps is the hardware's).
  virtual Result<RunResult> trace(const trace::Launch& launch, const TraceOptions& options,
                                  std::span<trace::Listener* const> listeners, Progress* progress) = 0;
  // Hardware counters of this launch; fails with what to do when the system does not permit it.
  virtual Result<CounterReading> counters(const trace::Launch& launch, Progress* progress) = 0;
  // Copies between host and device; needs nothing of the module.
  virtual Result<std::vector<TransferRow>> transfers(const TransferOptions& options, Progress* progress) = 0;
  // The kernel over pieces in several streams, copies included; `piece` as measure_streams wants it.
  virtual Result<StreamTimes> streams(const trace::Launch& piece, const StreamOptions& options,
                                      Progress* progress) = 0;
  // What cuBLAS takes for such a product of matrices; needs nothing of the module. At most `runs`, or
  // `seconds`.
  virtual Result<LibraryTimes> library_product(const ProductSize& size, int runs, double seconds,
                                               Progress* progress) = 0;
  virtual const DeviceInfo& device() const = 0;
};

}  // namespace warplens::gpu
