// mbarrier: arrival counters in shared memory with phases.
//
// The 64-bit object (PTX leaves its form to the machine):
//   bits 0-19   arrivals still missing in this phase
//   bits 20-39  arrivals that a phase needs
//   bits 40-61  bytes of bulk copies still missing (modulo 2^22)
//   bit 63      parity of the phase
#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/simt/checks/shadow.h"
#include "engine/simt/launch/worker.h"
#include "engine/simt/load/loader.h"
#include "engine/simt/memory/memory.h"
#include "engine/simt/memory/memory_tables.h"

namespace warplens::simt {

namespace {

constexpr u64 kCountMask = (u64{1} << 20) - 1;
constexpr u64 kBytesMask = (u64{1} << 22) - 1;

struct Counter {
  u64 pending = 0, expected = 0, bytes = 0;
  bool parity = false;

  static Counter read(std::uintptr_t at) {
    const u64 bits = peek<u64>(at);
    return {bits & kCountMask, bits >> 20 & kCountMask, bits >> 40 & kBytesMask, (bits >> 63) != 0};
  }
  u64 bits() const { return pending | expected << 20 | bytes << 40 | (parity ? u64{1} << 63 : 0); }
  // A phase ends when nobody and nothing is missing.
  void settle() {
    if (pending != 0 || bytes != 0) return;
    pending = expected;
    parity = !parity;
  }
  void arrive(u64 count) {
    pending = count > pending ? 0 : pending - count;
    settle();
  }
};

SyncClocks& clocks_of(Warp& warp, Cta* owner) {
  return (owner != nullptr ? owner : warp.cta)->shadow()->clocks;
}

enum class Use : std::uint8_t { Arrive, Wait, Other };

// f(lane, counter) for each lane in turn; the counter is written back. A wait is over where f says so.
template <Use kUse, typename F>
void update_counters(const Op& op, Warp& warp, LaneMask mask, F f) {
  Prepared p;
  for (LaneMask left = mask; left != 0; left &= ~p.served) {
    prepare(op, warp, left, p);
    for_each_lane(p.mask, [&](unsigned l) {
      Counter counter = Counter::read(p.base + p.address(l));
      const bool parity = counter.parity;
      if constexpr (kUse == Use::Wait) {
        if (f(l, counter) && warp.judged)
          warp.cta->shadow()->clocks.take(warp.index, clocks_of(warp, p.block).phases(p.offset[l]).over);
      } else {
        if (kUse == Use::Arrive && warp.judged)
          shadow_tell(warp, clocks_of(warp, p.block).phases(p.offset[l]).arriving);
        f(l, counter);
        if (counter.parity != parity && warp.judged) clocks_of(warp, p.block).end_phase(p.offset[l]);
      }
      poke<u64>(p.base + p.address(l), counter.bits());
    });
  }
}

void init(const Op& op, Warp& warp, LaneMask mask) {
  const u32* const count = row<u32>(warp, op.b);
  update_counters<Use::Other>(op, warp, mask, [&](unsigned l, Counter& counter) {
    counter = Counter{};
    counter.pending = counter.expected = count[l] & kCountMask;
  });
}

void invalidate(const Op& op, Warp& warp, LaneMask mask) {
  update_counters<Use::Other>(op, warp, mask, [](unsigned, Counter& counter) { counter = Counter{}; });
}

// arrive and arrive_drop; with expect_tx the second row says how many bytes will come. The state that an
// arrival returns is the counter as it was: waiting on it asks for the end of that phase.
enum class Arrival : std::uint64_t { Plain, Drop, ExpectBytes };

void arrive(const Op& op, Warp& warp, LaneMask mask) {
  const u32* const amount = op.b == kNoRow ? nullptr : row<u32>(warp, op.b);
  u64* const state = op.d == kNoRow ? nullptr : row<u64>(warp, op.d);
  const auto how = static_cast<Arrival>(op.list);
  tell_barrier(op, warp, mask, trace::Barrier::Phase::Arrive);
  update_counters<Use::Arrive>(op, warp, mask, [&](unsigned l, Counter& counter) {
    if (state != nullptr) state[l] = counter.bits();
    if (how == Arrival::ExpectBytes) {
      counter.bytes = (counter.bytes + amount[l]) & kBytesMask;
      counter.arrive(1);
      return;
    }
    const u64 count = amount == nullptr ? 1 : amount[l];
    if (how == Arrival::Drop) counter.expected -= std::min(counter.expected, count);
    counter.arrive(count);
  });
}

void expect_bytes(const Op& op, Warp& warp, LaneMask mask) {
  const u32* const amount = row<u32>(warp, op.b);
  update_counters<Use::Other>(op, warp, mask, [&](unsigned l, Counter& counter) {
    counter.bytes = (counter.bytes + amount[l]) & kBytesMask;
  });
}

void complete_bytes(const Op& op, Warp& warp, LaneMask mask) {
  const u32* const amount = row<u32>(warp, op.b);
  update_counters<Use::Other>(op, warp, mask, [&](unsigned l, Counter& counter) {
    counter.bytes = (counter.bytes - amount[l]) & kBytesMask;
    counter.settle();
  });
}

// test_wait and try_wait: true when the phase of the state (or of the parity) is over. The machine suspends a
// warp in try_wait for a while: here it answers at once, and the loop around it lets others go on first.
template <bool kParity>
void test(const Op& op, Warp& warp, LaneMask mask) {
  LaneMask over = 0;
  tell_barrier(op, warp, mask, trace::Barrier::Phase::Arrive);
  update_counters<Use::Wait>(op, warp, mask, [&](unsigned l, const Counter& counter) {
    bool waited = false;
    if constexpr (kParity) {
      waited = (row<u32>(warp, op.b)[l] & 1) != 0;
    } else {
      waited = (row<u64>(warp, op.b)[l] >> 63) != 0;
    }
    if (counter.parity == waited) return false;
    over |= 1u << l;
    return true;
  });
  if (over != mask && op.list != 0) warp.cta->control(warp).spins = kSpinLimit;
  write_predicate(warp, op.d, over, mask);
}

void pending_count(const Op& op, Warp& warp, LaneMask mask) {
  const u64* const state = row<u64>(warp, op.a);
  alignas(64) u32 counts[kWarpSize];
  for (unsigned l = 0; l < kWarpSize; ++l) counts[l] = static_cast<u32>(state[l] & kCountMask);
  write_lanes(row<u32>(warp, op.d), mask, false, [&](unsigned l) { return counts[l]; });
}

bool decode_counter(DecodeContext& context, const ptx::Form& form, const ptx::Operand& operand, Op& op) {
  if (!decode_address(context, form, operand, op, trace::SiteKind::Barrier, 8, 1)) return false;
  op.flags |= memory_flags::kNoCount | memory_flags::kVolatile;
  static_cast<const Loader&>(context).program().partial_barriers = true;
  return true;
}

bool decode_arrive(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  const std::size_t n = in.operands.size();
  const bool returns = n != 0 && in.operands[0].kind != ptx::OperandKind::Address;
  const std::size_t at = returns ? 1 : 0;
  if (n <= at || !decode_counter(context, form, in.operands[at], op)) return false;
  if (returns && in.operands[0].kind != ptx::OperandKind::Sink) op.d = context.destination(in.operands[0]);
  Arrival how = Arrival::Plain;
  if (form.has(ptx::Modifier::ExpectTx)) how = Arrival::ExpectBytes;
  if (form.has(ptx::Modifier::ArriveDrop)) how = Arrival::Drop;
  op.list = static_cast<std::uint32_t>(how);
  if (n > at + 1) op.b = context.source(in.operands[at + 1], ptx::Type::U32);
  if (how == Arrival::ExpectBytes && op.b == kNoRow) return false;
  op.set(both(&arrive));
  return context.ok();
}

bool decode_test(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!context.count(in, 3, 4) || !decode_counter(context, form, in.operands[1], op)) return false;
  const bool parity = form.has(ptx::Modifier::Parity);
  op.d = context.predicate_destination(in.operands[0]);
  op.b = context.source(in.operands[2], parity ? ptx::Type::U32 : ptx::Type::B64);
  op.list = form.has(ptx::Modifier::TryWait) ? 1 : 0;
  op.set(both(parity ? &test<true> : &test<false>));
  return context.ok();
}

bool decode_mbarrier(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (form.has(ptx::Modifier::Arrive) || form.has(ptx::Modifier::ArriveDrop))
    return decode_arrive(context, form, in, op);
  if (form.has(ptx::Modifier::TestWait) || form.has(ptx::Modifier::TryWait))
    return decode_test(context, form, in, op);
  if (form.has(ptx::Modifier::PendingCount)) {
    if (!context.count(in, 2, 2)) return false;
    op.d = context.destination(in.operands[0]);
    op.a = context.source(in.operands[1], ptx::Type::B64);
    op.set(both(&pending_count));
    return context.ok();
  }
  if (in.operands.empty() || !decode_counter(context, form, in.operands[0], op)) return false;
  // Making and ending one is a plain write: it must be ordered before and behind all other uses.
  if (form.has(ptx::Modifier::Inval) || form.has(ptx::Modifier::Init)) op.flags &= ~memory_flags::kVolatile;
  if (form.has(ptx::Modifier::Inval)) {
    op.set(both(&invalidate));
    return context.ok();
  }
  if (!context.count(in, 2, 2)) return false;
  op.b = context.source(in.operands[1], ptx::Type::U32);
  if (form.has(ptx::Modifier::Init)) {
    op.set(both(&init));
  } else if (form.has(ptx::Modifier::ExpectTx)) {
    op.set(both(&expect_bytes));
  } else if (form.has(ptx::Modifier::CompleteTx)) {
    op.set(both(&complete_bytes));
  } else {
    return false;
  }
  return context.ok();
}

// cp.async.mbarrier.arrive: this thread's copies so far have landed, then it arrives.
void copies_arrive(const Op& op, Warp& warp, LaneMask mask) {
  WarpControl& w = warp.cta->control(warp);
  for (unsigned l = 0; l < kWarpSize; ++l) {
    if (lane_in(mask, l)) ++w.groups[l];
  }
  land_copies(warp, mask, 0);
  const bool counted = op.list != 0;  // .noinc: the arrival is one of those the barrier expects
  update_counters<Use::Arrive>(op, warp, mask, [&](unsigned, Counter& counter) {
    if (!counted) ++counter.pending;
    counter.arrive(1);
  });
}

bool decode_copies_arrive(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  const bool mine = form.has(ptx::Modifier::Async) && form.has(ptx::Modifier::Mbarrier);
  if (!mine || !context.count(in, 1, 1) || !decode_counter(context, form, in.operands[0], op)) return false;
  op.list = form.has(ptx::Modifier::Noinc) ? 1 : 0;
  op.set(both(&copies_arrive));
  return context.ok();
}

constexpr OpcodeEntry kMbarrierOpcodes[] = {{ptx::Opcode::Mbarrier, decode_mbarrier}};
constexpr OpcodeEntry kCopiesTable[] = {{ptx::Opcode::Cp, decode_copies_arrive}};

}  // namespace

void complete_transfer(const Op& op, Warp& warp, unsigned lane, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t generic = address < kSharedWindow ? address + kSharedWindow : address;
  const auto place = resolve_generic(generic).space == trace::Space::Shared
                         ? reinterpret_cast<std::uintptr_t>(host_of_generic(warp, lane, generic, sizeof(u64)))
                         : 0;
  if (place == 0) {
    report_fault(warp, op, trace::FaultKind::OutOfBounds, 1u << lane, {"fault.mbarrier_place", {}}, address);
    return;
  }
  Counter counter = Counter::read(place);
  const bool parity = counter.parity;
  counter.bytes = (counter.bytes - bytes) & kBytesMask;
  counter.settle();
  poke<u64>(place, counter.bits());
  if (!warp.judged) return;
  // Whoever waits for the bytes may read them.
  const std::uint64_t offset = generic - kSharedWindow;
  SyncClocks& clocks = clocks_of(warp, warp.cta->block_of(offset));
  shadow_tell(warp, clocks.phases(offset & kOffsetMask).arriving);
  if (counter.parity != parity) clocks.end_phase(offset & kOffsetMask);
}

std::span<const OpcodeEntry> mbarrier_family() {
  return kMbarrierOpcodes;
}
std::span<const OpcodeEntry> copies_arrive_family() {
  return kCopiesTable;
}

}  // namespace warplens::simt
