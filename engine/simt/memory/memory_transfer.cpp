// Transfers that somebody else than the lanes carries out: bulk copies and reductions, and the stores and
// reductions (st.async, red.async) whose bytes an mbarrier counts. Here all of them land at once.
#include <bit>
#include <cstring>
#include <vector>

#include "engine/simt/checks/shadow.h"
#include "engine/simt/checks/written_marks.h"
#include "engine/simt/lasting_memory.h"
#include "engine/simt/launch/worker.h"
#include "engine/simt/load/loader.h"
#include "engine/simt/memory/memory.h"
#include "engine/simt/memory/memory_tables.h"

namespace warplens::simt {

namespace {

// [dst], [src], size, [mbar]: operands as rows of addresses and sizes, one copy a lane.
struct BulkRows {
  std::uint32_t to = 0, from = 1, size = 2, barrier = 3;
};

std::byte* bulk_place(const Op& op, Warp& warp, unsigned lane, std::uint64_t address, std::uint64_t bytes,
                      bool shared) {
  const std::uint64_t generic = shared && address < kSharedWindow ? address + kSharedWindow : address;
  const auto wanted = shared ? trace::Space::Shared : trace::Space::Global;
  std::byte* const at =
      resolve_generic(generic).space == wanted ? host_of_generic(warp, lane, generic, bytes) : nullptr;
  if (at == nullptr) {
    report_fault(warp, op, trace::FaultKind::OutOfBounds, 1u << lane, {"fault.bulk.leaves", {}}, address);
  } else if (address % 16 != 0 || bytes % 16 != 0) {
    report_fault(warp, op, trace::FaultKind::Misaligned, 1u << lane, {"fault.bulk.misaligned", {}}, address);
  }
  return at;
}

void emit_bulk(const Op& op, Warp& warp, unsigned lane, std::uint64_t global, std::uint64_t shared) {
  const WantedEvents& events = warp.worker->events;
  if (events.accesses.empty()) return;
  std::uint64_t addresses[kWarpSize] = {}, offsets[kWarpSize] = {};
  addresses[lane] = global;
  offsets[lane] = shared >= kSharedWindow ? shared - kSharedWindow : shared;
  trace::Access access;
  access.site = warp.worker->program->instructions[op.instruction].site;
  access.warp = {warp.cta->block(), warp.index};
  access.kind = trace::SiteKind::BulkCopy;
  access.space = trace::Space::Global;
  access.bytes = 16;
  access.active = 1u << lane;
  access.addresses = addresses;
  access.shared_addresses = offsets;
  access.affine = true;
  for (trace::Listener* listener : events.accesses) listener->on_access(access);
}

void note_written(Warp& warp, std::uint64_t address, std::uint64_t bytes) {
  const GlobalMemory& memory = *warp.worker->state->memory;
  if (memory.lasting() != nullptr && !memory.is_elsewhere(address))
    mark_written(*memory.lasting(), address, bytes);
}

// Rows of the operands are in Op::list; wide ones hold u64 (bit k of Op::imm for row k).
std::uint64_t bulk_value(const Op& op, Warp& warp, std::uint32_t k, unsigned lane) {
  const std::uint32_t at = warp.lists[op.list + k];
  const std::uint64_t offset = warp.lists[op.list + 4 + k];
  const std::uint64_t base = (op.imm >> k & 1) != 0 ? row<u64>(warp, at)[lane] : row<u32>(warp, at)[lane];
  return base + static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(offset)));
}

// The same place in each block of the cluster that the mask names.
constexpr std::uint64_t in_block(std::uint64_t address, std::uint32_t rank) {
  return (address & ~(std::uint64_t{0xff} << kRankShift)) | std::uint64_t{rank + 1} << kRankShift;
}

// Op::d: the source is shared memory as well. Op::b: row of the mask of blocks (multicast), else kNoRow.
template <bool kToShared>
void copy_bulk(const Op& op, Warp& warp, LaneMask mask) {
  constexpr BulkRows kRows;
  const bool from_shared = !kToShared || op.d == 1;
  for_each_lane(mask, [&](unsigned l) {
    const std::uint64_t bytes = bulk_value(op, warp, kRows.size, l) & 0xffffffffu;
    const std::uint64_t to_address = bulk_value(op, warp, kRows.to, l);
    const std::uint64_t from_address = bulk_value(op, warp, kRows.from, l);
    const std::byte* const from = bulk_place(op, warp, l, from_address, bytes, from_shared);
    if (from == nullptr) return;
    if constexpr (kToShared) {
      if (op.b != kNoRow) {
        const std::uint64_t barrier = bulk_value(op, warp, kRows.barrier, l);
        const u16 ranks = row<u16>(warp, op.b)[l];
        emit_bulk(op, warp, l, from_address, to_address);
        for (std::uint32_t rank = 0; rank < 16; ++rank) {
          if ((ranks >> rank & 1) == 0) continue;
          const std::uint64_t there = in_block(to_address, rank);
          std::byte* const to = bulk_place(op, warp, l, there, bytes, true);
          if (to == nullptr) return;
          std::memcpy(to, from, bytes);
          if (warp.check_all) shadow_written(warp, there & 0xffffffffu, bytes);
          complete_transfer(op, warp, l, in_block(barrier, rank), bytes);
        }
        return;
      }
    }
    std::byte* const to = bulk_place(op, warp, l, to_address, bytes, kToShared);
    if (to == nullptr) return;
    if (!kToShared || !from_shared)
      emit_bulk(op, warp, l, kToShared ? from_address : to_address, kToShared ? to_address : from_address);
    std::memmove(to, from, bytes);
    if (!kToShared && warp.check_all) note_written(warp, to_address, bytes);
    if constexpr (kToShared) {
      if (warp.check_all) {
        shadow_written(warp, to_address >= kSharedWindow ? to_address - kSharedWindow : to_address, bytes);
      }
      complete_transfer(op, warp, l, bulk_value(op, warp, kRows.barrier, l), bytes);
    }
  });
}

// cp.reduce: as a copy, but each element is combined with what lies there. Op::c says how, Op::e its bytes.
template <bool kToShared>
void reduce_bulk(const Op& op, Warp& warp, LaneMask mask) {
  constexpr BulkRows kRows;
  for_each_lane(mask, [&](unsigned l) {
    const std::uint64_t bytes = bulk_value(op, warp, kRows.size, l) & 0xffffffffu;
    const std::uint64_t to_address = bulk_value(op, warp, kRows.to, l);
    const std::uint64_t from_address = bulk_value(op, warp, kRows.from, l);
    std::byte* const to = bulk_place(op, warp, l, to_address, bytes, kToShared);
    const std::byte* const from = bulk_place(op, warp, l, from_address, bytes, true);
    if (to == nullptr || from == nullptr) return;
    if constexpr (!kToShared) emit_bulk(op, warp, l, to_address, from_address);
    const bool concurrent = warp.worker->state->concurrent && !kToShared;
    for (std::uint64_t at = 0; at + op.e <= bytes; at += op.e) {
      apply_update(op.c, reinterpret_cast<std::uintptr_t>(to) + at, from + at, concurrent);
    }
    if constexpr (kToShared) complete_transfer(op, warp, l, bulk_value(op, warp, kRows.barrier, l), bytes);
  });
}

bool decode_bulk(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!form.has(ptx::Modifier::Bulk) || form.has(ptx::Modifier::Tensor)) return false;
  // Copies land at once: the groups of copies to global memory have nothing to wait for.
  if (form.has(ptx::Modifier::CommitGroup) || form.has(ptx::Modifier::WaitGroup) ||
      form.has(ptx::Modifier::Prefetch)) {
    op.set(both(&nothing));
    return true;
  }
  const bool to_shared =
      form.has(ptx::Modifier::CompleteTxBytes) || form.has(ptx::Modifier::MbarrierCompleteTxBytes);
  if (!context.count(in, 3, 5) || (to_shared && in.operands.size() < 4)) return false;
  std::vector<std::uint32_t> rows(8, 0);
  for (std::size_t k = 0; k < (to_shared ? 4u : 3u); ++k) {
    const ptx::Operand& operand = in.operands[k];
    ptx::Operand base = operand;
    if (operand.kind == ptx::OperandKind::Address) {
      base.kind = operand.reg != ptx::kNone ? ptx::OperandKind::Register : ptx::OperandKind::Symbol;
      base.value = 0;
      rows[4 + k] = static_cast<std::uint32_t>(operand.value);
    }
    const bool wide = context.width(base, ptx::Type::U32) == 8;
    rows[k] = context.source(base, wide ? ptx::Type::U64 : ptx::Type::U32);
    if (wide) op.imm |= u64{1} << k;
  }
  op.list = context.list(rows);
  if (form.has(ptx::Modifier::Reduce)) {
    op.c = find_update(form);
    op.e = static_cast<std::uint32_t>(ptx::size_of(form.type()));
    if (op.c == kNoRow || op.e == 0) return false;
    op.set(both(to_shared ? &reduce_bulk<true> : &reduce_bulk<false>));
    return context.ok();
  }
  if (to_shared && form.has(ptx::Modifier::SharedCluster) && form.has(ptx::Modifier::SharedCta)) op.d = 1;
  if (form.has(ptx::Modifier::MulticastCluster)) {
    if (!to_shared || in.operands.size() < 5 || context.width(in.operands[4], ptx::Type::U16) != 2)
      return false;
    op.b = context.source(in.operands[4], ptx::Type::U16);
  }
  op.set(both(to_shared ? &copy_bulk<true> : &copy_bulk<false>));
  return context.ok();
}

// ---- st.async and red.async
//
// [a], {b...}, [mbar]. Op::list holds the barrier's address row, its offset, whether that row is wide, and
// the rows of the values; Op::c the update (kNoRow: a store), Op::e the elements.

void transfer_lanes(const Op& op, Warp& warp, LaneMask mask) {
  const std::uint32_t* const rows = warp.lists + op.list;
  const unsigned width = bytes_of(op) / op.e;
  Prepared p;
  for (LaneMask left = mask; left != 0; left &= ~p.served) {
    prepare(op, warp, left, p);
    for_each_lane(p.mask, [&](unsigned l) {
      for (unsigned e = 0; e < op.e; ++e) {
        const std::byte* const value = warp.registers + rows[3 + e] + std::size_t{l} * width;
        const std::uintptr_t at = p.base + p.address(l) + e * width;
        if (op.c == kNoRow) {
          std::memcpy(reinterpret_cast<void*>(at), value, width);
        } else {
          apply_update(op.c, at, value, false);
        }
      }
      const std::uint64_t base = rows[2] != 0 ? row<u64>(warp, rows[0])[l] : row<u32>(warp, rows[0])[l];
      complete_transfer(op, warp, l, base + static_cast<std::uint64_t>(static_cast<std::int32_t>(rows[1])),
                        bytes_of(op));
    });
  }
}

bool decode_transfer(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  const bool reduces = form.opcode == ptx::Opcode::Red;
  const auto width = static_cast<unsigned>(ptx::size_of(form.type()));
  if (!form.has(ptx::Modifier::Async) || !context.count(in, 3, 3) || (width != 4 && width != 8)) return false;
  const ptx::Operand &values = in.operands[1], &barrier = in.operands[2];
  const bool vector = values.kind == ptx::OperandKind::Vector;
  const std::size_t elements = vector ? values.elements.size() : 1;
  if (elements == 0 || elements > 4 || barrier.kind != ptx::OperandKind::Address) return false;
  if (reduces && (elements != 1 || (op.c = find_update(form)) == kNoRow)) return false;
  ptx::Form shared = form;
  shared.space = ptx::StateSpace::Shared;
  Op place;
  if (!decode_address(context, shared, in.operands[0], op, static_cast<unsigned>(elements) * width, 1) ||
      !decode_address(context, shared, barrier, place, 8, 1))
    return false;
  const bool wide = (place.flags & memory_flags::kWideAddress) != 0;
  std::vector<std::uint32_t> rows{place.a != kNoRow ? place.a : context.constant(0, 4),
                                  static_cast<std::uint32_t>(place.imm), wide ? 1u : 0u};
  for (std::size_t e = 0; e < elements; ++e) {
    const ptx::Operand& value = vector ? values.elements[e] : values;
    if (context.width(value, form.type()) != static_cast<int>(width)) return false;
    rows.push_back(context.source(value, form.type()));
  }
  op.list = context.list(rows);
  op.e = static_cast<std::uint32_t>(elements);
  op.flags |= memory_flags::kVolatile;
  static_cast<const Loader&>(context).program().partial_barriers = true;
  op.set(both(&transfer_lanes));
  return context.ok();
}

constexpr OpcodeEntry kTransferOpcodes[] = {
    {ptx::Opcode::Cp, decode_bulk}, {ptx::Opcode::St, decode_transfer}, {ptx::Opcode::Red, decode_transfer}};

}  // namespace

std::span<const OpcodeEntry> transfer_family() {
  return kTransferOpcodes;
}

}  // namespace warplens::simt
