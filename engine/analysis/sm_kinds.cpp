#include "engine/analysis/sm_kinds.h"

#include <algorithm>

namespace warplens::analysis {
namespace {

// Cycles of the SM's clock, as micro-benchmarks of compute capability 7.0 to 9.0 find them; of shuffles and
// of sums over a warp, tools/golden/blocks.cu: one shuffle a cycle and SM, one sum every eight a scheduler.
constexpr int kShuffle = 23, kSpecial = 18, kConversion = 14, kDouble = 8, kTensor = 33, kVote = 12,
              kWarpSum = 13;

constexpr float kUpperHalfBusy = 4.4f;

// Of 32 bits each, with all 64 of the product.
bool is_wide(const ptx::Form& form) {
  return (form.opcode == ptx::Opcode::Mul || form.opcode == ptx::Opcode::Mad) &&
         form.has(ptx::Modifier::Wide) && ptx::size_of(form.type()) == 4;
}

SmKind arithmetic(const ptx::Form& form, const Device& device) {
  const ptx::Type type = form.type();
  if (is_upper_half(form)) return {SmUnit::FmaHeavy, 4, kUpperHalfBusy, kWideHold};
  if (is_wide(form)) return {SmUnit::FmaHeavy, 4, 2 * kFmaBusy, kWideHold};
  if (type == ptx::Type::F64) {
    const double lanes = device.fp64_tflops * 1e6 / (2 * device.sms * device.boost_mhz) / 4;
    return {SmUnit::Fp64, kDouble, static_cast<float>(std::clamp(32 / std::max(0.5, lanes), 1.0, 64.0))};
  }
  if (ptx::is_float(type)) return {SmUnit::Fma, 4, kFmaBusy};
  if (form.effects().issue == ptx::Issue::Multiply) return {SmUnit::FmaHeavy, 4, kFmaBusy};
  return {SmUnit::Alu, 4, kIntegerBusy};
}

}  // namespace

bool is_upper_half(const ptx::Form& form) {
  return (form.opcode == ptx::Opcode::Mul || form.opcode == ptx::Opcode::Mad) &&
         form.has(ptx::Modifier::Hi) && !ptx::is_float(form.type()) && ptx::size_of(form.type()) == 4;
}

SmKind kind_of(const ptx::Form& form, const Device& device) {
  using ptx::Control;
  using ptx::Issue;
  const ptx::Effects& effects = form.effects();
  if (effects.memory == ptx::MemoryUse::Load && form.space == ptx::StateSpace::Param)
    return {SmUnit::Constant, 4, 1};
  if (effects.memory == ptx::MemoryUse::Load && form.space == ptx::StateSpace::Const)
    return {SmUnit::Shared, kConstantLoad, kConstantBusy};
  if (effects.leaves()) return {SmUnit::Exit, 1, 1};
  if (effects.control == Control::Branch) return {SmUnit::Branch, 4, 1};
  // Of a warp: its lanes are together as a rule, and the machine has no more than a NOP for it.
  if (effects.control == Control::Barrier && form.has(ptx::Modifier::Warp)) return {SmUnit::Alu, 1, 1};
  if (effects.control == Control::Barrier) return {SmUnit::Barrier, 1, 1};
  if (effects.control == Control::Sleep) return {SmUnit::Sleep, 1, 1};
  if (effects.meaning == ptx::Meaning::Convert && form.types.size() >= 2 &&
      ptx::is_float(form.types[0]) != ptx::is_float(form.types[1]))
    return {SmUnit::Special, kConversion, 2};
  switch (effects.issue) {
    case Issue::Nothing:
      return {SmUnit::None, 0, 0};
    case Issue::Special:
      return form.type() == ptx::Type::F64 ? SmKind{SmUnit::Fp64, 40, 8}
                                           : SmKind{SmUnit::Special, kSpecial, 8};
    case Issue::Bits:
      return {SmUnit::Special, kConversion, 8};
    case Issue::Matrix:
      return {SmUnit::Tensor, kTensor, 8};
    case Issue::Exchange:
      if (form.opcode == ptx::Opcode::Redux) return {SmUnit::Special, kWarpSum, 8};
      return {SmUnit::Shared, kShuffle, 1};
    case Issue::Vote:
      return {SmUnit::Alu, kVote, 2};
    case Issue::Fence:
      return {SmUnit::Fence, 1, 1};
    case Issue::Arithmetic:
    case Issue::Multiply:
      break;
  }
  return arithmetic(form, device);
}

}  // namespace warplens::analysis
