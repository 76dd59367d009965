// What the models say of a run on a device: engine/analysis/modelled.h of it.
//
//   const auto m = model_run(*run, device, capability, {.warm = false});
//   m->time->us;
//
// The launch is emulated once more for them, without checks: whole, or the first blocks of a long one, which
// then stand for the others (ModelledCaches::blocks_modelled says how many). A run that cannot be repeated (a
// fault, a stop) is modelled from the blocks that its trace holds, and has no time.
#pragma once

#include <cstdint>
#include <memory>

#include "app/model/pipeline.h"
#include "engine/analysis/device.h"
#include "engine/analysis/modelled.h"

namespace warplens::model {

struct ModelOptions {
  bool time = true;   // also the SM and the time, which take longer than the caches
  bool warm = false;  // L2 as a launch before this one left it
  std::uint64_t thread_instructions = std::uint64_t{1} << 31;  // of the blocks that are run for the models
  std::size_t words = std::size_t{1} << 22;                    // of analysis::AccessLog
};

// Null where nothing ran, or the models' constants cannot be read.
std::shared_ptr<const analysis::Modelled> model_run(const Run& run, const analysis::Device& device,
                                                    const analysis::ComputeCapability& capability,
                                                    const ModelOptions& options = {},
                                                    Progress* progress = nullptr);

}  // namespace warplens::model
