#include "visual/installed_fonts.h"

#include <fontconfig/fontconfig.h>

#include <memory>

namespace warplens::visual {
namespace {

struct Free {
  void operator()(FcPattern* p) const { FcPatternDestroy(p); }
  void operator()(FcCharSet* p) const { FcCharSetDestroy(p); }
};
using Pattern = std::unique_ptr<FcPattern, Free>;
using CharSet = std::unique_ptr<FcCharSet, Free>;

std::string family_of(FcPattern* font) {
  FcChar8* family = nullptr;
  if (font == nullptr || FcPatternGetString(font, FC_FAMILY, 0, &family) != FcResultMatch) return {};
  return reinterpret_cast<const char*>(family);
}

Pattern match(FcPattern* wanted) {
  FcConfigSubstitute(nullptr, wanted, FcMatchPattern);
  FcDefaultSubstitute(wanted);
  FcResult result = FcResultNoMatch;
  return Pattern(FcFontMatch(nullptr, wanted, &result));
}

}  // namespace

std::string installed_family(const std::string& family) {
  const Pattern wanted(FcPatternCreate());
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
  const Pattern wanted(FcPatternCreate());
  FcPatternAddCharSet(wanted.get(), FC_CHARSET, characters.get());
  const Pattern font = match(wanted.get());
  FcCharSet* covered = nullptr;
  if (!font || FcPatternGetCharSet(font.get(), FC_CHARSET, 0, &covered) != FcResultMatch) return {};
  return FcCharSetIsSubset(characters.get(), covered) != 0 ? family_of(font.get()) : std::string{};
}

}  // namespace warplens::visual
