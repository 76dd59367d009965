// Faults and notes of a run: which thread, which line, kept in the order of blocks whatever the schedule.
#include <fmt/format.h>

#include <bit>

#include "engine/simt/cta.h"
#include "engine/simt/warp.h"
#include "engine/simt/worker.h"

namespace warplens::simt {

namespace {

std::string index_text(Dim3 i) {
  return fmt::format("({},{},{})", i.x, i.y, i.z);
}

}  // namespace

trace::Fault make_fault(Warp& warp, const Op& op, trace::FaultKind kind, unsigned lane,
                        const std::string& what, std::uint64_t address) {
  const InstructionInfo& info = warp.worker->program->instructions[op.instruction];
  trace::Fault fault;
  fault.kind = kind;
  fault.site = info.site;
  fault.line = info.line;
  fault.ptx_line = info.ptx_line;
  fault.block = warp.cta->block_index();
  fault.thread = warp.cta->thread_index(warp, lane);
  fault.address = address;
  const std::string place =
      info.line != 0 ? fmt::format("line {}", info.line) : fmt::format("PTX line {}", info.ptx_line);
  fault.message = fmt::format("{}, block {}, thread {}: {}.", place, index_text(fault.block),
                              index_text(fault.thread), what);
  return fault;
}

void add_fault(Warp& warp, trace::Fault fault, std::uint64_t count) {
  Worker& worker = *warp.worker;
  worker.faults_total += count;
  const bool fatal = trace::is_fatal(fault.kind);
  // The same mistake on the same line by the next thousand threads adds to the total only.
  const auto key = std::make_tuple(static_cast<int>(fault.kind), fault.ptx_line, fault.other_line);
  const bool first = worker.reported.insert(key).second;
  std::vector<trace::Fault>& kept = worker.faults[warp.cta->block()];
  if ((first || fatal) && kept.size() < worker.state->options->max_faults) kept.push_back(std::move(fault));
  if (fatal) throw StopBlock{StopBlock::Why::Fault};
}

void report_fault(Warp& warp, const Op& op, trace::FaultKind kind, LaneMask lanes, const std::string& what,
                  std::uint64_t address) {
  if (lanes == 0) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  const int n = active_lanes(lanes);
  const std::string all =
      n == 1 ? what : fmt::format("{} (and {} more lane{} of its warp)", what, n - 1, n == 2 ? "" : "s");
  add_fault(warp, make_fault(warp, op, kind, lane, all, address), static_cast<std::uint64_t>(n));
}

void report_note(Warp& warp, const std::string& note) {
  warp.worker->notes.insert(note);
}

}  // namespace warplens::simt
