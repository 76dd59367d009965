#include "engine/ptx/machine_cost.h"

#include <algorithm>
#include <string_view>

#include "engine/ptx/liveness.h"

namespace warplens::ptx {
namespace {

bool is_one_of(std::string_view opcode, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, opcode.substr(0, opcode.find('.'))) != list.end();
}

bool is_wide_integer(const Form& form) {
  const Type type = form.type();
  return size_of(type) == 8 && !is_float(type);
}

// Divisions and roots rounded exactly are calls or have a slow path; integer division by a constant is not.
bool has_slow_path(const Form& form, const Instruction& instruction) {
  const bool integer = !is_float(form.type());
  if (is_one_of(form.opcode, {"div", "rem"})) {
    if (!integer) return !form.has("approx") && !form.has("full");
    return instruction.operands.empty() || instruction.operands.back().kind != OperandKind::Integer;
  }
  return is_one_of(form.opcode, {"sqrt", "rcp"}) && !form.has("approx");
}

// Synchronises, communicates, calls or has no predicated form.
bool needs_convergence(const Form& form) {
  return is_one_of(form.opcode,
                   {"atom",  "red",  "bar",    "barrier",    "shfl", "vote",     "match",    "redux",
                    "elect", "call", "membar", "fence",      "cp",   "mbarrier", "ldmatrix", "stmatrix",
                    "mma",   "wmma", "wgmma",  "ret",        "exit", "trap",     "brkpt",    "alloca",
                    "tex",   "tld4", "brx",    "activemask", "suld", "sust",     "sured",    "nanosleep"});
}

}  // namespace

MachineCost::MachineCost(const Module& module, const Function& function)
    : module_(module), function_(function) {
  const std::size_t count = function.registers.size();
  reads_.assign(count, 0);
  in_addresses_.assign(count, 0);
  read_by_add_.assign(count, false);
  product_.assign(count, false);
  definitions_.assign(count, 0);
  for (const Instruction& instruction : function.instructions) {
    const Form& form = module.form(instruction);
    const Uses uses = uses_of(module, function, instruction);
    for (const Operand& operand : instruction.operands)
      if (operand.kind == OperandKind::Address && operand.reg < count) ++in_addresses_[operand.reg];
    for (const RegisterId reg : uses.reads) {
      if (reg >= count) continue;
      ++reads_[reg];
      if (form.opcode == "add") read_by_add_[reg] = true;
    }
    for (const RegisterId reg : uses.writes) {
      if (reg >= count) continue;
      ++definitions_[reg];
      if (form.opcode == "mul" && form.has("wide")) product_[reg] = true;
    }
  }
}

// A shift that only an addition reads becomes part of it (LEA).
bool MachineCost::feeds_add_alone(const Instruction& instruction) const {
  if (instruction.operands.empty()) return false;
  const RegisterId reg = instruction.operands.front().reg;
  return reg < reads_.size() && reads_[reg] == 1 && read_by_add_[reg] && definitions_[reg] == 1;
}

// Adding a constant to what is an address alone: it becomes the offset of the accesses.
bool MachineCost::feeds_addresses_alone(const Form& form, const Instruction& instruction) const {
  if (form.opcode != "add" || instruction.operands.size() != 3 ||
      instruction.operands[2].kind != OperandKind::Integer)
    return false;
  const RegisterId reg = instruction.operands[0].reg;
  return reg < reads_.size() && definitions_[reg] == 1 && reads_[reg] > 0 &&
         in_addresses_[reg] == reads_[reg];
}

int MachineCost::weight(const Form& form, const Instruction& instruction) const {
  if (form.space == StateSpace::Param || form.opcode == "bra") return 0;
  if (form.opcode == "cvta") return 0;
  if (form.opcode == "mov") {
    // The address of a shared variable is built from the block's place in its cluster.
    const bool symbol =
        instruction.operands.size() > 1 && instruction.operands[1].kind == OperandKind::Symbol;
    return symbol ? 2 : 0;
  }
  if (form.opcode == "mul" && form.has("wide")) return 0;
  if (form.opcode == "shl" && !is_wide_integer(form) && feeds_add_alone(instruction)) return 0;
  if (feeds_addresses_alone(form, instruction)) return 0;
  if (form.opcode == "not") return 0;  // part of the logic operation that reads it
  if (form.opcode == "cvt") {
    const bool resizes = !is_float(form.type(0)) && !is_float(form.type(1));
    return resizes ? 0 : 1;
  }
  if (!is_wide_integer(form) || is_one_of(form.opcode, {"ld", "st", "setp", "selp"})) return 1;
  const bool fused = form.opcode == "add" && std::ranges::any_of(instruction.operands, [&](const Operand& o) {
                       return o.reg < product_.size() && product_[o.reg];
                     });
  return fused ? 1 : 2;
}

int MachineCost::instruction(std::uint32_t index) const {
  const Instruction& instruction = function_.instructions[index];
  return weight(module_.form(instruction), instruction);
}

Cost MachineCost::block(std::uint32_t index) const {
  Cost cost;
  const BasicBlock& block = function_.blocks[index];
  for (std::uint32_t i = block.first; i < block.last; ++i) {
    const Instruction& instruction = function_.instructions[i];
    const Form& form = module_.form(instruction);
    cost.instructions += weight(form, instruction);
    cost.loads_global |= form.opcode == "ld" && form.space == StateSpace::Global;
    cost.unfit |= needs_convergence(form) || has_slow_path(form, instruction);
  }
  return cost;
}

bool brings_branch(const Form& form, const Instruction& instruction) {
  if (is_float(form.type()))
    return has_slow_path(form, instruction) || (form.opcode == "rsqrt" && size_of(form.type()) == 8);
  return size_of(form.type()) == 8 && has_slow_path(form, instruction);
}

}  // namespace warplens::ptx
