// The window's icons, drawn as lines so that they are sharp at any scale.
#include <cmath>

#include "app/window/draw/pen.h"

namespace warplens::window {
namespace {

using visual::Point;

// Draws with coordinates from -1 to 1 around a centre.
struct Sketch {
  ImDrawList& list;
  ImVec2 centre;
  float half;
  ImU32 ink;
  float width;

  ImVec2 p(float x, float y) const { return {centre.x + x * half, centre.y + y * half}; }
  void line(float x0, float y0, float x1, float y1) const { list.AddLine(p(x0, y0), p(x1, y1), ink, width); }
  void path(std::initializer_list<Point> points, bool closed) const {
    for (const Point q : points) list.PathLineTo(p(q.x, q.y));
    list.PathStroke(ink, closed ? ImDrawFlags_Closed : 0, width);
  }
  void triangle(float x0, float y0, float x1, float y1, float x2, float y2) const {
    list.AddTriangleFilled(p(x0, y0), p(x1, y1), p(x2, y2), ink);
  }
  void bar(float x0, float y0, float x1, float y1) const {
    list.AddRectFilled(p(x0, y0), p(x1, y1), ink, half * 0.12f);
  }
};

void draw_sun(const Sketch& s) {
  s.list.AddCircle(s.centre, s.half * 0.42f, s.ink, 0, s.width);
  for (int i = 0; i < 8; ++i) {
    const float a = static_cast<float>(i) * 0.785398f;
    s.line(0.65f * std::cos(a), 0.65f * std::sin(a), 0.95f * std::cos(a), 0.95f * std::sin(a));
  }
}

void draw_moon(const Sketch& s) {
  s.list.PathArcTo(s.p(0, 0), s.half * 0.8f, 0.6f, 5.0f, 24);
  s.list.PathBezierCubicCurveTo(s.p(-0.25f, -0.25f), s.p(-0.05f, 0.5f),
                                s.p(0.8f * std::cos(0.6f), 0.8f * std::sin(0.6f)));
  s.list.PathStroke(s.ink, ImDrawFlags_Closed, s.width);
}

void draw_arrow_circle(const Sketch& s) {
  s.list.PathArcTo(s.centre, s.half * 0.7f, -1.0f, 4.2f, 24);
  s.list.PathStroke(s.ink, 0, s.width);
  s.triangle(0.1f, -0.95f, 0.75f, -0.75f, 0.3f, -0.25f);
}

// An arrow that turns back (-1) or goes on again (1).
void draw_turn(const Sketch& s, float side) {
  s.line(side * 0.85f, -0.2f, -side * 0.2f, -0.2f);
  s.path({{side * 0.4f, -0.65f}, {side * 0.85f, -0.2f}, {side * 0.4f, 0.25f}}, false);
  s.path({{-side * 0.2f, -0.2f}, {-side * 0.7f, -0.05f}, {-side * 0.8f, 0.35f}, {-side * 0.55f, 0.75f}},
         false);
}

// Two links of a chain, so far apart.
void draw_chain(const Sketch& s, float gap) {
  for (const float side : {-1.0f, 1.0f}) {
    const float inner = side * (0.15f + gap), outer = side * (0.6f + gap), end = side * (0.9f + gap);
    s.path({{inner, -0.4f}, {outer, -0.4f}, {end, -0.2f}, {end, 0.2f}, {outer, 0.4f}, {inner, 0.4f}}, false);
  }
}

void draw_transport(Icon icon, const Sketch& s) {
  switch (icon) {
    case Icon::Play:
      return s.triangle(-0.45f, -0.8f, 0.8f, 0, -0.45f, 0.8f);
    case Icon::Pause:
      s.bar(-0.6f, -0.75f, -0.15f, 0.75f);
      return s.bar(0.15f, -0.75f, 0.6f, 0.75f);
    case Icon::Next:
      s.triangle(-0.65f, -0.75f, 0.4f, 0, -0.65f, 0.75f);
      return s.bar(0.4f, -0.75f, 0.65f, 0.75f);
    case Icon::Back:
      s.triangle(0.65f, -0.75f, -0.4f, 0, 0.65f, 0.75f);
      return s.bar(-0.65f, -0.75f, -0.4f, 0.75f);
    default:
      return;
  }
}

void draw_sign(Icon icon, const Sketch& s) {
  switch (icon) {
    case Icon::Full:
      s.path({{-0.8f, -0.25f}, {-0.8f, -0.8f}, {-0.25f, -0.8f}}, false);
      s.path({{0.8f, 0.25f}, {0.8f, 0.8f}, {0.25f, 0.8f}}, false);
      s.path({{0.25f, -0.8f}, {0.8f, -0.8f}, {0.8f, -0.25f}}, false);
      return s.path({{-0.25f, 0.8f}, {-0.8f, 0.8f}, {-0.8f, 0.25f}}, false);
    case Icon::Split:
      s.path({{-0.8f, -0.8f}, {0.8f, -0.8f}, {0.8f, 0.8f}, {-0.8f, 0.8f}}, true);
      return s.line(-0.8f, 0, 0.8f, 0);
    case Icon::Save:
      s.line(0, -0.85f, 0, 0.25f);
      s.path({{-0.4f, -0.15f}, {0, 0.3f}, {0.4f, -0.15f}}, false);
      return s.path({{-0.8f, 0.3f}, {-0.8f, 0.8f}, {0.8f, 0.8f}, {0.8f, 0.3f}}, false);
    case Icon::Folder:
      return s.path(
          {{-0.85f, 0.65f}, {-0.85f, -0.6f}, {-0.25f, -0.6f}, {0, -0.3f}, {0.85f, -0.3f}, {0.85f, 0.65f}},
          true);
    case Icon::Chevron:
      return s.path({{-0.5f, -0.25f}, {0, 0.3f}, {0.5f, -0.25f}}, false);
    case Icon::Menu:
      for (const float y : {-0.55f, 0.0f, 0.55f}) s.line(-0.75f, y, 0.75f, y);
      return;
    case Icon::Edit:
      s.path({{-0.75f, 0.75f}, {-0.65f, 0.25f}, {0.4f, -0.8f}, {0.8f, -0.4f}, {-0.25f, 0.65f}}, true);
      return s.line(0.1f, -0.5f, 0.5f, -0.1f);
    case Icon::Swap:
      s.path({{-0.8f, -0.35f}, {0.8f, -0.35f}, {0.4f, -0.75f}}, false);
      return s.path({{0.8f, 0.35f}, {-0.8f, 0.35f}, {-0.4f, 0.75f}}, false);
    case Icon::Link:
      draw_chain(s, 0.0f);
      return s.line(-0.4f, 0, 0.4f, 0);
    case Icon::Unlink:
      return draw_chain(s, 0.15f);
    case Icon::Close:
      s.line(-0.6f, -0.6f, 0.6f, 0.6f);
      return s.line(-0.6f, 0.6f, 0.6f, -0.6f);
    case Icon::Twin:
      s.path({{-0.85f, -0.7f}, {-0.15f, -0.7f}, {-0.15f, 0.7f}, {-0.85f, 0.7f}}, true);
      return s.path({{0.15f, -0.7f}, {0.85f, -0.7f}, {0.85f, 0.7f}, {0.15f, 0.7f}}, true);
    case Icon::Settings:
      for (const float y : {-0.55f, 0.0f, 0.55f}) s.line(-0.8f, y, 0.8f, y);
      s.bar(-0.5f, -0.8f, -0.2f, -0.3f);
      s.bar(0.2f, -0.25f, 0.5f, 0.25f);
      return s.bar(-0.3f, 0.3f, 0.0f, 0.8f);
    case Icon::Plus:
      s.line(0, -0.6f, 0, 0.6f);
      return s.line(-0.6f, 0, 0.6f, 0);
    default:
      return s.line(-0.6f, 0, 0.6f, 0);
  }
}

}  // namespace

void Pen::icon(Icon icon, Point centre, float size, visual::Role role, float alpha) {
  const ImVec2 c = at(centre.x, centre.y);
  const Sketch sketch{list_, c, size / 2 * scale_, colour(role, alpha), std::max(1.0f, 1.4f * scale_)};
  switch (icon) {
    case Icon::Play:
    case Icon::Pause:
    case Icon::Next:
    case Icon::Back:
      return draw_transport(icon, sketch);
    case Icon::Sun:
      return draw_sun(sketch);
    case Icon::Moon:
      return draw_moon(sketch);
    case Icon::Undo:
      return draw_turn(sketch, -1);
    case Icon::Redo:
      return draw_turn(sketch, 1);
    case Icon::Reset:
      return draw_arrow_circle(sketch);
    case Icon::Help: {
      text({centre.x - 8, centre.y - 8, 16, 16}, "?",
           {.size = 13,
            .face = visual::Face::SansBold,
            .role = role,
            .align = visual::Align::Centre,
            .alpha = alpha});
      return;
    }
    default:
      return draw_sign(icon, sketch);
  }
}

}  // namespace warplens::window
