// What keeps the schedulers busy? One SM as a model: each row a resident warp, time to the right, an
// instruction where it issues and a pattern where it waits. Four schedulers, each with its own warps.
// Latencies are stated and can be changed; hiding can be switched off to see what it is worth. Why a warp
// waits is named as the profiler names it. Below, the loads in flight, and how many of them would keep DRAM
// busy.
//
// Small panes lose the loads in flight, then show the warps of the first scheduler only; then the sentence
// goes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "visual/layout.h"
#include "visual/sm_simulation.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

constexpr std::size_t kProgramLength = 48;   // instructions of a warp that are played
constexpr std::size_t kMostSegments = 2400;  // shapes in one picture
constexpr int kSchedulers = 4;

class SmMotion {
 public:
  SmMotion(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.trace || input_.trace->size() == 0) return empty("view.empty.headline", "view.empty.advice");
    const auto programs = collect_programs();
    if (programs.empty()) return empty("view.sm.none", "view.sm.none_advice");
    setup_.warps = resident_warps();
    setup_.schedulers = kSchedulers;
    const auto cycles = [](double n) { return static_cast<int>(std::clamp(n, 1.0, 100000.0)); };
    setup_.latency = {cycles(input_.sm.arithmetic), cycles(input_.sm.shared), cycles(input_.sm.global)};
    setup_.hide_latency = input_.sm.hide_latency;
    run_ = simulate_sm(programs, setup_);
    SmSetup other = setup_;
    other.hide_latency = !setup_.hide_latency;
    other.record = false;
    other_ = simulate_sm(programs, other);
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

  // What the warps of the first traced block did, with the arithmetic between two accesses as one
  // instruction.
  std::vector<std::vector<SmOp>> collect_programs() {
    const trace::Trace& trace = *input_.trace;
    std::vector<std::vector<SmOp>> programs;
    if (trace.blocks().empty()) return programs;
    const trace::BlockSteps block = trace.blocks().front();
    constexpr std::size_t kLook = 20000;
    for (std::size_t i = block.first; i < std::min(block.last, block.first + kLook); ++i) {
      const trace::Step& s = trace.steps()[i];
      if (s.kind == trace::StepKind::Mask || s.warp >= 64) continue;
      if (programs.size() <= s.warp) programs.resize(static_cast<std::size_t>(s.warp) + 1);
      std::vector<SmOp>& program = programs[s.warp];
      if (program.size() >= kProgramLength) continue;
      program.push_back(SmOp::Arithmetic);
      if (s.kind != trace::StepKind::Access || s.active == 0) continue;
      const trace::AccessView access = trace.access(i);
      const trace::Space space = access.space;
      if (space == trace::Space::Global) {
        bytes_ += static_cast<double>(active_lanes(s.active)) * std::max(1, access.bytes);
        ++loads_;
      }
      if (space == trace::Space::Shared) program.push_back(SmOp::Shared);
      if (space == trace::Space::Global || space == trace::Space::Local) program.push_back(SmOp::Global);
    }
    std::erase_if(programs, [](const auto& p) { return p.empty(); });
    return programs;
  }

  int resident_warps() const {
    if (input_.sm.warps > 0) return std::min(input_.sm.warps, 64);
    if (input_.report && input_.report->occupancy.warps_per_sm > 0)
      return std::min(input_.report->occupancy.warps_per_sm, 64);
    return 16;
  }

  Rect header() {
    return draft_.header(
        {.title = draft_.say("view.sm.title"),
         .about = draft_.say("view.sm.about", {{"warps", value_of(setup_.warps)},
                                               {"arithmetic", value_of(setup_.latency[0])},
                                               {"shared", value_of(setup_.latency[1])},
                                               {"global", value_of(setup_.latency[2])}}),
         .answer = draft_.say("view.sm.answer", {{"share", percent_text(run_.utilisation())}}),
         .sub = draft_.say(setup_.hide_latency ? "view.sm.without" : "view.sm.with",
                           {{"share", percent_text(other_.utilisation())}}),
         .worse = run_.utilisation() < 0.6,
         .evidence = Evidence::Modelled});
  }

  std::string reason() const {
    return draft_.say(setup_.hide_latency ? "view.sm.reason_hiding" : "view.sm.reason_alone",
                      {{"warps", value_of(std::max(0, (setup_.warps + kSchedulers - 1) / kSchedulers - 1))},
                       {"share", percent_text(run_.utilisation())},
                       {"other", percent_text(other_.utilisation())},
                       {"global", value_of(setup_.latency[2])},
                       {"needed", value_of(warps_needed())}});
  }

  // Little's law: bytes in flight = bytes a cycle x cycles under way. 0 where the device is unknown.
  double loads_for_dram() const {
    const analysis::Device* d = input_.device;
    if (!d || loads_ == 0 || !(d->dram_gbps > 0) || !(d->boost_mhz > 0) || d->sms <= 0) return 0;
    const double a_cycle = d->dram_gbps * 1e3 / d->boost_mhz / d->sms;  // bytes, of one SM's share
    return a_cycle * setup_.latency[2] / (bytes_ / static_cast<double>(loads_));
  }

  // Area over time; the dashed rule is what DRAM would need.
  void in_flight(Rect r) {
    const std::vector<int> flying = loads_in_flight(run_);
    const double needed = loads_for_dram();
    double sum = 0, most = 1;
    const auto last = std::min<std::size_t>(flying.size(), static_cast<std::size_t>(window_));
    for (std::size_t i = 0; i < last; ++i) {
      sum += flying[i];
      most = std::max(most, static_cast<double>(flying[i]));
    }
    const double mean = last > 0 ? sum / static_cast<double>(last) : 0;
    const std::string words =
        needed > 0
            ? draft_.say(
                  "view.sm.in_flight_needed",
                  {{"n", plain_number(std::round(mean * 10) / 10)},
                   {"needed", plain_number(std::ceil(needed))},
                   {"bytes", bytes_text(static_cast<std::uint64_t>(bytes_ / static_cast<double>(loads_)))}})
            : draft_.say("view.sm.in_flight", {{"n", plain_number(std::round(mean * 10) / 10)}});
    draft_.text("flight.words", take_top(r, 18, 2), words, dim(kTiny));
    const Rect area{field_.x, r.y, field_.width, r.height};
    const double top = std::max(most, std::min(needed, most * 3)) * 1.1;
    const auto y_of = [&](double n) {
      return area.bottom() - area.height * static_cast<float>(std::clamp(n / top, 0.0, 1.0));
    };
    std::vector<Point> outline{{area.x, area.bottom()}};
    const auto columns = static_cast<int>(std::clamp(area.width / 3, 32.0f, 300.0f));
    for (int c = 0; c <= columns; ++c) {
      const auto cycle = std::min(last > 0 ? last - 1 : 0,
                                  last * static_cast<std::size_t>(c) / static_cast<std::size_t>(columns));
      outline.push_back({area.x + area.width * static_cast<float>(c) / static_cast<float>(columns),
                         y_of(flying.empty() ? 0 : flying[cycle])});
    }
    outline.push_back({area.right(), area.bottom()});
    Shape& s = draft_.polygon("flight", std::move(outline), Ink::of(Role::Modelled, 0.45f));
    s.tooltip = words;
    draft_.line("flight.axis", {{area.x, area.bottom()}, {area.right(), area.bottom()}}, Ink::of(Role::Line),
                1);
    if (needed > 0 && needed <= top) {
      Shape& rule = draft_.line("flight.needed", {{area.x, y_of(needed)}, {area.right(), y_of(needed)}},
                                Ink::of(Role::Modelled), 1.5f);
      rule.dashed = true;
      rule.tooltip = words;
    }
    const std::string high = plain_number(most);
    draft_.text("flight.most", {area.x - 48, y_of(most) - 7, 42, 14}, high,
                {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Right});
  }

  // Little's law for one scheduler: a warp issues its instructions and then waits for the longest latency.
  int warps_needed() const {
    int issues = 0, time = 0;
    for (const SmSegment& s : run_.warps.front()) {
      if (s.state == SmSegment::State::Issue) issues += s.end - s.begin;
      if (s.state != SmSegment::State::Ready) time += s.end - s.begin;
    }
    return issues > 0 ? (time + issues - 1) / issues : 0;
  }

  void place(Rect rest) {
    const std::string why = reason();
    const float sentence = draft_.sentence_height(why, rest.width, 2);
    if (rest.height > 210 + sentence) draft_.sentence("why", take_bottom(rest, sentence, 12), why);
    legend(take_top(rest, 18, 6));
    const float names =
        draft_.width(draft_.say("view.sm.scheduler", {{"n", value_of(9)}}), kSmall, Face::SansBold) + 14;
    const float tail = rest.width > 700 ? 120.0f : 64.0f;
    const bool flight = rest.height > 360 && loads_ > 0;
    const Rect below =
        flight ? take_bottom(rest, std::clamp(rest.height * 0.16f, 64.0f, 150.0f), 12) : Rect{};
    const Rect axis = take_bottom(rest, 18, 2);
    const int rows = setup_.warps;
    schedulers_ = rest.height / static_cast<float>(rows + 8) >= 5 ? kSchedulers : 1;
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

  // The first cycles, as many as can be drawn without more shapes than a picture should have.
  void choose_window() {
    std::vector<int> ends;
    for (std::size_t w = 0; w < run_.warps.size(); ++w)
      if (static_cast<int>(w) % kSchedulers < schedulers_)
        for (const SmSegment& s : run_.warps[w]) ends.push_back(s.begin);
    window_ = std::max(1, run_.cycles);
    if (ends.size() <= kMostSegments) return;
    std::nth_element(ends.begin(), ends.begin() + kMostSegments, ends.end());
    window_ = std::max(32, ends[kMostSegments]);
  }

  float x_of(int cycle) const {
    return field_.x +
           field_.width * static_cast<float>(std::min(cycle, window_)) / static_cast<float>(window_);
  }

  void scheduler(int s, const Rect& r, float names, float tail) {
    draft_.text(fmt::format("scheduler.{}", s), {r.x, r.y, names - 8, 16},
                draft_.say("view.sm.scheduler", {{"n", value_of(s)}}), {kSmall, Face::SansBold});
    const int count = (setup_.warps - s + kSchedulers - 1) / kSchedulers;
    const double share =
        static_cast<double>(run_.issued[static_cast<std::size_t>(s)]) / std::max(1, run_.cycles);
    const Rect bar{r.right() - tail + 12, r.y + 1, tail - 12, 14};
    Shape& lost = draft_.box(fmt::format("issue.{}.idle", s), bar, Ink::of(Role::Dim, 0.5f), 2);
    lost.pattern = Pattern::Hatched;
    lost.tooltip = draft_.say("view.sm.idle_slots", {{"share", percent_text(1 - share)}});
    draft_
        .box(fmt::format("issue.{}", s), {bar.x, bar.y, bar.width * static_cast<float>(share), bar.height},
             Ink::of(Role::Accent), 2)
        .tooltip = draft_.say("view.sm.issue_slots", {{"share", percent_text(share)}});
    if (r.height > 36)
      draft_.text(fmt::format("issue.{}.share", s), {bar.x, bar.bottom() + 1, bar.width, 15},
                  percent_text(share), dim(kTiny, Align::Right));
    const float pitch = std::min(26.0f, r.height / static_cast<float>(std::max(1, count)));
    float free_from = r.y + 18;
    for (int k = 0; k < count; ++k) {
      const int w = s + k * kSchedulers;
      const Rect row{field_.x, r.y + pitch * static_cast<float>(k), field_.width,
                     std::max(1.5f, pitch - (pitch > 6 ? 2.0f : 1.0f))};
      draft_.box(fmt::format("warp.{}", w), row, Ink::of(Role::Panel)).target.warp =
          static_cast<std::uint32_t>(w);
      if (row.y + row.height / 2 - 7 >= free_from && row.y + row.height / 2 + 7 <= r.bottom() + 4) {
        draft_.text(fmt::format("warp.{}.name", w), {r.x, row.y + row.height / 2 - 7, names - 8, 14},
                    draft_.say("view.grid.warp", {{"n", value_of(w)}}), dim(kTiny, Align::Right));
        free_from = row.y + row.height / 2 + 7;
      }
      warp_words_ = draft_.say("view.grid.warp", {{"n", value_of(w)}});
      float drawn_to = row.x - 1;
      for (const SmSegment& segment : run_.warps[static_cast<std::size_t>(w)]) {
        // What ends inside the half pixel of the piece before cannot be seen.
        if (segment.begin >= window_) break;
        if (x_of(segment.end) < drawn_to + 0.5f && segment.state != SmSegment::State::Issue) continue;
        piece(w, segment, row);
        drawn_to = x_of(segment.end);
      }
    }
  }

  struct Look {
    Ink ink;
    Pattern pattern;
    const char* key;
  };
  static Look look_of(SmSegment::State state) {
    switch (state) {
      case SmSegment::State::Issue:
        return {Ink::of(Role::Accent), Pattern::Solid, "view.sm.state_issue"};
      case SmSegment::State::WaitShared:
        return {Ink::of(Role::Good, 0.8f), Pattern::Dotted, "view.sm.state_shared"};
      case SmSegment::State::WaitGlobal:
        return {Ink::of(Role::Dim, 0.55f), Pattern::Hatched, "view.sm.state_global"};
      case SmSegment::State::WaitArithmetic:
        return {Ink::of(Role::Line), Pattern::Solid, "view.sm.state_arithmetic"};
      default:
        return {Ink::of(Role::Text, 0.85f), Pattern::Solid, "view.sm.state_ready"};
    }
  }

  void piece(int warp, const SmSegment& s, const Rect& row) {
    const Look look = look_of(s.state);
    const float x = x_of(s.begin);
    const float wide = std::max(s.state == SmSegment::State::Issue ? 1.5f : 0.3f, x_of(s.end) - x);
    Rect r{x, row.y, std::min(wide, field_.right() - x), row.height};
    // Ready and not chosen: a thin line, so that it cannot be taken for work.
    if (s.state == SmSegment::State::Ready)
      r = {r.x, row.y + row.height * 0.4f, r.width, std::max(1.0f, row.height * 0.2f)};
    Shape& shape = draft_.box(fmt::format("seg.{}.{}", warp, s.begin), r, look.ink);
    shape.pattern = look.pattern;
    shape.target.warp = static_cast<std::uint32_t>(warp);
    // Thousands of these are made in one picture: the words come ready, only the numbers are new.
    shape.tooltip =
        fmt::format("{}: {}\n{} {}–{}", warp_words_, words_of(s.state), cycle_words_, s.begin, s.end);
  }

  const std::string& words_of(SmSegment::State state) {
    std::string& words = state_words_[static_cast<std::size_t>(state)];
    if (words.empty()) words = draft_.say(look_of(state).key);
    return words;
  }

  void legend(Rect r) {
    for (const SmSegment::State state :
         {SmSegment::State::Issue, SmSegment::State::WaitGlobal, SmSegment::State::WaitShared,
          SmSegment::State::WaitArithmetic, SmSegment::State::Ready}) {
      const Look look = look_of(state);
      const std::string words = draft_.say(look.key);
      const float wide = draft_.width(words, kTiny) + 2;
      if (r.width < wide + 24) return;
      Rect key = inset(take_left(r, 16, 5), 0, 4);
      if (state == SmSegment::State::Ready) key = {key.x, key.y + 4, key.width, 2};
      draft_.box(std::string("legend.") + look.key, key, look.ink, 2).pattern = look.pattern;
      draft_.text(std::string("legend.") + look.key + ".name", take_left(r, wide, 14), words, dim(kTiny));
    }
  }

  void time_axis(const Rect& r) {
    float free_from = r.x;
    for (int i = 0; i <= 8; ++i) {
      const int cycle = window_ * i / 8;
      const std::string words =
          i == 8 ? draft_.say("view.sm.cycles", {{"n", group_digits(static_cast<std::uint64_t>(cycle))}})
                 : group_digits(static_cast<std::uint64_t>(cycle));
      const float wide = draft_.width(words, kTiny, Face::Mono) + 2;
      const float x = std::clamp(x_of(cycle) - wide / 2, r.x, r.right() - wide);
      if (x < free_from) continue;
      free_from = x + wide + 10;
      draft_.text(fmt::format("time.{}", i), {x, r.y + 2, wide, 14}, words,
                  {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Centre});
    }
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
  SmRun run_, other_;
  int schedulers_ = kSchedulers;  // drawn
  int window_ = 1;                // cycles drawn
  double bytes_ = 0;              // that the traced accesses to global memory asked for, and their number
  int loads_ = 0;
  std::array<std::string, 5> state_words_;  // by SmSegment::State
  std::string warp_words_, cycle_words_ = draft_.say("view.sm.cycle_range");
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
