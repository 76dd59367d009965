// What the models say of a run on a device: engine/analysis/modelled.h of it.
//
//   const auto m = model_run(*run, device, capability, {.warm = false});
//   m->time->us;
//
// The models take what was heard while the launch ran (heard.h). Of a run that nobody listened to, the launch
// is emulated once more, without checks: whole, or the first blocks of a long one, which then stand for the
// others (ModelledCaches::blocks_modelled says how many). A run that did not complete (a fault, a stop) is
// modelled from the blocks that its trace holds, and has no time.
#pragma once

#include <cstdint>
#include <memory>

#include "app/model/run/pipeline.h"
#include "engine/analysis/device.h"
#include "engine/analysis/modelled.h"

namespace warplens::model {

struct ModelOptions {
  bool time = true;   // also the SM and the time, which take longer than the caches
  bool warm = false;  // L2 as a launch before this one left it
  std::uint64_t thread_instructions = std::uint64_t{1} << 31;  // of the blocks that are run for the models
  std::size_t words = std::size_t{1} << 24;                    // of analysis::AccessLog
  // For pictures: what each warp did (so many segments), what would be without latency hiding, and without
  // each part of the time, and how long it takes when L2 is warm. The SM runs nine times as often.
  std::size_t record = 0;
};

// As many as a picture of the SM needs, and more than it draws.
inline constexpr std::size_t kRecordedSegments = 12'000;

// Null where nothing ran, or the models' constants cannot be read.
std::shared_ptr<const analysis::Modelled> model_run(const Run& run, const analysis::Device& device,
                                                    const analysis::ComputeCapability& capability,
                                                    const ModelOptions& options = {},
                                                    Progress* progress = nullptr);

// `modelled` of this run with its shelf: the same on every device of the list. Null on a cancel, and where
// the run has no time.
std::shared_ptr<const analysis::Modelled> with_shelf(
    const Run& run, const std::shared_ptr<const analysis::Modelled>& modelled, Progress* progress = nullptr);

}  // namespace warplens::model
