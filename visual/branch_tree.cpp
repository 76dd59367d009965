#include "visual/branch_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/base/typography.h"

namespace warplens::visual {
namespace {

constexpr float kPitch = 22, kMost = 8;  // between strands; strands drawn apart

std::size_t widest(const std::vector<std::vector<Strand>>& strands) {
  std::size_t most = 1;
  for (const auto& row : strands) most = std::max(most, row.size());
  return most;
}

// Places strands and draws them.
class Tree {
 public:
  Tree(Draft& draft, const Rect& area, std::span<const TreeRow> rows)
      : draft_(draft), rows_(rows), strands_(strands_of(rows)) {
    const auto columns = std::min(kMost, static_cast<float>(widest(strands_)));
    pitch_ = columns > 1 ? std::min(kPitch, (area.width - 12) / (columns - 1)) : 0;
    left_ = area.x + 6;
  }

  void draw(const std::function<std::string(std::size_t)>& tip) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t k = 0; k < strands_[i].size(); ++k) along(i, k);
      if (i > 0) between(i);
    }
    for (std::size_t i = 1; i < rows_.size(); ++i) node(i, tip(i));
  }

 private:
  float x(std::size_t column) const {
    return left_ + pitch_ * std::min(static_cast<float>(column), kMost - 1);
  }
  float width(LaneMask lanes) const {
    return 1.5f + std::min(3.5f, pitch_ > 0 ? pitch_ * 0.4f : 3.5f) *
                      static_cast<float>(active_lanes(lanes)) / kWarpSize;
  }
  // How far from the edge of a row its strands begin to bend.
  float bend(std::size_t i) const { return std::min(7.0f, (rows_[i].bottom - rows_[i].top) * 0.4f); }
  Ink ink(bool runs) const { return runs ? Ink::of(Role::Text, 0.9f) : Ink::of(Role::Dim, 0.8f); }

  void along(std::size_t i, std::size_t k) {
    const Strand& strand = strands_[i][k];
    const float from = rows_[i].top + (i > 0 ? bend(i) : 0);
    const float to = rows_[i].bottom - (i + 1 < rows_.size() ? bend(i) : 0);
    Shape& s = draft_.line(fmt::format("strand.{}.{}", i, k), {{x(k), from}, {x(k), to}}, ink(strand.runs),
                           width(strand.lanes));
    s.dashed = !strand.runs;
    s.tooltip =
        draft_.say(strand.runs ? "view.active_lanes.strand_runs" : "view.active_lanes.strand_waits",
                   {{"lanes", lanes_text(strand.lanes)}, {"n", value_of(active_lanes(strand.lanes))}});
  }

  void between(std::size_t i) {
    for (std::size_t a = 0; a < strands_[i - 1].size(); ++a)
      for (std::size_t b = 0; b < strands_[i].size(); ++b) {
        const Strand &from = strands_[i - 1][a], &to = strands_[i][b];
        const LaneMask common = from.lanes & to.lanes;
        if (!common) continue;
        const Point p{x(a), rows_[i - 1].bottom - bend(i - 1)}, q{x(b), rows_[i].top + bend(i)};
        const float middle = (p.y + q.y) / 2;
        Shape& s = draft_.curve(fmt::format("strand.{}.{}.{}", i, a, b), {p, {p.x, middle}, {q.x, middle}, q},
                                ink(to.runs), width(common));
        s.dashed = !to.runs;
      }
  }

  // A diamond where lanes part, a disc where they meet, a ring where the turn passes to others.
  void node(std::size_t i, const std::string& tip) {
    const LaneMask before = rows_[i - 1].active, now = rows_[i].active;
    if (before == now || now == 0) return;
    const float y = (rows_[i - 1].bottom + rows_[i].top) / 2;
    const std::string id = fmt::format("tree.{}", i);
    if ((now & before) == now) {
      if ((before & ~now & rows_[i].waits) == 0) return;  // the others have left: nothing parts
      const float at = x(strands_[i - 1].size() - 1), r = 4;
      draft_.polygon(id, {{at, y - r}, {at + r, y}, {at, y + r}, {at - r, y}}, Ink::of(Role::Warn)).tooltip =
          tip;
    } else if ((now & before) == before) {
      draft_.disc(id, {x(strands_[i].size() - 1), y}, 4, Ink::of(Role::Good)).tooltip = tip;
    } else {
      Shape& s = draft_.disc(id, {x(strands_[i].size() - 1), y}, 3, Ink::of(Role::Ground));
      s.stroke = Ink::of(Role::Dim);
      s.stroke_width = 1.5f;
      s.tooltip = tip;
    }
  }

  Draft& draft_;
  std::span<const TreeRow> rows_;
  std::vector<std::vector<Strand>> strands_;
  float pitch_ = kPitch, left_ = 0;
};

}  // namespace

std::vector<std::vector<Strand>> strands_of(std::span<const TreeRow> rows) {
  std::vector<std::vector<Strand>> out(rows.size());
  // Going back in time, the row in which each lane runs next.
  std::array<std::size_t, kWarpSize> resumes;
  resumes.fill(rows.size());
  for (std::size_t i = rows.size(); i-- > 0;) {
    std::vector<std::pair<std::size_t, LaneMask>> waiting;
    for (LaneMask m = rows[i].waits; m; m &= m - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(m));
      const auto same = std::find_if(waiting.begin(), waiting.end(),
                                     [&](const auto& w) { return w.first == resumes[lane]; });
      if (same == waiting.end())
        waiting.emplace_back(resumes[lane], LaneMask{1} << lane);
      else
        same->second |= LaneMask{1} << lane;
    }
    std::sort(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [when, lanes] : waiting) out[i].push_back({lanes, false});
    if (rows[i].active) out[i].push_back({rows[i].active, true});
    for (LaneMask m = rows[i].active; m; m &= m - 1)
      resumes[static_cast<std::size_t>(std::countr_zero(m))] = i;
  }
  return out;
}

float branch_tree_width(std::span<const TreeRow> rows) {
  return 12 + kPitch * (std::min(kMost, static_cast<float>(widest(strands_of(rows)))) - 1);
}

void draw_branch_tree(Draft& draft, const Rect& area, std::span<const TreeRow> rows,
                      const std::function<std::string(std::size_t)>& tip) {
  if (!rows.empty()) Tree(draft, area, rows).draw(tip);
}

}  // namespace warplens::visual
