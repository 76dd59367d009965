#include "engine/gpu/instrument_parts.h"

#include <fmt/format.h>

namespace warplens::gpu {

std::string scoped(const Function& function, const ptx::Guard& guard, std::uint32_t skip,
                   const std::string& condition, const std::string& body) {
  std::string text =
      "\t{\n\t.reg .pred \t%wlp<4>;\n\t.reg .b32 \t%wlr<10>;\n\t.reg .b64 \t%wld<8>;\n" + condition;
  if (guard.predicate != ptx::kNone)
    text += fmt::format("\t@{}{} bra \t$wl_skip_{};\n", guard.negated ? "" : "!",
                        function.registers[guard.predicate].name, skip);
  return text + body + fmt::format("$wl_skip_{}:\n\t}}\n", skip);
}

// A lane without the predicate asks who else has none, one that has it who else has it. A vote would say the
// same, but the compiler guards every vote against lanes of its mask that are elsewhere; here are none.
std::string any_of_lanes(const char* predicate) {
  return fmt::format("\t@!{0} activemask.b32 \t%wlr9;\n\tsetp.ne.or.u32 \t{0}, %wlr9, %wlr0, {0};\n",
                     predicate);
}

std::string all_of_lanes(const char* predicate) {
  return fmt::format("\t@{0} activemask.b32 \t%wlr9;\n\tsetp.eq.and.u32 \t{0}, %wlr9, %wlr0, {0};\n",
                     predicate);
}

std::vector<bool> blocks_before(const Function& function, std::uint32_t instruction) {
  std::vector<bool> out(function.blocks.size(), false);
  std::vector<std::uint32_t> work{function.block_of[instruction]};
  while (!work.empty()) {
    const std::uint32_t block = work.back();
    work.pop_back();
    if (out[block]) continue;
    out[block] = true;
    const auto& from = function.blocks[block].predecessors;
    work.insert(work.end(), from.begin(), from.end());
  }
  return out;
}

std::string address_into(const Function& function, const Operand& operand) {
  if (!operand.symbol.empty())
    return fmt::format("\tmov.u64 \t%wld6, {};\n\tadd.s64 \t%wld6, %wld6, {};\n", operand.symbol,
                       operand.value);
  if (operand.reg == ptx::kNone) return fmt::format("\tmov.u64 \t%wld6, {};\n", operand.value);
  const ptx::Register& base = function.registers[operand.reg];
  const bool wide = ptx::size_of(base.type) == 8;
  return fmt::format("\t{} \t%wld6, {};\n\tadd.s64 \t%wld6, %wld6, {};\n", wide ? "mov.b64" : "cvt.u64.u32",
                     base.name, operand.value);
}

}  // namespace warplens::gpu
