// Lanes of one warp that execute the same kind of *.sync operation at different instructions, each naming the
// others: a loop with a shuffle whose turns differ between the halves of a warp, a vote on both sides of a
// branch. CUDA asks for one instruction, yet programs are right because GPUs join them. What was seen on an
// H100 (driver 580.159.04, CUDA 13.0, 2026-11-26), with the mask of the whole warp: shfl of one mode, ballot,
// all, any, redux.add and match.any are carried out together with each lane's own arguments; two of different
// kinds (ballot and shuffle, two modes of shuffles, two reductions, a shuffle and __syncwarp) never return.
#include <cstring>

#include "engine/simt/exec/cta.h"

namespace warplens::simt {

namespace {

// Where such an operation has what, for it is not in one layout.
struct Layout {
  std::uint32_t Op::*row = nullptr;
  std::uint32_t bytes = 0;
};
// Predicates are one word for all lanes, marked by 0 bytes.
constexpr std::uint32_t kPredicate = 0;

void copy_lanes(Warp& from, std::uint32_t source, Warp& to, std::uint32_t target, std::uint32_t bytes,
                LaneMask lanes) {
  if (bytes == kPredicate) {
    write_predicate(to, target, read_predicate(from, source), lanes);
    return;
  }
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l) {
    if (!lane_in(lanes, l)) continue;
    std::memcpy(to.registers + target + l * bytes, from.registers + source + l * bytes, bytes);
  }
}

}  // namespace

// Whether `other` waits where `first` does, or where a GPU takes it for the same place.
bool Cta::wait_together(const Split& first, const Split& other) const {
  if (other.state != Split::State::AtSync) return false;
  if (other.segment == first.segment) return true;
  const Op& a = program_.ops[program_.segments[first.segment].op];
  const Op& b = program_.ops[program_.segments[other.segment].op];
  if ((a.flags & kWarpBarrier) != 0) return (b.flags & kWarpBarrier) != 0;
  return (a.flags & b.flags & kConvergesMembers) != 0 && first.members == other.members &&
         a.handlers.masked == b.handlers.masked;
}

// The operation of these splits for all of them at once: their operands are brought together in registers of
// its own, and each finds its results in its own.
void Cta::run_at_several_places(WarpControl& w, const std::vector<std::uint32_t>& splits, LaneMask going) {
  const auto op_of = [&](std::uint32_t split) -> const Op& {
    return program_.ops[program_.segments[w.splits[split].segment].op];
  };
  const Op& first = op_of(splits.front());
  const ptx::Form& form = program_.form_of(first.instruction);
  const bool vote = form.opcode == ptx::Opcode::Vote;
  const std::uint32_t source_bytes =
      vote ? kPredicate : static_cast<std::uint32_t>(ptx::size_of(form.type()));
  const std::uint32_t result_bytes = vote && !form.has(ptx::Modifier::Ballot) ? kPredicate : 4;
  const bool second_result = form.opcode == ptx::Opcode::Shfl || form.opcode == ptx::Opcode::Match ||
                             form.opcode == ptx::Opcode::Elect;

  alignas(64) std::array<std::byte, 7 * kRowBytes> rows{};
  Warp together = w.warp;
  together.registers = rows.data();
  Op op = first;
  const std::array<Layout, 4> sources{{{&Op::a, source_bytes}, {&Op::b, 4}, {&Op::c, 4}, {&Op::e, 4}}};
  std::uint32_t next = 0;
  for (const Layout& source : sources) {
    const std::uint32_t place = next;
    if (first.*source.row == kNoRow) continue;
    for (const std::uint32_t split : splits)
      copy_lanes(w.warp, op_of(split).*source.row, together, place, source.bytes, w.splits[split].mask);
    op.*source.row = place;
    next += source.bytes > 4 ? 2 * kRowBytes : kRowBytes;
  }
  op.d = next;
  const std::uint32_t second = next + kRowBytes;
  if (second_result) op.imm = second;

  (going == kFullMask ? op.handlers.full : op.handlers.masked)(op, together, going);

  for (const std::uint32_t split : splits) {
    const Op& own = op_of(split);
    const LaneMask lanes = w.splits[split].mask;
    copy_lanes(together, op.d, w.warp, own.d, result_bytes, lanes);
    const auto predicate = static_cast<std::uint32_t>(own.imm);
    if (second_result && predicate != kNoRow)
      copy_lanes(together, second, w.warp, predicate, kPredicate, lanes);
  }
  report_note(w.warp, "note.several_places", program_.instructions[first.instruction].line);
}

}  // namespace warplens::simt
