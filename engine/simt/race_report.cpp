#include "engine/simt/race_report.h"

#include <algorithm>

#include "engine/simt/memory_faults.h"
#include "engine/simt/worker.h"

namespace warplens::simt {

namespace {

using Doing = ScreenedAccess::Doing;

// Threads of one warp, of one block, of different blocks: a mistake that shows between warps needs the cure
// for warps, even if it was seen first between two lanes.
enum Gravity : int { kSameWarp, kSameBlock, kOtherBlock };

const ptx::Form* form_of(const Current& now, std::uint32_t instruction) {
  const Kernel::Program& program = *now.warp.worker->program;
  if (instruction >= program.instructions.size()) return nullptr;
  const InstructionInfo& info = program.instructions[instruction];
  const ptx::Module& module = *program.module;
  return &module.form(module.functions[info.function].instructions[info.index]);
}

// Are they the load and the store of one statement, and of one expression in it, as in  n += 1?
bool same_place_twice(const Current& now, std::uint32_t earlier) {
  const Kernel::Program& program = *now.warp.worker->program;
  if (earlier >= program.instructions.size() || earlier == now.op.instruction) return false;
  const InstructionInfo &here = program.instructions[now.op.instruction],
                        &there = program.instructions[earlier];
  if (here.line == 0 || here.line != there.line || here.function != there.function) return false;
  const std::vector<ptx::Instruction>& code = program.module->functions[here.function].instructions;
  const auto address = [&](const InstructionInfo& info) -> const ptx::Operand* {
    for (const ptx::Operand& operand : code[info.index].operands)
      if (operand.kind == ptx::OperandKind::Address) return &operand;
    return nullptr;
  };
  const ptx::Operand *a = address(here), *b = address(there);
  return a != nullptr && b != nullptr && a->reg == b->reg && a->symbol == b->symbol && a->value == b->value;
}

// What would have ordered the two, or made them one.
Key cure_of(const Current& now, const Mark& earlier, bool same_block, bool same_warp) {
  if (now.space == trace::Space::Shared && !same_block) return {"fault.cure.cluster_sync"};
  if (!same_block && earlier.strong() && now.strong) return {"fault.cure.wider_scope"};
  if (!same_block) return {"fault.cure.between_blocks"};
  if (same_place_twice(now, earlier.instruction())) return {"fault.cure.atomic"};
  return {same_warp ? "fault.cure.syncwarp" : "fault.cure.syncthreads"};
}

}  // namespace

void report_race(const Current& now, unsigned lane, std::uint64_t address, const Mark& earlier,
                 std::uint64_t earlier_block, bool earlier_wrote) {
  const Worker& worker = *now.warp.worker;
  const std::uint32_t index = std::min<std::uint32_t>(
      earlier.instruction(), static_cast<std::uint32_t>(worker.program->instructions.size() - 1));
  const InstructionInfo& info = worker.program->instructions[index];
  const trace::Launch& launch = *worker.state->launch;
  const bool same_block = earlier_block == now.warp.cta->block();
  const bool same_warp = same_block && earlier.thread() / kWarpSize == now.warp.index;
  const Gravity gravity = same_warp ? kSameWarp : same_block ? kSameBlock : kOtherBlock;
  if (told_before(now.warp, now.op, trace::FaultKind::Race, info.line, gravity)) return;
  const Dim3 other_block = unflatten(earlier_block, launch.grid);
  const Dim3 other_thread = unflatten(earlier.thread(), launch.block);
  const auto doing = [](bool reads) { return Key{reads ? "fault.doing.reads" : "fault.doing.writes"}; };
  Message what{"fault.race",
               {{"doing", doing(now.what == Doing::Read)},
                {"place", value_of(place_message(now.op, now.warp, now.space, address))},
                {"thread", index_text(other_thread)},
                {"block", index_text(other_block)},
                {"other_doing", doing(!earlier_wrote)},
                {"line", value_of(info.line != 0 ? info.line : info.ptx_line)},
                {"cure", cure_of(now, earlier, same_block, same_warp)}}};
  trace::Fault fault = make_fault(now.warp, now.op, trace::FaultKind::Race, lane, std::move(what), address);
  fault.other_line = info.line;
  fault.other_block = other_block;
  fault.other_thread = other_thread;
  add_fault(now.warp, std::move(fault), 1, gravity);
}

void report_unwritten(const Current& now, unsigned lane, std::uint64_t address) {
  if (told_before(now.warp, now.op, trace::FaultKind::UninitialisedRead, 0, 0)) return;
  report_fault(
      now.warp, now.op, trace::FaultKind::UninitialisedRead, 1u << lane,
      {"fault.unwritten", {{"place", value_of(place_message(now.op, now.warp, now.space, address))}}},
      address);
}

bool is_volatile(const Current& now, std::uint32_t instruction) {
  const ptx::Form* form = form_of(now, instruction);
  return form != nullptr && form->has("volatile");
}

bool ends_what_was_used(const Current& now, std::uint32_t instruction) {
  const ptx::Form *here = form_of(now, now.op.instruction), *there = form_of(now, instruction);
  return here != nullptr && there != nullptr && here->opcode == "mbarrier" && here->has("inval") &&
         there->opcode == "mbarrier" && !there->has("init");
}

bool has_block_scope(const Current& now, std::uint32_t instruction) {
  const ptx::Form* form = form_of(now, instruction);
  return form != nullptr && form->has("cta");
}

}  // namespace warplens::simt
