#include "engine/gpu/launch_json.h"

#include <nlohmann/json.hpp>

namespace warplens::gpu {
namespace {

nlohmann::json extent(Dim3 e) {
  return {e.x, e.y, e.z};
}
Dim3 extent_from(const nlohmann::json& json) {
  return {json.at(0), json.at(1), json.at(2)};
}

}  // namespace

nlohmann::json to_json(const trace::Launch& launch) {
  nlohmann::json arguments = nlohmann::json::array();
  for (const trace::Argument& argument : launch.arguments) arguments.push_back(argument.text);
  return {{"kernel", launch.kernel},
          {"grid", extent(launch.grid)},
          {"block", extent(launch.block)},
          {"shared", launch.dynamic_shared_bytes},
          {"arguments", std::move(arguments)}};
}

Result<trace::Launch> launch_from_json(const nlohmann::json& json) {
  trace::Launch launch;
  launch.kernel = json.at("kernel");
  launch.grid = extent_from(json.at("grid"));
  launch.block = extent_from(json.at("block"));
  launch.dynamic_shared_bytes = json.at("shared");
  for (const nlohmann::json& item : json.at("arguments")) {
    const std::string text = item;
    auto argument = trace::parse_argument(text);
    if (!argument) return argument.error();
    launch.arguments.push_back(std::move(*argument));
  }
  return launch;
}

}  // namespace warplens::gpu
