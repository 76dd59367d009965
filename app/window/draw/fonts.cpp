#include "app/window/draw/fonts.h"

#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "engine/base/message.h"
#include "engine/base/typography.h"
#include "visual/installed_fonts.h"

namespace warplens::window {
namespace {

using visual::Face;

// What every build of the atlas holds besides the catalogues: ASCII, Latin-1, and the signs that views use.
constexpr std::u32string_view kAlways = U"–—‘’“”•…‹›←↑→↓↔⇒−×÷·≈≠≤≥±²³⁻¹µΣ√∞½¼°▾▸◂▴●○■□✓✕⟳";
constexpr float kBaseSize = 13;

// What a window that opens writes with in its first seconds: made together, not each when it is met first.
const std::pair<Face, std::vector<int>> kFirstSizes[] = {{Face::Sans, {11, 13, 14}},
                                                         {Face::SansBold, {11, 13, 14, 16, 22}},
                                                         {Face::Mono, {11, 12, 13}},
                                                         {Face::MonoBold, {11, 13}}};
constexpr int kFirstEditorSize = 13, kFirstEditorLine = 20;

bool is_wide(char32_t c) {
  return c >= 0x2e80;
}

std::vector<unsigned char> read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  std::vector<unsigned char> bytes(in ? static_cast<std::size_t>(std::max<std::streamoff>(0, in.tellg()))
                                      : 0);
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return bytes;
}

int big_endian_16(const std::vector<unsigned char>& b, std::size_t at) {
  return at + 1 < b.size() ? static_cast<std::int16_t>(b[at] << 8 | b[at + 1]) : 0;
}
std::size_t big_endian_32(const std::vector<unsigned char>& b, std::size_t at) {
  if (at + 3 >= b.size()) return 0;
  return std::size_t{b[at]} << 24 | std::size_t{b[at + 1]} << 16 | std::size_t{b[at + 2]} << 8 | b[at + 3];
}

// Ascent and descent of an OpenType font in em, from its hhea and head tables. ImGui scales a font so that
// these two make up the size asked for; typography means the em.
float line_in_em(const std::vector<unsigned char>& b, int index) {
  std::size_t start = 0;
  if (b.size() > 12 && std::equal(b.begin(), b.begin() + 4, "ttcf")) {
    start = big_endian_32(b, 12 + 4 * static_cast<std::size_t>(index));
  }
  std::size_t head = 0, hhea = 0;
  const auto tables = static_cast<std::size_t>(std::max(0, big_endian_16(b, start + 4)));
  for (std::size_t i = 0; i < tables; ++i) {
    const std::size_t row = start + 12 + 16 * i;
    if (row + 16 > b.size()) break;
    const std::string tag(b.begin() + static_cast<std::ptrdiff_t>(row),
                          b.begin() + static_cast<std::ptrdiff_t>(row + 4));
    if (tag == "head") head = big_endian_32(b, row + 8);
    if (tag == "hhea") hhea = big_endian_32(b, row + 8);
  }
  const int em = head ? big_endian_16(b, head + 18) : 0;
  const int height = hhea ? big_endian_16(b, hhea + 4) - big_endian_16(b, hhea + 6) : 0;
  return em > 0 && height > 0 ? static_cast<float>(height) / static_cast<float>(em) : 1.2f;
}

// ImGui wants pairs of first and last character, closed by a zero.
std::vector<ImWchar> ranges_of(const std::set<char32_t>& characters, bool wide) {
  std::vector<ImWchar> ranges;
  for (const char32_t c : characters) {
    if (is_wide(c) != wide || c > 0xffff) continue;
    const auto w = static_cast<ImWchar>(c);
    if (!ranges.empty() && ranges.back() + 1 == w) {
      ranges.back() = w;
    } else {
      ranges.push_back(w);
      ranges.push_back(w);
    }
  }
  ranges.push_back(0);
  return ranges;
}

// Pixels of the atlas for Chinese characters: four bytes each.
constexpr double kMostWidePixels = 40e6;

// Of so many characters at each of these sizes, none larger than `most`.
double wide_pixels(const std::vector<float>& ems, float most, const std::set<char32_t>& characters) {
  double sum = 0;
  for (const float em : ems) sum += std::pow(static_cast<double>(std::min(em, most)) + 2, 2);
  return sum * static_cast<double>(std::ranges::count_if(characters, is_wide));
}

// The largest em that Chinese characters are drawn into the atlas with. Presented on a screen of 3840 by 2160
// they would take more than any texture holds; what is written larger is enlarged from there.
float largest_wide_em(const std::vector<float>& ems, const std::set<char32_t>& characters) {
  float most = *std::ranges::max_element(ems);
  while (most > 12 && wide_pixels(ems, most, characters) > kMostWidePixels) --most;
  return most;
}

float em_of(int tenths, float scale) {
  return std::max(6.0f, std::round(static_cast<float>(tenths) / 10.0f * scale));
}

// Glyphs that were drawn smaller than they are written, about their place on the line.
void enlarge_wide(ImFont& font, float factor) {
  const float base = std::round(font.Ascent);
  for (ImFontGlyph& glyph : font.Glyphs) {
    if (!is_wide(glyph.Codepoint)) continue;
    glyph.X0 *= factor;
    glyph.X1 *= factor;
    glyph.Y0 = base + (glyph.Y0 - base) * factor;
    glyph.Y1 = base + (glyph.Y1 - base) * factor;
    glyph.AdvanceX *= factor;
  }
  font.BuildLookupTable();  // which holds what each character advances by
}

}  // namespace

Fonts::File Fonts::find(std::span<const char* const> families, int weight, bool chinese) {
  File file;
  FcPattern* pattern = FcPatternCreate();
  for (const char* family : families)
    FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(pattern, FC_WEIGHT, weight);
  FcPatternAddBool(pattern, FC_SCALABLE, FcTrue);
  if (chinese) FcPatternAddString(pattern, FC_LANG, reinterpret_cast<const FcChar8*>("zh-cn"));
  FcConfigSubstitute(nullptr, pattern, FcMatchPattern);
  FcDefaultSubstitute(pattern);
  FcResult result = FcResultNoMatch;
  if (FcPattern* match = FcFontMatch(nullptr, pattern, &result)) {
    FcChar8* path = nullptr;
    if (FcPatternGetString(match, FC_FILE, 0, &path) == FcResultMatch) {
      file.path = reinterpret_cast<const char*>(path);
      FcPatternGetInteger(match, FC_INDEX, 0, &file.index);
      file.index &= 0xffff;  // the upper half names an instance of a variable font
      file.bytes = read_bytes(file.path);
      file.line = line_in_em(file.bytes, file.index);
    }
    FcPatternDestroy(match);
  }
  FcPatternDestroy(pattern);
  return file;
}

Status Fonts::load() {
  files_[static_cast<int>(Face::Sans)] = find(visual::kSansFamilies, FC_WEIGHT_REGULAR, false);
  files_[static_cast<int>(Face::SansBold)] = find(visual::kSansFamilies, FC_WEIGHT_DEMIBOLD, false);
  files_[static_cast<int>(Face::Mono)] = find(visual::kMonoFamilies, FC_WEIGHT_REGULAR, false);
  files_[static_cast<int>(Face::MonoBold)] = find(visual::kMonoFamilies, FC_WEIGHT_BOLD, false);
  chinese_ = find(visual::kChineseFamilies, FC_WEIGHT_REGULAR, true);
  for (const File& file : files_) {
    if (file.bytes.empty()) {
      return told(ErrorKind::System, {"app.no_font", {}});
    }
  }
  for (char32_t c = 0x20; c < 0x100; ++c) {
    if (c < 0x7f || c >= 0xa0) characters_.insert(c);
  }
  characters_.insert(kAlways.begin(), kAlways.end());
  for (const auto& [face, sizes] : kFirstSizes)
    for (const int size : sizes) wants_.insert({face, size * 10, 0});
  wants_.insert({Face::Mono, kFirstEditorSize * 10, kFirstEditorLine * 10});
  return Done{};
}

void Fonts::need(const std::u32string& characters) {
  for (const char32_t c : characters) {
    if (c < 0x20 || c > 0xffff || known_[c]) continue;
    known_[c] = true;
    if (characters_.insert(c).second) stale_ = true;
  }
}

void Fonts::need(std::string_view utf8) {
  need(decode_utf8(utf8));
}

bool Fonts::has(std::string_view utf8) {
  const ImFont* font = get(Face::Sans, 13).font;
  const std::u32string characters = decode_utf8(utf8);
  return std::all_of(characters.begin(), characters.end(), [&](char32_t c) {
    return c <= 0xffff && font->FindGlyphNoFallback(static_cast<ImWchar>(c)) != nullptr;
  });
}

// An atlas copies what it does not own, 20 MB of Chinese for each size: it is told that it owns the file for
// as long as it takes the font, and not any more when it comes to free what it owns.
ImFont* Fonts::lend(File& file, float pixels, ImFontConfig& config, const std::vector<ImWchar>& ranges) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  config.FontNo = file.index;
  config.FontDataOwnedByAtlas = true;
  ImFont* const font = atlas.AddFontFromMemoryTTF(file.bytes.data(), static_cast<int>(file.bytes.size()),
                                                  pixels, &config, ranges.data());
  atlas.ConfigData.back().FontDataOwnedByAtlas = false;
  return font;
}

void Fonts::add(const Want& want, float widest) {
  const float em = em_of(want.tenths, scale_);
  ImFontConfig config;
  config.OversampleH = em < 24 ? 2 : 1;
  config.OversampleV = 1;
  File& file = files_[static_cast<int>(want.face)];
  const float pixels = em * file.line;
  ImFont* const font = lend(file, pixels, config, ranges_);
  if (!chinese_.bytes.empty() && wide_ranges_.size() > 1) {
    config.MergeMode = true;
    config.OversampleH = 1;
    const float wide = std::min(em, widest);
    // One family for both weights: a drawn-over bold costs twice the atlas for little.
    lend(chinese_, wide * chinese_.line, config, wide_ranges_);
  }
  made_[want] = {font, pixels};
}

bool Fonts::prepare(float scale) {
  if (!stale_ && scale == scale_) return false;
  scale_ = scale;
  stale_ = false;
  ++builds_;
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  made_.clear();
  ranges_ = ranges_of(characters_, false);
  wide_ranges_ = ranges_of(characters_, true);
  wants_.insert({Face::Sans, static_cast<int>(kBaseSize * 10), 0});
  std::vector<float> ems;
  for (const Want& want : wants_) ems.push_back(em_of(want.tenths, scale_));
  const float most = largest_wide_em(ems, characters_);
  // About square: no card takes more than some thousands of rows.
  const double pixels = wide_pixels(ems, most, characters_);
  atlas.TexDesiredWidth = pixels > 24e6 ? 8192 : pixels > 8e6 ? 4096 : 2048;
  for (const Want& want : wants_) add(want, most);
  atlas.Build();
  for (auto& [want, made] : made_)
    if (const float em = em_of(want.tenths, scale_); em > most) enlarge_wide(*made.font, em / most);
  for (auto& [want, made] : made_) {
    if (want.line_tenths == 0) continue;
    // A taller line than the glyphs need: keep the glyphs, move them to the middle of the line.
    const float line = std::round(static_cast<float>(want.line_tenths) / 10.0f * scale_);
    const float shift = std::round((line - made.pixels) / 2);
    for (ImFontGlyph& glyph : made.font->Glyphs) {
      glyph.Y0 += shift;
      glyph.Y1 += shift;
    }
    made.font->FontSize = line;
    made.pixels = line;
  }
  ImGui::GetIO().FontDefault = made_.at({Face::Sans, static_cast<int>(kBaseSize * 10), 0}).font;
  return true;
}

const Fonts::Made* Fonts::nearest(const Want& want) const {
  const Made* best = nullptr;
  int best_distance = 1 << 30;
  for (const auto& [have, made] : made_) {
    if (have.line_tenths != 0) continue;
    const int distance = std::abs(have.tenths - want.tenths) + (have.face == want.face ? 0 : 1000);
    if (distance < best_distance) {
      best = &made;
      best_distance = distance;
    }
  }
  return best;
}

Fonts::Sized Fonts::get(Face face, float logical_size) {
  const Want want{face, static_cast<int>(std::lround(logical_size * 10)), 0};
  if (const auto it = made_.find(want); it != made_.end()) return {it->second.font, it->second.pixels};
  wants_.insert(want);
  stale_ = true;
  const Made* made = nearest(want);
  const float em = std::max(6.0f, std::round(logical_size * scale_));
  return {made ? made->font : ImGui::GetFont(), em * files_[static_cast<int>(face)].line};
}

ImFont* Fonts::editor(float logical_size, float line_height) {
  const Want want{Face::Mono, static_cast<int>(std::lround(logical_size * 10)),
                  static_cast<int>(std::lround(line_height * 10))};
  if (const auto it = made_.find(want); it != made_.end()) return it->second.font;
  wants_.insert(want);
  stale_ = true;
  const Made* made = nearest(want);
  return made ? made->font : ImGui::GetFont();
}

visual::Size Fonts::measure(std::string_view text, Face face, float logical_size) const {
  // The interface of TextMeasure is const; noting a wanted size does not change what is measured now.
  const auto [font, pixels] = const_cast<Fonts*>(this)->get(face, logical_size);
  const ImVec2 size = font->CalcTextSizeA(pixels, 1e9f, 0, text.data(), text.data() + text.size());
  return {size.x / scale_, logical_size * 1.25f};
}

}  // namespace warplens::window
