#include "engine/gpu/instrument_totals.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/gpu/recorder_module.h"

namespace warplens::gpu {
namespace {

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

// How far an address may move without a change of any count: 0 when that is not known.
std::int64_t granule_of(CounterFamily family, std::uint32_t rule) {
  const auto bytes = static_cast<std::int64_t>(rule & 0xffu);
  switch (family) {
    case CounterFamily::Global:
      return (rule & kRuleAtomic) != 0 ? 0 : 128;
    case CounterFamily::Shared:
      return (rule & (kRuleLoop | kRuleLoopLoads)) != 0 ? 0 : std::max<std::int64_t>(4, bytes);
    case CounterFamily::Local:
      return 4;
    case CounterFamily::Constant:
      return 1;
    default:
      return 0;
  }
}

// The first address operand; nullptr when there is none.
const Operand* address_of(const Instruction& in) {
  const auto found = std::find_if(in.operands.begin(), in.operands.end(),
                                  [](const Operand& o) { return o.kind == OperandKind::Address; });
  return found == in.operands.end() ? nullptr : &*found;
}

bool names(const Operand& operand, ptx::RegisterId reg) {
  if (operand.kind == OperandKind::Register) return operand.reg == reg;
  return operand.kind == OperandKind::Vector &&
         std::any_of(operand.elements.begin(), operand.elements.end(),
                     [&](const Operand& element) { return names(element, reg); });
}

// Whether an instruction in [first, last) may write the register: destinations stand first.
bool written(const Function& function, ptx::RegisterId reg, std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t i = first; i < last; ++i) {
    const auto& operands = function.instructions[i].operands;
    if (!operands.empty() && names(operands[0], reg)) return true;
  }
  return false;
}

// 32-bit registers that the sums of a part take, with those that remember its last execution.
int registers_of(CounterFamily family) {
  switch (family) {
    case CounterFamily::Global:
    case CounterFamily::Local:
      return 10;
    case CounterFamily::Lanes:
      return 1;
    case CounterFamily::Branch:
      return 3;
    default:
      return 8;
  }
}

// Whether the address of a part, moved by the same distance in all lanes, may count the same.
bool remembers(CounterFamily family, std::uint32_t rule) {
  return family != CounterFamily::Lanes && family != CounterFamily::Branch &&
         (rule & (kRuleLoop | kRuleLoopLoads)) == 0;
}

// Sums are added to the counters after this many executions: no field of 16 bits overflows until then.
constexpr std::uint32_t kSumExecutions = 64;

bool has_barrier(const ptx::Module& module, const Function& function) {
  return std::ranges::any_of(function.instructions, [&](const Instruction& instruction) {
    const ptx::Form& form = module.form(instruction);
    return (form.opcode == "bar" || form.opcode == "barrier") && !form.has("warp");
  });
}

}  // namespace

TotalsWriter::TotalsWriter(const ptx::Module& module, const std::vector<Site>& sites,
                           const std::vector<std::uint32_t>& functions, Labels& labels, int hot_registers)
    : module_(module), sites_(sites), labels_(labels), parts_(sites.size()), shared_(sites.size()) {
  for (const Site& site : sites) counts_parameters_ = counts_parameters_ || site.space == Space::Constant;
  for (const Site& site : sites) {
    at_[{site.function, site.instruction}] = &site;
    plan(site);
  }
  for (const std::uint32_t function : functions) plan_blocks(function);
  entry_ = functions.front();
  // An `exit` in a function that is called would leave the kernel's sums behind.
  const bool leaves_elsewhere = std::any_of(functions.begin() + 1, functions.end(), [&](std::uint32_t f) {
    const auto& code = module.functions[f].instructions;
    return std::any_of(code.begin(), code.end(),
                       [&](const Instruction& in) { return module.form(in).opcode == "exit"; });
  });
  if (!leaves_elsewhere) plan_hot(hot_registers);
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
    parts.push_back({slot(site.index, CounterFamily::Branch), may_part ? "branch" : "lanes", kRuleNarrow});
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
      block_counts_[{function, block.first}] = {witness_slot, "lanes", kRuleNarrow};
    }
    layout_.blocks.push_back({witness_slot, block.last - block.first});
    std::vector<const Site*> earlier;
    for (const Site* site : here) {
      if (!parts_[site->index].empty() && !shares(*site, earlier)) earlier.push_back(site);
      if (!parts_[site->index].empty() || shared_[site->index]) continue;
      if (site->space == Space::Parameter && !counts_parameters_) continue;
      if (f.instructions[site->instruction].guard.predicate == ptx::kNone) {
        layout_.same.push_back({site->index, witness_slot});
      } else {
        const std::uint32_t own = slot(site->index, CounterFamily::Lanes);
        parts_[site->index].push_back({own, "lanes", kRuleNarrow});
      }
    }
  }
}

// Takes all counts from an earlier site of the same basic block whose address differs by what changes none.
bool TotalsWriter::shares(const Site& site, const std::vector<const Site*>& earlier) {
  std::vector<Part>& parts = parts_[site.index];
  const Function& f = module_.functions[site.function];
  const Instruction& in = f.instructions[site.instruction];
  const Operand* address = address_of(in);
  if (parts.size() != 1 || address == nullptr || in.guard.predicate != ptx::kNone) return false;
  const CounterFamily family = layout_.slots[parts[0].slot].family;
  const std::int64_t granule = granule_of(family, parts[0].rule);
  if (granule == 0) return false;
  for (const Site* other : earlier) {
    const std::vector<Part>& theirs = parts_[other->index];
    const Instruction& before = f.instructions[other->instruction];
    const Operand* base = address_of(before);
    const bool alike = theirs.size() == 1 && base != nullptr && before.guard.predicate == ptx::kNone &&
                       layout_.slots[theirs[0].slot].family == family && theirs[0].rule == parts[0].rule &&
                       base->reg == address->reg && base->symbol == address->symbol;
    if (!alike) continue;
    const std::int64_t distance = address->value + parts[0].offset - base->value - theirs[0].offset;
    if (distance % granule != 0) continue;
    if (base->reg != ptx::kNone && written(f, base->reg, other->instruction, site.instruction)) continue;
    layout_.same.push_back({site.index, theirs[0].slot, family});
    parts.clear();
    shared_[site.index] = true;
    return true;
  }
  return false;
}

// The innermost loops first, as far as registers go.
void TotalsWriter::plan_hot(int registers) {
  struct Candidate {
    std::uint32_t depth;
    Part* part;
  };
  std::vector<Candidate> candidates;
  const Function& f = module_.functions[entry_];
  const auto consider = [&](std::uint32_t instruction, Part& part) {
    const std::uint32_t depth = f.blocks[f.block_of[instruction]].loop_depth;
    const bool indirect = module_.form(f.instructions[instruction]).opcode.find("brx") != std::string::npos;
    if (depth > 0 && !indirect) candidates.push_back({depth, &part});
  };
  for (const Site& site : sites_)
    if (site.function == entry_)
      for (Part& part : parts_[site.index]) consider(site.instruction, part);
  for (auto& [place, part] : block_counts_)
    if (place.first == entry_) consider(place.second, part);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.depth > b.depth; });
  for (const Candidate& candidate : candidates) {
    const int cost = registers_of(layout_.slots[candidate.part->slot].family);
    if (cost > registers) continue;
    registers -= cost;
    hot_.push_back(candidate.part);
    candidate.part->hot = static_cast<std::uint32_t>(hot_.size());
  }
}

bool TotalsWriter::sums_bytes(const Part& part) const {
  const CounterFamily family = layout_.slots[part.slot].family;
  return family == CounterFamily::Global || family == CounterFamily::Local;
}

std::string TotalsWriter::prologue(const std::string& parameter, bool is_entry) const {
  std::string text = "\t.reg .b64 \t%wl_counters;\n";
  if (!parameter.empty())
    text += fmt::format("\tld.param.u64 \t%wl_counters, [{}];\n\tst.global.u64 \t[{}], %wl_counters;\n",
                        parameter, kCountersVariable);
  else
    text += fmt::format("\tld.global.u64 \t%wl_counters, [{}];\n", kCountersVariable);
  text += fmt::format(
      "\t{{\n\t.reg .b32 \t%wlr;\n\tmov.u32 \t%wlr, %smid;\n\tand.b32 \t%wlr, %wlr, {};\n"
      "\tmad.wide.u32 \t%wl_counters, %wlr, {}, %wl_counters;\n\t}}\n",
      kCounterCopies - 1, layout_.slots.size() * kCountersOfSlot * 8);
  if (!is_entry || hot_.empty()) return text;
  const std::size_t count = hot_.size() + 1;
  text += fmt::format(
      "\t.reg .b64 \t%wl_fields<{0}>, %wl_bytes<{0}>, %wl_last<{0}>, %wl_known<{0}>;\n\t.reg .b32 "
      "\t%wl_n<{0}>, %wl_mask<{0}>;\n",
      count);
  for (const Part* part : hot_)
    text += fmt::format(
        "\tmov.u64 \t%wl_fields{0}, 0;\n\tmov.u64 \t%wl_bytes{0}, 0;\n\tmov.u32 \t%wl_n{0}, 0;\n"
        "\tmov.u64 \t%wl_last{0}, 0;\n\tmov.u64 \t%wl_known{0}, 0;\n\tmov.u32 \t%wl_mask{0}, 0;\n",
        part->hot);
  return text;
}

// The value to count with is in %wld6.
std::string TotalsWriter::call(const Part& part) {
  std::string text;
  if (part.offset != 0) text += fmt::format("\tadd.s64 \t%wld6, %wld6, {};\n", part.offset);
  if (part.hot != 0) return text + sum(part);
  return text + fmt::format(
                    "\tadd.u64 \t%wld7, %wl_counters, {};\n"
                    "\t{{\n\t.param .b64 wl_slot;\n\t.param .b64 wl_value;\n\t.param .b32 wl_rule;\n"
                    "\tst.param.b64 \t[wl_slot], %wld7;\n\tst.param.b64 \t[wl_value], %wld6;\n"
                    "\tst.param.b32 \t[wl_rule], {};\n"
                    "\tcall \twarplens_count_{}, (wl_slot, wl_value, wl_rule);\n\t}}\n",
                    part.slot * kCountersOfSlot * 8, part.rule, part.what);
}

// Puts what the execution counts into %wld5: as last time, when the same lanes are here and all have moved by
// the same distance, one that changes no count, or, in global memory, without leaving their sectors.
std::string TotalsWriter::measure(const Part& part) {
  const CounterFamily family = layout_.slots[part.slot].family;
  const std::string call = fmt::format(
      "\t{{\n\t.param .b64 wl_value;\n\t.param .b32 wl_rule;\n\t.param .b64 wl_packed;\n"
      "\tst.param.b64 \t[wl_value], %wld6;\n\tst.param.b32 \t[wl_rule], {};\n"
      "\tcall \t(wl_packed), warplens_measure_{}, (wl_value, wl_rule);\n"
      "\tld.param.b64 \t%wld5, [wl_packed];\n\t}}\n",
      part.rule, part.what);
  if (!remembers(family, part.rule)) return call;
  const bool plain_global = family == CounterFamily::Global && (part.rule & kRuleAtomic) == 0;
  // The tag banks of an atomic's lines repeat after 2 MiB.
  const std::int64_t granule =
      (part.rule & kRuleAtomic) != 0 ? std::int64_t{2} << 20 : granule_of(family, part.rule);
  const std::uint32_t known = labels_.next();
  std::string text = fmt::format(
      "\tsub.u64 \t%wld4, %wld6, %wl_last{0};\n\tmov.b64 \t{{%wlr3, %wlr4}}, %wld4;\n"
      "\tand.b32 \t%wlr6, %wlr3, {1};\n\tsetp.eq.u32 \t%wlp0, %wlr6, 0;\n",
      part.hot, granule - 1);
  if (plain_global)
    text += fmt::format(
        "\txor.b64 \t%wld5, %wld6, %wl_last{};\n\tshr.u64 \t%wld5, %wld5, 5;\n"
        "\tsetp.eq.or.u64 \t%wlp0, %wld5, 0, %wlp0;\n",
        part.hot);
  text += fmt::format(
      "\tshr.s32 \t%wlr5, %wlr3, 31;\n\tsetp.eq.and.s32 \t%wlp0, %wlr5, %wlr4, %wlp0;\n"
      "\tmov.u64 \t%wl_last{0}, %wld6;\n"
      "\tactivemask.b32 \t%wlr0;\n\tbrev.b32 \t%wlr1, %wlr0;\n\tclz.b32 \t%wlr1, %wlr1;\n"
      "\tshfl.sync.idx.b32 \t%wlr5, %wlr3, %wlr1, 31, %wlr0;\n"
      "\tsetp.eq.and.u32 \t%wlp0, %wlr5, %wlr3, %wlp0;\n"
      "\tsetp.eq.and.u32 \t%wlp0, %wlr0, %wl_mask{0}, %wlp0;\n"
      "\tvote.sync.all.pred \t%wlp0, %wlp0, %wlr0;\n\tmov.u32 \t%wl_mask{0}, %wlr0;\n"
      "\tmov.u64 \t%wld5, %wl_known{0};\n\t@%wlp0 bra \t$wl_known_{1};\n",
      part.hot, known);
  return text + call + fmt::format("\tmov.u64 \t%wl_known{}, %wld5;\n$wl_known_{}:\n", part.hot, known);
}

// One execution into the sums of the lowest lane that is here.
std::string TotalsWriter::sum(const Part& part) {
  const CounterFamily family = layout_.slots[part.slot].family;
  const bool divides = family == CounterFamily::Branch && part.what == std::string_view("branch");
  std::string text;
  if (family != CounterFamily::Lanes && family != CounterFamily::Branch) text += measure(part);
  // The vote stands right behind the mask: with anything between them the compiler makes the lanes wait for
  // each other there, and such a wait parts them from those that have left the loop.
  if (divides) text += "\tsetp.ne.u64 \t%wlp1, %wld6, 0;\n";
  text += "\tactivemask.b32 \t%wlr0;\n";
  if (divides) text += "\tvote.sync.ballot.b32 \t%wlr7, %wlp1, %wlr0;\n";
  text +=
      "\tmov.u32 \t%wlr1, %lanemask_lt;\n\tand.b32 \t%wlr1, %wlr1, %wlr0;\n"
      "\tsetp.eq.u32 \t%wlp0, %wlr1, 0;\n";
  if ((part.rule & (kRule8Lanes | kRule16Lanes)) != 0)
    text += fmt::format("\tand.b32 \t%wlr2, %wlr0, {};\n\tpopc.b32 \t%wlr2, %wlr2;\n",
                        (part.rule & kRule8Lanes) != 0 ? 0xff : 0xffff);
  else
    text += "\tpopc.b32 \t%wlr2, %wlr0;\n";
  text += fmt::format("\tadd.u32 \t%wlr2, %wlr2, 65536;\n\t@%wlp0 add.u32 \t%wl_n{0}, %wl_n{0}, %wlr2;\n",
                      part.hot);
  if (divides)
    text +=
        "\tsetp.ne.u32 \t%wlp1, %wlr7, %wlr0;\n\tsetp.ne.and.u32 \t%wlp1, %wlr7, 0, %wlp1;\n"
        "\tselp.b64 \t%wld5, 1, 0, %wlp1;\n";
  if (sums_bytes(part))  // four bytes become four fields of 16 bits, two halves two of 32
    text += fmt::format(
        "\tmov.b64 \t{{%wlr3, %wlr4}}, %wld5;\n"
        "\tprmt.b32 \t%wlr5, %wlr3, 0, 0x4140;\n\tprmt.b32 \t%wlr6, %wlr3, 0, 0x4342;\n"
        "\tmov.b64 \t%wld4, {{%wlr5, %wlr6}};\n\t@%wlp0 add.u64 \t%wl_fields{0}, %wl_fields{0}, %wld4;\n"
        "\tand.b32 \t%wlr5, %wlr4, 65535;\n\tshr.u32 \t%wlr6, %wlr4, 16;\n"
        "\tmov.b64 \t%wld4, {{%wlr5, %wlr6}};\n\t@%wlp0 add.u64 \t%wl_bytes{0}, %wl_bytes{0}, %wld4;\n",
        part.hot);
  else if (divides || (family != CounterFamily::Lanes && family != CounterFamily::Branch))
    text += fmt::format("\t@%wlp0 add.u64 \t%wl_fields{0}, %wl_fields{0}, %wld5;\n", part.hot);
  const std::uint32_t room = labels_.next();
  return text +
         fmt::format("\tsetp.lt.u32 \t%wlp1, %wl_n{}, {};\n\t@%wlp1 bra \t$wl_room_{};\n", part.hot,
                     kSumExecutions << 16, room) +
         flush(part) +
         fmt::format(
             "\tmov.u64 \t%wl_fields{0}, 0;\n\tmov.u64 \t%wl_bytes{0}, 0;\n\tmov.u32 \t%wl_n{0}, 0;\n",
             part.hot) +
         fmt::format("$wl_room_{}:\n", room);
}

// Adds the sums of this lane to the counters.
std::string TotalsWriter::flush(const Part& part) const {
  return fmt::format(
      "\tadd.u64 \t%wld7, %wl_counters, {0};\n"
      "\t{{\n\t.param .b64 wl_slot;\n\t.param .b64 wl_fields;\n\t.param .b64 wl_bytes;\n\t.param .b32 wl_n;\n"
      "\tst.param.b64 \t[wl_slot], %wld7;\n\tst.param.b64 \t[wl_fields], %wl_fields{1};\n"
      "\tst.param.b64 \t[wl_bytes], %wl_bytes{1};\n\tst.param.b32 \t[wl_n], %wl_n{1};\n"
      "\tcall \twarplens_flush, (wl_slot, wl_fields, wl_bytes, wl_n);\n\t}}\n",
      part.slot * kCountersOfSlot * 8, part.hot);
}

// In front of an instruction that leaves the kernel, for the lanes that do.
std::string TotalsWriter::flush_all(const Function& function, const Instruction& instruction) {
  std::string body;
  for (const Part* part : hot_) {
    const std::uint32_t none = labels_.next();
    body +=
        fmt::format("\tsetp.eq.u32 \t%wlp1, %wl_n{}, 0;\n\t@%wlp1 bra \t$wl_none_{};\n", part->hot, none) +
        flush(*part) + fmt::format("$wl_none_{}:\n", none);
  }
  return scoped(function, instruction.guard, labels_.next(), "", body);
}

std::string TotalsWriter::before(std::uint32_t function, std::uint32_t instruction) {
  const Function& f = module_.functions[function];
  const Instruction& in = f.instructions[instruction];
  std::string text;
  if (const auto block = block_counts_.find({function, instruction}); block != block_counts_.end())
    text += scoped(f, {}, labels_.next(), "\tmov.u64 \t%wld6, 0;\n", call(block->second));
  const auto site = at_.find({function, instruction});
  if (site != at_.end()) text += site_code(f, in, *site->second);
  const std::string& opcode = module_.form(in).opcode;
  if (function == entry_ && !hot_.empty() && (opcode == "ret" || opcode == "exit")) text += flush_all(f, in);
  if (function == entry_ && opcode == "bra") text += leave(function, in);
  return text;
}

// In a kernel with barriers a jump to a bare `ret` leaves at once, as the plain kernel does. Were what is
// added in front of the `ret` shared, the lanes that leave would wait there for the others, who wait for them
// at a barrier.
std::string TotalsWriter::leave(std::uint32_t function, const Instruction& jump) {
  const Function& f = module_.functions[function];
  const auto target = f.labels.find(jump.operands.empty() ? "" : jump.operands.back().symbol);
  if (target == f.labels.end() || target->second >= f.instructions.size()) return {};
  const Instruction& end = f.instructions[target->second];
  if (module_.form(end).opcode != "ret" || end.guard.predicate != ptx::kNone) return {};
  if (!has_barrier(module_, f)) return {};
  const std::string body = before(function, target->second);
  return body.empty() ? body : scoped(f, jump.guard, labels_.next(), "", body + "\tret;\n");
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
