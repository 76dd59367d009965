#include "engine/simt/memory/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/base/align.h"
#include "engine/simt/checks/local_shadow.h"
#include "engine/simt/checks/memory_faults.h"
#include "engine/simt/checks/shadow.h"
#include "engine/simt/launch/worker.h"
#include "engine/simt/memory/memory_quick.h"

namespace warplens::simt {

namespace {

// What the addresses of a warp's active lanes have in common.
struct Shape {
  std::uint64_t low = 0, high = 0;           // lowest and highest address
  std::uint64_t bits = 0;                    // or of the addresses (alignment)
  bool uniform = false, contiguous = false;  // over the whole warp
};

// Lane addresses (row + byte offset) to p.offset; inactive lanes repeat the first active one.
template <typename A>
void gather_addresses(const A* a, std::uint64_t imm, LaneMask mask, Prepared& p) {
  std::uint64_t* const to = p.offset;
  if (mask == kFullMask) {
    WARPLENS_FOR_LANES(l) {
      to[l] = std::uint64_t{a[l]} + imm;
    }
    return;
  }
  const std::uint64_t first = std::uint64_t{a[p.first]} + imm;
  WARPLENS_FOR_LANES(l) {
    const std::uint64_t here = std::uint64_t{a[l]} + imm;
    to[l] = ((mask >> l) & 1u) != 0 ? here : first;
  }
}

// The span of addresses that are neither uniform nor contiguous.
template <typename A>
void find_span(const A* a, std::uint64_t addend, Shape& shape) {
  if constexpr (sizeof(A) == 4) {
    u32 low = a[0], high = a[0], bits = 0;
    WARPLENS_FOR_LANES(l) {
      low = a[l] < low ? a[l] : low;
      high = a[l] > high ? a[l] : high;
      bits |= a[l];
    }
    shape.low = low + addend;
    shape.high = high + addend;
    shape.bits = bits | addend;
    if (shape.low <= shape.high) return;
  } else {
    const std::uint64_t first = a[0];
    std::int64_t lowest = 0, highest = 0;
    std::uint64_t bits = 0;
    WARPLENS_FOR_LANES(l) {
      const auto d = static_cast<std::int64_t>(a[l] - first);
      lowest = d < lowest ? d : lowest;
      highest = d > highest ? d : highest;
      bits |= a[l];
    }
    shape.low = first + addend + static_cast<std::uint64_t>(lowest);
    shape.high = first + addend + static_cast<std::uint64_t>(highest);
    shape.bits = bits | addend;
    if (shape.low <= first + addend && shape.high >= first + addend) return;
  }
  // Further apart than the address space reaches: the checks must look at each lane.
  shape.low = 0;
  shape.high = ~std::uint64_t{0};
}

// The whole warp is active and the addresses need no translation: judged where they lie in the register.
template <typename A>
void classify_row(const A* a, std::uint64_t addend, unsigned width, Prepared& p, Shape& shape) {
  p.addend = addend;
  if constexpr (sizeof(A) == 4) {
    p.narrow = a;
    p.wide = nullptr;
  } else {
    p.wide = a;
    p.narrow = nullptr;
  }
  const std::uint64_t first = a[0] + addend, second = a[kWarpSize / 2] + addend;
  const std::uint64_t reach = std::uint64_t{width} * (kWarpSize / 2 - 1);
  p.half[0] = first;
  p.half[1] = second;
  shape.bits = first | second;
  shape.low = std::min(first, second);
  shape.high = std::max(first, second);
  const QuickPattern pattern = quick::pattern_of(a, width);
  if (pattern == QuickPattern::Contiguous) {
    p.pattern = Pattern::Contiguous;
    shape.contiguous = second == first + reach + width;
    shape.high += reach;
    if (shape.high >= reach) return;
    shape.low = 0;
    shape.high = ~std::uint64_t{0};
    return;
  }
  if (pattern == QuickPattern::Uniform) {
    p.pattern = Pattern::Uniform;
    shape.uniform = first == second;
    return;
  }
  p.pattern = Pattern::General;
  find_span(a, addend, shape);
}

// Any mask, any space: judged on the spelled-out addresses.
void classify_lanes(Prepared& p, Shape& shape) {
  p.narrow = nullptr;
  p.wide = p.offset;
  p.addend = 0;
  const std::uint64_t first = p.offset[p.first];
  std::uint64_t differs = 0;
  WARPLENS_FOR_LANES(l) {
    differs |= p.offset[l] ^ first;
  }
  if (differs == 0) {
    p.pattern = Pattern::Uniform;
    p.half[0] = p.half[1] = shape.low = shape.high = shape.bits = first;
    shape.uniform = true;
    return;
  }
  p.pattern = Pattern::General;
  find_span(p.offset, 0, shape);
}

// Addresses of 32 bits wrap around: a base below the array's start and a distance make one that is inside.
void wrap_around(Prepared& p, Shape& shape) {
  p.spell_out();
  for (std::uint64_t& address : p.offset)
    if (address >> 32 == 1) address &= 0xffffffffu;
  shape = {};
  classify_lanes(p, shape);
}

// Lanes whose access lies wholly inside the space, one by one: the careful path.
LaneMask good_lanes(const Op& op, Warp& warp, const Prepared& p, LaneMask mask, unsigned width) {
  if (only_read(p.space) && changes_memory(kind_of(op))) return 0;
  LaneMask good = 0;
  const LaunchState& state = *warp.worker->state;
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = p.offset[lane];
    const bool aligned = (address & (width - 1)) == 0;
    // Host atomics need alignment even when nobody asks for the check.
    if (!aligned && (state.options->checks != Checks::None || is_atomic(kind_of(op)))) continue;
    bool inside = false;
    if (p.space == trace::Space::Global) {
      const Interval* interval = state.memory->find(address);
      inside = interval != nullptr && width <= interval->end - address &&
               (interval->kind != Interval::Kind::Heap || state.memory->heap_contains(address, width)) &&
               points_into(op, *warp.worker, *interval);
    } else {
      const Interval room = room_of(op, warp, p.space);
      inside = address >= room.begin && address < room.end && width <= room.end - address;
    }
    if (inside) good |= 1u << lane;
  }
  return good;
}

// Lanes out of bounds that a GPU lets pass: those that find memory, and those for which we have none.
struct Strays {
  LaneMask somewhere = 0, nowhere = 0;
};

// Shared memory is handed out by 128 bytes, and the system keeps 1 KiB in front of it; a thread's local
// memory lies among that of others; variables have whole pages (an H200, driver 580).
Strays strays_of(const Op& op, Warp& warp, const Prepared& p, LaneMask bad, unsigned width) {
  constexpr std::uint64_t kSharedUnit = 128, kReserved = 1024, kConstants = 65536;
  Strays out;
  const LaunchState& state = *warp.worker->state;
  const LastingMemory* const memory = state.memory->lasting();
  if (memory == nullptr || !memory->lets_strays_pass()) return out;
  if (only_read(p.space) && changes_memory(kind_of(op))) return out;
  const std::uint64_t size = p.space == trace::Space::Global ? 0 : space_bytes(warp, p.space);
  for (LaneMask left = bad; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = p.offset[lane];
    if ((address & (width - 1)) != 0) continue;
    bool passes = false, there = false;
    if (p.space == trace::Space::Global) {
      passes = there = memory->lets_pass(address, width);
    } else {
      there = address < size && width <= size - address;
      const std::uint64_t below = 0 - static_cast<std::uint64_t>(static_cast<std::int32_t>(address));
      passes = there || p.space == trace::Space::Local ||
               (p.space == trace::Space::Constant && address < kConstants) ||
               (p.space == trace::Space::Shared &&
                (address < align_up(size, kSharedUnit) || below - 1 < kReserved));
    }
    if (passes) (there ? out.somewhere : out.nowhere) |= 1u << lane;
  }
  return out;
}

// The whole warp inside one buffer or space: one comparison. Alignment is the caller's.
bool all_inside(const Op& op, Warp& warp, const Prepared& p, const Shape& shape, unsigned width) {
  Worker& worker = *warp.worker;
  if (p.space != trace::Space::Global) {
    if (only_read(p.space) && changes_memory(kind_of(op))) return false;
    const Interval room = room_of(op, warp, p.space);
    return shape.low >= room.begin && shape.high < room.end && width <= room.end - shape.high;
  }
  Interval& hit = worker.last_hit[op.instruction];
  if (shape.low >= hit.begin && shape.high < hit.end && width <= hit.end - shape.high) return true;
  const Interval* interval = worker.state->memory->find(shape.low);
  if (interval == nullptr || interval->kind == Interval::Kind::Heap) return false;
  if (!points_into(op, worker, *interval)) return false;
  hit = *interval;
  return shape.high < hit.end && width <= hit.end - shape.high;
}

void emit_access(const Op& op, Warp& warp, Prepared& p, const Shape& shape, LaneMask mask) {
  const WantedEvents& events = warp.worker->events;
  const std::vector<trace::Listener*>& listeners = only_read(p.space) ? events.constants : events.accesses;
  if (listeners.empty()) return;
  trace::Access access;
  access.site = warp.worker->program->instructions[op.instruction].site;
  access.warp = {warp.cta->block(), warp.index};
  access.kind = kind_of(op);
  access.space = p.space;
  access.bytes = static_cast<std::uint8_t>(bytes_of(op));
  access.active = mask;
  if (p.wide != nullptr && p.addend == 0) {
    access.addresses = p.wide;
  } else {
    p.spell_out();
    access.addresses = p.offset;
  }
  if (shape.uniform) {
    access.affine = true;
  } else if (shape.contiguous) {
    access.affine = true;
    access.stride = static_cast<std::int64_t>(bytes_of(op));
  } else if (p.pattern == Pattern::General) {
    find_stride(access.addresses, mask, access);
  }
  for (trace::Listener* listener : listeners) listener->on_access(access);
}

// Generic: the space of the first lane, and the lanes that share it; addresses become offsets there.
LaneMask resolve_space(Prepared& p, LaneMask mask) {
  const SpacedAddress first = resolve_generic(p.offset[p.first]);
  p.space = first.space;
  LaneMask same = 0;
  for (unsigned l = 0; l < kWarpSize; ++l) {
    const SpacedAddress here = resolve_generic(p.offset[l]);
    if (here.space != first.space) {
      p.offset[l] = first.address;
      continue;
    }
    p.offset[l] = here.address;
    same |= 1u << l;
  }
  return same & mask;
}

// Addresses that name a block of the cluster: those of the first lane's block are served now, and become
// offsets in its memory. What such accesses cost is not known: listeners are not told.
void enter_cluster(const Op& op, Warp& warp, Prepared& p, Shape& shape) {
  p.spell_out();
  const std::uint64_t rank = p.offset[p.first] >> kRankShift;
  LaneMask same = 0;
  for (unsigned l = 0; l < kWarpSize; ++l) {
    if (p.offset[l] >> kRankShift == rank) same |= 1u << l;
  }
  p.served &= same;
  p.mask = p.served;
  p.block = rank <= warp.cta->cluster_blocks() ? warp.cta->block_of(p.offset[p.first]) : nullptr;
  const std::uint64_t named = p.offset[p.first];
  for (unsigned l = 0; l < kWarpSize; ++l) {
    p.offset[l] = (lane_in(same, l) ? p.offset[l] : named) & kOffsetMask;
  }
  classify_lanes(p, shape);
  if (rank == 0) p.block = nullptr;
  if (rank == 0 || p.block != nullptr) return;
  const bool ended = rank <= warp.cta->cluster_blocks();
  report_fault(warp, op, trace::FaultKind::InvalidAddress, p.served,
               {ended ? "fault.cluster.ended" : "fault.cluster.no_block",
                {{"block", value_of(static_cast<std::int64_t>(rank) - 1)},
                 {"address", value_of(fmt::format("0x{:x}", named))},
                 {"blocks", value_of(warp.cta->cluster_blocks())}}},
               named);
}

void set_base(Warp& warp, Prepared& p) {
  const LaunchState& state = *warp.worker->state;
  switch (p.space) {
    case trace::Space::Shared:
      p.base = reinterpret_cast<std::uintptr_t>((p.block != nullptr ? p.block : warp.cta)->shared());
      return;
    case trace::Space::Local: {
      const std::uint64_t lane_bytes = warp.worker->program->lane_local_bytes;
      p.base = reinterpret_cast<std::uintptr_t>(warp.cta->control(warp).local.data());
      p.pattern = Pattern::General;
      WARPLENS_FOR_LANES(l) {
        p.offset[l] += l * lane_bytes;
      }
      return;
    }
    case trace::Space::Constant:
      p.base = reinterpret_cast<std::uintptr_t>(state.constants.data());
      return;
    case trace::Space::Parameter:
      p.base = reinterpret_cast<std::uintptr_t>(state.parameters.data());
      return;
    default:
      p.base = state.memory->shift();
      return;
  }
}

// The addresses of the access and what they have in common; of generic ones, the lanes of one space.
WARPLENS_INLINE void find_addresses(const Op& op, Warp& warp, LaneMask mask, unsigned width, Prepared& p,
                                    Shape& shape) {
  const bool wide = (op.flags & memory_flags::kWideAddress) != 0;
  const bool in_place = mask == kFullMask && op.a != kNoRow && p.space != trace::Space::Generic &&
                        p.space != trace::Space::Local;
  if (in_place) {
    if (wide) return classify_row(row<u64>(warp, op.a), op.imm, width, p, shape);
    return classify_row(row<u32>(warp, op.a), op.imm, width, p, shape);
  }
  std::uint64_t imm = op.imm;
  if ((op.flags & memory_flags::kFrame) != 0) imm += warp.frame;
  if (op.a == kNoRow) {
    WARPLENS_FOR_LANES(l) {
      p.offset[l] = imm;
    }
  } else if (wide) {
    gather_addresses(row<u64>(warp, op.a), imm, mask, p);
  } else {
    gather_addresses(row<u32>(warp, op.a), imm, mask, p);
  }
  if (p.space == trace::Space::Generic) p.served = p.mask = resolve_space(p, mask);
  if (p.served == kFullMask && p.space != trace::Space::Local) {
    classify_row(p.offset, 0, width, p, shape);
  } else {
    classify_lanes(p, shape);
  }
}

// Checks::All: uninitialised reads and races, of the lanes that may touch memory. `inside`: all of them lie
// in one buffer.
WARPLENS_INLINE void watch(const Op& op, Warp& warp, Prepared& p, bool inside) {
  p.spell_out();
  if (p.space == trace::Space::Local) local_access(op, warp, p);
  if (warp.worker->screen == nullptr) return shadow_access(op, warp, p);
  ScreenedAccess screened;
  screened.contiguous = p.pattern == Pattern::Contiguous && p.mask == kFullMask;
  screened.uniform = p.pattern == Pattern::Uniform && p.mask == kFullMask;
  screened.lanes = p.mask;
  screened.addresses = p.offset;
  if (p.space == trace::Space::Global && inside)
    screened.region = warp.worker->last_hit[op.instruction].ordinal;
  screen_access(op, warp, p.space, screened);
}

}  // namespace

void find_stride(const std::uint64_t* addresses, LaneMask mask, trace::Access& access) {
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const LaneMask others = mask & (mask - 1);
  if (others == 0) {
    access.affine = true;
    return;
  }
  const auto second = static_cast<unsigned>(std::countr_zero(others));
  const auto step = static_cast<std::int64_t>(addresses[second] - addresses[first]);
  const auto apart = static_cast<std::int64_t>(second - first);
  std::int64_t stride = step;
  if (apart != 1) {
    if (step % apart != 0) return;
    stride = step / apart;
  }
  // Products of 32 bits vectorise; a stride beyond them is no pattern worth a name.
  const std::uint64_t sign = stride < 0 ? ~std::uint64_t{0} : 0;
  const std::uint64_t size = (static_cast<std::uint64_t>(stride) ^ sign) - sign;
  if (size > 0xffffffffu) return;
  const auto factor = static_cast<u32>(size);
  const std::uint64_t origin = addresses[first] - first * static_cast<std::uint64_t>(stride);
  std::uint64_t wrong = 0;
  WARPLENS_FOR_LANES(l) {
    const std::uint64_t away = ((std::uint64_t{l} * factor) ^ sign) - sign;
    const std::uint64_t used = 0 - static_cast<std::uint64_t>((mask >> l) & 1u);
    wrong |= (addresses[l] ^ (origin + away)) & used;
  }
  if (wrong != 0) return;
  access.affine = true;
  access.stride = stride;
}

quick::Range quick::range_of(const u32* a) {
  u32 low = a[0], high = a[0], bits = 0;
  WARPLENS_FOR_LANES(l) {
    low = a[l] < low ? a[l] : low;
    high = a[l] > high ? a[l] : high;
    bits |= a[l];
  }
  return {low, high, bits};
}

quick::Range quick::range_of(const u64* a) {
  // Global addresses are far below 2^63: signed comparisons do, and vectorise.
  auto low = static_cast<s64>(a[0]), high = low;
  u64 bits = 0;
  WARPLENS_FOR_LANES(l) {
    const auto x = static_cast<s64>(a[l]);
    low = x < low ? x : low;
    high = x > high ? x : high;
    bits |= a[l];
  }
  return {static_cast<u64>(low), static_cast<u64>(high), bits};
}

void emit_quick(const Op& op, Warp& warp, unsigned width, const Quick& q) {
  const Worker& worker = *warp.worker;
  trace::Access access;
  access.site = worker.program->instructions[op.instruction].site;
  access.warp = {warp.cta->block(), warp.index};
  access.kind = kind_of(op);
  access.space = space_of(op) == trace::Space::Shared ? trace::Space::Shared : trace::Space::Global;
  access.bytes = static_cast<std::uint8_t>(width);
  access.active = kFullMask;
  alignas(64) std::uint64_t addresses[kWarpSize];
  const std::uint64_t add = op.imm;
  if ((op.flags & memory_flags::kWideAddress) == 0) {
    const u32* const from = row<u32>(warp, op.a);
    WARPLENS_FOR_LANES(l) {
      addresses[l] = from[l] + add;
    }
    access.addresses = addresses;
  } else if (add != 0) {
    const u64* const from = row<u64>(warp, op.a);
    WARPLENS_FOR_LANES(l) {
      addresses[l] = from[l] + add;
    }
    access.addresses = addresses;
  } else {
    access.addresses = row<u64>(warp, op.a);
  }
  if (q.pattern == QuickPattern::General) {
    find_stride(access.addresses, kFullMask, access);
  } else {
    const std::uintptr_t step = q.pattern == QuickPattern::Contiguous ? width : 0;
    access.affine = q.half[1] - q.half[0] == step * (kWarpSize / 2);
    access.stride = access.affine ? static_cast<std::int64_t>(step) : 0;
  }
  for (trace::Listener* listener : worker.events.accesses) listener->on_access(access);
  if (worker.screen == nullptr) return;
  ScreenedAccess screened;
  screened.contiguous = q.pattern == QuickPattern::Contiguous;
  screened.uniform = q.pattern == QuickPattern::Uniform;
  screened.strided = access.affine;
  screened.stride = access.stride;
  screened.lanes = kFullMask;
  screened.addresses = access.addresses;
  if (access.space == trace::Space::Global) screened.region = worker.last_hit[op.instruction].ordinal;
  screen_access(op, warp, access.space, screened);
}

void Prepared::spell_out() {
  if (wide == offset && addend == 0) return;
  const std::uint64_t add = addend;
  if (narrow != nullptr) {
    const u32* const from = narrow;
    WARPLENS_FOR_LANES(l) {
      offset[l] = from[l] + add;
    }
  } else {
    const u64* const from = wide;
    WARPLENS_FOR_LANES(l) {
      offset[l] = from[l] + add;
    }
  }
  narrow = nullptr;
  wide = offset;
  addend = 0;
}

namespace {

// Of the lanes that are out of bounds, those that find memory all the same. Tells of all.
LaneMask find_strays(const Op& op, Warp& warp, Prepared& p, unsigned width) {
  const LaneMask bad = p.served & ~p.mask;
  const Strays strays = strays_of(op, warp, p, bad, width);
  const LaneMask passing = strays.somewhere | strays.nowhere;
  p.pattern = Pattern::General;
  p.nowhere = strays.nowhere;
  if (passing != 0) report_strays(op, warp, p, passing);
  if (passing != bad) report_access_fault(op, warp, p, bad & ~passing);
  return strays.somewhere;
}

}  // namespace

void prepare(const Op& op, Warp& warp, LaneMask mask, Prepared& p) {
  const unsigned width = bytes_of(op);
  p.first = static_cast<unsigned>(std::countr_zero(mask));
  p.space = space_of(op);
  p.served = p.mask = mask;
  p.nowhere = 0;
  Shape shape;
  find_addresses(op, warp, mask, width, p, shape);
  if (shape.high >> 32 == 1 && op.a != kNoRow && (op.flags & memory_flags::kWideAddress) == 0)
    wrap_around(p, shape);
  p.block = nullptr;
  if (p.space == trace::Space::Shared && shape.high > kOffsetMask && warp.cta->cluster_blocks() > 1)
    enter_cluster(op, warp, p, shape);
  if (p.block != nullptr) {
    report_note(warp, "note.cluster_shared_uncounted");
  } else if ((op.flags & memory_flags::kNoCount) == 0) {
    emit_access(op, warp, p, shape, p.served);
  }
  LaneMask strays = 0;
  const bool inside = (shape.bits & (width - 1)) == 0 && all_inside(op, warp, p, shape, width);
  if (!inside) {
    p.spell_out();
    p.mask = good_lanes(op, warp, p, p.served, width);
    if (p.mask != p.served) strays = find_strays(op, warp, p, width);
    if (p.mask == 0 && strays == 0) return;
    p.first = static_cast<unsigned>(std::countr_zero(p.mask | strays));
  }
  if (warp.check_all && p.mask != 0) watch(op, warp, p, inside);
  p.mask |= strays;
  set_base(warp, p);
}

}  // namespace warplens::simt
