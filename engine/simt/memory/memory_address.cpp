// Addresses between spaces, addresses of local variables, and the clocks.
#include <algorithm>
#include <bit>
#include <chrono>

#include "engine/base/align.h"
#include "engine/ptx/facts/clock_waits.h"
#include "engine/simt/checks/local_shadow.h"
#include "engine/simt/checks/shadow.h"
#include "engine/simt/launch/worker.h"
#include "engine/simt/load/loader.h"
#include "engine/simt/memory/memory.h"
#include "engine/simt/memory/memory_tables.h"

namespace warplens::simt {

namespace {

using ptx::StateSpace;

std::uint64_t window_of(StateSpace space) {
  switch (space) {
    case StateSpace::Shared:
    case StateSpace::SharedCluster:
      return kSharedWindow;
    case StateSpace::Local:
      return kLocalWindow;
    case StateSpace::Const:
      return kConstWindow;
    case StateSpace::Param:
      return kParamWindow;
    default:
      return 0;
  }
}

template <bool kFull, typename T>
void add_window(const Op& op, Warp& warp, LaneMask mask) {
  const T* const a = row<T>(warp, op.a);
  const T window = static_cast<T>(op.imm);
  write_lanes(row<T>(warp, op.d), mask, kFull,
              [a, window](unsigned l) { return static_cast<T>(a[l] + window); });
}

// cvta.SPACE adds the window, cvta.to.SPACE takes it away; global addresses are the same both ways.
bool decode_cvta(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!context.count(in, 2, 2)) return false;
  const auto& loader = static_cast<const Loader&>(context);
  const int width = context.width(in.operands[0], form.type());
  const std::uint64_t window = window_of(form.space);
  op.imm = form.has(ptx::Modifier::To) ? 0 - window : window;
  op.d = context.destination(in.operands[0]);
  // A frame's variable: its address is the frame's plus its place.
  if (in.operands[1].kind == ptx::OperandKind::Symbol) {
    const Loader::Symbol* symbol = loader.find_symbol(in.operands[1].symbol);
    if (symbol != nullptr && symbol->in_frame && !loader.in_kernel()) return false;
  }
  op.a = context.source(in.operands[1], width == 8 ? ptx::Type::U64 : ptx::Type::U32);
  if (width == 8) {
    op.set({&add_window<true, u64>, &add_window<false, u64>});
  } else if (width == 4 && window == 0) {
    op.set({&add_window<true, u32>, &add_window<false, u32>});
  } else {
    return false;
  }
  return context.ok();
}

void is_in_space(const Op& op, Warp& warp, LaneMask mask) {
  const u64* const a = row<u64>(warp, op.a);
  LaneMask inside = 0;
  for (unsigned l = 0; l < kWarpSize; ++l) {
    const SpacedAddress at = resolve_generic(a[l]);
    const bool own = op.b == kNoRow || at.address <= kOffsetMask;  // shared::cta
    if (static_cast<std::uint64_t>(at.space) == op.imm && own) inside |= 1u << l;
  }
  write_predicate(warp, op.d, inside, mask);
}

bool decode_isspacep(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!context.count(in, 2, 2) || context.width(in.operands[1], ptx::Type::U64) != 8) return false;
  op.d = context.predicate_destination(in.operands[0]);
  op.a = context.source(in.operands[1], ptx::Type::U64);
  trace::Space space = trace::Space::Global;
  if (form.space == StateSpace::Shared || form.space == StateSpace::SharedCluster)
    space = trace::Space::Shared;
  if (form.space == StateSpace::Shared) op.b = 0;
  if (form.space == StateSpace::Local) space = trace::Space::Local;
  if (form.space == StateSpace::Const) space = trace::Space::Constant;
  if (form.space == StateSpace::Param) space = trace::Space::Parameter;
  op.imm = static_cast<std::uint64_t>(space);
  op.set(both(&is_in_space));
  return context.ok();
}

template <typename T>
void frame_address(const Op& op, Warp& warp, LaneMask mask) {
  const T value = static_cast<T>(op.imm + warp.frame);
  write_lanes(row<T>(warp, op.d), mask, false, [value](unsigned) { return value; });
}

// Time that a warp which does nothing but wait for it may leave out: a quarter of what it has waited, from
// the 16th turn on. So a wait of any length ends after some dozens of turns, and lasts a quarter too long at
// most.
std::uint64_t leaves_out(const Op& op, Warp& warp, std::uint64_t now) {
  constexpr std::uint64_t kNear = 256;  // instructions from one turn to the next, of all lanes
  constexpr std::uint32_t kWatched = 16;
  ClockWait& wait = warp.wait;
  const bool goes_on = wait.at == &op && now >= wait.began && warp.issued - wait.issued <= kNear;
  if (!goes_on) wait = {&op, now, 0, 0};
  wait.issued = warp.issued;
  if (++wait.turns <= kWatched) return 0;
  if (wait.turns == kWatched + 1) warp.worker->notes.insert({"note.clock_wait", 0});
  return (now - wait.began) / 4;
}

// clock: PTX instructions that this worker has issued; globaltimer: nanoseconds since the launch began.
// Neither counts what waits left out (Op::imm: the reading stands in a loop that only waits).
template <typename T, bool kTimer, unsigned kShift>
void read_clock(const Op& op, Warp& warp, LaneMask mask) {
  Worker& worker = *warp.worker;
  std::uint64_t value = warp.issued;
  ++worker.clock_reads;
  if constexpr (kTimer) {
    const auto since = std::chrono::steady_clock::now() - worker.state->begin;
    value = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()) +
            worker.skipped_ns;
  } else {
    value += ++worker.clock;
  }
  if (op.imm != 0) {
    const std::uint64_t more = leaves_out(op, warp, value);
    (kTimer ? worker.skipped_ns : worker.clock) += more;
    value += more;
  }
  const T part = static_cast<T>(value >> kShift);
  write_lanes(row<T>(warp, op.d), mask, false, [part](unsigned) { return part; });
}

Handler clock_handler(ptx::SpecialRegister special, int width) {
  using S = ptx::SpecialRegister;
  switch (special) {
    case S::Clock:
      return width == 4 ? &read_clock<u32, false, 0> : nullptr;
    case S::ClockHi:
      return width == 4 ? &read_clock<u32, false, 32> : nullptr;
    case S::Clock64:
      return width == 8 ? &read_clock<u64, false, 0> : nullptr;
    case S::GlobalTimer:
      return width == 8 ? &read_clock<u64, true, 0> : nullptr;
    case S::GlobalTimerLo:
      return width == 4 ? &read_clock<u32, true, 0> : nullptr;
    case S::GlobalTimerHi:
      return width == 4 ? &read_clock<u32, true, 32> : nullptr;
    default:
      return nullptr;
  }
}

// The moves that the general family cannot do: clocks, and variables of a device function's frame.
bool decode_mov(DecodeContext& context, const ptx::Form&, const ptx::Instruction& in, Op& op) {
  if (in.operands.size() != 2 || in.operands[0].kind != ptx::OperandKind::Register) return false;
  const auto& loader = static_cast<const Loader&>(context);
  const ptx::Operand& from = in.operands[1];
  const int width = context.width(in.operands[0], ptx::Type::U64);
  if (from.kind == ptx::OperandKind::Special) {
    const Handler handler = clock_handler(from.special, width);
    if (handler == nullptr) return false;
    op.d = context.destination(in.operands[0]);
    const auto at = static_cast<std::uint32_t>(&in - context.function().instructions.data());
    op.imm = ptx::waits_on_clock(context.module(), context.function(), at) ? 1 : 0;
    op.set(both(handler));
    return context.ok();
  }
  if (from.kind != ptx::OperandKind::Symbol || loader.in_kernel()) return false;
  const Loader::Symbol* symbol = loader.find_symbol(from.symbol);
  if (symbol == nullptr || !symbol->in_frame || (width != 4 && width != 8)) return false;
  op.d = context.destination(in.operands[0]);
  op.imm = symbol->address + static_cast<std::uint64_t>(from.value);
  op.set(both(width == 8 ? &frame_address<u64> : &frame_address<u32>));
  return context.ok();
}

bool decode_prefetch(DecodeContext& context, const ptx::Form&, const ptx::Instruction& in, Op& op) {
  if (!context.count(in, 1, 3)) return false;
  op.set(both(&nothing));
  return context.ok();
}

void copy_policy(const Op& op, Warp& warp, LaneMask mask) {
  write_lanes(row<u64>(warp, op.d), mask, false, [](unsigned) { return u64{0}; });
}

// createpolicy: cache hints have no effect on what is computed.
bool decode_policy(DecodeContext& context, const ptx::Form&, const ptx::Instruction& in, Op& op) {
  if (!context.count(in, 1, 4) || context.width(in.operands[0], ptx::Type::U64) != 8) return false;
  op.d = context.destination(in.operands[0]);
  op.set(both(&copy_policy));
  return context.ok();
}

// membar and fence move nothing; the race checker wants to know about them.
void fence(const Op& op, Warp& warp, LaneMask) {
  if (warp.check_all) shadow_fence(warp, op.list != 0);
}

bool decode_fence(DecodeContext&, const ptx::Form& form, const ptx::Instruction&, Op& op) {
  op.list = form.has(ptx::Modifier::Cta) ? 1 : 0;
  op.set(both(&fence));
  return true;
}

// The same offset in the block of another rank; the own block's stay as they are.
template <typename T>
void map_rank(const Op& op, Warp& warp, LaneMask mask) {
  const T* const a = row<T>(warp, op.a);
  const u32* const rank = row<u32>(warp, op.b);
  const u32 own = warp.cta->rank();
  write_lanes(row<T>(warp, op.d), mask, false, [=](unsigned l) {
    const T offset = a[l] & ~(T{0xff} << kRankShift);
    return rank[l] == own ? offset : static_cast<T>(offset | T{(rank[l] & 0x7f) + 1} << kRankShift);
  });
}

bool decode_mapa(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!context.count(in, 3, 3)) return false;
  const int width = context.width(in.operands[0], form.type());
  op.d = context.destination(in.operands[0]);
  op.a = context.source(in.operands[1], width == 8 ? ptx::Type::U64 : ptx::Type::U32);
  op.b = context.source(in.operands[2], ptx::Type::U32);
  op.set(both(width == 8 ? &map_rank<u64> : &map_rank<u32>));
  return context.ok() && (width == 4 || width == 8);
}

template <typename T>
void rank_of(const Op& op, Warp& warp, LaneMask mask) {
  const T* const a = row<T>(warp, op.a);
  const u32 own = warp.cta->rank();
  alignas(64) u32 ranks[kWarpSize];
  for (unsigned l = 0; l < kWarpSize; ++l) {
    const u32 named = static_cast<u32>(a[l] >> kRankShift) & 0xff;
    ranks[l] = named == 0 ? own : named - 1;
  }
  write_lanes(row<u32>(warp, op.d), mask, false, [&](unsigned l) { return ranks[l]; });
}

bool decode_rank(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!context.count(in, 2, 2) || context.width(in.operands[0], ptx::Type::U32) != 4) return false;
  const int width = context.width(in.operands[1], form.type());
  op.d = context.destination(in.operands[0]);
  op.a = context.source(in.operands[1], width == 8 ? ptx::Type::U64 : ptx::Type::U32);
  op.set(both(width == 8 ? &rank_of<u64> : &rank_of<u32>));
  return context.ok() && (width == 4 || width == 8);
}

// ---- alloca: a stack of its own behind the frames of all calls

template <typename T>
void take_stack(const Op& op, Warp& warp, LaneMask mask) {
  const std::uint32_t begin = warp.worker->program->alloca_begin;
  const std::uint32_t room = warp.worker->program->lane_local_bytes - begin;
  WarpControl& w = warp.cta->control(warp);
  const T* const size = row<T>(warp, op.a);
  alignas(64) T place[kWarpSize] = {};
  LaneMask full = 0;
  for (unsigned l = 0; l < kWarpSize; ++l) {
    if (!lane_in(mask, l)) continue;
    const std::uint64_t at = align_up(begin + std::uint64_t{w.stack_top[l]}, op.imm) - begin;
    if (at > room || size[l] > room - at) {
      full |= 1u << l;
      continue;
    }
    place[l] = static_cast<T>(begin + at);
    w.stack_top[l] = static_cast<std::uint32_t>(at + size[l]);
    mark_local(w, warp.worker->program->lane_local_bytes, 1u << l, static_cast<std::uint32_t>(place[l]),
               static_cast<std::uint32_t>(size[l]), false);
  }
  report_fault(warp, op, trace::FaultKind::StackOverflow, full, {"fault.alloca", {}});
  write_lanes(row<T>(warp, op.d), mask, false, [&](unsigned l) { return place[l]; });
}

bool decode_alloca(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!context.count(in, 2, 3)) return false;
  const int width = context.width(in.operands[0], form.type());
  std::int64_t alignment = 8;
  if (in.operands.size() == 3) {
    if (in.operands[2].kind != ptx::OperandKind::Integer) return false;
    alignment = in.operands[2].value;
  }
  if (alignment < 1 || alignment > 1024 || (alignment & (alignment - 1)) != 0) return false;
  op.d = context.destination(in.operands[0]);
  op.a = context.source(in.operands[1], width == 8 ? ptx::Type::U64 : ptx::Type::U32);
  op.imm = static_cast<std::uint64_t>(alignment);
  op.set(both(width == 8 ? &take_stack<u64> : &take_stack<u32>));
  static_cast<Loader&>(context).use_alloca();
  return context.ok() && (width == 4 || width == 8);
}

template <typename T>
void save_stack(const Op& op, Warp& warp, LaneMask mask) {
  const WarpControl& w = warp.cta->control(warp);
  write_lanes(row<T>(warp, op.d), mask, false, [&](unsigned l) { return T{w.stack_top[l]}; });
}
template <typename T>
void restore_stack(const Op& op, Warp& warp, LaneMask mask) {
  WarpControl& w = warp.cta->control(warp);
  const T* const a = row<T>(warp, op.a);
  for (unsigned l = 0; l < kWarpSize; ++l) {
    if (lane_in(mask, l)) w.stack_top[l] = std::min(w.stack_top[l], static_cast<std::uint32_t>(a[l]));
  }
}

bool decode_stack(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!context.count(in, 1, 1)) return false;
  const int width = context.width(in.operands[0], form.type());
  static_cast<Loader&>(context).use_alloca();
  if (form.opcode == ptx::Opcode::Stacksave) {
    op.d = context.destination(in.operands[0]);
    op.set(both(width == 8 ? &save_stack<u64> : &save_stack<u32>));
  } else {
    op.a = context.source(in.operands[0], width == 8 ? ptx::Type::U64 : ptx::Type::U32);
    op.set(both(width == 8 ? &restore_stack<u64> : &restore_stack<u32>));
  }
  return context.ok() && (width == 4 || width == 8);
}

constexpr OpcodeEntry kAddressOpcodes[] = {
    {ptx::Opcode::Membar, decode_fence},       {ptx::Opcode::Fence, decode_fence},
    {ptx::Opcode::Mapa, decode_mapa},          {ptx::Opcode::Getctarank, decode_rank},
    {ptx::Opcode::Alloca, decode_alloca},      {ptx::Opcode::Stacksave, decode_stack},
    {ptx::Opcode::Stackrestore, decode_stack}, {ptx::Opcode::Cvta, decode_cvta},
    {ptx::Opcode::Isspacep, decode_isspacep},  {ptx::Opcode::Mov, decode_mov},
    {ptx::Opcode::Prefetch, decode_prefetch},  {ptx::Opcode::Prefetchu, decode_prefetch},
    {ptx::Opcode::Createpolicy, decode_policy}};

}  // namespace

std::span<const OpcodeEntry> address_family() {
  return kAddressOpcodes;
}

}  // namespace warplens::simt
