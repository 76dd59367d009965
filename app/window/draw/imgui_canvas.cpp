#include "app/window/draw/imgui_canvas.h"

#include <algorithm>
#include <cmath>

namespace warplens::window {
namespace {

using visual::Align;
using visual::Pattern;
using visual::Role;
using visual::Shape;
using visual::ShapeKind;

float cross(ImVec2 a, ImVec2 b, ImVec2 c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

bool is_convex(const std::vector<ImVec2>& p) {
  bool left = false, right = false;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const float c = cross(p[i], p[(i + 1) % p.size()], p[(i + 2) % p.size()]);
    left = left || c > 0.01f;
    right = right || c < -0.01f;
  }
  return !(left && right);
}

bool inside(ImVec2 p, ImVec2 a, ImVec2 b, ImVec2 c) {
  const float x = cross(a, b, p), y = cross(b, c, p), z = cross(c, a, p);
  return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}

// Ear clipping, for the few concave shapes (areas under a curve).
void fill_concave(ImDrawList& list, std::vector<ImVec2> p, ImU32 colour) {
  float area = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const ImVec2 a = p[i], b = p[(i + 1) % p.size()];
    area += a.x * b.y - b.x * a.y;
  }
  if (area < 0) std::reverse(p.begin(), p.end());
  // Softened edges would show as seams where two triangles meet.
  const ImDrawListFlags flags = list.Flags;
  list.Flags &= ~ImDrawListFlags_AntiAliasedFill;
  while (p.size() > 2) {
    std::size_t ear = p.size();
    for (std::size_t i = 0; i < p.size() && ear == p.size(); ++i) {
      const ImVec2 a = p[(i + p.size() - 1) % p.size()], b = p[i], c = p[(i + 1) % p.size()];
      if (cross(a, b, c) <= 0) continue;
      const bool clear = std::none_of(p.begin(), p.end(), [&](ImVec2 q) {
        const bool corner =
            (q.x == a.x && q.y == a.y) || (q.x == b.x && q.y == b.y) || (q.x == c.x && q.y == c.y);
        return !corner && inside(q, a, b, c);
      });
      if (clear) ear = i;
    }
    if (ear == p.size()) ear = 0;  // degenerate: give up this corner rather than loop for ever
    list.AddTriangleFilled(p[(ear + p.size() - 1) % p.size()], p[ear], p[(ear + 1) % p.size()], colour);
    p.erase(p.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  list.Flags = flags;
}

}  // namespace

ImU32 colour_of(visual::Colour c) {
  return ImGui::ColorConvertFloat4ToU32({c.r, c.g, c.b, c.a});
}

ImGuiCanvas::ImGuiCanvas(ImDrawList& list, Fonts& fonts, ImVec2 origin, float scale)
    : list_(list), fonts_(fonts), origin_(origin), scale_(scale) {}

bool ImGuiCanvas::visible(const Shape& shape) const {
  const float margin = 4 * scale_ + shape.stroke_width * scale_;
  float left = 1e9f, top = 1e9f, right = -1e9f, bottom = -1e9f;
  if (shape.points.empty()) {
    const ImVec2 a = at({shape.box.x, shape.box.y}), b = at({shape.box.right(), shape.box.bottom()});
    left = a.x, top = a.y, right = b.x, bottom = b.y;
  }
  for (const visual::Point p : shape.points) {
    const ImVec2 a = at(p);
    left = std::min(left, a.x), right = std::max(right, a.x);
    top = std::min(top, a.y), bottom = std::max(bottom, a.y);
  }
  const ImVec2 clip_min = list_.GetClipRectMin(), clip_max = list_.GetClipRectMax();
  return right + margin >= clip_min.x && left - margin <= clip_max.x && bottom + margin >= clip_min.y &&
         top - margin <= clip_max.y;
}

void ImGuiCanvas::draw(const Shape& shape, const visual::Theme& theme) {
  if (!visible(shape)) return;
  const ImU32 fill = shape.fill.role == Role::None ? 0 : colour_of(theme.resolve(shape.fill));
  const ImU32 stroke = shape.stroke.role == Role::None ? 0 : colour_of(theme.resolve(shape.stroke));
  switch (shape.kind) {
    case ShapeKind::Box:
      return box(shape, theme, fill, stroke);
    case ShapeKind::Text:
      return text(shape, fill);
    case ShapeKind::Polygon:
      return polygon(shape, fill, stroke);
    case ShapeKind::Disc: {
      const ImVec2 centre = at({shape.box.x + shape.box.width / 2, shape.box.y + shape.box.height / 2});
      const float radius = std::min(shape.box.width, shape.box.height) / 2 * scale_;
      if (fill) list_.AddCircleFilled(centre, radius, fill);
      if (stroke && shape.stroke_width > 0) {
        list_.AddCircle(centre, radius, stroke, 0, shape.stroke_width * scale_);
      }
      return;
    }
    case ShapeKind::Line:
    case ShapeKind::Curve:
      return outline(shape, stroke ? stroke : fill);
  }
}

void ImGuiCanvas::box(const Shape& shape, const visual::Theme& theme, ImU32 fill, ImU32 stroke) {
  const ImVec2 min = at({shape.box.x, shape.box.y}), max = at({shape.box.right(), shape.box.bottom()});
  const float radius = std::min(shape.radius * scale_, std::min(max.x - min.x, max.y - min.y) / 2);
  if (fill && shape.pattern == Pattern::Solid) {
    list_.AddRectFilled(min, max, fill, radius);
  } else if (fill) {
    visual::Colour ground = theme.resolve(shape.fill);
    ground.a *= visual::kPatternGround;
    list_.AddRectFilled(min, max, colour_of(ground), radius);
    shape.pattern == Pattern::Hatched ? hatch(min, max, fill) : dots(min, max, fill);
  }
  if (!stroke || shape.stroke_width <= 0) return;
  const float width = shape.stroke_width * scale_;
  if (shape.dashed) {
    list_.PathRect(min, max, radius);
    stroke_path(true, shape, stroke);
  } else {
    list_.AddRect(min, max, stroke, radius, 0, width);
  }
}

// Lines x + y = constant, anchored to the scene's origin so that neighbouring boxes hatch as one surface.
// They are cut at the box by arithmetic: a clip rectangle each would cost a draw call each.
void ImGuiCanvas::hatch(ImVec2 min, ImVec2 max, ImU32 colour) {
  const float step = visual::kHatchStep * 1.41421356f * scale_;
  const float origin = origin_.x + origin_.y;
  const float first = std::ceil((min.x + min.y - origin) / step) * step + origin;
  for (float sum = first; sum < max.x + max.y; sum += step) {
    const float x0 = std::max(min.x, sum - max.y), x1 = std::min(max.x, sum - min.y);
    if (x1 > x0) list_.AddLine({x0, sum - x0}, {x1, sum - x1}, colour, visual::kHatchWidth * scale_);
  }
}

void ImGuiCanvas::dots(ImVec2 min, ImVec2 max, ImU32 colour) {
  const float step = visual::kDotStep * scale_;
  const float first_x = std::ceil((min.x - origin_.x) / step) * step + origin_.x;
  const float first_y = std::ceil((min.y - origin_.y) / step) * step + origin_.y;
  const float radius = visual::kDotRadius * scale_;
  for (float y = first_y; y < max.y - radius; y += step) {
    for (float x = first_x; x < max.x - radius; x += step) {
      list_.AddRectFilled({x - radius, y - radius}, {x + radius, y + radius}, colour, radius);
    }
  }
}

void ImGuiCanvas::outline(const Shape& shape, ImU32 stroke) {
  if (!stroke || shape.points.size() < 2) return;
  if (shape.kind == ShapeKind::Line) {
    for (const visual::Point p : shape.points) list_.PathLineTo(at(p));
  } else {
    list_.PathLineTo(at(shape.points[0]));
    for (std::size_t i = 1; i + 2 < shape.points.size(); i += 3) {
      list_.PathBezierCubicCurveTo(at(shape.points[i]), at(shape.points[i + 1]), at(shape.points[i + 2]));
    }
  }
  stroke_path(false, shape, stroke);
}

void ImGuiCanvas::stroke_path(bool closed, const Shape& shape, ImU32 stroke) {
  const float width = std::max(1.0f, (shape.stroke_width > 0 ? shape.stroke_width : 1.0f) * scale_);
  if (!shape.dashed) {
    list_.PathStroke(stroke, closed ? ImDrawFlags_Closed : 0, width);
    return;
  }
  const std::vector<ImVec2> path(list_._Path.begin(), list_._Path.end());
  list_.PathClear();
  const float on = visual::kDashOn * scale_, period = on + visual::kDashOff * scale_;
  float along = 0;  // distance walked so far
  for (std::size_t i = 0; i + (closed ? 0 : 1) < path.size(); ++i) {
    const ImVec2 a = path[i], b = path[(i + 1) % path.size()];
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    for (float t = 0; t < length;) {
      const float place = std::fmod(along, period);
      const float next = std::min(length, t + std::max(0.5f, (place < on ? on : period) - place));
      if (place < on) {
        const float u = t / length, v = next / length;
        list_.AddLine({a.x + (b.x - a.x) * u, a.y + (b.y - a.y) * u},
                      {a.x + (b.x - a.x) * v, a.y + (b.y - a.y) * v}, stroke, width);
      }
      along += next - t;
      t = next;
    }
  }
}

void ImGuiCanvas::polygon(const Shape& shape, ImU32 fill, ImU32 stroke) {
  if (shape.points.size() < 3) return;
  std::vector<ImVec2> points;
  points.reserve(shape.points.size());
  for (const visual::Point p : shape.points) points.push_back(at(p));
  if (fill) {
    if (is_convex(points)) {
      list_.AddConvexPolyFilled(points.data(), static_cast<int>(points.size()), fill);
    } else {
      fill_concave(list_, points, fill);
    }
  }
  if (stroke && shape.stroke_width > 0) {
    for (const ImVec2 p : points) list_.PathLineTo(p);
    stroke_path(true, shape, stroke);
  }
}

void ImGuiCanvas::text(const Shape& shape, ImU32 colour) {
  if (!colour || shape.text.empty()) return;
  const auto [font, pixels] = fonts_.get(shape.face, shape.font_size);
  const char* begin = shape.text.data();
  const char* end = begin + shape.text.size();
  const ImVec2 size = font->CalcTextSizeA(pixels, 1e9f, 0, begin, end);
  ImVec2 p = at({shape.box.x, visual::baseline_of(shape)});
  const float width = shape.box.width * scale_;
  if (shape.align == Align::Centre) p.x += (width - size.x) / 2;
  if (shape.align == Align::Right) p.x += width - size.x;
  p.y -= font->Ascent * pixels / font->FontSize;
  // Whole pixels: glyphs of an atlas blur in between.
  list_.AddText(font, pixels, {std::round(p.x), std::round(p.y)}, colour, begin, end);
}

}  // namespace warplens::window
