#include "app/window/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warplens::window {
namespace {

using analysis::GlobalCounts;
using analysis::SharedCounts;

constexpr double kSectorBytes = 32;

GlobalCounts all_global(const analysis::Totals& t) {
  GlobalCounts sum = t.global_load;
  sum += t.global_store;
  sum += t.global_atomic;
  sum += t.global_reduction;
  return sum;
}

SharedCounts all_shared(const analysis::Totals& t) {
  SharedCounts sum = t.shared_load;
  sum += t.shared_store;
  sum += t.shared_atomic;
  return sum;
}

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

void add_global(const GlobalCounts& g, std::vector<Headline>& out) {
  if (g.requests == 0) return;
  const double sectors = ratio(g.sectors, g.requests), ideal = ratio(g.sectors_ideal, g.requests);
  out.push_back({"window.figure.sectors",
                 fmt::format("{:.1f}", sectors),
                 {"window.figure.ideal", {{"ideal", value_of(ideal)}}},
                 g.sectors > g.sectors_ideal,
                 Evidence::Counted,
                 "l1tex__t_sectors / l1tex__t_requests"});
  const double fetched = static_cast<double>(g.sectors) * kSectorBytes;
  const double used = 100.0 * static_cast<double>(g.bytes_unique) / std::max(1.0, fetched);
  out.push_back(
      {"window.figure.used",
       fmt::format("{:.0f} %", used),
       {"window.figure.fetched",
        {{"bytes", value_of(std::string(fetched >= 1048576 ? fmt::format("{:.1f} MiB", fetched / 1048576)
                                        : fetched >= 1024  ? fmt::format("{:.1f} KiB", fetched / 1024)
                                                           : fmt::format("{:.0f} B", fetched)))}}},
       used < 99.5 && g.sectors > g.sectors_ideal,
       Evidence::Counted,
       "bytes_unique / (32 * sectors)"});
}

void add_shared(const SharedCounts& s, std::vector<Headline>& out) {
  if (s.requests == 0) return;
  out.push_back({"window.figure.passes",
                 fmt::format("{:.1f}", ratio(s.wavefronts, s.requests)),
                 {"window.figure.ideal", {{"ideal", value_of(ratio(s.wavefronts_ideal, s.requests))}}},
                 s.bank_conflicts > 0,
                 Evidence::Counted,
                 "l1tex__data_pipe_lsu_wavefronts_mem_shared"});
}

// Over the machine's instructions it is weighted by a model of how often its blocks run.
Headline lanes_of(const analysis::Report& report) {
  const double lanes = report.execution.average_active_lanes();
  const bool splits = report.execution.divergent_branches > 0;
  return {"window.figure.lanes",
          fmt::format("{:.1f}", lanes),
          splits ? Message{"window.figure.of_lanes",
                           {{"divergent", value_of(report.execution.divergent_branches)}}}
                 : Message{"window.figure.of_all_lanes", {}},
          splits,
          report.execution.machine_warp_instructions > 0 ? Evidence::Modelled : Evidence::Counted,
          "smsp__thread_inst_executed_per_inst_executed"};
}

Headline occupancy_of(const analysis::Report& report) {
  const analysis::Occupancy& o = report.occupancy;
  Message detail{"window.figure.full", {}};
  if (o.theoretical < 0.999 && !o.limiters.empty()) {
    detail = {"window.figure.limited", {{"by", Key{"window.limiter." + o.limiters.front()}}}};
  }
  return {"window.figure.occupancy", fmt::format("{:.0f} %", o.theoretical * 100), detail, false,
          Evidence::Modelled,        "sm__maximum_warps_per_active_cycle_pct"};
}

}  // namespace

std::vector<Headline> headlines(const analysis::Report& report, std::size_t most) {
  std::vector<Headline> out;
  const GlobalCounts global = all_global(report.totals);
  const SharedCounts shared = all_shared(report.totals);
  // What is worse than ideal comes first: it is why the kernel is looked at.
  if (shared.bank_conflicts > 0) add_shared(shared, out);
  if (report.execution.divergent_branches > 0) out.push_back(lanes_of(report));
  add_global(global, out);
  if (shared.bank_conflicts == 0) add_shared(shared, out);
  if (report.execution.divergent_branches == 0 && report.execution.warp_instructions > 0) {
    out.push_back(lanes_of(report));
  }
  if (report.occupancy.blocks_per_sm > 0) out.push_back(occupancy_of(report));
  std::stable_sort(out.begin(), out.end(),
                   [](const Headline& a, const Headline& b) { return a.worse > b.worse; });
  if (out.size() > most) out.resize(most);
  return out;
}

std::vector<LineCost> line_costs(const analysis::Report& report) {
  struct Sum {
    GlobalCounts global;
    SharedCounts shared;
    std::uint64_t branches = 0, divergent = 0, executions = 0;
  };
  std::map<int, Sum> lines;
  double all = 0;
  for (const trace::Site& site : report.sites) {
    if (site.line <= 0 || site.index >= report.totals.sites.size()) continue;
    const analysis::SiteTotals& t = report.totals.sites[site.index];
    Sum& sum = lines[site.line];
    sum.global += t.global;
    sum.shared += t.shared;
    sum.executions = std::max(sum.executions, t.executions);
    if (site.kind == trace::SiteKind::Branch) {
      sum.branches += t.executions;
      sum.divergent += t.divergent;
    }
    all += static_cast<double>(t.global.sectors + t.shared.wavefronts);
  }
  std::vector<LineCost> out;
  for (const auto& [line, sum] : lines) {
    LineCost cost;
    cost.line = line;
    cost.executions = sum.executions;
    cost.share = static_cast<double>(sum.global.sectors + sum.shared.wavefronts) / std::max(1.0, all);
    // A line that touches both shows the worse of the two.
    const double waste_g = ratio(sum.global.sectors, sum.global.sectors_ideal);
    const double waste_s = ratio(sum.shared.wavefronts, sum.shared.wavefronts_ideal);
    if (sum.global.requests > 0 && (sum.shared.requests == 0 || waste_g >= waste_s)) {
      cost.unit = LineCost::Unit::Sectors;
      cost.value = ratio(sum.global.sectors, sum.global.requests);
      cost.ideal = ratio(sum.global.sectors_ideal, sum.global.requests);
    } else if (sum.shared.requests > 0) {
      cost.unit = LineCost::Unit::Wavefronts;
      cost.value = ratio(sum.shared.wavefronts, sum.shared.requests);
      cost.ideal = ratio(sum.shared.wavefronts_ideal, sum.shared.requests);
    } else if (sum.divergent > 0) {
      cost.unit = LineCost::Unit::Divergence;
      cost.value = ratio(sum.divergent, sum.branches);
    }
    if (cost.unit != LineCost::Unit::None) out.push_back(cost);
  }
  return out;
}

}  // namespace warplens::window
