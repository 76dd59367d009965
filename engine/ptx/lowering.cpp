#include "engine/ptx/lowering.h"

#include <atomic>

#include "engine/ptx/added_branches.h"
#include "engine/ptx/as_executed.h"
#include "engine/ptx/constant_operands.h"
#include "engine/ptx/function_facts.h"
#include "engine/ptx/redundant_loads.h"
#include "engine/ptx/saved_registers.h"

namespace warplens::ptx {
namespace {

std::atomic<std::uint64_t> g_times_lowered = 0;

int bytes_as_written(const Form& form) {
  return size_of(form.type()) * form.vector_width;
}

// Who leads an access, and what of it is executed: the joins of as_executed(), and loads that repeat one
// whose value is at hand, which go with whatever carries that one out.
std::vector<LoweredAccess> lower_accesses(const Module& module, const Function& function,
                                          const std::vector<bool>& predicated) {
  const bool by_machine_code = !function.machine.empty();
  const std::vector<ExecutedAs> executed = as_executed(module, function);
  const std::vector<std::uint32_t> repeats = redundant_loads(module, function);
  const std::vector<AtomicExecution> atomics = atomic_executions(module, function);
  const std::vector<bool> free = free_constants(module, function, predicated);
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
    access.dropped = (as.in_registers && access.leader == i) || free[i];
    access.reduction = atomics[i].reduction;
    access.atomic = atomics[i].form;
    const bool as_written = access.leader == i && (as.bytes == 0 || as.bytes == written) && !access.dropped;
    access.known = by_machine_code ? Known::MachineCode : as_written ? Known::AsWritten : Known::Rule;
    const bool every_lane = access.atomic == AtomicForm::EveryLane;
    const bool turned = form.opcode == Opcode::Atom && access.reduction;
    access.atomic_known = every_lane && !turned ? Known::AsWritten : Known::Rule;
  }
  return out;
}

}  // namespace

Lowered lower(const Module& module, const Function& function) {
  ++g_times_lowered;
  Lowered out;
  out.provider = function.machine.empty() ? Known::Rule : Known::MachineCode;
  out.branches = executed_branches(module, function);
  out.accesses = lower_accesses(module, function, out.branches.predicated);
  out.added_branches = added_branches(module, function, out.branches);
  out.loops = facts_of(module, function)->loops();
  out.meeting = meeting_places(function);
  out.weights = machine_weights(module, function);
  out.spills = spills(module, function);
  out.saved_words = saved_words(module, function);
  return out;
}

std::uint64_t times_lowered() {
  return g_times_lowered;
}

}  // namespace warplens::ptx
