#include "engine/gpu/instrument_totals.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/gpu/recorder_module.h"

namespace warplens::gpu {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;
using trace::Site;
using trace::SiteKind;
using trace::Space;

// Sites whose addresses no lane holds: only their executions are counted.
bool is_uncounted(const Site& site) {
  return site.kind == SiteKind::Texture || site.kind == SiteKind::BulkCopy || site.op.starts_with("wmma");
}

bool leads(const Site& site) {
  return (site.leader == site.index || site.leader == trace::kNoSite) && !site.in_registers;
}

std::uint32_t form_rule(const Site& site) {
  if (site.atomic_form == ptx::AtomicForm::OneLane) return kRuleOneLane;
  return site.atomic_form == ptx::AtomicForm::OneLaneIfFull ? kRuleOneIfFull : 0;
}

std::uint32_t global_rule(const Site& site) {
  switch (site.kind) {
    case SiteKind::Atomic:
    case SiteKind::Reduction:
      return kRuleAtomic;
    case SiteKind::CompareAndSwap:
      return kRuleAtomic | kRuleSwap;
    default:
      return 0;
  }
}

std::uint32_t shared_rule(const Site& site) {
  switch (site.kind) {
    case SiteKind::Load:
      return kRuleMerges;
    case SiteKind::Atomic:
    case SiteKind::Reduction:
      // ATOMS.POPC.INC serves lanes on the same word together, as a store does.
      return site.atomic_form == ptx::AtomicForm::CountLanes ? 0 : kRuleByLane;
    case SiteKind::AsyncCopy:
      return kRuleByLane;
    case SiteKind::CompareAndSwap:
      return kRuleByLane | kRuleSwap;
    case SiteKind::MatrixLoad:
    case SiteKind::MatrixStore:
      return kRuleMatrix | (site.op.find(".x4") != std::string::npos   ? 0
                            : site.op.find(".x2") != std::string::npos ? kRule16Lanes
                                                                       : kRule8Lanes);
    default:
      return 0;
  }
}

}  // namespace

TotalsWriter::TotalsWriter(const ptx::Module& module, const std::vector<Site>& sites,
                           const std::vector<std::uint32_t>& functions, Labels& labels)
    : module_(module), sites_(sites), labels_(labels), parts_(sites.size()) {
  for (const Site& site : sites) counts_parameters_ = counts_parameters_ || site.space == Space::Constant;
  for (const Site& site : sites) {
    at_[{site.function, site.instruction}] = &site;
    plan(site);
  }
  for (const std::uint32_t function : functions) plan_blocks(function);
}

std::uint32_t TotalsWriter::slot(trace::SiteId site, CounterFamily family) {
  layout_.slots.push_back({site, family});
  return static_cast<std::uint32_t>(layout_.slots.size() - 1);
}

// Sites that count nothing but their executions get their slots, if any, from plan_blocks.
void TotalsWriter::plan(const Site& site) {
  std::vector<Part>& parts = parts_[site.index];
  if (is_uncounted(site)) layout_.uncounted.push_back(site.index);
  if (site.kind == SiteKind::Branch) {
    const Instruction& in = module_.functions[site.function].instructions[site.instruction];
    const bool may_part =
        in.guard.predicate != ptx::kNone || module_.form(in).opcode.find("brx") != std::string::npos;
    parts.push_back(
        {slot(site.index, CounterFamily::Branch), may_part ? "branch" : "lanes", kRuleNarrow, 0, false});
    return;
  }
  if (site.kind == SiteKind::Barrier || is_uncounted(site) || !leads(site)) return;
  if (site.space == Space::Generic) {
    for (const Space space : {Space::Shared, Space::Local, Space::Global}) plan_access(site, space, parts);
    return;
  }
  plan_access(site, site.space, parts);
}

void TotalsWriter::plan_access(const Site& site, Space space, std::vector<Part>& parts) {
  // Only a widened access differs from what is written.
  const bool widened = site.executed_bytes != 0 && site.executed_bytes != site.bytes;
  const auto bytes = static_cast<std::uint32_t>(widened ? site.executed_bytes : site.bytes) & 0xffu;
  const auto add = [&](CounterFamily family, const char* what, std::uint32_t rule) {
    const bool second = family == CounterFamily::SharedAsync;
    parts.push_back({slot(site.index, family), what, bytes | rule, site.executed_offset, second});
  };
  if (space == Space::Global) {
    add(CounterFamily::Global, "global", global_rule(site) | form_rule(site));
    if (site.kind == SiteKind::AsyncCopy)
      add(CounterFamily::SharedAsync, "shared", shared_rule(site) | kRuleNarrow);
  } else if (space == Space::Shared && site.floating_shared_atomic) {
    add(CounterFamily::Shared, "shared", kRuleLoop | kRuleNarrow | form_rule(site));
    add(CounterFamily::SharedLoads, "shared", kRuleLoopLoads | kRuleNarrow | form_rule(site));
  } else if (space == Space::Shared) {
    add(CounterFamily::Shared, "shared", shared_rule(site) | kRuleNarrow | form_rule(site));
  } else if (space == Space::Local) {
    add(CounterFamily::Local, "local", 0);
  } else if (space == Space::Constant) {
    const std::uint32_t loads =
        std::max(1u, static_cast<std::uint32_t>(site.bytes) / 8);  // LDC reads up to 8 bytes
    add(CounterFamily::Constant, "constant", loads << kRuleLoadsShift | kRuleNarrow);
  }
}

// Whether the site's first slot tells how often its basic block runs, and with how many lanes.
bool TotalsWriter::is_witness(const Site& site) const {
  const Instruction& in = module_.functions[site.function].instructions[site.instruction];
  if (parts_[site.index].empty() || site.space == Space::Generic) return false;
  if (site.kind == SiteKind::MatrixLoad || site.kind == SiteKind::MatrixStore)
    return false;  // not every lane
  return site.kind == SiteKind::Branch || in.guard.predicate == ptx::kNone;
}

void TotalsWriter::plan_blocks(std::uint32_t function) {
  const Function& f = module_.functions[function];
  for (const ptx::BasicBlock& block : f.blocks) {
    std::vector<const Site*> here;
    for (std::uint32_t i = block.first; i < block.last; ++i)
      if (const auto found = at_.find({function, i}); found != at_.end()) here.push_back(found->second);
    const auto witness =
        std::find_if(here.begin(), here.end(), [&](const Site* s) { return is_witness(*s); });
    std::uint32_t witness_slot = 0;
    if (witness != here.end()) {
      witness_slot = parts_[(*witness)->index].front().slot;
    } else {
      witness_slot = slot(trace::kNoSite, CounterFamily::Lanes);
      block_counts_[{function, block.first}] = witness_slot;
    }
    layout_.blocks.push_back({witness_slot, block.last - block.first});
    for (const Site* site : here) {
      if (!parts_[site->index].empty()) continue;
      if (site->space == Space::Parameter && !counts_parameters_) continue;
      if (f.instructions[site->instruction].guard.predicate == ptx::kNone) {
        layout_.same.push_back({site->index, witness_slot});
      } else {
        const std::uint32_t own = slot(site->index, CounterFamily::Lanes);
        parts_[site->index].push_back({own, "lanes", kRuleNarrow, 0, false});
      }
    }
  }
}

std::string TotalsWriter::prologue(const std::string& parameter) const {
  std::string text = "\t.reg .b64 \t%wl_counters;\n";
  if (!parameter.empty())
    text += fmt::format("\tld.param.u64 \t%wl_counters, [{}];\n\tst.global.u64 \t[{}], %wl_counters;\n",
                        parameter, kCountersVariable);
  else
    text += fmt::format("\tld.global.u64 \t%wl_counters, [{}];\n", kCountersVariable);
  return text + fmt::format(
                    "\t{{\n\t.reg .b32 \t%wlr;\n\tmov.u32 \t%wlr, %smid;\n\tand.b32 \t%wlr, %wlr, {};\n"
                    "\tmad.wide.u32 \t%wl_counters, %wlr, {}, %wl_counters;\n\t}}\n",
                    kCounterCopies - 1, layout_.slots.size() * kCountersOfSlot * 8);
}

// The value to count with is in %wld6.
std::string TotalsWriter::call(const Part& part) const {
  std::string text = fmt::format("\tadd.u64 \t%wld7, %wl_counters, {};\n", part.slot * kCountersOfSlot * 8);
  if (part.offset != 0) text += fmt::format("\tadd.s64 \t%wld6, %wld6, {};\n", part.offset);
  return text + fmt::format(
                    "\t{{\n\t.param .b64 wl_slot;\n\t.param .b64 wl_value;\n\t.param .b32 wl_rule;\n"
                    "\tst.param.b64 \t[wl_slot], %wld7;\n\tst.param.b64 \t[wl_value], %wld6;\n"
                    "\tst.param.b32 \t[wl_rule], {};\n"
                    "\tcall \twarplens_count_{}, (wl_slot, wl_value, wl_rule);\n\t}}\n",
                    part.rule, part.what);
}

std::string TotalsWriter::before(std::uint32_t function, std::uint32_t instruction) {
  const Function& f = module_.functions[function];
  std::string text;
  if (const auto block = block_counts_.find({function, instruction}); block != block_counts_.end())
    text += scoped(f, {}, labels_.next(), "\tmov.u64 \t%wld6, 0;\n",
                   call({block->second, "lanes", kRuleNarrow, 0, false}));
  const auto site = at_.find({function, instruction});
  if (site != at_.end()) text += site_code(f, f.instructions[instruction], *site->second);
  return text;
}

std::string TotalsWriter::site_code(const Function& function, const Instruction& instruction,
                                    const Site& site) {
  const std::vector<Part>& parts = parts_[site.index];
  if (parts.empty()) return {};
  const std::uint32_t skip = labels_.next();
  if (site.kind == SiteKind::Branch) {
    // All lanes that arrive count, whatever their guard: who jumps is what is counted.
    std::string way = "\tmov.u64 \t%wld6, 0;\n";
    if (instruction.guard.predicate != ptx::kNone)
      way = fmt::format("\tselp.b64 \t%wld6, 1, 0, {};\n",
                        function.registers[instruction.guard.predicate].name);
    else if (parts[0].what == std::string_view("branch") &&
             instruction.operands[0].kind == OperandKind::Register)
      way = fmt::format("\tcvt.u64.u32 \t%wld6, {};\n", function.registers[instruction.operands[0].reg].name);
    return scoped(function, {}, skip, "", way + call(parts[0]));
  }
  std::vector<std::string> addresses;
  for (const Operand& operand : instruction.operands)
    if (operand.kind == OperandKind::Address) addresses.push_back(address_into(function, operand));
  if (addresses.empty() || parts[0].what == std::string_view("lanes"))
    return scoped(function, instruction.guard, skip, "", "\tmov.u64 \t%wld6, 0;\n" + call(parts[0]));
  if (site.space == Space::Generic)
    return scoped(function, instruction.guard, skip, "", generic(parts, addresses[0]));
  std::string body;
  const bool copies = site.kind == SiteKind::AsyncCopy && addresses.size() >= 2;
  for (const Part& part : parts) body += addresses[copies && !part.second_address ? 1 : 0] + call(part);
  return scoped(function, instruction.guard, skip, "", body);
}

// Only the run tells where a generic address points: the lanes of each space count for themselves.
std::string TotalsWriter::generic(const std::vector<Part>& parts, const std::string& address) {
  std::string body = address + "\tisspacep.shared \t%wlp2, %wld6;\n\tisspacep.local \t%wlp3, %wld6;\n";
  for (const Part& part : parts) {
    const CounterFamily family = layout_.slots[part.slot].family;
    const std::uint32_t next = labels_.next();
    if (family == CounterFamily::Local)
      body += fmt::format("\t@!%wlp3 bra \t$wl_case_{};\n\tcvta.to.local.u64 \t%wld6, %wld6;\n", next);
    else if (family == CounterFamily::Global)
      body += fmt::format("\t@%wlp2 bra \t$wl_case_{0};\n\t@%wlp3 bra \t$wl_case_{0};\n", next);
    else
      body += fmt::format("\t@!%wlp2 bra \t$wl_case_{};\n\tcvta.to.shared.u64 \t%wld6, %wld6;\n", next);
    // Each case starts again from the generic address.
    body += call(part) + fmt::format("$wl_case_{}:\n", next) + address;
  }
  return body;
}

}  // namespace warplens::gpu
