#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/window/panels/text_field.h"
#include "app/window/panels/ui.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kValueWidth = 72, kControlGap = 12;

// Where a value stands on the track, 0 to 1, and back. Powers of two and lists are spaced evenly.
struct TrackScale {
  explicit TrackScale(const model::Slider& s) : slider(s), notches(model::notches_of(s)) {}
  float place(std::int64_t value) const {
    if (notches.empty()) {
      const double span = std::max(1.0, static_cast<double>(slider.max - slider.min));
      return static_cast<float>(std::clamp(static_cast<double>(value - slider.min) / span, 0.0, 1.0));
    }
    const auto at = std::find(notches.begin(), notches.end(), model::nearest_allowed(slider, value));
    const auto last = std::max<std::size_t>(1, notches.size() - 1);
    return static_cast<float>(at - notches.begin()) / static_cast<float>(last);
  }
  std::int64_t value(float place) const {
    const double p = std::clamp(static_cast<double>(place), 0.0, 1.0);
    if (notches.empty()) {
      return slider.min + std::llround(p * static_cast<double>(slider.max - slider.min));
    }
    return notches[static_cast<std::size_t>(std::llround(p * static_cast<double>(notches.size() - 1)))];
  }
  const model::Slider& slider;
  std::vector<std::int64_t> notches;
};

// Of the same slider on side A.
std::optional<std::int64_t> pinned_value(const Ui& ui, const model::Slider& s) {
  const Pinned* side = ui.bench.pinned();
  if (!side) return std::nullopt;
  const auto it = side->setup.values.find(s.name);
  return it == side->setup.values.end() ? std::nullopt : std::optional(it->second);
}

// Choices that do not fit beside each other: the one that is chosen, and the others in a menu.
void choice_menu(Ui& ui, Pen& pen, const model::Slider& s, const Rect& row) {
  const std::int64_t chosen = ui.bench.value(s.name);
  const std::string name = model::value_name(s, chosen, ui.bench.settings.language);
  const float width = std::min(row.width, pen.width(name) + 52);
  const Rect box{row.x, row.y + 2, width, row.height - 4};
  pen.fill(box, Role::Panel, 6);
  const std::string id = "choose." + s.name;
  const bool opened =
      text_button(ui, pen, (id + ".name").c_str(), name, {box.x, box.y, width - 32, box.height}, true);
  const bool more = icon_button(ui, pen, (id + ".more").c_str(), Icon::Chevron,
                                {box.x + width - 32, box.y, 32, box.height}, {});
  if (opened || more) {
    ImGui::OpenPopup(id.c_str());
    ui.state.focused_slider = s.name;
  }
  if (!begin_menu(ui, id.c_str())) return;
  for (std::size_t i = 0; i < s.choices.size(); ++i) {
    const auto value = static_cast<std::int64_t>(i);
    const std::string label =
        fmt::format("{}###{}", model::value_name(s, value, ui.bench.settings.language), s.choices[i]);
    if (ImGui::Selectable(label.c_str(), value == chosen)) ui.bench.set_value(s.name, value);
  }
  end_menu();
}

// A slider with few named choices is a row of buttons: all of them are seen, one click each.
void choice_control(Ui& ui, Pen& pen, const SliderLook& look) {
  const model::Slider& s = look.slider;
  const Rect row{look.box.x + look.label_width, look.box.y, look.box.width - look.label_width,
                 look.box.height};
  const auto name_of = [&](std::size_t i) {
    return model::value_name(s, static_cast<std::int64_t>(i), ui.bench.settings.language);
  };
  float needed = 0;
  for (std::size_t i = 0; i < s.choices.size(); ++i) needed += pen.width(name_of(i)) + 20;
  if (needed > row.width) return choice_menu(ui, pen, s, row);
  pen.fill({row.x, row.y + 2, needed, row.height - 4}, Role::Panel, 6);
  float x = row.x;
  for (std::size_t i = 0; i < s.choices.size(); ++i) {
    const std::string name = name_of(i), id = s.name + "." + s.choices[i];
    const float width = pen.width(name) + 20;
    const bool lit = ui.bench.value(s.name) == static_cast<std::int64_t>(i);
    if (text_button(ui, pen, id.c_str(), name, {x, row.y + 2, width, row.height - 4}, lit)) {
      ui.bench.set_value(s.name, static_cast<std::int64_t>(i));
      ui.state.focused_slider = s.name;
      ui.bench.sweep_over(s.name);
    }
    x += width;
  }
}

void typed_entry(Ui& ui, Pen& pen, const model::Slider& s, const Rect& box) {
  ImGui::SetCursorScreenPos(pen.at(box.x, box.y + 3));
  ImGui::SetNextItemWidth(box.width * pen.scale());
  ImGui::PushFont(ui.fonts.get(Face::Mono, 13).font);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, pen.colour(Role::Raised));
  // Asked for until the field has it: the request takes a frame, and asking again later would take it away.
  if (!ui.state.typing) ImGui::SetKeyboardFocusHere();
  const bool entered = edit_line(("##typed." + s.name).c_str(), ui.state.typed_value,
                                 ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll |
                                     ImGuiInputTextFlags_CharsDecimal);
  const bool left = ui.state.typing && !ImGui::IsItemActive();
  ui.state.typing = ImGui::IsItemActive();
  ImGui::PopStyleColor();
  ImGui::PopFont();
  if (!entered && !left) return;
  std::int64_t value = 0;
  const std::string& text = ui.state.typed_value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool escaped = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape));
  if (error == std::errc() && !escaped) ui.bench.set_value(s.name, value);
  // What was typed and cannot be had is said, and what stands there instead.
  if (!escaped && !text.empty() && (error != std::errc() || ui.bench.value(s.name) != value))
    ui.bench.note({"window.slider.not_a_value",
                   {{"typed", value_of(text)}, {"value", value_of(std::to_string(ui.bench.value(s.name)))}}});
  ui.state.typed_slider.clear();
  ui.state.typing = false;
}

}  // namespace

void slider_control(Ui& ui, Pen& pen, const SliderLook& look) {
  const model::Slider& s = look.slider;
  const Rect& box = look.box;
  const std::int64_t value = ui.bench.value(s.name);
  const bool focused = ui.state.focused_slider == s.name;
  const bool both = ui.bench.moves_both(s.name);
  pen.text({box.x, box.y, look.label_width - (both ? 22.0f : 8.0f), box.height}, look.label,
           {.role = focused ? Role::Text : Role::Dim});
  if (both)
    pen.icon(Icon::Link, {box.x + look.label_width - 15, box.y + box.height / 2}, 11, Role::Accent, 0.8f);
  if (hit(pen, ("label." + s.name).c_str(), {box.x, box.y, look.label_width - 8, box.height}).hovered) {
    std::string tip = look.hint.empty() ? look.label : look.label + "\n" + look.hint;
    if (ui.bench.pinned()) tip += "\n" + ui.say(both ? "window.twin.moves_both" : "window.twin.moves_b");
    tooltip(ui, tip);
  }
  if (!s.choices.empty()) return choice_control(ui, pen, look);

  const TrackScale scale(s);
  const bool changed = value != s.value;
  const Rect track{box.x + look.label_width, box.y, box.width - look.label_width - kValueWidth - kControlGap,
                   box.height};
  const float middle = track.y + track.height / 2;
  const Hit h = hit(pen, ("track." + s.name).c_str(), {track.x - 8, track.y, track.width + 16, track.height});
  if (h.held) {
    const float mouse = pen.from(ImGui::GetIO().MousePos).x;
    ui.bench.set_value(s.name, scale.value((mouse - track.x) / track.width));
    ui.state.focused_slider = s.name;
    ui.bench.sweep_over(s.name);
  }
  if (h.double_clicked) ui.bench.reset_value(s.name);
  const float place = track.x + track.width * std::clamp(scale.place(ui.bench.value(s.name)), 0.0f, 1.0f);
  pen.fill({track.x, middle - 2, track.width, 4}, Role::Raised, 2);
  pen.fill({track.x, middle - 2, place - track.x, 4}, Role::Accent, 2);
  if (!scale.notches.empty() && scale.notches.size() <= 16) {
    for (const std::int64_t n : scale.notches) {
      pen.disc({track.x + track.width * scale.place(n), middle}, 1.5f, Role::Line);
    }
  }
  const float start = track.x + track.width * std::clamp(scale.place(s.value), 0.0f, 1.0f);
  if (changed) pen.line({start, middle - 6}, {start, middle + 6}, Role::Dim, 1);
  // Where side A stands, unless it is under the knob.
  if (const auto a = pinned_value(ui, s); a && *a != ui.bench.value(s.name)) {
    const float at = track.x + track.width * std::clamp(scale.place(*a), 0.0f, 1.0f);
    pen.line({at, middle - 6}, {at, middle + 6}, Role::Accent, 1.5f);
    pen.text({at - 8, box.y - 2, 16, 11}, "A",
             {.size = 9, .face = Face::SansBold, .role = Role::Accent, .align = visual::Align::Centre});
  }
  if (focused) pen.disc({place, middle}, 12, Role::Accent, 0.25f);
  pen.disc({place, middle}, h.hovered || h.held ? 8.5f : 7.5f, Role::Text);

  const Rect number{box.right() - kValueWidth, box.y, kValueWidth, box.height};
  if (ui.state.typed_slider == s.name) return typed_entry(ui, pen, s, number);
  const Hit n = hit(pen, ("value." + s.name).c_str(), number);
  if (n.hovered) {
    pen.fill({number.x, number.y + 3, number.width, number.height - 6}, Role::Raised, 4);
    tooltip(ui, ui.say("window.slider.type"));
  }
  if (n.clicked) {
    ui.state.typed_slider = s.name;
    ui.state.typed_value = std::to_string(value);
  }
  pen.text({number.x + 4, number.y, number.width - 8, number.height}, std::to_string(ui.bench.value(s.name)),
           {.face = Face::Mono, .align = visual::Align::Right});
}

}  // namespace warplens::window
