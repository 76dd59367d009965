// Block barriers. They count threads, as GPUs since compute capability 7.0 do: threads that have ended drop
// out, and lanes of one warp may arrive at different instructions.
#include <fmt/format.h>

#include <bit>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/simt/checks/memory_faults.h"
#include "engine/simt/exec/cta.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

namespace {

std::uint32_t first_lane_value(Warp& warp, std::uint32_t offset, LaneMask mask) {
  return row<u32>(warp, offset)[std::countr_zero(mask)];
}

}  // namespace

void Cta::emit_barrier(WarpControl& w, const Segment& segment, LaneMask lanes, trace::Barrier::Phase phase,
                       std::uint32_t id) {
  if (worker_.events.barriers.empty()) return;
  trace::Barrier event;
  event.site = segment.site;
  event.warp = {block_, w.warp.index};
  event.lanes = lanes;
  event.phase = phase;
  event.id = id;
  for (trace::Listener* listener : worker_.events.barriers) listener->on_barrier(event);
}

void Cta::arrive(WarpControl& w, std::size_t split, const Segment& segment) {
  Split& s = w.splits[split];
  const BarrierInfo& info = program_.barriers[segment.detail];
  if (info.kind == BarrierInfo::Kind::ClusterArrive) return arrive_at_cluster(w, split, segment);
  if (info.kind == BarrierInfo::Kind::ClusterWait) return wait_for_cluster(w, split, segment);
  const std::uint32_t id = first_lane_value(w.warp, info.id, s.mask);
  if (id >= kBarriers) {
    report_fault(w.warp, program_.ops[segment.op], trace::FaultKind::IllegalInstruction, s.mask,
                 {"fault.barrier.number", {{"id", value_of(id)}}});
  }
  BarrierState& barrier = barriers_[id];
  std::uint32_t count = static_cast<std::uint32_t>(std::popcount(s.mask));
  if (info.threads != kNoRow) {
    barrier.expected = first_lane_value(w.warp, info.threads, s.mask);
    // Counted barriers are given in whole warps: a warp that arrives with all it has counts 32.
    if ((s.mask | w.warp.exited) == kFullMask) count = kWarpSize;
  } else {
    barrier.expected = 0;
  }
  emit_barrier(w, segment, s.mask, trace::Barrier::Phase::Arrive, id);
  if (barrier.expected != 0 && shadow_ != nullptr) shadow_tell(w.warp, shadow_->clocks.counted(id));
  barrier.arrived += count;
  if (info.predicate != kNoRow) {
    const LaneMask holds = read_predicate(w.warp, info.predicate) & s.mask;
    barrier.popc += static_cast<std::uint32_t>(std::popcount(holds));
    barrier.any_of |= holds != 0;
    barrier.all_of &= holds == s.mask;
  }
  if (info.kind == BarrierInfo::Kind::Arrive) {
    advance(w, split, segment.next);
  } else {
    ++barrier.waiting;
    s.state = Split::State::AtBarrier;
    s.barrier = id;
  }
  check_barriers();
}

void Cta::check_barriers() {
  for (std::uint32_t id = 0; id < kBarriers; ++id) {
    const BarrierState& barrier = barriers_[id];
    if (barrier.arrived == 0) continue;
    const std::uint32_t expected = barrier.expected != 0 ? barrier.expected : alive_;
    if (barrier.arrived >= expected) release(id);
  }
}

void Cta::release(std::uint32_t id) {
  const BarrierState barrier = barriers_[id];
  if (worker_.state->options->checks == Checks::All && barrier.expected == 0) judge_barrier(id);
  barriers_[id] = {};
  ++progress_;
  const bool partial = barrier.expected != 0 && shadow_ != nullptr;
  if (!partial) order_accesses();
  for (WarpControl& w : warps_) {
    for (std::size_t i = w.splits.size(); i-- > 0;) {
      Split& s = w.splits[i];
      if (s.state != Split::State::AtBarrier || s.barrier != id) continue;
      const Segment& segment = program_.segments[s.segment];
      const BarrierInfo& info = program_.barriers[segment.detail];
      switch (info.kind) {
        case BarrierInfo::Kind::RedPopc:
          for (unsigned l = 0; l < kWarpSize; ++l) {
            if (lane_in(s.mask, l)) row<u32>(w.warp, info.d)[l] = barrier.popc;
          }
          break;
        case BarrierInfo::Kind::RedAnd:
          write_predicate(w.warp, info.d, barrier.all_of ? kFullMask : 0, s.mask);
          break;
        case BarrierInfo::Kind::RedOr:
          write_predicate(w.warp, info.d, barrier.any_of ? kFullMask : 0, s.mask);
          break;
        case BarrierInfo::Kind::Sync:
        case BarrierInfo::Kind::Arrive:
        case BarrierInfo::Kind::ClusterArrive:
        case BarrierInfo::Kind::ClusterWait:
          break;
      }
      if (partial) shadow_->clocks.take(w.warp.index, shadow_->clocks.counted(id));
      emit_barrier(w, segment, s.mask, trace::Barrier::Phase::Release, id);
      advance(w, i, segment.next);
      w.barrier_passed = true;
    }
  }
  if (partial) shadow_->clocks.counted(id).clear();
}

// A barrier of all threads opens although some have ended, or wait at another __syncthreads(): GPUs since
// compute capability 7.0 count threads and go on, but CUDA asks for every thread at the same one.
void Cta::judge_barrier(std::uint32_t id) {
  std::optional<std::uint32_t> first;  // instruction
  int first_line = 0;
  const auto line_of = [this](const Op& op) {
    const InstructionInfo& info = program_.instructions[op.instruction];
    return info.line != 0 ? info.line : -info.ptx_line;
  };
  for (WarpControl& w : warps_) {
    for (const Split& s : w.splits) {
      if (s.state != Split::State::AtBarrier || s.barrier != id) continue;
      const Segment& segment = program_.segments[s.segment];
      const Op& op = program_.ops[segment.op];
      Message what;
      if (!first && alive_ < threads_) {
        what = {"fault.barrier.returned",
                {{"returned", value_of(threads_ - alive_)}, {"threads", value_of(threads_)}}};
      } else if (first && line_of(op) != first_line) {
        what = {"fault.barrier.another", {{"line", value_of(line_message(program_, *first))}}};
      }
      if (!first) {
        first = op.instruction;
        first_line = line_of(op);
      }
      if (what.key.empty() || told_before(w.warp, op, trace::FaultKind::DivergentBarrier, 0, 0)) continue;
      const auto lane = static_cast<unsigned>(std::countr_zero(s.mask));
      add_fault(w.warp, make_fault(w.warp, op, trace::FaultKind::DivergentBarrier, lane, what, 0), 1, 0,
                false);
    }
  }
}

// No split of the block can run: names who waits where, and for whom. Lanes that wait for lanes of their own
// warp come first: those are missing at the block's barrier too.
void Cta::stuck() {
  for (WarpControl& w : warps_) {
    for (const Split& s : w.splits) {
      if (s.state != Split::State::AtSync) continue;
      const Segment& segment = program_.segments[s.segment];
      const LaneMask missing = s.members & ~s.mask & ~w.warp.exited;
      report_fault(w.warp, program_.ops[segment.op], trace::FaultKind::Deadlock, s.mask,
                   {"fault.lanes.missing", {{"mask", value_of(fmt::format("0x{:08x}", missing))}}});
    }
  }
  for (WarpControl& w : warps_) {
    for (const Split& s : w.splits) {
      if (s.state != Split::State::AtBarrier) continue;
      if (s.barrier == kClusterBarrier) report_cluster_wait(w, s);
      const Segment& segment = program_.segments[s.segment];
      const BarrierState& barrier = barriers_[s.barrier];
      const std::uint32_t expected = barrier.expected != 0 ? barrier.expected : alive_;
      report_fault(w.warp, program_.ops[segment.op], trace::FaultKind::DivergentBarrier, s.mask,
                   {barrier.expected != 0 ? "fault.barrier.count" : "fault.barrier.not_all",
                    {{"id", value_of(s.barrier)},
                     {"expected", value_of(expected)},
                     {"arrived", value_of(barrier.arrived)}}});
    }
  }
  throw StopBlock{StopBlock::Why::Fault};
}

// Those that look for a change come first: whoever waits at a barrier, or for lanes of its warp, waits for
// them.
void Cta::report_spinning(const Waiting& waiting) {
  using State = Split::State;
  for (const State state : {State::Ready, State::AtSync, State::AtBarrier}) {
    for (WarpControl& w : warps_) {
      for (const Split& s : w.splits) {
        if (s.state != state) continue;
        if (state == State::AtBarrier && s.barrier == kClusterBarrier) report_cluster_wait(w, s);
        const Segment& segment = program_.segments[s.segment];
        const Op* const polls = state == State::Ready ? polling_op(s) : nullptr;
        Op op;
        op.instruction = polls != nullptr       ? polls->instruction
                         : segment.op != kNoRow ? program_.ops[segment.op].instruction
                                                : segment.first_instruction;
        std::vector<Message> watched;
        if (polls != nullptr)
          watched = watched_place(*polls, w.warp, static_cast<unsigned>(std::countr_zero(s.mask)));
        const char* const why = waiting.blocks_left_out ? "fault.left_out"
                                : waiting.to_come > 0   ? "fault.not_resident"
                                                        : "fault.nobody_changes";
        report_fault(w.warp, op, trace::FaultKind::Deadlock, s.mask,
                     {why,
                      {{"block", value_of(block_)},
                       {"watched", std::move(watched)},
                       {"alive", value_of(waiting.alive)},
                       {"to_come", value_of(waiting.to_come)}}});
      }
    }
  }
}

// A jump to itself, as the compiler makes of a loop that waits for a variable which it has read before it.
void Cta::report_endless(WarpControl& w, const Segment& segment, LaneMask lanes) {
  if (worker_.state->options->checks == Checks::None) return;
  Op op;
  op.instruction = segment.first_instruction;
  report_fault(w.warp, op, trace::FaultKind::Deadlock, lanes, {"fault.endless", {}});
}

// The look at memory in the loop at whose head these lanes stand; nullptr: they do something else.
const Op* Cta::polling_op(const Split& split) const {
  for (std::uint32_t at = split.segment; at < program_.segments.size(); ++at) {
    const Segment& segment = program_.segments[at];
    for (std::uint32_t i = 0; i < segment.op_count; ++i) {
      const Op& op = program_.ops[segment.first_op + i];
      const ptx::Form& form = program_.form_of(op.instruction);
      if (form.opcode == ptx::Opcode::Atom || form.opcode == ptx::Opcode::Ld) return &op;
    }
    if (segment.flow == Flow::Branch && segment.target <= split.segment) break;
  }
  return nullptr;
}

std::size_t Cta::state_hash() const {
  const auto hash = [](const void* begin, std::size_t bytes) {
    return std::hash<std::string_view>{}({static_cast<const char*>(begin), bytes});
  };
  std::size_t all = block_;
  for (const WarpControl& w : warps_) {
    if (w.splits.empty()) continue;
    all = all * 31 + hash(w.warp.registers, program_.register_bytes);
    for (const Split& s : w.splits)
      all = (all * 31 + s.segment) * 31 + s.mask + (static_cast<std::size_t>(s.state) << 40);
  }
  return all;
}

}  // namespace warplens::simt
