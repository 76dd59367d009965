// cp.async: copies from global to shared memory that land when the thread waits for their group. Until then
// the shared bytes keep what they held, so that a missing wait shows.
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

// Of a warp. The machine lets copies land when it likes; a kernel that never waits must not fill the memory.
constexpr std::size_t kMostPending = std::size_t{1} << 16;

// Sizes that the compiler knows: a call for each lane's copy would take longer than the copy.
void move(std::byte* to, const AsyncCopy& copy) {
  const auto* const from = reinterpret_cast<const void*>(copy.source);
  if (copy.source_bytes != copy.bytes) {
    std::memset(to, 0, copy.bytes);
    std::memcpy(to, from, copy.source_bytes);
  } else if (copy.bytes == 16) {
    std::memcpy(to, from, 16);
  } else if (copy.bytes == 8) {
    std::memcpy(to, from, 8);
  } else {
    std::memcpy(to, from, 4);
  }
}

template <typename Lands>
void land(Warp& warp, Lands lands) {
  std::vector<AsyncCopy>& copies = warp.cta->control(warp).copies;
  std::byte* const shared = warp.cta->shared();
  std::size_t left = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const AsyncCopy& copy = copies[i];
    if (!lands(copy)) {
      if (left != i) copies[left] = copy;
      ++left;
      continue;
    }
    move(shared + copy.destination, copy);
    if (warp.check_all) shadow_copy(warp, copy, true);
  }
  copies.resize(left);
}

// The shared side of the copy is a second access with its own address row (Op::b, offset in Op::list).
Op shared_side(const Op& op) {
  Op other = op;
  const bool wide = op.c != 0;
  other.a = op.b;
  // The offset may be negative.
  other.imm = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(op.list)});
  other.flags &= ~((15u << memory_flags::kSpaceShift) | memory_flags::kWideAddress | memory_flags::kFrame);
  other.flags |= static_cast<std::uint32_t>(trace::Space::Shared) << memory_flags::kSpaceShift;
  if (wide) other.flags |= memory_flags::kWideAddress;
  other.flags |= memory_flags::kNoCount;
  return other;
}

void emit_copy(const Op& op, Warp& warp, LaneMask mask, const Prepared& from, const Prepared& to) {
  const WantedEvents& events = warp.worker->events;
  if (events.accesses.empty()) return;
  trace::Access access;
  access.site = warp.worker->program->instructions[op.instruction].site;
  access.warp = {warp.cta->block(), warp.index};
  access.kind = trace::SiteKind::AsyncCopy;
  access.space = trace::Space::Global;
  access.bytes = static_cast<std::uint8_t>(bytes_of(op));
  access.active = mask;
  access.addresses = from.offset;
  access.shared_addresses = to.offset;
  find_stride(from.offset, mask, access);
  for (trace::Listener* listener : events.accesses) listener->on_access(access);
}

void copy_async(const Op& op, Warp& warp, LaneMask mask) {
  Prepared from, to;
  const Op shared = shared_side(op);
  const Op global = [&] {
    Op copy = op;
    copy.flags |= memory_flags::kNoCount;
    return copy;
  }();
  prepare(shared, warp, mask, to);
  prepare(global, warp, mask, from);
  from.spell_out();
  to.spell_out();
  emit_copy(op, warp, mask, from, to);
  WarpControl& w = warp.cta->control(warp);
  const u32* const sizes = op.e == kNoRow ? nullptr : row<u32>(warp, op.e);
  for (LaneMask left = from.mask & to.mask; left != 0; left &= left - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(left));
    AsyncCopy copy;
    copy.source = from.base + from.address(l);
    copy.destination = static_cast<std::uint32_t>(to.address(l));
    copy.group = w.groups[l];
    copy.lane = static_cast<std::uint8_t>(l);
    copy.bytes = static_cast<std::uint8_t>(bytes_of(op));
    // Bytes beyond the source size are zeros.
    copy.source_bytes =
        sizes == nullptr ? copy.bytes : static_cast<std::uint8_t>(std::min<u32>(sizes[l], copy.bytes));
    copy.op = &op;
    __builtin_prefetch(reinterpret_cast<const void*>(copy.source));  // read when it lands
    if (warp.check_all) shadow_copy(warp, copy, false);
    w.copies.push_back(copy);
  }
  if (w.copies.size() > kMostPending) land(warp, [](const AsyncCopy&) { return true; });
}

void commit_group(const Op&, Warp& warp, LaneMask mask) {
  WarpControl& w = warp.cta->control(warp);
  for (unsigned l = 0; l < kWarpSize; ++l) {
    if (lane_in(mask, l)) ++w.groups[l];
  }
}

void wait_group(const Op& op, Warp& warp, LaneMask mask) {
  land_copies(warp, mask, static_cast<std::uint32_t>(op.imm));
}

void wait_all(const Op& op, Warp& warp, LaneMask mask) {
  commit_group(op, warp, mask);
  land_copies(warp, mask, 0);
}

bool decode_wait(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (form.has(ptx::Modifier::CommitGroup)) {
    op.set(both(&commit_group));
    return context.count(in, 0, 0);
  }
  if (form.has(ptx::Modifier::WaitAll)) {
    op.set(both(&wait_all));
    return context.count(in, 0, 0);
  }
  if (!context.count(in, 1, 1) || in.operands[0].kind != ptx::OperandKind::Integer) return false;
  op.imm = static_cast<std::uint64_t>(std::clamp<std::int64_t>(in.operands[0].value, 0, 1 << 30));
  op.set(both(&wait_group));
  return true;
}

bool decode_copy(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!context.count(in, 3, 5) || in.operands[2].kind != ptx::OperandKind::Integer) return false;
  const std::int64_t bytes = in.operands[2].value;
  if (bytes != 4 && bytes != 8 && bytes != 16) return false;
  ptx::Form shared = form, global = form;
  shared.space = ptx::StateSpace::Shared;
  global.space = ptx::StateSpace::Global;
  Op other;
  if (!decode_address(context, shared, in.operands[0], other, static_cast<unsigned>(bytes), 1)) {
    return false;
  }
  if (!decode_address(context, global, in.operands[1], op, static_cast<unsigned>(bytes), 1)) {
    return false;
  }
  op.b = other.a;
  op.list = static_cast<std::uint32_t>(other.imm);
  op.c = (other.flags & memory_flags::kWideAddress) != 0 ? 1 : 0;
  if (in.operands.size() > 3) {
    const ptx::Operand& size = in.operands[3];
    // A predicate there means "ignore the source": zeros.
    if (size.kind == ptx::OperandKind::Register && context.width(size, ptx::Type::U32) != 4) return false;
    if (!form.has(ptx::Modifier::L2CacheHint) || in.operands.size() == 5)
      op.e = context.source(size, ptx::Type::U32);
  }
  static_cast<const Loader&>(context).program().uses_async_copies = true;
  op.set(both(&copy_async));
  return context.ok();
}

bool decode_cp(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!form.has(ptx::Modifier::Async)) return false;
  if (form.has(ptx::Modifier::Bulk) || form.has(ptx::Modifier::Mbarrier) || form.has(ptx::Modifier::Reduce))
    return false;
  if (form.has(ptx::Modifier::CommitGroup) || form.has(ptx::Modifier::WaitAll) ||
      form.has(ptx::Modifier::WaitGroup)) {
    return decode_wait(context, form, in, op);
  }
  return decode_copy(context, form, in, op);
}

constexpr OpcodeEntry kAsyncOpcodes[] = {{ptx::Opcode::Cp, decode_cp}};

}  // namespace

void land_copies(Warp& warp, LaneMask lanes, std::uint32_t groups_left) {
  const WarpControl& w = warp.cta->control(warp);
  land(warp, [&](const AsyncCopy& copy) {
    return lane_in(lanes, copy.lane) && copy.group + groups_left < w.groups[copy.lane];
  });
}

std::span<const OpcodeEntry> async_family() {
  return kAsyncOpcodes;
}

}  // namespace warplens::simt
