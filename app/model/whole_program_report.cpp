// What a program's launches did, as JSON ("warplens.run/1") and as a table.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/model/whole_program.h"

namespace warplens::model {
namespace {

using Json = nlohmann::ordered_json;

struct Events {
  std::vector<Json> launches;
  std::vector<std::string> not_supported, not_emulated;
};

// A program that crashed may have left half a line.
Events events_of(const std::string& log) {
  Events out;
  std::set<std::string> named;
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const Json line = Json::parse(log.begin() + static_cast<std::ptrdiff_t>(begin),
                                  log.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    begin = end + 1;
    if (!line.is_object()) continue;
    if (line.contains("launch")) out.launches.push_back(line["launch"]);
    if (line.contains("not_emulated")) out.not_emulated.push_back(line["not_emulated"]);
    if (line.contains("not_supported") && named.insert(line["not_supported"]).second)
      out.not_supported.push_back(line["not_supported"]);
  }
  return out;
}

std::uint64_t sum(const Json& launch, const char* space, const char* field) {
  std::uint64_t all = 0;
  if (!launch.contains(space)) return 0;
  for (const auto& [kind, counts] : launch[space].items()) all += counts.value(field, std::uint64_t{0});
  return all;
}

struct KernelSum {
  std::string name;
  std::uint64_t launches = 0, skipped = 0, instructions = 0, sectors = 0, ideal = 0, conflicts = 0,
                faults = 0;
  double seconds = 0;
};

std::vector<KernelSum> kernels_of(const std::vector<Json>& launches) {
  std::map<std::string, KernelSum> sums;
  for (const Json& launch : launches) {
    KernelSum& one = sums[launch.value("kernel", "")];
    one.name = launch.value("kernel", "");
    ++one.launches;
    one.skipped += launch.value("ending", "") == "skipped" ? 1 : 0;
    one.instructions += launch.value("warp_instructions", std::uint64_t{0});
    one.sectors += sum(launch, "global", "sectors");
    one.ideal += sum(launch, "global", "sectors_ideal");
    one.conflicts += sum(launch, "shared", "bank_conflicts");
    one.faults += launch.value("faults", Json::array()).size();
    one.seconds += launch.value("seconds", 0.0);
  }
  std::vector<KernelSum> out;
  for (auto& [name, one] : sums) out.push_back(std::move(one));
  std::ranges::sort(out, std::greater{}, [](const KernelSum& k) { return k.instructions; });
  return out;
}

}  // namespace

std::string run_json(const ProgramEnd& end) {
  const Events events = events_of(end.log);
  return Json{{"schema", "warplens.run/1"},          {"exit_code", end.exit_code},
              {"launches", events.launches},         {"not_supported", events.not_supported},
              {"not_emulated", events.not_emulated}, {"seconds", end.seconds}}
      .dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string run_text(const ProgramEnd& end) {
  const Events events = events_of(end.log);
  std::string text = fmt::format("{} launches in {:.2f} s, exit code {}\n", events.launches.size(),
                                 end.seconds, end.exit_code);
  if (!events.launches.empty())
    text += fmt::format("{:>8} {:>14} {:>12} {:>12} {:>10} {:>6}  {}\n", "launches", "warp instr.", "sectors",
                        "ideal", "conflicts", "faults", "kernel");
  for (const KernelSum& k : kernels_of(events.launches)) {
    text += fmt::format("{:>8} {:>14} {:>12} {:>12} {:>10} {:>6}  {}", k.launches, k.instructions, k.sectors,
                        k.ideal, k.conflicts, k.faults, k.name);
    if (k.skipped > 0) text += fmt::format(" ({} of its launches were not run)", k.skipped);
    text += '\n';
  }
  for (const std::string& name : events.not_emulated)
    text += fmt::format("computed on the CPU, not emulated: {}\n", name);
  for (const std::string& name : events.not_supported) text += fmt::format("not supported: {}\n", name);
  return text;
}

}  // namespace warplens::model
