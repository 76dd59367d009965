// Giant generated code: what looks at a function as a whole costs more than the function is long, so that of
// one beyond these sizes no loops, folded branches or repeated loads are looked for. It counts as its PTX has
// it; Lowered::giant says so, and a report notes it.
#pragma once

#include <cstddef>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

inline constexpr std::size_t kMostBlocks = 4096, kMostInstructions = 65536;

inline bool is_giant(const Function& function) {
  return function.blocks.size() > kMostBlocks || function.instructions.size() > kMostInstructions;
}

}  // namespace warplens::ptx
