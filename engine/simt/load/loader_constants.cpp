// Operands become rows; and what depends on nothing but the launch is worked out once a warp slot instead of
// once a warp: kernel parameters, thread indexes, and arithmetic on them.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/ptx/syntax/special_registers.h"
#include "engine/simt/load/loader.h"

namespace warplens::simt {

namespace {

using ptx::OperandKind;
using ptx::SpecialRegister;

// Depends on its operands alone and does nothing but write its result. What writes a carry does more.
bool is_pure(const ptx::Form& form) {
  return !form.has(ptx::Modifier::Cc) && form.effects().is(ptx::kPure);
}

bool varies_by_block(SpecialRegister special) {
  switch (special) {
    case SpecialRegister::CtaidX:
    case SpecialRegister::CtaidY:
    case SpecialRegister::CtaidZ:
    case SpecialRegister::ClusterIdX:
    case SpecialRegister::ClusterIdY:
    case SpecialRegister::ClusterIdZ:
    case SpecialRegister::ClusterCtaidX:
    case SpecialRegister::ClusterCtaidY:
    case SpecialRegister::ClusterCtaidZ:
    case SpecialRegister::ClusterCtarank:
    case SpecialRegister::SmId:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::uint32_t Loader::special_row(SpecialRegister special, std::uint32_t index, int bytes) {
  if (special == SpecialRegister::EnvReg && index < ptx::kReservedSharedRegister)
    program_->uses_grid_workspace = true;
  const auto key = std::make_tuple(static_cast<int>(special), index, bytes);
  const auto found = specials_.find(key);
  if (found != specials_.end()) return found->second;
  ConstantRow constant;
  constant.kind = ConstantRow::Kind::Special;
  constant.offset = new_rows(bytes == 8 ? 2 : 1);
  constant.bytes = static_cast<std::uint8_t>(bytes);
  constant.special = special;
  constant.special_index = index;
  constant.per_block = varies_by_block(special);
  program_->constants.push_back(constant);
  specials_[key] = constant.offset;
  return constant.offset;
}

std::uint32_t Loader::parameter_row(std::uint64_t offset, int loaded, int bytes, bool sign_extend) {
  const auto key = std::make_tuple(offset, loaded, bytes, sign_extend);
  const auto found = parameters_.find(key);
  if (found != parameters_.end()) return found->second;
  ConstantRow constant;
  constant.kind = ConstantRow::Kind::Parameter;
  constant.offset = new_rows(bytes == 8 ? 2 : 1);
  constant.bytes = static_cast<std::uint8_t>(bytes);
  constant.bits = offset;
  constant.loaded_bytes = static_cast<std::uint8_t>(loaded);
  constant.sign_extend = sign_extend;
  program_->constants.push_back(constant);
  parameters_[key] = constant.offset;
  return constant.offset;
}

std::uint32_t Loader::constant(std::uint64_t bits, int bytes) {
  if (bytes < 8) bits &= (std::uint64_t{1} << (8 * bytes)) - 1;
  const auto key = std::make_pair(bits, bytes);
  const auto found = immediates_.find(key);
  if (found != immediates_.end()) return found->second;
  ConstantRow constant;
  constant.offset = new_rows(bytes == 8 ? 2 : 1);
  constant.bytes = static_cast<std::uint8_t>(bytes);
  constant.bits = bits;
  program_->constants.push_back(constant);
  immediates_[key] = constant.offset;
  return constant.offset;
}

std::uint32_t Loader::source(const ptx::Operand& operand, ptx::Type type) {
  const int bytes = ptx::size_of(type);
  switch (operand.kind) {
    case OperandKind::Register:
      if (operand.reg < rows_.size() && function_->registers[operand.reg].type != ptx::Type::Pred) {
        return rows_[operand.reg];
      }
      break;
    case OperandKind::Integer:
      if (bytes >= 1 && bytes <= 8) return constant(static_cast<std::uint64_t>(operand.value), bytes);
      break;
    case OperandKind::Float: {
      auto bits = static_cast<std::uint64_t>(operand.value);
      if (operand.type == ptx::Type::F64 && bytes == 4) {
        bits = std::bit_cast<u32>(static_cast<float>(std::bit_cast<double>(bits)));
      } else if (operand.type == ptx::Type::F32 && bytes == 8) {
        bits = std::bit_cast<u64>(static_cast<double>(std::bit_cast<float>(static_cast<u32>(bits))));
      }
      if (bytes >= 4) return constant(bits, bytes);
      break;
    }
    case OperandKind::Special:
      if (bytes >= 2 && !ptx::is_clock(operand.special)) {
        return special_row(operand.special, static_cast<std::uint32_t>(operand.value), bytes);
      }
      break;
    case OperandKind::Symbol:
      if (const Symbol* symbol = find_symbol(operand.symbol);
          symbol != nullptr && (!symbol->in_frame || in_kernel())) {
        return constant(symbol->address + static_cast<std::uint64_t>(operand.value), bytes);
      }
      break;
    default:
      break;
  }
  fail();
  return kNoRow;
}

std::uint32_t Loader::destination(const ptx::Operand& operand) {
  if (operand.kind == OperandKind::Sink) return scratch_;
  if (operand.kind == OperandKind::Register && operand.reg < rows_.size() &&
      function_->registers[operand.reg].type != ptx::Type::Pred) {
    return rows_[operand.reg];
  }
  fail();
  return kNoRow;
}

std::uint32_t Loader::predicate(const ptx::Operand& operand) {
  if (operand.kind == OperandKind::Register && operand.reg < rows_.size() &&
      function_->registers[operand.reg].type == ptx::Type::Pred) {
    return rows_[operand.reg] | (operand.negated ? 1u : 0u);
  }
  if (operand.kind == OperandKind::Integer) {
    std::uint32_t& at = predicate_constants_[0];
    if (at == kNoRow) {
      ConstantRow constant;
      constant.kind = ConstantRow::Kind::Predicate;
      constant.offset = at = new_predicate();
      program_->constants.push_back(constant);
    }
    return at | ((operand.value != 0) != operand.negated ? 1u : 0u);
  }
  fail();
  return kNoRow;
}

std::uint32_t Loader::predicate_destination(const ptx::Operand& operand) {
  if (operand.kind == OperandKind::Sink) {
    if (predicate_constants_[1] == kNoRow) predicate_constants_[1] = new_predicate();
    return predicate_constants_[1];
  }
  if (operand.kind == OperandKind::Register && !operand.negated) return predicate(operand);
  fail();
  return kNoRow;
}

std::uint32_t Loader::scratch(int rows) {
  // The first two rows are where sinks go.
  if (rows < 0 || rows + 2 > kScratchRows) {
    fail();
    return kNoRow;
  }
  return scratch_ + 2 * kRowBytes;
}

int Loader::width(const ptx::Operand& operand, ptx::Type fallback) const {
  if (operand.kind == OperandKind::Register && operand.reg < function_->registers.size()) {
    const ptx::Type type = function_->registers[operand.reg].type;
    return type == ptx::Type::Pred ? 0 : ptx::size_of(type);
  }
  return ptx::size_of(fallback);
}

std::uint32_t Loader::list(std::span<const std::uint32_t> rows) {
  const auto at = static_cast<std::uint32_t>(program_->lists.size());
  program_->lists.insert(program_->lists.end(), rows.begin(), rows.end());
  return at;
}

const Loader::Symbol* Loader::find_symbol(const std::string& name) const {
  const auto local = locals_[routine_].find(name);
  if (local != locals_[routine_].end()) return &local->second;
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : &found->second;
}

bool Loader::reads_constants_only(const ptx::Instruction& in) const {
  for (std::size_t i = 1; i < in.operands.size(); ++i) {
    const ptx::Operand& operand = in.operands[i];
    switch (operand.kind) {
      case OperandKind::Register:
        if (operand.reg >= launch_constant_.size() || !launch_constant_[operand.reg]) return false;
        break;
      case OperandKind::Integer:
      case OperandKind::Float:
        break;
      case OperandKind::Special:
        if (ptx::is_clock(operand.special) || varies_by_block(operand.special)) return false;
        break;
      case OperandKind::Symbol:
        if (const Symbol* symbol = find_symbol(operand.symbol);
            symbol == nullptr || (symbol->in_frame && !in_kernel())) {
          return false;
        }
        break;
      default:
        return false;
    }
  }
  return true;
}

// ld.param and mov of something that has a row already: the register is that row, nothing is executed.
bool Loader::alias_constant(const ptx::Instruction& in) {
  const ptx::Form& form = module_.form(in);
  const ptx::Operand& to = in.operands[0];
  const ptx::Operand& from = in.operands[1];
  const int bytes = ptx::size_of(function_->registers[to.reg].type);
  if (form.opcode == ptx::Opcode::Mov && from.kind == OperandKind::Special && !ptx::is_clock(from.special) &&
      bytes == ptx::size_of(form.type()) && bytes >= 2) {
    rows_[to.reg] = special_row(from.special, static_cast<std::uint32_t>(from.value), bytes);
    launch_constant_[to.reg] = !varies_by_block(from.special);
    return true;
  }
  if (form.opcode == ptx::Opcode::Ld && form.space == ptx::StateSpace::Param && in_kernel() &&
      from.kind == OperandKind::Address && from.reg == ptx::kNone && form.vector_width == 1) {
    const Symbol* symbol = find_symbol(from.symbol);
    const int loaded = ptx::size_of(form.type());
    if (symbol == nullptr || symbol->in_frame || symbol->space != ptx::StateSpace::Param) return false;
    const std::uint64_t offset = symbol->address + static_cast<std::uint64_t>(from.value);
    if (loaded < 1 || loaded > bytes || bytes < 2 || offset % static_cast<std::uint64_t>(loaded) != 0)
      return false;
    if (offset + static_cast<std::uint64_t>(loaded) > program_->parameter_bytes) return false;
    rows_[to.reg] = parameter_row(offset, loaded, bytes, ptx::is_signed(form.type()));
    launch_constant_[to.reg] = true;
    return true;
  }
  return false;
}

// Registers written once, without a guard, from constants: they keep one value for the whole launch.
void Loader::find_constants() {
  const std::size_t n = function_->registers.size();
  definitions_.assign(n, 0);
  used_.assign(n, false);
  launch_constant_.assign(n, false);
  in_setup_.assign(function_->instructions.size(), 0);
  for (const ptx::Instruction& in : function_->instructions) {
    if (in.guard.predicate < n) used_[in.guard.predicate] = true;
    for (std::size_t i = 0; i < in.operands.size(); ++i) {
      for_each_register(in.operands[i], [&](ptx::RegisterId r) {
        if (r >= n) return;
        used_[r] = true;
        if (i == 0) ++definitions_[r];
      });
    }
    for (const ptx::Operand& operand : in.call_returns) {
      for_each_register(operand, [&](ptx::RegisterId r) {
        if (r < n) definitions_[r] += 2;
      });
    }
  }
  rows_.assign(n, kNoRow);
  for (std::size_t i = 0; i < function_->instructions.size(); ++i) {
    const ptx::Instruction& in = function_->instructions[i];
    if (in.guard.predicate != ptx::kNone || in.operands.size() < 2) continue;
    const ptx::Operand& to = in.operands[0];
    if (to.kind != OperandKind::Register || to.reg >= n || definitions_[to.reg] != 1) continue;
    const bool predicate = function_->registers[to.reg].type == ptx::Type::Pred;
    if (!predicate && alias_constant(in)) {
      in_setup_[i] = 1;
      continue;
    }
    if (!is_pure(module_.form(in)) || !reads_constants_only(in)) continue;
    in_setup_[i] = 2;
    launch_constant_[to.reg] = true;
    rows_[to.reg] =
        predicate ? new_predicate() : new_rows(ptx::size_of(function_->registers[to.reg].type) == 8 ? 2 : 1);
  }
  place_registers(routine_);
}

}  // namespace warplens::simt
