// A quotient of two counts; 0 where there is nothing to divide by.
#pragma once

#include <cstdint>

namespace warplens::analysis {

inline double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

}  // namespace warplens::analysis
