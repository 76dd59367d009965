// UTF-8 to code points and back, tolerant: a byte that fits nowhere becomes U+FFFD.
//
//   decode_utf8("a扇")  ->  U"a扇"
#pragma once

#include <string>
#include <string_view>

namespace warplens::window {

std::u32string decode_utf8(std::string_view text);

}  // namespace warplens::window
