// Where a Scene is drawn. Implementations: Cairo (here, for files) and ImGui (app/window).
#pragma once

#include <array>
#include <cstdint>

#include "visual/scene.h"

namespace warplens::visual {

struct Colour {
  float r = 0, g = 0, b = 0, a = 1;
};

enum class ThemeName : std::uint8_t { Dark, Light };

struct Theme {
  ThemeName name = ThemeName::Dark;
  Colour resolve(Ink ink) const;
  static const Theme& dark();
  static const Theme& light();
};

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void draw(const Shape& shape, const Theme& theme) = 0;
};

void draw(const Scene& scene, Canvas& canvas, const Theme& theme);

}  // namespace warplens::visual
