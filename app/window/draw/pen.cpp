#include "app/window/draw/pen.h"

#include <algorithm>
#include <cmath>

#include "app/window/draw/imgui_canvas.h"
#include "engine/base/typography.h"

namespace warplens::window {
namespace {

using visual::Point;
using visual::Rect;
using visual::Role;

}  // namespace

ImU32 Pen::colour(Role role, float alpha) const {
  return colour_of(theme_.resolve(visual::Ink::of(role, alpha)));
}

void Pen::fill(const Rect& r, Role role, float radius, float alpha) {
  list_.AddRectFilled(at(r.x, r.y), at(r.right(), r.bottom()), colour(role, alpha), radius * scale_);
}

void Pen::frame(const Rect& r, Role role, float radius, float width, float alpha) {
  // Half a pixel in, so that a one-pixel line lies on pixels.
  const float in = width * scale_ / 2;
  const ImVec2 a = at(r.x, r.y), b = at(r.right(), r.bottom());
  list_.AddRect({std::round(a.x) + in, std::round(a.y) + in}, {std::round(b.x) - in, std::round(b.y) - in},
                colour(role, alpha), radius * scale_, 0, width * scale_);
}

void Pen::line(Point a, Point b, Role role, float width, float alpha) {
  list_.AddLine(at(a.x, a.y), at(b.x, b.y), colour(role, alpha), std::max(1.0f, width * scale_));
}

void Pen::disc(Point centre, float radius, Role role, float alpha) {
  list_.AddCircleFilled(at(centre.x, centre.y), radius * scale_, colour(role, alpha));
}

float Pen::width(std::string_view text, float size, visual::Face face) const {
  return fonts_.measure(text, face, size).width;
}

std::string Pen::shortened(std::string_view text, float most, const TextStyle& style) const {
  if (width(text, style.size, style.face) <= most + 0.5f) return std::string(text);
  const float dots = width("…", style.size, style.face);
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t next = end + character_length(text.substr(end));
    if (width(text.substr(0, next), style.size, style.face) + dots > most) break;
    end = next;
  }
  return std::string(text.substr(0, end)) + "…";
}

float Pen::text(const Rect& box, std::string_view text, const TextStyle& style) {
  if (text.empty()) return 0;
  const std::string shown = box.width > 0 ? shortened(text, box.width, style) : std::string(text);
  if (shown.size() != text.size()) fonts_.note_cut(text);
  visual::Shape shape;
  shape.kind = visual::ShapeKind::Text;
  shape.box = box;
  shape.text = shown;
  shape.face = style.face;
  shape.font_size = style.size;
  shape.align = box.width > 0 ? style.align : visual::Align::Left;
  shape.fill = visual::Ink::of(style.role, style.alpha);
  ImGuiCanvas canvas(list_, fonts_, origin_, scale_);
  canvas.draw(shape, theme_);
  return width(shown, style.size, style.face);
}

std::vector<std::string> Pen::wrapped(std::string_view text, float most, const TextStyle& style) const {
  std::vector<std::string> lines(1);
  for (const std::string_view piece : line_pieces(text)) {
    std::string tried = lines.back() + std::string(piece);
    std::string trimmed = tried;
    while (!trimmed.empty() && trimmed.back() == ' ') trimmed.pop_back();
    if (!lines.back().empty() && width(trimmed, style.size, style.face) > most) {
      while (!lines.back().empty() && lines.back().back() == ' ') lines.back().pop_back();
      lines.emplace_back(piece);
    } else {
      lines.back() = std::move(tried);
    }
  }
  return lines;
}

float Pen::paragraph(const Rect& box, std::string_view text, const TextStyle& style, float line_height,
                     int most_lines) {
  std::vector<std::string> lines = wrapped(text, box.width, style);
  const auto most = static_cast<std::size_t>(std::max(1, most_lines));
  if (lines.size() > most) {
    fonts_.note_cut(text);
    lines.resize(most);
    lines.back() += " …";
  }
  float y = box.y;
  for (const std::string& line : lines) {
    this->text({box.x, y, box.width, line_height}, line, style);
    y += line_height;
  }
  return y - box.y;
}

}  // namespace warplens::window
