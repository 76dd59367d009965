#include "app/window/jobs/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/analysis/cost_marks.h"
#include "engine/analysis/known_counts.h"
#include "visual/layout.h"

namespace warplens::window {
namespace {

using analysis::AccessCost;
using analysis::GlobalCounts;
using analysis::Memory;

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string access_key(const AccessCost& access) {
  const char* const memory = access.local ? "local_" : access.memory == Memory::Constant ? "constant_" : "";
  return std::string("window.access.") + memory + std::string(name(access.kind));
}

// Of a number a request: the profiler's counters.
const char* counter_of(Memory memory) {
  return memory == Memory::Shared     ? "l1tex__data_pipe_lsu_wavefronts_mem_shared"
         : memory == Memory::Constant ? "idc__requests / smsp__inst_executed_op_ldc"
                                      : "l1tex__t_sectors / l1tex__t_requests";
}

LineCost::Unit unit_of(Memory memory) {
  return memory == Memory::Global   ? LineCost::Unit::Sectors
         : memory == Memory::Shared ? LineCost::Unit::Wavefronts
                                    : LineCost::Unit::Addresses;
}

// How the access costs a request, with what the other accesses to the same memory cost at hand.
Headline cost_of(const AccessCost& access, const std::vector<AccessCost>& all) {
  Headline out{figure_key(access.memory),
               fmt::format("{:.1f}", access.per_request()),
               {"window.figure.of_access",
                {{"access", value_of(Key{access_key(access)})},
                 {"line", value_of(access.line)},
                 {"ideal", value_of(access.ideal())}}},
               access.waste() > 0,
               access.evidence(),
               counter_of(access.memory)};
  if (access.line == 0) out.detail = {"window.figure.ideal", {{"ideal", value_of(access.ideal())}}};
  if (access.memory == Memory::Global && !access.local) out.access = access.kind;
  for (const AccessCost& other : all) {
    if (other.memory != access.memory) continue;
    out.others.push_back(access_line(other));
    out.only_one = out.only_one && (other.kind != access.kind || other.same_place(access));
  }
  return out;
}

void add_global(const AccessCost& access, const std::vector<AccessCost>& all, std::vector<Headline>& out) {
  out.push_back(cost_of(access, all));
  const GlobalCounts& g = access.global;
  const std::uint64_t fetched = g.sectors * static_cast<std::uint64_t>(kSectorBytes);
  const double used = static_cast<double>(g.bytes_unique) / std::max(1.0, static_cast<double>(fetched));
  out.push_back({"window.figure.used",
                 visual::percent_text(used),
                 {access.kind == AccessCost::Kind::Load ? "window.figure.fetched" : "window.figure.written",
                  {{"bytes", value_of(visual::bytes_text(fetched))}}},
                 used < 0.995 && access.waste() > 0,
                 access.evidence(),
                 "bytes_unique / (32 * sectors)"});
}

Headline lanes_of(const analysis::Report& report) {
  constexpr double kAllLanes = 31.95;  // what reads 32.0 is no warning
  const double lanes = report.execution.average_active_lanes();
  const bool splits = report.execution.divergent_branches > 0;
  const bool of_machine = report.execution.of_machine();
  Headline out{"window.figure.lanes",
               fmt::format("{:.1f}", lanes),
               splits ? Message{"window.figure.of_lanes",
                                {{"divergent", value_of(report.execution.divergent_branches)}}}
                      : Message{"window.figure.of_all_lanes", {}},
               splits && lanes < kAllLanes,
               analysis::known_counts(report).lanes_evidence(),
               "smsp__thread_inst_executed_per_inst_executed"};
  out.basis = {of_machine ? "window.figure.lanes_in_machine_code" : "window.figure.lanes_in_ptx", {}};
  return out;
}

Headline occupancy_of(const analysis::Report& report) {
  const analysis::Occupancy& o = report.occupancy;
  Message detail{"window.figure.full", {}};
  if (o.theoretical < 0.999 && !o.limiters.empty()) {
    detail = {"window.figure.limited",
              {{"by", Key{"window.limiter." + std::string(name(o.limiters.front()))}}}};
  }
  return {"window.figure.occupancy", fmt::format("{:.0f} %", o.theoretical * 100), detail, false,
          Evidence::Modelled,        "sm__maximum_warps_per_active_cycle_pct"};
}

}  // namespace

std::vector<Headline> headlines(const analysis::Report& report, std::size_t most) {
  std::vector<Headline> out;
  const std::vector<AccessCost> all = analysis::access_costs(report);
  const analysis::Focus focus = analysis::focus_of(all, report.about);
  // What is worse than ideal comes first: it is why the kernel is looked at.
  const auto comes_first = [&](Memory memory) {
    return focus.of(memory) && (focus.main == memory || focus.of(memory)->waste() > 0);
  };
  for (const Memory memory : {Memory::Shared, Memory::Constant})
    if (comes_first(memory)) out.push_back(cost_of(*focus.of(memory), all));
  if (report.execution.divergent_branches > 0) out.push_back(lanes_of(report));
  if (focus.global) add_global(*focus.global, all, out);
  for (const Memory memory : {Memory::Shared, Memory::Constant})
    if (focus.of(memory) && !comes_first(memory)) out.push_back(cost_of(*focus.of(memory), all));
  if (report.execution.divergent_branches == 0 && report.execution.warp_instructions > 0) {
    out.push_back(lanes_of(report));
  }
  if (report.occupancy.blocks_per_sm > 0) out.push_back(occupancy_of(report));
  // What the kernel itself names is first, be it well or not.
  const bool named = !report.about.empty() && focus.first();
  const std::string first = named ? figure_key(focus.main) : "";
  std::stable_sort(out.begin(), out.end(), [&](const Headline& a, const Headline& b) {
    return std::pair(a.name_key == first, a.worse) > std::pair(b.name_key == first, b.worse);
  });
  if (out.size() > most) out.resize(most);
  return out;
}

const char* figure_key(Memory memory) {
  return memory == Memory::Global   ? "window.figure.sectors"
         : memory == Memory::Shared ? "window.figure.passes"
                                    : "window.figure.addresses";
}

Message access_name(const AccessCost& access) {
  return {access.line > 0 ? "window.access.at_line" : "window.access.anywhere",
          {{"access", value_of(Key{access_key(access)})}, {"line", value_of(access.line)}}};
}

Message access_line(const AccessCost& access) {
  Message out = access_name(access);
  out.key += "_costs";
  out.values.emplace_back("value", value_of(access.per_request()));
  out.values.emplace_back("ideal", value_of(access.ideal()));
  out.values.emplace_back("unit",
                          value_of(Key{access.memory == Memory::Global   ? "window.source.sectors"
                                       : access.memory == Memory::Shared ? "window.source.passes"
                                                                         : "window.source.addresses"}));
  out.values.emplace_back("known", known_after(access.known));
  return out;
}

MessageValue known_after(Known known) {
  std::vector<Message> out;
  const std::string key = "window.evidence." + std::string(name(counted(known)));
  if (known != Known::MachineCode) out.push_back({"window.access.known", {{"evidence", value_of(Key{key})}}});
  return out;
}

std::vector<LineCost> line_costs(const analysis::Report& report) {
  struct Branches {
    std::uint64_t all = 0, divergent = 0;
  };
  std::map<int, std::map<std::string, Branches>> branches;  // of a line, by their instruction
  std::map<int, LineCost> lines;
  for (const trace::Site& site : report.sites) {
    if (site.line <= 0 || site.index >= report.totals.sites.size()) continue;
    const analysis::SiteTotals& t = report.totals.sites[site.index];
    if (site.kind != trace::SiteKind::Branch) continue;
    Branches& b = branches[site.line][site.op];
    b.all += t.executions;
    b.divergent += t.divergent;
    LineCost& cost = lines[site.line];
    if (t.executions > 0) cost.branches_known = weaker(cost.branches_known, site.known);
    cost.executions = std::max(cost.executions, t.executions);
  }
  double all = 0;
  for (AccessCost& access : analysis::access_costs(report)) {
    all += static_cast<double>(access.cost());
    if (access.line <= 0) continue;
    LineCost& cost = lines[access.line];
    cost.executions = std::max(cost.executions, access.executions);
    cost.share += static_cast<double>(access.cost());
    // The badge has the worst of them, by what it needs over what would do.
    const bool worse = cost.unit == LineCost::Unit::None ||
                       access.per_request() * cost.ideal > cost.value * access.ideal() * 1.001;
    if (worse) {
      cost.unit = unit_of(access.memory);
      cost.value = access.per_request();
      cost.ideal = access.ideal();
    }
    cost.accesses.push_back(std::move(access));
  }
  std::vector<LineCost> out;
  for (auto& [line, cost] : lines) {
    cost.line = line;
    cost.share /= std::max(1.0, all);
    // As the sentence has it: of the instruction that parts lanes, not with the line's other jumps.
    const auto& of_line = branches[line];
    const auto most = std::ranges::max_element(of_line, {}, [](const auto& b) { return b.second.divergent; });
    if (cost.unit == LineCost::Unit::None && most != of_line.end() && most->second.divergent > 0) {
      cost.unit = LineCost::Unit::Divergence;
      cost.value = ratio(most->second.divergent, most->second.all);
    }
    if (cost.unit != LineCost::Unit::None) out.push_back(std::move(cost));
  }
  return out;
}

std::vector<CostMark> cost_marks(const LineCost& cost) {
  if (cost.unit == LineCost::Unit::Divergence) return {{cost.value, cost.worse(), std::nullopt}};
  const Memory memory = cost.unit == LineCost::Unit::Wavefronts  ? Memory::Shared
                        : cost.unit == LineCost::Unit::Addresses ? Memory::Constant
                                                                 : Memory::Global;
  const auto apart = analysis::costs_apart(cost.accesses, memory);
  if (apart.size() < 2) return {{cost.value, cost.worse(), std::nullopt}};
  std::vector<CostMark> out;
  for (const AccessCost* a : apart) out.push_back({a->per_request(), analysis::is_worse(*a), a->kind});
  return out;
}

}  // namespace warplens::window
