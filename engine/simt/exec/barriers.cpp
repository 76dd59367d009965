// Block barriers. They count threads, as GPUs since compute capability 7.0 do: threads that have ended drop
// out, and lanes of one warp may arrive at different instructions.
#include <fmt/format.h>

#include <bit>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/lanes.h"
#include "engine/simt/checks/memory_faults.h"
#include "engine/simt/exec/cta.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

namespace {

std::uint32_t first_lane_value(Warp& warp, std::uint32_t offset, LaneMask mask) {
  return row<u32>(warp, offset)[std::countr_zero(mask)];
}

// Whether a way leads from behind one segment to another, or back to itself, and around a third.
enum class Ways { All, Forward };  // forward: as the text reads, without going back in a loop
bool leads_to(const Kernel::Program& program, std::uint32_t from, std::uint32_t to, std::uint32_t around,
              Ways ways) {
  std::vector<char> seen(program.segments.size(), 0);
  std::vector<std::uint32_t> open{from};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    const Segment& segment = program.segments[at];
    const bool leaves = segment.flow == Flow::Branch || segment.flow == Flow::BranchTable ||
                        segment.flow == Flow::Return || segment.flow == Flow::Exit;
    std::vector<std::uint32_t> next;
    if (!leaves || segment.guard != kNoRow) next.push_back(segment.next);
    if (segment.flow == Flow::Branch) next.push_back(segment.target);
    if (segment.flow == Flow::BranchTable)
      next.insert(next.end(), program.tables[segment.detail].begin(), program.tables[segment.detail].end());
    for (const std::uint32_t n : next) {
      if (n >= program.segments.size() || n == around || (ways == Ways::Forward && n <= at)) continue;
      if (n == to) return true;
      if (seen[n] == 0) open.push_back(n);
      seen[n] = 1;
    }
  }
  return false;
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
// compute capability 7.0 count threads and go on, but CUDA asks for every thread at the same one. Of two
// barriers the one is told that the others went around.
void Cta::judge_barrier(std::uint32_t id) {
  struct Waits {
    WarpControl& w;
    const Split& split;
    const Op& op;
  };
  std::vector<Waits> all;
  for (WarpControl& w : warps_) {
    for (const Split& s : w.splits) {
      if (s.state == Split::State::AtBarrier && s.barrier == id)
        all.push_back({w, s, program_.ops[program_.segments[s.segment].op]});
    }
  }
  if (all.empty()) return;
  const auto told = [&](const Waits& at, Message what) {
    if (told_before(at.w.warp, at.op, trace::FaultKind::DivergentBarrier, 0, 0)) return;
    const auto lane = static_cast<unsigned>(std::countr_zero(at.split.mask));
    add_fault(at.w.warp,
              make_fault(at.w.warp, at.op, trace::FaultKind::DivergentBarrier, lane, std::move(what), 0), 1,
              0, false);
  };
  const auto line_of = [this](const Op& op) {
    const InstructionInfo& info = program_.instructions[op.instruction];
    return info.line != 0 ? info.line : -info.ptx_line;
  };
  const auto line = [this](const Waits& at) { return value_of(line_message(program_, at.op.instruction)); };
  const auto went_around = [&](const Waits& around, const Waits& other) {
    told(around, {"fault.barrier.passed",
                  {{"thread", thread_value(other.w, other.split.mask)}, {"line", line(other)}}});
  };
  const Waits& first = all.front();
  if (alive_ < threads_ && !parted_)  // else those have returned early because of what was told already
    told(first, {"fault.barrier.returned",
                 {{"returned", value_of(threads_ - alive_)}, {"threads", value_of(threads_)}}});
  for (const Waits& other : all) {
    if (line_of(other.op) == line_of(first.op)) continue;
    parted_ = true;
    const std::uint32_t a = first.split.segment, b = other.split.segment;
    if (leads_to(program_, a, b, kNoSegment, Ways::Forward))
      went_around(first, other);
    else if (leads_to(program_, b, a, kNoSegment, Ways::Forward))
      went_around(other, first);
    else
      told(other, {"fault.barrier.another", {{"line", line(first)}}});
  }
}

MessageValue Cta::thread_value(WarpControl& w, LaneMask lanes) {
  return value_of(index_text(thread_index(w.warp, static_cast<unsigned>(std::countr_zero(lanes)))));
}

// The first instruction from there on that is of another line than the one where this split waits: a compiler
// may give the label behind an if the line of the if.
std::uint32_t Cta::behind(const Split& split, std::uint32_t place) const {
  const int here = program_.instructions[program_.ops[program_.segments[split.segment].op].instruction].line;
  const std::uint32_t first = program_.segments[place].first_instruction;
  for (std::uint32_t at = place; at < program_.segments.size(); at = program_.segments[at].next) {
    const Segment& segment = program_.segments[at];
    for (std::uint32_t i = 0; i < segment.instruction_count; ++i) {
      const int line = program_.instructions[segment.first_instruction + i].line;
      if (line != 0 && line != here) return segment.first_instruction + i;
    }
    if (segment.flow != Flow::Next) break;
  }
  return first;
}

// Who does not come to the barrier where this split waits: most of all lanes of its own warp, which wait for
// it where their ways meet again. Those are behind the loop that the barrier stands in, or behind an if.
Message Cta::not_all_came(const WarpControl& waits, const Split& split, Message what) {
  for (const bool same_warp : {true, false}) {
    for (WarpControl& w : warps_) {
      if ((&w == &waits) != same_warp) continue;
      for (const Join& join : w.joins) {
        if (!join.in_use || join.arrived == 0 || join.segment == kNoSegment) continue;
        const bool loops = leads_to(program_, split.segment, split.segment, join.segment, Ways::All);
        what.key = loops ? "fault.barrier.left_loop" : "fault.barrier.went_around";
        what.values.emplace_back("thread", thread_value(w, join.arrived));
        what.values.emplace_back("line", value_of(line_message(program_, behind(split, join.segment))));
        return what;
      }
    }
  }
  return what;
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
      Message what{barrier.expected != 0 ? "fault.barrier.count" : "fault.barrier.not_all",
                   {{"id", value_of(s.barrier)},
                    {"expected", value_of(expected)},
                    {"arrived", value_of(barrier.arrived)}}};
      if (barrier.expected == 0) what = not_all_came(w, s, std::move(what));
      report_fault(w.warp, program_.ops[segment.op], trace::FaultKind::DivergentBarrier, s.mask,
                   std::move(what));
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
  tell_loop(w, segment.first_instruction, segment.first_instruction, lanes, "fault.endless");
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
