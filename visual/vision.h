// How a picture looks to eyes that see colour differently, and without colour at all: to judge pictures and
// to test the palette.
//
// Dichromats: Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision
// Deficiency", IEEE TVCG 15(6), 2009, severity 1.0, applied to linear light. Grey keeps the luminance (Rec.
// 709 weights).
#pragma once

#include <optional>
#include <string_view>

#include "visual/canvas.h"

namespace warplens::visual {

enum class Vision : std::uint8_t { Normal, Protanopia, Deuteranopia, Tritanopia, Grey };
std::optional<Vision> vision_from(std::string_view name);  // "deuteranopia"

Colour seen(Colour colour, Vision vision);
std::uint32_t seen(std::uint32_t pixel, Vision vision);  // 0xRRGGBB; the upper byte is kept

// Light of a channel, 0 to 1, as sRGB encodes it.
float linear(float channel);

// Distance of two opaque colours in CIE L*a*b* (1976): 2 is just to be told apart, 20 is plainly another
// colour.
float colour_distance(Colour a, Colour b);

}  // namespace warplens::visual
