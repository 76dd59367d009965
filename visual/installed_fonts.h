// Which fonts draw the interface, and which installed one draws a family or a script (`warplens doctor`).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::visual {

// What the interface is written in: the first of these that is installed.
inline constexpr std::array kSansFamilies{"Inter", "DejaVu Sans", "sans-serif"};
inline constexpr std::array kMonoFamilies{"JetBrains Mono", "DejaVu Sans Mono", "monospace"};
inline constexpr std::array kChineseFamilies{"Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei",
                                             "WenQuanYi Zen Hei"};

// The installed family closest to `family` if it is that family ("Inter"), else empty.
std::string installed_family(const std::string& family);
// An installed family that covers every character of `sample` (UTF-8), preferring the first of fontconfig's
// order; empty when there is none.
std::string family_covering(const std::string& sample);

// The characters of a text (UTF-8) that neither the interface's font nor its Chinese one can draw, each once.
std::vector<std::string> without_glyph(std::string_view text);

}  // namespace warplens::visual
