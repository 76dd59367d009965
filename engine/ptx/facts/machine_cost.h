// What straight PTX code costs as machine instructions, roughly: ptxas folds a product of an address into the
// addition behind it (IMAD.WIDE), a shift into an addition (LEA), and drops moves and conversions of width.
// Good for comparing a stretch with the limits at which ptxas stops predicating or unrolling.
//
//   mul.wide.s32 %rd1,%r1,4;  add.s64 %rd2,%rd3,%rd1;  ld.global.f32 %f1,[%rd2];  add.f32 %f2,%f2,%f1;     3
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct Cost {
  int instructions = 0;
  bool loads_global = false;
  bool unfit = false;  // synchronises, communicates, calls, or has a slow path: never predicated
  void operator+=(const Cost& other) {
    instructions += other.instructions;
    loads_global |= other.loads_global;
    unfit |= other.unfit;
  }
};

class MachineCost {
 public:
  MachineCost(const Module& module, const Function& function);
  Cost block(std::uint32_t index) const;
  int instruction(std::uint32_t index) const;  // machine instructions

 private:
  int weight(const Form& form, const Instruction& instruction) const;
  bool feeds_add_alone(const Instruction& instruction) const;
  bool feeds_addresses_alone(const Form& form, const Instruction& instruction) const;

  const Module& module_;
  const Function& function_;
  std::vector<std::uint32_t> reads_;         // how often a register is read
  std::vector<std::uint32_t> in_addresses_;  // of these, as the base of an address
  std::vector<bool> read_by_add_;            // by an addition
  std::vector<bool> product_;                // written by mul.wide, which its addition takes in (IMAD.WIDE)
  std::vector<std::uint32_t> definitions_;   // how often a register is written
};

// What ptxas makes of a division or a root (Effects::routine).
enum class Execution : std::uint8_t {
  Instruction,  // one, or a few: approximations, 32-bit and smaller divisions by a constant
  Sequence,     // many, without a branch: 32-bit and smaller integer divisions
  // A slow path that is called: exact divisions and roots of floats, and divisions of 64-bit integers. They
  // test whether their operands need it, and branch; with ordinary operands each execution is one branch that
  // all lanes take the same way. ptxas keeps nothing in flight across it.
  Subroutine,
};
// Of an instruction; without one, the most that an instruction of the form may be.
Execution execution_of(const Form& form, const Instruction* instruction = nullptr);

// Machine instructions of ptxas's routine for a division or a remainder of 64-bit integers, which are all
// executed once it is called: straight code up to its RET, counted in CUDA 13.0's for compute capability 7.5,
// 8.0, 8.6, 8.9, 9.0 and 10.0 (that for 12.0 has seven to nine fewer). 0: the form has no such routine.
int routine_length(const Form& form);

}  // namespace warplens::ptx
