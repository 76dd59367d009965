// The numbers that sum a run up, each with how it is known and what may be wrong with it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/window/panels/bench_parts.h"
#include "engine/analysis/known_counts.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

// Why a number of another GPU stands apart, and what to do to compare.
std::string other_device_tip(const Ui& ui, const MeasuredOn& on) {
  return ui.say({on.device.empty() ? "view.other_device.unlisted" : "view.other_device.choose",
                 {{"hardware", value_of(on.hardware)},
                  {"listed", value_of(on.device)},
                  {"device", value_of(ui.bench.device_name())}}});
}

// What a counter of the hardware said of the same thing, beside the count.
void measured_badge(Ui& ui, Pen& pen, const Rect& room, const Headline& figure) {
  if (!is_counted(figure.evidence) || !ui.bench.measurement().counters_are_of_this()) return;
  const auto value = measured_value(figure, ui.bench.measurement().counters);
  if (!value) return;
  const MeasuredOn& on = ui.bench.measurement().on;
  const bool elsewhere = ui.bench.is_of_other_device(on);
  std::string word = ui.say("window.evidence.measured") + " " + *value;
  if (elsewhere) word += " · " + on.short_name();
  const float width = pen.width(word, 11, Face::SansBold) + 10;
  if (width > room.width) return;
  const Rect box{room.x, room.y, width, room.height};
  pen.frame(box, Role::Accent, 4, 1, 0.8f);
  pen.text(box, word,
           {.size = 11, .face = Face::SansBold, .role = Role::Accent, .align = visual::Align::Centre});
  if (hit(pen, (figure.name_key + ".measured").c_str(), box).hovered)
    tooltip(ui, ui.say("window.evidence.measured_means") + "\n" + ui.say(ui.bench.measurement().evidence) +
                    (elsewhere ? "\n" + other_device_tip(ui, on) : ""));
}

// Something to think of before the number is believed, in two words: beside the badge where there is room,
// else under it, unless what is shown is said there. A click shows the whole sentences with the runs
// themselves.
void draw_doubts(Ui& ui, Pen& pen, const Rect& beside, const Rect& under, const Headline& figure) {
  if (figure.doubts.empty()) return;
  std::string word = "! " + ui.say(figure.doubts.front().key + "_short");
  if (figure.doubts.size() > 1) word += fmt::format(" +{}", figure.doubts.size() - 1);
  const Rect& box = pen.width(word, 11, Face::SansBold) + 4 <= beside.width ? beside : under;
  if (box.height <= 0) return;
  pen.text(box, word, {.size = 11, .face = Face::SansBold, .role = Role::Warn});
  const Hit h = hit(pen, (figure.name_key + ".doubts").c_str(), box);
  if (h.hovered) {
    std::string tip;
    for (const Message& doubt : figure.doubts) tip += (tip.empty() ? "" : "\n") + ui.say(doubt);
    tooltip(ui, tip);
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  if (h.clicked)
    ui.bench.settings.views[static_cast<std::size_t>(std::max(0, ui.state.active_view))] = "timing";
}

// Whether a line under the numbers says what they belong to.
bool says_earlier(const Ui& ui) {
  return ui.bench.looks_earlier() && ui.bench.totals_are_earlier();
}

void draw_figure(Ui& ui, Pen& pen, const Headline& figure, const Rect& box, bool last_row) {
  const bool whole = ui.bench.picture()->whole || figure.evidence == Evidence::Measured;
  const bool earlier = figure.earlier && ui.bench.looks_earlier();
  // A number of another GPU than the modelled ones bears its name.
  const bool elsewhere = ui.bench.is_of_other_device(figure.on);
  const std::string name = ui.say(figure.name_key) + (elsewhere ? " · " + figure.on.short_name() : "");
  pen.text({box.x, box.y, box.width - 6, 16}, name, {.size = 13, .role = elsewhere ? Role::Warn : Role::Dim});
  pen.text({box.x, box.y + 17, box.width - 6, 30}, figure.value,
           {.size = 22,
            .face = Face::SansBold,
            .role = earlier              ? Role::Dim
                    : figure.worse       ? Role::Warn
                    : figure.provisional ? Role::Dim
                                         : Role::Text,
            .alpha = earlier ? 0.5f
                     : whole ? 1.0f
                             : 0.6f});
  const std::optional<Headline> other = ui.bench.pinned() ? beside(figure, *ui.bench.pinned()) : std::nullopt;
  std::string detail =
      other ? ui.say({"window.twin.figure", {{"value", value_of(other->value)}}}) : ui.say(figure.detail);
  // What has no room is said shorter, and in full in the tooltip.
  const std::string& key = figure.detail.key;
  const bool has_short =
      key == "window.figure.of_access" || key == "window.time.recorded_at" || key == "window.time.quick_at";
  std::string in_full;
  if (!other && has_short && pen.width(detail, 11) > box.width - 6) {
    in_full = detail;
    detail = ui.say({key + "_short", figure.detail.values});
  }
  pen.text({box.x, box.y + 46, box.width - 6, 14}, detail,
           {.size = 11,
            .role = other ? Role::Text : Role::Dim,
            .alpha = earlier || (other && pinned_is_earlier(ui)) ? 0.5f : 1.0f});
  if (!figure.missing && !earlier) {
    // What the hardware counted of the same stands beside it.
    const bool measured = is_counted(figure.evidence) && ui.bench.measurement().counters_are_of_this();
    const float most = measured ? box.width * 0.45f : box.width - 6;
    const float after = box.x + badge(ui, pen, {box.x, box.y + 62}, figure.evidence, most) + 6;
    const Rect beside{after, box.y + 62, box.right() - 6 - after, 16};
    measured_badge(ui, pen, beside, figure);
    const float under = last_row && says_earlier(ui) ? 0.0f : 13.0f;
    draw_doubts(ui, pen, beside, {box.x, box.y + 79, box.width - 6, under}, figure);
  }
  const Hit h = hit(pen, figure.name_key.c_str(), {box.x, box.y, box.width - 6, 60});
  term_link(ui, pen, {box.x, box.y, box.width - 6, 16}, name, {.size = 13}, h.clicked);
  if (!h.hovered) return;
  std::string tip = (in_full.empty() ? "" : in_full + "\n") + ui.say(figure.name_key + "_means");
  if (!figure.basis.key.empty()) tip += " " + ui.say(figure.basis);
  const Measurement& m = ui.bench.measurement();
  if (figure.evidence == Evidence::Measured) tip += "\n" + ui.say(m.timing ? m.evidence : m.reason);
  if (elsewhere) tip += "\n" + other_device_tip(ui, figure.on);
  if (figure.others.size() > 1) {
    tip += "\n\n" + ui.say("window.figure.others");
    for (const Message& access : figure.others) tip += "\n  " + ui.say(access);
    tip += "\n";
  }
  tooltip(ui, figure.counter.empty() ? tip : tip + "\n" + figure.counter);
}

// Under the numbers, which have neither badges nor doubts while they are earlier ones: what they belong to.
// A time that was measured of what is asked for has its badge and no doubts.
void draw_earlier_line(Ui& ui, Pen& pen, const Rect& box) {
  if (!says_earlier(ui)) return;
  const std::string words = ui.bench.totals_line(ui.catalogue);
  pen.fill(box, Role::Warn, 4, 0.12f);
  pen.fill({box.x, box.y, 3, box.height}, Role::Warn, 1.5f);
  pen.text({box.x + 9, box.y, box.width - 14, box.height}, words, {.size = 11});
  if (hit(pen, "earlier", box).hovered) tooltip(ui, words);
}

}  // namespace

bool pinned_is_earlier(const Ui& ui) {
  return ui.bench.pinned() && ui.bench.pinned()->behind() && ui.bench.looks_earlier();
}

// A number that only side A has is the point of many a comparison: it keeps its place.
std::vector<Headline> figures_of_both(const Ui& ui) {
  std::vector<Headline> out = ui.bench.figures();
  if (!ui.bench.pinned()) return out;
  const std::vector<Headline>& others = ui.bench.pinned()->picture.figures;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Headline& other = others[i];
    const bool both =
        std::ranges::any_of(out, [&](const Headline& f) { return f.name_key == other.name_key; });
    if (both || other.evidence == Evidence::Measured) continue;
    Headline none{other.name_key, "—", {"", {}}, false, other.evidence, other.counter};
    none.missing = true;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(std::min(i, out.size())), std::move(none));
  }
  return out;
}

void draw_figures(Ui& ui, Pen& pen, const Rect& area, int rows) {
  const Picture* picture = ui.bench.picture();
  if (!picture) return;
  const float column = area.width / 3;
  const std::vector<Headline> figures = figures_of_both(ui);
  for (std::size_t i = 0; i < figures.size() && i < static_cast<std::size_t>(rows) * 3; ++i) {
    const auto x = static_cast<float>(i % 3), y = static_cast<float>(i / 3);
    draw_figure(ui, pen, figures[i], {area.x + x * column, area.y + y * kFigureHeight, column, kFigureHeight},
                static_cast<int>(i / 3) + 1 == rows);
  }
  if (rows > 0) draw_earlier_line(ui, pen, {area.x, area.y + area.height - 19, area.width, 18});
}

}  // namespace warplens::window
