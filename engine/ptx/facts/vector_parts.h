// Vector loads of which not all elements are needed: ptxas loads the part that is.
//
//   ld.global.v4.f32 {%f1,%f2,%f3,%f4},[%rd1];   only %f3 and %f4 are read     -> 8 bytes from [%rd1+8]
//
//   v2                    one element read: a scalar load
//   v4 of 4 bytes         one: 4 bytes; the first or the last two: 8; others: the whole (two apart: two loads
//                         of 4 bytes, which are counted as one of 16 here)
//   v4 of 2 bytes         one: 2 bytes; the first or the last two: 4; others: the whole
//   elements of one byte  the whole
//
// Read from the machine code of ptxas 13.0 for sm_90: all masks of each form, global and shared memory.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct VectorPart {
  std::int64_t offset = 0;  // bytes
  int bytes = 0;            // 0: the whole vector
};

class VectorParts {
 public:
  VectorParts(const Module& module, const Function& function);
  // By the rule above; `load` is an ld.
  VectorPart needed(const Instruction& load) const;
  // Where a part of `bytes` begins that holds the first element that is read.
  std::int64_t first_needed(const Instruction& load, int bytes) const;

 private:
  std::vector<bool> read_elements(const Instruction& load) const;  // empty when it is no vector

  const Module& module_;
  std::vector<bool> read_;  // registers that some instruction reads
};

}  // namespace warplens::ptx
