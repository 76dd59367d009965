// Why does it take that long? The modelled time of the launch and beside it, where a clock has measured one,
// the measured time and what is modelled of a launch whose L2 is warm, as that of most measured ones is;
// under them the parts, each as long as it would take alone, had it the GPU for itself. They overlap, so they
// add up to more than the whole; the dashed rule is the whole. The part that rules is full, the others faint.
// On the right what is left of the time when a part goes away: what a change could gain at most.
//
// Small panes lose the sentence, then the shares, then what is left without a part.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/analysis/modelled.h"
#include "engine/analysis/verdict.h"
#include "visual/hardware.h"
#include "visual/layout.h"
#include "visual/other_device.h"
#include "visual/run_times.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

using analysis::TimePart;

constexpr float kLeastPartRow = 20;

// Rates of the whole launch that a profiler gives for the unit of a part.
constexpr std::array<std::pair<TimePart, std::string_view>, 4> kMetrics{
    {{TimePart::Issue, "sm__inst_issued.avg.pct_of_peak_sustained_elapsed"},
     {TimePart::Lsu, "l1tex__throughput.avg.pct_of_peak_sustained_elapsed"},
     {TimePart::L2, "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
     {TimePart::Dram, "dram__throughput.avg.pct_of_peak_sustained_elapsed"}}};

class TimePartsView {
 public:
  TimePartsView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.trace || input_.trace->size() == 0) return empty("view.empty.headline", "view.empty.advice");
    if (!input_.modelled) return empty("view.model.coming", "view.model.coming_advice");
    if (!input_.modelled->time) return empty("view.sm.none", "view.sm.none_advice");
    model_ = &*input_.modelled->time;
    Rect rest = header();
    const std::string why = reason();
    const float height = draft_.sentence_height(why, rest.width, 4);
    const float least = 24 + (kLeastPartRow + 2) * static_cast<float>(2 + analysis::kTimeParts);
    if (rest.height - height - 12 >= least) draft_.sentence("why", take_bottom(rest, height, 12), why);
    if (input_.modelled->contended) warning("contended", rest, least, draft_.say("modelled.contended"));
    if (!input_.modelled->constants_measured)
      warning("unmeasured", rest, least,
              draft_.say("modelled.unmeasured", {{"capability", value_of(input_.modelled->constants_of)}}));
    rows(rest);
    return draft_.finish(why);
  }

 private:
  Scene empty(const char* headline, const char* advice) {
    Rect rest = draft_.header({.title = draft_.say("view.time.title")});
    draft_.empty(rest, draft_.say(headline), draft_.say(advice));
    return draft_.finish(draft_.say(headline));
  }

  std::string part_name(TimePart part) const {
    return draft_.say("modelled.part." + std::string(analysis::name(part)));
  }
  std::string part_means(TimePart part) const {
    return draft_.say("modelled.part_means." + std::string(analysis::name(part)));
  }

  Rect header() {
    const analysis::Modelled& m = *input_.modelled;
    return draft_.header(
        {.title = draft_.say("view.time.title"),
         .about = draft_.say(m.caches && m.caches->warm ? "view.time.about_warm" : "view.time.about",
                             {{"device", value_of(m.device)}, {"waves", waves_text(model_->waves)}}),
         .answer = microseconds_text(model_->us),
         .sub = draft_.say("view.time.rules", {{"part", value_of(part_name(model_->rules))}}),
         .evidence = Evidence::Modelled});
  }

  // Two modelled times say which state of L2 each begins with.
  std::string whole_name(bool beside_warm) const {
    return draft_.say(beside_warm ? "view.time.modelled_flushed" : "view.time.modelled");
  }

  // One block more than fills a wave is no whole number of them.
  static std::string waves_text(double waves) {
    const double rounded = std::round(waves * 100) / 100;
    return waves != rounded && rounded == std::round(rounded) ? fmt::format("{:.3f}", waves)
                                                              : plain_number(rounded);
  }

  std::string reason() const {
    const std::string said = draft_.context().text.text(analysis::verdict_message(*input_.modelled));
    return said.empty() ? said : draft_.say("view.time.sentence", {{"verdict", said}});
  }

  // Above the rows, where that leaves them `least`.
  void warning(std::string id, Rect& rest, float least, const std::string& text) {
    const float height = draft_.sentence_height(text, rest.width, 2);
    if (rest.height - height - 8 < least) return;
    draft_.sentence(std::move(id), take_top(rest, height, 8), text);
  }

  double measured_us() const { return input_.time ? input_.time->milliseconds * 1e3 : 0; }

  struct Columns {
    float name = 0, number = 0, share = 0, without = 0;
    Rect bars;
  };

  Columns columns(const Rect& r) const {
    Columns out;
    for (std::size_t i = 0; i < analysis::kTimeParts; ++i)
      out.name = std::max(out.name, draft_.width(part_name(static_cast<TimePart>(i)), kSmall));
    const bool beside_warm = measured_us() > 0 && input_.modelled->warm_us;
    out.name = std::max(out.name, draft_.width(whole_name(beside_warm), kSmall, Face::SansBold));
    if (beside_warm)
      out.name =
          std::max(out.name, draft_.width(draft_.say("view.time.modelled_warm"), kSmall, Face::SansBold));
    out.name = std::min(out.name + 4, r.width * 0.34f);
    out.number = draft_.width("1000.0 µs", kSmall, Face::Mono) + 6;
    if (r.width > 460 && model_->without.size() == analysis::kTimeParts)
      out.without = std::max(out.number, draft_.width(draft_.say("view.time.without"), kTiny) + 6);
    if (r.width > 640) out.share = std::max(56.0f, draft_.width(draft_.say("view.time.share"), kTiny) + 6);
    const float right =
        out.number + 12 + (out.share > 0 ? out.share + 12 : 0) + (out.without > 0 ? out.without + 12 : 0);
    out.bars = {r.x + out.name + 12, r.y, std::max(24.0f, r.width - out.name - 12 - right), r.height};
    return out;
  }

  void rows(Rect r) {
    if (r.height < kLeastPartRow) return;
    const Columns c = columns(r);
    most_ = std::max({model_->us, measured_us(), *std::ranges::max_element(model_->parts)});
    if (r.height > 4 * kLeastPartRow) captions(take_top(r, 16, 4), c);
    const bool measured = measured_us() > 0 && r.height >= (input_.modelled->warm_us ? 3 : 2) * kLeastPartRow;
    const std::optional<double> warm = measured ? input_.modelled->warm_us : std::nullopt;
    const float wholes = measured ? (warm ? 3 : 2) : 1,
                gap = r.height >= (wholes + 1) * kLeastPartRow + kUnit ? kUnit : 0;
    const float room = r.height - gap;
    const std::vector<TimePart> parts =
        fitting(static_cast<std::size_t>(std::max(0.0f, room / kLeastPartRow - wholes)));
    const float pitch = std::clamp(room / (static_cast<float>(parts.size()) + wholes), kLeastPartRow, 52.0f);
    float y = r.y;
    bar_row("whole", {r.x, y, r.width, pitch}, c, whole_name(warm.has_value()), model_->us,
            Ink::of(Role::Modelled), true);
    y += pitch;
    if (warm) {
      bar_row("warm", {r.x, y, r.width, pitch}, c, draft_.say("view.time.modelled_warm"), *warm,
              Ink::of(Role::Modelled, 0.6f), true)
          .tooltip = draft_.say("view.time.modelled_warm_means");
      y += pitch;
    }
    if (measured) {
      measured_row({r.x, y, r.width, pitch}, c);
      y += pitch;
    }
    const float top = y;
    y += gap;
    for (const TimePart part : parts) {
      part_row(part, {r.x, y, r.width, pitch}, c);
      y += pitch;
    }
    if (!parts.empty()) whole_rule(c, top, std::min(y, r.bottom()));
  }

  // All parts, always in the same order; where there is no room for all the largest.
  std::vector<TimePart> fitting(std::size_t most) const {
    std::vector<TimePart> out;
    for (std::size_t i = 0; i < analysis::kTimeParts; ++i) out.push_back(static_cast<TimePart>(i));
    while (out.size() > most)
      out.erase(std::ranges::min_element(out, {}, [&](TimePart p) { return model_->part(p); }));
    return out;
  }

  void captions(const Rect& r, const Columns& c) {
    float x = c.bars.right() + 12;
    const auto over = [&](const char* id, float width, const char* key) {
      if (width <= 0) return;
      draft_.text(id, {x, r.y, width, 14}, draft_.say(key), dim(kTiny, Align::Right));
      x += width + 12;
    };
    over("caption.alone", c.number, "view.time.alone");
    over("caption.share", c.share, "view.time.share");
    over("caption.without", c.without, "view.time.without");
  }

  float length(const Columns& c, double us) const {
    return most_ > 0 ? static_cast<float>(std::clamp(us / most_, 0.0, 1.0)) * c.bars.width : 0;
  }

  static float thick(const Rect& r) { return std::clamp(r.height - 8, 10.0f, 26.0f); }

  Shape& bar_row(const std::string& id, const Rect& r, const Columns& c, const std::string& name, double us,
                 Ink ink, bool bold) {
    const float middle = r.y + r.height / 2;
    draft_.text(id + ".name", {r.x, middle - 10, c.name, 20}, name,
                {kSmall, bold ? Face::SansBold : Face::Sans, Ink::of(us > 0 ? Role::Text : Role::Dim)});
    draft_.text(
        id + ".us", {c.bars.right() + 12, middle - 10, c.number, 20},
        us > 0 ? microseconds_text(us) : std::string("–"),
        {kSmall, bold ? Face::MonoBold : Face::Mono, Ink::of(us > 0 ? Role::Text : Role::Dim), Align::Right});
    return draft_.box(
        id, {c.bars.x, middle - thick(r) / 2, std::max(us > 0 ? 1.5f : 0.5f, length(c, us)), thick(r)}, ink,
        3);
  }

  void measured_row(const Rect& r, const Columns& c) {
    const std::string elsewhere = other_device(input_, input_.time->on);
    const std::string name = draft_.say("view.time.measured") + (elsewhere.empty() ? "" : " · " + elsewhere);
    bar_row("measured", r, c, name, measured_us(),
            Ink::of(elsewhere.empty() ? Role::Accent : Role::Warn, 0.85f), true)
        .tooltip = name + ": " + microseconds_text(measured_us()) +
                   (input_.time->note.empty() ? "" : "\n" + input_.time->note);
    // Beside the bar, where it leaves room.
    const float from = c.bars.x + length(c, measured_us()) + 10;
    const float wide = draft_.width(input_.time->note, kTiny) + 2;
    if (from + wide <= c.bars.right())
      draft_.text("measured.note", {from, r.y + r.height / 2 - 8, wide, 16}, input_.time->note, dim(kTiny));
  }

  void part_row(TimePart part, const Rect& r, const Columns& c) {
    const auto i = static_cast<std::size_t>(part);
    const double us = model_->parts[i];
    const bool rules = part == model_->rules;
    const std::string id = "part." + std::string(analysis::name(part));
    Shape& bar = bar_row(id, r, c, part_name(part), us, Ink::of(Role::Modelled, rules ? 1.0f : 0.3f), rules);
    bar.tooltip = part_name(part) + ": " + microseconds_text(us) + "\n" + part_means(part);
    if (!rules && us > 0) {
      bar.stroke = Ink::of(Role::Modelled, 0.8f);
      bar.stroke_width = 1;
    }
    const float middle = r.y + r.height / 2;
    float x = c.bars.right() + 12 + c.number + 12;
    const std::optional<double> measured = measured_share(part);
    if (measured) mark_measured(id, r, c, *measured);
    if (c.share > 0) {
      // The launch and the tail are no units that could be busy.
      const bool unit = part != TimePart::Launch && part != TimePart::Tail && part != TimePart::Latency;
      draft_.text(id + ".share", {x, middle - 10, c.share, 20},
                  unit && us > 0 ? percent_text(std::min(1.0, us / model_->us)) : std::string("–"),
                  {kSmall, Face::Mono, Ink::of(Role::Dim), Align::Right});
      x += c.share + 12;
    }
    if (c.without <= 0) return;
    const double left = model_->without[i];
    const double gain = model_->us > 0 ? 1 - left / model_->us : 0;
    const bool matters = gain >= 0.02;
    Shape& words = draft_.text(id + ".without", {x, middle - 10, c.without, 20},
                               matters ? microseconds_text(left) : draft_.say("view.time.same"),
                               {kSmall, Face::Mono, Ink::of(matters ? Role::Text : Role::Dim), Align::Right});
    words.tooltip = draft_.say("view.time.without_means", {{"part", value_of(part_name(part))},
                                                           {"us", value_of(microseconds_text(left))},
                                                           {"gain", percent_text(std::max(0.0, gain))}});
  }

  // 0 to 1, of the same launch, by the hardware's own counter.
  std::optional<double> measured_share(TimePart part) const {
    if (!input_.counters || !other_device(input_, input_.counters->on).empty()) return std::nullopt;
    for (const auto& [of, metric] : kMetrics)
      if (of == part)
        for (const CounterLine& line : input_.counters->lines)
          if (line.metric == metric) return line.measured / 100;
    return std::nullopt;
  }

  void mark_measured(const std::string& id, const Rect& r, const Columns& c, double share) {
    const float x = c.bars.x + length(c, share * model_->us);
    const float middle = r.y + r.height / 2;
    draft_
        .line(id + ".measured", {{x, middle - thick(r) / 2 - 2}, {x, middle + thick(r) / 2 + 2}},
              Ink::of(Role::Accent), 3)
        .tooltip = draft_.say("view.time.measured_share", {{"share", percent_text(share)}});
  }

  void whole_rule(const Columns& c, float top, float bottom) {
    const float x = c.bars.x + length(c, model_->us);
    Shape& rule = draft_.line("rule", {{x, top}, {x, bottom}}, Ink::of(Role::Modelled), 1);
    rule.dashed = true;
    rule.tooltip = draft_.say("view.time.modelled") + ": " + microseconds_text(model_->us);
  }

  Draft draft_;
  const ViewInput& input_;
  const analysis::TimeModel* model_ = nullptr;
  double most_ = 1;  // µs at the right end of the bars
};

}  // namespace

Scene time_parts_view(const ViewContext& context, const ViewInput& input) {
  return TimePartsView(context, input).run();
}

bool time_parts_applies(const ViewInput& input) {
  return input.trace && input.trace->size() > 0;
}

}  // namespace warplens::visual
