#include "app/model/study/modelled_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/analysis/verdict.h"
#include "engine/base/time_text.h"

namespace warplens::model {
namespace {

std::string percent(double share) {
  return fmt::format("{:.0f}", 100 * share);
}

// Stall reasons of the SM that is given most blocks, the largest first.
std::vector<std::pair<double, analysis::SmStall>> stalls_of(const analysis::SmRun& run) {
  double all = 0;
  for (const double cycles : run.stalls) all += cycles;
  std::vector<std::pair<double, analysis::SmStall>> out;
  for (std::size_t i = 0; i < analysis::kSmStalls && all > 0; ++i)
    out.emplace_back(run.stalls[i] / all, static_cast<analysis::SmStall>(i));
  std::ranges::sort(out, [](const auto& a, const auto& b) { return a.first > b.first; });
  return out;
}

}  // namespace

std::string modelled_text(const analysis::Modelled& m, const Catalogue& catalogue) {
  const auto say = [&](const char* key, std::vector<std::pair<std::string, MessageValue>> arguments = {}) {
    return "  " + catalogue.text(Message{std::string("modelled.") + key, std::move(arguments)}) + "\n";
  };
  std::string out = catalogue.text(Message{"modelled.title", {{"device", value_of(m.device)}}}) + "\n";
  if (!m.constants_measured) out += say("unmeasured", {{"capability", value_of(m.constants_of)}});
  if (m.contended) out += say("contended");
  if (m.time) {
    out += "  " + catalogue.text(analysis::verdict_message(m)) + "\n";
    std::string parts;
    for (std::size_t i = 0; i < analysis::kTimeParts; ++i)
      parts += fmt::format("{}{} {}", i == 0 ? "" : ", ", name(static_cast<analysis::TimePart>(i)),
                           microseconds_text(m.time->parts[i]));
    out += say("parts", {{"parts", value_of(parts)}});
    std::string stalls;
    const auto reasons = stalls_of(m.time->sm);
    for (std::size_t i = 0; i < std::min<std::size_t>(4, reasons.size()); ++i)
      stalls +=
          fmt::format("{}{} {} %", i == 0 ? "" : ", ", name(reasons[i].second), percent(reasons[i].first));
    out +=
        say("stalls", {{"stalls", value_of(stalls)}, {"issue", value_of(percent(m.time->sm.utilisation()))}});
  }
  if (m.caches) {
    const analysis::ModelledCaches& c = *m.caches;
    out += say(c.warm ? "caches_warm" : "caches_flushed",
               {{"l1", value_of(c.l1_hit_rate ? percent(*c.l1_hit_rate) + " %" : "-")},
                {"l2", value_of(percent(c.l2_hit_rate))},
                {"reads", value_of(fmt::format("{:.0f}", c.l2_read_sectors))},
                {"writes", value_of(fmt::format("{:.0f}", c.l2_write_sectors))},
                {"dram_read", value_of(fmt::format("{:.0f}", c.dram_read_bytes))},
                {"dram_written", value_of(fmt::format("{:.0f}", c.dram_write_bytes))},
                {"blocks", value_of(c.blocks_modelled)}});
    if (c.l2_read_sectors_most > 1.02 * c.l2_read_sectors_least)
      out += say("reads_range", {{"least", value_of(fmt::format("{:.0f}", c.l2_read_sectors_least))},
                                 {"most", value_of(fmt::format("{:.0f}", c.l2_read_sectors_most))}});
  }
  return out;
}

}  // namespace warplens::model
