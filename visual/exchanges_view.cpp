// Which lane hears which lane? What the lanes of a warp tell each other without memory, as a network: a row
// of 32 cells is what each lane has, an arc leads from the lane that gives to the lane that gets, and a cell
// says of how many lanes the values are in it. Votes, matches and reductions go through one gate: all give,
// all get. The lane that is pointed at, at the end, has the way of everything that it got lit up.
//
// It is read from the code, not from a run: it stands still. Where a kernel has several networks, the one
// nearest the cursor's line is shown. Small panes lose, in this order: the sentence, names of functions, the
// last exchanges.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "engine/analysis/exchanges.h"
#include "engine/base/typography.h"
#include "visual/lane_cells.h"
#include "visual/layout.h"
#include "visual/pick.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

using analysis::Exchange;
using analysis::ExchangeNetwork;

constexpr float kLeastStage = 34, kMostStage = 190;
constexpr float kLeastHeld = 13, kMostHeld = 26;

int count_of(LaneMask mask) {
  return std::popcount(mask);
}

class ExchangesView {
 public:
  ExchangesView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!exchanges_applies(input_)) return empty();
    network_ = &nearest();
    sentence_ = words();
    Rect rest = header();
    const float height = draft_.sentence_height(sentence_, rest.width, 3);
    if (rest.height - height > 200) draft_.sentence("words", take_bottom(rest, height, 12), sentence_);
    place(rest);
    return draft_.finish(draft_.say(
        "view.exchanges.transcript",
        {{"about", value_of(about())}, {"n", value_of(all().size())}, {"why", value_of(sentence_)}}));
  }

 private:
  const std::vector<Exchange>& all() const { return network_->exchanges; }

  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.exchanges.title")});
    draft_.empty(rest, draft_.say("view.exchanges.none"), draft_.say("view.exchanges.none_advice"));
    return draft_.finish(draft_.say("view.exchanges.none"));
  }

  // The network whose lines are nearest to the line of the cursor's step.
  const ExchangeNetwork& nearest() const {
    const trace::Trace* trace = input_.trace;
    int line = 0;
    if (trace != nullptr && input_.cursor.step < trace->size()) {
      const trace::SiteId site = trace->steps()[input_.cursor.step].site;
      if (site < trace->sites.size()) line = trace->sites[site].line;
    }
    const auto far = [&](const ExchangeNetwork& network) {
      int out = 1 << 20;
      for (const Exchange& one : network.exchanges) out = std::min(out, std::abs(one.line - line));
      return out;
    };
    return *std::ranges::min_element(*input_.exchanges, {}, far);
  }

  // The first line, and each function once.
  std::string about() const {
    const Exchange& first = all().front();
    std::string out = first.line > 0
                          ? draft_.say("view.exchanges.line", {{"line", value_of(first.line)}}) + " · "
                          : std::string();
    std::vector<std::string> functions;
    for (const Exchange& one : all())
      if (std::ranges::find(functions, one.function) == functions.end()) functions.push_back(one.function);
    for (std::size_t i = 0; i < functions.size(); ++i) out += (i == 0 ? "" : ", ") + functions[i];
    out += " · " + draft_.say("view.exchanges.from_code");  // nobody has counted anything
    return out;
  }

  // Lanes that have everybody's values in the end.
  LaneMask whole() const {
    LaneMask out = 0;
    for (int lane = 0; lane < kWarpSize; ++lane)
      if (all().back().holds[static_cast<std::size_t>(lane)] == kFullMask) out |= LaneMask{1} << lane;
    return out;
  }

  // A scan: each lane has what the lanes up to its own had.
  bool is_running() const {
    for (int lane = 0; lane < kWarpSize; ++lane)
      if (all().back().holds[static_cast<std::size_t>(lane)] != kFullMask >> (kWarpSize - 1 - lane))
        return false;
    return true;
  }

  bool is_known() const { return std::ranges::all_of(all(), &Exchange::known); }

  std::string words() const {
    if (!is_known()) return draft_.say("view.exchanges.at_run_time");
    const LaneMask lanes = whole();
    if (all().size() == 1 && all().front().kind != Exchange::Kind::Shuffle)
      return draft_.say("view.exchanges.one_for_all", {{"function", value_of(all().front().function)}});
    if (is_running()) return draft_.say("view.exchanges.running", {{"n", value_of(all().size())}});
    if (lanes == kFullMask) return draft_.say("view.exchanges.all_have_all", {{"n", value_of(all().size())}});
    if (lanes != 0)
      return draft_.say("view.exchanges.some_have_all", {{"lanes", value_of(lanes_text(lanes))},
                                                         {"count", value_of(count_of(lanes))},
                                                         {"n", value_of(all().size())}});
    int least = kWarpSize, most = 0;
    for (const LaneMask holds : all().back().holds) {
      least = std::min(least, count_of(holds));
      most = std::max(most, count_of(holds));
    }
    return draft_.say("view.exchanges.in_the_end",
                      {{"least", value_of(least)}, {"most", value_of(most)}, {"n", value_of(all().size())}});
  }

  Rect header() {
    const LaneMask lanes = whole();
    Heading heading{.title = draft_.say("view.exchanges.title"), .about = about()};
    heading.answer = draft_.say_count("view.exchanges.exchanges", all().size());
    heading.sub = !is_known()          ? draft_.say("view.exchanges.lanes_at_run_time")
                  : is_running()       ? draft_.say("view.exchanges.sub_running")
                  : lanes == kFullMask ? draft_.say("view.exchanges.sub_all")
                  : lanes != 0 ? draft_.say("view.exchanges.sub_some", {{"n", value_of(count_of(lanes))}})
                               : std::string();
    heading.evidence = counted(Known::AsWritten);  // of the instructions in the code, not of their executions
    return draft_.header(heading);
  }

  void place(Rect rest) {
    const auto n = static_cast<float>(all().size());
    const bool named = rest.width > 560;
    gutter_ = named ? std::clamp(rest.width * 0.2f, 120.0f, 190.0f) : 40.0f;
    gap_ = rest.width > 900 ? 4.0f : rest.width > 600 ? 3.0f : 2.0f;
    draft_.caption("caption.lanes", row_of(take_top(rest, 16, 2)),
                   draft_.say("view.exchanges.caption_lanes"));
    const float first = std::clamp(rest.height / (2 * (n + 1)), kLeastHeld, kMostHeld);
    shown_ = std::clamp<std::size_t>(static_cast<std::size_t>((rest.height - first) / kLeastStage), 1,
                                     all().size());
    const bool cut = shown_ < all().size();
    const float pitch =
        std::min(kMostStage, (rest.height - first - (cut ? 16 : 0)) / static_cast<float>(shown_));
    const float spare = rest.height - first - pitch * static_cast<float>(shown_) - (cut ? 16 : 0);
    take_top(rest, std::max(0.0f, spare / 3));
    cell_ = std::clamp(pitch * 0.32f, kLeastHeld, kMostHeld);
    find_ways();
    Rect above = row_of(take_top(rest, first));
    cells(above, 0, all().front().held);
    for (std::size_t i = 0; i < shown_; ++i) {
      Rect stage = take_top(rest, pitch);
      const Rect below = row_of(take_bottom(stage, cell_));
      if (!all()[i].known)
        unknown(row_of(stage), i);
      else if (all()[i].kind == Exchange::Kind::Shuffle)
        arcs(above, below, i);
      else
        gate(above, below, i);
      label({rest.x, below.y - (pitch - cell_), gutter_ - 12, pitch}, i, named);
      cells(below, i + 1, all()[i].holds);
      above = below;
    }
    if (cut)
      draft_.text("more", row_of(take_top(rest, 16)),
                  draft_.say("view.exchanges.more", {{"n", value_of(all().size() - shown_)}}), dim(kTiny));
  }

  Rect row_of(const Rect& r) const { return {r.x + gutter_, r.y, r.width - gutter_, r.height}; }

  // What the lane in question has got, from the end back to the beginning; row 0 is before everything.
  void find_ways() {
    ways_.assign(shown_ + 1, kFullMask);
    focus_ = focused_lanes(input_);
    if (focus_ == 0) return;
    ways_[shown_] = focus_;
    for (std::size_t i = shown_; i-- > 0;) {
      LaneMask from = ways_[i + 1];
      for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!(ways_[i + 1] >> lane & 1u)) continue;
        const Exchange& one = all()[i];
        from |= one.kind != Exchange::Kind::Shuffle ? one.members
                : one.known ? LaneMask{1} << one.source[static_cast<std::size_t>(lane)]
                            : 0;
      }
      ways_[i] = from;
    }
  }
  bool lit(std::size_t row, int lane) const { return ways_[row] >> lane & 1u; }

  void cells(const Rect& row, std::size_t at, const std::array<LaneMask, kWarpSize>& holds) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const LaneMask mask = holds[static_cast<std::size_t>(lane)];
      const Rect box = cell_of(row, lane, kWarpSize, gap_);
      const std::string id = fmt::format("held.{}.{}", at, lane);
      const bool bright = lit(at, lane);
      Shape& s = draft_.box(id, box, Ink::of_lane(lane, bright ? 1.0f : 0.2f), box.height > 6 ? 3.0f : 1.0f);
      s.target.lane = lane;
      s.tooltip = draft_.say(
          "view.exchanges.holds",
          {{"lane", value_of(lane)}, {"lanes", value_of(lanes_text(mask))}, {"n", value_of(count_of(mask))}});
      const int n = count_of(mask);
      const std::string word = at == 0 && n == 1 ? std::to_string(lane) : std::to_string(n);
      if (box.height < kLeastHeld - 1 || !draft_.fits("28", box.width - 1, kTiny, Face::SansBold)) continue;
      Ink ink{Role::OnLane, 1, static_cast<std::uint8_t>(lane)};
      if (!bright) ink = Ink::of(Role::Dim);
      draft_.text(id + ".count", box, word,
                  {draft_.largest_size("28", box.width - 4, box.height - 2, kSmall, Face::SansBold),
                   Face::SansBold, ink, Align::Centre});
    }
  }

  static Point foot(const Rect& row, int lane, float gap) {
    const Rect box = cell_of(row, lane, kWarpSize, gap);
    return {box.x + box.width / 2, box.bottom()};
  }
  static Point head(const Rect& row, int lane, float gap) {
    const Rect box = cell_of(row, lane, kWarpSize, gap);
    return {box.x + box.width / 2, box.y};
  }

  void arcs(const Rect& above, const Rect& below, std::size_t i) {
    const Exchange& one = all()[i];
    // Those that are lit are drawn last, over the others.
    for (const bool bright : {false, true}) {
      for (int lane = 0; lane < kWarpSize; ++lane) {
        const int from = one.source[static_cast<std::size_t>(lane)];
        if (from == lane || lit(i + 1, lane) != bright || !(one.members >> lane & 1u)) continue;
        const Point a = foot(above, from, gap_), d = head(below, lane, gap_);
        const float bend = (d.y - a.y) * 0.5f;
        Shape& s =
            draft_.curve(fmt::format("gets.{}.{}", i, lane), {a, {a.x, a.y + bend}, {d.x, d.y - bend}, d},
                         Ink::of_lane(from, bright ? 0.85f : 0.12f), focus_ != 0 && bright ? 2.0f : 1.25f);
        s.target.lane = lane;
        s.tooltip = draft_.say("view.exchanges.gets", {{"lane", value_of(lane)}, {"from", value_of(from)}});
      }
    }
  }

  void gate(const Rect& above, const Rect& below, std::size_t i) {
    const Exchange& one = all()[i];
    const float y = (above.bottom() + below.y) / 2;
    const float high = std::min(20.0f, (below.y - above.bottom()) * 0.5f);
    const Rect band{above.x, y - high / 2, above.width, high};
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (!(one.members >> lane & 1u)) continue;
      const Point a = foot(above, lane, gap_), d = head(below, lane, gap_);
      const float alpha = lit(i + 1, lane) || focus_ == 0 ? 0.8f : 0.2f;
      draft_.line(fmt::format("gives.{}.{}", i, lane), {a, {a.x, band.y}}, Ink::of_lane(lane, 0.8f), 1.25f);
      draft_.line(fmt::format("learns.{}.{}", i, lane), {{d.x, band.bottom()}, d}, Ink::of(Role::Text, alpha),
                  1.25f);
    }
    Shape& box = draft_.box(fmt::format("gate.{}", i), band, Ink::of(Role::Raised), 4);
    box.stroke = Ink::of(Role::Line);
    box.stroke_width = 1;
    box.tooltip = draft_.say(means(one));
    if (high >= 14)
      draft_.text(fmt::format("gate.{}.words", i), band, draft_.say(means(one)),
                  {kTiny, Face::SansBold, Ink::of(Role::Text), Align::Centre});
  }

  static const char* means(const Exchange& one) {
    switch (one.kind) {
      case Exchange::Kind::Ballot:
        return "view.exchanges.ballot";
      case Exchange::Kind::All:
        return "view.exchanges.all";
      case Exchange::Kind::Any:
        return "view.exchanges.any";
      case Exchange::Kind::Match:
        return "view.exchanges.match";
      case Exchange::Kind::Reduction:
      case Exchange::Kind::Shuffle:
        break;
    }
    return "view.exchanges.reduce";
  }

  void unknown(const Rect& r, std::size_t i) {
    draft_.text(fmt::format("unknown.{}", i), r, draft_.say("view.exchanges.lanes_at_run_time"),
                {kTiny, Face::Sans, Ink::of(Role::Dim), Align::Centre});
  }

  // Which exchange it is: its function, and how far it reaches.
  void label(Rect r, std::size_t i, bool named) {
    const Exchange& one = all()[i];
    const float rows = named ? 2 : 1;
    Rect at{r.x, r.y + std::max(0.0f, (r.height - cell_ - rows * 15) / 2), r.width, 15};
    const std::string far = one.distance >= 0 ? std::to_string(one.distance) : std::string("·");
    const std::string tip =
        one.line > 0 ? draft_.say("view.exchanges.line", {{"line", value_of(one.line)}}) + " · " + one.op
                     : one.op;
    if (named) {
      Shape& s = draft_.text(fmt::format("function.{}", i), at, one.function,
                             {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Right});
      s.tooltip = tip;
      if (one.line > 0) s.target.line = one.line;
      at.y += 15;
    }
    if (one.kind != Exchange::Kind::Shuffle) return;
    Shape& s = draft_.text(fmt::format("distance.{}", i), at, far,
                           {kSmall, Face::SansBold, Ink::of(Role::Text), Align::Right});
    s.tooltip = tip;
  }

  Draft draft_;
  const ViewInput& input_;
  const ExchangeNetwork* network_ = nullptr;
  std::string sentence_;
  float gutter_ = 0, gap_ = 3, cell_ = 0;
  std::size_t shown_ = 0;
  LaneMask focus_ = 0;
  std::vector<LaneMask> ways_;  // by row: the lanes whose values the lane in question gets
};

}  // namespace

Scene exchanges_view(const ViewContext& context, const ViewInput& input) {
  return ExchangesView(context, input).run();
}

bool exchanges_applies(const ViewInput& input) {
  return input.exchanges != nullptr && !input.exchanges->empty();
}

}  // namespace warplens::visual
