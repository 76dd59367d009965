// The Canvas that files are drawn with. It draws on a Cairo context that somebody else owns.
#pragma once

#include <cairo.h>

#include "visual/canvas.h"

namespace warplens::visual {

class CairoCanvas : public Canvas {
 public:
  explicit CairoCanvas(cairo_t* context) : cairo_(context) {}
  void draw(const Shape& shape, const Theme& theme) override;

 private:
  void paint(const Shape& shape, const Theme& theme);
  void pattern(const Shape& shape, Colour fill);
  void text(const Shape& shape, Colour colour);
  cairo_t* cairo_;
};

}  // namespace warplens::visual
