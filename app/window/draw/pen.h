// Draws the window's own parts in logical pixels, with the same roles and type scale as the views.
//
//   Pen pen(ui, *ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos());
//   pen.fill({0, 0, 200, 32}, Role::Raised, 6);
//   pen.text({12, 8, 176, 16}, "stride", {.size = 13, .role = Role::Dim});
#pragma once

#include <imgui.h>

#include <string_view>
#include <vector>

#include "app/window/draw/fonts.h"
#include "visual/canvas.h"

namespace warplens::window {

struct TextStyle {
  float size = 13;
  visual::Face face = visual::Face::Sans;
  visual::Role role = visual::Role::Text;
  visual::Align align = visual::Align::Left;
  float alpha = 1;
};

enum class Icon {
  Play,
  Pause,
  Next,
  Back,
  Sun,
  Moon,
  Full,
  Split,
  Save,
  Chevron,
  Menu,
  Reset,
  Edit,
  Help,
  Plus,
  Minus,
  Swap,
  Close,
  Undo,
  Redo,
  Twin,
  Settings,
  Folder,
  Link,
  Unlink
};

class Pen {
 public:
  Pen(Fonts& fonts, const visual::Theme& theme, ImDrawList& list, ImVec2 origin)
      : fonts_(fonts), theme_(theme), list_(list), origin_(origin), scale_(fonts.scale()) {}

  ImU32 colour(visual::Role role, float alpha = 1) const;
  ImVec2 at(float x, float y) const { return {origin_.x + x * scale_, origin_.y + y * scale_}; }
  visual::Point from(ImVec2 p) const { return {(p.x - origin_.x) / scale_, (p.y - origin_.y) / scale_}; }
  float scale() const { return scale_; }
  ImDrawList& list() { return list_; }

  void fill(const visual::Rect& r, visual::Role role, float radius = 0, float alpha = 1);
  void frame(const visual::Rect& r, visual::Role role, float radius = 0, float width = 1, float alpha = 1);
  void line(visual::Point a, visual::Point b, visual::Role role, float width = 1, float alpha = 1);
  void disc(visual::Point centre, float radius, visual::Role role, float alpha = 1);
  // One line, capitals centred vertically in the box as the views do; shortened with an ellipsis when it is
  // wider than the box. Returns the width drawn.
  float text(const visual::Rect& box, std::string_view text, const TextStyle& style = {});
  float width(std::string_view text, float size = 13, visual::Face face = visual::Face::Sans) const;
  std::string shortened(std::string_view text, float width, const TextStyle& style) const;
  // Breaks at spaces, and between Chinese characters.
  std::vector<std::string> wrapped(std::string_view text, float width, const TextStyle& style) const;
  // Returns the height used.
  float paragraph(const visual::Rect& box, std::string_view text, const TextStyle& style, float line_height,
                  int most_lines = 100);
  void icon(Icon icon, visual::Point centre, float size, visual::Role role, float alpha = 1);

 private:
  Fonts& fonts_;
  const visual::Theme& theme_;
  ImDrawList& list_;
  ImVec2 origin_;
  float scale_;
};

}  // namespace warplens::window
