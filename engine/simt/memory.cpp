#include "engine/simt/memory.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "engine/simt/memory_faults.h"
#include "engine/simt/shadow.h"
#include "engine/simt/worker.h"

namespace warplens::simt {

namespace {

// What the addresses of a warp's active lanes have in common.
struct Shape {
  std::uint64_t low = 0, high = 0;  // lowest and highest address
  std::uint64_t bits = 0;           // or of the addresses (alignment)
  bool uniform = false, contiguous = false;
};

// Lane addresses (row + byte offset) to out.offset; inactive lanes repeat the first active one.
template <typename A>
void gather_addresses(const A* a, std::uint64_t imm, LaneMask mask, Prepared& out) {
  std::uint64_t* to = out.offset;
  if (mask == kFullMask) {
    WARPLENS_FOR_LANES(l) {
      to[l] = std::uint64_t{a[l]} + imm;
    }
    return;
  }
  const std::uint64_t first = std::uint64_t{a[out.first]} + imm;
  WARPLENS_FOR_LANES(l) {
    const std::uint64_t here = std::uint64_t{a[l]} + imm;
    to[l] = ((mask >> l) & 1u) != 0 ? here : first;
  }
}

Shape classify(const Prepared& p, LaneMask mask, unsigned width) {
  const std::uint64_t* a = p.offset;
  const std::uint64_t first = a[p.first];
  std::uint64_t differs = 0, steps = 0, bits = 0;
  WARPLENS_FOR_LANES(l) {
    const std::uint64_t d = a[l] - first;
    differs |= d;
    steps |= d ^ (std::uint64_t{l} * width);
    bits |= a[l];
  }
  Shape shape;
  shape.bits = bits;
  shape.low = shape.high = first;
  if (differs == 0) {
    shape.uniform = true;
    return shape;
  }
  if (steps == 0 && mask == kFullMask) {
    shape.contiguous = true;
    shape.high = a[kWarpSize - 1];
    if (shape.high >= shape.low) return shape;
    shape.contiguous = false;
  }
  std::int64_t lowest = 0, highest = 0;
  WARPLENS_FOR_LANES(l) {
    const auto d = static_cast<std::int64_t>(a[l] - first);
    lowest = d < lowest ? d : lowest;
    highest = d > highest ? d : highest;
  }
  shape.low = first + static_cast<std::uint64_t>(lowest);
  shape.high = first + static_cast<std::uint64_t>(highest);
  // Addresses further apart than half the address space: let the checks look at each lane.
  if (shape.low > first || shape.high < first) {
    shape.low = 0;
    shape.high = ~std::uint64_t{0};
  }
  return shape;
}

// Lanes whose access lies wholly inside the space, one by one: the careful path.
LaneMask good_lanes(const Op& op, Warp& warp, const Prepared& p, LaneMask mask, unsigned width) {
  LaneMask good = 0;
  const LaunchState& state = *warp.worker->state;
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = p.offset[lane];
    if (state.options->checks != Checks::None && (address & (width - 1)) != 0) continue;
    bool inside = false;
    if (p.space == trace::Space::Global) {
      const Interval* interval = state.memory->find(address);
      inside = interval != nullptr && width <= interval->end - address &&
               (interval->kind != Interval::Kind::Heap || state.memory->heap_contains(address, width));
    } else {
      const std::uint64_t size = space_bytes(op, warp, p.space);
      inside = address < size && width <= size - address;
    }
    if (inside) good |= 1u << lane;
  }
  return good;
}

// The whole warp inside one buffer or space: one comparison. Alignment is the caller's.
bool all_inside(const Op& op, Warp& warp, const Prepared& p, const Shape& shape, unsigned width) {
  Worker& worker = *warp.worker;
  if (p.space != trace::Space::Global) {
    const std::uint64_t size = space_bytes(op, warp, p.space);
    return shape.high < size && width <= size - shape.high;
  }
  Interval& hit = worker.last_hit[op.instruction];
  if (shape.low >= hit.begin && shape.high < hit.end && width <= hit.end - shape.high) return true;
  const Interval* interval = worker.state->memory->find(shape.low);
  if (interval == nullptr || interval->kind == Interval::Kind::Heap) return false;
  hit = *interval;
  return shape.high < hit.end && width <= hit.end - shape.high;
}

void emit_access(const Op& op, Warp& warp, const Prepared& p, const Shape& shape, LaneMask mask) {
  const WantedEvents& events = warp.worker->events;
  const bool constant = p.space == trace::Space::Constant || p.space == trace::Space::Parameter;
  const std::vector<trace::Listener*>& listeners = constant ? events.constants : events.accesses;
  if (listeners.empty()) return;
  trace::Access access;
  access.site = warp.worker->program->instructions[op.instruction].site;
  access.warp = {warp.cta->block(), warp.index};
  access.kind = kind_of(op);
  access.space = p.space;
  access.bytes = static_cast<std::uint8_t>(bytes_of(op));
  access.active = mask;
  access.addresses = p.offset;
  if (shape.uniform) {
    access.affine = true;
  } else if (shape.contiguous) {
    access.affine = true;
    access.stride = static_cast<std::int64_t>(bytes_of(op));
  } else {
    find_stride(p.offset, mask, access);
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

void set_base(const Op& op, Warp& warp, Prepared& p) {
  const LaunchState& state = *warp.worker->state;
  switch (p.space) {
    case trace::Space::Shared:
      p.base = reinterpret_cast<std::uintptr_t>(warp.cta->shared());
      return;
    case trace::Space::Local: {
      const std::uint64_t lane_bytes = warp.worker->program->lane_local_bytes;
      p.base = reinterpret_cast<std::uintptr_t>(warp.cta->control(warp).local.data());
      WARPLENS_FOR_LANES(l) {
        p.offset[l] += l * lane_bytes;
      }
      p.pattern = Pattern::General;
      return;
    }
    case trace::Space::Constant:
      p.base = reinterpret_cast<std::uintptr_t>(warp.worker->program->const_image.data());
      return;
    case trace::Space::Parameter:
      p.base = reinterpret_cast<std::uintptr_t>(state.parameters.data());
      return;
    default:
      p.base = reinterpret_cast<std::uintptr_t>(state.memory->base()) - kGlobalBase;
      return;
  }
  (void)op;
}

}  // namespace

std::uint64_t space_bytes(const Op& op, Warp& warp, trace::Space space) {
  (void)op;
  const Worker& worker = *warp.worker;
  switch (space) {
    case trace::Space::Shared:
      return warp.cta->shared_bytes();
    case trace::Space::Local:
      return worker.program->lane_local_bytes;
    case trace::Space::Constant:
      return worker.program->const_image.size();
    case trace::Space::Parameter:
      return worker.state->parameters.size();
    default:
      return 0;
  }
}

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
  if (step % apart != 0) return;
  const auto stride = static_cast<std::uint64_t>(step / apart);
  std::uint64_t expected = addresses[first] - first * stride, wrong = 0;
  for (unsigned l = 0; l < kWarpSize; ++l, expected += stride) {
    wrong |= ((mask >> l) & 1u) != 0 ? addresses[l] ^ expected : 0;
  }
  if (wrong != 0) return;
  access.affine = true;
  access.stride = static_cast<std::int64_t>(stride);
}

void prepare(const Op& op, Warp& warp, LaneMask mask, Prepared& p) {
  const unsigned width = bytes_of(op);
  p.first = static_cast<unsigned>(std::countr_zero(mask));
  p.space = space_of(op);
  std::uint64_t imm = op.imm;
  if ((op.flags & memory_flags::kFrame) != 0) imm += warp.frame;
  if (op.a == kNoRow) {
    WARPLENS_FOR_LANES(l) {
      p.offset[l] = imm;
    }
  } else if ((op.flags & memory_flags::kWideAddress) != 0) {
    gather_addresses(row<u64>(warp, op.a), imm, mask, p);
  } else {
    gather_addresses(row<u32>(warp, op.a), imm, mask, p);
  }
  p.served = p.space == trace::Space::Generic ? resolve_space(p, mask) : mask;
  p.mask = p.served;
  const Shape shape = classify(p, p.served, width);
  p.pattern = shape.uniform ? Pattern::Uniform : shape.contiguous ? Pattern::Contiguous : Pattern::General;
  if ((op.flags & memory_flags::kNoCount) == 0) emit_access(op, warp, p, shape, p.served);
  if ((shape.bits & (width - 1)) != 0 || !all_inside(op, warp, p, shape, width)) {
    p.mask = good_lanes(op, warp, p, p.served, width);
    if (p.mask != p.served) {
      report_access_fault(op, warp, p, p.served & ~p.mask);
      p.pattern = Pattern::General;
    }
  }
  if (p.mask == 0) return;
  p.first = static_cast<unsigned>(std::countr_zero(p.mask));
  if (warp.check_all) shadow_access(op, warp, p);
  set_base(op, warp, p);
}

std::byte* host_of_generic(Warp& warp, unsigned lane, std::uint64_t address, std::uint64_t bytes) {
  const SpacedAddress at = resolve_generic(address);
  const LaunchState& state = *warp.worker->state;
  if (at.space == trace::Space::Global) {
    const Interval* interval = state.memory->find(at.address);
    return interval != nullptr && bytes <= interval->end - at.address ? state.memory->host(at.address)
                                                                      : nullptr;
  }
  const std::uint64_t size = space_bytes(Op{}, warp, at.space);
  if (at.address >= size || bytes > size - at.address) return nullptr;
  switch (at.space) {
    case trace::Space::Shared:
      return warp.cta->shared() + at.address;
    case trace::Space::Local:
      return warp.cta->control(warp).local.data() + std::size_t{lane} * size + at.address;
    case trace::Space::Constant:
      // Read only: callers that write check the space themselves.
      return const_cast<std::byte*>(
          reinterpret_cast<const std::byte*>(warp.worker->program->const_image.data()) + at.address);
    case trace::Space::Parameter:
      return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(state.parameters.data()) + at.address);
    default:
      return nullptr;
  }
}

}  // namespace warplens::simt
