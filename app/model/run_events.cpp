#include "app/model/run_events.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

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

RunEvents events_of(const std::string& log) {
  RunEvents out;
  std::set<std::string> named;
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    Json line = Json::parse(log.begin() + static_cast<std::ptrdiff_t>(begin),
                            log.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    begin = end + 1;
    if (!line.is_object()) continue;
    for (const auto& [what, to] :
         {std::pair{"launch", &out.launches}, std::pair{"copy", &out.transfers},
          std::pair{"fill", &out.transfers}, std::pair{"wait", &out.waits}, std::pair{"leak", &out.leaks}})
      if (line.contains(what) && line[what].is_object()) to->push_back(line[what]);
    if (line.contains("not_emulated")) out.not_emulated.push_back(line["not_emulated"]);
    if (line.contains("not_supported") && named.insert(line["not_supported"]).second)
      out.not_supported.push_back(line["not_supported"]);
  }
  return out;
}

std::vector<KernelSum> kernels_of(const std::vector<Json>& launches) {
  std::map<std::string, KernelSum> sums;
  for (const Json& launch : launches) {
    KernelSum& one = sums[launch.value("kernel", "")];
    one.name = launch.value("kernel", "");
    ++one.launches;
    one.skipped += launch.value("ending", "") == "skipped" ? 1 : 0;
    one.instructions += launch.value("warp_instructions", std::uint64_t{0});
    one.sectors += sum(launch, "global", "sectors");
    one.sectors_ideal += sum(launch, "global", "sectors_ideal");
    one.conflicts += sum(launch, "shared", "bank_conflicts");
    one.branches += branches(launch, "executed");
    one.divergent += branches(launch, "divergent");
    one.faults += launch.value("faults", Json::array()).size();
    one.seconds += launch.value("seconds", 0.0);
  }
  std::vector<KernelSum> out;
  for (auto& [name, one] : sums) out.push_back(std::move(one));
  std::ranges::sort(out, std::greater{},
                    [](const KernelSum& k) { return std::tuple(k.faults > 0, k.lost(), k.instructions); });
  return out;
}

}  // namespace warplens::model
