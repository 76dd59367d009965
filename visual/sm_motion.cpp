// What keeps the schedulers busy? One SM as a model (engine/analysis/sm_simulation.h): each row a warp that
// is resident, time to the right, an instruction where it issues and a pattern where it waits, each wait
// called as the profiler calls it. Four schedulers, each with its own warps. Latency hiding, the latency of
// memory and how many blocks are resident can be changed to see what they are worth. Below, the loads in
// flight, and how many of them would keep the memory busy that serves them.
//
// Small panes lose the loads in flight, then show the warps of the first scheduler only; then the sentence
// goes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/analysis/modelled.h"
#include "visual/layout.h"
#include "visual/plot.h"
#include "visual/stall_look.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

using analysis::SmRun;
using analysis::SmSegment;
using analysis::SmSetup;
using analysis::SmStall;

constexpr std::size_t kMostSegments = 2400;  // shapes in one picture
// Of a run that somebody has changed: it is made anew in the frame, so it is only begun.
constexpr std::uint64_t kIssuesOfAChange = 30'000;

class SmMotion {
 public:
  SmMotion(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.trace || input_.trace->size() == 0) return empty("view.empty.headline", "view.empty.advice");
    const analysis::Modelled* m = input_.modelled;
    if (m && !m->time) return empty("view.sm.none", "view.sm.none_advice");
    if (!m || !m->code) return empty("view.model.coming", "view.model.coming_advice");
    simulate(*m);
    if (run_.warps.empty() || run_.recorded <= 0) return empty("view.sm.none", "view.sm.none_advice");
    schedulers_in_all_ = static_cast<int>(run_.issued.size());
    Rect rest = header();
    place(rest);
    return draft_.finish(reason());
  }

 private:
  Scene empty(const char* headline, const char* advice) {
    Rect rest = draft_.header({.title = draft_.say("view.sm.title")});
    draft_.empty(rest, draft_.say(headline), draft_.say(advice));
    return draft_.finish(draft_.say(headline));
  }

  void simulate(const analysis::Modelled& m) {
    const SmModel& asked = input_.sm;
    setup_ = m.sm;
    if (asked == SmModel{}) {
      run_ = m.time->sm;
      other_ = m.utilisation_unhidden;
      return;
    }
    setup_.hide_latency = asked.hide_latency;
    setup_.memory_latency = asked.memory_latency;
    if (asked.blocks > 0) {
      setup_.resident_blocks = asked.blocks;
      setup_.blocks = std::max<std::uint64_t>(setup_.blocks, static_cast<std::uint64_t>(asked.blocks));
    }
    setup_.most_issues = kIssuesOfAChange;
    setup_.record = kMostSegments * 4;
    run_ = analysis::simulate_sm(*m.code, setup_);
    SmSetup other = setup_;
    other.hide_latency = !setup_.hide_latency;
    other.record = 0;
    other_ = analysis::simulate_sm(*m.code, other).utilisation();
  }

  Rect header() {
    Heading heading{.title = draft_.say("view.sm.title"),
                    .about = draft_.say(setup_.blocks > 1 ? "view.sm.about" : "view.sm.about_one",
                                        {{"device", value_of(input_.modelled->device)},
                                         {"warps", value_of(run_.warps.size())},
                                         {"blocks", value_of(setup_.resident_blocks)},
                                         {"given", value_of(setup_.blocks)}}),
                    .answer = draft_.say("view.sm.answer", {{"share", percent_text(run_.utilisation())}}),
                    .worse = run_.utilisation() < 0.6,
                    .evidence = Evidence::Modelled};
    if (other_)
      heading.sub = draft_.say(setup_.hide_latency ? "view.sm.without" : "view.sm.with",
                               {{"share", percent_text(*other_)}});
    return draft_.header(heading);
  }

  double share(SmStall state) const {
    double all = 0;
    for (const double cycles : run_.stalls) all += cycles;
    return all > 0 ? run_.stalls[static_cast<std::size_t>(state)] / all : 0;
  }

  // The states that occur, the longest first.
  std::vector<SmStall> states() const {
    std::vector<SmStall> out;
    for (std::size_t i = 0; i < analysis::kSmStalls; ++i)
      if (share(static_cast<SmStall>(i)) >= 0.002) out.push_back(static_cast<SmStall>(i));
    std::ranges::stable_sort(out, [&](SmStall a, SmStall b) { return share(a) > share(b); });
    return out;
  }

  std::string word(SmStall state) const { return profiler_word(std::string(analysis::name(state))); }
  std::string meaning(SmStall state) const {
    return draft_.say("counter.stall_means." + std::string(analysis::name(state)));
  }

  std::string reason() const {
    const std::vector<SmStall> all = states();
    const auto waits = std::ranges::find_if(
        all, [](SmStall s) { return s != SmStall::Selected && s != SmStall::NotSelected; });
    if (waits == all.end()) return draft_.say("view.stalls.nothing");
    return draft_.say("view.sm.reason", {{"share", percent_text(share(*waits))},
                                         {"word", value_of(word(*waits))},
                                         {"means", value_of(meaning(*waits))}});
  }

  void place(Rect rest) {
    const std::string why = reason();
    const float sentence = draft_.sentence_height(why, rest.width, 2);
    if (rest.height > 210 + sentence) draft_.sentence("why", take_bottom(rest, sentence, 12), why);
    legend(take_top(rest, 18, 6));
    const float names =
        draft_.width(draft_.say("view.sm.scheduler", {{"n", value_of(9)}}), kSmall, Face::SansBold) + 14;
    const float tail = rest.width > 700 ? 120.0f : 64.0f;
    const bool flight = rest.height > 360 && !run_.flights.empty();
    const Rect below =
        flight ? take_bottom(rest, std::clamp(rest.height * 0.16f, 64.0f, 150.0f), 12) : Rect{};
    const Rect axis = take_bottom(rest, 18, 2);
    schedulers_ = rest.height / static_cast<float>(run_.warps.size() + 8) >= 5 ? schedulers_in_all_ : 1;
    field_ = {rest.x + names, rest.y, rest.width - names - tail, rest.height};
    choose_window();
    const float pitch = rest.height / static_cast<float>(schedulers_);
    for (int s = 0; s < schedulers_; ++s)
      scheduler(s,
                {rest.x, rest.y + pitch * static_cast<float>(s), rest.width,
                 pitch - (schedulers_ > 1 ? 10.0f : 0.0f)},
                names, tail);
    time_axis(axis);
    if (flight) in_flight(below);
    now_line();
  }

  bool is_drawn(std::size_t slot) const {
    return run_.slot_scheduler[slot] < static_cast<std::size_t>(schedulers_);
  }

  // The first cycles, as many as can be drawn without more shapes than a picture should have.
  void choose_window() {
    std::vector<std::int64_t> begins;
    for (std::size_t w = 0; w < run_.warps.size(); ++w)
      if (is_drawn(w))
        for (const SmSegment& s : run_.warps[w]) begins.push_back(s.begin);
    window_ = std::max<std::int64_t>(1, run_.recorded);
    if (begins.size() <= kMostSegments) return;
    std::ranges::nth_element(begins, begins.begin() + kMostSegments);
    window_ = std::clamp<std::int64_t>(begins[kMostSegments], 32, window_);
  }

  float x_of(std::int64_t cycle) const {
    return field_.x + field_.width * static_cast<float>(std::clamp<std::int64_t>(cycle, 0, window_)) /
                          static_cast<float>(window_);
  }

  void scheduler(int s, const Rect& r, float names, float tail) {
    draft_.text(fmt::format("scheduler.{}", s), {r.x, r.y, names - 8, 16},
                draft_.say("view.sm.scheduler", {{"n", value_of(s)}}), {kSmall, Face::SansBold});
    const double used = std::min(1.0, static_cast<double>(run_.issued[static_cast<std::size_t>(s)]) /
                                          static_cast<double>(std::max<std::int64_t>(1, run_.cycles)));
    const Rect bar{r.right() - tail + 12, r.y + 1, tail - 12, 14};
    Shape& lost = draft_.box(fmt::format("issue.{}.idle", s), bar, Ink::of(Role::Dim, 0.5f), 2);
    lost.pattern = Pattern::Hatched;
    lost.tooltip = draft_.say("view.sm.idle_slots", {{"share", percent_text(1 - used)}});
    draft_
        .box(fmt::format("issue.{}", s), {bar.x, bar.y, bar.width * static_cast<float>(used), bar.height},
             Ink::of(Role::Accent), 2)
        .tooltip = draft_.say("view.sm.issue_slots", {{"share", percent_text(used)}});
    if (r.height > 36)
      draft_.text(fmt::format("issue.{}.share", s), {bar.x, bar.bottom() + 1, bar.width, 15},
                  percent_text(used), dim(kTiny, Align::Right));
    std::vector<std::size_t> slots;
    for (std::size_t slot = 0; slot < run_.warps.size(); ++slot)
      if (run_.slot_scheduler[slot] == static_cast<std::size_t>(s)) slots.push_back(slot);
    const float pitch =
        std::min(26.0f, r.height / static_cast<float>(std::max<std::size_t>(1, slots.size())));
    float free_from = r.y + 18;
    for (std::size_t k = 0; k < slots.size(); ++k) {
      const std::size_t slot = slots[k];
      const Rect row{field_.x, r.y + pitch * static_cast<float>(k), field_.width,
                     std::max(1.5f, pitch - (pitch > 6 ? 2.0f : 1.0f))};
      draft_.box(fmt::format("warp.{}", slot), row, Ink::of(Role::Panel));
      warp_words_ = draft_.say("view.grid.warp", {{"n", value_of(slot)}});
      if (row.y + row.height / 2 - 7 >= free_from && row.y + row.height / 2 + 7 <= r.bottom() + 4) {
        draft_.text(fmt::format("warp.{}.name", slot), {r.x, row.y + row.height / 2 - 7, names - 8, 14},
                    warp_words_, dim(kTiny, Align::Right));
        free_from = row.y + row.height / 2 + 7;
      }
      warp_row(slot, row);
    }
  }

  void warp_row(std::size_t slot, const Rect& row) {
    float drawn_to = row.x - 1;
    std::size_t number = 0;
    for (const SmSegment& segment : run_.warps[slot]) {
      ++number;
      if (segment.begin >= window_) break;
      // What ends inside the half pixel of the piece before cannot be seen.
      if (x_of(segment.end) < drawn_to + 0.5f && segment.state != SmStall::Selected) continue;
      piece(slot, number, segment, row);
      drawn_to = x_of(segment.end);
    }
  }

  void piece(std::size_t slot, std::size_t number, const SmSegment& s, const Rect& row) {
    const StallLook look = look_of(s.state);
    const float x = x_of(s.begin);
    const float wide = std::max(s.state == SmStall::Selected ? 1.5f : 0.3f, x_of(s.end) - x);
    Rect r{x, row.y, std::min(wide, field_.right() - x), row.height};
    // Ready and not chosen: a thin line, so that it cannot be taken for work.
    if (s.state == SmStall::NotSelected)
      r = {r.x, row.y + row.height * 0.4f, r.width, std::max(1.0f, row.height * 0.2f)};
    Shape& shape = draft_.box(fmt::format("seg.{}.{}", slot, number), r, look.ink);
    shape.pattern = look.pattern;
    const analysis::SmCode& code = *input_.modelled->code;
    const int line = s.instruction < code.instructions.size() ? code.instructions[s.instruction].line : 0;
    if (line > 0) shape.target.line = line;
    // Thousands of these are made in one picture: the words come ready, only the numbers are new.
    shape.tooltip =
        fmt::format("{}: {}\n{} {}–{}", warp_words_, words_of(s.state), cycle_words_, s.begin, s.end);
    if (line > 0) shape.tooltip += fmt::format("\n{} {}", line_words_, line);
  }

  const std::string& words_of(SmStall state) {
    std::string& words = state_words_[static_cast<std::size_t>(state)];
    if (words.empty()) words = word(state);
    return words;
  }

  void legend(Rect r) {
    for (const SmStall state : states()) {
      const StallLook look = look_of(state);
      const std::string id = "legend." + std::string(analysis::name(state));
      const std::string words = word(state) + " " + percent_text(share(state));
      const float wide = draft_.width(words, kTiny) + 2;
      if (r.width < wide + 24) return;
      Rect key = inset(take_left(r, 16, 5), 0, 4);
      if (state == SmStall::NotSelected) key = {key.x, key.y + 4, key.width, 2};
      draft_.box(id, key, look.ink, 2).pattern = look.pattern;
      draft_.text(id + ".name", take_left(r, wide, 14), words, dim(kTiny)).tooltip = meaning(state);
    }
  }

  // Round numbers, and at the end how many cycles these are, or of how many.
  void time_axis(const Rect& r) {
    const auto put = [&](const std::string& id, float x, float wide, const std::string& words) {
      draft_.text(id, {x, r.y + 2, wide, 14}, words, {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Centre});
    };
    const auto digits = [](std::int64_t n) { return group_digits(static_cast<std::uint64_t>(n)); };
    const std::string last =
        window_ < run_.cycles
            ? draft_.say("view.sm.cycles_of", {{"n", digits(window_)}, {"all", digits(run_.cycles)}})
            : draft_.say("view.sm.cycles", {{"n", digits(window_)}});
    const float wide_last = draft_.width(last, kTiny, Face::Mono) + 2;
    const float x_last = std::clamp(x_of(window_) - wide_last / 2, r.x, std::max(r.x, r.right() - wide_last));
    put("time.end", x_last, wide_last, last);
    float free_from = r.x;
    for (const double t : round_ticks(0, static_cast<double>(window_), 8)) {
      const auto cycle = static_cast<std::int64_t>(std::llround(t));
      const std::string words = digits(cycle);
      const float wide = draft_.width(words, kTiny, Face::Mono) + 2, x = x_of(cycle) - wide / 2;
      if (x < free_from || x + wide + 10 > x_last) continue;
      free_from = x + wide + 10;
      put(fmt::format("time.{}", cycle), x, wide, words);
    }
  }

  // Little's law at the level that serves most: loads in flight = rate x latency. 0 where nothing is loaded.
  struct Needed {
    double loads = 0;
    bool dram = false;
  };
  Needed needed() const {
    const analysis::SmCode& code = *input_.modelled->code;
    double loads = 0, l2 = 0, dram = 0, latency = 0;
    for (const analysis::SmAccess& a : code.accesses) {
      if (a.from_l2 == 0) continue;
      ++loads;
      l2 += a.from_l2;
      dram += a.from_dram;
      latency += a.latency;
    }
    if (loads == 0) return {};
    const bool far = dram * 2 > l2;
    const double sectors = (far ? dram : l2) / loads;
    const double rate = far ? setup_.dram_sectors_a_cycle : setup_.l2_sectors_a_cycle;
    return {rate * latency / loads * setup_.memory_latency / std::max(0.01, sectors), far};
  }

  // Area over time; the dashed rule is what the memory would need.
  void in_flight(Rect r) {
    const std::vector<int> flying = analysis::loads_in_flight(run_);
    const Needed wanted = needed();
    const std::size_t last = std::min<std::size_t>(flying.size(), static_cast<std::size_t>(window_));
    if (last == 0) return;
    double sum = 0, most = 1;
    for (std::size_t i = 0; i < last; ++i) {
      sum += flying[i];
      most = std::max(most, static_cast<double>(flying[i]));
    }
    const std::string mean = plain_number(std::round(sum / static_cast<double>(last) * 10) / 10);
    const std::string words =
        wanted.loads > 0 ? draft_.say(wanted.dram ? "view.sm.in_flight_dram" : "view.sm.in_flight_l2",
                                      {{"n", mean}, {"needed", plain_number(std::ceil(wanted.loads))}})
                         : draft_.say("view.sm.in_flight", {{"n", mean}});
    draft_.text("flight.words", take_top(r, 18, 2), words, dim(kTiny));
    const Rect area{field_.x, r.y, field_.width, r.height};
    // What is wanted beyond that would press all that there is to the ground.
    const double top = (wanted.loads <= most * 3 ? std::max(most, wanted.loads) : most) * 1.1;
    const auto y_of = [&](double n) {
      return area.bottom() - area.height * static_cast<float>(std::clamp(n / top, 0.0, 1.0));
    };
    std::vector<Point> outline{{area.x, area.bottom()}};
    const auto columns = static_cast<std::size_t>(std::clamp(area.width / 3, 32.0f, 300.0f));
    for (std::size_t c = 0; c <= columns; ++c)
      outline.push_back({area.x + area.width * static_cast<float>(c) / static_cast<float>(columns),
                         y_of(flying[std::min(last - 1, last * c / columns)])});
    outline.push_back({area.right(), area.bottom()});
    draft_.polygon("flight", std::move(outline), Ink::of(Role::Modelled, 0.45f)).tooltip = words;
    draft_.line("flight.axis", {{area.x, area.bottom()}, {area.right(), area.bottom()}}, Ink::of(Role::Line),
                1);
    if (wanted.loads > 0 && wanted.loads <= top) {
      const float y = y_of(wanted.loads);
      Shape& rule =
          draft_.line("flight.needed", {{area.x, y}, {area.right(), y}}, Ink::of(Role::Modelled), 1.5f);
      rule.dashed = true;
      rule.tooltip = words;
    }
    draft_.text("flight.most", {area.x - 48, y_of(most) - 7, 42, 14}, plain_number(most),
                {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Right});
  }

  void now_line() {
    if (input_.cursor.phase >= 1) return;
    const float x = field_.x + field_.width * std::clamp(input_.cursor.phase, 0.0f, 1.0f);
    // What lies ahead is veiled.
    draft_.box("ahead", {x, field_.y, field_.right() - x, field_.height}, Ink::of(Role::Ground, 0.8f));
    draft_.line("now", {{x, field_.y}, {x, field_.bottom()}}, Ink::of(Role::Text), 1.5f);
  }

  Draft draft_;
  const ViewInput& input_;
  SmSetup setup_;
  SmRun run_;
  std::optional<double> other_;                 // utilisation with hiding switched over
  int schedulers_in_all_ = 4, schedulers_ = 4;  // the latter are drawn
  std::int64_t window_ = 1;                     // cycles drawn
  std::array<std::string, analysis::kSmStalls> state_words_;
  std::string warp_words_, cycle_words_ = draft_.say("view.sm.cycle_range"),
                           line_words_ = draft_.say("view.sm.line");
  Rect field_;
};

}  // namespace

Scene sm_motion(const ViewContext& context, const ViewInput& input) {
  return SmMotion(context, input).run();
}

bool sm_motion_applies(const ViewInput& input) {
  return input.trace && input.trace->size() > 0;
}

}  // namespace warplens::visual
