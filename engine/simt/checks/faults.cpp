// Faults and notes of a run: which thread, which line, kept in the order of blocks whatever the schedule.
#include <bit>

#include "engine/simt/exec/cta.h"
#include "engine/simt/exec/warp.h"
#include "engine/simt/lasting_memory.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

int near_line(const Kernel::Program& program, std::uint32_t instruction) {
  constexpr std::uint32_t kNear = 8;
  const std::uint32_t function = program.instructions[instruction].function;
  for (std::uint32_t i = instruction; i < program.instructions.size() && i <= instruction + kNear; ++i)
    if (program.instructions[i].function == function && program.instructions[i].line != 0)
      return program.instructions[i].line;
  return 0;
}

trace::Fault make_fault(Warp& warp, const Op& op, trace::FaultKind kind, unsigned lane, Message what,
                        std::uint64_t address) {
  const InstructionInfo& info = warp.worker->program->instructions[op.instruction];
  trace::Fault fault;
  fault.kind = kind;
  fault.site = info.site;
  fault.line = info.line;
  fault.ptx_line = info.ptx_line;
  fault.block = warp.cta->block_index();
  fault.thread = warp.cta->thread_index(warp, lane);
  fault.address = address;
  fault.what = std::move(what);
  if (const int near = info.line == 0 ? near_line(*warp.worker->program, op.instruction) : 0; near != 0)
    fault.what = {"fault.near_line", {{"line", value_of(near)}, {"what", value_of(std::move(fault.what))}}};
  return fault;
}

FaultKey key_of(const trace::Fault& fault) {
  // Lines of PTX are negative, so that they never meet those of the source. What is let pass hides nothing
  // that ends the launch.
  constexpr int kLetPass = 256;
  return {static_cast<int>(fault.kind) + (was_let_pass(fault) ? kLetPass : 0),
          fault.line != 0 ? fault.line : -fault.ptx_line, fault.other_line};
}

void add_fault(Warp& warp, trace::Fault fault, std::uint64_t count, int gravity, bool final) {
  Worker& worker = *warp.worker;
  worker.faults_in[warp.cta->block()] += count;
  const bool fatal = final && trace::is_fatal(fault.kind) && !was_let_pass(fault);
  // The same mistake on the same line by the next thousand threads adds to the total only.
  const FaultKey key = key_of(fault);
  const auto [told, first] = worker.reported.try_emplace(key, gravity);
  std::vector<trace::Fault>& kept = worker.faults[warp.cta->block()];
  if (!first && told->second < gravity) {
    told->second = gravity;
    for (auto& [block, faults] : worker.faults)
      std::erase_if(faults, [&](const trace::Fault& other) { return key_of(other) == key; });
    kept.push_back(std::move(fault));
  } else if ((first || fatal) && kept.size() < worker.state->options->max_faults) {
    kept.push_back(std::move(fault));
  }
  if (fatal) throw StopBlock{StopBlock::Why::Fault};
}

bool told_before(Warp& warp, const Op& op, trace::FaultKind kind, int other_line, int gravity) {
  const InstructionInfo& info = warp.worker->program->instructions[op.instruction];
  trace::Fault fault;
  fault.kind = kind;
  fault.line = info.line;
  fault.ptx_line = info.ptx_line;
  fault.other_line = other_line;
  const auto told = warp.worker->reported.find(key_of(fault));
  if (told == warp.worker->reported.end() || told->second < gravity) return false;
  ++warp.worker->faults_in[warp.cta->block()];
  return true;
}

void report_fault(Warp& warp, const Op& op, trace::FaultKind kind, LaneMask lanes, Message what,
                  std::uint64_t address) {
  if (lanes == 0) return;
  if (!trace::is_fatal(kind) && told_before(warp, op, kind, 0, 0)) {
    warp.worker->faults_in[warp.cta->block()] += static_cast<std::uint64_t>(active_lanes(lanes)) - 1;
    return;
  }
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  const int n = active_lanes(lanes);
  if (n > 1) {
    what = {"fault.and_more", {{"what", value_of(std::move(what))}, {"lanes", value_of(n - 1)}}};
  }
  add_fault(warp, make_fault(warp, op, kind, lane, std::move(what), address), static_cast<std::uint64_t>(n));
}

void report_note(Warp& warp, const char* key, int line) {
  warp.worker->notes.emplace(key, line);
}

}  // namespace warplens::simt
