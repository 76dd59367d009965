#include "engine/gpu/instrument_totals.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/gpu/counting_rules.h"
#include "engine/gpu/fragment_code.h"
#include "engine/gpu/instrument_whole.h"
#include "engine/gpu/recorder_module.h"
#include "engine/ptx/facts/address_form.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/trace/executed_as.h"

namespace warplens::gpu {
namespace {

// Sites whose addresses no lane holds: only their executions are counted.
bool is_uncounted(const Site& site) {
  return site.kind == SiteKind::Texture || site.kind == SiteKind::BulkCopy ||
         (ptx::make_form(site.op).opcode == ptx::Opcode::Wmma && !fragment_of(site));
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

}  // namespace

TotalsWriter::TotalsWriter(const ptx::Module& module, const std::vector<Site>& sites,
                           const std::vector<std::uint32_t>& functions, Labels& labels, int hot_registers)
    : module_(module),
      sites_(sites),
      labels_(labels),
      clusters_(reaches_other_blocks(module)),
      parts_(sites.size()),
      shared_(sites.size()),
      entry_(functions.front()),
      steady_(module.functions[functions.front()], labels) {
  if (module.functions[entry_].is_entry) {
    uniformity_ = ptx::facts_of(module, module.functions[entry_])->uniformity();
    joins_ = find_lane_joins(module, module.functions[entry_], &*uniformity_);
  }
  counters_in_constants_ =
      std::any_of(module.variables.begin(), module.variables.end(), [](const ptx::Variable& variable) {
        return variable.name == kCountersVariable && variable.space == ptx::StateSpace::Const;
      });
  for (const Site& site : sites) fragments_.push_back(fragment_of(site));
  for (const Site& site : sites) counts_parameters_ = counts_parameters_ || site.space == Space::Constant;
  for (const Site& site : sites) {
    at_[{site.function, site.instruction}] = &site;
    plan(site);
  }
  for (const std::uint32_t function : functions) plan_blocks(function);
  // An `exit` in a function that is called would leave the kernel's sums behind.
  const bool leaves_elsewhere = std::any_of(functions.begin() + 1, functions.end(), [&](std::uint32_t f) {
    const auto& code = module.functions[f].instructions;
    return std::any_of(code.begin(), code.end(),
                       [&](const Instruction& in) { return module.form(in).opcode == ptx::Opcode::Exit; });
  });
  if (!leaves_elsewhere) {
    plan_steady(hot_registers);
    plan_trips(hot_registers);
    plan_hot(hot_registers);
  }
  plan_whole();
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
    if (may_divide(site)) parts.push_back({slot(site.index, CounterFamily::Branch), "branch", kRuleNarrow});
    return;
  }
  if (site.kind == SiteKind::Barrier || is_uncounted(site) || !is_executed(site)) return;
  if (site.space == Space::Generic) {
    for (const Space space : {Space::Shared, Space::Local, Space::Global}) plan_access(site, space, parts);
    return;
  }
  plan_access(site, site.space, parts);
}

// Whether lanes that come to a branch together may leave it on different ways.
bool TotalsWriter::may_divide(const Site& site) const {
  const Instruction& in = module_.functions[site.function].instructions[site.instruction];
  if (module_.form(in).opcode == ptx::Opcode::Brx) return true;
  if (in.guard.predicate == ptx::kNone) return false;
  return site.function != entry_ || !uniformity_ || !uniformity_->uniform(in.guard.predicate);
}

void TotalsWriter::plan_access(const Site& site, Space space, std::vector<Part>& parts) {
  const auto& fragment = fragments_[site.index];
  const auto bytes =
      static_cast<std::uint32_t>(fragment ? fragment->bytes() : executed_bytes_of(site)) & 0xffu;
  const auto add = [&](CounterFamily family, const char* what, std::uint32_t rule) {
    const bool second = family == CounterFamily::SharedAsync;
    parts.push_back({slot(site.index, family), what, bytes | rule, site.executed_offset, second});
  };
  const auto add_shared = [&](CounterFamily family, std::uint32_t rule) {
    add(family, shared_recorder(bytes | rule | kRuleNarrow), rule | kRuleNarrow);
  };
  if (space == Space::Global) {
    const std::uint32_t rule = global_rule(site) | form_rule(site);
    add(CounterFamily::Global, global_recorder(rule), rule);
    if (site.kind == SiteKind::AsyncCopy) add_shared(CounterFamily::SharedAsync, shared_rule(site));
  } else if (space == Space::Shared && site.floating_shared_atomic) {
    add_shared(CounterFamily::Shared, kRuleLoop | form_rule(site));
    add_shared(CounterFamily::SharedLoads, kRuleLoopLoads | form_rule(site));
  } else if (space == Space::Shared && is_over_turns(site)) {
    // A family that leaves the site's executions to its block: not every one of them counts.
    add_shared(CounterFamily::SharedLoads, shared_rule(site));
    parts.back().over_turns = true;
  } else if (space == Space::Shared) {
    add_shared(CounterFamily::Shared, shared_rule(site) | form_rule(site));
  } else if (space == Space::Local) {
    add(CounterFamily::Local, "local", 0);
  } else if (space == Space::Constant) {
    const auto loads = static_cast<std::uint32_t>(trace::constant_loads(site.bytes));
    add(CounterFamily::Constant, "constant", loads << kRuleLoadsShift | kRuleNarrow);
  }
}

// Only the run tells which lanes count, or in which space.
bool TotalsWriter::known_by_run(const Site& site) const {
  return site.space == Space::Generic || (clusters_ && in_cluster_window(module_, site));
}

// Whether a wide load is more than one turn asks for: the turns of an unrolled loop share it.
bool TotalsWriter::is_over_turns(const Site& site) const {
  if (!is_joined_load(site) || fragments_[site.index]) return false;
  int bytes = 0;
  for (const Site& other : sites_)
    if (other.leader == site.index) bytes += other.bytes;
  return bytes < site.executed_bytes;
}

// Whether the site's first slot tells how often its basic block runs, and with how many lanes.
bool TotalsWriter::is_witness(const Site& site) const {
  const Instruction& in = module_.functions[site.function].instructions[site.instruction];
  if (parts_[site.index].empty() || known_by_run(site)) return false;
  if (site.kind == SiteKind::MatrixLoad || site.kind == SiteKind::MatrixStore)
    return false;                                           // not every lane
  if (parts_[site.index].front().over_turns) return false;  // not every execution
  if (fragments_[site.index]) return false;                 // several times an execution
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
      if (!parts_[site->index].empty() && parts_[site->index].front().over_turns)
        layout_.same.push_back({site->index, witness_slot});
      if (!parts_[site->index].empty() || shared_[site->index]) continue;
      if (site->space == Space::Parameter && !counts_parameters_) continue;
      if (site->kind == SiteKind::Branch) {  // all that come here execute it, whatever its guard
        layout_.same.push_back({site->index, witness_slot, CounterFamily::Branch});
        continue;
      }
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
  const Operand* address = ptx::first_address(in);
  if (parts.size() != 1 || parts[0].over_turns || address == nullptr || in.guard.predicate != ptx::kNone ||
      fragments_[site.index])
    return false;
  const CounterFamily family = layout_.slots[parts[0].slot].family;
  const std::int64_t granule = granule_of(family, parts[0].rule);
  if (granule == 0) return false;
  for (const Site* other : earlier) {
    const std::vector<Part>& theirs = parts_[other->index];
    const Instruction& before = f.instructions[other->instruction];
    const Operand* base = ptx::first_address(before);
    if (fragments_[other->index]) continue;
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

// What the steady writer needs to know of a part, when its address moves by one distance each turn.
std::optional<SteadyPart> TotalsWriter::steady_part(const Site& site, const Part& part,
                                                    const LoopMoves& moves, std::uint32_t check) const {
  const Function& f = module_.functions[entry_];
  const Instruction& in = f.instructions[site.instruction];
  const CounterFamily family = layout_.slots[part.slot].family;
  if (!remembers(family, part.rule) || part.over_turns || known_by_run(site) ||
      in.guard.predicate != ptx::kNone || fragments_[site.index])
    return std::nullopt;
  std::vector<const Operand*> addresses;
  for (const Operand& operand : in.operands)
    if (operand.kind == OperandKind::Address) addresses.push_back(&operand);
  if (addresses.empty()) return std::nullopt;
  const bool copies = site.kind == SiteKind::AsyncCopy && addresses.size() >= 2;
  const Operand& address = *addresses[copies && !part.second_address ? 1 : 0];
  const auto movement = moves.movement(site.instruction, address, check);
  if (!movement) return std::nullopt;
  SteadyPart out{
      part.slot, part.what, part.rule, distance_of(family, part.rule), false, address_into(f, address),
      *movement};
  out.together = family == CounterFamily::Global && (part.rule & kRuleAtomic) == 0;
  if (part.offset != 0) out.address += fmt::format("\tadd.s64 \t%wld6, %wld6, {};\n", part.offset);
  return out;
}

// Accesses of one block are looked at together, in front of the last of them.
void TotalsWriter::plan_steady(int& registers) {
  const Function& f = module_.functions[entry_];
  const LoopMoves moves(module_, f);
  std::map<std::uint32_t, std::vector<const Site*>> of_block;
  for (const Site& site : sites_) {
    if (site.function != entry_ || parts_[site.index].empty()) continue;
    const std::uint32_t block = f.block_of[site.instruction];
    if (moves.loop_of(block) != ptx::kNone) of_block[block].push_back(&site);
  }
  std::vector<std::uint32_t> order;  // the innermost loops first, as far as registers go
  for (const auto& [block, sites] : of_block) order.push_back(block);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return f.blocks[a].loop_depth > f.blocks[b].loop_depth;
  });
  for (const std::uint32_t block : order) {
    const std::vector<const Site*>& sites = of_block[block];
    // The last access that moves steadily is where all are looked at.
    const auto last = std::find_if(sites.rbegin(), sites.rend(), [&](const Site* site) {
      return std::any_of(parts_[site->index].begin(), parts_[site->index].end(), [&](const Part& part) {
        return steady_part(*site, part, moves, site->instruction).has_value();
      });
    });
    if (last == sites.rend()) continue;
    std::vector<SteadyPart> chosen;
    for (auto site = sites.begin(); site != last.base(); ++site)
      for (Part& part : parts_[(*site)->index]) {
        const int cost =
            SteadyWriter::kRegistersOfPart + (chosen.empty() ? SteadyWriter::kRegistersOfGroup : 0);
        if (chosen.size() == SteadyWriter::kMostParts || cost > registers) continue;
        auto steady = steady_part(**site, part, moves, (*last)->instruction);
        if (!steady) continue;
        registers -= cost;
        part.steady = true;
        chosen.push_back(std::move(*steady));
      }
    if (!chosen.empty())
      steady_.add((*last)->instruction, moves.entries(moves.loop_of(block)), std::move(chosen));
  }
}

// The innermost loops first, as far as registers go.
void TotalsWriter::plan_hot(int registers) {
  struct Candidate {
    std::uint32_t depth, block;
    Part* part;
  };
  std::vector<Candidate> candidates;
  const Function& f = module_.functions[entry_];
  const auto consider = [&](std::uint32_t instruction, Part& part) {
    const std::uint32_t block = f.block_of[instruction], depth = f.blocks[block].loop_depth;
    const bool indirect = module_.form(f.instructions[instruction]).opcode == ptx::Opcode::Brx;
    if (depth > 0 && !indirect && !part.steady && part.trip == 0) candidates.push_back({depth, block, &part});
  };
  for (const Site& site : sites_)
    if (site.function == entry_ && !fragments_[site.index])
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
    candidate.part->block = candidate.block;
    candidate.part->hot = static_cast<std::uint32_t>(hot_.size());
  }
}

// In the kernel itself, where most executions are, up to as many as leave its code in the instruction cache.
void TotalsWriter::plan_whole() {
  constexpr int kMost = 96;
  int count = 0;
  const auto consider = [&](std::uint32_t instruction, Part& part) {
    const bool indirect =
        module_.form(module_.functions[entry_].instructions[instruction]).opcode == ptx::Opcode::Brx;
    if (part.steady || part.hot != 0 || indirect || count == kMost) return;
    if (!counts_lanes(part.what) && !has_whole_warp(layout_.slots[part.slot].family, part.rule)) return;
    part.whole = any_whole_ = true;
    ++count;
  };
  for (const Site& site : sites_)
    if (site.function == entry_ && !fragments_[site.index])
      for (Part& part : parts_[site.index]) consider(site.instruction, part);
  for (auto& [place, part] : block_counts_)
    if (place.first == entry_) consider(place.second, part);
}

std::string TotalsWriter::prologue(const std::string& parameter, bool is_entry) const {
  std::string text = "\t.reg .b64 \t%wl_counters;\n";
  if (!parameter.empty())
    text += fmt::format("\tld.param.u64 \t%wl_counters, [{}];\n\tst.global.u64 \t[{}], %wl_counters;\n",
                        parameter, kCountersVariable);
  else
    text += fmt::format("\tld.{}.u64 \t%wl_counters, [{}];\n", counters_in_constants_ ? "const" : "global",
                        kCountersVariable);
  text += fmt::format(
      "\t{{\n\t.reg .b32 \t%wlr;\n\tmov.u32 \t%wlr, %smid;\n\tand.b32 \t%wlr, %wlr, {};\n"
      "\tmad.wide.u32 \t%wl_counters, %wlr, {}, %wl_counters;\n\t}}\n",
      kCounterCopies - 1, layout_.slots.size() * kCountersOfSlot * 8);
  if (!is_entry) return text;
  if (any_whole_ || !hot_.empty())
    text +=
        "\t.reg .b32 \t%wl_below;\n\tmov.u32 \t%wl_below, %laneid;\n\tshl.b32 \t%wl_below, 1, %wl_below;\n"
        "\tsub.u32 \t%wl_below, %wl_below, 1;\n";
  if (any_whole_) text += whole_warp_prologue();
  if (!joins_.empty()) text += fmt::format("\t.reg .b32 \t%wl_join<{}>;\n", joins_.size());
  return text + steady_.prologue() + prologue_of_sums();
}

std::set<std::string> TotalsWriter::called() const {
  std::set<std::string> out;
  const auto add = [&](const Part& part) {
    const bool lanes = counts_lanes(part.what);
    if (part.hot != 0) out.insert(lanes ? "warplens_flush_lanes" : "warplens_flush");
    if (part.steady) out.insert({"warplens_steady", "warplens_settle"});
    if (part.trip != 0) out.insert("warplens_trips");
    if (!lanes && (part.hot != 0 || part.steady))
      out.insert(fmt::format("warplens_measure_{}", part.what));
    else if (part.hot == 0 && !(lanes && part.whole))
      out.insert(fmt::format("warplens_count_{}", part.what));
  };
  for (const std::vector<Part>& parts : parts_) std::for_each(parts.begin(), parts.end(), add);
  for (const auto& [place, part] : block_counts_) add(part);
  return out;
}

// The value to count with is in %wld6.
std::string TotalsWriter::call(const Part& part) {
  std::string text;
  if (part.steady) return text;
  if (part.offset != 0) text += fmt::format("\tadd.s64 \t%wld6, %wld6, {};\n", part.offset);
  if (part.over_turns) {
    const std::uint32_t next = labels_.next();
    text += fmt::format(
        "\tand.b64 \t%wld7, %wld6, {};\n\tsetp.ne.u64 \t%wlp1, %wld7, 0;\n\t@%wlp1 bra \t$wl_turn_{};\n",
        (part.rule & 0xffu) - 1, next);
    return text + count(part) + fmt::format("$wl_turn_{}:\n", next);
  }
  return text + count(part);
}

std::string TotalsWriter::count(const Part& part) {
  if (part.hot != 0) return sum(part);
  const std::string recorder = fmt::format(
      "\tadd.u64 \t%wld7, %wl_counters, {};\n"
      "\t{{\n\t.param .b64 wl_slot;\n\t.param .b64 wl_value;\n\t.param .b32 wl_rule;\n"
      "\tst.param.b64 \t[wl_slot], %wld7;\n\tst.param.b64 \t[wl_value], %wld6;\n"
      "\tst.param.b32 \t[wl_rule], {};\n"
      "\tcall \twarplens_count_{}, (wl_slot, wl_value, wl_rule);\n\t}}\n",
      part.slot * kCountersOfSlot * 8, part.rule, part.what);
  if (!part.whole) return recorder;
  if (counts_lanes(part.what)) return count_lanes(part.slot, part.what == std::string_view("branch"));
  return whole_warp(labels_, part.slot, layout_.slots[part.slot].family, part.rule, recorder);
}

std::string TotalsWriter::before(std::uint32_t function, std::uint32_t instruction) {
  const Function& f = module_.functions[function];
  const Instruction& in = f.instructions[instruction];
  std::string text = function == entry_ ? join_lanes(instruction) + count_trips(instruction) : std::string();
  text += count_block(function, instruction);
  const auto site = at_.find({function, instruction});
  if (site != at_.end()) text += site_code(f, in, *site->second);
  if (function == entry_) text += steady_.before(instruction);
  const ptx::Opcode opcode = module_.form(in).opcode;
  if (function == entry_ && (!hot_.empty() || !steady_.empty()) &&
      (opcode == ptx::Opcode::Ret || opcode == ptx::Opcode::Exit))
    text += flush_all(f, in, instruction);
  if (function == entry_ && opcode == ptx::Opcode::Bra) text += leave(function, instruction);
  return text;
}

std::string TotalsWriter::count_block(std::uint32_t function, std::uint32_t instruction) {
  const auto block = block_counts_.find({function, instruction});
  if (block == block_counts_.end()) return {};
  return scoped(module_.functions[function], {}, labels_.next(), "\tmov.u64 \t%wld6, 0;\n",
                call(block->second));
}

std::string TotalsWriter::join_lanes(std::uint32_t instruction) const {
  std::string text;
  for (std::size_t i = 0; i < joins_.size(); ++i) {
    if (joins_[i].at == instruction) text += fmt::format("\tbar.warp.sync \t%wl_join{};\n", i);
    if (joins_[i].from == instruction) text += fmt::format("\tactivemask.b32 \t%wl_join{};\n", i);
  }
  return text;
}

// A jump to a bare `ret` leaves at once, as the plain kernel does. Were what is added in front of the `ret`
// shared, the lanes that leave would wait there for the others, who may wait for them at a barrier; and lanes
// that gather in front of what they do last, because the others are gone, would no longer do it together.
std::string TotalsWriter::leave(std::uint32_t function, std::uint32_t instruction) {
  const Function& f = module_.functions[function];
  const Instruction& jump = f.instructions[instruction];
  const auto target = f.labels.find(jump.operands.empty() ? "" : jump.operands.back().symbol);
  if (target == f.labels.end() || target->second >= f.instructions.size()) return {};
  const Instruction& end = f.instructions[target->second];
  if (module_.form(end).opcode != ptx::Opcode::Ret || end.guard.predicate != ptx::kNone) return {};
  const std::string body = count_block(function, target->second) + flush_all(f, end, instruction);
  return body.empty() ? body : scoped(f, jump.guard, labels_.next(), "", body + "\tret;\n");
}

std::string TotalsWriter::site_code(const Function& function, const Instruction& instruction,
                                    const Site& site) {
  const std::vector<Part>& parts = parts_[site.index];
  if (std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.steady; })) return {};
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
  if (const auto& fragment = fragments_[site.index]; fragment && parts[0].what != std::string_view("lanes"))
    return scoped(function, instruction.guard, skip, "",
                  fragment_code(function, instruction, site, *fragment));
  std::vector<std::string> addresses;
  for (const Operand& operand : instruction.operands)
    if (operand.kind == OperandKind::Address) addresses.push_back(address_into(function, operand));
  if (addresses.empty() || parts[0].what == std::string_view("lanes"))
    return scoped(function, instruction.guard, skip, "", "\tmov.u64 \t%wld6, 0;\n" + call(parts[0]));
  if (site.space == Space::Generic)
    return scoped(function, instruction.guard, skip, "", generic(parts, addresses[0]));
  if (known_by_run(site)) {
    const std::uint32_t far = labels_.next();
    std::string body;
    for (const Part& part : parts) body += addresses[0] + skip_other_blocks(far) + call(part);
    return scoped(function, instruction.guard, skip, "", body + far_label(far));
  }
  std::string body;
  const bool copies = site.kind == SiteKind::AsyncCopy && addresses.size() >= 2;
  for (const Part& part : parts)
    if (!part.steady) body += addresses[copies && !part.second_address ? 1 : 0] + call(part);
  return scoped(function, instruction.guard, skip, "", body);
}

// Each access of the fragment counts for itself.
std::string TotalsWriter::fragment_code(const Function& function, const Instruction& instruction,
                                        const Site& site, const trace::FragmentMovement& fragment) {
  std::string body;
  for (int access = 0; access < fragment.accesses(); ++access) {
    const std::string address = fragment_address(function, instruction, fragment, access);
    if (site.space == Space::Generic) {
      body += generic(parts_[site.index], address);
    } else {
      for (const Part& part : parts_[site.index]) body += address + call(part);
    }
  }
  return body;
}

// Only the run tells where a generic address points: the lanes of each space count for themselves.
std::string TotalsWriter::generic(const std::vector<Part>& parts, const std::string& address) {
  const std::uint32_t far = labels_.next();
  std::string body = address + sort_generic(clusters_, far);
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
  return clusters_ ? body + far_label(far) : body;
}

}  // namespace warplens::gpu
