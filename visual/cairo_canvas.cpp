#include "visual/cairo_canvas.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "visual/export.h"
#include "visual/fonts.h"

namespace warplens::visual {
namespace {

void set_source(cairo_t* cairo, Colour c, float alpha = 1.0f) {
  cairo_set_source_rgba(cairo, c.r, c.g, c.b, c.a * alpha);
}

void rounded_box(cairo_t* cairo, const Rect& r, float radius) {
  const double corner = std::min({static_cast<double>(radius), r.width / 2.0, r.height / 2.0});
  if (corner < 0.1) {
    cairo_rectangle(cairo, r.x, r.y, r.width, r.height);
    return;
  }
  constexpr double quarter = std::numbers::pi / 2;
  const double left = r.x, top = r.y, right = r.right(), bottom = r.bottom();
  cairo_new_sub_path(cairo);
  cairo_arc(cairo, right - corner, top + corner, corner, -quarter, 0);
  cairo_arc(cairo, right - corner, bottom - corner, corner, 0, quarter);
  cairo_arc(cairo, left + corner, bottom - corner, corner, quarter, 2 * quarter);
  cairo_arc(cairo, left + corner, top + corner, corner, 2 * quarter, 3 * quarter);
  cairo_close_path(cairo);
}

void ellipse(cairo_t* cairo, const Rect& r) {
  if (r.width <= 0 || r.height <= 0) return;
  cairo_save(cairo);
  cairo_translate(cairo, r.x + r.width / 2.0, r.y + r.height / 2.0);
  cairo_scale(cairo, r.width / 2.0, r.height / 2.0);
  cairo_new_sub_path(cairo);
  cairo_arc(cairo, 0, 0, 1, 0, 2 * std::numbers::pi);
  cairo_restore(cairo);
}

void trace_path(cairo_t* cairo, const Shape& shape) {
  const auto& p = shape.points;
  switch (shape.kind) {
    case ShapeKind::Box:
      rounded_box(cairo, shape.box, shape.radius);
      break;
    case ShapeKind::Disc:
      ellipse(cairo, shape.box);
      break;
    case ShapeKind::Line:
    case ShapeKind::Polygon:
      for (std::size_t i = 0; i < p.size(); ++i)
        i == 0 ? cairo_move_to(cairo, p[i].x, p[i].y) : cairo_line_to(cairo, p[i].x, p[i].y);
      if (shape.kind == ShapeKind::Polygon && !p.empty()) cairo_close_path(cairo);
      break;
    case ShapeKind::Curve:
      if (!p.empty()) cairo_move_to(cairo, p[0].x, p[0].y);
      for (std::size_t i = 1; i + 2 < p.size(); i += 3)
        cairo_curve_to(cairo, p[i].x, p[i].y, p[i + 1].x, p[i + 1].y, p[i + 2].x, p[i + 2].y);
      break;
    case ShapeKind::Text:
      break;
  }
}

void stripes(cairo_t* cairo, const Rect& r) {
  // Lines x + y = constant, so that all boxes share the same ones.
  const float across = kHatchStep * std::numbers::sqrt2_v<float>;
  const float first = std::floor((r.x + r.y) / across) * across;
  for (float sum = first; sum <= r.right() + r.bottom() + across; sum += across) {
    cairo_move_to(cairo, sum - r.y, r.y);
    cairo_line_to(cairo, sum - r.bottom(), r.bottom());
  }
  cairo_set_dash(cairo, nullptr, 0, 0);
  cairo_set_line_width(cairo, kHatchWidth);
  cairo_stroke(cairo);
}

void dots(cairo_t* cairo, const Rect& r) {
  for (float y = std::floor(r.y / kDotStep) * kDotStep; y <= r.bottom(); y += kDotStep)
    for (float x = std::floor(r.x / kDotStep) * kDotStep; x <= r.right(); x += kDotStep) {
      cairo_new_sub_path(cairo);
      cairo_arc(cairo, x, y, kDotRadius, 0, 2 * std::numbers::pi);
    }
  cairo_fill(cairo);
}

}  // namespace

void CairoCanvas::pattern(const Shape& shape, Colour fill) {
  cairo_save(cairo_);
  set_source(cairo_, fill, kPatternGround);
  cairo_fill_preserve(cairo_);
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  cairo_path_extents(cairo_, &x1, &y1, &x2, &y2);
  cairo_clip(cairo_);
  set_source(cairo_, fill);
  const Rect bounds{static_cast<float>(x1), static_cast<float>(y1), static_cast<float>(x2 - x1),
                    static_cast<float>(y2 - y1)};
  shape.pattern == Pattern::Hatched ? stripes(cairo_, bounds) : dots(cairo_, bounds);
  cairo_restore(cairo_);
}

void CairoCanvas::text(const Shape& shape, Colour colour) {
  FontSet& fonts = FontSet::instance();
  const PlacedText placed = fonts.place(shape.text, shape.face);
  const float width = placed.width * shape.font_size;
  float x = shape.box.x;
  if (shape.align == Align::Centre) x += (shape.box.width - width) * 0.5f;
  if (shape.align == Align::Right) x += shape.box.width - width;
  const float baseline = baseline_of(shape);
  set_source(cairo_, colour);
  // Runs of one font, with the text beside the glyphs so that a PDF can be searched and copied from.
  for (std::size_t i = 0; i < placed.glyphs.size();) {
    const std::size_t font = placed.glyphs[i].font;
    std::vector<cairo_glyph_t> glyphs;
    std::vector<cairo_text_cluster_t> clusters;
    std::string characters;
    for (; i < placed.glyphs.size() && placed.glyphs[i].font == font; ++i) {
      const std::string bytes = encode_utf8(placed.glyphs[i].character);
      glyphs.push_back({placed.glyphs[i].index, x + placed.glyphs[i].x * shape.font_size, baseline});
      clusters.push_back({static_cast<int>(bytes.size()), 1});
      characters += bytes;
    }
    if (!fonts.face(font)) continue;
    cairo_set_font_face(cairo_, fonts.face(font));
    cairo_set_font_size(cairo_, shape.font_size);
    cairo_show_text_glyphs(cairo_, characters.data(), static_cast<int>(characters.size()), glyphs.data(),
                           static_cast<int>(glyphs.size()), clusters.data(),
                           static_cast<int>(clusters.size()), static_cast<cairo_text_cluster_flags_t>(0));
  }
}

void CairoCanvas::paint(const Shape& shape, const Theme& theme) {
  cairo_new_path(cairo_);
  trace_path(cairo_, shape);
  const bool has_area = shape.kind != ShapeKind::Line && shape.kind != ShapeKind::Curve;
  if (has_area && shape.fill.role != Role::None) {
    const Colour fill = theme.resolve(shape.fill);
    if (shape.pattern == Pattern::Solid) {
      set_source(cairo_, fill);
      cairo_fill_preserve(cairo_);
    } else {
      pattern(shape, fill);
      cairo_new_path(cairo_);
      trace_path(cairo_, shape);
    }
  }
  if (shape.stroke.role != Role::None && shape.stroke_width > 0) {
    const double dashes[2] = {kDashOn, kDashOff};
    cairo_set_dash(cairo_, dashes, shape.dashed ? 2 : 0, 0);
    cairo_set_line_width(cairo_, shape.stroke_width);
    cairo_set_line_cap(cairo_, has_area ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
    set_source(cairo_, theme.resolve(shape.stroke));
    cairo_stroke(cairo_);
  }
  cairo_new_path(cairo_);
}

void CairoCanvas::draw(const Shape& shape, const Theme& theme) {
  if (shape.kind == ShapeKind::Text) {
    if (!shape.text.empty()) text(shape, theme.resolve(shape.fill));
    return;
  }
  paint(shape, theme);
}

namespace {

class CairoMeasure : public TextMeasure {
 public:
  Size measure(std::string_view text, Face face, float size) const override {
    return {FontSet::instance().width(text, face) * size, size * 1.25f};
  }
};

}  // namespace

const TextMeasure& cairo_text_measure() {
  static const CairoMeasure measure;
  return measure;
}

std::u32string missing_glyphs(std::string_view text, Face face) {
  return FontSet::instance().missing(text, face);
}

}  // namespace warplens::visual
