// Loops without an end. Nobody can tell in general; these are told for sure, and never a long one:
//
//   no way leads out            for (;;) sum += x;   also what the compiler makes of  while (i < n) sum += x;
//   a turn is like one before   for (i = t; i < n; i =+ stride)   what steers the loop is as it was, and
//   nothing
//                               else decides: the same turns come again
//
// A turn is remembered after 2^20 warp instructions, 2^21, ... and compared with those that follow for an
// eighth of that, so that a circle of any length is found and a long loop takes little longer. All others end
// with the budget, or by the patience of whoever waits.
#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/simt/exec/cta.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

namespace {

// Loops that read memory are given time in which others, in other blocks too, might write it.
constexpr std::uint64_t kLookAtReaders = std::uint64_t{1} << 21;
constexpr std::uint64_t kCompared = 2;  // one part in so many

// Visits the words of a turn's rows, of these lanes alone.
template <typename Visit>
void for_each_word(const Warp& warp, const LoopTurn& turn, LaneMask lanes, Visit visit) {
  for (const LoopTurn::Row& row : turn.rows) {
    if (row.bytes == 0) {
      if (!visit(read_predicate(warp, row.offset) & lanes)) return;
      continue;
    }
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      std::uint64_t value = 0;
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      std::memcpy(&value, warp.registers + row.offset + std::size_t{lane} * row.bytes,
                  std::min<std::size_t>(row.bytes, sizeof value));
      if (!visit(static_cast<std::uint32_t>(value))) return;
      if (row.bytes > 4 && !visit(static_cast<std::uint32_t>(value >> 32))) return;
    }
  }
}

}  // namespace

// A back edge of a warp that has been at it for long.
void Cta::look_at_turn(WarpControl& w, std::uint32_t from, std::uint32_t to, LaneMask lanes) {
  LoopWatch& watch = w.watch;
  const std::uint64_t now = w.warp.issued;
  const std::uint32_t index = program_.segments[to].turn;
  if (index == kNoRow) return;
  const LoopTurn& turn = program_.turns[index];
  if (!turn.leads_out) tell_loop(w, turn.first, turn.back, lanes, "fault.no_way_out");
  if (watch.until != 0 && now >= watch.until) {
    watch.until = 0;
    watch.look_at = 2 * now;
    return;
  }
  if (!turn.steered || (turn.reads_memory && now < kLookAtReaders)) {
    watch.look_at = now + kFirstLook;
    watch.until = 0;
    return;
  }
  if (watch.until == 0) {
    remember_turn(w, turn, to, lanes);
    return;
  }
  if (to <= watch.to) {
    watch.to = to;
    watch.from = from;
  }
  if (watch.segment != to || watch.lanes != lanes || !is_remembered(w, turn)) return;
  const Segment& edge = program_.segments[watch.from];
  tell_loop(w, program_.segments[watch.to].first_instruction,
            edge.first_instruction + edge.instruction_count - 1, lanes,
            turn.reads_memory ? "fault.reads_the_same" : "fault.goes_round");
}

void Cta::remember_turn(WarpControl& w, const LoopTurn& turn, std::uint32_t place, LaneMask lanes) {
  LoopWatch& watch = w.watch;
  watch.until = w.warp.issued + w.warp.issued / kCompared;
  watch.segment = place;
  watch.lanes = lanes;
  watch.to = kNoSegment;
  watch.rows.clear();
  for_each_word(w.warp, turn, lanes, [&](std::uint32_t word) {
    watch.rows.push_back(word);
    return true;
  });
}

// Whoever leaves a loop does not come back to it, but by another call of its function. (Of functions that
// call themselves no loop is steered: loader_turns.cpp.)
void Cta::forget_turn(WarpControl& w, std::uint32_t routine, LaneMask lanes) {
  LoopWatch& watch = w.watch;
  if (watch.until != 0 && program_.segments[watch.segment].routine == routine && (watch.lanes & lanes) != 0)
    watch.until = 0;
}

bool Cta::is_remembered(WarpControl& w, const LoopTurn& turn) const {
  std::size_t at = 0;
  bool same = true;
  for_each_word(w.warp, turn, w.watch.lanes, [&](std::uint32_t word) {
    return same = at < w.watch.rows.size() && w.watch.rows[at++] == word;
  });
  return same;
}

// The first and last line of a loop, and an instruction of the first: what is inlined counts for the line
// that calls it, and other code of the loop may stand anywhere in the PTX.
Cta::Lines Cta::lines_between(std::uint32_t first, std::uint32_t back) const {
  Lines out{0, 0, back};
  for (std::uint32_t i = std::min(first, back); i <= back; ++i) {
    const int line = program_.instructions[i].line;
    if (line <= 0) continue;
    if (out.from == 0 || line < out.from) {
      out.from = line;
      out.instruction = i;
    }
    out.to = std::max(out.to, line);
  }
  return out;
}

int Cta::line_of_turn(std::uint32_t from, std::uint32_t to) const {
  const Segment& edge = program_.segments[from];
  return lines_between(program_.segments[to].first_instruction,
                       edge.first_instruction + std::max(edge.instruction_count, 1u) - 1)
      .from;
}

void Cta::tell_loop(WarpControl& w, std::uint32_t first, std::uint32_t back, LaneMask lanes,
                    const char* why) {
  const Lines lines = lines_between(first, back);
  Op op;
  op.instruction = lines.instruction;
  report_fault(w.warp, op, trace::FaultKind::Deadlock, lanes,
               {why, {{"from", value_of(lines.from)}, {"to", value_of(lines.to)}}});
  throw StopBlock{StopBlock::Why::Fault};
}

}  // namespace warplens::simt
