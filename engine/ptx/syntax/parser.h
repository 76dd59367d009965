// PTX text to a Module. Accepts what nvcc 13, NVRTC 13 and clang 14 emit for sm_75 to sm_90, and hand-written
// PTX. An opcode it does not know is kept as written (its form says so by name): only whoever must execute it
// can call it unsupported. Errors carry the line, the column and what was expected.
#pragma once

#include <string_view>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct ParseOptions {
  std::string file = "<ptx>";
  std::size_t max_bytes = std::size_t{1} << 30;  // longer texts are refused with a message
};

// The module comes with control-flow graphs built and labels resolved.
Result<Module> parse(std::string_view text, const ParseOptions& options = {});

}  // namespace warplens::ptx
