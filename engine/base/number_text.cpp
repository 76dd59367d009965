#include "engine/base/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace warplens {

std::string group_digits(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string plain_number(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  const int places = size >= 100 || value == std::round(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  std::string out = fmt::format("{:.{}f}", value, places);
  if (places > 0) {
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
  }
  return size >= 1000 && places == 0
             ? (value < 0 ? "-" : "") + group_digits(static_cast<std::uint64_t>(std::min(size, 1.8e19)))
             : out;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> units{"B", "KB", "MB", "GB", "TB", "PB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return (unit == 0 ? group_digits(bytes) : plain_number(std::round(value * 10) / 10)) + " " + units[unit];
}

}  // namespace warplens
