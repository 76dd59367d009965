#include "visual/vision.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace warplens::visual {
namespace {

using Rgb = std::array<float, 3>;
using Matrix = std::array<Rgb, 3>;

constexpr Matrix kProtanopia{{{0.152286f, 1.052583f, -0.204868f},
                              {0.114503f, 0.786281f, 0.099216f},
                              {-0.003882f, -0.048116f, 1.051998f}}};
constexpr Matrix kDeuteranopia{{{0.367322f, 0.860646f, -0.227968f},
                                {0.280085f, 0.672501f, 0.047413f},
                                {-0.011820f, 0.042940f, 0.968881f}}};
constexpr Matrix kTritanopia{{{1.255528f, -0.076749f, -0.178779f},
                              {-0.078411f, 0.930809f, 0.147602f},
                              {0.004733f, 0.691367f, 0.303900f}}};
constexpr Rgb kLuminance{0.2126f, 0.7152f, 0.0722f};
constexpr Matrix kGrey{{kLuminance, kLuminance, kLuminance}};

const Matrix& matrix_of(Vision vision) {
  switch (vision) {
    case Vision::Protanopia:
      return kProtanopia;
    case Vision::Deuteranopia:
      return kDeuteranopia;
    case Vision::Tritanopia:
      return kTritanopia;
    default:
      return kGrey;
  }
}

// The sRGB transfer function (IEC 61966-2-1) and its inverse.
float encoded(float c) {
  c = std::clamp(c, 0.0f, 1.0f);
  return c <= 0.0031308f ? c * 12.92f : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
}

Rgb times(const Matrix& m, const Rgb& v) {
  Rgb out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) out[i] += m[i][k] * v[k];
  return out;
}

struct Lab {
  float l = 0, a = 0, b = 0;
};
Lab lab_of(Colour c) {
  // To XYZ with the primaries of sRGB, relative to the white point D65.
  constexpr Matrix to_xyz{
      {{0.4124f, 0.3576f, 0.1805f}, {0.2126f, 0.7152f, 0.0722f}, {0.0193f, 0.1192f, 0.9505f}}};
  constexpr Rgb white{0.95047f, 1.0f, 1.08883f};
  const Rgb xyz = times(to_xyz, {linear(c.r), linear(c.g), linear(c.b)});
  const auto f = [](float t) { return t > 0.008856f ? std::cbrt(t) : 7.787f * t + 16.0f / 116; };
  const float x = f(xyz[0] / white[0]), y = f(xyz[1] / white[1]), z = f(xyz[2] / white[2]);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

}  // namespace

float linear(float channel) {
  return channel <= 0.04045f ? channel / 12.92f : std::pow((channel + 0.055f) / 1.055f, 2.4f);
}

std::optional<Vision> vision_from(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Vision>, 5> known{{{"normal", Vision::Normal},
                                                                      {"protanopia", Vision::Protanopia},
                                                                      {"deuteranopia", Vision::Deuteranopia},
                                                                      {"tritanopia", Vision::Tritanopia},
                                                                      {"grey", Vision::Grey}}};
  for (const auto& [word, vision] : known)
    if (word == name) return vision;
  return std::nullopt;
}

Colour seen(Colour colour, Vision vision) {
  if (vision == Vision::Normal) return colour;
  const Rgb out = times(matrix_of(vision), {linear(colour.r), linear(colour.g), linear(colour.b)});
  return {encoded(out[0]), encoded(out[1]), encoded(out[2]), colour.a};
}

std::uint32_t seen(std::uint32_t pixel, Vision vision) {
  const auto channel = [pixel](int shift) { return static_cast<float>(pixel >> shift & 0xff) / 255; };
  const Colour c = seen(Colour{channel(16), channel(8), channel(0), 1}, vision);
  const auto byte = [](float v) { return static_cast<std::uint32_t>(std::lround(v * 255)); };
  return (pixel & 0xff000000u) | byte(c.r) << 16 | byte(c.g) << 8 | byte(c.b);
}

float colour_distance(Colour a, Colour b) {
  const Lab p = lab_of(a), q = lab_of(b);
  return std::hypot(p.l - q.l, p.a - q.a, p.b - q.b);
}

}  // namespace warplens::visual
