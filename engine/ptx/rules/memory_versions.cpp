#include "engine/ptx/rules/memory_versions.h"

#include <algorithm>

#include "engine/base/work_limit.h"
#include "engine/ptx/facts/machine_cost.h"

namespace warplens::ptx {
namespace {

// ptxas joins nothing across a call.
bool is_harmless(const Form& form) {
  return form.effects().is(kQuiet) && execution_of(form) != Execution::Subroutine;
}

// Stores and atomics change what they name; without a name they may mean any memory.
bool stores_to(const Form& form, StateSpace space) {
  return form.space == space || form.space == StateSpace::Generic ||
         (space == StateSpace::Shared && form.space == StateSpace::SharedCluster);
}

bool is_plain_store(const Form& form) {
  const MemoryUse use = form.effects().memory;
  return use == MemoryUse::Store || use == MemoryUse::Atomic || use == MemoryUse::Reduce;
}

}  // namespace

bool changes_shared(const Form& form) {
  if (is_plain_store(form)) return stores_to(form, StateSpace::Shared);
  return !is_harmless(form);  // barriers, fences, calls, asynchronous copies, and what is unknown
}

bool changes_local(const Form& form) {
  if (is_plain_store(form)) return stores_to(form, StateSpace::Local);
  // No other thread sees local memory: a barrier orders nothing here.
  return !is_harmless(form) && !form.effects().is(kOrders);
}

std::vector<std::uint32_t> memory_versions(const Module& module, const Function& function,
                                           bool (*changes)(const Form&)) {
  const std::size_t count = function.blocks.size();
  std::vector<bool> form_changes(module.forms.size());
  for (std::size_t i = 0; i < module.forms.size(); ++i) form_changes[i] = changes(module.forms[i]);
  std::vector<bool> ends(count, false);  // whether the block has such an instruction
  for (std::size_t b = 0; b < count; ++b) {
    for (std::uint32_t i = function.blocks[b].first; i < function.blocks[b].last; ++i) {
      ends[b] = ends[b] || form_changes[function.instructions[i].form];
    }
  }
  // A block starts in the version that all blocks before it end in, else in one of its own: 2b + 1. A block
  // that changes the memory ends in version 2b + 2. A block that cannot settle gets its own.
  constexpr std::uint8_t kPatience = 16;
  std::vector<std::uint8_t> changed(count, 0);
  std::vector<std::uint32_t> start(count, kNone);
  std::vector<std::uint32_t> work;
  std::vector<bool> waiting(count, false);
  const auto end_of = [&](std::uint32_t b) { return ends[b] ? 2 * b + 2 : start[b]; };
  if (count > 0) {
    start[0] = 1;
    for (std::uint32_t b = static_cast<std::uint32_t>(count); b-- > 0;) work.push_back(b);
    waiting.assign(count, true);
  }
  while (!work.empty()) {
    work_step();
    const std::uint32_t b = work.back();
    work.pop_back();
    waiting[b] = false;
    std::uint32_t now = b == 0 ? 1 : kNone;
    for (const std::uint32_t from : function.blocks[b].predecessors) {
      const std::uint32_t version = end_of(from);
      if (version == kNone || version == now) continue;
      now = now == kNone ? version : 2 * b + 1;
    }
    if (start[b] == 2 * b + 1 || changed[b] == kPatience) now = 2 * b + 1;
    if (now == start[b]) continue;
    start[b] = now;
    changed[b] = std::min<std::uint8_t>(kPatience, changed[b] + 1);
    for (const std::uint32_t to : function.blocks[b].successors) {
      if (!waiting[to]) work.push_back(to);
      waiting[to] = true;
    }
  }
  return start;
}

}  // namespace warplens::ptx
