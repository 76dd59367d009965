// What a .b128 register holds: it is only moved, exchanged and compared as a whole.
#pragma once

#include "engine/simt/ops/op.h"

namespace warplens::simt {

struct alignas(16) u128 {
  u64 low = 0, high = 0;
  bool operator==(const u128&) const = default;
};

}  // namespace warplens::simt
