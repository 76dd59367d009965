#include "visual/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace warplens::visual {
namespace {

constexpr std::array<std::string_view, 15> kRoles{"none", "ground",   "panel",  "raised",  "line",
                                                  "text", "dim",      "accent", "good",    "warn",
                                                  "bad",  "modelled", "lane",   "on_lane", "on_accent"};
constexpr std::array<std::string_view, 6> kKinds{"box", "line", "curve", "disc", "text", "polygon"};

float distance_to_segment(Point p, Point a, Point b) {
  const float dx = b.x - a.x, dy = b.y - a.y;
  const float length = dx * dx + dy * dy;
  const float t = length == 0 ? 0 : std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0f, 1.0f);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

Point bezier(const Point* p, float t) {
  const float u = 1 - t;
  const float a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
          a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

// Thin things are hard to point at, so a line is hit a little beside it too.
constexpr float kReach = 3.0f;

bool near_line(const std::vector<Point>& points, float reach, Point p) {
  for (std::size_t i = 1; i < points.size(); ++i)
    if (distance_to_segment(p, points[i - 1], points[i]) <= reach) return true;
  return false;
}

bool near_curve(const std::vector<Point>& points, float reach, Point p) {
  constexpr int kPieces = 16;
  for (std::size_t i = 0; i + 3 < points.size(); i += 3) {
    Point last = points[i];
    for (int k = 1; k <= kPieces; ++k) {
      const Point next = bezier(&points[i], static_cast<float>(k) / kPieces);
      if (distance_to_segment(p, last, next) <= reach) return true;
      last = next;
    }
  }
  return false;
}

bool inside_polygon(const std::vector<Point>& points, Point p) {
  bool inside = false;
  for (std::size_t i = 0, j = points.size() - 1; i < points.size(); j = i++) {
    const Point a = points[i], b = points[j];
    if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) inside = !inside;
  }
  return inside;
}

bool touches(const Shape& shape, Point p) {
  const float reach = std::max(kReach, shape.stroke_width * 0.5f);
  switch (shape.kind) {
    case ShapeKind::Box:
    case ShapeKind::Text:
      return shape.box.contains(p);
    case ShapeKind::Disc: {
      const float rx = shape.box.width * 0.5f, ry = shape.box.height * 0.5f;
      if (rx <= 0 || ry <= 0) return false;
      const float dx = (p.x - shape.box.x - rx) / rx, dy = (p.y - shape.box.y - ry) / ry;
      return dx * dx + dy * dy <= 1.0f;
    }
    case ShapeKind::Line:
      return near_line(shape.points, reach, p);
    case ShapeKind::Curve:
      return near_curve(shape.points, reach, p);
    case ShapeKind::Polygon:
      return shape.points.size() > 2 && inside_polygon(shape.points, p);
  }
  return false;
}

std::string ink_text(Ink ink) {
  std::string out(kRoles[static_cast<std::size_t>(ink.role)]);
  if (ink.role == Role::Lane || ink.role == Role::OnLane) out += fmt::format(".{}", ink.lane);
  if (ink.alpha < 0.995f) out += fmt::format("@{:.0f}%", ink.alpha * 100.0f);
  return out;
}

std::string rect_text(const Rect& r) {
  return fmt::format("{:.0f},{:.0f} {:.0f}x{:.0f}", r.x, r.y, r.width, r.height);
}

std::string target_text(const Target& t) {
  std::string out;
  const auto add = [&out](std::string_view name, const auto& value) {
    if (value) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, *value);
  };
  add("block", t.block);
  add("warp", t.warp);
  add("lane", t.lane);
  add("site", t.site);
  add("line", t.line);
  add("step", t.step);
  if (t.sector) out += fmt::format("{}sector {:#x}", out.empty() ? "" : ", ", *t.sector);
  add("bank", t.bank);
  add("pass", t.pass);
  return out;
}

std::string shape_text(const Shape& shape) {
  std::string out = fmt::format("{:<7} {:<24} {}", kKinds[static_cast<std::size_t>(shape.kind)], shape.id,
                                rect_text(shape.box));
  if (shape.fill.role != Role::None) out += " fill " + ink_text(shape.fill);
  if (shape.pattern != Pattern::Solid) out += shape.pattern == Pattern::Hatched ? " hatched" : " dotted";
  if (shape.stroke.role != Role::None) out += " stroke " + ink_text(shape.stroke);
  if (shape.dashed) out += " dashed";
  if (!shape.text.empty()) out += fmt::format(" {:.0f}px \"{}\"", shape.font_size, shape.text);
  if (!shape.target.empty()) out += " -> " + target_text(shape.target);
  if (!shape.tooltip.empty()) out += " ? " + shape.tooltip;
  std::replace(out.begin(), out.end(), '\n', '|');
  return out;
}

// Where the glyphs of a label really are, as opposed to the space it may use.
Rect ink_box(const Shape& shape, Size measured) {
  Rect r{shape.box.x, shape.box.y + (shape.box.height - shape.font_size) * 0.5f, measured.width,
         shape.font_size};
  if (shape.align == Align::Centre) r.x = shape.box.x + (shape.box.width - measured.width) * 0.5f;
  if (shape.align == Align::Right) r.x = shape.box.right() - measured.width;
  return r;
}

bool is_outside(const Scene& scene, const Rect& r) {
  constexpr float tolerance = 0.6f;  // half a stroke on the edge is no reader's problem
  return r.x < -tolerance || r.y < -tolerance || r.right() > scene.size.width + tolerance ||
         r.bottom() > scene.size.height + tolerance;
}

bool is_finite(const Rect& r) {
  return std::isfinite(r.x) && std::isfinite(r.y) && std::isfinite(r.width) && std::isfinite(r.height);
}

struct Label {
  const Shape* shape;
  Rect ink;
};

void find_overlaps(std::vector<Label> labels, std::vector<std::string>& problems) {
  std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.ink.x < b.ink.x; });
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (std::size_t k = i + 1; k < labels.size() && labels[k].ink.x < labels[i].ink.right() - 0.5f; ++k) {
      Rect a = labels[i].ink, b = labels[k].ink;
      a = {a.x + 0.5f, a.y + 1.0f, a.width - 1.0f, a.height - 2.0f};
      b = {b.x + 0.5f, b.y + 1.0f, b.width - 1.0f, b.height - 2.0f};
      if (a.overlaps(b))
        problems.push_back(fmt::format("labels overlap: {} \"{}\" at {} and {} \"{}\" at {}",
                                       labels[i].shape->id, labels[i].shape->text, rect_text(labels[i].ink),
                                       labels[k].shape->id, labels[k].shape->text, rect_text(labels[k].ink)));
    }
}

}  // namespace

const Shape* Scene::hit(Point p) const {
  for (auto shape = shapes.rbegin(); shape != shapes.rend(); ++shape)
    if ((!shape->target.empty() || !shape->tooltip.empty()) && touches(*shape, p)) return &*shape;
  return nullptr;
}

std::string to_text(const Scene& scene) {
  std::string out =
      fmt::format("scene {:.0f}x{:.0f}\ntitle {}\nanswer {}{}{}\n", scene.size.width, scene.size.height,
                  scene.title, scene.answer, scene.answer_is_worse ? " (worse than ideal)" : "",
                  scene.evidence ? fmt::format(" [{}]", name(*scene.evidence)) : "");
  out += "transcript " + scene.transcript + "\n";
  for (const Shape& shape : scene.shapes) out += shape_text(shape) + "\n";
  return out;
}

std::vector<std::string> find_layout_problems(const Scene& scene, const TextMeasure& measure) {
  std::vector<std::string> problems;
  std::vector<Label> labels;
  for (const Shape& shape : scene.shapes) {
    const std::string who = fmt::format("{} {}", kKinds[static_cast<std::size_t>(shape.kind)], shape.id);
    if (!is_finite(shape.box) || shape.box.width < 0 || shape.box.height < 0) {
      problems.push_back(who + " has a size that is negative or not a number");
      continue;
    }
    if (is_outside(scene, shape.box))
      problems.push_back(fmt::format("{} is outside the scene: {}", who, rect_text(shape.box)));
    if (shape.kind != ShapeKind::Text) continue;
    const Size size = measure.measure(shape.text, shape.face, shape.font_size);
    if (size.width > shape.box.width + 0.6f)
      problems.push_back(fmt::format("{} is clipped: \"{}\" is {:.0f} wide, its box {:.0f}", who, shape.text,
                                     size.width, shape.box.width));
    if (shape.font_size < 10)
      problems.push_back(fmt::format("{} is too small to read: {:.1f} px", who, shape.font_size));
    if (shape.is_label && !shape.text.empty()) labels.push_back({&shape, ink_box(shape, size)});
  }
  find_overlaps(std::move(labels), problems);
  return problems;
}

}  // namespace warplens::visual
