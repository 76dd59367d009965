#include "app/window/panels/ui.h"

#include <imgui_internal.h>

#include <algorithm>

namespace warplens::window {

using visual::Face;
using visual::Rect;
using visual::Role;

Pen Ui::pen() const {
  return {fonts, theme, *ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos()};
}

Area::Area(const Ui& ui, const char* id, const Rect& r, bool scrolls, bool sideways) {
  const float s = ui.scale();
  // Edges on whole pixels, so that neighbours neither overlap nor gap.
  const ImVec2 a{std::round(r.x * s), std::round(r.y * s)};
  const ImVec2 b{std::round(r.right() * s), std::round(r.bottom() * s)};
  ImGui::SetCursorScreenPos(a);
  ImGuiWindowFlags flags = ImGuiWindowFlags_NoBackground;
  if (!scrolls) flags |= ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  if (sideways) flags |= ImGuiWindowFlags_HorizontalScrollbar;
  ImGui::BeginChild(id, {std::max(1.0f, b.x - a.x), std::max(1.0f, b.y - a.y)}, false, flags);
}

Area::~Area() {
  ImGui::EndChild();
}

Hit hit(Pen& pen, const char* id, const Rect& box) {
  Hit h;
  if (box.width <= 0 || box.height <= 0) return h;
  const ImVec2 before = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(pen.at(box.x, box.y));
  h.clicked = ImGui::InvisibleButton(id, {box.width * pen.scale(), box.height * pen.scale()});
  h.hovered = ImGui::IsItemHovered();
  h.held = ImGui::IsItemActive();
  h.double_clicked = h.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  h.right_clicked = h.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  ImGui::SetCursorScreenPos(before);
  return h;
}

Divided divider(Ui& ui, const char* id, float x, float y, float width, std::string_view tip) {
  constexpr float kGrip = 6;
  const Area area(ui, id, {x, y - kGrip / 2, width, kGrip});
  Pen pen = ui.pen();
  const Hit h = hit(pen, id, {0, 0, width, kGrip});
  if (h.hovered || h.held) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    pen.fill({0, kGrip / 2 - 1, width, 2}, Role::Accent, 0, 0.6f);
  }
  if (h.hovered && !h.held) tooltip(ui, tip);
  Divided out{h.double_clicked, {}};
  if (!h.double_clicked && h.held && ImGui::GetIO().MouseDelta.y != 0)
    out.to = ImGui::GetIO().MousePos.y / ui.scale();
  return out;
}

void tooltip(const Ui& ui, std::string_view text) {
  if (text.empty()) return;
  constexpr float kWidth = 320, kPadding = 10, kLine = 18;
  const TextStyle style{.size = 13};
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  Pen measuring(ui.fonts, ui.theme, list, {0, 0});
  std::vector<std::string> lines;
  std::size_t first = 0;  // lines of the first paragraph: what the thing is
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    for (std::string& line : measuring.wrapped(text.substr(begin, end - begin), kWidth, style)) {
      lines.push_back(std::move(line));
    }
    if (begin == 0) first = lines.size();
    begin = end + 1;
  }
  float width = 0;
  for (const std::string& line : lines) width = std::max(width, measuring.width(line, style.size));
  width = std::min(width, kWidth) + 2 * kPadding;
  const float height = static_cast<float>(lines.size()) * kLine + 2 * kPadding - 4;
  const float s = ui.scale();
  const ImVec2 mouse = ImGui::GetIO().MousePos, screen = ImGui::GetIO().DisplaySize;
  float x = mouse.x / s + 14, y = mouse.y / s + 18;
  if (x + width > screen.x / s - 4) x = std::max(4.0f, screen.x / s - 4 - width);
  if (y + height > screen.y / s - 4) y = std::max(4.0f, mouse.y / s - 10 - height);
  Pen pen(ui.fonts, ui.theme, list, {x * s, y * s});
  pen.fill({0, 0, width, height}, Role::Ground, 6, 0.97f);
  pen.fill({0, 0, width, height}, Role::Raised, 6);
  pen.frame({0, 0, width, height}, Role::Line, 6);
  float line_y = kPadding - 2;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Role role = i < first ? Role::Text : Role::Dim;
    pen.text({kPadding, line_y, width - 2 * kPadding + 2, kLine}, lines[i], {.size = 13, .role = role});
    line_y += kLine;
  }
}

bool begin_menu(const Ui& ui, const char* id) {
  const float s = ui.scale();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * s, 10 * s});
  const bool open = ImGui::BeginPopup(id);
  ImGui::PopStyleVar();
  if (!open) return false;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {12 * s, 8 * s});
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) ImGui::CloseCurrentPopup();
  return true;
}

void end_menu() {
  ImGui::PopStyleVar();
  ImGui::EndPopup();
}

bool icon_button(const Ui& ui, Pen& pen, const char* id, Icon icon, const Rect& box, std::string_view tip,
                 bool lit) {
  const Hit h = hit(pen, id, box);
  if (h.hovered || lit) pen.fill(box, Role::Raised, 6, h.held ? 1.0f : 0.8f);
  const float size = std::min(14.0f, box.height * 0.5f);
  pen.icon(icon, {box.x + box.width / 2, box.y + box.height / 2}, size,
           h.hovered || lit ? Role::Text : Role::Dim);
  if (h.hovered) tooltip(ui, tip);
  return h.clicked;
}

bool text_button(const Ui& ui, Pen& pen, const char* id, std::string_view label, const Rect& box, bool lit,
                 std::string_view tip) {
  const Hit h = hit(pen, id, box);
  if (lit || h.hovered) pen.fill(box, Role::Raised, 6, lit ? 1.0f : 0.6f);
  pen.text(box, label,
           {.size = 13,
            .face = lit ? Face::SansBold : Face::Sans,
            .role = lit || h.hovered ? Role::Text : Role::Dim,
            .align = visual::Align::Centre});
  if (h.hovered) tooltip(ui, tip);
  return h.clicked;
}

bool filled_button(Pen& pen, const char* id, std::string_view label, const Rect& box, bool enabled) {
  const Hit h = hit(pen, id, box);
  pen.fill(box, enabled ? Role::Accent : Role::Raised, 6, h.hovered && enabled ? 0.85f : 1.0f);
  pen.text(
      box, label,
      {.face = Face::SansBold, .role = enabled ? Role::OnAccent : Role::Dim, .align = visual::Align::Centre});
  return h.clicked && enabled;
}

Role role_of(Evidence evidence) {
  switch (evidence) {
    case Evidence::Measured:
      return Role::Accent;
    case Evidence::Counted:
    case Evidence::CountedInMachineCode:
    case Evidence::CountedByRule:
    case Evidence::CountedAsWritten:
      return Role::Good;
    case Evidence::Modelled:
      return Role::Modelled;
  }
  return Role::Modelled;
}

float badge(const Ui& ui, Pen& pen, visual::Point p, Evidence evidence, float most) {
  const std::string key = "window.evidence." + std::string(name(evidence));
  std::string word = ui.say(key);
  const bool too_wide = most > 0 && pen.width(word, 11, Face::SansBold) + 10 > most;
  if (too_wide && ui.catalogue.has(key + "_short")) word = ui.say(key + "_short");
  const float width = pen.width(word, 11, Face::SansBold) + 10;
  const Rect box{p.x, p.y, width, 16};
  pen.frame(box, role_of(evidence), 4, 1, 0.8f);
  pen.text(box, word,
           {.size = 11, .face = Face::SansBold, .role = role_of(evidence), .align = visual::Align::Centre});
  const ImVec2 a = pen.at(box.x, box.y), b = pen.at(box.right(), box.bottom());
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(a, b)) {
    tooltip(ui, ui.say(std::string("window.evidence.") + std::string(name(evidence)) + "_means"));
    const TextStyle style{.size = 11, .face = Face::SansBold, .align = visual::Align::Centre};
    term_link(ui, pen, box, word, style, ImGui::IsMouseClicked(ImGuiMouseButton_Left));
  }
  return width;
}

}  // namespace warplens::window
