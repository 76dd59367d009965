// What would another GPU make of it? The same launch on every device of the list: its modelled time as a bar,
// how it compares with the chosen device, and what rules it there, which is often something else. The chosen
// device is full; devices of whose kind no GPU was measured are dashed outlines and say so, so that nobody
// takes them for more than a rough guide.
//
// Small panes lose the sentence, then the waves, then what rules, then devices of the end of the list.
#include <algorithm>
#include <cmath>

#include "engine/analysis/modelled.h"
#include "engine/base/typography.h"
#include "visual/layout.h"
#include "visual/model_views.h"
#include "visual/run_times.h"

namespace warplens::visual {
namespace {

using analysis::ShelfEntry;

constexpr float kLeastDeviceRow = 20, kMostDeviceRow = 44;

class ShelfView {
 public:
  ShelfView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.trace || input_.trace->size() == 0) return empty("view.empty.headline", "view.empty.advice");
    const analysis::Modelled* m = input_.modelled;
    if (m && !m->time) return empty("view.sm.none", "view.sm.none_advice");
    if (!m || m->shelf.empty()) return empty("view.model.coming", "view.model.coming_advice");
    for (const ShelfEntry& e : m->shelf) {
      most_ = std::max(most_, e.us);
      if (e.device == m->device) chosen_ = &e;
      if (e.us > 0 && (fastest_ == nullptr || e.us < fastest_->us)) fastest_ = &e;
    }
    Rect rest = header();
    const std::string why = reason();
    const float height = draft_.sentence_height(why, rest.width, 3);
    const float wanted = kLeastDeviceRow * static_cast<float>(m->shelf.size() + 1);
    if (rest.height - height - 12 >= wanted) draft_.sentence("why", take_bottom(rest, height, 12), why);
    rows(rest);
    return draft_.finish(why);
  }

 private:
  Scene empty(const char* headline, const char* advice) {
    Rect rest = draft_.header({.title = draft_.say("view.shelf.title")});
    draft_.empty(rest, draft_.say(headline), draft_.say(advice));
    return draft_.finish(draft_.say(headline));
  }

  std::string part_name(analysis::TimePart part) const {
    return draft_.say("modelled.part." + std::string(analysis::name(part)));
  }

  Rect header() {
    Heading heading{.title = draft_.say("view.shelf.title"),
                    .about = draft_.say("view.shelf.about", {{"arch", value_of(input_.report->arch)}}),
                    .evidence = Evidence::Modelled};
    if (fastest_) {
      heading.answer = microseconds_text(fastest_->us);
      heading.sub = draft_.say("view.shelf.fastest", {{"device", value_of(fastest_->device)}});
    }
    return draft_.header(heading);
  }

  std::string reason() const {
    if (!fastest_ || !chosen_ || !(chosen_->us > 0)) return draft_.say("view.shelf.none");
    std::string out;
    if (fastest_ == chosen_)
      out = draft_.say("view.shelf.best", {{"device", value_of(chosen_->device)}});
    else
      out = draft_.say("view.shelf.why", {{"chosen", value_of(chosen_->device)},
                                          {"part", value_of(part_name(chosen_->rules))},
                                          {"fastest", value_of(fastest_->device)},
                                          {"other", value_of(part_name(fastest_->rules))},
                                          {"ratio", plain_number(round2(chosen_->us / fastest_->us))}});
    append_sentence(
        out, draft_.say("view.shelf.measured", {{"capability", value_of(input_.modelled->constants_of)}}));
    return out;
  }

  static double round2(double v) { return std::round(v * 100) / 100; }

  struct Columns {
    float name = 0, time = 0, ratio = 0, rules = 0, waves = 0;
    Rect bars;
  };
  Columns columns(const Rect& r) const {
    Columns out;
    for (const ShelfEntry& e : input_.modelled->shelf) {
      out.name = std::max(out.name, draft_.width(e.device, kSmall, Face::SansBold));
      out.rules = std::max(out.rules, draft_.width(part_name(e.rules), kSmall));
    }
    out.name = std::min(out.name + 4, r.width * 0.3f);
    out.time = draft_.width("1000.0 µs", kSmall, Face::Mono) + 6;
    if (r.width > 420) out.ratio = draft_.width("10.00×", kSmall, Face::Mono) + 6;
    if (r.width > 560)
      out.rules = std::max(out.rules, draft_.width(draft_.say("view.shelf.rules"), kTiny)) + 6;
    else
      out.rules = 0;
    if (r.width > 720)
      out.waves = std::max(draft_.width("100.00", kSmall, Face::Mono),
                           draft_.width(draft_.say("view.shelf.waves"), kTiny)) +
                  6;
    float right = 0;
    for (const float w : {out.time, out.ratio, out.rules, out.waves}) right += w > 0 ? w + 12 : 0;
    out.bars = {r.x + out.name + 12, r.y, std::max(24.0f, r.width - out.name - 12 - right), r.height};
    return out;
  }

  void rows(Rect r) {
    if (r.height < 2 * kLeastDeviceRow) return;
    const Columns c = columns(r);
    captions(take_top(r, 16, 2), c);
    const auto& shelf = input_.modelled->shelf;
    const auto fit = static_cast<std::size_t>(std::max(1.0f, r.height / kLeastDeviceRow));
    const std::size_t count = std::min(fit, shelf.size());
    const float pitch = std::clamp(r.height / static_cast<float>(count), kLeastDeviceRow, kMostDeviceRow);
    float y = r.y;
    for (const ShelfEntry* e : shown(count)) {
      row({r.x, y, r.width, pitch}, *e, c);
      y += pitch;
    }
  }

  // The first ones, the chosen device always among them.
  std::vector<const ShelfEntry*> shown(std::size_t count) const {
    std::vector<const ShelfEntry*> out;
    for (const ShelfEntry& e : input_.modelled->shelf) {
      const bool room =
          out.size() + (chosen_ && std::ranges::find(out, chosen_) == out.end() ? 1 : 0) < count;
      if (&e == chosen_ || room) out.push_back(&e);
    }
    return out;
  }

  void captions(const Rect& r, const Columns& c) {
    float x = c.bars.right() + 12 + c.time + 12;
    const auto over = [&](const char* id, float width, const char* key, Align align) {
      if (width <= 0) return;
      draft_.text(id, {x, r.y, width, 14}, draft_.say(key), dim(kTiny, align));
      x += width + 12;
    };
    if (c.ratio > 0) x += c.ratio + 12;
    over("caption.rules", c.rules, "view.shelf.rules", Align::Left);
    over("caption.waves", c.waves, "view.shelf.waves", Align::Right);
  }

  void row(const Rect& r, const ShelfEntry& e, const Columns& c) {
    const bool chosen = &e == chosen_;
    const std::string id = "device." + e.device;
    const float middle = r.y + r.height / 2, thick = std::clamp(r.height - 8, 10.0f, 22.0f);
    const Role role = e.constants_measured ? Role::Text : Role::Dim;
    draft_.text(id + ".name", {r.x, middle - 10, c.name, 20}, e.device,
                {kSmall, chosen ? Face::SansBold : Face::Sans, Ink::of(role)});
    float x = c.bars.right() + 12;
    if (!(e.us > 0)) {
      draft_.text(id + ".none", {c.bars.x, middle - 10, c.bars.width, 20}, draft_.say("view.shelf.no_room"),
                  {kSmall, Face::Sans, Ink::of(Role::Warn), Align::Left});
      return;
    }
    const float wide = std::max(2.0f, static_cast<float>(e.us / most_) * c.bars.width);
    Shape& bar = draft_.box(id, {c.bars.x, middle - thick / 2, wide, thick},
                            Ink::of(Role::Modelled, chosen                 ? 1.0f
                                                    : e.constants_measured ? 0.45f
                                                                           : 0.12f),
                            3);
    if (!chosen) {
      bar.stroke = Ink::of(Role::Modelled, 0.8f);
      bar.stroke_width = 1;
      bar.dashed = !e.constants_measured;
    }
    bar.tooltip = draft_.say("view.shelf.tip", {{"device", value_of(e.device)},
                                                {"us", value_of(microseconds_text(e.us))},
                                                {"part", value_of(part_name(e.rules))},
                                                {"alone", value_of(microseconds_text(e.part_us))},
                                                {"blocks", value_of(e.blocks_per_sm)}});
    if (!e.constants_measured) bar.tooltip += "\n" + draft_.say("view.shelf.unmeasured");
    const auto cell = [&](const char* name, float width, const std::string& text, Face face, Align align) {
      if (width <= 0) return;
      draft_.text(id + name, {x, middle - 10, width, 20}, text, {kSmall, face, Ink::of(role), align});
      x += width + 12;
    };
    cell(".us", c.time, microseconds_text(e.us), chosen ? Face::MonoBold : Face::Mono, Align::Right);
    cell(".ratio", c.ratio, chosen_ && chosen_->us > 0 ? fmt::format("{:.2f}×", e.us / chosen_->us) : "",
         Face::Mono, Align::Right);
    cell(".rules", c.rules, part_name(e.rules), Face::Sans, Align::Left);
    cell(".waves", c.waves, plain_number(round2(e.waves)), Face::Mono, Align::Right);
  }

  Draft draft_;
  const ViewInput& input_;
  const ShelfEntry* chosen_ = nullptr;
  const ShelfEntry* fastest_ = nullptr;
  double most_ = 0;
};

}  // namespace

Scene shelf_view(const ViewContext& context, const ViewInput& input) {
  return ShelfView(context, input).run();
}

bool shelf_applies(const ViewInput& input) {
  return input.modelled && (input.modelled->time || !input.modelled->shelf.empty());
}

}  // namespace warplens::visual
