// A picture as data: shapes with meaning, before any window or file exists.
//
// A view is a pure function (see view.h) that returns a Scene; the window draws it through an ImGui canvas,
// an export through Cairo, a test reads it. Colours are roles, not values: a theme resolves them when
// drawing, so one Scene serves dark and light. Lengths are in logical pixels; the canvas multiplies by its
// scale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/evidence.h"
#include "engine/base/lanes.h"

namespace warplens::visual {

struct Point {
  float x = 0, y = 0;
};
struct Size {
  float width = 0, height = 0;
};
struct Rect {
  float x = 0, y = 0, width = 0, height = 0;
  float right() const { return x + width; }
  float bottom() const { return y + height; }
  bool contains(Point p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
  bool overlaps(const Rect& o) const {
    return x < o.right() && o.x < right() && y < o.bottom() && o.y < bottom();
  }
};

// The palette of docs/DESIGN-LANGUAGE.md. Lane takes its place on the ramp from Ink::lane.
enum class Role : std::uint8_t {
  None,
  Ground,
  Panel,
  Raised,
  Line,
  Text,
  Dim,
  Accent,
  Good,
  Warn,
  Bad,
  Modelled,
  Lane,    // ramp colour of a lane
  OnLane,  // text on top of a lane's colour
  OnAccent,
};

struct Ink {
  Role role = Role::None;
  float alpha = 1.0f;
  std::uint8_t lane = 0;
  static Ink of(Role role, float alpha = 1.0f) { return {role, alpha, 0}; }
  static Ink of_lane(int lane, float alpha = 1.0f) {
    return {Role::Lane, alpha, static_cast<std::uint8_t>(lane)};
  }
};

enum class Pattern : std::uint8_t { Solid, Hatched, Dotted };  // so that meaning never rests on hue alone
enum class Face : std::uint8_t { Sans, SansBold, Mono, MonoBold };
enum class Align : std::uint8_t { Left, Centre, Right };

// What a shape stands for: hover and click on it mark the same thing in every view. Unset fields do not
// matter.
struct Target {
  std::optional<std::uint64_t> block;
  std::optional<std::uint32_t> warp;
  std::optional<int> lane;
  std::optional<std::uint32_t> site;
  std::optional<int> line;              // source line
  std::optional<std::size_t> step;      // cursor position in the trace
  std::optional<std::uint64_t> sector;  // address of its first byte
  std::optional<int> bank;
  std::optional<int> pass;
  std::optional<int> measure;  // a Measure of view.h: a click colours by it
  bool empty() const {
    return !block && !warp && !lane && !site && !line && !step && !sector && !bank && !pass && !measure;
  }
  bool operator==(const Target&) const = default;
};

enum class ShapeKind : std::uint8_t { Box, Line, Curve, Disc, Text, Polygon };

struct Shape {
  ShapeKind kind = ShapeKind::Box;
  std::string id;  // stable, unlocalised: "lane.5", "sector.0x1180"
  Rect box;        // Box, Disc (its bounding square), Text (the space it may use); bounds of the others
  std::vector<Point> points;  // Line (2 or more), Curve (cubic Beziers: 1 + 3n), Polygon
  Ink fill, stroke;
  Pattern pattern = Pattern::Solid;
  float stroke_width = 0;
  float radius = 0;  // corner radius of a Box
  bool dashed = false;
  std::string text;
  Face face = Face::Sans;
  float font_size = 13;
  Align align = Align::Left;
  bool is_label = false;  // takes part in the no-overlap check of the tests
  std::string tooltip;    // empty: none
  Target target;          // empty: not interactive
};

struct Scene {
  Size size;
  std::string title;             // the question this view answers
  std::string answer;            // one number with its unit
  bool answer_is_worse = false;  // worse than ideal: drawn in the warning colour
  std::optional<Evidence> evidence;
  std::string evidence_of;    // the GPU that measured it, where the view is about another
  std::string transcript;     // the picture in words, for screen readers and alt text
  std::vector<Shape> shapes;  // back to front; includes title and answer

  // Topmost interactive or tooltip-bearing shape at a point.
  const Shape* hit(Point p) const;
};

// A readable, stable text of a scene for golden tests: a line a shape, coordinates rounded to pixels.
std::string to_text(const Scene& scene);

// Problems a demanding reader would see: labels that overlap, text wider than its box, shapes outside the
// scene.
struct TextMeasure {
  virtual ~TextMeasure() = default;
  virtual Size measure(std::string_view text, Face face, float size) const = 0;
};
std::vector<std::string> find_layout_problems(const Scene& scene, const TextMeasure& measure);

}  // namespace warplens::visual
