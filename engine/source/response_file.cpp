#include "engine/source/response_file.h"

#include <cctype>

namespace warplens::source {

std::string response_file(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& option : options) {
    for (const char c : option) {
      const auto byte = static_cast<unsigned char>(c);
      // Bytes of UTF-8 stay: a backslash would stand before each of them.
      if (byte < 0x80 && std::isalnum(byte) == 0) text += '\\';
      text += c;
    }
    text += '\n';
  }
  return text;
}

}  // namespace warplens::source
