// Which registers hold values still needed, where; and what follows from it: how many 32-bit registers a
// thread needs (an estimate for when ptxas is absent) and a compact renaming for the emulator.
//
//   mov.u32 %r1, %tid.x;  add.u32 %r2, %r1, 1;  mul.lo.u32 %r3, %r2, %r2;      pressure 1
//   assign_rows: %r1 -> row 0, %r2 -> row 1, %r3 -> row 0: %r1 is dead when %r3 is written
#pragma once

#include <bit>
#include <functional>
#include <utility>
#include <vector>

#include "engine/ptx/syntax/module.h"

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
  // All registers live there; quicker than asking for each.
  template <typename Visit>
  void for_each_live_in(std::uint32_t block, Visit visit) const {
    for_each(in_, block, visit);
  }
  template <typename Visit>
  void for_each_live_out(std::uint32_t block, Visit visit) const {
    for_each(out_, block, visit);
  }
  // The largest number of 32-bit registers live at once (64-bit values count two, predicates none).
  std::uint32_t pressure() const { return pressure_; }

 private:
  // `effects` adds a block's exposed and killed registers to two bit rows.
  void solve(const Function& function, std::size_t blocks,
             const std::function<void(std::uint32_t, std::uint64_t*, std::uint64_t*)>& effects);
  void measure_pressure(const Module& module, const Function& function);
  template <typename Visit>
  void for_each(const std::vector<std::uint64_t>& bits, std::uint32_t block, Visit visit) const {
    // When all are live everywhere, the first and last block say as much as every block.
    if (everywhere_ && block != 0 && block + 1 != blocks_) return;
    for (std::size_t w = 0; w < words_; ++w) {
      std::uint64_t word = everywhere_ ? ~std::uint64_t{0} : bits[block * words_ + w];
      for (; word != 0; word &= word - 1) {
        const std::size_t bit = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
        if (bit < register_of_.size()) visit(register_of_[bit]);
      }
    }
  }
  bool get(const std::vector<std::uint64_t>& bits, std::uint32_t block, RegisterId reg) const;

  // Only registers that some block reads before it writes them can be live at a block's edge; they alone have
  // a bit. A function too large for the bits (hostile text) counts all of those as live everywhere.
  std::vector<std::uint32_t> bit_of_;    // register -> bit, kNone
  std::vector<RegisterId> register_of_;  // bit -> register
  bool everywhere_ = false;
  std::size_t blocks_ = 0;
  std::size_t words_ = 0;  // a block
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
// A write touches the lanes that execute it and no others, so what a lane holds is only ever changed by that
// lane itself, on its own path through the function; for this, rows are shared by registers of one width only
// (a wide register's lanes may lie over other lanes of a narrow one). Two registers share a row when the
// stretches of the layout between the first and last places where either may be live do not overlap. A
// destination never shares a row with a source of the same instruction: handlers may write while they still
// read.
// Who reads something later than it is written that it does says so in `late`: the instruction and the
// register.
using LateRead = std::pair<std::uint32_t, RegisterId>;
RowAssignment assign_rows(const Module& module, const Function& function,
                          const std::vector<LateRead>& late = {});

}  // namespace warplens::ptx
