// How often must constant memory answer? It gives one address a pass to all lanes that want it. So each row
// is one pass and each column a lane: who gets its word, who waits for a later pass. Below, the words of
// constant memory in rows of 64 bytes, as its cache keeps them, and the one way out of it that all of them
// take. Which address comes first no document says; here it is that of the lowest lane that waits.
//
// Small panes lose, in this order: the way out, the words of memory, the sentence, the lanes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "engine/analysis/coalescing.h"
#include "engine/analysis/explanations.h"
#include "engine/base/typography.h"
#include "engine/trace/executed_as.h"
#include "visual/access_list.h"
#include "visual/lane_cells.h"
#include "visual/layout.h"
#include "visual/pick.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

constexpr std::array kConstants{trace::Space::Constant};
constexpr std::uint64_t kCacheLine = 64, kWordBytes = 4;

struct AddressPass {
  std::uint64_t address = 0;
  int bytes = 4;
  LaneMask lanes = 0;
  bool extra = false;  // had all lanes agreed, it would not be there
};

// Of an access wider than a load can be, each part is asked for by itself.
std::vector<AddressPass> passes_of(const trace::AccessView& access) {
  std::vector<AddressPass> out;
  const int loads = trace::constant_loads(access.bytes), bytes = access.bytes / loads;
  for (int load = 0; load < loads; ++load) {
    LaneMask left = access.active;
    for (bool extra = false; left != 0; extra = true) {
      const std::uint64_t address = access.addresses[static_cast<std::size_t>(std::countr_zero(left))];
      AddressPass pass{address + static_cast<std::uint64_t>(load * bytes), bytes, 0, extra};
      for (int lane = 0; lane < kWarpSize; ++lane)
        if ((left >> lane & 1u) && access.addresses[static_cast<std::size_t>(lane)] == address)
          pass.lanes |= LaneMask{1} << lane;
      left &= ~pass.lanes;
      out.push_back(pass);
    }
  }
  return out;
}

class ConstantsView {
 public:
  ConstantsView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    const auto picked = pick_access(draft_.context(), input_, kConstants);
    if (!picked) return empty();
    picked_ = *picked;
    passes_ = passes_of(picked_.access);
    for (std::size_t i = 0; i < passes_.size(); ++i) lines_[passes_[i].address / kCacheLine].push_back(i);
    focus_ = focus();
    const auto n = static_cast<float>(passes_.size());
    const float phase = draft_.context().reduce_motion && !still() ? std::floor(input_.cursor.phase * n) / n
                                                                   : input_.cursor.phase;
    now_ = phase * n;
    sentence_ = sentences(draft_.context().text, analysis::explain_access(*input_.trace, picked_.written));
    place(header());
    return draft_.finish(
        draft_.say("view.constants.transcript", {{"what", describe_picked(draft_, picked_)},
                                                 {"lanes", value_of(active_lanes(picked_.access.active))},
                                                 {"passes", value_of(passes_.size())},
                                                 {"why", sentence_}}));
  }

 private:
  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.constants.title")});
    const bool operands = input_.trace && std::ranges::any_of(input_.trace->sites, [](const auto& site) {
                            return trace::executed_as(site) == trace::ExecutedAs::Operand;
                          });
    const EmptyWords words =
        words_of_no_access(input_, operands ? "view.constants.operands" : "view.constants.none");
    draft_.empty(rest, draft_.say(words.headline), draft_.say(words.advice));
    return draft_.finish(draft_.say(words.headline));
  }

  bool still() const { return input_.cursor.phase >= 1; }
  bool faded(LaneMask lanes) const { return focus_ != 0 && (lanes & focus_) == 0; }
  bool to_come(std::size_t i) const { return !still() && now_ < static_cast<float>(i); }
  // How far the word of a pass is on its way.
  float on_its_way(std::size_t i) const {
    return still() ? 1.0f : ease_between(now_, static_cast<float>(i), static_cast<float>(i) + 0.6f);
  }
  float alpha_of(std::size_t i) const { return faded(passes_[i].lanes) ? 0.22f : to_come(i) ? 0.28f : 1.0f; }

  LaneMask focus() const {
    if (const LaneMask lanes = focused_lanes(input_)) return lanes;
    for (const Selection* s : {&input_.hover, &input_.selection})
      if (s->pass && *s->pass >= 0 && *s->pass < static_cast<int>(passes_.size()))
        return passes_[static_cast<std::size_t>(*s->pass)].lanes;
    return 0;
  }

  Rect header() {
    const auto ideal = static_cast<std::size_t>(trace::constant_loads(picked_.access.bytes));
    const bool worse = passes_.size() > ideal;
    return draft_.header(
        {.title = draft_.say("view.constants.title"),
         .about = describe_picked(draft_, picked_),
         .answer = draft_.say_count("view.bank_view.passes", passes_.size()),
         .sub = worse ? draft_.say("view.constants.would_do",
                                   {{"addresses", value_of(passes_.size() / ideal)}, {"n", value_of(ideal)}})
                      : draft_.say("view.constants.broadcast"),
         .worse = worse,
         .evidence = counted(picked_.known)});
  }

  // "filter[1][2]", "+20" where no array is known there.
  std::string name_of(std::uint64_t address) const {
    if (input_.constants)
      for (const DeclaredArray& array : *input_.constants) {
        if (address < array.offset || address - array.offset >= array.bytes) continue;
        const std::uint64_t into = address - array.offset,
                            size = static_cast<std::uint64_t>(array.element_bytes);
        std::uint64_t element = into / size;
        std::string index;
        for (auto extent = array.extents.rbegin(); extent != array.extents.rend(); ++extent) {
          const bool outermost = extent + 1 == array.extents.rend();
          const auto count = static_cast<std::uint64_t>(std::max(1, *extent));
          index = fmt::format("[{}]", outermost ? element : element % count) + index;
          element /= count;
        }
        return array.name + index + (into % size == 0 ? "" : fmt::format("+{}", into % size));
      }
    return fmt::format("+{}", address);
  }
  // Without the array's name, where room is scarce.
  std::string name_within(std::uint64_t address, float width) const {
    const std::string whole = name_of(address);
    const std::size_t bracket = whole.find('[');
    return bracket == std::string::npos || draft_.fits(whole, width, kTiny, Face::Mono)
               ? whole
               : whole.substr(bracket);
  }

  // How the height is dealt out.
  struct Plan {
    float sentence = 0, chip = 0, pitch = 0, way_out = 0, line_pitch = 0;
    std::size_t passes = 0, lines = 0;  // rows that are drawn
    int accesses = 0;
  };

  Plan plan(const Rect& rest) const {
    Plan p;
    const auto n = static_cast<float>(passes_.size()), lines = static_cast<float>(lines_.size());
    float spare = rest.height - 30;  // the caption of the passes, and what is under them
    const float least = std::min(n, 32.0f) * (n > 8 ? rest.height < 420 ? 4.0f : 6.0f : 22.0f);
    const float numbered = std::min(n, 32.0f) * (n > 8 ? 15.0f : 22.0f);
    const auto afford = [&](float wanted, float keep) {
      if (spare - wanted < keep) return false;
      spare -= wanted;
      return true;
    };
    if (afford(26 + 16, least)) p.chip = 24;
    const float words = draft_.sentence_height(sentence_, rest.width, rest.height < 420 ? 2 : 3);
    if (afford(words + 12, least)) p.sentence = words;
    const float line_min = lines > 4 ? 16.0f : 20.0f;
    const float memory_min = 22 + std::min(lines, 4.0f) * line_min;
    if (afford(memory_min, least)) {
      p.lines = static_cast<std::size_t>(std::min(lines, 4.0f));
      if (afford(56, least)) p.way_out = 56;
    }
    if (rest.height > 640)
      p.accesses = count_accesses(input_, picked_, kConstants,
                                  std::clamp(static_cast<int>((rest.height - 520) / 80), 2, 8));
    if (p.accesses > 0 && !afford(access_list_height(p.accesses) + 12, numbered)) p.accesses = 0;
    spare = std::max(spare, 6.0f);  // a pane this small shows little, but it must not fail
    p.passes = static_cast<std::size_t>(std::clamp(std::floor(spare / 4), 1.0f, n));
    const auto rows = static_cast<float>(p.passes);
    p.pitch = std::min(p.lines > 0 ? 44.0f : 96.0f, spare / rows);
    float left = spare - p.pitch * rows;
    if (p.chip > 0) {
      const float more = std::min(16.0f, left);
      p.chip += more, left -= more;
    }
    p.line_pitch = line_min;
    if (p.lines > 0) {
      for (; static_cast<float>(p.lines) < lines && left >= line_min; left -= line_min) ++p.lines;
      const auto shown = static_cast<float>(p.lines);
      const float more = std::min(44 - line_min, left / (p.way_out > 0 ? 2 : 1) / shown);
      p.line_pitch += more;
      left -= more * shown;
    }
    if (p.way_out > 0) {
      const float more = std::clamp(left - 72, 0.0f, (96 - p.pitch) * rows);
      p.pitch += more / rows;
      p.way_out += left - more;
    }
    return p;
  }

  void place(Rect rest) {
    const Plan p = plan(rest);
    if (p.sentence > 0) draft_.sentence("why", take_bottom(rest, p.sentence, 12), sentence_);
    if (p.accesses > 0)
      draw_access_list(draft_, take_bottom(rest, access_list_height(p.accesses), 12), input_, picked_,
                       kConstants);
    number_ = draft_.width("32", kSmall) + 8;
    float widest = draft_.width("+0000", kTiny, Face::Mono);
    for (const AddressPass& pass : passes_)
      widest = std::max(widest, draft_.width(name_of(pass.address), kTiny, Face::Mono));
    gutter_ = std::min(number_ + widest + 14, std::max(84.0f, rest.width * 0.26f));
    gap_ = rest.width > 900 ? 4.0f : rest.width > 600 ? 3.0f : 2.0f;
    columns_ = {rest.x + gutter_, rest.y, rest.width - gutter_, rest.height};
    if (p.chip > 0) {
      draft_.caption("caption.lanes", row_of(take_top(rest, 16, 2)), draft_.say("view.caption.lanes"));
      draw_lane_chips(draft_, {row_of(take_top(rest, p.chip, 8)), gap_, picked_.access.active,
                               [this](LaneMask lanes) { return faded(lanes); },
                               [this](int lane) { return lane_tip(lane); }});
    }
    Rect caption = take_top(rest, 16, 6);  // numbers of thin rows stand out over them
    draft_.caption("caption.passes", take_left(caption, gutter_),
                   draft_.say("view.constants.caption_passes"));
    const Rect table = take_top(rest, p.pitch * static_cast<float>(p.passes), 8);
    const Rect between = p.way_out > 0 ? take_top(rest, p.way_out) : Rect{};
    for (std::size_t i = 0; i < p.passes; ++i) pass_row(table, i, p);
    if (p.lines == 0) return;
    lay_out_memory(rest, p);
    if (p.way_out > 0) way_out(between);
    memory(rest, p);
  }

  Rect row_of(const Rect& r) const { return {columns_.x, r.y, columns_.width, r.height}; }

  std::string lane_tip(int lane) const {
    std::size_t last = 0;
    for (std::size_t i = 0; i < passes_.size(); ++i)
      if (passes_[i].lanes >> lane & 1u) last = i;
    return draft_.say("view.constants.lane", {{"lane", value_of(lane)},
                                              {"place", value_of(name_of(passes_[last].address))},
                                              {"pass", value_of(last + 1)}});
  }
  std::string pass_tip(std::size_t i) const {
    return draft_.say(passes_[i].extra ? "view.constants.pass_extra" : "view.constants.pass",
                      {{"pass", value_of(i + 1)},
                       {"place", value_of(name_of(passes_[i].address))},
                       {"lanes", value_of(lanes_text(passes_[i].lanes))}});
  }

  void pass_row(const Rect& table, std::size_t i, const Plan& p) {
    const float gap = p.pitch > 16 ? gap_ : p.pitch > 8 ? 2.0f : 1.0f;
    const Rect r{columns_.x, table.y + p.pitch * static_cast<float>(i), columns_.width, p.pitch - gap};
    const AddressPass& pass = passes_[i];
    label(r, i, p);
    waiting(r, i);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (!(pass.lanes >> lane & 1u)) continue;
      const Rect box = cell_of(r, lane, kWarpSize, gap_);
      const LaneMask bit = LaneMask{1} << lane;
      const float alpha = faded(bit) ? 0.22f : to_come(i) ? 0.28f : 1.0f;
      Target target;
      target.pass = static_cast<int>(i);
      draw_lane_cell(draft_, {fmt::format("served.{}.{}", i, lane), box, bit, alpha, pass_tip(i), target});
      if ((pass.extra || to_come(i) || (focus_ & bit)) && r.height >= 5) {
        Shape& s =
            draft_.frame(fmt::format("served.{}.{}.frame", i, lane), box,
                         Ink::of(focus_ & bit ? Role::Text : Role::Warn), r.height > 14 ? 2.0f : 1.0f, 3);
        s.dashed = to_come(i);
      }
    }
  }

  // Number and address of a pass; where rows are thin, of every few. The last row may stand for the rest.
  void label(const Rect& r, std::size_t i, const Plan& p) {
    const auto every = static_cast<std::size_t>(p.pitch >= 14 ? 1 : std::ceil(14 / std::max(1.0f, p.pitch)));
    if (i % every != 0) return;
    const bool serving = !still() && static_cast<std::size_t>(now_) == i;
    const bool rest = p.passes < passes_.size() && i + every >= p.passes;
    const Ink ink = Ink::of(serving ? Role::Accent : passes_[i].extra ? Role::Warn : Role::Text);
    Rect at{r.x - gutter_, r.y + (r.height - 14) / 2, gutter_ - 8, 14};
    if (rest) {
      draft_.text("pass.more", at, draft_.say("view.bank_view.more", {{"n", value_of(passes_.size() - i)}}),
                  {kSmall, Face::Sans, Ink::of(Role::Warn)});
      return;
    }
    Shape& number = draft_.text(fmt::format("pass.{}", i), take_left(at, number_), std::to_string(i + 1),
                                {kSmall, serving ? Face::SansBold : Face::Sans, ink});
    number.target.pass = static_cast<int>(i);
    number.tooltip = pass_tip(i);
    Shape& name =
        draft_.text(fmt::format("pass.{}.address", i), at, name_within(passes_[i].address, at.width),
                    {kTiny, Face::Mono, Ink::of(serving ? Role::Accent : Role::Dim), Align::Left});
    name.target.pass = static_cast<int>(i);
    name.tooltip = pass_tip(i);
  }

  // Lanes whose turn comes later, neighbours in one box.
  void waiting(const Rect& r, std::size_t i) {
    LaneMask wait = 0;
    for (std::size_t later = i + 1; later < passes_.size(); ++later) wait |= passes_[later].lanes;
    wait &= ~passes_[i].lanes;
    for (int lane = 0; lane < kWarpSize;) {
      int end = lane;
      while (end < kWarpSize && (wait >> end & 1u)) ++end;
      if (end > lane) {
        const Rect first = cell_of(r, lane, kWarpSize, gap_), last = cell_of(r, end - 1, kWarpSize, gap_);
        Shape& s =
            draft_.box(fmt::format("wait.{}.{}", i, lane), {first.x, r.y, last.right() - first.x, r.height},
                       Ink::of(Role::Raised, 0.7f), r.height > 6 ? 3.0f : 1.0f);
        if (r.height >= 6) {
          s.stroke = Ink::of(Role::Line);
          s.stroke_width = 1;
        }
        const LaneMask lanes = (end - lane == kWarpSize ? kFullMask : (LaneMask{1} << (end - lane)) - 1)
                               << lane;
        s.tooltip = draft_.say("view.constants.wait",
                               {{"lanes", value_of(lanes_text(lanes))}, {"pass", value_of(i + 1)}});
      }
      lane = std::max(lane + 1, end);
    }
  }

  Rect place_of(const Rect& line, std::uint64_t address, int bytes) const {
    const float byte = (line.width + gap_) / static_cast<float>(kCacheLine);
    return {line.x + byte * static_cast<float>(address % kCacheLine), line.y,
            std::max(2.0f, byte * static_cast<float>(bytes) - gap_), line.height};
  }

  static constexpr float kMemoryCaption = 20;
  Rect line_at(const Rect& rest, std::size_t row, const Plan& p) const {
    return {columns_.x, rest.y + kMemoryCaption + p.line_pitch * static_cast<float>(row), columns_.width,
            p.line_pitch - 3};
  }
  // Where the words of the passes are drawn: the ways begin there, and run behind everything else.
  void lay_out_memory(const Rect& rest, const Plan& p) {
    std::size_t row = 0;
    for (const auto& [line, passes] : lines_) {
      if (row == p.lines) break;
      const Rect r = line_at(rest, row++, p);
      for (const std::size_t i : passes) places_[i] = place_of(r, passes_[i].address, passes_[i].bytes);
    }
  }

  void memory(const Rect& rest, const Plan& p) {
    std::string words = draft_.say("view.constants.caption_words");
    if (p.lines < lines_.size())
      words += " · " + draft_.say("view.bank_view.rows_shown",
                                  {{"n", value_of(p.lines)}, {"all", value_of(lines_.size())}});
    const Rect caption{columns_.x, rest.y, columns_.width, 16};
    draft_.box("caption.words.ground",
               {caption.x, caption.y + 1, draft_.width(words, kTiny, Face::SansBold) + 4, 14},
               Ink::of(Role::Ground, 0.92f));
    draft_.caption("caption.words", caption, words);
    std::size_t row = 0;
    for (const auto& [line, passes] : lines_) {
      if (row == p.lines) break;
      const Rect r = line_at(rest, row++, p);
      const std::uint64_t begin = line * kCacheLine;
      const float width = gutter_ - 8;
      Shape& name =
          draft_.text(fmt::format("line.{}", line), {r.x - gutter_, r.y + (r.height - 14) / 2, width, 14},
                      name_within(begin, width), {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Left});
      name.tooltip = draft_.say("view.constants.line", {{"first", value_of(begin)},
                                                        {"last", value_of(begin + kCacheLine - 1)},
                                                        {"place", value_of(name_of(begin))}});
      for (std::uint64_t word = 0; word < kCacheLine; word += kWordBytes)
        draft_.box(fmt::format("word.{}", begin + word), place_of(r, word, kWordBytes), Ink::of(Role::Panel),
                   3);
      for (const std::size_t i : passes) {
        const AddressPass& pass = passes_[i];
        Target target;
        target.pass = static_cast<int>(i);
        draw_lane_cell(draft_, {fmt::format("at.{}", pass.address), places_.at(i), pass.lanes, alpha_of(i),
                                pass_tip(i), target});
      }
    }
  }

  // One gate that all words go through, one after another.
  void way_out(const Rect& r) {
    const std::string words = draft_.say("view.constants.gate");
    const float width = std::min(r.width, draft_.width(words, kTiny, Face::SansBold) + 24);
    const Rect gate{columns_.x + (columns_.width - width) / 2, r.y + 4, width, 20};
    for (const auto& [i, box] : places_) {
      const float t = on_its_way(i);
      const Point a{box.x + box.width / 2, box.y}, d{gate.x + gate.width / 2, gate.bottom()};
      const float bend = (a.y - d.y) * 0.55f;
      auto points = part_of_curve(a, {a.x, a.y - bend}, {d.x, d.y + bend}, d, t);
      if (points.empty()) continue;
      const AddressPass& pass = passes_[i];
      Shape& s = draft_.curve(fmt::format("way.{}", pass.address), std::move(points),
                              Ink::of_lane(std::countr_zero(pass.lanes), faded(pass.lanes) ? 0.15f
                                                                         : pass.extra      ? 0.6f
                                                                                           : 0.85f),
                              focus_ & pass.lanes ? 2.5f : 1.5f);
      s.dashed = pass.extra;
      s.target.pass = static_cast<int>(i);
      s.tooltip = pass_tip(i);
    }
    Shape& box = draft_.box("gate", gate, Ink::of(Role::Raised), 4);
    box.stroke = Ink::of(Role::Line);
    box.stroke_width = 1;
    box.tooltip = draft_.say("view.constants.gate_means");
    draft_.text("gate.words", gate, words, {kTiny, Face::SansBold, Ink::of(Role::Text), Align::Centre});
  }

  Draft draft_;
  const ViewInput& input_;
  Picked picked_;
  std::vector<AddressPass> passes_;
  std::map<std::uint64_t, std::vector<std::size_t>> lines_;  // passes by the 64 bytes that they read from
  std::map<std::size_t, Rect> places_;  // of the words of the passes, where they are drawn
  LaneMask focus_ = 0;
  float now_ = 0;  // in passes
  std::string sentence_;
  Rect columns_;
  float gutter_ = 0, number_ = 0, gap_ = 3;
};

}  // namespace

Scene constants_view(const ViewContext& context, const ViewInput& input) {
  return ConstantsView(context, input).run();
}

bool constants_applies(const ViewInput& input) {
  return input.trace && nearest_step(input, 0, kConstants) < input.trace->size();
}

}  // namespace warplens::visual
