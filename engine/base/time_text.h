// How a time is written everywhere: at most three digits and the unit that suits it.
//
//   time_text(0.01234)   // "12.3 µs"
//   time_text(4.8)       // "4.8 ms"
#pragma once

#include <string>

namespace warplens {

std::string time_text(double milliseconds);
// Of a model, which counts in microseconds.
inline std::string microseconds_text(double us) {
  return time_text(us / 1000);
}

}  // namespace warplens
