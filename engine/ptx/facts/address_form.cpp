#include "engine/ptx/facts/address_form.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "engine/ptx/facts/function_facts.h"

namespace warplens::ptx {
namespace {

constexpr std::uint32_t kAlways = kNone;
constexpr int kAll = 64;

enum Operation : int { kAdd, kSubtract, kMultiply, kShiftLeft, kConvert, kOther };

int zeros_in(std::int64_t value) {
  return value == 0 ? kAll : std::countr_zero(static_cast<std::uint64_t>(value));
}

std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapping_subtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

// The part of a form that is a number.
std::int64_t constant_of(const LinearForm& form) {
  return wrapping_add(form.symbol, form.offset);
}

// Known low zero bits of the whole value.
int zeros_in(const LinearForm& form) {
  return std::min(form.zeros, zeros_in(constant_of(form)));
}

bool is_whole_number(const Form& form) {
  return std::all_of(form.types.begin(), form.types.end(),
                     [](Type type) { return is_integer(type) || is_bits(type); });
}

// What an instruction does to the low bits; what is not told leaves them unknown.
Meaning meaning_of(const Form& form) {
  if (form.types.empty() || !is_whole_number(form)) return Meaning::Other;
  const Meaning meaning = form.effects().meaning;
  // ptxas knows nothing of the smaller or larger of two, even where both are multiples.
  if (meaning == Meaning::Choose && form.opcode != Opcode::Selp) return Meaning::Other;
  const bool multiplies = meaning == Meaning::Multiply || meaning == Meaning::MultiplyAdd;
  return multiplies && !form.has(Modifier::Lo) && !form.has(Modifier::Wide) ? Meaning::Other : meaning;
}

// A conversion that keeps every bit a later 32-bit address could depend on.
bool keeps_value(const Form& form) {
  return form.opcode != Opcode::Cvt || form.types.size() < 2 ||
         size_of(form.types[0]) <= size_of(form.types[1]);
}

}  // namespace

AddressForms::AddressForms(const Module& module, const Function& function)
    : module_(module),
      function_(function),
      shared_(facts_of(module, function)->shared()),
      written_(function.registers.size(), 0),
      zeros_(function.registers.size(), kAll),
      form_(function.registers.size()),
      known_in_(function.registers.size(), 0) {
  const auto facts = facts_of(module, function);
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    for (const RegisterId reg : facts->uses()[i].writes) {
      // A write under a guard leaves the old value in some lanes: two values reach the readers.
      const int by = instruction.guard.predicate == kNone ? 1 : 2;
      written_[reg] = static_cast<std::uint8_t>(std::min(2, written_[reg] + by));
    }
  }
  for (RegisterId reg = 0; reg < written_.size(); ++reg) {
    if (written_[reg] == 0) zeros_[reg] = 0;  // a register parameter, or never written
  }
  find_zeros();
}

// Low zero bits of registers that several places write (loop counters, for one) by iteration from above.
void AddressForms::find_zeros() {
  const auto facts = facts_of(module_, function_);
  constexpr int kRounds = 12;  // of a loop counter's start and step, two are enough
  for (int round = 0; round <= kRounds; ++round) {
    bool changed = false;
    for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
      const Instruction& instruction = function_.instructions[i];
      const Form& form = module_.form(instruction);
      const Uses& uses = facts->uses()[i];
      const int now = uses.writes.size() == 1 ? zeros_written(instruction, form) : 0;
      for (const RegisterId reg : uses.writes) {
        if (now >= zeros_[reg]) continue;
        zeros_[reg] = round == kRounds ? std::uint8_t{0} : static_cast<std::uint8_t>(now);
        changed = true;
      }
    }
    if (!changed) return;
  }
  // Not settled: what is written more than once is not trusted.
  for (RegisterId reg = 0; reg < written_.size(); ++reg) zeros_[reg] = 0;
}

int AddressForms::zeros_of(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::Integer:
      return zeros_in(operand.value);
    case OperandKind::Register:
      return operand.symbol.empty() ? zeros_[operand.reg] : 0;
    case OperandKind::Symbol: {
      const auto shared = shared_.address.find(operand.symbol);
      if (shared != shared_.address.end()) {
        return zeros_in(static_cast<std::int64_t>(shared->second) + operand.value);
      }
      for (const Variable& local : function_.locals) {
        if (local.name != operand.symbol) continue;
        // ptxas gives a depot at least 8 bytes.
        return std::min(zeros_in(operand.value), std::max(3, zeros_in(local.alignment)));
      }
      return 0;
    }
    default:
      return 0;
  }
}

int AddressForms::zeros_written(const Instruction& in, const Form& form) const {
  const auto at = [&](std::size_t i) { return i < in.operands.size() ? zeros_of(in.operands[i]) : 0; };
  const auto constant = [&](std::size_t i) -> std::optional<std::int64_t> {
    if (i >= in.operands.size() || in.operands[i].kind != OperandKind::Integer) return std::nullopt;
    return in.operands[i].value;
  };
  if (in.operands.empty() || in.operands[0].kind != OperandKind::Register) return 0;
  switch (meaning_of(form)) {
    case Meaning::Other:
      return 0;
    case Meaning::Move:
    case Meaning::Convert:
      return at(1);
    case Meaning::Add:
    case Meaning::Subtract:
    case Meaning::Or:
    case Meaning::Xor:
    case Meaning::Choose:
      return std::min(at(1), at(2));
    case Meaning::Multiply:
      return std::min(kAll, at(1) + at(2));
    case Meaning::MultiplyAdd:
      return std::min(at(1) + at(2), at(3));
    case Meaning::ShiftLeft: {
      const auto by = constant(2);
      return by && *by >= 0 && *by < kAll ? std::min<int>(kAll, at(1) + static_cast<int>(*by)) : at(1);
    }
    case Meaning::ShiftRight: {
      const auto by = constant(2);
      return by && *by >= 0 && *by < kAll ? std::max<int>(0, at(1) - static_cast<int>(*by)) : 0;
    }
    case Meaning::And:
      return std::max(at(1), at(2));
  }
  return 0;
}

void AddressForms::enter_block() {
  ++epoch_;
}

LinearForm AddressForms::opaque(int zeros) {
  return {bases_++, 0, 0, zeros};
}

LinearForm AddressForms::of_register(RegisterId reg) {
  if (known_in_[reg] == epoch_ || known_in_[reg] == kAlways) return form_[reg];
  form_[reg] = opaque(zeros_[reg]);
  known_in_[reg] = written_[reg] > 1 ? epoch_ : kAlways;
  return form_[reg];
}

LinearForm AddressForms::of_symbol(const std::string& name, std::int64_t offset) {
  const auto shared = shared_.address.find(name);
  if (shared != shared_.address.end()) {
    return {0, static_cast<std::int64_t>(shared->second), offset, kAll};
  }
  const auto [entry, is_new] = symbol_bases_.try_emplace(name, bases_);
  if (is_new) on_symbol_.insert(bases_++);
  Operand symbol;
  symbol.kind = OperandKind::Symbol;
  symbol.symbol = name;
  return {entry->second, 0, offset, zeros_of(symbol)};
}

LinearForm AddressForms::value_of(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::Integer:
      return {0, 0, operand.value, kAll};
    case OperandKind::Register:
      return operand.symbol.empty() ? of_register(operand.reg) : opaque(0);
    case OperandKind::Symbol:
      return of_symbol(operand.symbol, operand.value);
    default:
      return opaque(0);
  }
}

LinearForm AddressForms::address(const Operand& operand) {
  LinearForm form;
  if (operand.reg != kNone) {
    form = of_register(operand.reg);
  } else if (!operand.symbol.empty()) {
    form = of_symbol(operand.symbol, 0);
  }
  form.offset = wrapping_add(form.offset, operand.value);
  if (form.base == 0) return {0, 0, constant_of(form), kAll};
  form.zeros = std::min(form.zeros, zeros_in(form.symbol));
  return form;
}

// A base for what is made of two values: the same one whenever the same is made.
LinearForm AddressForms::combine(int operation, const LinearForm& a, const LinearForm& b, int zeros) {
  const auto key = std::make_tuple(operation, a.base, b.base, constant_of(a), constant_of(b));
  const auto [entry, is_new] = combined_.try_emplace(key, bases_);
  if (is_new) ++bases_;
  const bool moves = operation == kAdd || operation == kSubtract;
  if (is_new && moves && (hangs_on_symbol(a.base) || hangs_on_symbol(b.base)))
    on_symbol_.insert(entry->second);
  return {entry->second, 0, 0, zeros};
}

LinearForm AddressForms::add(const LinearForm& a, const LinearForm& b) {
  LinearForm sum;
  if (a.base == 0 || b.base == 0) {
    sum = a.base == 0 ? b : a;
  } else {
    const LinearForm first{a.base, 0, 0, a.zeros}, second{b.base, 0, 0, b.zeros};
    const bool swap = b.base < a.base;
    sum = combine(kAdd, swap ? second : first, swap ? first : second, std::min(a.zeros, b.zeros));
  }
  sum.symbol = wrapping_add(a.symbol, b.symbol);
  sum.offset = wrapping_add(a.offset, b.offset);
  return sum;
}

LinearForm AddressForms::subtract(const LinearForm& a, const LinearForm& b) {
  LinearForm difference = a;
  if (b.base != 0) {
    const LinearForm first{a.base, 0, 0, a.zeros}, second{b.base, 0, 0, b.zeros};
    difference = combine(kSubtract, first, second, std::min(a.zeros, b.zeros));
  }
  difference.symbol = wrapping_subtract(a.symbol, b.symbol);
  difference.offset = wrapping_subtract(a.offset, b.offset);
  return difference;
}

LinearForm AddressForms::multiply(const LinearForm& a, const LinearForm& b) {
  if (a.base == 0 && b.base == 0) {
    const auto product =
        static_cast<std::uint64_t>(constant_of(a)) * static_cast<std::uint64_t>(constant_of(b));
    return {0, 0, static_cast<std::int64_t>(product), kAll};
  }
  // ptxas does not take the constant out of (x + c) * k.
  const bool swap = b.base < a.base;
  return combine(kMultiply, swap ? b : a, swap ? a : b, std::min(kAll, zeros_in(a) + zeros_in(b)));
}

LinearForm AddressForms::shift_left(const LinearForm& a, const LinearForm& by) {
  if (by.base != 0 || by.offset < 0 || by.offset > 31) return opaque(zeros_in(a));
  const int bits = static_cast<int>(by.offset);
  const auto offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(constant_of(a)) << bits);
  if (a.base == 0) return {0, 0, offset, kAll};
  LinearForm shifted = combine(kShiftLeft, {a.base, 0, 0, a.zeros}, by, std::min(kAll, a.zeros + bits));
  shifted.offset = offset;
  return shifted;
}

LinearForm AddressForms::evaluate(const Instruction& in, const Form& form) {
  const auto at = [&](std::size_t i) {
    return i < in.operands.size() ? value_of(in.operands[i]) : opaque(0);
  };
  const int zeros = zeros_[in.operands[0].reg];
  switch (meaning_of(form)) {
    case Meaning::Move:
    case Meaning::Convert:
      return keeps_value(form) ? at(1) : combine(kConvert, at(1), {}, zeros_in(at(1)));
    case Meaning::Add:
      return add(at(1), at(2));
    case Meaning::Subtract:
      return subtract(at(1), at(2));
    case Meaning::Multiply:
      return multiply(at(1), at(2));
    case Meaning::MultiplyAdd:
      return add(multiply(at(1), at(2)), at(3));
    case Meaning::ShiftLeft:
      return shift_left(at(1), at(2));
    case Meaning::Or: {
      const LinearForm a = at(1), b = at(2);
      // The bits of a constant that fall on known zeros are added.
      const bool disjoint = b.base == 0 && b.symbol == 0 && b.offset >= 0 && zeros_in(a) < 63 &&
                            b.offset < (std::int64_t{1} << zeros_in(a));
      return disjoint ? add(a, b) : combine(kOther, a, b, std::min(zeros_in(a), zeros_in(b)));
    }
    case Meaning::And:
    case Meaning::Xor:
    case Meaning::ShiftRight: {
      const LinearForm a = at(1), b = at(2);
      return combine(kOther + static_cast<int>(meaning_of(form)), a, b, zeros);
    }
    default:
      return opaque(zeros);
  }
}

void AddressForms::execute(const Instruction& in) {
  const Uses uses = uses_of(module_, function_, in);
  if (uses.writes.size() == 1 && in.guard.predicate == kNone && !in.operands.empty() &&
      in.operands[0].kind == OperandKind::Register) {
    const RegisterId reg = uses.writes[0];
    const Form& form = module_.form(in);
    form_[reg] = meaning_of(form) == Meaning::Other ? opaque(zeros_[reg]) : evaluate(in, form);
    known_in_[reg] = written_[reg] > 1 ? epoch_ : kAlways;
    return;
  }
  for (const RegisterId reg : uses.writes) {
    form_[reg] = opaque(zeros_[reg]);
    known_in_[reg] = written_[reg] > 1 ? epoch_ : kAlways;
  }
}

int bytes_as_written(const Form& form) {
  return size_of(form.type()) * form.vector_width;
}

const Operand* address_of(const Form& form, const Instruction& instruction) {
  const std::size_t i = form.opcode == Opcode::St ? 0 : 1;
  if (i >= instruction.operands.size() || instruction.operands[i].kind != OperandKind::Address)
    return nullptr;
  return &instruction.operands[i];
}

const Operand* first_address(const Instruction& instruction) {
  const auto found = std::ranges::find(instruction.operands, OperandKind::Address, &Operand::kind);
  return found == instruction.operands.end() ? nullptr : &*found;
}

}  // namespace warplens::ptx
