#include "engine/ptx/facts/pointees.h"

#include <algorithm>

namespace warplens::ptx {

namespace {

constexpr std::size_t kMostNames = 62;
// Sets only grow, and nearly all code is in order of its data: a function that needs more turns is no
// compiler's work, and everything in it counts as unknown.
constexpr int kMostPassTurns = 16;

bool is_parameter(const Function& function, const std::string& name) {
  return function.is_entry && std::any_of(function.parameters.begin(), function.parameters.end(),
                                          [&](const Variable& p) { return p.name == name; });
}

}  // namespace

Pointees::Set Pointees::named(const std::string& name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return Set{1} << (found - names_.begin());
  if (names_.size() == kMostNames) return kUnknown;
  names_.push_back(name);
  return Set{1} << (names_.size() - 1);
}

Pointees::Set Pointees::value_of(const Operand& operand) {
  if (operand.kind == OperandKind::Register)
    return operand.reg < registers_.size() ? registers_[operand.reg] : kUnknown;
  if (operand.kind == OperandKind::Symbol) return named(operand.symbol);
  for (const Operand& element : operand.elements)
    if (value_of(element) != 0) return kUnknown;
  return 0;
}

Pointees::Set Pointees::result_of(const Module& module, const Function& function, const Instruction& in) {
  const Form& form = module.form(in);
  if (form.opcode == Opcode::Ld) {
    const Operand& from = in.operands[1];
    const bool whole = form.space == StateSpace::Param && size_of(form.type()) == 8 && from.value == 0 &&
                       from.reg == kNone && form.vector_width == 1;
    return whole && is_parameter(function, from.symbol) ? named(from.symbol) : 0;
  }
  std::vector<Set> sources;
  Set all = 0;
  for (std::size_t i = 1; i < in.operands.size(); ++i) {
    if (in.operands[i].kind == OperandKind::Address) return 0;  // atomics: what memory holds is a number
    sources.push_back(value_of(in.operands[i]));
    all |= sources.back();
  }
  if (all == 0 || (all & kUnknown) != 0) return all == 0 ? 0 : kUnknown;
  if (in.operands[0].kind == OperandKind::Vector) return kUnknown;
  const auto both = [&] { return sources[0] != 0 && sources[1] != 0; };
  switch (form.effects().meaning) {
    case Meaning::Move:
    case Meaning::Convert:
      return sources.size() == 1 ? all : kUnknown;
    case Meaning::Choose:
      return sources.size() >= 2 ? sources[0] | sources[1] : kUnknown;
    case Meaning::Add:  // pointer and number in any order
    case Meaning::Or:
    case Meaning::And:
      return sources.size() == 2 && !both() ? all : kUnknown;
    case Meaning::Subtract:
      return sources.size() == 2 && sources[1] == 0 ? sources[0] : kUnknown;
    case Meaning::MultiplyAdd:
      return sources.size() == 3 && sources[0] == 0 && sources[1] == 0 ? sources[2] : kUnknown;
    default:
      return kUnknown;
  }
}

bool Pointees::assign(const Operand& operand, Set set) {
  bool changed = false;
  if (operand.kind == OperandKind::Register && operand.reg < registers_.size()) {
    Set& held = registers_[operand.reg];
    changed = (held | set) != held;
    held |= set;
  }
  for (const Operand& element : operand.elements) changed = assign(element, set) || changed;
  return changed;
}

Pointees Pointees::compute(const Module& module, const Function& function) {
  Pointees pointees;
  pointees.registers_.assign(function.registers.size(), 0);
  bool changed = true;
  for (int turn = 0; changed; ++turn) {
    if (turn == kMostPassTurns) {
      std::fill(pointees.registers_.begin(), pointees.registers_.end(), kUnknown);
      break;
    }
    changed = false;
    for (const Instruction& in : function.instructions) {
      if (in.operands.size() < 2 || in.operands[0].kind == OperandKind::Address) continue;
      changed = pointees.assign(in.operands[0], pointees.result_of(module, function, in)) || changed;
    }
  }
  return pointees;
}

std::vector<std::string> Pointees::of(const Operand& address) const {
  if (address.reg == kNone) {
    if (address.symbol.empty()) return {};
    return {address.symbol};
  }
  const Set set = address.reg < registers_.size() ? registers_[address.reg] : kUnknown;
  if ((set & kUnknown) != 0) return {};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if ((set >> i & 1) != 0) names.push_back(names_[i]);
  return names;
}

}  // namespace warplens::ptx
