// The state of one warp as the handlers of decoded operations see it.
//
// Register file: rows of 128 bytes, one array of 32 lanes a register, dense in the register's own type:
//   16-bit (and 8-bit) registers  T[32] in the first 64 (32) bytes of one row
//   32-bit registers              T[32], exactly one row
//   64-bit registers              T[32], two consecutive rows
//   predicates                    one LaneMask (4 bytes): bit i is lane i
// Constants, kernel parameters, special registers and everything that depends only on them are rows too,
// written once a launch, so that an operand is always `registers + offset` whatever it was in the PTX.
//
//   add.s32 %r3, %r1, 7;   d = 384, a = 128, b = 2048 (a row of 32 sevens):
//   for each lane l: row<int>(warp, d)[l] = row<int>(warp, a)[l] + row<int>(warp, b)[l]
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/base/lanes.h"
#include "engine/trace/event.h"

namespace warplens::simt {

inline constexpr std::uint32_t kRowBytes = 128;

struct Op;
class Cta;
struct Worker;

// A loop that only waits for a clock (engine/ptx/facts/clock_waits.h), while the warp is in it.
struct ClockWait {
  const void* at = nullptr;             // the reading
  std::uint64_t began = 0, issued = 0;  // what the clock said first; instructions at the last reading
  std::uint32_t turns = 0;
};

struct Warp {
  std::byte* registers = nullptr;        // row 0; aligned to 64 bytes
  const std::uint32_t* lists = nullptr;  // operand lists of operations with more than five rows (Op::list)
  LaneMask exited = 0;                   // lanes that have ended, or never existed (last warp of a block)
  LaneMask carry = 0;                    // the condition code's carry bit, one a lane (add.cc and the like)
  bool check_all = false;                // Checks::All: report shuffles from inactive lanes and the like
  bool judged = false;                   // accesses go through the exact shadow memory (shadow.h)
  std::uint32_t index = 0;               // inside the block
  std::uint32_t frame = 0;               // byte offset of the current call frame in each lane's local memory
  std::uint64_t issued = 0;              // PTX instructions issued by this warp so far
  ClockWait wait;
  Cta* cta = nullptr;
  Worker* worker = nullptr;
};

template <typename T>
inline T* row(Warp& warp, std::uint32_t offset) {
  return static_cast<T*>(__builtin_assume_aligned(warp.registers + offset, 64));
}

// Predicate operands: bit 0 of the offset says negated (offsets are multiples of 4).
inline LaneMask read_predicate(const Warp& warp, std::uint32_t offset) {
  const LaneMask value = *reinterpret_cast<const LaneMask*>(warp.registers + (offset & ~1u));
  return value ^ (0u - (offset & 1u));
}
inline void write_predicate(Warp& warp, std::uint32_t offset, LaneMask value, LaneMask mask) {
  auto* word = reinterpret_cast<LaneMask*>(warp.registers + offset);
  *word = (*word & ~mask) | (value & mask);
}

// Reports a fault of `lanes` at this operation. Fatal kinds end the launch, unless a GPU lets it pass
// (was_let_pass): the call does not return. `what`
// is the middle of the sentence: "lane 5 reads lane 17, which does not take part in the shuffle".
void report_fault(Warp& warp, const Op& op, trace::FaultKind kind, LaneMask lanes, Message what,
                  std::uint64_t address = 0);
// The two halves of it, for faults that name another thread as well. add_fault counts `count` of them; of
// equal mistakes it keeps the first of the highest gravity. A fault that is not final lets the launch go on
// whatever its kind.
trace::Fault make_fault(Warp& warp, const Op& op, trace::FaultKind kind, unsigned lane, Message what,
                        std::uint64_t address);
void add_fault(Warp& warp, trace::Fault fault, std::uint64_t count, int gravity = 0, bool final = true);
// The same mistake was told before, at least as gravely: it only counts.
bool told_before(Warp& warp, const Op& op, trace::FaultKind kind, int other_line, int gravity);
// A remark about the launch, kept once however often it is made.
void report_note(Warp& warp, const char* key, int line = 0);

}  // namespace warplens::simt
