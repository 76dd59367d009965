// Blocks that lead to each other: the largest loops of a function. Whoever leaves one does not come back to
// it.
//
//   A: ...  @%p bra B;  bra A;   B: ret;      {A} is a circle, B is in none
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct Circles {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> of;  // block -> its circle; kNone: it does not lead to itself
  // The blocks of each circle, in the order of the text.
  std::vector<std::vector<std::uint32_t>> blocks() const;
};

// Needs nothing of a block but its successors; linear in their number.
Circles circles(const Function& function);

}  // namespace warplens::ptx
