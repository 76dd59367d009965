#include "engine/ptx/lowering/lowering.h"

#include <atomic>
#include <utility>

#include "engine/ptx/facts/address_form.h"
#include "engine/ptx/facts/derived.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/facts/giant.h"
#include "engine/ptx/machine/machine_accesses.h"
#include "engine/ptx/machine/machine_branches.h"
#include "engine/ptx/rules/added_branches.h"
#include "engine/ptx/rules/as_executed.h"
#include "engine/ptx/rules/constant_operands.h"
#include "engine/ptx/rules/contracted_products.h"
#include "engine/ptx/rules/redundant_loads.h"
#include "engine/ptx/rules/saved_registers.h"

namespace warplens::ptx {
namespace {

std::atomic<std::uint64_t> g_times_lowered = 0;

// What the two providers say, before it is put together.
struct Told {
  Known by = Known::Rule;
  std::vector<ExecutedAs> executed;
  std::vector<MachineSays> machine;  // one an instruction; empty: no machine code
  ExecutedBranches branches;
  std::vector<bool> free;  // constants that are operands
  MeetingPlaces meeting;
  std::vector<std::uint32_t> added_branches;
  int saved_words = 0;
};

Told by_rules(const Module& module, const Function& function) {
  Told told;
  told.executed = as_executed(module, function);
  told.branches = executed_branches(module, function);
  told.free = free_constants(module, function, told.branches.predicated);
  told.meeting = meeting_places(function);
  told.added_branches = added_branches(module, function, told.branches);
  add_foretold_branches(module, function, told.added_branches);
  told.saved_words = saved_words(module, function);
  return told;
}

// Accesses and branches that the machine code says nothing about stay as the rules have them.
Told by_machine_code(const Module& module, const Function& function) {
  Told told;
  told.by = Known::MachineCode;
  told.executed = as_executed(module, function);
  told.machine = follow_machine_accesses(module, function, told.executed);
  told.branches = executed_branches(module, function);
  follow_machine_branches(module, function, told.branches);
  told.free = machine_free_constants(module, function);
  told.meeting = machine_meeting_places(function);
  told.added_branches = added_branches(module, function, told.branches);
  told.saved_words = machine_saved_words(module, function);
  return told;
}

// Floating adds, and arithmetic of 64 bits; exchange and compare-and-swap exist.
bool loops_in_shared(const Form& form) {
  const MemoryUse use = form.effects().memory;
  if (use != MemoryUse::Atomic && use != MemoryUse::Reduce) return false;
  if (form.has(Modifier::Exch) || form.has(Modifier::Cas)) return false;
  switch (form.space) {
    case StateSpace::Shared:
    case StateSpace::SharedCluster:
    case StateSpace::Generic:
      return is_float(form.type()) || size_of(form.type()) == 8;
    default:
      return false;
  }
}

// An atomic of which a warp's lanes may become one: not a compare-and-swap.
bool is_combined(const Form& form) {
  const MemoryUse use = form.effects().memory;
  return (use == MemoryUse::Atomic && !form.has(Modifier::Cas)) || use == MemoryUse::Reduce;
}

// How it is known whether it is a reduction, and which lanes do it.
Known atomic_known(const Form& form, const LoweredAccess& access, MachineSays says) {
  if (access.atomic != AtomicForm::EveryLane) return Known::Rule;
  if (says == (access.reduction ? MachineSays::Reduction : MachineSays::Access)) return Known::MachineCode;
  const bool turned = form.opcode == Opcode::Atom && access.reduction;
  return turned ? Known::Rule : Known::AsWritten;
}

// Who leads an access, and what of it is executed: the joins, and loads that repeat one whose value is at
// hand, which go with whatever carries that one out.
std::vector<LoweredAccess> lower_accesses(const Module& module, const Function& function, const Told& told) {
  const std::vector<ExecutedAs>& executed = told.executed;
  const bool by_machine_code = told.by == Known::MachineCode;
  const std::vector<std::uint32_t> repeats = redundant_loads(module, function);
  const std::vector<AtomicExecution> atomics = atomic_executions(module, function);
  std::vector<LoweredAccess> out(executed.size());
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const ExecutedAs& as = executed[i];
    const Form& form = module.form(function.instructions[i]);
    const int written = bytes_as_written(form);
    const bool alone = as.leader == i && (by_machine_code ? as.in_registers : as.bytes == written);
    LoweredAccess& access = out[i];
    access.leader = repeats[i] != kNone && alone ? executed[repeats[i]].leader : as.leader;
    access.bytes = as.bytes;
    access.offset = as.offset;
    access.dropped = (as.in_registers && access.leader == i) || told.free[i];
    access.reduction = atomics[i].reduction;
    access.atomic = atomics[i].form;
    // Of constants the machine code tells which are operands: what it does not load is one.
    const bool constant = form.space == StateSpace::Const;
    const MachineSays says = !by_machine_code ? MachineSays::Nothing
                             : constant       ? MachineSays::Access
                                              : told.machine[i];
    const bool as_written = access.leader == i && (as.bytes == 0 || as.bytes == written) && !access.dropped;
    access.known = says != MachineSays::Nothing ? Known::MachineCode
                   : as_written                 ? Known::AsWritten
                                                : Known::Rule;
    access.loop_in_shared = loops_in_shared(form);
    if (is_combined(form)) access.known = weaker(access.known, atomic_known(form, access, says));
    // The loop around a compare-and-swap stands in no PTX.
    if (access.loop_in_shared && !by_machine_code) access.known = Known::Rule;
  }
  return out;
}

// How it is known what becomes of branches and barriers, and how often what a loop holds is executed.
void know_the_way(const Module& module, const Function& function, Lowered& out) {
  const bool by_machine_code = out.provider == Known::MachineCode;
  for (std::uint32_t i = 0; i < out.accesses.size(); ++i) {
    const Effects& effects = module.form(function.instructions[i]).effects();
    const bool branches = effects.control == Control::Branch || effects.control == Control::Table;
    const bool leaves = branches && out.branches.forms[i] != BranchForm::Branches;
    if (branches || effects.control == Control::Barrier || effects.memory == MemoryUse::Barrier)
      out.accesses[i].known = by_machine_code ? Known::MachineCode : leaves ? Known::Rule : Known::AsWritten;
  }
  if (by_machine_code) return;
  for (const UnrolledLoop& loop : out.loops)
    for (std::uint32_t i = loop.first; i <= loop.branch && i < out.accesses.size(); ++i)
      out.accesses[i].known = Known::Rule;
}

}  // namespace

Lowered lower(const Module& module, const Function& function) {
  ++g_times_lowered;
  Told told = function.machine.empty() ? by_rules(module, function) : by_machine_code(module, function);
  Lowered out;
  out.provider = told.by;
  out.giant = is_giant(function) || has_too_many_loads(module, function);
  out.accesses = lower_accesses(module, function, told);
  out.branches = std::move(told.branches);
  out.added_branches = std::move(told.added_branches);
  out.loops = facts_of(module, function)->loops();
  out.meeting = std::move(told.meeting);
  out.contracted = contracted_products(module, function);
  out.weights = machine_weights(module, function);
  out.spills = spills(module, function);
  out.saved_words = told.saved_words;
  know_the_way(module, function, out);
  return out;
}

std::uint64_t times_lowered() {
  return g_times_lowered;
}

std::shared_ptr<const Lowered> lowered(const Module& module, const Function& function) {
  const auto entry = module.derived.kept().of(module, function);
  if (entry == nullptr) return std::make_shared<const Lowered>(lower(module, function));
  std::call_once(entry->lowered_once,
                 [&] { entry->lowered = std::make_shared<const Lowered>(lower(module, function)); });
  return entry->lowered;
}

}  // namespace warplens::ptx
