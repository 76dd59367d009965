#include <algorithm>
#include <cmath>

#include "visual/canvas.h"
#include "visual/vision.h"

namespace warplens::visual {
namespace {

constexpr Colour rgb(std::uint32_t hex) {
  return {static_cast<float>((hex >> 16) & 0xff) / 255.0f, static_cast<float>((hex >> 8) & 0xff) / 255.0f,
          static_cast<float>(hex & 0xff) / 255.0f, 1.0f};
}

// One row a role, in the order of the enumeration, Lane and OnLane apart (they depend on the lane).
struct Tokens {
  Colour ground, panel, raised, line, text, dim, accent, good, warn, bad, modelled, on_accent;
  std::array<Colour, 5> ramp;
};

constexpr Tokens kDark{rgb(0x0E1116),
                       rgb(0x151A22),
                       rgb(0x1C232E),
                       rgb(0x2A3340),
                       rgb(0xE6EAF0),
                       rgb(0x8B97A8),
                       rgb(0x5BB8FF),
                       rgb(0x4CC38A),
                       rgb(0xF2A65A),
                       rgb(0xFF6B5E),
                       rgb(0xB79CFF),
                       rgb(0x0E1116),
                       {rgb(0x4B5FC9), rgb(0x2F8FB8), rgb(0x3FB59A), rgb(0x9CC45C), rgb(0xF0C44A)}};

// The light ramp keeps hues and order. Its lightness starts lower and ends where gold still stands out from
// white (3 : 1): a bright gold line on a projector's white would not be seen.
constexpr Tokens kLight{rgb(0xFFFFFF),
                        rgb(0xF4F6F9),
                        rgb(0xE9EDF2),
                        rgb(0xD5DBE3),
                        rgb(0x14181F),
                        rgb(0x566273),
                        rgb(0x0B6FC2),
                        rgb(0x1B7F52),
                        rgb(0xA85A00),
                        rgb(0xC22F22),
                        rgb(0x6A45C9),
                        rgb(0xFFFFFF),
                        {rgb(0x2B3A9E), rgb(0x1B6A94), rgb(0x1F8468), rgb(0x64912A), rgb(0xB58A0C)}};

Colour mix(Colour a, Colour b, float t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t, 1.0f};
}

Colour on_ramp(const std::array<Colour, 5>& ramp, int lane) {
  const float place = static_cast<float>(std::clamp(lane, 0, kWarpSize - 1)) / (kWarpSize - 1) * 4.0f;
  const int stop = std::min(3, static_cast<int>(place));
  return mix(ramp[static_cast<std::size_t>(stop)], ramp[static_cast<std::size_t>(stop) + 1],
             place - static_cast<float>(stop));
}

float luminance(Colour c) {
  return 0.2126f * linear(c.r) + 0.7152f * linear(c.g) + 0.0722f * linear(c.b);
}

// Black or white, whichever is easier to read; against any colour one of them reaches 4.5 : 1.
Colour readable_on(Colour ground) {
  constexpr Colour black = rgb(0x000000), white = rgb(0xFFFFFF);
  return contrast(black, ground) >= contrast(white, ground) ? black : white;
}

Colour token(const Tokens& t, Ink ink) {
  switch (ink.role) {
    case Role::None:
      return {0, 0, 0, 0};
    case Role::Ground:
      return t.ground;
    case Role::Panel:
      return t.panel;
    case Role::Raised:
      return t.raised;
    case Role::Line:
      return t.line;
    case Role::Text:
      return t.text;
    case Role::Dim:
      return t.dim;
    case Role::Accent:
      return t.accent;
    case Role::Good:
      return t.good;
    case Role::Warn:
      return t.warn;
    case Role::Bad:
      return t.bad;
    case Role::Modelled:
      return t.modelled;
    case Role::Lane:
      return on_ramp(t.ramp, ink.lane);
    case Role::OnLane:
      return readable_on(on_ramp(t.ramp, ink.lane));
    case Role::OnAccent:
      return t.on_accent;
  }
  return t.text;
}

}  // namespace

float contrast(Colour a, Colour b) {
  const float la = luminance(a) + 0.05f, lb = luminance(b) + 0.05f;
  return std::max(la, lb) / std::min(la, lb);
}

float lightness(Colour colour) {
  const float y = luminance(colour);
  return y > 0.008856f ? 116.0f * std::cbrt(y) - 16.0f : 903.3f * y;
}

Colour Theme::resolve(Ink ink) const {
  Colour colour = token(name == ThemeName::Dark ? kDark : kLight, ink);
  colour.a *= std::clamp(ink.alpha, 0.0f, 1.0f);
  return colour;
}

const Theme& Theme::dark() {
  static const Theme theme{ThemeName::Dark};
  return theme;
}
const Theme& Theme::light() {
  static const Theme theme{ThemeName::Light};
  return theme;
}

float baseline_of(const Shape& text) {
  // Half the height of a capital, in em: Inter and JetBrains Mono agree within a hundredth, and the square of
  // a Chinese character is centred at the same height.
  constexpr float half_capital = 0.365f;
  return text.box.y + text.box.height * 0.5f + text.font_size * half_capital;
}

void draw(const Scene& scene, Canvas& canvas, const Theme& theme) {
  Shape ground;
  ground.box = {0, 0, scene.size.width, scene.size.height};
  ground.fill = Ink::of(Role::Ground);
  canvas.draw(ground, theme);
  for (const Shape& shape : scene.shapes) canvas.draw(shape, theme);
}

}  // namespace warplens::visual
