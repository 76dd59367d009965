// Launches in host code: which template instances a file needs, beside find_launches() of compile.h.
#pragma once

#include <string>
#include <vector>

namespace warplens::source {

// "reduce<256>" for every launch of a template whose arguments are written out, constants, or follow from the
// types of the arguments. What is not certain is left out.
std::vector<std::string> launched_instances(const std::string& text);

}  // namespace warplens::source
