#include "engine/gpu/instrument_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/work_limit.h"

namespace warplens::gpu {

std::string scoped(const Function& function, const ptx::Guard& guard, std::uint32_t skip,
                   const std::string& condition, const std::string& body) {
  std::string text =
      "\t{\n\t.reg .pred \t%wlp<6>;\n\t.reg .b32 \t%wlr<10>;\n\t.reg .b64 \t%wld<8>;\n" + condition;
  if (guard.predicate != ptx::kNone)
    text += fmt::format("\t@{}{} bra \t$wl_skip_{};\n", guard.negated ? "" : "!",
                        function.registers[guard.predicate].name, skip);
  return text + body + fmt::format("$wl_skip_{}:\n\t}}\n", skip);
}

// A lane without the predicate asks who else has none, one that has it who else has it. A vote would say the
// same, but the compiler guards every vote against lanes of its mask that are elsewhere; here are none. What
// is only written under predicates would keep a register of its own all through the kernel, hence the first
// line.
std::string any_of_lanes(const char* predicate) {
  return fmt::format(
      "\tmov.u32 \t%wlr9, 0;\n\t@!{0} activemask.b32 \t%wlr9;\n\tsetp.ne.or.u32 \t{0}, %wlr9, %wlr0, {0};\n",
      predicate);
}

std::string all_of_lanes(const char* predicate) {
  return fmt::format(
      "\tmov.u32 \t%wlr9, 0;\n\t@{0} activemask.b32 \t%wlr9;\n\tsetp.eq.and.u32 \t{0}, %wlr9, %wlr0, {0};\n",
      predicate);
}

std::vector<bool> blocks_before(const Function& function, std::uint32_t instruction) {
  std::vector<bool> out(function.blocks.size(), false);
  std::vector<std::uint32_t> work{function.block_of[instruction]};
  while (!work.empty()) {
    const std::uint32_t block = work.back();
    work.pop_back();
    work_step();
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
  const std::string sum = fmt::format("\t{} \t%wld6, {};\n\tadd.s64 \t%wld6, %wld6, {};\n",
                                      wide ? "mov.b64" : "cvt.u64.u32", base.name, operand.value);
  // Addresses of 32 bits wrap around.
  return wide || operand.value == 0 ? sum : sum + "\tand.b64 \t%wld6, %wld6, 0xffffffff;\n";
}

bool reaches_other_blocks(const ptx::Module& module) {
  return std::any_of(module.forms.begin(), module.forms.end(),
                     [](const ptx::Form& form) { return form.opcode == ptx::Opcode::Mapa; });
}

bool in_cluster_window(const ptx::Module& module, const Site& site) {
  const Instruction& in = module.functions[site.function].instructions[site.instruction];
  return module.form(in).space == ptx::StateSpace::SharedCluster;
}

std::string sort_generic(bool clusters, std::uint32_t far) {
  if (!clusters) return "\tisspacep.shared \t%wlp2, %wld6;\n\tisspacep.local \t%wlp3, %wld6;\n";
  return fmt::format(
      "\tisspacep.shared::cluster \t%wlp2, %wld6;\n\tisspacep.local \t%wlp3, %wld6;\n"
      "\tmov.u32 \t%wlr0, %cluster_ctarank;\n\tmov.u32 \t%wlr1, %wlr0;\n"
      "\t@%wlp2 getctarank.u64 \t%wlr1, %wld6;\n\tsetp.ne.u32 \t%wlp1, %wlr0, %wlr1;\n"
      "\t@%wlp1 bra \t$wl_far_{};\n",
      far);
}

std::string skip_other_blocks(std::uint32_t far) {
  return fmt::format(
      "\tmov.u32 \t%wlr0, %cluster_ctarank;\n\tcvt.u32.u64 \t%wlr1, %wld6;\n"
      "\tgetctarank.shared::cluster.u32 \t%wlr1, %wlr1;\n\tsetp.ne.u32 \t%wlp1, %wlr0, %wlr1;\n"
      "\t@%wlp1 bra \t$wl_far_{};\n",
      far);
}

std::string far_label(std::uint32_t far) {
  return fmt::format("$wl_far_{}:\n", far);
}

std::string drop_rank(const char* address) {
  return fmt::format("\tand.b64 \t{0}, {0}, 0xffffff;\n", address);
}

}  // namespace warplens::gpu
