#include "engine/runtime/settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/json_text.h"

namespace warplens::runtime {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Result<Settings> parse_settings(const std::string& text) {
  Settings settings;
  const Json json = parse_ordered_json(text);
  if (json.is_discarded()) return Error{ErrorKind::Usage, "$WARPLENS_RUN is no JSON", {}, {}};
  try {
    settings.log = json.value("log", "");
    settings.language = json.value("language", "en");
    const std::string checks = json.value("checks", "memory");
    for (std::size_t i = 0; i < kCheckNames.size(); ++i)
      if (checks == kCheckNames[i]) settings.checks = static_cast<simt::Checks>(i);
    settings.threads = json.value("threads", 0);
    settings.devices = std::clamp(json.value("devices", 1), 1, kMostDevices);
    settings.count = json.value("count", false);
    settings.model = json.value("model", false);
    settings.strict = json.value("strict", false);
    settings.execute_all = json.value("execute_all", false);
    settings.progress = json.value("progress", false);
    settings.every = std::max<std::uint64_t>(json.value("every", std::uint64_t{1}), 1);
    settings.budget = json.value("budget", settings.budget);
    for (const Json& one : json.value("keep", Json::array()))
      settings.kept.push_back({one.at(0), one.at(1), one.at(2)});
    settings.keep_folder = json.value("keep_folder", "");
    settings.on_gpu = json.value("on_gpu", false);
    settings.started = json.value("started", std::int64_t{0});
    settings.variables = json.value("variables", std::vector<std::string>());
  } catch (const Json::exception& error) {
    return Error{ErrorKind::Usage, std::string("$WARPLENS_RUN: ") + error.what(), {}, {}};
  }
  return settings;
}

std::string to_json(const Settings& settings) {
  Json keep = Json::array();
  for (const KeptLaunches& one : settings.kept)
    keep.push_back(Json::array({one.kernel, one.first, one.last}));
  return Json{{"log", settings.log},
              {"language", settings.language},
              {"checks", kCheckNames[static_cast<std::size_t>(settings.checks)]},
              {"threads", settings.threads},
              {"devices", settings.devices},
              {"count", settings.count},
              {"model", settings.model},
              {"strict", settings.strict},
              {"execute_all", settings.execute_all},
              {"progress", settings.progress},
              {"every", settings.every},
              {"budget", settings.budget},
              {"keep", keep},
              {"keep_folder", settings.keep_folder},
              {"on_gpu", settings.on_gpu},
              {"started", settings.started},
              {"variables", settings.variables}}
      .dump();
}

}  // namespace warplens::runtime
