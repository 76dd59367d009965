// ldmatrix and stmatrix: 8x8 matrices of 16-bit elements between shared memory and the registers of a warp,
// and the warp barrier.
#include <bit>

#include "engine/simt/checks/shadow.h"
#include "engine/simt/launch/worker.h"
#include "engine/simt/memory/memory.h"
#include "engine/simt/memory/memory_tables.h"

namespace warplens::simt {

namespace {

constexpr unsigned kMatrixRows = 8, kRowBytesOfMatrix = 16;

// Lane i of matrix k's group (8k..8k+7) holds the address of row i; lane l gets elements 2(l%4) and
// 2(l%4)+1 of row l/4, or, transposed, of column l/4.
struct Rows {
  Prepared p;
  std::uintptr_t at(unsigned matrix, unsigned row) const {
    return p.base + p.address(matrix * kMatrixRows + row);
  }
};

// All lanes that hold the row addresses of n matrices take part in the access. False: some row is bad.
bool prepare_rows(const Op& op, Warp& warp, unsigned n, Rows& rows) {
  const LaneMask lanes = n == 4 ? kFullMask : (1u << (n * kMatrixRows)) - 1;
  prepare(op, warp, lanes, rows.p);
  return rows.p.mask == lanes;
}

std::uint32_t fragment_row(const Op& op, const Warp& warp, unsigned matrix) {
  return warp.lists[op.list + matrix];
}

void load_matrix(const Op& op, Warp& warp, LaneMask mask) {
  const auto n = static_cast<unsigned>(op.b);
  const bool transposed = op.c != 0;
  Rows rows;
  if (!prepare_rows(op, warp, n, rows)) return;
  u32 values[4][kWarpSize];
  for (unsigned m = 0; m < n; ++m) {
    for (unsigned l = 0; l < kWarpSize; ++l) {
      const unsigned r = l / 4, c = 2 * (l % 4);
      u32 low = 0, high = 0;
      if (transposed) {
        low = peek<u16>(rows.at(m, c) + 2 * r);
        high = peek<u16>(rows.at(m, c + 1) + 2 * r);
      } else {
        low = peek<u16>(rows.at(m, r) + 2 * c);
        high = peek<u16>(rows.at(m, r) + 2 * (c + 1));
      }
      values[m][l] = low | high << 16;
    }
  }
  for (unsigned m = 0; m < n; ++m) {
    const u32* const v = values[m];
    write_lanes(row<u32>(warp, fragment_row(op, warp, m)), mask, false, [v](unsigned l) { return v[l]; });
  }
}

void store_matrix(const Op& op, Warp& warp, LaneMask) {
  const auto n = static_cast<unsigned>(op.b);
  const bool transposed = op.c != 0;
  Rows rows;
  if (!prepare_rows(op, warp, n, rows)) return;
  for (unsigned m = 0; m < n; ++m) {
    const u32* const v = row<u32>(warp, fragment_row(op, warp, m));
    for (unsigned l = 0; l < kWarpSize; ++l) {
      const unsigned r = l / 4, c = 2 * (l % 4);
      const auto low = static_cast<u16>(v[l]), high = static_cast<u16>(v[l] >> 16);
      if (transposed) {
        poke<u16>(rows.at(m, c) + 2 * r, low);
        poke<u16>(rows.at(m, c + 1) + 2 * r, high);
      } else {
        poke<u16>(rows.at(m, r) + 2 * c, low);
        poke<u16>(rows.at(m, r) + 2 * (c + 1), high);
      }
    }
  }
}

unsigned matrices_of(const ptx::Form& form) {
  return form.has(ptx::Modifier::X4)   ? 4
         : form.has(ptx::Modifier::X2) ? 2
         : form.has(ptx::Modifier::X1) ? 1
                                       : 0;
}

bool decode_matrix(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op,
                   bool loads) {
  const unsigned n = matrices_of(form);
  if (!context.count(in, 2, 2) || n == 0 || !form.has(ptx::Modifier::M8n8) ||
      !(form.has(ptx::Modifier::B16) || form.type() == ptx::Type::B16)) {
    return false;
  }
  const ptx::Operand& fragments = in.operands[loads ? 0 : 1];
  const ptx::Operand& address = in.operands[loads ? 1 : 0];
  const std::size_t count = fragments.kind == ptx::OperandKind::Vector ? fragments.elements.size() : 1;
  if (count != n) return false;
  // Each lane's address names a row of 16 bytes.
  if (!decode_address(context, form, address, op, kRowBytesOfMatrix, 1)) {
    return false;
  }
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    const ptx::Operand& f = fragments.kind == ptx::OperandKind::Vector ? fragments.elements[i] : fragments;
    rows.push_back(loads ? context.destination(f) : context.source(f, ptx::Type::B32));
  }
  op.list = context.list(rows);
  op.b = n;
  op.c = form.has(ptx::Modifier::Trans) ? 1 : 0;
  op.flags |= kConvergesWarp;
  op.set(both(loads ? &load_matrix : &store_matrix));
  return context.ok();
}

bool decode_ldmatrix(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  return decode_matrix(context, form, in, op, true);
}
bool decode_stmatrix(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  return decode_matrix(context, form, in, op, false);
}

constexpr OpcodeEntry kMatrixTable[] = {{ptx::Opcode::Ldmatrix, decode_ldmatrix},
                                        {ptx::Opcode::Stmatrix, decode_stmatrix}};

// __syncwarp: the interpreter has brought the lanes together; here it is told to whoever listens.
void warp_barrier(const Op& op, Warp& warp, LaneMask mask) {
  if (warp.check_all) {
    // Lanes that came together may have named different lanes: each mask is a barrier of its own.
    const u32* const members = row<u32>(warp, op.e);
    for (LaneMask left = mask; left != 0;) {
      const u32 named = members[std::countr_zero(left)];
      LaneMask together = 0;
      for (LaneMask lanes = left; lanes != 0; lanes &= lanes - 1)
        if (members[std::countr_zero(lanes)] == named) together |= lanes & (~lanes + 1);
      shadow_warp_barrier(warp, together);
      left &= ~together;
    }
  }
  tell_barrier(op, warp, mask, trace::Barrier::Phase::WarpSync);
}

bool decode_warp_barrier(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!form.has(ptx::Modifier::Warp) || !context.count(in, 1, 1)) return false;
  op.e = context.source(in.operands[0], ptx::Type::B32);
  op.flags |= kConvergesMembers | kWarpBarrier;
  op.set(both(&warp_barrier));
  return context.ok();
}

constexpr OpcodeEntry kBarrierTable[] = {{ptx::Opcode::Bar, decode_warp_barrier},
                                         {ptx::Opcode::Barrier, decode_warp_barrier}};

}  // namespace

void tell_barrier(const Op& op, Warp& warp, LaneMask mask, trace::Barrier::Phase phase) {
  const Worker& worker = *warp.worker;
  if (worker.events.barriers.empty()) return;
  trace::Barrier event;
  event.site = worker.program->instructions[op.instruction].site;
  event.warp = {warp.cta->block(), warp.index};
  event.lanes = mask;
  event.phase = phase;
  for (trace::Listener* listener : worker.events.barriers) listener->on_barrier(event);
}

std::span<const OpcodeEntry> matrix_memory_family() {
  return kMatrixTable;
}
std::span<const OpcodeEntry> warp_barrier_family() {
  return kBarrierTable;
}

}  // namespace warplens::simt
