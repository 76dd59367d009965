#include "visual/warp_totals.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "visual/grid_costs.h"

namespace warplens::visual {
namespace {

constexpr std::array kMeasures{Measure::Sectors, Measure::Wavefronts, Measure::Constants, Measure::IdleLanes,
                               Measure::Instructions};

GridSum sum_by(const WarpTotals& totals, Measure measure, std::size_t ranked) {
  GridSum out;
  const std::size_t warps = totals.counts->all.size();
  std::vector<std::pair<double, double>> losses(warps);  // and costs
  for (std::size_t i = 0; i < warps; ++i) {
    const WarpCost warp = totals.at(i);
    const CostAndIdeal c = cost_of(warp, measure);
    out.cost += c.cost;
    out.ideal += c.ideal;
    out.slots += static_cast<double>(warp.executions) * kWarpSize;
    out.least_cost = i == 0 ? c.cost : std::min(out.least_cost, c.cost);
    out.most_cost = std::max(out.most_cost, c.cost);
    losses[i] = {loss_of(warp, measure), c.cost};
    out.least = i == 0 ? losses[i].first : std::min(out.least, losses[i].first);
    out.most = std::max(out.most, losses[i].first);
  }
  const double mean = warps > 0 ? out.cost / static_cast<double>(warps) : 0;
  for (const auto& [loss, cost] : losses) out.spread += std::abs(cost - mean);
  out.spread = out.cost > 0 ? out.spread / out.cost : 0;
  std::vector<std::size_t> order(warps);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto top = std::min(warps, ranked);
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(),
      [&](std::size_t a, std::size_t b) { return losses[a] != losses[b] ? losses[a] > losses[b] : a < b; });
  for (std::size_t i = 0; i < top; ++i) out.worst.push_back(totals.at(order[i]));
  return out;
}

std::size_t index_of(Measure measure) {
  const auto found = std::find(kMeasures.begin(), kMeasures.end(), measure);
  return found == kMeasures.end() ? 0 : static_cast<std::size_t>(found - kMeasures.begin());
}

}  // namespace

const GridSum& WarpTotals::by(Measure measure) const {
  return sums[index_of(measure)];
}

WarpCost WarpTotals::at(std::size_t index) const {
  const analysis::WarpTotal& t = counts->all[index];
  WarpCost out;
  out.block = index / counts->warps_per_block;
  out.warp = static_cast<std::uint32_t>(index % counts->warps_per_block);
  out.sectors = t.sectors;
  out.sectors_ideal = t.sectors_ideal;
  out.wavefronts = t.wavefronts;
  out.wavefronts_ideal = t.wavefronts_ideal;
  out.constants = t.constants;
  out.constants_ideal = t.constants_ideal;
  out.executions = t.executions;
  out.lanes = t.lanes;
  return out;
}

WarpTotals sum_up(std::shared_ptr<const analysis::WarpTotals> counts, std::size_t ranked) {
  WarpTotals out;
  out.counts = std::move(counts);
  for (std::size_t i = 0; i < kMeasures.size(); ++i) out.sums[i] = sum_by(out, kMeasures[i], ranked);
  return out;
}

double loss_of(const WarpCost& warp, Measure measure) {
  const CostAndIdeal c = cost_of(warp, measure);
  // Without an ideal the cost itself is what differs from warp to warp.
  return measure == Measure::Instructions ? c.cost : std::max(0.0, c.cost - c.ideal);
}

}  // namespace warplens::visual
