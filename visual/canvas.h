// Where a Scene is drawn. Implementations: Cairo (here, for files) and ImGui (app/window).
//
//   draw(scene, canvas, Theme::dark());   // fills the ground, then hands every shape over, back to front
//
// What every canvas agrees on, so that a picture is the same picture everywhere:
// - A text is one line, placed in its box by Align, its capitals centred vertically: the baseline stands at
//   baseline_of(shape). It is never wrapped and never scaled; layout has made it fit.
// - Pattern::Hatched draws a ground of the fill at kPatternGround of its alpha, and over it stripes of the
//   full fill, rising to the right at 45 degrees, kHatchStep apart (measured across), kHatchWidth wide.
//   Stripes are anchored to the scene's origin, so that neighbouring boxes share one continuous hatching.
// - Pattern::Dotted draws the same ground and dots of radius kDotRadius on a grid of kDotStep.
// - A stroke is centred on the outline. A dashed line is kDashOn drawn, kDashOff skipped.
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
  Colour resolve(Ink ink) const;  // alpha included; Role::None is fully transparent
  static const Theme& dark();
  static const Theme& light();
};

inline constexpr float kPatternGround = 0.28f;
inline constexpr float kHatchStep = 5.0f, kHatchWidth = 1.2f;
inline constexpr float kDotStep = 5.0f, kDotRadius = 0.9f;
inline constexpr float kDashOn = 4.0f, kDashOff = 3.0f;

// y of the baseline of a text shape.
float baseline_of(const Shape& text);

// WCAG contrast of two opaque colours: 1 to 21.
float contrast(Colour a, Colour b);
// CIE lightness, 0 to 100: what remains of a colour in greyscale.
float lightness(Colour colour);

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void draw(const Shape& shape, const Theme& theme) = 0;
};

void draw(const Scene& scene, Canvas& canvas, const Theme& theme);

}  // namespace warplens::visual
