#include "visual/grid_costs.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "engine/analysis/coalescing.h"
#include "engine/analysis/executed.h"
#include "engine/analysis/known_counts.h"
#include "engine/analysis/shared_banks.h"
#include "engine/trace/executed_as.h"

namespace warplens::visual {
namespace {

void add_access(WarpCost& cost, const trace::Trace& trace, const trace::AccessView& written) {
  const trace::Site* site = written.site < trace.sites.size() ? &trace.sites[written.site] : nullptr;
  if (site && site->in_registers) return;
  const analysis::Executed as = analysis::executed(trace, written);
  if (as.merged_away) return;  // what was merged into another access costs nothing of its own
  const trace::AccessView& access = as.access;
  const int bytes = access.bytes;
  const auto& addresses = access.addresses;
  switch (access.space) {
    case trace::Space::Global: {
      const auto counts = analysis::count_global(access.kind, bytes, access.active, addresses.data());
      cost.sectors += counts.sectors;
      cost.sectors_ideal += counts.sectors_ideal;
      break;
    }
    case trace::Space::Local: {
      const auto counts = analysis::count_local(bytes, access.active, addresses.data());
      cost.sectors += counts.sectors;
      cost.sectors_ideal += counts.sectors_ideal;
      break;
    }
    case trace::Space::Shared: {
      const bool floating = site && site->floating_shared_atomic;
      const auto counts =
          analysis::count_shared(access.kind, bytes, access.active, addresses.data(), floating);
      cost.wavefronts += counts.wavefronts;
      cost.wavefronts_ideal += counts.wavefronts - counts.bank_conflicts;
      break;
    }
    case trace::Space::Constant: {
      if (site && trace::executed_as(*site) == trace::ExecutedAs::Operand) break;
      const auto counts = analysis::count_constant(bytes, access.active, addresses.data());
      cost.constants += counts.addresses;
      cost.constants_ideal += counts.requests;
      break;
    }
    default:
      break;
  }
}

}  // namespace

void add_step(WarpCost& cost, const trace::Trace& trace, std::size_t step) {
  const trace::Step& s = trace.steps()[step];
  const bool is_access = s.kind == trace::StepKind::Access;
  if (!is_access && s.kind != trace::StepKind::Branch) return;
  ++cost.executions;
  cost.lanes += static_cast<std::uint64_t>(active_lanes(s.active));
  if (is_access && s.active != 0) add_access(cost, trace, trace.access(step));
}

GridCosts collect_grid_costs(const trace::Trace& trace) {
  GridCosts out;
  out.blocks_total = trace.blocks_total;
  for (const trace::BlockSteps& block : trace.blocks()) {
    std::unordered_map<std::uint32_t, WarpCost> warps;
    for (std::size_t step = block.first; step < block.last; ++step) {
      const trace::Step& s = trace.steps()[step];
      auto [it, fresh] = warps.try_emplace(s.warp);
      WarpCost& cost = it->second;
      if (fresh) {
        cost.block = block.block;
        cost.warp = s.warp;
        cost.first_step = step;
      }
      add_step(cost, trace, step);
    }
    const std::size_t first = out.warps.size();
    for (const auto& [warp, cost] : warps) out.warps.push_back(cost);
    std::sort(out.warps.begin() + static_cast<std::ptrdiff_t>(first), out.warps.end(),
              [](const WarpCost& a, const WarpCost& b) { return a.warp < b.warp; });
  }
  return out;
}

Known known_of(const ViewInput& input, Measure measure) {
  if (!input.report) {
    Known known = Known::MachineCode;
    if (input.trace)
      for (const trace::Site& site : input.trace->sites) known = weaker(known, site.known);
    return known;
  }
  const analysis::KnownCounts known = analysis::known_counts(*input.report);
  switch (measure) {
    case Measure::Sectors:
      return known.global();
    case Measure::Wavefronts:
      return known.shared();
    case Measure::Constants:
      return known.of(known.constant_load);
    default:
      return known.all();
  }
}

std::string key_of(Measure measure) {
  switch (measure) {
    case Measure::Wavefronts:
      return "wavefronts";
    case Measure::Constants:
      return "constants";
    case Measure::IdleLanes:
      return "idle";
    case Measure::Instructions:
      return "instructions";
    default:
      return "sectors";
  }
}

Measure costliest(const GridCosts& costs) {
  double sectors = 0, wavefronts = 0, constants = 0, idle = 0;
  for (const WarpCost& w : costs.warps) {
    sectors += static_cast<double>(w.sectors - std::min(w.sectors, w.sectors_ideal));
    wavefronts += static_cast<double>(w.wavefronts - std::min(w.wavefronts, w.wavefronts_ideal));
    constants += static_cast<double>(w.constants - std::min(w.constants, w.constants_ideal));
    // A lane that idles loses a thirty-second of an instruction, a sector or a pass loses a whole slot.
    idle += static_cast<double>(w.executions * kWarpSize - w.lanes) / kWarpSize;
  }
  const std::array losses{std::pair(sectors, Measure::Sectors), std::pair(wavefronts, Measure::Wavefronts),
                          std::pair(constants, Measure::Constants), std::pair(idle, Measure::IdleLanes)};
  const auto worst = std::ranges::max_element(losses, {}, &std::pair<double, Measure>::first);
  if (worst->first > 0) return worst->second;
  for (const WarpCost& w : costs.warps) {
    if (w.sectors > 0) return Measure::Sectors;
    if (w.wavefronts > 0) return Measure::Wavefronts;
    if (w.constants > 0) return Measure::Constants;
  }
  return Measure::Instructions;
}

}  // namespace warplens::visual
