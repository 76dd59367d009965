#include "engine/simt/checks/race_cure.h"

#include "engine/ptx/facts/address_form.h"
#include "engine/simt/checks/memory_faults.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

namespace {

using Doing = ScreenedAccess::Doing;

// Are they the load and, behind it without a branch between, the store of one statement, and of one
// expression in it, as in  n += 1?
bool same_place_twice(const Current& now, std::uint32_t earlier) {
  const Kernel::Program& program = *now.warp.worker->program;
  if (earlier >= program.instructions.size() || earlier == now.op.instruction) return false;
  const InstructionInfo &here = program.instructions[now.op.instruction],
                        &there = program.instructions[earlier];
  if (here.line == 0 || here.line != there.line || here.function != there.function) return false;
  const InstructionInfo& store = now.what == Doing::Read ? there : here;
  if (now.what != Doing::Both && store.index < (now.what == Doing::Read ? here : there).index) return false;
  const ptx::Function& function = program.module->functions[here.function];
  if (function.block_of[here.index] != function.block_of[there.index]) return false;
  const std::vector<ptx::Instruction>& code = function.instructions;
  const ptx::Operand *a = ptx::first_address(code[here.index]), *b = ptx::first_address(code[there.index]);
  return a != nullptr && b != nullptr && a->reg == b->reg && a->symbol == b->symbol && a->value == b->value;
}

bool is_atomic(const ptx::Form* form) {
  return form != nullptr && (form->opcode == ptx::Opcode::Atom || form->opcode == ptx::Opcode::Red);
}
// As locks are taken and given back.
bool swaps(const ptx::Form* form) {
  return is_atomic(form) && (form->has(ptx::Modifier::Cas) || form->has(ptx::Modifier::Exch));
}

MessageValue line_of(const Current& now, std::uint32_t instruction) {
  return value_of(line_message(*now.warp.worker->program, instruction));
}

// Two accesses as their cure sees them.
struct Pair {
  const Current& now;
  std::uint64_t address = 0;
  const Mark& earlier;
  std::uint64_t earlier_block = 0;
  bool earlier_wrote = false, same_block = false, same_warp = false;

  bool mixed() const { return now.strong != earlier.strong(); }
  std::uint32_t strong() const { return now.strong ? now.op.instruction : earlier.instruction(); }
  std::uint32_t plain() const { return now.strong ? earlier.instruction() : now.op.instruction; }
  bool plain_writes() const { return now.strong ? earlier_wrote : now.what != Doing::Read; }
};

// Does this use of a flag come behind that access, in time or in the text of one thread?
bool comes_behind(const Mark& use, const Mark& access) {
  return use.time() > access.time() || (use.time() == access.time() && use.thread() == access.thread() &&
                                        use.instruction() > access.instruction());
}

// The atomic or volatile write with which the one side told of its access and at which the other has looked,
// without a fence between: that is what is missing. nullptr: they have no such place in common.
const FlagUse* told_without_fence(const Pair& pair, bool by_lock) {
  const Current& now = pair.now;
  const auto& others = now.warp.worker->state->shadow->told;
  std::span<const FlagUse> told = now.block.told.all();
  if (!pair.same_block) {
    const auto found = others.find(static_cast<std::uint32_t>(pair.earlier_block));
    if (found == others.end()) return nullptr;
    told = found->second.all();
  }
  const auto fits = [&](const FlagUse& use) { return !by_lock || swaps(form_of(now, use.by.instruction())); };
  for (const FlagUse& use : told) {
    if (!use.by.used() || !comes_behind(use.by, pair.earlier) || !fits(use)) continue;
    for (const FlagUse& look : now.block.looked.all()) {
      const bool own = !pair.same_block || look.by.thread() / kWarpSize == now.warp.index;
      if (look.by.used() && look.address == use.address && own && fits(look)) return &use;
    }
  }
  return nullptr;
}

// One side is atomic or volatile, the other is not.
Message cure_of_mixed(const Pair& pair) {
  const Current& now = pair.now;
  const ptx::Form* strong = form_of(now, pair.strong());
  const MessageValue line = line_of(now, pair.strong());
  if (!is_atomic(strong)) return {"fault.cure.flag", {{"line", line}}};
  if (swaps(strong) && pair.plain_writes() && pair.plain() > pair.strong())
    return {"fault.cure.lock", {{"line", line}}};
  if (!pair.same_block)
    return {pair.plain_writes() ? "fault.cure.plain_write" : "fault.cure.plain_read", {{"line", line}}};
  return {pair.same_warp ? "fault.cure.syncwarp" : "fault.cure.syncthreads", {}};
}

// The swap by which this block takes the place as a lock; nullptr: it does not.
const FlagUse* taken_as_lock(const Pair& pair) {
  for (const FlagUse& look : pair.now.block.looked.all())
    if (look.by.used() && look.address == pair.address && swaps(form_of(pair.now, look.by.instruction())))
      return &look;
  return nullptr;
}

Message cure_of_plain(const Pair& pair) {
  const bool both_write = pair.earlier_wrote && pair.now.what != Doing::Read;
  if (const FlagUse* taken = both_write ? taken_as_lock(pair) : nullptr)
    return {"fault.cure.lock", {{"line", line_of(pair.now, taken->by.instruction())}}};
  const bool changes = same_place_twice(pair.now, pair.earlier.instruction());
  if (const FlagUse* use = told_without_fence(pair, changes)) {
    return {pair.same_block ? "fault.cure.fence_block" : "fault.cure.fence",
            {{"line", line_of(pair.now, use->by.instruction())}}};
  }
  if (changes) return {pair.same_block ? "fault.cure.atomic" : "fault.cure.atomic_between_blocks", {}};
  if (both_write && pair.earlier.instruction() == pair.now.op.instruction)
    return {pair.same_block ? "fault.cure.own_element" : "fault.cure.own_element_of_block", {}};
  if (!pair.same_block)
    return {both_write ? "fault.cure.own_element_of_block" : "fault.cure.between_blocks", {}};
  return {pair.same_warp ? "fault.cure.syncwarp" : "fault.cure.syncthreads", {}};
}

}  // namespace

Message cure_of(const Current& now, std::uint64_t address, const Mark& earlier, std::uint64_t earlier_block,
                bool earlier_wrote) {
  Pair pair{now, address, earlier, earlier_block, earlier_wrote};
  pair.same_block = earlier_block == now.warp.cta->block();
  pair.same_warp = pair.same_block && earlier.thread() / kWarpSize == now.warp.index;
  if (now.space == trace::Space::Shared && !pair.same_block) return {"fault.cure.cluster_sync", {}};
  if (pair.mixed()) return cure_of_mixed(pair);
  if (now.strong && !pair.same_block) return {"fault.cure.wider_scope", {}};
  return cure_of_plain(pair);
}

}  // namespace warplens::simt
