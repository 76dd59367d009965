// The same request on the GPU: measured time, the trace from hardware, and the comparison of both back ends.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/run/compare_totals.h"
#include "app/model/run/order_dependence.h"
#include "app/model/run/pipeline.h"
#include "engine/gpu/execution.h"

namespace warplens::model {

struct GpuOptions {
  int device = 0;
  // Which blocks are recorded access by access: those that the request's recorder asks for, or all up to a
  // cap. Totals are counted over the whole launch, whatever is recorded.
  enum class Records { Chosen, All } records = Records::Chosen;
};

// Like execute(), from an instrumented run on the GPU. A fault of the kernel is in the report, with what the
// emulator's check of the same launch found.
Result<std::shared_ptr<const Run>> execute_on_gpu(const RunRequest& request, const GpuOptions& options,
                                                  Progress* progress = nullptr);

// What instrumentation costs: the kernel alone and the ways of watching it, medians of a few runs each. A
// trace counts and records one block, in a run each.
struct InstrumentationCost {
  double plain_ms = 0, totals_ms = 0, one_block_ms = 0, records_ms = 0;
  bool records_lost =
      false;  // not everything fitted: the recording stopped early and took less than it would
};
Result<InstrumentationCost> instrumentation_cost(const RunRequest& request, int device,
                                                 Progress* progress = nullptr);

struct TimedRun {
  gpu::Timing timing;
  gpu::DeviceInfo device;
  std::uint64_t bytes_moved = 0;  // 32 x sectors of loads and stores (counted), 0 when not counted
  double bytes_per_second = 0;    // bytes_moved over the median
  int registers_per_thread = 0;
  std::shared_ptr<const Run> counted;  // the emulator's run of the same launch; null when it cannot run it
};
// `count_bytes`: also count bytes_moved, in the emulator.
Result<TimedRun> time_on_gpu(const RunRequest& request, const gpu::TimingOptions& options, int device,
                             Progress* progress = nullptr, bool count_bytes = true);

// What the two back ends agree on, warp by warp.
struct Difference {
  std::uint64_t block = 0;
  std::uint32_t warp = 0;
  std::uint32_t site = 0;
  int line = 0;
  std::string what;  // one sentence
  bool by_order =
      false;  // it depends on the order of the warps or on time; the warp's other records are equal
};
// How well the two agree, best first.
enum class Agreement {
  Identical,
  Agrees,   // lanes grouped or ordered otherwise, or rounding
  ByOrder,  // but for what depends on the order of warps or on time
  Different,
};
std::string_view name(Agreement agreement);  // as the JSON has it

struct Comparison {
  std::uint64_t records_emulator = 0, records_gpu = 0;
  std::uint64_t warps = 0;
  std::uint64_t warps_identical = 0;     // same records in the same order
  std::uint64_t warps_other_order = 0;   // same records, divergent paths taken in another order
  std::uint64_t warps_other_groups = 0;  // each lane did the same, but lanes ran together differently
  std::uint64_t warps_different = 0;     // a lane did something else
  std::uint64_t warps_by_order = 0;      // of those: equal in all that depends on no order and no time
  bool records_lost = false;             // the GPU's buffer was too small: only what is there was compared
  struct Output {
    std::string name;
    bool equal = false;
    double checksum_emulator = 0, checksum_gpu = 0;
    double largest_relative_error = 0;  // of floating-point buffers
    bool by_order = false;              // its contents depend on the order of warps or on time
  };
  std::vector<Output> outputs;
  // Of the whole launch, counted by both: empty when every number is the same.
  std::vector<FieldDifference> totals;
  std::uint64_t warp_instructions_emulator = 0, warp_instructions_gpu = 0;
  std::uint64_t thread_instructions_emulator = 0, thread_instructions_gpu = 0;
  std::vector<Difference> differences;  // the first few of the warps that differ, real differences first
  OrderDependence order;                // what of the launch depends on the order of warps or on time
  // No lane did anything else and integer outputs are equal, but for what depends on order or time.
  bool agrees() const;
  Agreement verdict() const;
};
Result<Comparison> compare_back_ends(const RunRequest& request, int device, Progress* progress = nullptr);

// The same of two runs that are there already (exposed for tests). A kernel that faulted on the GPU left
// nothing to compare: that is the error.
Result<Comparison> compare_runs(const RunRequest& request, const Run& emulated, const Run& measured);

// The comparison of two traces of one launch (exposed for tests); out.order is read.
void compare_traces(const trace::Trace& emulator, const trace::Trace& gpu, Comparison& out);

}  // namespace warplens::model
