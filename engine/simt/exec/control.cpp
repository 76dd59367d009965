// How the lanes of a warp part, wait for each other and meet again: see cta.h.
#include <bit>
#include <cstring>

#include "engine/simt/exec/cta.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

std::uint32_t Cta::new_join(WarpControl& w, const Join& join) {
  if (!w.free_joins.empty()) {
    const std::uint32_t index = w.free_joins.back();
    w.free_joins.pop_back();
    w.joins[index] = join;
    w.joins[index].in_use = true;
    return index;
  }
  w.joins.push_back(join);
  w.joins.back().in_use = true;
  return static_cast<std::uint32_t>(w.joins.size() - 1);
}

// The split goes on at `next`, or arrives at its join when that is where the join is.
void Cta::advance(WarpControl& w, std::size_t split, std::uint32_t next) {
  Split& s = w.splits[split];
  Join& join = w.joins[s.join];
  s.state = Split::State::Ready;
  s.guard_passed = false;
  if (join.is_call || join.segment != next || next == kNoSegment) {
    s.segment = next;
    meet_sibling(w, split);
    return;
  }
  const std::uint32_t index = s.join;
  join.arrived |= s.mask;
  w.splits.erase(w.splits.begin() + static_cast<std::ptrdiff_t>(split));
  check_join(w, index);
}

// Lanes that wait for the same join and stand at the same place go on as one, as the machine has them: after
// `continue` the lanes of a loop are together again although some of them may still break out of it. Not
// where the machine lets nobody wait (ptx/meeting_places.h).
void Cta::meet_sibling(WarpControl& w, std::size_t split) {
  const Split& s = w.splits[split];
  if (s.segment == kNoSegment || program_.segments[s.segment].apart) return;
  for (std::size_t i = 0; i < w.splits.size(); ++i) {
    Split& other = w.splits[i];
    if (i == split || other.state != Split::State::Ready || other.guard_passed ||
        other.segment != s.segment || other.join != s.join || other.frame != s.frame)
      continue;
    other.mask |= s.mask;
    w.splits.erase(w.splits.begin() + static_cast<std::ptrdiff_t>(split));
    return;
  }
}

// Whether lanes that wait for `from` wait for `join` as well, with no call between.
bool Cta::waits_within(const WarpControl& w, std::uint32_t from, std::uint32_t join) {
  while (from != join) {
    if (w.joins[from].is_call) return false;
    from = w.joins[from].parent;
  }
  return true;
}

// Whether the split at the back, about to go on at `next`, lets lanes of its own join go first: those that
// stand there, or earlier in the text and so may still come there, also by way of joins inside this one.
bool Cta::yields_to_sibling(WarpControl& w, std::uint32_t next) {
  const std::size_t index = w.splits.size() - 1;
  const std::uint32_t join = w.splits[index].join;
  std::size_t first = index;
  const bool apart = next != kNoSegment && program_.segments[next].apart;
  std::uint32_t lowest = next;
  for (std::size_t i = 0; i < index; ++i) {
    const Split& other = w.splits[i];
    if (other.state != Split::State::Ready || other.guard_passed) continue;
    if (other.segment > lowest || !waits_within(w, other.join, join)) continue;
    if (other.segment == next && other.join == join && apart) continue;
    lowest = other.segment;
    first = i;
  }
  if (first == index) return false;
  if (lowest == next && w.splits[first].join == join) {
    advance(w, index, next);
    return true;
  }
  if (program_.polls_memory) return false;  // whoever waits for the others must not come first for ever
  w.splits[index].segment = next;
  std::swap(w.splits[first], w.splits.back());
  return true;
}

// The lanes of `here`, about to part, meet again at `place`, unless they already wait for each other there.
void Cta::meet_again_at(WarpControl& w, Split& here, std::uint32_t place) {
  const Join& outer = w.joins[here.join];
  if (place == kNoSegment || (!outer.is_call && outer.segment == place)) return;
  Join join;
  join.segment = place;
  join.expected = here.mask;
  join.parent = here.join;
  join.frame = here.frame;
  here.join = new_join(w, join);
}

void Cta::diverge(WarpControl& w, std::size_t split, const Segment& segment, LaneMask taken) {
  Split here = w.splits[split];
  // An H200 asks 64 times for a lock that 32 lanes take twice: who has it goes on at once.
  if (segment.asks_for_lock)
    report_note(w.warp, "note.independent_scheduling");
  else
    meet_again_at(w, here, segment.reconverge);
  here.segment = kNoSegment;  // where it was picked up: no place that others could meet it at
  Split jumped = here;
  jumped.mask = taken;
  here.mask &= ~taken;
  // The lanes that fall through run first, as the text reads: theirs is the last split.
  w.splits[split] = jumped;
  w.splits.push_back(here);
  advance(w, w.splits.size() - 1, segment.next);  // removes at most that last split
  advance(w, split, segment.target);
}

// A guarded exit or return: the other lanes go on, `active` end when their split is picked.
void Cta::leave_rest(WarpControl& w, std::size_t split, const Segment& segment, LaneMask active) {
  Split rest = w.splits[split];
  rest.mask &= ~active;
  w.splits[split].mask = active;
  w.splits[split].guard_passed = true;
  w.splits.push_back(rest);
  advance(w, w.splits.size() - 1, segment.next);
}

// brx.idx: one split for each target that lanes name, the lowest index first.
void Cta::branch_table(WarpControl& w, std::size_t split, const Segment& segment) {
  Split here = w.splits[split];
  const std::vector<std::uint32_t>& table = program_.tables[segment.detail];
  const Op& op = program_.ops[segment.op];
  const u32* choice = row<u32>(w.warp, op.a);
  LaneMask outside = 0;
  for (unsigned l = 0; l < kWarpSize; ++l) {
    if (lane_in(here.mask, l) && choice[l] >= table.size()) outside |= 1u << l;
  }
  if (outside != 0) {
    report_fault(w.warp, op, trace::FaultKind::IllegalInstruction, outside, {"fault.branch_table", {}});
  }
  meet_again_at(w, here, segment.reconverge);
  here.segment = kNoSegment;
  w.splits.erase(w.splits.begin() + static_cast<std::ptrdiff_t>(split));
  LaneMask left = here.mask;
  while (left != 0) {
    const u32 index = choice[31 - std::countl_zero(left)];
    Split part = here;
    part.mask = 0;
    for (unsigned l = 0; l < kWarpSize; ++l) {
      if (lane_in(left, l) && choice[l] == index) part.mask |= 1u << l;
    }
    left &= ~part.mask;
    w.splits.push_back(part);
    advance(w, w.splits.size() - 1, table[index]);
  }
}

// A guarded call, barrier or shuffle: the other lanes wait behind it, `active` run it without its guard.
void Cta::step_around(WarpControl& w, std::size_t split, const Segment& segment, LaneMask active) {
  Split here = w.splits[split];
  meet_again_at(w, here, segment.next);
  w.joins[here.join].arrived |= here.mask & ~active;
  here.mask = active;
  here.guard_passed = true;
  w.splits[split] = here;
}

void Cta::fire(WarpControl& w, std::uint32_t index, LaneMask lanes) {
  Join& join = w.joins[index];
  Split split;
  split.segment = join.segment;
  split.mask = lanes;
  split.join = join.parent;
  split.frame = join.frame;
  for (LaneMask left = join.stack_tops.empty() ? 0 : lanes; left != 0; left &= left - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(left));
    w.stack_top[l] = join.stack_tops[l];
  }
  if (!join.saved.empty()) restore_registers(w, program_.routines[join.routine], join.saved, lanes);
  join.arrived &= ~lanes;
  join.expected &= ~lanes;
  if (join.expected == 0) {
    join.in_use = false;
    join.saved.clear();
    if (index != 0) w.free_joins.push_back(index);
  }
  // A call may be the last thing in front of the place where its lanes meet those that did not call.
  const bool met = split.segment != kNoSegment && split.join != kNoJoin && !w.joins[split.join].is_call &&
                   w.joins[split.join].segment == split.segment;
  if (met)
    w.joins[split.join].arrived |= lanes;
  else
    w.splits.push_back(split);
  w.spins = 0;
  w.switches = 0;
  ++progress_;
  if (met) check_join(w, split.join);
}

void Cta::check_join(WarpControl& w, std::uint32_t index) {
  Join& join = w.joins[index];
  if (index == 0 || !join.in_use || join.arrived != join.expected) return;
  if (join.expected != 0) {
    fire(w, index, join.expected);
    return;
  }
  join.in_use = false;
  join.saved.clear();
  w.free_joins.push_back(index);
}

// Lanes that will not come any more: every join between `from` and `until` (exclusive) stops expecting them.
void Cta::leave_joins(WarpControl& w, std::uint32_t from, std::uint32_t until, LaneMask lanes) {
  for (std::uint32_t index = from; index != until && index != kNoJoin;) {
    const std::uint32_t parent = w.joins[index].parent;
    w.joins[index].expected &= ~lanes;
    w.joins[index].arrived &= ~lanes;
    check_join(w, index);
    index = parent;
  }
}

void Cta::end_lanes(WarpControl& w, std::size_t split, LaneMask lanes) {
  Split& s = w.splits[split];
  const std::uint32_t join = s.join;
  const Segment& segment = program_.segments[s.segment];
  s.mask &= ~lanes;
  s.guard_passed = false;
  if (s.mask == 0) w.splits.erase(w.splits.begin() + static_cast<std::ptrdiff_t>(split));
  w.warp.exited |= lanes;
  alive_ -= static_cast<std::uint32_t>(std::popcount(lanes));
  cluster_->alive -= static_cast<std::uint32_t>(std::popcount(lanes));
  if (w.warp.exited == kFullMask && !worker_.events.masks.empty()) {
    // Says how long the last lanes went on.
    const std::uint32_t last = segment.first_instruction + segment.instruction_count - 1;
    tell_mask(w, 0, program_.instructions[last].index);
  }
  ++progress_;
  leave_joins(w, join, kNoJoin, lanes);
  check_barriers();
  check_cluster();
}

// Lanes that wait at a join for lanes that poll go on without them.
bool Cta::release_waiting(WarpControl& w) {
  for (std::uint32_t index = static_cast<std::uint32_t>(w.joins.size()); index-- > 1;) {
    if (!w.joins[index].in_use || w.joins[index].arrived == 0) continue;
    report_note(w.warp, "note.independent_scheduling");
    fire(w, index, w.joins[index].arrived);
    return true;
  }
  return false;
}

// A back edge of a polling loop was taken. True: somebody else's turn in this warp or another one.
bool Cta::spin(WarpControl& w) {
  if (++w.spins < kSpinLimit) return false;
  w.spins = 0;
  return true;
}

// Splits that wait for named lanes at one operation: runs it for those whose lanes are all there. Lanes of
// one split may carry masks of their own (tiles of a cooperative group), so some may go while others still
// wait.
bool Cta::sync_waiting(WarpControl& w) {
  for (std::size_t i = 0; i < w.splits.size(); ++i) {
    const Split& first = w.splits[i];
    if (first.state != Split::State::AtSync) continue;
    const Op& op = program_.ops[program_.segments[first.segment].op];
    LaneMask there = 0;
    for (const Split& s : w.splits) {
      if (wait_together(first, s)) there |= s.mask;
    }
    const auto complete = [&](const Split& s) {
      return wait_together(first, s) && (s.members & ~w.warp.exited & ~there) == 0;
    };
    if (!complete(first)) continue;
    LaneMask going = 0;
    bool several_places = false;
    std::vector<std::uint32_t> places;
    for (std::size_t k = w.splits.size(); k-- > 0;) {
      if (!complete(w.splits[k])) continue;
      going |= w.splits[k].mask;
      several_places |= w.splits[k].segment != first.segment;
      places.push_back(static_cast<std::uint32_t>(k));
    }
    w.warp.frame = first.frame;
    if (several_places && (op.flags & kWarpBarrier) == 0)
      run_at_several_places(w, places, going);
    else
      (going == kFullMask ? op.handlers.full : op.handlers.masked)(op, w.warp, going);
    for (const std::uint32_t k : places) w.splits[k].members = 0;
    // From the back: advance() may remove the split, and new ones come behind it.
    for (const std::uint32_t k : places) advance(w, k, program_.segments[w.splits[k].segment].next);
    ++progress_;
    return true;
  }
  return false;
}

namespace {

// All lanes that the masks of these lanes name; `outside` are those that their own mask leaves out.
LaneMask members_of(const Op& op, Warp& warp, LaneMask lanes, LaneMask& outside) {
  const u32* masks = row<u32>(warp, op.e);
  // Nearly always all lanes carry one mask.
  LaneMask members = masks[std::countr_zero(lanes)], different = 0;
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
    different |= (masks[l] ^ members) & (0u - ((lanes >> l) & 1u));
  outside = lanes & ~members;
  if (different == 0) return members;
  outside = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(left));
    members |= masks[l];
    if (!lane_in(masks[l], l)) outside |= LaneMask{1} << l;
  }
  return members;
}

}  // namespace

// Runs an operation that needs lanes to be together, or parks the split until they are. False: parked.
bool Cta::converge(WarpControl& w, std::size_t split, const Segment& segment) {
  Split& s = w.splits[split];
  const Op& op = program_.ops[segment.op];
  LaneMask members = kFullMask;
  if ((op.flags & kConvergesMembers) != 0 && op.e != kNoRow) {
    LaneMask outside = 0;
    members = members_of(op, w.warp, s.mask, outside);
    if (outside != 0 && w.warp.check_all) {
      report_fault(w.warp, op, trace::FaultKind::InactiveLaneRead, outside, {"fault.lanes.unnamed", {}});
    }
  }
  const LaneMask required = members & ~w.warp.exited;
  if ((required & ~s.mask) == 0) {
    (s.mask == kFullMask ? op.handlers.full : op.handlers.masked)(op, w.warp, s.mask);
    return true;
  }
  s.state = Split::State::AtSync;
  s.members = members;
  return false;
}

}  // namespace warplens::simt
