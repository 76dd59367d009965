// Small texts of the command line that more than one command reads.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "engine/base/result.h"

namespace warplens::model {

// "stride=4"
Result<std::pair<std::string, std::int64_t>> parse_slider(const std::string& text);
// "1600x900", both from 64 to 16384
Result<std::pair<int, int>> parse_size(const std::string& text);

}  // namespace warplens::model
