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

// Writes them to a folder below the cache (once for each version of them) and returns it, for compilers that
// read files.
Result<std::string> device_header_folder();

}  // namespace warplens::source
