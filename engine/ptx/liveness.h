// Which registers hold values still needed, where; and what follows from it: how many 32-bit registers a
// thread needs (an estimate for when ptxas is absent) and a compact renaming for the emulator.
#pragma once

#include <vector>

#include "engine/ptx/module.h"

namespace warplens::ptx {

// Register operands an instruction reads and writes, in operand order (guard included in reads).
struct Uses {
  std::vector<RegisterId> reads, writes;
};
Uses uses_of(const Module& module, const Function& function, const Instruction& instruction);

class Liveness {
 public:
  static Liveness compute(const Module& module, const Function& function);
  bool live_in(std::uint32_t block, RegisterId reg) const;
  bool live_out(std::uint32_t block, RegisterId reg) const;
  // The largest number of 32-bit registers live at once (64-bit values count two, predicates none).
  std::uint32_t pressure() const { return pressure_; }

 private:
  std::size_t words_ = 0;
  std::vector<std::uint64_t> in_, out_;
  std::uint32_t pressure_ = 0;
};

// Rows of 32 lanes x 4 bytes that a warp's state needs after registers with disjoint lifetimes share rows.
struct RowAssignment {
  std::vector<std::uint32_t>
      row;  // register -> first row (64-bit registers take two rows); predicates -> mask index
  std::uint32_t rows = 0;
  std::uint32_t predicate_masks = 0;
};
// Registers whose lanes may diverge across a write keep separate rows: sharing never lets an inactive lane's
// value be overwritten while that lane still needs it.
RowAssignment assign_rows(const Module& module, const Function& function);

}  // namespace warplens::ptx
