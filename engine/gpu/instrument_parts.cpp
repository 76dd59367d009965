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
