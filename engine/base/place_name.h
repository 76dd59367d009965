// Names of memory that a program gives none, as traces and kept launches have them: made here and read here.
//
//   argument_name(2) == "argument 2"        // the third parameter of a kernel whose source does not tell
//   allocation_name(1) == "allocation 1"    // the first that a program asked for
//   allocation_number("allocation 1") == 1
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warplens {

inline constexpr std::string_view kArgumentName = "argument ", kAllocationName = "allocation ";

inline std::string argument_name(std::uint64_t index) {
  return std::string(kArgumentName) + std::to_string(index);
}
inline std::string allocation_name(std::uint64_t number) {
  return std::string(kAllocationName) + std::to_string(number);
}

// The number behind the word; unset for a name that somebody gave.
inline std::optional<std::uint64_t> number_behind(std::string_view word, std::string_view name) {
  if (!name.starts_with(word)) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + word.size(), end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}
inline std::optional<std::uint64_t> argument_number(std::string_view name) {
  return number_behind(kArgumentName, name);
}
inline std::optional<std::uint64_t> allocation_number(std::string_view name) {
  return number_behind(kAllocationName, name);
}

}  // namespace warplens
