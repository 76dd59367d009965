// What the models say of a run on a device: engine/analysis/modelled.h of it.
//
//   const auto m = model_run(*run, device, capability, {.warm = false});
#pragma once

#include <memory>

#include "app/model/pipeline.h"
#include "engine/analysis/device.h"
#include "engine/analysis/modelled.h"

namespace warplens::model {

struct ModelOptions {
  bool warm = false;  // L2 as a launch before this one left it
};

// Null where nothing ran. A run without a log (of a GPU) is modelled from the blocks that its trace holds.
std::shared_ptr<const analysis::Modelled> model_run(const Run& run, const analysis::Device& device,
                                                    const analysis::ComputeCapability& capability,
                                                    const ModelOptions& options = {},
                                                    Progress* progress = nullptr);

}  // namespace warplens::model
