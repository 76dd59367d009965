// How counts and sizes are written everywhere.
//
//   group_digits(12288)     // "12,288"
//   plain_number(2.50)      // "2.5"
//   bytes_text(1536)        // "1.5 KB": in the units of data sheets, 1,024 bytes are a KB
#pragma once

#include <cstdint>
#include <string>

namespace warplens {

std::string group_digits(std::uint64_t value);
std::string plain_number(double value);  // 3, 2.5, 0.04
std::string bytes_text(std::uint64_t bytes);

}  // namespace warplens
