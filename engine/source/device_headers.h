// Our own device headers (device_headers/*.cuh), held in the program.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace warplens::source {

const std::vector<std::pair<std::string_view, std::string_view>>& device_headers();  // name -> text
std::string_view device_header(std::string_view name);                               // empty: no such header

using Defines = std::vector<std::pair<std::string, std::string>>;

// What stands in front of a text: a header of ours, and the user's defines (-D A=1), which must not reach
// into it, but for those that it asks for (NDEBUG).
std::string front_text(std::string_view header, const Defines& defines);
// A header of ours that is included later, behind defines and behind macros of which only the name is known.
// Not all compilers can put those back.
std::string sheltered(std::string_view text, const Defines& defines);
std::string sheltered(std::string_view text, const std::vector<std::string>& macros);
// The macros that a text defines.
void add_defined_macros(std::string_view text, std::vector<std::string>& macros);

// Writes them to a folder below the cache (once for each version of them) and returns it, for compilers that
// read files.
Result<std::string> device_header_folder();

}  // namespace warplens::source
