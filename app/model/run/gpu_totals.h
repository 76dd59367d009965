// What an instrumented run counted on the GPU, in the form that the emulator's counter has.
#pragma once

#include <vector>

#include "engine/analysis/totals.h"
#include "engine/gpu/totals.h"

namespace warplens::model {

analysis::Totals totals_of(const gpu::CountedTotals& counted, const std::vector<trace::Site>& sites);

}  // namespace warplens::model
