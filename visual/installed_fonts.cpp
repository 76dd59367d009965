#include "visual/installed_fonts.h"

#include <fontconfig/fontconfig.h>

#include <memory>
#include <span>

#include "engine/base/typography.h"
#include "visual/fonts.h"

namespace warplens::visual {
namespace {

struct Free {
  void operator()(FcPattern* p) const { FcPatternDestroy(p); }
  void operator()(FcCharSet* p) const { FcCharSetDestroy(p); }
};
using FontPattern = std::unique_ptr<FcPattern, Free>;
using CharSet = std::unique_ptr<FcCharSet, Free>;

std::string family_of(FcPattern* font) {
  FcChar8* family = nullptr;
  if (font == nullptr || FcPatternGetString(font, FC_FAMILY, 0, &family) != FcResultMatch) return {};
  return reinterpret_cast<const char*>(family);
}

FontPattern match(FcPattern* wanted) {
  FcConfigSubstitute(nullptr, wanted, FcMatchPattern);
  FcDefaultSubstitute(wanted);
  FcResult result = FcResultNoMatch;
  return FontPattern(FcFontMatch(nullptr, wanted, &result));
}

// The characters of the best match for these families, in this order.
CharSet characters_of(std::span<const char* const> families, const char* language) {
  const FontPattern wanted(FcPatternCreate());
  for (const char* family : families)
    FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  if (language != nullptr)
    FcPatternAddString(wanted.get(), FC_LANG, reinterpret_cast<const FcChar8*>(language));
  const FontPattern font = match(wanted.get());
  FcCharSet* covered = nullptr;
  if (!font || FcPatternGetCharSet(font.get(), FC_CHARSET, 0, &covered) != FcResultMatch)
    return CharSet(FcCharSetCreate());
  return CharSet(FcCharSetCopy(covered));
}

}  // namespace

std::vector<std::string> without_glyph(std::string_view text) {
  static const CharSet narrow = characters_of(kSansFamilies, nullptr);
  static const CharSet wide = characters_of(kChineseFamilies, "zh-cn");
  constexpr char32_t kWide = 0x2e80, kLast = 0xffff;  // as the window's atlas is cut
  std::u32string missing;
  for (const char32_t c : decode_utf8(text)) {
    if (c < 0x20) continue;
    const FcCharSet* font = c >= kWide ? wide.get() : narrow.get();
    const bool drawn = c <= kLast && FcCharSetHasChar(font, c) != 0;
    if (!drawn && missing.find(c) == std::u32string::npos) missing += c;
  }
  std::vector<std::string> out;
  for (const char32_t c : missing) out.push_back(encode_utf8(c));
  return out;
}

std::string installed_family(const std::string& family) {
  const FontPattern wanted(FcPatternCreate());
  FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family.c_str()));
  const std::string found = family_of(match(wanted.get()).get());
  return found == family ? found : std::string{};
}

std::string family_covering(const std::string& sample) {
  const CharSet characters(FcCharSetCreate());
  const auto* text = reinterpret_cast<const FcChar8*>(sample.c_str());
  for (int left = static_cast<int>(sample.size()); left > 0;) {
    FcChar32 character = 0;
    const int used = FcUtf8ToUcs4(text, &character, left);
    if (used <= 0) return {};
    FcCharSetAddChar(characters.get(), character);
    text += used;
    left -= used;
  }
  const FontPattern wanted(FcPatternCreate());
  FcPatternAddCharSet(wanted.get(), FC_CHARSET, characters.get());
  const FontPattern font = match(wanted.get());
  FcCharSet* covered = nullptr;
  if (!font || FcPatternGetCharSet(font.get(), FC_CHARSET, 0, &covered) != FcResultMatch) return {};
  return FcCharSetIsSubset(characters.get(), covered) != 0 ? family_of(font.get()) : std::string{};
}

}  // namespace warplens::visual
