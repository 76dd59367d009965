// Which lanes work, and when? Time runs down, the 32 lanes stand across; the code that runs is on the left,
// what it leaves idle on the right. A lane that waits is an outline, a lane that has left is empty.
//
// Small panes lose, in this order: the sentence, the bar of lane-slots, the code text (the line number
// stays). A run with more changes than there are rows is summed up in equal slices of time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/analysis/divergence.h"
#include "engine/base/typography.h"
#include "visual/branch_tree.h"
#include "visual/layout.h"
#include "visual/trace_index.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

// A stretch of time as it is drawn: one span of the trace, or several summed up.
struct Row {
  std::uint64_t begin = 0, end = 0;
  std::array<float, kWarpSize> active{}, waiting{};  // share of the time, 0 to 1
  LaneMask first = 0, last = 0;                      // active lanes at the ends
  LaneMask waits = 0;                                // of a single span
  int line = 0;
  std::uint32_t instruction = 0;
  bool summed = false;
  float top = 0, height = 0;
  LaneMask active_mask() const { return first; }
  float lanes() const {
    float sum = 0;
    for (const float a : active) sum += a;
    return sum;
  }
};

std::vector<Row> rows_as_they_are(const WarpTime& time) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < time.spans(); ++i) {
    const analysis::ActiveSpan span = time.span(i);
    if (span.end <= span.begin) continue;
    Row& row = rows.emplace_back();
    row.begin = span.begin;
    row.end = span.end;
    row.first = row.last = span.active;
    row.waits = span.waiting;
    row.line = span.line;
    row.instruction = span.instruction;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const auto k = static_cast<std::size_t>(lane);
      row.active[k] = span.active >> lane & 1u ? 1.0f : 0.0f;
      row.waiting[k] = span.waiting >> lane & 1u ? 1.0f : 0.0f;
    }
  }
  return rows;
}

// Equal slices of time; each costs the same however many changes lie in it.
std::vector<Row> rows_summed(const WarpTime& time, std::size_t count) {
  const std::uint64_t begin = time.begin(), total = time.end() - begin;
  std::vector<Row> rows;
  LaneTime before = time.until(begin);
  for (std::size_t i = 0; i < count; ++i) {
    Row row;
    row.begin = begin + total * i / count;
    row.end = begin + total * (i + 1) / count;
    if (row.end <= row.begin) continue;
    row.summed = true;
    const analysis::ActiveSpan first = time.span(time.span_at(row.begin));
    row.first = first.active;
    row.last = time.span(time.span_at(row.end - 1)).active;
    row.line = first.line;
    row.instruction = first.instruction;
    const LaneTime after = time.until(row.end);
    LaneTime sum = after;
    sum -= before;
    before = after;
    const auto whole = static_cast<float>(row.end - row.begin);
    for (std::size_t k = 0; k < kWarpSize; ++k) {
      row.active[k] = static_cast<float>(sum.active[k]) / whole;
      row.waiting[k] = static_cast<float>(sum.waiting[k]) / whole;
    }
    rows.push_back(row);
  }
  return rows;
}

class ActiveLanes {
 public:
  ActiveLanes(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.trace || input_.trace->size() == 0) return empty("view.empty.headline", "view.empty.advice");
    choose_warp();
    index_.emplace(input_);
    time_ = (*index_)->time_of(block_, warp_);
    if (!time_) return empty("view.active_lanes.none", "view.active_lanes.none_advice");
    sum_up();
    Rect rest = header();
    place(rest);
    return draft_.finish(transcript());
  }

 private:
  Scene empty(const char* headline, const char* advice) {
    Rect rest = draft_.header({.title = draft_.say("view.active_lanes.title")});
    draft_.empty(rest, draft_.say(headline), draft_.say(advice));
    return draft_.finish(draft_.say(headline));
  }

  void choose_warp() {
    const trace::Trace& trace = *input_.trace;
    const std::size_t step = std::min(input_.cursor.step, trace.size() - 1);
    block_ = input_.selection.block.value_or(trace.block_of(step));
    warp_ = input_.selection.warp.value_or(trace.steps()[step].warp);
  }

  void sum_up() {
    sum_ = time_->between(time_->begin(), time_->end());
    total_ = (time_->end() - time_->begin()) * kWarpSize;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      used_ += sum_.active[lane];
      waiting_ += sum_.waiting[lane];
    }
    if (const auto worst = time_->costliest()) {
      worst_ = time_->span(*worst);
      worst_lost_ = (worst_.end - worst_.begin) * static_cast<std::uint64_t>(active_lanes(worst_.waiting));
    }
  }

  double share() const { return total_ ? static_cast<double>(used_) / static_cast<double>(total_) : 0; }

  // Lanes part where the machine has no branch: a predicate switches some of them off.
  bool parted_by_predicates() const {
    const analysis::Report& report = *input_.report;
    return std::any_of(report.sites.begin(), report.sites.end(), [&](const trace::Site& site) {
      return site.kind == trace::SiteKind::Branch && site.leaves && site.index < report.totals.sites.size() &&
             report.totals.sites[site.index].divergent > 0;
    });
  }

  Rect header() {
    std::string sub;
    if (input_.report) {
      const auto& e = input_.report->execution;
      // Of the PTX, as the share of this warp beside it, and counted: the machine's average is a model.
      if (e.warp_instructions > 0) {
        const double slots = static_cast<double>(e.warp_instructions) * kWarpSize;
        const double share = static_cast<double>(e.thread_instructions) / slots;
        sub = draft_.say("view.active_lanes.launch", {{"share", percent_text(share)}});
      }
      if (e.divergent_branches == 0 && parted_by_predicates()) {
        if (!sub.empty()) sub += " · ";
        sub += draft_.say("view.active_lanes.predicates");
      } else if (e.branches > 0) {
        if (!sub.empty()) sub += " · ";
        sub += draft_.say("view.active_lanes.branches",
                          {{"n", group_digits(e.divergent_branches)}, {"all", group_digits(e.branches)}});
      }
    }
    return draft_.header(
        {.title = draft_.say("view.active_lanes.title"),
         .about = draft_.say("view.access.where", {{"block", value_of(block_)}, {"warp", value_of(warp_)}}) +
                  " · " + draft_.say("view.active_lanes.span", {{"n", group_digits(total_ / kWarpSize)}}),
         .answer = draft_.say("view.active_lanes.busy", {{"share", percent_text(share())}}),
         .sub = sub,
         .worse = used_ < total_,
         .evidence = counted(Known::AsWritten)});  // time is in instructions of the PTX
  }

  std::string reason() const {
    if (worst_lost_ == 0)
      return draft_.say(used_ == total_ ? "view.active_lanes.all_work" : "view.active_lanes.partial");
    return draft_.say(worst_.line > 0 ? "view.active_lanes.worst_line" : "view.active_lanes.worst",
                      {{"waiting", lanes_text(worst_.waiting)},
                       {"lanes", value_of(std::popcount(worst_.waiting))},
                       {"running", lanes_text(worst_.active)},
                       {"line", value_of(worst_.line)},
                       {"n", group_digits(worst_.end - worst_.begin)}});
  }

  std::string transcript() const {
    return draft_.say("view.active_lanes.transcript", {{"block", value_of(block_)},
                                                       {"warp", value_of(warp_)},
                                                       {"n", group_digits(total_ / kWarpSize)},
                                                       {"share", percent_text(share())},
                                                       {"why", reason()}});
  }

  void place(Rect rest) {
    const std::string why = reason();
    const float sentence = draft_.sentence_height(why, rest.width, 2);
    if (rest.height > 200 + sentence) draft_.sentence("why", take_bottom(rest, sentence, 12), why);
    if (rest.height > 180) slots_bar(take_bottom(rest, 20, 12));
    const Rect chips_row = take_top(rest, std::clamp(rest.height * 0.06f, 18.0f, 32.0f), 6);
    arrange(rest);
    const float tree = tree_width(rest.width);
    const float code = code_width(rest.width);
    const float tail = rest.width > 760 ? 108.0f : 60.0f;
    const float left = code + 12 + tree + 12;
    code_ = {rest.x, 0, code, 0};
    tree_ = {rest.x + code + 12, rest.y, tree, rest.height};
    columns_ = {rest.x + left, rest.y, rest.width - left - tail, rest.height};
    tail_ = {columns_.right() + 12, rest.y, tail - 12, rest.height};
    lanes({columns_.x, chips_row.y, columns_.width, chips_row.height});
    draft_.caption("caption.code", {rest.x, chips_row.y, code, chips_row.height},
                   draft_.say("view.caption.code"));
    if (const std::string word = draft_.say("view.caption.paths");
        !rows_.front().summed && draft_.fits(word, tree + 12, kTiny, Face::SansBold))
      draft_.caption("caption.paths", {tree_.x, chips_row.y, tree + 12, chips_row.height}, word);
    if (tail_.width > 70)
      draft_.caption("caption.busy", {tail_.x, chips_row.y, tail_.width, chips_row.height},
                     draft_.say("view.caption.busy"));
    for (std::size_t i = 0; i < rows_.size(); ++i) row(i);
    code_lines();
    tree_of_paths();
    loss();
    end_of_recording();
    cursor();
  }

  bool roomy(float width) const { return width > 1100; }
  float code_size() const { return roomy(draft_.context().size.width) ? kSmall : kTiny; }

  // As wide as the longest line that is shown, and no wider than the picture can give.
  float code_width(float width) const {
    if (width <= 560) return 34;
    if (width <= 760) return 56;
    float longest = 40;
    for (const Row& r : rows_)
      longest = std::max(longest, draft_.width(code_of(r.line), code_size(), Face::Mono));
    return std::clamp(longest + 44, 84.0f, std::max(200.0f, width * 0.3f));
  }

  std::vector<TreeRow> tree_rows() const {
    std::vector<TreeRow> out;
    for (const Row& r : rows_) out.push_back({r.first, r.waits, r.top, r.top + r.height});
    return out;
  }
  // A summed row has no one set of lanes, so there is no tree.
  float tree_width(float width) const {
    if (rows_.front().summed) return 4;
    return std::min(branch_tree_width(tree_rows()), width > 760 ? 166.0f : 44.0f);
  }

  // Rows get at least enough height for their line of code, the rest follows their share of time.
  void arrange(const Rect& rest) {
    const float least = roomy(rest.width) ? 18 : 15;
    const auto room = static_cast<std::size_t>(std::max(1.0f, rest.height / least));
    // Changes in which no time passes are no rows, but they are walked over.
    if (time_->lasting() <= room && time_->spans() <= 64 * room) {
      rows_ = rows_as_they_are(*time_);
      const float spare = std::max(0.0f, rest.height - least * static_cast<float>(rows_.size()));
      float y = rest.y;
      for (Row& r : rows_) {
        r.top = y;
        r.height =
            least + spare * static_cast<float>(r.end - r.begin) / static_cast<float>(total_ / kWarpSize);
        y += r.height;
      }
      return;
    }
    const auto count = static_cast<std::size_t>(std::clamp(rest.height / 6, 1.0f, 64.0f));
    rows_ = rows_summed(*time_, count);
    const float pitch = rest.height / static_cast<float>(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].top = rest.y + pitch * static_cast<float>(i);
      rows_[i].height = pitch;
    }
  }

  LaneMask focus() const {
    for (const Selection* s : {&input_.hover, &input_.selection})
      if (s->lane) return LaneMask{1} << (*s->lane & 31);
    return 0;
  }

  void lanes(const Rect& r) {
    const LaneMask hero = focus();
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const Rect cell = cell_of(r, lane, kWarpSize, 2);
      const std::string number = std::to_string(lane);
      Shape& s = draft_.box(fmt::format("lane.{}", lane), cell, Ink::of_lane(lane), 3);
      s.target.lane = lane;
      s.tooltip = draft_.say("view.active_lanes.lane",
                             {{"lane", value_of(lane)}, {"share", percent_text(lane_share(lane))}});
      if (hero >> lane & 1u) {
        s.stroke = Ink::of(Role::Text);
        s.stroke_width = 2;
      }
      const bool fits_all = draft_.fits("28", cell.width - 1, kTiny, Face::SansBold);
      if (!fits_all && lane % 4 != 0) continue;
      const Rect at = fits_all ? cell : Rect{cell.x - 2, cell.y, cell.width + 14, cell.height};
      if (!fits_all && !draft_.fits("28", cell.width + 2, kTiny, Face::SansBold)) continue;
      draft_.text(fmt::format("lane.{}.number", lane), fits_all ? at : inset(cell, -2, 0), number,
                  {draft_.largest_size("28", cell.width - 2, cell.height - 3, kBody, Face::SansBold),
                   Face::SansBold, Ink{Role::OnLane, 1, static_cast<std::uint8_t>(lane)}, Align::Centre});
    }
  }

  double lane_share(int lane) const {
    return static_cast<double>(sum_.active[static_cast<std::size_t>(lane)]) * kWarpSize /
           std::max(1.0, static_cast<double>(total_));
  }

  void row(std::size_t i) {
    const Row& r = rows_[i];
    const float gap = r.height > 8 ? 2.0f : 1.0f;
    const Rect band{columns_.x, r.top, columns_.width, std::max(1.0f, r.height - gap)};
    const LaneMask hero = focus();
    const std::string when = "\n" + draft_.say("view.active_lanes.when", {{"from", group_digits(r.begin)},
                                                                          {"to", group_digits(r.end)}});
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const auto k = static_cast<std::size_t>(lane);
      if (r.active[k] <= 0 && r.waiting[k] <= 0) continue;
      const Rect cell = cell_of(band, lane, kWarpSize, 2);
      const bool faded = hero != 0 && !(hero >> lane & 1u);
      const bool works = r.active[k] > 0;
      Shape& s = works ? draft_.box(fmt::format("slot.{}.{}", i, lane), cell,
                                    Ink::of_lane(lane, (faded ? 0.3f : 1.0f) *
                                                           (r.summed ? 0.15f + 0.85f * r.active[k] : 1.0f)),
                                    2)
                       : draft_.frame(fmt::format("wait.{}.{}", i, lane), cell,
                                      Ink::of_lane(lane, faded ? 0.25f : 0.75f), 1, 2);
      if (!works) s.fill = Ink::of_lane(lane, 0.10f);
      s.target.lane = lane;
      if (r.line > 0) s.target.line = r.line;
      s.tooltip = slot_words(r, lane) + when;
    }
    busy_bar(i, r);
  }

  // What a lane does in a row. A picture has thousands of these and few different ones: each is put into
  // words once.
  const std::string& slot_words(const Row& r, int lane) {
    const auto k = static_cast<std::size_t>(lane);
    const int percent = r.summed ? std::clamp(static_cast<int>(std::lround(r.active[k] * 100)), 0, 100)
                        : r.active[k] > 0 ? 101
                                          : 102;
    std::string& words = slot_words_[static_cast<std::size_t>(percent) * kWarpSize + k];
    if (words.empty()) {
      const char* key = r.summed          ? "view.active_lanes.slot_summed"
                        : r.active[k] > 0 ? "view.active_lanes.slot_works"
                                          : "view.active_lanes.slot_waits";
      words = draft_.say(key, {{"lane", value_of(lane)}, {"share", percent_text(percent / 100.0)}});
    }
    return words;
  }

  // How many of the 32 work, as a bar to the right; what is missing is the loss.
  void busy_bar(std::size_t i, const Row& r) {
    const bool labelled = r.height >= 15 && tail_.width > 70;
    const Rect bar{tail_.x, r.top + 1, tail_.width - (labelled ? 30.0f : 0.0f),
                   std::max(1.0f, std::min(r.height - 3, 14.0f))};
    const float share = r.lanes() / kWarpSize;
    Shape& lost = draft_.box(fmt::format("busy.{}.lost", i), bar, Ink::of(Role::Dim, 0.5f), 2);
    lost.pattern = Pattern::Hatched;
    lost.tooltip =
        draft_.say("view.active_lanes.of_32", {{"n", plain_number(std::round(r.lanes() * 10) / 10)}});
    if (share > 0) {
      Shape& s = draft_.box(fmt::format("busy.{}", i), {bar.x, bar.y, bar.width * share, bar.height},
                            Ink::of(Role::Good), 2);
      s.tooltip =
          draft_.say("view.active_lanes.of_32", {{"n", plain_number(std::round(r.lanes() * 10) / 10)}});
    }
    if (labelled)
      draft_.text(fmt::format("busy.{}.n", i), {bar.right() + 4, r.top, 26, 15},
                  plain_number(std::round(r.lanes())), {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Right});
  }

  // The text of a source line, as far as a recorded instruction tells it.
  std::string code_of(int line) const {
    for (const trace::Site& site : input_.trace->sites)
      if (site.line == line && !site.text.empty()) return site.text;
    return {};
  }

  void code_lines() {
    float free_from = 0;
    int last = -1;
    const float high = code_size() + 4;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& r = rows_[i];
      if (r.top < free_from || (r.line == last && r.line > 0) || r.top + high > columns_.bottom() + 1)
        continue;
      last = r.line;
      free_from = r.top + high;
      const std::string number = r.line > 0 ? std::to_string(r.line) : fmt::format("@{}", r.instruction);
      const bool has_text = code_.width > 120;
      const Rect at{code_.x, r.top, has_text ? 34.0f : code_.width, high};
      Shape& s = draft_.text(fmt::format("code.{}.line", i), at, number,
                             {code_size(), Face::Mono, Ink::of(Role::Dim), Align::Left});
      if (r.line > 0) s.target.line = r.line;
      if (s.tooltip.empty())
        s.tooltip = r.line > 0
                        ? draft_.say("view.access.line", {{"line", value_of(r.line)}})
                        : draft_.say("view.active_lanes.instruction", {{"n", value_of(r.instruction)}});
      const std::string code = code_of(r.line);
      if (!has_text || code.empty()) continue;
      Shape& text = draft_.text(fmt::format("code.{}", i), {code_.x + 38, r.top, code_.width - 38, high},
                                code, {code_size(), Face::Mono, Ink::of(Role::Text), Align::Left});
      text.target.line = r.line;
    }
  }

  // Between code and lanes: where lanes part, who waits meanwhile, where they meet again.
  void tree_of_paths() {
    if (rows_.front().summed) return;
    draw_branch_tree(draft_, tree_, tree_rows(), [this](std::size_t i) {
      const LaneMask before = rows_[i - 1].active_mask(), now = rows_[i].active_mask();
      const char* key = (now & before) == before ? "view.active_lanes.join"
                        : (now & before) == now  ? "view.active_lanes.part"
                                                 : "view.active_lanes.switch";
      return draft_.say(key, {{"lanes", lanes_text(now)}, {"n", value_of(active_lanes(now))}});
    });
  }

  // The greatest loss, in lane-slots, on its own area: what the sentence below is about.
  void loss() {
    const auto worst = std::find_if(rows_.begin(), rows_.end(),
                                    [this](const Row& r) { return !r.summed && r.begin == worst_.begin; });
    if (worst_lost_ == 0 || worst == rows_.end() || worst->height < 24) return;
    int first = 0, lanes = 0;  // the longest run of lanes that wait
    for (int lane = 0, run = 0; lane < kWarpSize; ++lane) {
      run = worst->waits >> lane & 1u ? run + 1 : 0;
      if (run > lanes) {
        lanes = run;
        first = lane - run + 1;
      }
    }
    const Rect band{columns_.x, worst->top, columns_.width, worst->height};
    const float left = cell_of(band, first, kWarpSize, 2).x;
    const float wide = cell_of(band, first + lanes - 1, kWarpSize, 2).right() - left;
    const std::string words = draft_.say("view.active_lanes.lost", {{"n", group_digits(worst_lost_)}});
    const float pill = draft_.width(words, kSmall, Face::SansBold) + 16;
    if (pill > wide) return;
    const Rect at{left + (wide - pill) / 2, worst->top + (worst->height - 2 - 20) / 2, pill, 20};
    draft_.box("loss.ground", at, Ink::of(Role::Ground, 0.92f), 3).tooltip = reason();
    draft_.text("loss", at, words, {kSmall, Face::SansBold, Ink::of(Role::Warn), Align::Centre});
  }

  // A warp whose end was not recorded may have gone on: its last span is the least that ran.
  void end_of_recording() {
    if (rows_.back().last == 0) return;
    const float y = rows_.back().top + rows_.back().height - 1;
    if (y > columns_.bottom()) return;
    Shape& s = draft_.line("end", {{columns_.x, y}, {columns_.right(), y}}, Ink::of(Role::Dim), 1);
    s.dashed = true;
    s.tooltip = draft_.say("view.active_lanes.open_end");
  }

  void cursor() {
    const std::size_t step = std::min(input_.cursor.step, input_.trace->size() - 1);
    if (input_.trace->steps()[step].warp != warp_ || input_.trace->block_of(step) != block_) return;
    const auto time = time_->time_of_step(step);
    if (!time) return;
    for (const Row& r : rows_)
      if (*time >= r.begin && *time < r.end) {
        const float part = static_cast<float>(*time - r.begin) / static_cast<float>(r.end - r.begin);
        const float y = r.top + r.height * part;
        draft_.line("cursor", {{columns_.x - 4, y}, {columns_.right() + 4, y}}, Ink::of(Role::Text), 1.5f);
        draft_.polygon("cursor.head",
                       {{columns_.x - 10, y - 4}, {columns_.x - 4, y}, {columns_.x - 10, y + 4}},
                       Ink::of(Role::Text));
        return;
      }
  }

  void slots_bar(Rect rest) {
    const std::string name = draft_.say("view.active_lanes.slots", {{"n", group_digits(total_)}});
    const Rect label = take_left(rest, draft_.width(name) + 1, 12);
    draft_.text("slots.name", label, name, dim());
    const Rect bar = inset(rest, 0, 2);
    const auto whole = static_cast<float>(std::max<std::uint64_t>(1, total_));
    float x = bar.x;
    const auto part = [&](const char* id, std::uint64_t amount, Ink ink, Pattern pattern, const char* key,
                          Ink on) {
      const float wide = bar.width * static_cast<float>(amount) / whole;
      if (wide < 0.5f) return;
      const Rect r{x, bar.y, wide, bar.height};
      const std::string words = draft_.say(
          key, {{"n", group_digits(amount)},
                {"share", percent_text(static_cast<double>(amount) / static_cast<double>(total_))}});
      Shape& s = draft_.box(id, r, ink, 3);
      s.pattern = pattern;
      s.tooltip = words;
      x += wide;
      if (!draft_.fits(words, wide - 24, kSmall, Face::SansBold)) return;
      if (pattern != Pattern::Solid) {
        const float pill = draft_.width(words, kSmall, Face::SansBold) + 12;
        draft_.box(std::string(id) + ".ground", {r.x + (wide - pill) / 2, r.y, pill, r.height},
                   Ink::of(Role::Ground), 3);
      }
      draft_.text(std::string(id) + ".words", r, words, {kSmall, Face::SansBold, on, Align::Centre});
    };
    part("slots.used", used_, Ink::of(Role::Good), Pattern::Solid, "view.active_lanes.used",
         Ink::of(Role::OnAccent));
    part("slots.waiting", waiting_, Ink::of(Role::Dim, 0.55f), Pattern::Hatched, "view.active_lanes.waiting",
         Ink::of(Role::Text));
    part("slots.gone", total_ - std::min(total_, used_ + waiting_), Ink::of(Role::Dim, 0.3f), Pattern::Dotted,
         "view.active_lanes.gone", Ink::of(Role::Text));
  }

  Draft draft_;
  const ViewInput& input_;
  std::uint64_t block_ = 0;
  std::uint32_t warp_ = 0;
  // By share of the time in percent (101: one span works, 102: waits) and lane.
  std::array<std::string, 103 * kWarpSize> slot_words_;
  std::optional<IndexRef> index_;
  std::optional<WarpTime> time_;
  LaneTime sum_;
  std::vector<Row> rows_;
  std::uint64_t total_ = 0, used_ = 0, waiting_ = 0, worst_lost_ = 0;  // lane-slots
  analysis::ActiveSpan worst_;
  Rect code_, tree_, columns_, tail_;
};

}  // namespace

Scene active_lanes_view(const ViewContext& context, const ViewInput& input) {
  return ActiveLanes(context, input).run();
}

bool active_lanes_applies(const ViewInput& input) {
  if (!input.report) return false;
  if (input.report->execution.divergent_branches > 0) return true;
  // Lanes that leave by a predicated EXIT part without a branch of the machine's.
  return std::ranges::any_of(input.report->totals.sites,
                             [](const analysis::SiteTotals& site) { return site.divergent > 0; });
}

}  // namespace warplens::visual
