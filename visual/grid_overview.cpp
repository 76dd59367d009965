// Where are the worst warps? Every traced block is a row, every warp a cell, stronger the more it loses;
// or, where every warp of the launch was counted, the whole grid as a picture (grid_heat.h);
// beside it the measures to choose from, the worst warps and the worst lines, a click on any of which goes
// there. A chosen block opens beside the rows of all, a chosen warp shows its instructions: grid, block,
// warp, instruction.
//
// Small panes lose, in this order: the measures, the worst lines, the worst warps. Many blocks share rows,
// and say so.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "visual/grid_costs.h"
#include "visual/grid_heat.h"
#include "visual/layout.h"
#include "visual/site_costs.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

// A trace this small is summed up on the spot when nobody has done it beforehand.
constexpr std::size_t kSmallTrace = 4000;
constexpr std::size_t kStepsOfWarp = 2000;  // that are looked at for the instructions of one warp

struct Cell {
  const WarpCost* worst = nullptr;  // of the warps it stands for
  int warps = 0;
};

class GridOverview {
 public:
  GridOverview(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.trace || input_.trace->size() == 0) return empty("view.empty.headline", "view.empty.advice");
    if (input_.grid) {
      costs_ = input_.grid;
    } else if (input_.trace->size() <= kSmallTrace) {
      own_ = collect_grid_costs(*input_.trace);
      costs_ = &own_;
    }
    if (!costs_ || costs_->warps.empty()) return empty("view.grid.none", "view.grid.none_advice");
    take_totals();
    measure_ = input_.measure == Measure::Automatic ? best_measure() : input_.measure;
    sum_up();
    find_chosen();
    Rect rest = header();
    place(rest);
    return draft_.finish(transcript());
  }

 private:
  Scene empty(const char* headline, const char* advice) {
    Rect rest = draft_.header({.title = draft_.say("view.grid.title")});
    draft_.empty(rest, draft_.say(headline), draft_.say(advice));
    return draft_.finish(draft_.say(headline));
  }

  double loss(const WarpCost& warp) const { return loss_of(warp, measure_); }

  // Where every warp was counted, the traced ones have their numbers from there too.
  void take_totals() {
    if (!input_.warp_totals) return;
    if (costs_ != &own_) own_ = *costs_;
    costs_ = &own_;
    const analysis::WarpTotals& counts = *input_.warp_totals->counts;
    for (WarpCost& warp : own_.warps) {
      const std::size_t index = warp.block * counts.warps_per_block + warp.warp;
      if (index >= counts.all.size()) return;
      const std::size_t first_step = warp.first_step;
      warp = input_.warp_totals->at(index);
      warp.first_step = first_step;
    }
    has_whole_ = counts.all.size() > own_.warps.size();
  }

  // What differs from warp to warp over the whole launch, before what is lost.
  Measure best_measure() const {
    if (!has_whole_) return costliest(*costs_);
    constexpr double kUneven = 0.1;
    const GridSum& work = input_.warp_totals->by(Measure::Instructions);
    if (work.spread > kUneven) return Measure::Instructions;
    const GridSum& idle = input_.warp_totals->by(Measure::IdleLanes);
    if (idle.spread > kUneven && idle.cost > 0.02 * idle.slots) return Measure::IdleLanes;
    return costliest(*costs_);
  }

  void sum_up() {
    sum_up_traced();
    if (!has_whole_) return;
    whole_ = &input_.warp_totals->by(measure_);
    cost_ = whole_->cost;
    ideal_ = whole_->ideal;
    slots_ = whole_->slots;
    most_ = whole_->most;
    least_ = whole_->least;
    least_cost_ = whole_->least_cost;
    most_cost_ = whole_->most_cost;
  }

  void sum_up_traced() {
    for (const WarpCost& w : costs_->warps) {
      const CostAndIdeal c = cost_of(w, measure_);
      cost_ += c.cost;
      ideal_ += c.ideal;
      slots_ += static_cast<double>(w.executions) * kWarpSize;
      most_ = std::max(most_, loss(w));
      least_ = ranked_.empty() ? loss(w) : std::min(least_, loss(w));
      least_cost_ = ranked_.empty() ? c.cost : std::min(least_cost_, c.cost);
      most_cost_ = std::max(most_cost_, c.cost);
      warps_per_block_ = std::max(warps_per_block_, w.warp + 1);
      if (ranked_.empty() || costs_->warps[ranked_.back()].block != w.block) ++blocks_;
      ranked_.push_back(static_cast<std::size_t>(&w - costs_->warps.data()));
    }
    const auto top = std::min<std::size_t>(ranked_.size(), 16);
    std::partial_sort(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(top), ranked_.end(),
                      [this](std::size_t a, std::size_t b) {
                        const double la = loss(costs_->warps[a]), lb = loss(costs_->warps[b]);
                        return la != lb ? la > lb : a < b;
                      });
    ranked_.resize(top);
  }

  // The block to open, when several are traced.
  void find_chosen() {
    if (blocks_ < 2 || !input_.selection.block) return;
    const auto begin = std::find_if(costs_->warps.begin(), costs_->warps.end(),
                                    [&](const WarpCost& w) { return w.block == *input_.selection.block; });
    const auto end = std::find_if(begin, costs_->warps.end(),
                                  [&](const WarpCost& w) { return w.block != *input_.selection.block; });
    chosen_ = {begin, end};
  }

  std::string answer() const {
    if (measure_ == Measure::IdleLanes)
      return draft_.say("view.grid.answer_idle", {{"share", percent_text(slots_ > 0 ? cost_ / slots_ : 0)}});
    if (measure_ == Measure::Instructions)
      return draft_.say("view.grid.answer_instructions",
                        {{"n", group_digits(static_cast<std::uint64_t>(cost_))}});
    return draft_.say("view.grid.answer_" + key_of(measure_),
                      {{"ratio", plain_number(ideal_ > 0 ? cost_ / ideal_ : 1)}});
  }

  std::string covered() const {
    const std::uint64_t blocks = std::max<std::uint64_t>(blocks_, costs_->blocks_total);
    if (input_.warp_totals) {
      std::string all = draft_.say(
          blocks == 1 ? "view.grid.covered_one" : "view.grid.covered_all",
          {{"blocks", value_of(blocks)}, {"warps", value_of(input_.warp_totals->counts->all.size())}});
      return input_.warp_totals->emulated ? draft_.say("view.grid.covered_emulated", {{"all", all}}) : all;
    }
    return draft_.say("view.grid.covered", {{"n", group_digits(blocks_)}, {"all", group_digits(blocks)}});
  }

  bool is_worse() const { return measure_ != Measure::Instructions && cost_ > ideal_; }

  Rect header() {
    return draft_.header(
        {.title = draft_.say("view.grid.title"),
         .about = draft_.say("view.grid.coloured_by",
                             {{"what", draft_.say("view.grid.measure_" + key_of(measure_))}}),
         .answer = answer(),
         .sub = covered(),
         .worse = is_worse(),
         .evidence = counted(known_of(input_, measure_))});
  }

  std::string transcript() const {
    const WarpCost& w = worst(0);
    return draft_.say("view.grid.transcript", {{"what", draft_.say("view.grid.measure_" + key_of(measure_))},
                                               {"answer", answer()},
                                               {"block", value_of(w.block)},
                                               {"warp", value_of(w.warp)},
                                               {"n", plain_number(cost_of(w, measure_).cost)}});
  }

  std::size_t worst_count() const { return whole_ ? whole_->worst.size() : ranked_.size(); }
  const WarpCost& worst(std::size_t i) const { return whole_ ? whole_->worst[i] : costs_->warps[ranked_[i]]; }

  void place(Rect rest) {
    if (rest.width > 560) {
      Rect side = take_right(rest, std::clamp(rest.width * 0.42f, 220.0f, 760.0f), 32);
      if (side.height > 380) measures(take_top(side, 56, 16));
      const auto sites = instructions();
      const auto lines = sites.empty() ? worst_lines() : std::vector<LineCost>{};
      const bool both = side.height > 260 && !(lines.empty() && sites.empty());
      Rect upper = both ? take_top(side, side.height * 0.5f - 8, 16) : side;
      if (!both && !sites.empty()) {
        instruction_list(side, sites);
      } else {
        warp_list(upper);
        if (both && !sites.empty()) instruction_list(side, sites);
        if (both && sites.empty()) line_list(side, lines);
      }
    }
    if (whole_) {
      whole_map(rest);
    } else if (!chosen_.empty() && rest.width > 420) {
      const Rect strip = take_left(rest, std::clamp(rest.width * 0.26f, 132.0f, 240.0f), 24);
      heat_map(strip, true);
      open_block(rest);
    } else {
      heat_map(rest, false);
    }
  }

  // Few kernels do; to the others it would be one more empty tile.
  bool reads_constants() const {
    if (has_whole_) return input_.warp_totals->by(Measure::Constants).cost > 0;
    return std::ranges::any_of(costs_->warps, [](const WarpCost& w) { return w.constants > 0; });
  }

  // What each measure says of this run; a click colours by it.
  void measures(const Rect& r) {
    const Measure kept = measure_;
    std::vector<Measure> all{Measure::Sectors, Measure::Wavefronts, Measure::IdleLanes,
                             Measure::Instructions};
    if (reads_constants()) all.insert(all.begin() + 2, Measure::Constants);
    for (std::size_t i = 0; i < all.size(); ++i) {
      measure_ = all[i];
      double cost = 0, ideal = 0, slots = slots_;
      if (has_whole_) {
        const GridSum& sum = input_.warp_totals->by(measure_);
        cost = sum.cost, ideal = sum.ideal, slots = sum.slots;
      } else {
        for (const WarpCost& w : costs_->warps) {
          const CostAndIdeal c = cost_of(w, measure_);
          cost += c.cost;
          ideal += c.ideal;
        }
      }
      const Rect cell = cell_of(r, static_cast<int>(i), static_cast<int>(all.size()), 8);
      const bool now = measure_ == kept;
      Shape& s =
          draft_.box("measure." + key_of(measure_), cell, Ink::of(now ? Role::Raised : Role::Panel), 6);
      if (now) {
        s.stroke = Ink::of(Role::Accent);
        s.stroke_width = 1.5f;
      }
      s.target.measure = static_cast<int>(measure_);
      const std::string name = draft_.say("view.grid.tile_" + key_of(measure_));
      s.tooltip =
          draft_.say("view.grid.choose", {{"what", draft_.say("view.grid.measure_" + key_of(measure_))}});
      const std::string value = short_value(cost, ideal, slots);
      const bool worse = measure_ != Measure::Instructions && cost > ideal;
      const Rect inner = inset(cell, 8, 6);
      draft_.text("measure." + key_of(measure_) + ".value", {inner.x, inner.y, inner.width, 22}, value,
                  {draft_.largest_size(value, inner.width, 22, kHeading, Face::SansBold), Face::SansBold,
                   Ink::of(worse ? Role::Warn : Role::Text), Align::Left});
      draft_.text("measure." + key_of(measure_) + ".name", {inner.x, inner.bottom() - 16, inner.width, 16},
                  name, dim(kTiny));
    }
    measure_ = kept;
  }

  std::string short_value(double cost, double ideal, double slots) const {
    if (measure_ == Measure::IdleLanes) return percent_text(slots > 0 ? cost / slots : 0);
    if (measure_ == Measure::Instructions) return group_digits(static_cast<std::uint64_t>(cost));
    if (cost <= 0) return "–";
    return plain_number(ideal > 0 ? cost / ideal : 1) + "×";
  }

  // The warps of the chosen block, large enough to be pointed at.
  void open_block(Rect r) {
    Shape& back =
        draft_.text("caption.block", take_top(r, 16, 4),
                    draft_.say("view.grid.open_block", {{"block", value_of(*input_.selection.block)}}),
                    {kTiny, Face::SansBold, Ink::of(Role::Dim), Align::Left});
    back.tooltip = draft_.say("view.grid.back");
    take_bottom(r, 26);
    cells_of(r, chosen_);
  }

  // Where nothing is lost, or nothing could be, the cost itself is shown.
  bool by_cost() const { return measure_ == Measure::Instructions || most_ <= 0; }
  double share(const WarpCost& w) const {
    if (!by_cost()) return loss(w) / most_;
    return most_cost_ > 0 ? cost_of(w, measure_).cost / most_cost_ : 0;
  }
  Ink heat(double share) const {
    if (share <= 0) return Ink::of(Role::Raised);
    return Ink::of(by_cost() ? Role::Accent : Role::Warn, static_cast<float>(0.25 + 0.75 * share));
  }

  // Every warp of the launch; a click traces its block.
  void whole_map(Rect r) {
    draft_.caption("caption.blocks", take_top(r, 16, 4), draft_.say("view.grid.whole"));
    const Rect legend_row = take_bottom(r, 18, 8);
    const float high = draw_grid_heat(
        draft_, r,
        {*input_.warp_totals, [this](const WarpCost& w) { return share(w); },
         [this](double share) { return heat(share); },
         [this](const WarpCost& w, int warps) {
           std::string tip = tooltip(w);
           if (warps > 1) tip += "\n" + draft_.say("view.grid.of_many", {{"n", value_of(warps)}});
           return tip + "\n" + draft_.say("view.grid.open", {{"block", value_of(w.block)}});
         },
         [this](const WarpCost& w) { return plain_number(cost_of(w, measure_).cost); }, input_.selection});
    legend({legend_row.x, std::min(legend_row.y, r.y + high + 8), legend_row.width, legend_row.height});
  }

  // `strip`: the rows stand beside an open block, so that the others stay in reach.
  void heat_map(Rect r, bool strip) {
    draft_.caption("caption.blocks", take_top(r, 16, 4),
                   draft_.say(strip ? "view.grid.all_blocks" : "view.caption.blocks"));
    const Rect legend_row = take_bottom(r, 18, 8);
    if (blocks_ == 1) {
      cells_of(r, costs_->warps);
      legend(legend_row);
      return;
    }
    const auto columns = std::min<std::uint32_t>(32, warps_per_block_);
    const auto max_rows = static_cast<std::uint64_t>(std::clamp(r.height / 14, 1.0f, 40.0f));
    const std::uint64_t per_row = (blocks_ + max_rows - 1) / max_rows;
    const std::uint64_t rows = (blocks_ + per_row - 1) / per_row;
    std::vector<std::vector<Cell>> cells(rows, std::vector<Cell>(columns));
    std::vector<std::uint64_t> first_block(rows, 0), last_block(rows, 0);
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < costs_->warps.size(); ++i) {
      const WarpCost& w = costs_->warps[i];
      if (i > 0 && w.block != costs_->warps[i - 1].block) ++index;
      const std::uint64_t row = index / per_row;
      if (index % per_row == 0) first_block[row] = w.block;
      last_block[row] = w.block;
      Cell& cell = cells[row][w.warp * columns / warps_per_block_];
      if (!cell.worst || loss(w) > loss(*cell.worst)) cell.worst = &w;
      ++cell.warps;
    }
    const float names = 56;
    const float pitch = std::min(r.height / static_cast<float>(rows), 96.0f);
    const Rect field{r.x + names, r.y, r.width - names, r.height};
    for (std::uint64_t row = 0; row < rows; ++row) {
      const Rect line{field.x, field.y + pitch * static_cast<float>(row), field.width,
                      pitch - (pitch > 10 ? 3.0f : 1.0f)};
      const std::string name = per_row == 1 || first_block[row] == last_block[row]
                                   ? std::to_string(first_block[row])
                                   : fmt::format("{}–{}", first_block[row], last_block[row]);
      const bool here = input_.selection.block && *input_.selection.block >= first_block[row] &&
                        *input_.selection.block <= last_block[row];
      Shape& title = draft_.text(
          fmt::format("row.{}", row), {r.x, line.y + (line.height - 13) / 2, names - 8, 13}, name,
          {kTiny, here ? Face::MonoBold : Face::Mono, Ink::of(here ? Role::Text : Role::Dim), Align::Right});
      title.target.block = first_block[row];
      title.tooltip = draft_.say("view.grid.open", {{"block", value_of(first_block[row])}});
      for (std::uint32_t column = 0; column < columns; ++column)
        if (cells[row][column].worst)
          cell(cell_of(line, static_cast<int>(column), static_cast<int>(columns),
                       columns > 12 && strip ? 0.5f : 3),
               cells[row][column], !strip);
    }
    if (!strip) legend(legend_row);
  }

  // The warps of one block in rows, as square as they come.
  void cells_of(Rect r, std::span<const WarpCost> warps) {
    const auto count = static_cast<float>(warps.size());
    const float ideal = std::sqrt(count * r.width / std::max(1.0f, r.height * 1.6f));
    const int columns = static_cast<int>(std::clamp(std::ceil(ideal), 1.0f, std::max(1.0f, count)));
    const int rows = (static_cast<int>(count) + columns - 1) / columns;
    const float pitch = std::min(r.height / static_cast<float>(rows), 240.0f);
    for (std::size_t i = 0; i < warps.size(); ++i) {
      const int row = static_cast<int>(i) / columns, column = static_cast<int>(i) % columns;
      const Rect line{r.x, r.y + pitch * static_cast<float>(row), r.width, pitch - 4};
      const Rect box = cell_of(line, column, columns, 4);
      cell(box, {&warps[i], 1}, true);
      const std::string name = draft_.say("view.grid.warp", {{"n", value_of(warps[i].warp)}});
      const bool strong = share(warps[i]) > 0.6;
      if (box.height > 44 && draft_.fits(name, box.width - 12, kTiny))
        draft_.text(fmt::format("warp.{}.name", i), {box.x + 6, box.y + 4, box.width - 12, 14}, name,
                    {kTiny, Face::Sans, Ink::of(strong ? Role::OnAccent : Role::Dim), Align::Left});
    }
  }

  void cell(const Rect& r, const Cell& c, bool numbered) {
    const WarpCost& w = *c.worst;
    Shape& s = draft_.box(fmt::format("{}.{}.{}", numbered ? "warp" : "strip", w.block, w.warp), r,
                          heat(share(w)), std::min(3.0f, r.width / 4));
    s.target.block = w.block;
    s.target.warp = w.warp;
    s.target.step = w.first_step;
    s.tooltip = tooltip(w);
    if (c.warps > 1) s.tooltip += "\n" + draft_.say("view.grid.of_many", {{"n", value_of(c.warps)}});
    const bool chosen = input_.selection.block == w.block && input_.selection.warp == w.warp;
    if (chosen) {
      s.stroke = Ink::of(Role::Text);
      s.stroke_width = 2;
    }
    const std::string number = plain_number(cost_of(w, measure_).cost);
    if (!numbered || r.height < 13 || !draft_.fits(number, r.width - 4, kTiny, Face::Mono)) return;
    const bool strong = share(w) > 0.6;
    const float size = r.height > 44
                           ? draft_.largest_size(number, r.width - 8, r.height - 28, kLarge, Face::MonoBold)
                           : kTiny;
    draft_.text(fmt::format("warp.{}.{}.n", w.block, w.warp), r, number,
                {size, Face::Mono, Ink::of(strong ? Role::OnAccent : Role::Text), Align::Centre});
  }

  std::string tooltip(const WarpCost& w) const {
    const CostAndIdeal c = cost_of(w, measure_);
    const std::string where =
        draft_.say("view.access.where", {{"block", value_of(w.block)}, {"warp", value_of(w.warp)}});
    return where + "\n" +
           draft_.say("view.grid.cell_" + key_of(measure_),
                      {{"n", plain_number(c.cost)}, {"ideal", plain_number(c.ideal)}});
  }

  // What the colours mean, in the unit of the measure; one field where all warps are alike.
  void legend(Rect r) {
    const auto words = [this](const char* key, double n) {
      return draft_.say(std::string("view.grid.") + key + key_of(measure_), {{"n", plain_number(n)}});
    };
    const bool alike = by_cost() ? least_cost_ == most_cost_ : least_ == most_;
    const std::string low = alike ? "" : by_cost() ? "0" : draft_.say("view.grid.legend_ideal");
    const char* key = by_cost() ? alike ? "view.grid.legend_alike" : "view.grid.legend_up_to"
                      : alike   ? "view.grid.legend_alike_most"
                                : "view.grid.legend_most";
    const std::string high = draft_.say(key, {{"what", words("unit_", by_cost() ? most_cost_ : most_)}});
    if (!low.empty()) {
      const Rect left = take_left(r, draft_.width(low, kTiny) + 2, 6);
      draft_.text("legend.low", left, low, dim(kTiny));
    }
    for (int i = alike ? 5 : 0; i < 6; ++i)
      draft_.box(fmt::format("legend.{}", i), inset(take_left(r, 18, 2), 0, 4), heat(i / 5.0), 2);
    take_left(r, 4);
    draft_.text("legend.high", take_left(r, std::min(r.width, draft_.width(high, kTiny) + 2)), high,
                dim(kTiny));
  }

  // A row of a list: what it is, a bar for its share of the worst, its number.
  void list_row(const std::string& id, Rect r, const std::string& name, double cost, double ideal,
                double most, Face face, const Target& target, const std::string& tip) {
    const std::string number = plain_number(cost);
    Rect line = take_top(r, 18);
    const Rect right = take_right(line, draft_.width(number, kSmall, Face::Mono) + 2, 12);
    Shape& title = draft_.text(id, line, name,
                               {face == Face::Mono ? kTiny : kSmall, face, Ink::of(Role::Text), Align::Left});
    title.target = target;
    title.tooltip = tip;
    const bool worse = cost > ideal && measure_ != Measure::Instructions;
    draft_.text(id + ".n", right, number,
                {kSmall, Face::Mono, Ink::of(worse ? Role::Warn : Role::Dim), Align::Right});
    const Rect bar = take_top(r, 5);
    const float share = most > 0 ? static_cast<float>(cost / most) : 0,
                good = most > 0 ? static_cast<float>(std::min(ideal, cost) / most) : 0;
    draft_.box(id + ".needed", {bar.x, bar.y, bar.width * good, bar.height},
               Ink::of(measure_ == Measure::Instructions ? Role::Accent : Role::Good), 2);
    if (share > good) {
      Shape& lost =
          draft_.box(id + ".lost", {bar.x + bar.width * good, bar.y, bar.width * (share - good), bar.height},
                     Ink::of(Role::Warn), 2);
      lost.pattern = Pattern::Hatched;
      lost.tooltip = tip;
    }
  }

  void warp_list(Rect r) {
    draft_.caption("caption.worst_warps", take_top(r, 16, 4),
                   draft_.say(most_ > 0 ? "view.caption.worst_warps" : "view.grid.no_loss"));
    constexpr float pitch = 30;
    double most = 0;
    for (std::size_t k = 0; k < worst_count(); ++k) most = std::max(most, cost_of(worst(k), measure_).cost);
    for (std::size_t k = 0; k < worst_count() && r.height >= pitch; ++k) {
      const WarpCost& w = worst(k);
      const CostAndIdeal c = cost_of(w, measure_);
      Target target;
      target.block = w.block;
      target.warp = w.warp;
      if (!whole_) target.step = w.first_step;
      list_row(fmt::format("worst.{}", k), take_top(r, pitch),
               draft_.say("view.access.where", {{"block", value_of(w.block)}, {"warp", value_of(w.warp)}}),
               c.cost, c.ideal, most, Face::Sans, target, tooltip(w));
    }
  }

  std::vector<LineCost> worst_lines() const {
    std::vector<LineCost> out;
    if (!input_.report) return out;
    for (auto& [line, cost] : line_costs(*input_.report))
      if (cost_of(cost, measure_).cost > 0) out.push_back(std::move(cost));
    std::sort(out.begin(), out.end(), [this](const LineCost& a, const LineCost& b) {
      const CostAndIdeal ca = cost_of(a, measure_), cb = cost_of(b, measure_);
      const double la = ca.cost - ca.ideal, lb = cb.cost - cb.ideal;
      return la != lb ? la > lb : ca.cost > cb.cost;
    });
    return out;
  }

  // What each instruction of the chosen warp cost; its first steps only, where there are very many.
  struct SiteCost {
    trace::SiteId site = 0;
    std::size_t first_step = 0;
    WarpCost cost;
  };
  std::vector<SiteCost> instructions() const {
    std::vector<SiteCost> out;
    if (!input_.selection.block || !input_.selection.warp) return out;
    const trace::Trace& trace = *input_.trace;
    const auto block =
        std::find_if(trace.blocks().begin(), trace.blocks().end(),
                     [&](const trace::BlockSteps& b) { return b.block == *input_.selection.block; });
    if (block == trace.blocks().end()) return out;
    std::size_t looked = 0;
    for (std::size_t i = block->first; i < block->last && looked < kStepsOfWarp; ++i) {
      const trace::Step& s = trace.steps()[i];
      if (s.warp != *input_.selection.warp || s.kind == trace::StepKind::Mask || s.site >= trace.sites.size())
        continue;
      ++looked;
      auto at = std::find_if(out.begin(), out.end(), [&](const SiteCost& c) { return c.site == s.site; });
      if (at == out.end()) at = out.insert(out.end(), {s.site, i, {}});
      add_step(at->cost, trace, i);
    }
    std::erase_if(out, [this](const SiteCost& c) { return cost_of(c.cost, measure_).cost <= 0; });
    std::sort(out.begin(), out.end(), [this](const SiteCost& a, const SiteCost& b) {
      const CostAndIdeal ca = cost_of(a.cost, measure_), cb = cost_of(b.cost, measure_);
      return ca.cost - ca.ideal != cb.cost - cb.ideal ? ca.cost - ca.ideal > cb.cost - cb.ideal
                                                      : ca.cost > cb.cost;
    });
    return out;
  }

  void instruction_list(Rect r, const std::vector<SiteCost>& sites) {
    draft_.caption("caption.instructions", take_top(r, 16, 4),
                   draft_.say("view.grid.instructions", {{"block", value_of(*input_.selection.block)},
                                                         {"warp", value_of(*input_.selection.warp)}}));
    constexpr float pitch = 30;
    double most = 0;
    for (const SiteCost& c : sites) most = std::max(most, cost_of(c.cost, measure_).cost);
    for (std::size_t k = 0; k < sites.size() && r.height >= pitch; ++k) {
      const trace::Site& site = input_.trace->sites[sites[k].site];
      const CostAndIdeal c = cost_of(sites[k].cost, measure_);
      Target target;
      target.block = input_.selection.block;
      target.warp = input_.selection.warp;
      target.site = site.index;
      target.step = sites[k].first_step;
      list_row(fmt::format("site.{}", site.index), take_top(r, pitch),
               site.line > 0 ? fmt::format("{}  {}  {}", site.line, site.op, site.text) : site.op, c.cost,
               c.ideal, most, Face::Mono, target,
               site.op + "\n" + site.text + "\n" +
                   draft_.say("view.grid.cell_" + key_of(measure_),
                              {{"n", plain_number(c.cost)}, {"ideal", plain_number(c.ideal)}}));
    }
  }

  void line_list(Rect r, const std::vector<LineCost>& lines) {
    draft_.caption("caption.worst_lines", take_top(r, 16, 4), draft_.say("view.caption.worst_lines"));
    constexpr float pitch = 30;
    double most = 0;
    for (const LineCost& line : lines) most = std::max(most, cost_of(line, measure_).cost);
    for (std::size_t k = 0; k < lines.size() && r.height >= pitch; ++k) {
      const CostAndIdeal c = cost_of(lines[k], measure_);
      Target target;
      target.line = lines[k].line;
      list_row(fmt::format("line.{}", lines[k].line), take_top(r, pitch),
               fmt::format("{}  {}", lines[k].line, lines[k].text), c.cost, c.ideal, most, Face::Mono, target,
               draft_.say("view.grid.cell_" + key_of(measure_),
                          {{"n", plain_number(c.cost)}, {"ideal", plain_number(c.ideal)}}));
    }
  }

  Draft draft_;
  const ViewInput& input_;
  GridCosts own_;
  const GridCosts* costs_ = nullptr;
  Measure measure_ = Measure::Sectors;
  double cost_ = 0, ideal_ = 0, slots_ = 0, most_ = 0, least_ = 0, least_cost_ = 0, most_cost_ = 0;
  std::uint32_t warps_per_block_ = 1;
  std::uint64_t blocks_ = 0;
  const GridSum* whole_ = nullptr;  // of every warp of the launch, where more than the traced are known
  bool has_whole_ = false;
  std::span<const WarpCost> chosen_;  // of the block that is open; empty: none
  std::vector<std::size_t> ranked_;   // indexes of the worst warps, worst first
};

}  // namespace

Scene grid_overview(const ViewContext& context, const ViewInput& input) {
  return GridOverview(context, input).run();
}

bool grid_overview_applies(const ViewInput& input) {
  return input.trace && input.trace->size() > 0;
}

}  // namespace warplens::visual
