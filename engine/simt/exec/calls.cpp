// Calls of device functions: arguments travel through .param variables in each lane's frame, lanes that
// return wait for the others of their call, and routines that call themselves have their registers saved.
#include <bit>
#include <cstring>

#include "engine/simt/checks/local_shadow.h"
#include "engine/simt/exec/builtins.h"
#include "engine/simt/exec/cta.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

namespace {

void copy_pieces(WarpControl& w, std::uint32_t lane_bytes, LaneMask lanes, const std::vector<Piece>& from,
                 std::uint32_t from_frame, const std::vector<Piece>& to, std::uint32_t to_frame) {
  const std::size_t n = std::min(from.size(), to.size());
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    std::byte* lane = w.local.data() + std::size_t(std::countr_zero(left)) * lane_bytes;
    for (std::size_t i = 0; i < n; ++i) {
      std::memcpy(lane + to_frame + to[i].offset, lane + from_frame + from[i].offset,
                  std::min(from[i].bytes, to[i].bytes));
    }
  }
}

void mark_pieces(WarpControl& w, std::uint32_t lane_bytes, LaneMask lanes, std::uint32_t frame,
                 const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces) mark_local(w, lane_bytes, lanes, frame + piece.offset, piece.bytes, true);
}

}  // namespace

void Cta::save_registers(WarpControl& w, const Routine& routine, std::vector<std::byte>& saved) {
  saved.clear();
  for (const Routine::Slot& slot : routine.slots) {
    const std::size_t n = slot.bytes == 0 ? sizeof(LaneMask) : std::size_t{slot.bytes} * kWarpSize;
    const std::byte* from = w.warp.registers + slot.offset;
    saved.insert(saved.end(), from, from + n);
  }
}

void Cta::restore_registers(WarpControl& w, const Routine& routine, const std::vector<std::byte>& saved,
                            LaneMask lanes) {
  std::size_t at = 0;
  for (const Routine::Slot& slot : routine.slots) {
    if (slot.bytes == 0) {
      LaneMask value = 0;
      std::memcpy(&value, saved.data() + at, sizeof(value));
      write_predicate(w.warp, slot.offset, value, lanes);
      at += sizeof(LaneMask);
      continue;
    }
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const std::size_t lane = static_cast<std::size_t>(std::countr_zero(left)) * slot.bytes;
      std::memcpy(w.warp.registers + slot.offset + lane, saved.data() + at + lane, slot.bytes);
    }
    at += std::size_t{slot.bytes} * kWarpSize;
  }
}

// Lanes of `caller` (which expects them at its join already) start in the routine. False: it was a built-in
// and is done.
bool Cta::enter(WarpControl& w, const CallInfo& info, std::uint32_t index, const Split& caller,
                const Segment& segment) {
  const Routine& routine = program_.routines[index];
  if (routine.builtin != Builtin::None) {
    run_builtin({w, *this, worker_, info, program_.ops[segment.op], caller.mask, caller.frame},
                routine.builtin);
    return false;
  }
  const std::uint32_t frame = caller.frame + program_.routines[segment.routine].frame_bytes;
  const std::uint32_t stack = program_.alloca_begin != 0 ? program_.alloca_begin : program_.lane_local_bytes;
  if (frame + routine.frame_bytes > stack) {
    report_fault(w.warp, program_.ops[segment.op], trace::FaultKind::StackOverflow, caller.mask,
                 {"fault.calls_too_deep", {}});
    throw StopBlock{StopBlock::Why::Fault};
  }
  worker_.calls[index].calls.add(caller.mask);
  for (LaneMask left = caller.mask; left != 0; left &= left - 1) {
    std::byte* lane = w.local.data() + std::size_t(std::countr_zero(left)) * program_.lane_local_bytes;
    std::memset(lane + frame, 0xff, routine.frame_bytes);
  }
  mark_local(w, program_.lane_local_bytes, caller.mask, frame, routine.frame_bytes, false);
  copy_pieces(w, program_.lane_local_bytes, caller.mask, info.arguments, caller.frame, routine.parameters,
              frame);
  mark_pieces(w, program_.lane_local_bytes, caller.mask, frame, routine.parameters);
  Split inside = caller;
  inside.segment = routine.entry;
  inside.frame = frame;
  inside.state = Split::State::Ready;
  inside.guard_passed = false;
  w.splits.push_back(inside);
  return true;
}

// Of `lanes`, those that call the same function through a pointer as the first of them.
LaneMask Cta::callers_of_first(WarpControl& w, const CallInfo& info, LaneMask lanes, const Segment& segment,
                               std::uint32_t& routine) {
  const u64* const addresses = row<u64>(w.warp, info.address);
  const u64 wanted = addresses[std::countr_zero(lanes)];
  LaneMask same = 0;
  for_each_lane(lanes, [&](unsigned l) {
    if (addresses[l] == wanted) same |= 1u << l;
  });
  const std::uint64_t target = (wanted - kFunctionWindow) / 16;
  if (wanted < kFunctionWindow || target >= program_.routines.size() || target == 0) {
    report_fault(w.warp, program_.ops[segment.op], trace::FaultKind::InvalidAddress, same,
                 {"fault.no_function", {}}, wanted);
    throw StopBlock{StopBlock::Why::Fault};
  }
  routine = static_cast<std::uint32_t>(target);
  return same;
}

void Cta::call(WarpControl& w, std::size_t split, const Segment& segment) {
  Split here = w.splits[split];
  const CallInfo& info = program_.calls[segment.detail];
  if (worker_.thread_instructions >= worker_.instruction_limit) worker_.refill();
  if (!info.indirect && program_.routines[info.routine].builtin != Builtin::None) {
    enter(w, info, info.routine, here, segment);
    advance(w, split, segment.next);
    return;
  }
  w.splits.erase(w.splits.begin() + static_cast<std::ptrdiff_t>(split));
  // Lanes that call different functions meet behind the call (BSSY, CALL, BSYNC).
  if (info.indirect) meet_again_at(w, here, segment.next);
  for (LaneMask left = here.mask; left != 0;) {
    Split part = here;
    std::uint32_t routine = info.routine;
    part.mask = info.indirect ? callers_of_first(w, info, left, segment, routine) : left;
    left &= ~part.mask;
    Join join;
    join.segment = segment.next;
    join.expected = part.mask;
    join.parent = here.join;
    join.frame = here.frame;
    join.is_call = true;
    join.call = segment.detail;
    join.routine = routine;
    if (program_.alloca_begin != 0) join.stack_tops.assign(w.stack_top.begin(), w.stack_top.end());
    if (program_.routines[routine].recursive) save_registers(w, program_.routines[routine], join.saved);
    const std::uint32_t index = new_join(w, join);
    part.join = index;
    if (!enter(w, info, routine, part, segment)) {
      w.joins[index].arrived = part.mask;
      check_join(w, index);
    }
  }
}

void Cta::return_lanes(WarpControl& w, std::size_t split, const Segment& segment) {
  const Split here = w.splits[split];
  worker_.calls[segment.routine].returns.add(here.mask);
  forget_turn(w, segment.routine, here.mask);
  std::uint32_t index = here.join;
  while (!w.joins[index].is_call) index = w.joins[index].parent;
  leave_joins(w, here.join, index, here.mask);
  w.splits.erase(w.splits.begin() + static_cast<std::ptrdiff_t>(split));
  Join& join = w.joins[index];
  copy_pieces(w, program_.lane_local_bytes, here.mask, program_.routines[segment.routine].returns, here.frame,
              program_.calls[join.call].returns, join.frame);
  mark_pieces(w, program_.lane_local_bytes, here.mask, join.frame, program_.calls[join.call].returns);
  // The function's variables end with it: a pointer to one of them points to nothing.
  mark_local(w, program_.lane_local_bytes, here.mask, here.frame,
             program_.routines[segment.routine].frame_bytes, false);
  join.arrived |= here.mask;
  check_join(w, index);
}

}  // namespace warplens::simt
