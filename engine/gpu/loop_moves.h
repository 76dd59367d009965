// How far the addresses of a loop's accesses move from one turn to the next, where that is one distance for
// as long as the loop runs: the counting rewrite (instrument_steady.h) then need not look at every execution.
//
//   LOOP:  mul.wide.s32 %rd5, %r4, 4;  add.s64 %rd6, %rd1, %rd5;
//          ld.global.f32 %f1, [%rd6];              moves by 4 * the movement of %r4, as long as %r4 keeps
//          add.s32 %r4, %r4, %r9;  bra LOOP;       from wrapping around: that movement is %r9
//
// Only blocks that every turn of their innermost loop executes exactly once are looked at.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::gpu {

// constant + sum of coefficient * reg * times, registers that the loop does not change; modulo 2^64.
struct Movement {
  struct Term {
    ptx::RegisterId reg = ptx::kNone;
    ptx::RegisterId times = ptx::kNone;
    std::int64_t coefficient = 0;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms;
};

// The value of a register of 32 bits, extended to 64 and multiplied. `narrow`, modulo 2^32, is the register's
// own movement; what becomes of the product holds until the register wraps around.
struct Widened {
  ptx::RegisterId source = ptx::kNone;
  bool is_signed = false;
  std::int64_t coefficient = 0;
  Movement narrow;
};

struct AddressMovement {
  Movement wide;
  std::vector<Widened> widened;
};

class LoopMoves {
 public:
  LoopMoves(const ptx::Module& module, const ptx::Function& function);
  // Number of the innermost loop that executes the block once a turn; kNone when there is none.
  std::uint32_t loop_of(std::uint32_t block) const { return loop_of_[block]; }
  // Last instructions of the blocks that lead into the loop from outside.
  const std::vector<std::uint32_t>& entries(std::uint32_t loop) const { return loops_[loop].entries; }
  // The movement of an address operand of `instruction`, where the registers that tell of it still hold the
  // same values in front of `later`, further down in the block.
  std::optional<AddressMovement> movement(std::uint32_t instruction, const ptx::Operand& address,
                                          std::uint32_t later) const;

 private:
  enum class Kind : std::uint8_t { AtHeader, Invariant, Widened };
  struct Key {
    Kind kind = Kind::Invariant;
    std::uint32_t id = 0;  // register, or index into widenings_
    ptx::RegisterId times = ptx::kNone;
    auto operator<=>(const Key&) const = default;
  };
  // constant + sum of coefficient * key. `opaque`: plus something that the loop does not change.
  struct Form {
    bool known = false, narrow = false, opaque = false;
    std::int64_t constant = 0;
    std::map<Key, std::int64_t> terms;
  };
  struct Widening {
    ptx::RegisterId source = ptx::kNone;
    bool is_signed = false;
    std::uint32_t position = 0;
    Form form;
  };
  struct Loop {
    std::uint32_t header = 0;
    std::vector<bool> inside;            // blocks
    std::vector<std::uint32_t> spine;    // blocks that every turn executes once, in order
    std::vector<std::uint32_t> entries;  // instructions
    std::size_t size = 0;
  };

  void find_loops();
  void find_spines();
  void evaluate(const Loop& loop);
  void execute(std::uint32_t instruction);
  Form result_of(const ptx::Instruction& instruction, const ptx::Form& form, bool narrow);
  Form value_of(const ptx::Operand& operand, bool narrow) const;
  Form widen(const ptx::Operand& operand, bool is_signed);
  static Form constant_form(std::int64_t value, bool narrow);
  static Form sum(const Form& a, const Form& b, std::int64_t sign);
  static Form product(const Form& a, const Form& b);
  static Form scaled(Form a, std::int64_t factor);
  static bool moves(const Form& form);
  std::optional<Movement> movement_of(std::uint32_t loop, const Form& form) const;
  bool dominates(std::uint32_t a, std::uint32_t b) const;
  bool written_between(ptx::RegisterId reg, std::uint32_t from, std::uint32_t to) const;

  const ptx::Module& module_;
  const ptx::Function& function_;
  std::vector<std::uint32_t> dominator_;
  std::vector<Loop> loops_;
  std::vector<std::uint32_t> loop_of_;
  // While a loop is evaluated, and its results.
  std::vector<Form> now_;            // of the registers that the loop writes
  std::vector<std::uint8_t> state_;  // register: 0 untouched by the loop, 1 followed, 2 unknown
  std::uint32_t position_ = 0;
  std::vector<Widening> widenings_;
  std::map<std::uint32_t, std::uint32_t> position_of_;               // instruction -> position
  std::map<ptx::RegisterId, std::vector<std::uint32_t>> writes_at_;  // positions, all loops
  struct Place {
    std::uint32_t instruction = 0;
    ptx::RegisterId base = ptx::kNone;
    auto operator<=>(const Place&) const = default;
  };
  std::map<Place, Form> addresses_;                                // of base registers
  std::map<std::pair<std::uint32_t, std::uint32_t>, Form> steps_;  // (loop, register) -> step
  std::uint32_t current_ = 0;                                      // number of the loop being evaluated
};

}  // namespace warplens::gpu
