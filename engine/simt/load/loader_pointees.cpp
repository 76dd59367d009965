// Which buffer or variable each access belongs to: an index that is wrong by so much that it ends in another
// one is out of bounds as well.
#include <algorithm>

#include "engine/simt/load/loader.h"

namespace warplens::simt {

namespace {

// The address operand of an access whose target matters; nullptr for other instructions.
const ptx::Operand* address_of(const ptx::Form& form, const ptx::Instruction& in) {
  using enum ptx::MemoryUse;
  const ptx::MemoryUse use = form.effects().memory;
  const bool first = use == Store || use == Reduce, second = use == Load || use == Atomic || use == Copy;
  const std::size_t at = first ? 0 : 1;
  if ((!first && !second) || form.has(ptx::Modifier::Async) != (use == Copy) || form.has(ptx::Modifier::Bulk))
    return nullptr;
  const bool there = at < in.operands.size() && in.operands[at].kind == ptx::OperandKind::Address;
  return there ? &in.operands[at] : nullptr;
}

}  // namespace

bool Loader::add_pointee(const std::string& name) {
  const Symbol* symbol = find_symbol(name);
  if (symbol == nullptr || symbol->variable == nullptr) return false;
  Pointee pointee;
  pointee.variable = symbol->variable;
  pointee.begin = symbol->address;
  pointee.end = symbol->address + symbol->variable->bytes();
  switch (symbol->space) {
    case ptx::StateSpace::Param: {
      if (!in_kernel() || symbol->in_frame) return false;
      const auto index = symbol->variable - entry_.parameters.data();
      pointee.parameter = static_cast<std::uint32_t>(index);
      break;
    }
    case ptx::StateSpace::Global:
      break;
    case ptx::StateSpace::Shared:
      pointee.space = trace::Space::Shared;
      if (symbol->variable->is_extern || symbol->variable->bytes() == 0) pointee.end = kWindowBytes;
      break;
    case ptx::StateSpace::Const:
      pointee.space = trace::Space::Constant;
      break;
    case ptx::StateSpace::Local:
      pointee.space = trace::Space::Local;
      break;
    default:
      return false;
  }
  program_->pointees.push_back(pointee);
  return true;
}

void Loader::find_pointees(const ptx::Form& form, const ptx::Instruction& in) {
  const ptx::Operand* address = address_of(form, in);
  if (address == nullptr || form.space == ptx::StateSpace::Param) return;
  InstructionInfo& info = program_->instructions[instruction_];
  info.first_pointee = static_cast<std::uint32_t>(program_->pointees.size());
  const std::vector<std::string> names = pointees_.of(*address);
  const bool known =
      std::all_of(names.begin(), names.end(), [this](const std::string& name) { return add_pointee(name); });
  // One target that is not known makes all of them unknown.
  if (!known) program_->pointees.resize(info.first_pointee);
  info.pointee_count = static_cast<std::uint32_t>(program_->pointees.size()) - info.first_pointee;
}

}  // namespace warplens::simt
