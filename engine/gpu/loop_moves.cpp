#include "engine/gpu/loop_moves.h"

#include <algorithm>

#include "engine/base/work_limit.h"
#include "engine/ptx/facts/constant_registers.h"
#include "engine/ptx/facts/function_facts.h"

namespace warplens::gpu {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;
using ptx::RegisterId;

constexpr std::size_t kMostMovedBlocks = 2048;  // giant generated code is counted the general way
constexpr std::uint8_t kUntouched = 0, kFollowed = 1, kUnknown = 2;

// Special registers that hold one value as long as a thread lives.
bool stays(ptx::SpecialRegister reg) {
  return reg <= ptx::SpecialRegister::NctaidZ || reg == ptx::SpecialRegister::LaneId;
}

bool whole_number(ptx::Type type) {
  return ptx::is_integer(type) || ptx::is_bits(type);
}

}  // namespace

LoopMoves::LoopMoves(const ptx::Module& module, const ptx::Function& function)
    : module_(module), function_(function), loop_of_(function.blocks.size(), ptx::kNone) {
  if (function.blocks.size() > kMostMovedBlocks || function.blocks.empty()) return;
  find_loops();
  if (loops_.empty()) return;
  find_spines();
  for (current_ = 0; current_ < loops_.size(); ++current_) evaluate(loops_[current_]);
}

bool LoopMoves::dominates(std::uint32_t a, std::uint32_t b) const {
  while (b != a) {
    work_step();
    if (b == 0 || dominator_[b] == ptx::kNone) return false;
    b = dominator_[b];
  }
  return true;
}

// Natural loops: an edge back to a block that dominates its start, and all that reaches it without passing
// that block.
void LoopMoves::find_loops() {
  const auto& blocks = function_.blocks;
  dominator_ = ptx::facts_of(module_, function_)->dominators();
  std::map<std::uint32_t, std::size_t> at;  // header -> loop
  for (std::uint32_t latch = 0; latch < blocks.size(); ++latch) {
    if (latch != 0 && dominator_[latch] == ptx::kNone) continue;
    for (const std::uint32_t header : blocks[latch].successors) {
      if (!dominates(header, latch)) continue;
      const auto [found, fresh] = at.try_emplace(header, loops_.size());
      if (fresh) {
        loops_.push_back({header, std::vector<bool>(blocks.size(), false), {}, {}, 0});
        loops_.back().inside[header] = true;
      }
      Loop& loop = loops_[found->second];
      std::vector<std::uint32_t> work{latch};
      while (!work.empty()) {
        const std::uint32_t block = work.back();
        work.pop_back();
        work_step();
        if (loop.inside[block] || dominator_[block] == ptx::kNone) continue;  // the second: never run
        loop.inside[block] = true;
        work.insert(work.end(), blocks[block].predecessors.begin(), blocks[block].predecessors.end());
      }
    }
  }
  for (Loop& loop : loops_) {
    loop.size = static_cast<std::size_t>(std::count(loop.inside.begin(), loop.inside.end(), true));
    for (const std::uint32_t from : blocks[loop.header].predecessors)
      if (!loop.inside[from] && blocks[from].last > blocks[from].first)
        loop.entries.push_back(blocks[from].last - 1);
  }
}

// Blocks that dominate every way back to the header, and lie in no loop further inside.
void LoopMoves::find_spines() {
  std::vector<std::uint32_t> innermost(function_.blocks.size(), ptx::kNone);
  for (std::uint32_t l = 0; l < loops_.size(); ++l)
    for (std::uint32_t b = 0; b < function_.blocks.size(); ++b)
      if (loops_[l].inside[b] && (innermost[b] == ptx::kNone || loops_[l].size < loops_[innermost[b]].size))
        innermost[b] = l;
  for (std::uint32_t l = 0; l < loops_.size(); ++l) {
    Loop& loop = loops_[l];
    std::vector<std::uint32_t> latches;
    for (const std::uint32_t from : function_.blocks[loop.header].predecessors)
      if (loop.inside[from]) latches.push_back(from);
    // From a latch up to the header, what dominates it; kept is what dominates the others as well.
    for (std::uint32_t b = latches.front();; b = dominator_[b]) {
      const bool every = std::all_of(latches.begin(), latches.end(),
                                     [&](std::uint32_t latch) { return dominates(b, latch); });
      if (every && innermost[b] == l) {
        loop.spine.push_back(b);
        loop_of_[b] = l;
      }
      if (b == loop.header) break;
    }
    std::reverse(loop.spine.begin(), loop.spine.end());
  }
}

// One turn of the loop in terms of what its registers hold at the header.
void LoopMoves::evaluate(const Loop& loop) {
  const std::size_t registers = function_.registers.size();
  state_.assign(registers, kUntouched);
  now_.assign(registers, {});
  std::vector<RegisterId> followed;
  for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
    if (!loop.inside[b]) continue;
    const bool on_spine = std::find(loop.spine.begin(), loop.spine.end(), b) != loop.spine.end();
    for (std::uint32_t i = function_.blocks[b].first; i < function_.blocks[b].last; ++i)
      for (const RegisterId reg : ptx::uses_of(module_, function_, function_.instructions[i]).writes) {
        if (reg >= registers) continue;
        if (!on_spine)
          state_[reg] = kUnknown;
        else if (state_[reg] == kUntouched)
          state_[reg] = kFollowed;
      }
  }
  for (RegisterId reg = 0; reg < registers; ++reg) {
    if (state_[reg] != kFollowed) continue;
    followed.push_back(reg);
    const int bytes = ptx::size_of(function_.registers[reg].type);
    now_[reg].known = bytes == 4 || bytes == 8;
    now_[reg].narrow = bytes == 4;
    now_[reg].terms[{Kind::AtHeader, reg, ptx::kNone}] = 1;
  }
  for (const std::uint32_t b : loop.spine)
    for (std::uint32_t i = function_.blocks[b].first; i < function_.blocks[b].last; ++i) execute(i);
  for (const RegisterId reg : followed) {
    Form step = now_[reg];
    const auto self = step.terms.find({Kind::AtHeader, reg, ptx::kNone});
    if (!step.known || step.opaque || self == step.terms.end() || self->second != 1) continue;
    step.terms.erase(self);
    const bool plain = std::all_of(step.terms.begin(), step.terms.end(), [](const auto& term) {
      return term.first.kind == Kind::Invariant && term.first.times == ptx::kNone;
    });
    if (plain) steps_[{current_, reg}] = std::move(step);
  }
}

void LoopMoves::execute(std::uint32_t number) {
  const Instruction& instruction = function_.instructions[number];
  const ptx::Form& form = module_.form(instruction);
  position_of_[number] = ++position_;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind != OperandKind::Address || operand.reg == ptx::kNone) continue;
    Operand base;
    base.kind = OperandKind::Register;
    base.reg = operand.reg;
    addresses_[{number, operand.reg}] =
        value_of(base, ptx::size_of(function_.registers[operand.reg].type) == 4);
  }
  const std::vector<RegisterId> writes = ptx::uses_of(module_, function_, instruction).writes;
  if (writes.empty()) return;
  Form result;
  const int bytes =
      writes.size() == 1 && writes[0] < now_.size() ? ptx::size_of(function_.registers[writes[0]].type) : 0;
  if ((bytes == 4 || bytes == 8) && instruction.guard.predicate == ptx::kNone &&
      instruction.operands[0].kind == OperandKind::Register)
    result = result_of(instruction, form, bytes == 4);
  for (const RegisterId reg : writes) {
    if (reg >= now_.size()) continue;
    writes_at_[reg].push_back(position_);
    now_[reg] = result;
  }
}

LoopMoves::Form LoopMoves::constant_form(std::int64_t value, bool narrow) {
  Form out;
  out.known = true;
  out.narrow = narrow;
  out.constant = value;
  return out;
}

LoopMoves::Form LoopMoves::value_of(const Operand& operand, bool narrow) const {
  Form out = constant_form(0, narrow);
  switch (operand.kind) {
    case OperandKind::Integer:
      out.constant = operand.value;
      return out;
    case OperandKind::Symbol:
      out.opaque = true;
      return out;
    case OperandKind::Special:
      out.opaque = true;
      out.known = stays(operand.special);
      return out;
    case OperandKind::Register:
      break;
    default:
      return {};
  }
  if (operand.reg >= now_.size() || operand.negated || !operand.symbol.empty()) return {};
  if (state_[operand.reg] == kUnknown) return {};
  if (state_[operand.reg] == kFollowed) return now_[operand.reg];
  const int bytes = ptx::size_of(function_.registers[operand.reg].type);
  if (bytes != 4 && bytes != 8) return {};
  out.terms[{Kind::Invariant, operand.reg, ptx::kNone}] = 1;
  return out;
}

bool LoopMoves::moves(const Form& form) {
  return std::any_of(form.terms.begin(), form.terms.end(),
                     [](const auto& term) { return term.first.kind != Kind::Invariant; });
}

LoopMoves::Form LoopMoves::sum(const Form& a, const Form& b, std::int64_t sign) {
  if (!a.known || !b.known) return {};
  Form out = a;
  out.opaque = a.opaque || b.opaque;
  out.constant =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(a.constant) +
                                static_cast<std::uint64_t>(sign) * static_cast<std::uint64_t>(b.constant));
  for (const auto& [key, coefficient] : b.terms) {
    std::int64_t& at = out.terms[key];
    at =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(at) +
                                  static_cast<std::uint64_t>(sign) * static_cast<std::uint64_t>(coefficient));
    if (at == 0) out.terms.erase(key);
  }
  return out;
}

LoopMoves::Form LoopMoves::scaled(Form a, std::int64_t factor) {
  const auto times = [factor](std::int64_t value) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(factor));
  };
  a.constant = times(a.constant);
  for (auto& [key, coefficient] : a.terms) coefficient = times(coefficient);
  return a;
}

// A number times a form, or one register that the loop does not change times a form.
LoopMoves::Form LoopMoves::product(const Form& a, const Form& b) {
  if (!a.known || !b.known) return {};
  if (a.terms.empty() && !a.opaque) return scaled(b, a.constant);
  if (b.terms.empty() && !b.opaque) return scaled(a, b.constant);
  const auto single = [](const Form& f) {
    return f.terms.size() == 1 && f.constant == 0 && !f.opaque &&
           f.terms.begin()->first.kind == Kind::Invariant && f.terms.begin()->first.times == ptx::kNone &&
           f.terms.begin()->second == 1;
  };
  const bool first = single(a);
  if (!first && !single(b)) return {};
  const Form &factor = first ? a : b, &form = first ? b : a;
  const RegisterId times = factor.terms.begin()->first.id;
  Form out = constant_form(0, form.narrow);
  out.opaque = form.opaque || form.constant != 0;
  for (const auto& [key, coefficient] : form.terms) {
    if (key.kind == Kind::Invariant)
      out.opaque = true;
    else if (key.kind == Kind::AtHeader && key.times == ptx::kNone)
      out.terms[{Kind::AtHeader, key.id, times}] = coefficient;
    else
      return {};
  }
  return out;
}

LoopMoves::Form LoopMoves::widen(const Operand& operand, bool is_signed) {
  const Form from = value_of(operand, true);
  if (!from.known) return {};
  Form out = constant_form(0, false);
  if (!moves(from)) {
    out.opaque = !from.terms.empty() || from.opaque;
    const auto low = static_cast<std::uint32_t>(from.constant);
    out.constant = out.opaque  ? 0
                   : is_signed ? std::int64_t{static_cast<std::int32_t>(low)}
                               : std::int64_t{low};
    return out;
  }
  const bool nested = std::any_of(from.terms.begin(), from.terms.end(),
                                  [](const auto& term) { return term.first.kind == Kind::Widened; });
  if (nested || operand.kind != OperandKind::Register) return {};
  out.terms[{Kind::Widened, static_cast<std::uint32_t>(widenings_.size()), ptx::kNone}] = 1;
  widenings_.push_back({operand.reg, is_signed, position_, from});
  return out;
}

LoopMoves::Form LoopMoves::result_of(const Instruction& instruction, const ptx::Form& form, bool narrow) {
  const auto& operands = instruction.operands;
  const ptx::Opcode opcode = form.opcode;
  const auto value = [&](std::size_t k) { return value_of(operands[k], narrow); };
  if (opcode == ptx::Opcode::Ld && form.space == ptx::StateSpace::Param && operands.size() == 2 &&
      operands[1].reg == ptx::kNone && form.vector_width == 1) {
    Form out = constant_form(0, narrow);
    out.opaque = true;
    return out;
  }
  if (form.types.empty() || form.has(ptx::Modifier::Sat) || form.has(ptx::Modifier::Cc)) return {};
  if (!std::all_of(form.types.begin(), form.types.end(), whole_number)) return {};
  const int bytes = ptx::size_of(form.type());
  if (opcode == ptx::Opcode::Cvta && operands.size() == 2) return value(1);
  if (opcode == ptx::Opcode::Cvt && operands.size() == 2 && form.types.size() == 2) {
    const int from = ptx::size_of(form.type(1));
    if (bytes == 8 && from == 4) return widen(operands[1], ptx::is_signed(form.type(1)));
    if (bytes != 4 && bytes != 8) return {};
    if (from != 4 && from != 8) return {};
    Form out = value_of(operands[1], from == 4);
    out.narrow = narrow;
    return out;
  }
  if (bytes != 4 && bytes != 8) return {};
  if (opcode == ptx::Opcode::Mov && operands.size() == 2) return value(1);
  if (opcode == ptx::Opcode::Add && operands.size() == 3) return sum(value(1), value(2), 1);
  if (opcode == ptx::Opcode::Sub && operands.size() == 3) return sum(value(1), value(2), -1);
  if (opcode == ptx::Opcode::Shl && operands.size() == 3 && operands[2].kind == OperandKind::Integer &&
      operands[2].value >= 0 && operands[2].value < 8 * bytes) {
    Form from = value(1);
    return from.known ? scaled(std::move(from), std::int64_t{1} << operands[2].value) : Form{};
  }
  if ((opcode != ptx::Opcode::Mul || operands.size() != 3) &&
      (opcode != ptx::Opcode::Mad || operands.size() != 4))
    return {};
  Form out;
  if (form.has(ptx::Modifier::Wide) && bytes == 4) {
    const std::size_t number = operands[2].kind == OperandKind::Integer ? 2 : 1;
    if (operands[number].kind != OperandKind::Integer) return {};
    out = widen(operands[3 - number], ptx::is_signed(form.type()));
    if (out.known) out = scaled(std::move(out), operands[number].value);
  } else if (form.has(ptx::Modifier::Lo)) {
    out = product(value(1), value(2));
  }
  return opcode == ptx::Opcode::Mad ? sum(out, value(3), 1) : out;
}

bool LoopMoves::written_between(RegisterId reg, std::uint32_t from, std::uint32_t to) const {
  const auto found = writes_at_.find(reg);
  if (found == writes_at_.end()) return false;
  const auto next = std::upper_bound(found->second.begin(), found->second.end(), from);
  return next != found->second.end() && *next < to;
}

// Of what is neither widened nor times a register that is.
std::optional<Movement> LoopMoves::movement_of(std::uint32_t loop, const Form& form) const {
  Movement out;
  const auto add = [](std::int64_t& to, std::int64_t a, std::int64_t b) {
    to = static_cast<std::int64_t>(static_cast<std::uint64_t>(to) +
                                   static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  };
  for (const auto& [key, coefficient] : form.terms) {
    if (key.kind != Kind::AtHeader) continue;
    const auto step = steps_.find({loop, key.id});
    if (step == steps_.end()) return std::nullopt;
    if (key.times == ptx::kNone) {
      add(out.constant, coefficient, step->second.constant);
    } else if (step->second.constant != 0) {
      std::int64_t product = 0;
      add(product, coefficient, step->second.constant);
      out.terms.push_back({key.times, ptx::kNone, product});
    }
    for (const auto& [inner, factor] : step->second.terms) {
      std::int64_t product = 0;
      add(product, coefficient, factor);
      out.terms.push_back({inner.id, key.times, product});
    }
  }
  return out;
}

std::optional<AddressMovement> LoopMoves::movement(std::uint32_t instruction, const Operand& address,
                                                   std::uint32_t later) const {
  AddressMovement out;
  if (address.kind != OperandKind::Address || !address.elements.empty()) return std::nullopt;
  if (address.reg == ptx::kNone) return out;  // always the same place
  const auto found = addresses_.find({instruction, address.reg});
  const auto here = position_of_.find(instruction), there = position_of_.find(later);
  if (found == addresses_.end() || !found->second.known || there == position_of_.end()) return std::nullopt;
  // A write at the position of `instruction` itself comes behind its address.
  if (instruction != later && written_between(address.reg, here->second - 1, there->second))
    return std::nullopt;
  const std::uint32_t loop = loop_of_[function_.block_of[instruction]];
  const auto wide = movement_of(loop, found->second);
  if (!wide) return std::nullopt;
  out.wide = *wide;
  for (const auto& [key, coefficient] : found->second.terms) {
    if (key.kind != Kind::Widened) continue;
    const Widening& widening = widenings_[key.id];
    const auto narrow = movement_of(loop, widening.form);
    if (!narrow || written_between(widening.source, widening.position, there->second)) return std::nullopt;
    out.widened.push_back({widening.source, widening.is_signed, coefficient, *narrow});
  }
  return out;
}

}  // namespace warplens::gpu
