// Seconds since the program's start, of the clock that CUPTI's records are in.
#pragma once

#include <cstdint>

namespace warplens::witness {

// `started`: of the system's monotonic clock, in nanoseconds; `now`: of CUPTI's, at this moment.
void set_start(std::int64_t started, std::uint64_t now);
double seconds_at(std::uint64_t cupti);
inline double seconds_between(std::uint64_t begin, std::uint64_t end) {
  return end > begin ? static_cast<double>(end - begin) * 1e-9 : 0;
}

}  // namespace warplens::witness
