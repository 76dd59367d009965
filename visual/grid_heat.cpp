#include "visual/grid_heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warplens::visual {
namespace {

constexpr float kLeastCell = 4;
constexpr int kShades = 16;

WarpCost cost_at(const WarpTotals& totals, std::size_t index) {
  WarpCost out;
  out.block = index / totals.warps_per_block;
  out.warp = static_cast<std::uint32_t>(index % totals.warps_per_block);
  out.executions = totals.all[index].executions;
  out.lanes = totals.all[index].lanes;
  return out;
}

// Where warps stand. A row of blocks alone is folded, or it would be a line.
class Field {
 public:
  Field(const WarpTotals& t, const Rect& r) : t_(t) {
    // Blocks as wide as warps, or wider, cut along x; in narrower ones every warp is some rows of threads.
    across_ = t.block.x > kWarpSize ? t.block.x / kWarpSize : 1;
    if (t.warps_per_block % across_ != 0) across_ = 1;
    down_ = t.warps_per_block / across_;
    // As wide and as high as its threads lie, so that an image keeps its proportions.
    wide_ = static_cast<float>(t.block.x) / static_cast<float>(across_);
    high_ = static_cast<float>(t.block.y * t.block.z) / static_cast<float>(down_);
    if (t.grid.y == 1 && t.grid.z == 1) {
      // One row of blocks: the warps one after the other, in rows as square as the pane.
      folded_ = true;
      wide_ = high_ = 1;
      const auto n = static_cast<double>(t.all.size());
      columns_ = static_cast<std::uint64_t>(
          std::clamp(std::ceil(std::sqrt(n * r.width / std::max(1.0f, r.height))), 1.0, std::max(1.0, n)));
      rows_ = (t.all.size() + columns_ - 1) / columns_;
      return;
    }
    columns_ = std::uint64_t{t.grid.x} * across_;
    rows_ = std::uint64_t{t.grid.y} * t.grid.z * down_;
  }

  float wide() const { return wide_; }
  float high() const { return high_; }
  std::uint64_t columns() const { return columns_; }
  std::uint64_t rows() const { return rows_; }
  // t.all.size() where there is none.
  std::size_t at(std::uint64_t column, std::uint64_t row) const {
    if (folded_) return std::min<std::size_t>(row * columns_ + column, t_.all.size());
    const std::uint64_t block = (row / down_) * t_.grid.x + column / across_;
    return block * t_.warps_per_block + (row % down_) * across_ + column % across_;
  }

 private:
  const WarpTotals& t_;
  std::uint64_t across_ = 1, down_ = 1, columns_ = 1, rows_ = 1;
  float wide_ = 1, high_ = 1;  // of a warp, in threads
  bool folded_ = false;
};

}  // namespace

double loss_of(const WarpTotal& total, Measure measure) {
  if (measure == Measure::IdleLanes)
    return static_cast<double>(total.executions) * kWarpSize - static_cast<double>(total.lanes);
  return total.executions;
}

GridSum sum_up(const WarpTotals& totals, Measure measure, std::size_t ranked) {
  GridSum out;
  out.least = totals.all.empty() ? 0 : loss_of(totals.all.front(), measure);
  for (const WarpTotal& t : totals.all) {
    const double loss = loss_of(t, measure);
    out.cost += loss;
    out.slots += static_cast<double>(t.executions) * kWarpSize;
    out.most = std::max(out.most, loss);
    out.least = std::min(out.least, loss);
  }
  if (ranked == 0) return out;
  std::vector<std::size_t> order(totals.all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto top = std::min(order.size(), ranked);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double la = loss_of(totals.all[a], measure), lb = loss_of(totals.all[b], measure);
                      return la != lb ? la > lb : a < b;
                    });
  for (std::size_t i = 0; i < top; ++i) out.worst.push_back(cost_at(totals, order[i]));
  return out;
}

void draw_grid_heat(Draft& draft, const Rect& r, const GridHeat& heat) {
  const WarpTotals& t = heat.totals;
  const Field field(t, r);
  const float scale = std::min({r.width / (static_cast<float>(field.columns()) * field.wide()),
                                r.height / (static_cast<float>(field.rows()) * field.high()),
                                200.0f / std::max(field.wide(), field.high())});
  if (scale <= 0) return;
  // Warps that a cell stands for, each way: a cell is what can be seen and pointed at.
  const auto bin_of = [](float side) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(kLeastCell / side)));
  };
  const std::uint64_t across = bin_of(scale * field.wide()), down = bin_of(scale * field.high());
  const float wide = scale * field.wide() * static_cast<float>(across),
              high = scale * field.high() * static_cast<float>(down);
  const float gap = std::min(wide, high) > 10 ? 1.0f : 0.0f;
  const std::uint64_t columns = (field.columns() + across - 1) / across,
                      rows = (field.rows() + down - 1) / down;
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint64_t column = 0; column < columns; ++column) {
      std::size_t worst = t.all.size();
      int warps = 0;
      for (std::uint64_t y = row * down; y < std::min((row + 1) * down, field.rows()); ++y)
        for (std::uint64_t x = column * across; x < std::min((column + 1) * across, field.columns()); ++x) {
          const std::size_t here = field.at(x, y);
          if (here >= t.all.size()) continue;
          ++warps;
          if (worst == t.all.size() ||
              loss_of(t.all[here], heat.measure) > loss_of(t.all[worst], heat.measure))
            worst = here;
        }
      if (warps == 0) continue;
      const WarpCost w = cost_at(t, worst);
      const double share = heat.most > 0 ? loss_of(t.all[worst], heat.measure) / heat.most : 0;
      Shape& s = draft.box(fmt::format("heat.{}.{}", w.block, w.warp),
                           {r.x + static_cast<float>(column) * wide, r.y + static_cast<float>(row) * high,
                            wide - gap, high - gap},
                           heat.ink(heat.measure, std::round(share * kShades) / kShades));
      s.target.block = w.block;
      s.target.warp = w.warp;
      s.tooltip = heat.tip(w, warps);
      if (heat.selection.block == w.block && (!heat.selection.warp || heat.selection.warp == w.warp)) {
        s.stroke = Ink::of(Role::Text);
        s.stroke_width = 2;
      }
    }
}

}  // namespace warplens::visual
