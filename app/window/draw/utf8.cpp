#include "app/window/draw/utf8.h"

#include "engine/base/typography.h"

namespace warplens::window {
namespace {

constexpr char32_t kReplacement = 0xfffd;

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    char32_t c = kReplacement;
    if (length == 1) {
      if (lead < 0x80) c = lead;
    } else {
      c = lead & (0xffu >> (length + 1));
      for (std::size_t i = 1; i < length; ++i) c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
    }
    result.push_back(c);
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace warplens::window
