// A trace::Launch as JSON, for the worker's requests.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/base/result.h"
#include "engine/trace/launch.h"

namespace warplens::gpu {

nlohmann::json to_json(const trace::Launch& launch);
Result<trace::Launch> launch_from_json(const nlohmann::json& json);

}  // namespace warplens::gpu
