// Which face draws which character, for the Cairo canvas and its text measure (not for other parts).
//
// A text is cut into runs of one font each: Inter or JetBrains Mono where they have the character, else the
// first installed face that does (a Chinese one, then whatever fontconfig offers). Advances come from the
// font unhinted, so that measuring and drawing agree at any size and scale.
#pragma once

#include <cairo-ft.h>
#include <cairo.h>

#include <string>
#include <string_view>
#include <vector>

#include "visual/scene.h"

namespace warplens::visual {

std::string encode_utf8(char32_t character);

struct PlacedGlyph {
  std::size_t font = 0;     // for FontSet::face
  unsigned long index = 0;  // glyph index in that font; 0: no font has the character
  float x = 0;              // from the start of the text, in em
  char32_t character = 0;
};

struct PlacedText {
  std::vector<PlacedGlyph> glyphs;
  float width = 0;  // em
};

// Loaded once, on first use; all members may be called from any thread.
class FontSet {
 public:
  static FontSet& instance();
  PlacedText place(std::string_view text, Face face);
  float width(std::string_view text, Face face);  // em
  cairo_font_face_t* face(std::size_t font);
  // Characters that no installed font can draw.
  std::u32string missing(std::string_view text, Face face);

 private:
  FontSet();
  struct State;
  State* state_;  // lives as long as the process: fonts outlive static destructors of canvases
};

}  // namespace warplens::visual
