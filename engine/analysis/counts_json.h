// Counts in JSON, as every file of ours names them (docs/REPORT.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/analysis/totals.h"
#include "engine/base/lanes.h"

namespace warplens::analysis {

nlohmann::ordered_json triple(Dim3 extents);  // [x, y, z]
nlohmann::ordered_json global_json(const GlobalCounts& counts);
nlohmann::ordered_json shared_json(const SharedCounts& counts);

}  // namespace warplens::analysis
