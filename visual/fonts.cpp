#include "visual/fonts.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "engine/base/typography.h"

namespace warplens::visual {
namespace {

struct Font {
  cairo_font_face_t* face = nullptr;
  cairo_scaled_font_t* scaled = nullptr;
  FcCharSet* characters = nullptr;  // owned by the pattern, which is kept
};

struct Advance {
  std::size_t font = 0;
  unsigned long glyph = 0;
  float width = 0;  // em
};

struct Wanted {
  const char* family;
  int weight;
};

// Preferred family of each Face, in the order of the enumeration.
constexpr std::array<Wanted, 4> kFaces{{{"Inter", FC_WEIGHT_REGULAR},
                                        {"Inter", FC_WEIGHT_SEMIBOLD},
                                        {"JetBrains Mono", FC_WEIGHT_REGULAR},
                                        {"JetBrains Mono", FC_WEIGHT_BOLD}}};
// Asked in this order for what the preferred face lacks.
constexpr std::array<const char*, 6> kFallbacks{"Noto Sans CJK SC",  "WenQuanYi Micro Hei",
                                                "WenQuanYi Zen Hei", "Droid Sans Fallback",
                                                "DejaVu Sans",       "sans-serif"};

cairo_scaled_font_t* scale_to_em(cairo_font_face_t* face) {
  cairo_matrix_t size, identity;
  cairo_matrix_init_scale(&size, 1000, 1000);
  cairo_matrix_init_identity(&identity);
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_scaled_font_t* scaled = cairo_scaled_font_create(face, &size, &identity, options);
  cairo_font_options_destroy(options);
  return scaled;
}

// `embolden` when a bold face falls back to a family that has no bold of its own.
Font load(const char* family, int weight, bool embolden) {
  FcPattern* wanted = FcPatternCreate();
  FcPatternAddString(wanted, FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(wanted, FC_WEIGHT, weight);
  FcPatternAddBool(wanted, FC_SCALABLE, FcTrue);
  FcConfigSubstitute(nullptr, wanted, FcMatchPattern);
  FcDefaultSubstitute(wanted);
  FcResult result = FcResultNoMatch;
  FcPattern* found = FcFontMatch(nullptr, wanted, &result);
  FcPatternDestroy(wanted);
  Font font;
  if (!found) return font;
  FcPatternGetCharSet(found, FC_CHARSET, 0, &font.characters);
  int weight_found = FC_WEIGHT_REGULAR;
  FcPatternGetInteger(found, FC_WEIGHT, 0, &weight_found);
  FcPatternDel(found, FC_EMBOLDEN);
  // In the pattern and not on the face: Cairo shares faces, and the regular text would turn bold with it.
  if (embolden && weight_found < FC_WEIGHT_SEMIBOLD) FcPatternAddBool(found, FC_EMBOLDEN, FcTrue);
  font.face = cairo_ft_font_face_create_for_pattern(found);
  font.scaled = scale_to_em(font.face);
  return font;
}

Advance measure_glyph(std::size_t index, const Font& font, char32_t character) {
  Advance out{index, 0, 0};
  FT_Face ft = cairo_ft_scaled_font_lock_face(font.scaled);
  if (!ft) return out;
  const FT_UInt glyph = FT_Get_Char_Index(ft, character);
  if (FT_Load_Glyph(ft, glyph, FT_LOAD_NO_SCALE) == 0 && ft->units_per_EM > 0)
    out.width = static_cast<float>(ft->glyph->metrics.horiAdvance) / static_cast<float>(ft->units_per_EM);
  out.glyph = glyph;
  cairo_ft_scaled_font_unlock_face(font.scaled);
  return out;
}

}  // namespace

struct FontSet::State {
  std::mutex mutex;
  std::vector<Font> fonts;
  std::array<std::vector<std::size_t>, kFaces.size()> chains;  // fonts to ask for each Face, in order
  std::array<std::unordered_map<char32_t, Advance>, kFaces.size()> known;
  std::array<std::array<Advance, 128>, kFaces.size()> ascii{};

  Advance find(char32_t character, std::size_t face) {
    auto& cache = known[face];
    if (const auto hit = cache.find(character); hit != cache.end()) return hit->second;
    Advance out{chains[face].front(), 0, 0.5f};
    for (const std::size_t index : chains[face]) {
      const Font& font = fonts[index];
      if (!font.characters || !FcCharSetHasChar(font.characters, character)) continue;
      out = measure_glyph(index, font, character);
      if (out.glyph != 0) break;
    }
    cache.emplace(character, out);
    return out;
  }
};

FontSet::FontSet() : state_(new State) {
  for (std::size_t face = 0; face < kFaces.size(); ++face) {
    const bool bold = kFaces[face].weight > FC_WEIGHT_MEDIUM;
    const auto add = [&](const Font& font) {
      if (!font.face) return;
      state_->chains[face].push_back(state_->fonts.size());
      state_->fonts.push_back(font);
    };
    add(load(kFaces[face].family, kFaces[face].weight, false));
    for (const char* family : kFallbacks) add(load(family, kFaces[face].weight, bold));
    if (state_->chains[face].empty()) {  // no font at all: keep a font that draws nothing
      state_->chains[face].push_back(state_->fonts.size());
      state_->fonts.push_back({});
    }
    for (char32_t c = 0; c < 128; ++c)
      state_->ascii[face][c] = c < 32 ? Advance{state_->chains[face].front(), 0, 0} : state_->find(c, face);
  }
}

FontSet& FontSet::instance() {
  static FontSet* const fonts = new FontSet;  // never destroyed, see State
  return *fonts;
}

PlacedText FontSet::place(std::string_view text, Face face) {
  const auto row = static_cast<std::size_t>(face);
  PlacedText out;
  const std::scoped_lock lock(state_->mutex);
  for (const char32_t c : decode_utf8(text)) {
    const Advance a = c < 128 ? state_->ascii[row][c] : state_->find(c, row);
    out.glyphs.push_back({a.font, a.glyph, out.width, c});
    out.width += a.width;
  }
  return out;
}

float FontSet::width(std::string_view text, Face face) {
  const auto row = static_cast<std::size_t>(face);
  float width = 0;
  bool plain = true;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 128) {
      plain = false;
      break;
    }
    width += state_->ascii[row][byte].width;
  }
  return plain ? width : place(text, face).width;
}

cairo_font_face_t* FontSet::face(std::size_t font) {
  return state_->fonts[font].face;
}

std::u32string FontSet::missing(std::string_view text, Face face) {
  std::u32string out;
  for (const PlacedGlyph& glyph : place(text, face).glyphs)
    if (glyph.index == 0) out += glyph.character;
  return out;
}

std::string encode_utf8(char32_t c) {
  std::string out;
  const auto tail = [&out](char32_t bits) { out += static_cast<char>(0x80u | (bits & 0x3fu)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0u | (c >> 6));
    tail(c);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0u | (c >> 12));
    tail(c >> 6);
    tail(c);
  } else {
    out += static_cast<char>(0xf0u | (c >> 18));
    tail(c >> 12);
    tail(c >> 6);
    tail(c);
  }
  return out;
}

}  // namespace warplens::visual
