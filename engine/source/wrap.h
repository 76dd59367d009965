// Arithmetic of the user's numbers in two's complement, as the machine would: their overflow must not be
// ours.
#pragma once

#include <cstdint>

namespace warplens::source {

// `op` is '+', '-' or '*'.
inline std::int64_t wrap(char op, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  return static_cast<std::int64_t>(op == '+' ? x + y : op == '-' ? x - y : x * y);
}

}  // namespace warplens::source
