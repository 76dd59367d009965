// The JSON form of what the models say: the field `modelled` of a report (docs/REPORT.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/analysis/modelled.h"

namespace warplens::analysis {

nlohmann::ordered_json to_json(const Modelled& modelled);

}  // namespace warplens::analysis
