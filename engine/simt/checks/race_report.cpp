#include "engine/simt/checks/race_report.h"

#include <algorithm>
#include <bit>

#include "engine/simt/checks/memory_faults.h"
#include "engine/simt/checks/race_cure.h"
#include "engine/simt/launch/worker.h"
#include "engine/simt/load/value_flow.h"

namespace warplens::simt {

namespace {

using Doing = ScreenedAccess::Doing;

// Threads of one warp, of one block, of different blocks: a mistake that shows between warps needs the cure
// for warps, even if it was seen first between two lanes.
enum Gravity : int { kSameWarp, kSameBlock, kOtherBlock };

// What value_flow.h says of an instruction; asked once.
bool answer(const Current& now, std::uint32_t instruction,
            bool (*ask)(const ptx::Module&, const ptx::Function&, std::uint32_t)) {
  Worker& worker = *now.warp.worker;
  const Kernel::Program& program = *worker.program;
  if (instruction >= program.instructions.size()) return false;
  worker.value_flow.resize(program.instructions.size());
  Worker::Answer& known = worker.value_flow[instruction];
  if (known == Worker::Answer::Unknown) {
    const InstructionInfo& info = program.instructions[instruction];
    const bool yes = ask(*program.module, program.module->functions[info.function], info.index);
    known = yes ? Worker::Answer::Yes : Worker::Answer::No;
  }
  return known == Worker::Answer::Yes;
}

}  // namespace

const ptx::Form* form_of(const Current& now, std::uint32_t instruction) {
  const Kernel::Program& program = *now.warp.worker->program;
  return instruction < program.instructions.size() ? &program.form_of(instruction) : nullptr;
}

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
  const auto doing = [&](std::uint32_t instruction, bool reads) {
    const ptx::Form* form = form_of(now, instruction);
    const bool updates = form != nullptr && (form->effects().memory == ptx::MemoryUse::Atomic ||
                                             form->effects().memory == ptx::MemoryUse::Reduce);
    return Key{reads     ? "fault.doing.reads"
               : updates ? "fault.doing.updates_atomically"
                         : "fault.doing.writes"};
  };
  Message what{"fault.race",
               {{"doing", doing(now.op.instruction, now.what == Doing::Read)},
                {"place", value_of(place_message(now.op, now.warp, now.space, address))},
                {"thread", index_text(other_thread)},
                {"block", index_text(other_block)},
                {"other_doing", doing(index, !earlier_wrote)},
                {"line", value_of(line_message(*worker.program, index))},
                {"cure", value_of(cure_of(now, address, earlier, earlier_block, earlier_wrote))}}};
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

void report_unwritten(const Current& now, LaneMask lanes, const std::uint64_t* addresses) {
  if (told_before(now.warp, now.op, trace::FaultKind::UninitialisedRead, 0, 0)) return;
  const std::uint64_t address = addresses[std::countr_zero(lanes)];
  report_fault(now.warp, now.op, trace::FaultKind::UninitialisedRead, lanes,
               {"fault.unwritten_allocation",
                {{"place", value_of(place_message(now.op, now.warp, now.space, address))}}},
               address);
}

bool is_volatile(const Current& now, std::uint32_t instruction) {
  const ptx::Form* form = form_of(now, instruction);
  return form != nullptr && form->has(ptx::Modifier::Volatile);
}

bool is_checked_by_swap(const Current& now, const Mark& earlier) {
  if (now.strong == earlier.strong() || now.what == Doing::Write) return false;
  return answer(now, now.strong ? earlier.instruction() : now.op.instruction, is_compared_by_swap);
}

void find_use(Current& now) {
  const Kernel::Program& program = *now.warp.worker->program;
  const std::uint32_t site = program.instructions[now.op.instruction].site;
  const bool unused = kind_of(now.op) == trace::SiteKind::Reduction ||
                      (site != trace::kNoSite && program.sites[site].reduction);
  now.looks = now.what != Doing::Write && !unused;
  now.asked_for = now.looks && now.what == Doing::Both && answer(now, now.op.instruction, decides_something);
}

bool ends_what_was_used(const Current& now, std::uint32_t instruction) {
  const ptx::Form *here = form_of(now, now.op.instruction), *there = form_of(now, instruction);
  return here != nullptr && there != nullptr && here->opcode == ptx::Opcode::Mbarrier &&
         here->has(ptx::Modifier::Inval) && there->opcode == ptx::Opcode::Mbarrier &&
         !there->has(ptx::Modifier::Init);
}

bool has_block_scope(const Current& now, std::uint32_t instruction) {
  const ptx::Form* form = form_of(now, instruction);
  return form != nullptr && form->has(ptx::Modifier::Cta);
}

}  // namespace warplens::simt
