#include "engine/gpu/fragment_code.h"

#include <fmt/format.h>

namespace warplens::gpu {
namespace {

// Adds to `into` what this value is in a lane (%wlr0): a constant, and a multiple of each bit of its number.
// So is every place in a fragment; bits that double each other's share are taken together.
template <typename Value>
std::string by_lane(const char* into, const Value& value) {
  const int base = value(0);
  std::string text = fmt::format("\tmov.u32 \t{}, {};\n", into, base);
  for (int bit = 0; bit < 5;) {
    const int share = value(1 << bit) - base;
    int count = 1;
    while (bit + count < 5 && value(1 << (bit + count)) - base == share << count) ++count;
    if (share != 0)
      text += fmt::format("\tbfe.u32 \t%wlr3, %wlr0, {}, {};\n\tmad.lo.u32 \t{}, %wlr3, {}, {};\n", bit,
                          count, into, share, into);
    bit += count;
  }
  return text;
}

std::string stride_into(const Function& function, const Instruction& instruction,
                        const trace::FragmentMovement& movement) {
  if (instruction.operands.size() < 3)
    return fmt::format("\tmov.u32 \t%wlr3, {};\n", movement.default_stride());
  const Operand& stride = instruction.operands[2];
  if (stride.kind == OperandKind::Register)
    return fmt::format("\tmov.b32 \t%wlr3, {};\n", function.registers[stride.reg].name);
  return fmt::format("\tmov.u32 \t%wlr3, {};\n", stride.value);
}

}  // namespace

std::optional<trace::FragmentMovement> fragment_of(const Site& site) {
  return trace::fragment_movement(ptx::make_form(site.op));
}

std::string fragment_address(const Function& function, const Instruction& instruction,
                             const trace::FragmentMovement& movement, int access) {
  const Operand& address = instruction.operands[movement.stores ? 0 : 1];
  return address_into(function, address) + "\tmov.u32 \t%wlr0, %laneid;\n" +
         by_lane("%wlr1", [&](int lane) { return movement.index(access, lane).lines; }) +
         by_lane("%wlr2", [&](int lane) { return movement.index(access, lane).elements; }) +
         stride_into(function, instruction, movement) +
         fmt::format(
             "\tcvt.u64.u32 \t%wld7, %wlr2;\n\tmad.wide.u32 \t%wld7, %wlr1, %wlr3, %wld7;\n"
             "\tmad.lo.u64 \t%wld6, %wld7, {}, %wld6;\n",
             trace::bits_of(movement.fragment.element) / 8);
}

}  // namespace warplens::gpu
