#include "app/model/text/text_options.h"

#include <charconv>

#include "engine/base/message.h"

namespace warplens::model {
namespace {

template <typename T>
bool whole_number(std::string_view text, T& out) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  return failed == std::errc{} && end == text.data() + text.size();
}

}  // namespace

Result<std::pair<std::string, std::int64_t>> parse_slider(const std::string& text) {
  const auto equals = text.find('=');
  std::int64_t value = 0;
  if (equals == 0 || equals == std::string::npos ||
      !whole_number(std::string_view(text).substr(equals + 1), value))
    return told(ErrorKind::Usage, {"app.bad_set", {{"text", value_of(text)}}});
  return std::pair{text.substr(0, equals), value};
}

Result<std::pair<int, int>> parse_size(const std::string& text) {
  const auto x = text.find('x');
  int width = 0, height = 0;
  const bool read = x != std::string::npos && whole_number(std::string_view(text).substr(0, x), width) &&
                    whole_number(std::string_view(text).substr(x + 1), height);
  if (!read || width < 64 || height < 64 || width > 16384 || height > 16384)
    return told(ErrorKind::Usage, {"app.bad_size", {{"text", value_of(text)}}});
  return std::pair{width, height};
}

}  // namespace warplens::model
