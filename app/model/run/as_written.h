// A run counted as its PTX is written: every access on its own, whatever ptxas joins, drops or predicates.
// What model::execute() reports are the counts as the machine executes; the two side by side show what the
// compiler did.
#pragma once

#include <memory>

#include "app/model/run/pipeline.h"

namespace warplens::model {

// As execute(), on the emulator, with totals and sites as written. A note in the report says so.
Result<std::shared_ptr<const Run>> execute_as_written(const RunRequest& request,
                                                      Progress* progress = nullptr);

}  // namespace warplens::model
