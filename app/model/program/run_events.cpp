#include "app/model/program/run_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/base/json_text.h"

namespace warplens::model {
namespace {

using Json = RunEvents::Json;

std::uint64_t sum(const Json& launch, const char* space, const char* field) {
  std::uint64_t all = 0;
  if (!launch.contains(space)) return 0;
  for (const auto& [kind, counts] : launch[space].items()) all += counts.value(field, std::uint64_t{0});
  return all;
}

std::uint64_t branches(const Json& launch, const char* field) {
  return launch.contains("branches") ? launch["branches"].value(field, std::uint64_t{0}) : 0;
}

}  // namespace

void add_event(const Json& line, RunEvents& to) {
  if (!line.is_object()) return;
  for (const auto& [what, list] :
       {std::pair{"launch", &to.launches}, std::pair{"copy", &to.transfers}, std::pair{"fill", &to.transfers},
        std::pair{"wait", &to.waits}, std::pair{"leak", &to.leaks}, std::pair{"unordered", &to.unordered},
        std::pair{"error", &to.errors}})
    if (line.contains(what) && line[what].is_object()) list->push_back(line[what]);
  if (line.contains("not_emulated")) to.not_emulated.push_back(line["not_emulated"]);
  if (!line.contains("not_supported")) return;
  const std::string name = line["not_supported"];
  if (std::ranges::find(to.not_supported, name) == to.not_supported.end()) to.not_supported.push_back(name);
}

void for_each_event(const std::string& log, const std::function<void(const Json&)>& take) {
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const Json line = parse_ordered_json(std::string_view(log).substr(begin, end - begin));
    begin = end + 1;
    if (line.is_object()) take(line);
  }
}

RunEvents events_of(const std::string& log) {
  RunEvents out;
  for_each_event(log, [&](const Json& line) { add_event(line, out); });
  return out;
}

std::string KernelSum::over_ideal() const {
  return sectors_ideal == 0
             ? "–"
             : fmt::format("{:.2f}×", static_cast<double>(sectors) / static_cast<double>(sectors_ideal));
}

std::string KernelSum::divergent_share() const {
  return branches == 0 ? "–"
                       : fmt::format("{:.1f} %",
                                     100.0 * static_cast<double>(divergent) / static_cast<double>(branches));
}

void KernelSum::add(const KernelSum& other) {
  launches += other.launches;
  skipped += other.skipped;
  instructions += other.instructions;
  sectors += other.sectors;
  sectors_ideal += other.sectors_ideal;
  conflicts += other.conflicts;
  branches += other.branches;
  divergent += other.divergent;
  faults += other.faults;
  seconds += other.seconds;
  if (other.measured > 0) {
    shortest = measured == 0 ? other.shortest : std::min(shortest, other.shortest);
    longest = std::max(longest, other.longest);
    measured += other.measured;
  }
}

KernelSum sum_of(const Json& launch) {
  KernelSum one;
  one.name = launch.value("kernel", "");
  one.launches = 1;
  one.skipped = launch.value("ending", "") == "skipped" ? 1 : 0;
  one.instructions = launch.value("warp_instructions", std::uint64_t{0});
  one.sectors = sum(launch, "global", "sectors");
  one.sectors_ideal = sum(launch, "global", "sectors_ideal");
  one.conflicts = sum(launch, "shared", "bank_conflicts");
  one.branches = branches(launch, "executed");
  one.divergent = branches(launch, "divergent");
  one.faults = launch.value("faults", Json::array()).size();
  one.seconds = launch.value("seconds", 0.0);
  if (launch.contains("registers_per_thread")) {  // as only a GPU's launches have it
    one.measured = 1;
    one.shortest = one.longest = one.seconds;
  }
  return one;
}

bool loses_more(const KernelSum& a, const KernelSum& b) {
  const auto order = [](const KernelSum& k) {
    return std::tuple(k.faults > 0, k.lost(), k.instructions, k.measured > 0 ? k.seconds : 0.0);
  };
  return order(a) > order(b);
}

std::vector<KernelSum> kernels_of(const std::vector<Json>& launches) {
  std::map<std::string, KernelSum> sums;
  for (const Json& launch : launches) {
    KernelSum& one = sums[launch.value("kernel", "")];
    one.name = launch.value("kernel", "");
    one.add(sum_of(launch));
  }
  std::vector<KernelSum> out;
  for (auto& [name, one] : sums) out.push_back(std::move(one));
  std::ranges::sort(out, loses_more);
  return out;
}

}  // namespace warplens::model
