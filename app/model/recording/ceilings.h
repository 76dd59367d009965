// What a GPU reaches at most, found by kernels that do one thing only (assets/ceilings/ceilings.ptx): the
// roofs of the roofline, measured instead of published.
//
//   const auto reached = ceilings_on_gpu(0, &progress);   // "l2" -> bytes a second
//   recording.ceilings = *reached;                        // plays as the roofs of what that GPU took a time
//   of
//
// Names are those of analysis::Ceiling: "dram", "l2", "l1", "shared" in bytes a second, "fp32", "fp64" in
// operations. There is none of the tensor units: what mma instructions reach is less than what the library
// gets out of them, so it would be no ceiling; and none of fp16: chains of fma.rn.f16x2 reached half of what
// the vendor publishes (65 of 134 TFLOP/s on an H200).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/analysis/roofline.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/trace/launch.h"

namespace warplens::model {

// One launch that does nothing but `work`: bytes or operations, all its threads together.
struct CeilingLaunch {
  std::string name;
  trace::Launch launch;
  double work = 0;
};
struct CeilingSize {
  int sms = 1;
  std::uint64_t l2_bytes = 0;
  int blocks_per_sm = 8;  // of 256 threads
  int turns = 2048;       // of each thread
};
std::vector<CeilingLaunch> ceiling_launches(const CeilingSize& size);
// The kernels, as PTX.
std::filesystem::path ceilings_file();

// The fastest of several runs of each. DRAM is what a large copy inside device memory reaches, read and
// written. An architecture that lacks an instruction fails with the driver's reason.
Result<analysis::Reached> ceilings_on_gpu(int device, Progress* progress = nullptr);

}  // namespace warplens::model
