// What do the warps wait for? The reasons why a warp did not issue, as the hardware counted them, or, where
// nobody has, as the model of the SM has them: a bar a reason, the longest first, its length the share of the
// time from one instruction of a warp to its next. Waiting is an outline over a faint fill, issuing is full,
// ready without a turn is hatched. Where both are known the model's share is a thin bar under the measured
// one.
//
// Small panes lose, in this order: the sentence, the explanations under the names, the shortest bars.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/analysis/modelled.h"
#include "visual/hardware.h"
#include "visual/layout.h"
#include "visual/other_device.h"
#include "visual/stall_look.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

constexpr float kStallRow = 24, kTallRow = 46;
constexpr double kLeastShare = 0.0005;  // below this a bar would be an empty row

class StallsView {
 public:
  StallsView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    modelled_ = modelled_lines();
    measured_ = input_.counters && !input_.counters->stalls.empty();
    if (measured_) on_ = input_.counters->on;
    const std::vector<StallLine> lines = measured_ ? input_.counters->stalls : modelled_;
    for (const StallLine& s : lines) total_ += s.cycles;
    if (!(total_ > 0)) return empty();
    for (const StallLine& s : lines)
      if (s.cycles / total_ >= kLeastShare) shown_.push_back(s);
    Rect rest = header();
    say_other_device(draft_, rest, input_, on_);
    const std::string why = reason();
    const float height = draft_.sentence_height(why, rest.width, 3);
    if (rest.height - height > 200) draft_.sentence("why", take_bottom(rest, height, 12), why);
    rows(rest);
    return draft_.finish(why);
  }

 private:
  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.stalls.title")});
    const HardwareCounters* c = input_.counters;
    const bool coming = c && c->coming;
    const std::string advice =
        c && !c->missing.empty() ? c->missing : draft_.say("view.counters.none_advice");
    draft_.empty(rest, draft_.say(coming ? "view.counters.coming" : "view.counters.none"), advice);
    return draft_.finish(draft_.say("view.counters.none"));
  }

  // The largest first, in cycles between two instructions of a warp, as the profiler has them.
  std::vector<StallLine> modelled_lines() const {
    std::vector<StallLine> out;
    if (!input_.modelled || !input_.modelled->time) return out;
    const analysis::SmRun& run = input_.modelled->time->sm;
    double issued = 0;
    for (const std::uint64_t n : run.issued) issued += static_cast<double>(n);
    for (std::size_t i = 0; i < analysis::kSmStalls && issued > 0; ++i) {
      const std::string name(analysis::name(static_cast<analysis::SmStall>(i)));
      if (run.stalls[i] > 0) out.push_back({name, "counter.stall." + name, run.stalls[i] / issued});
    }
    std::ranges::stable_sort(out, [](const StallLine& a, const StallLine& b) { return a.cycles > b.cycles; });
    return out;
  }

  // The model is about what is open: beside counters of other values of the sliders it would mislead.
  bool is_beside() const { return measured_ && !modelled_.empty() && input_.counters->elsewhere.empty(); }

  // The model's share of a reason; unset where it is shown as the bar itself, or not known.
  std::optional<double> modelled_share(const StallLine& s) const {
    if (!is_beside()) return std::nullopt;
    double all = 0, own = 0;
    for (const StallLine& m : modelled_) {
      all += m.cycles;
      if (m.reason == s.reason) own = m.cycles;
    }
    return own / all;
  }

  // A reason that a newer profiler has and the catalogue does not is called as the profiler calls it.
  std::string name_of(const StallLine& s) const {
    return draft_.context().text.has(s.key) ? draft_.say(s.key) : profiler_word(s.reason);
  }
  std::string meaning_of(const StallLine& s) const {
    const std::string key = "counter.stall_means." + s.reason;
    return draft_.context().text.has(key) ? draft_.say(key) : std::string();
  }

  double share(const StallLine& s) const { return s.cycles / total_; }

  // The longest of those that are waiting: a warp that issues or is ready waits for nothing.
  const StallLine* longest() const {
    const auto found =
        std::find_if(shown_.begin(), shown_.end(), [](const StallLine& s) { return s.waits(); });
    return found == shown_.end() ? nullptr : &*found;
  }

  Rect header() {
    Heading heading{.title = draft_.say("view.stalls.title"),
                    .evidence = measured_ ? Evidence::Measured : Evidence::Modelled};
    heading.about_in_full = true;
    heading.about =
        measured_ ? input_.counters->note
                  : draft_.say("view.stalls.about_model", {{"device", value_of(input_.modelled->device)}});
    if (is_beside()) heading.about += " · " + draft_.say("view.stalls.beside");
    heading.evidence_of = other_device(input_, on_);
    heading.sub = draft_.say("view.stalls.of", {{"cycles", plain_number(rounded(total_))}});
    if (const StallLine* s = longest()) {
      heading.answer = percent_text(share(*s));
      // Where it would push the note aside the first bar says the name.
      const std::string named = name_of(*s) + " · " + heading.sub;
      const float room = draft_.context().size.width - 2 * kMargin - 90;
      if (draft_.width(named) + draft_.width(heading.about) + 2 * kUnit <= room) heading.sub = named;
    } else {
      heading.answer = percent_text(0);
    }
    return draft_.header(heading);
  }

  static double rounded(double cycles) {
    return cycles >= 10 ? std::round(cycles) : std::round(cycles * 10) / 10;
  }

  std::string reason() const {
    const StallLine* s = longest();
    if (!s) return draft_.say("view.stalls.nothing");
    const std::string why = draft_.say("view.stalls.why", {{"total", plain_number(rounded(total_))},
                                                           {"cycles", plain_number(rounded(s->cycles))},
                                                           {"means", meaning_of(*s)}});
    // A model stands here for want of counters: what would bring them.
    const bool wanting = !measured_ && input_.counters && !input_.counters->missing.empty();
    return wanting ? why + " " + input_.counters->missing : why;
  }

  // Type and bars grow with the room for a row.
  struct Look {
    float pitch = kStallRow, bar = 14, name = kSmall, line = kTiny;
    bool tall = false;    // with the explanation under the name
    bool cycles = false;  // beside the share
  };
  Look look_for(const Rect& r) const {
    Look out;
    const auto count = static_cast<float>(shown_.size());
    out.tall = r.height >= kTallRow * std::min(count, 8.0f) && r.width >= 560;
    if (!out.tall) return out;
    out.pitch = std::clamp(r.height / count, kTallRow, 116.0f);
    out.cycles = r.width >= 1200;
    if (out.pitch < 54 || r.width < 1200) return out;
    const bool huge = out.pitch >= 80 && r.width >= 1800;
    out.bar = huge ? 28 : 18;
    out.name = huge ? kHeading : kSmall;
    out.line = huge ? kBody : kSmall;
    return out;
  }

  void rows(const Rect& r) {
    const Look look = look_for(r);
    const auto fit = static_cast<std::size_t>(std::max(1.0f, r.height / look.pitch));
    const bool cut = shown_.size() > fit;
    const std::size_t rows = cut && fit > 1 ? fit - 1 : std::min(fit, shown_.size());
    names_ = 0;
    for (const StallLine& s : shown_)
      names_ = std::max(names_, draft_.width(name_of(s), look.name, Face::SansBold));
    names_ = std::min(names_ + 2, r.width * (look.tall ? 0.4f : 0.46f));
    float y = r.y;
    for (std::size_t i = 0; i < rows; ++i, y += look.pitch)
      row({r.x, y, r.width, look.pitch}, shown_[i], look);
    if (!cut) return;
    double rest = 0;
    for (std::size_t i = rows; i < shown_.size(); ++i) rest += share(shown_[i]);
    draft_.text("more", {r.x, y, r.width, 20},
                draft_.say("view.stalls.more",
                           {{"n", value_of(shown_.size() - rows)}, {"share", percent_text(rest)}}),
                dim(kTiny));
  }

  void row(Rect r, const StallLine& s, const Look& look) {
    const std::string id = "stall." + s.reason;
    const std::string means = meaning_of(s);
    const std::string cycles = draft_.say("view.stalls.cycles", {{"cycles", plain_number(s.cycles)}});
    const std::string tip = profiler_word(s.reason) + "\n" + means + "\n" + cycles;
    const float height = std::max(20.0f, look.bar + 4);
    Rect bar_row = take_top(r, height);
    draft_.text(id + ".name", {bar_row.x, bar_row.y + height / 2 - 10, names_, 20}, name_of(s),
                {look.name, s.waits() ? Face::SansBold : Face::Sans});
    take_left(bar_row, names_, 12);
    const Rect number = take_right(bar_row, look.name > kSmall ? 72.0f : 56.0f, 8);
    draft_.text(id + ".share", {number.x, bar_row.y + height / 2 - 10, number.width, 20},
                percent_text(share(s)), {look.name, Face::MonoBold, Ink::of(Role::Text), Align::Right});
    if (look.cycles) {
      const std::string words = draft_.say("view.stalls.cycles_short", {{"cycles", plain_number(s.cycles)}});
      const Rect at = take_right(bar_row, look.name > kSmall ? 120.0f : 96.0f, 8);
      draft_.text(id + ".cycles", {at.x, bar_row.y + height / 2 - 10, at.width, 20}, words,
                  {look.line, Face::Sans, Ink::of(Role::Dim), Align::Right});
    }
    const auto wide = static_cast<float>(share(s) / share(shown_.front())) * bar_row.width;
    const Rect box{bar_row.x, bar_row.y + (height - look.bar) / 2, std::max(2.0f, wide), look.bar};
    const std::optional<double> model = modelled_share(s);
    const std::string beside =
        model ? "\n" + draft_.say("view.stalls.modelled", {{"share", percent_text(*model)}}) : std::string();
    bar(id, box, s).tooltip = tip + beside;
    if (model) {
      const auto length = static_cast<float>(std::min(1.0, *model / share(shown_.front()))) * bar_row.width;
      draft_
          .box(id + ".modelled", {box.x, box.bottom() + 1, std::max(1.0f, length), 3},
               Ink::of(Role::Modelled), 1)
          .tooltip = tip + beside;
    }
    if (!look.tall) return;
    const std::string words = profiler_word(s.reason);
    const float word = draft_.width(words, look.line, Face::Mono) + 2;
    Rect line = take_top(r, look.line > kTiny ? 20.0f : 18.0f);
    draft_.text(id + ".word", take_left(line, std::min(word, line.width), 12), words,
                {look.line, Face::Mono, Ink::of(Role::Dim), Align::Left});
    if (line.width > 120) draft_.text(id + ".means", line, means, dim(look.line));
  }

  Shape& bar(const std::string& id, const Rect& box, const StallLine& s) {
    const Role waiting = measured_ ? Role::Accent : Role::Modelled;
    if (s.reason == "selected") return draft_.box(id, box, Ink::of(Role::Good), 3);
    if (s.reason == "not_selected") {
      Shape& ready = draft_.box(id, box, Ink::of(Role::Dim, 0.6f), 3);
      ready.pattern = Pattern::Hatched;
      return ready;
    }
    Shape& waits = draft_.box(id, box, Ink::of(waiting, 0.28f), 3);
    waits.stroke = Ink::of(waiting);
    waits.stroke_width = 1;
    waits.dashed = !measured_;
    return waits;
  }

  Draft draft_;
  const ViewInput& input_;
  std::vector<StallLine> modelled_;
  bool measured_ = false;         // what is shown was counted by the hardware
  MeasuredOn on_;                 // by which
  double total_ = 0;              // cycles between two instructions of a warp
  std::vector<StallLine> shown_;  // those that are long enough to be seen
  float names_ = 0;               // width of the column of names
};

}  // namespace

Scene stalls_view(const ViewContext& context, const ViewInput& input) {
  return StallsView(context, input).run();
}

bool stalls_applies(const ViewInput& input) {
  return (input.counters && !input.counters->stalls.empty()) || (input.modelled && input.modelled->time);
}

}  // namespace warplens::visual
