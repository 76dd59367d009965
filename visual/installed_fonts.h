// Which installed font draws a family or a script, for `warplens doctor`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warplens::visual {

// The installed family closest to `family` if it is that family ("Inter"), else empty.
std::string installed_family(const std::string& family);
// An installed family that covers every character of `sample` (UTF-8), preferring the first of fontconfig's
// order; empty when there is none.
std::string family_covering(const std::string& sample);

// The characters of a text (UTF-8) that neither the interface's font nor its Chinese one can draw, each once.
std::vector<std::string> without_glyph(std::string_view text);

}  // namespace warplens::visual
