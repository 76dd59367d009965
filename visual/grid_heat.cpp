#include "visual/grid_heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warplens::visual {
namespace {

constexpr float kLeastCell = 2;
constexpr std::uint64_t kMostCells = 5000;  // a view stays at a few thousand shapes
constexpr int kShades = 16;

// Where warps stand. A row of blocks alone is folded, or it would be a line.
class Field {
 public:
  Field(const analysis::WarpTotals& t, const Rect& r) : t_(t) {
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
  const analysis::WarpTotals& t_;
  std::uint64_t across_ = 1, down_ = 1, columns_ = 1, rows_ = 1;
  float wide_ = 1, high_ = 1;  // of a warp, in threads
  bool folded_ = false;
};

// The worst of the warps that a cell stands for; the first of those that are as bad.
struct Bin {
  WarpCost worst;
  double share = 0;
  int warps = 0;
};

class HeatMap {
 public:
  HeatMap(Draft& draft, const Rect& r, const GridHeat& heat)
      : draft_(draft), r_(r), heat_(heat), field_(*heat.totals.counts, r) {}

  // Returns its height.
  float draw() {
    const float scale = std::min({r_.width / (static_cast<float>(field_.columns()) * field_.wide()),
                                  r_.height / (static_cast<float>(field_.rows()) * field_.high()),
                                  200.0f / std::max(field_.wide(), field_.high())});
    if (scale <= 0) return 0;
    std::uint64_t columns = 0, rows = 0;
    // Warps that a cell stands for, each way: a cell is what can be seen and pointed at, and not too many.
    for (float least = kLeastCell; columns == 0 || columns * rows > kMostCells; least *= 1.1f) {
      const auto bin_of = [least](float side) {
        return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(least / side)));
      };
      across_ = bin_of(scale * field_.wide());
      down_ = bin_of(scale * field_.high());
      columns = (field_.columns() + across_ - 1) / across_;
      rows = (field_.rows() + down_ - 1) / down_;
    }
    wide_ = scale * field_.wide() * static_cast<float>(across_);
    high_ = scale * field_.high() * static_cast<float>(down_);
    for (std::uint64_t row = 0; row < rows; ++row)
      for (std::uint64_t column = 0; column < columns; ++column)
        if (const Bin bin = bin_at(column, row); bin.warps > 0) cell(column, row, bin);
    return static_cast<float>(rows) * high_;
  }

 private:
  Bin bin_at(std::uint64_t column, std::uint64_t row) const {
    const std::size_t all = heat_.totals.counts->all.size();
    Bin out;
    for (std::uint64_t y = row * down_; y < std::min((row + 1) * down_, field_.rows()); ++y)
      for (std::uint64_t x = column * across_; x < std::min((column + 1) * across_, field_.columns()); ++x) {
        const std::size_t here = field_.at(x, y);
        if (here >= all) continue;
        const WarpCost warp = heat_.totals.at(here);
        const double share = heat_.share(warp);
        if (out.warps++ == 0 || share > out.share) {
          out.worst = warp;
          out.share = share;
        }
      }
    return out;
  }

  void cell(std::uint64_t column, std::uint64_t row, const Bin& bin) {
    const WarpCost& w = bin.worst;
    const float gap = std::min(wide_, high_) > 5 ? 1.0f : 0.0f;
    const Rect box{r_.x + static_cast<float>(column) * wide_, r_.y + static_cast<float>(row) * high_,
                   wide_ - gap, high_ - gap};
    const std::string id = fmt::format("heat.{}.{}", w.block, w.warp);
    Shape& s = draft_.box(id, box, heat_.ink(std::round(bin.share * kShades) / kShades));
    s.target.block = w.block;
    s.target.warp = w.warp;
    s.tooltip = heat_.tip(w, bin.warps);
    const Selection& chosen = heat_.selection;
    if (chosen.block == w.block && (!chosen.warp || chosen.warp == w.warp)) {
      s.stroke = Ink::of(Role::Text);
      s.stroke_width = 2;
    }
    if (bin.warps > 1 || box.height < 16 || box.width < 24) return;
    const std::string number = heat_.number(w);
    if (!draft_.fits(number, box.width - 6, kTiny, Face::Mono)) return;
    draft_.text(id + ".n", box, number,
                {kTiny, Face::Mono, Ink::of(bin.share > 0.6 ? Role::OnAccent : Role::Text), Align::Centre});
  }

  Draft& draft_;
  const Rect r_;
  const GridHeat& heat_;
  const Field field_;
  std::uint64_t across_ = 1, down_ = 1;
  float wide_ = 1, high_ = 1;  // of a cell
};

}  // namespace

float draw_grid_heat(Draft& draft, const Rect& r, const GridHeat& heat) {
  return HeatMap(draft, r, heat).draw();
}

}  // namespace warplens::visual
