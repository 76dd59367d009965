#include "app/window/draw/utf8.h"

#include <algorithm>

namespace warplens::window {
namespace {

constexpr char32_t kReplacement = 0xfffd;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 1;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t wanted = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  if (wanted > text.size()) return 1;
  const std::string_view tail = text.substr(1, wanted - 1);
  return std::all_of(tail.begin(), tail.end(), is_continuation) ? wanted : 1;
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
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
