// What ptxas can know about an address: which base it hangs on, at which distance, and how well it is
// aligned.
//
//   shl.b32 %r2, %tid, 4;  add.s32 %r3, tile, %r2;  ld.shared.f32 %f1, [%r3+4];
//   base = (tile + %tid<<4), offset = 4, alignment = 16
//
// Two addresses with one base differ by their offsets in every execution that meets both. The rules, also
// where they know less than they could (min, xor with a constant), are those that ptxas 13.0 showed on small
// kernels.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/ptx/facts/shared_layout.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// Bytes a lane that a load or a store moves as it is written.
int bytes_as_written(const Form& form);
// The operand of an ld or st that holds the address; null: it has none.
const Operand* address_of(const Form& form, const Instruction& instruction);
// The first operand that is an address, whatever the instruction is; null: none is.
const Operand* first_address(const Instruction& instruction);

// base + symbol + offset. A shared variable's address is a known number, but next to a base ptxas keeps it in
// the register and knows no more of it than its alignment; so it stands apart from the offset.
struct LinearForm {
  std::uint32_t base = 0;   // 0: none, the value is a constant
  std::int64_t symbol = 0;  // addresses of shared variables
  std::int64_t offset = 0;
  int zeros = 64;  // known low zero bits of the base
};

// Walks a function from its first instruction to its last and keeps the form of every register.
class AddressForms {
 public:
  AddressForms(const Module& module, const Function& function);

  void enter_block();  // what several places write is unknown at a block's start
  void execute(const Instruction& instruction);
  // Of an Address operand, in front of its instruction. Constant addresses come as an offset alone; for
  // others `zeros` covers the symbol too.
  LinearForm address(const Operand& operand);
  // The base that stands for a variable other than a shared one.
  std::uint32_t base_of_symbol(const std::string& name) { return of_symbol(name, 0).base; }
  // Whether a base is such a variable plus something, in plain sight: not a pointer chosen by a branch.
  bool hangs_on_symbol(std::uint32_t base) const { return on_symbol_.contains(base); }

 private:
  LinearForm value_of(const Operand& operand);
  LinearForm of_register(RegisterId reg);
  LinearForm of_symbol(const std::string& name, std::int64_t offset);
  LinearForm evaluate(const Instruction& instruction, const Form& form);
  LinearForm opaque(int zeros);
  LinearForm combine(int operation, const LinearForm& a, const LinearForm& b, int zeros);
  LinearForm add(const LinearForm& a, const LinearForm& b);
  LinearForm subtract(const LinearForm& a, const LinearForm& b);
  LinearForm multiply(const LinearForm& a, const LinearForm& b);
  LinearForm shift_left(const LinearForm& a, const LinearForm& b);
  void find_zeros();
  int zeros_of(const Operand& operand) const;
  int zeros_written(const Instruction& instruction, const Form& form) const;

  const Module& module_;
  const Function& function_;
  SharedLayout shared_;
  std::vector<std::uint8_t> written_;  // how often a register is written: 0, 1, 2 for more
  std::vector<std::uint8_t> zeros_;    // known low zero bits of a register's value, wherever it is
  std::vector<LinearForm> form_;
  std::vector<std::uint32_t> known_in_;  // epoch in which form_ holds; kAlways for registers written once
  std::uint32_t epoch_ = 1;
  std::uint32_t bases_ = 1;
  std::map<std::tuple<int, std::uint32_t, std::uint32_t, std::int64_t, std::int64_t>, std::uint32_t>
      combined_;
  std::unordered_map<std::string, std::uint32_t> symbol_bases_;
  std::unordered_set<std::uint32_t> on_symbol_;
};

}  // namespace warplens::ptx
