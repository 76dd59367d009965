// The small integer expressions of gallery and lesson files: + - * / % ( ) comparisons, ceil(a / b), min,
// max, and names bound to values. Division is integer division rounded down; ceil rounds it up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace warplens::model {

Result<std::int64_t> evaluate(std::string_view expression, const std::map<std::string, std::int64_t>& names);
// Replaces every {expression} in a text by its value.
Result<std::string> interpolate(std::string_view text, const std::map<std::string, std::int64_t>& names);

}  // namespace warplens::model
