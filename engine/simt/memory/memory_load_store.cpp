// ld and st of every width, vector and space.
#include <algorithm>
#include <bit>
#include <vector>

#include "engine/simt/launch/worker.h"
#include "engine/simt/memory/memory.h"
#include "engine/simt/memory/memory_quick.h"
#include "engine/simt/memory/memory_tables.h"

namespace warplens::simt {

namespace {

constexpr std::size_t kInOp = 4;  // elements whose rows an Op has room for: in d, b, c, e

// Where element k of a vector goes or comes from. The further ones of eight stand in a list.
inline std::uint32_t element_row(const Op& op, const Warp& warp, unsigned k) {
  if (k >= kInOp) return warp.lists[op.list + k - kInOp];
  return k == 0 ? op.d : k == 1 ? op.b : k == 2 ? op.c : op.e;
}

constexpr unsigned kHalf = kWarpSize / 2;

// Half a warp's neighbouring elements. The copy keeps the compiler from fearing that the row and the memory
// overlap. Vectors are moved, which no atomic of C++ does; each aligned element in them is moved whole on the
// processors there are. tests/races.txt names these two functions to the thread sanitizer.
template <typename M, typename D>
void load_run(std::uintptr_t from, D* d) {
  if constexpr (sizeof(M) == sizeof(D)) {
    std::memcpy(d, reinterpret_cast<const void*>(from), sizeof(M) * kHalf);
    return;
  }
  M values[kHalf];
  std::memcpy(values, reinterpret_cast<const void*>(from), sizeof(values));
  for (unsigned l = 0; l < kHalf; ++l) d[l] = static_cast<D>(values[l]);
}
template <typename M, typename S>
void store_run(std::uintptr_t to, const S* s) {
  if constexpr (sizeof(M) == sizeof(S)) {
    std::memcpy(reinterpret_cast<void*>(to), s, sizeof(M) * kHalf);
    return;
  }
  M values[kHalf];
  for (unsigned l = 0; l < kHalf; ++l) values[l] = static_cast<M>(s[l]);
  std::memcpy(reinterpret_cast<void*>(to), values, sizeof(values));
}

inline void row_addresses(const Op& op, Warp& warp, std::uintptr_t base, u64* at) {
  if ((op.flags & memory_flags::kWideAddress) != 0) {
    const u64* const a = row<u64>(warp, op.a);
    WARPLENS_FOR_LANES(l) {
      at[l] = a[l] + base;
    }
  } else {
    const u32* const a = row<u32>(warp, op.a);
    WARPLENS_FOR_LANES(l) {
      at[l] = a[l] + base;
    }
  }
}

// M is the type in memory, D the register's.
template <typename M, typename D>
void load_element(const Prepared& p, D* d, unsigned byte) {
  const std::uintptr_t base = p.base + byte;
  if (p.mask != kFullMask) {
    for (LaneMask left = p.mask; left != 0; left &= left - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(left));
      d[l] = static_cast<D>(peek<M>(base + p.address(l)));
    }
    return;
  }
  if (p.pattern == Pattern::Uniform) {
    const D low = static_cast<D>(peek<M>(base + p.half[0])), high = static_cast<D>(peek<M>(base + p.half[1]));
    for (unsigned l = 0; l < kHalf; ++l) d[l] = low;
    for (unsigned l = 0; l < kHalf; ++l) d[l + kHalf] = high;
    return;
  }
  const std::uintptr_t from = base + p.addend;
  if (p.narrow != nullptr) {
    const u32* const a = p.narrow;
    for (unsigned l = 0; l < kWarpSize; ++l) d[l] = static_cast<D>(peek<M>(from + a[l]));
  } else {
    const u64* const a = p.wide;
    for (unsigned l = 0; l < kWarpSize; ++l) d[l] = static_cast<D>(peek<M>(from + a[l]));
  }
}

template <typename M, typename D>
void load(const Op& op, Warp& warp, LaneMask mask) {
  const unsigned n = vector_of(op);
  Prepared p;
  for (LaneMask left = mask; left != 0; left &= ~p.served) {
    prepare(op, warp, left, p);
    for (LaneMask nowhere = p.nowhere; nowhere != 0; nowhere &= nowhere - 1)
      for (unsigned k = 0; k < n; ++k)
        row<D>(warp, element_row(op, warp, k))[static_cast<unsigned>(std::countr_zero(nowhere))] = D{};
    if (p.mask == 0) continue;
    if (p.pattern == Pattern::Contiguous && n == 1) {
      D* const d = row<D>(warp, op.d);
      load_run<M>(p.base + p.half[0], d);
      load_run<M>(p.base + p.half[1], d + kHalf);
      continue;
    }
    // An address row may be one of the destinations.
    p.spell_out();
    for (unsigned k = 0; k < n; ++k) {
      load_element<M, D>(p, row<D>(warp, element_row(op, warp, k)), k * static_cast<unsigned>(sizeof(M)));
    }
  }
}

// One lane after the other. An address row may be one of the destinations: all of it is read first.
template <typename M, typename D>
__attribute__((noinline)) void load_scattered(const Op& op, Warp& warp, const Quick& q) {
  alignas(64) u64 at[kWarpSize];
  row_addresses(op, warp, q.base, at);
  for (unsigned k = 0; k < vector_of(op); ++k) {
    D* const d = row<D>(warp, element_row(op, warp, k));
    for (unsigned l = 0; l < kWarpSize; ++l) d[l] = static_cast<D>(peek_aligned<M>(at[l] + k * sizeof(M)));
  }
  const std::uintptr_t distance = distance_to_next(op, warp, at[0]);
  if (distance == 0) return;
  // Into the second level: the first has too few misses under way to take 32 more.
  for (unsigned l = 0; l < kWarpSize; ++l)
    __builtin_prefetch(reinterpret_cast<const void*>(at[l] + distance), 0, 2);
}

// The two halves of a whole row, of the warp that comes next.
template <bool kWrites>
WARPLENS_INLINE void fetch_next_row(const Op& op, Warp& warp, const Quick& q) {
  const std::uintptr_t distance = distance_to_next(op, warp, q.half[0]);
  if (distance == 0) return;
  __builtin_prefetch(reinterpret_cast<const void*>(q.half[0] + distance), kWrites ? 1 : 0);
  __builtin_prefetch(reinterpret_cast<const void*>(q.half[1] + distance), kWrites ? 1 : 0);
}

template <typename M, typename D>
void load_uniform(const Quick& q, D* d, unsigned byte) {
  const D low = static_cast<D>(peek_aligned<M>(q.half[0] + byte)),
          high = static_cast<D>(peek_aligned<M>(q.half[1] + byte));
  for (unsigned l = 0; l < kHalf; ++l) d[l] = low;
  for (unsigned l = 0; l < kHalf; ++l) d[l + kHalf] = high;
}

// The quick way for a full warp and one element a lane.
template <typename M, typename D>
void load_full(const Op& op, Warp& warp, LaneMask) {
  Quick q;
  quick_access(op, warp, sizeof(M), q);
  if (q.pattern == QuickPattern::Contiguous) {
    D* const d = row<D>(warp, op.d);
    load_run<M>(q.half[0], d);
    load_run<M>(q.half[1], d + kHalf);
    fetch_next_row<false>(op, warp, q);
  } else if (q.pattern == QuickPattern::Uniform) {
    load_uniform<M>(q, row<D>(warp, op.d), 0);
  } else if (q.pattern == QuickPattern::General) {
    load_scattered<M, D>(op, warp, q);
  } else {
    load<M, D>(op, warp, kFullMask);
  }
}

template <typename M, typename D>
void load_full_vector(const Op& op, Warp& warp, LaneMask) {
  const unsigned n = vector_of(op);
  Quick q;
  quick_access(op, warp, n * static_cast<unsigned>(sizeof(M)), q);
  if (q.pattern == QuickPattern::Failed) return load<M, D>(op, warp, kFullMask);
  if (q.pattern != QuickPattern::Uniform) return load_scattered<M, D>(op, warp, q);
  for (unsigned k = 0; k < n; ++k) {
    load_uniform<M>(q, row<D>(warp, element_row(op, warp, k)), k * static_cast<unsigned>(sizeof(M)));
  }
}

template <typename M, typename S>
bool stores_equal(const Op& op, Warp& warp, unsigned a, unsigned b) {
  for (unsigned k = 0; k < vector_of(op); ++k) {
    const S* const s = row<S>(warp, element_row(op, warp, k));
    if (static_cast<M>(s[a]) != static_cast<M>(s[b])) return false;
  }
  return true;
}

template <typename M, typename S>
void store(const Op& op, Warp& warp, LaneMask mask) {
  const unsigned n = vector_of(op);
  Prepared p;
  for (LaneMask left = mask; left != 0; left &= ~p.served) {
    prepare(op, warp, left, p);
    if (p.mask == 0) continue;
    if (p.pattern == Pattern::Contiguous && n == 1) {
      const S* const s = row<S>(warp, op.d);
      store_run<M>(p.base + p.half[0], s);
      store_run<M>(p.base + p.half[1], s + kHalf);
      if (!warp.worker->doubtful.empty()) shadow_settle(op, warp, &stores_equal<M, S>);
      continue;
    }
    // Where lanes write the same address the highest lane wins: one of the orders that CUDA allows.
    for (unsigned k = 0; k < n; ++k) {
      const S* const s = row<S>(warp, element_row(op, warp, k));
      const std::uintptr_t base = p.base + k * sizeof(M);
      for (LaneMask lanes = p.mask; lanes != 0; lanes &= lanes - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(lanes));
        poke<M>(base + p.address(l), static_cast<M>(s[l]));
      }
    }
    if (!warp.worker->doubtful.empty()) shadow_settle(op, warp, &stores_equal<M, S>);
  }
}

template <typename M, typename S>
__attribute__((noinline)) void store_scattered(const Op& op, Warp& warp, const Quick& q) {
  alignas(64) u64 at[kWarpSize];
  row_addresses(op, warp, q.base, at);
  for (unsigned k = 0; k < vector_of(op); ++k) {
    const S* const s = row<S>(warp, element_row(op, warp, k));
    for (unsigned l = 0; l < kWarpSize; ++l) poke_aligned<M>(at[l] + k * sizeof(M), static_cast<M>(s[l]));
  }
  const std::uintptr_t distance = distance_to_next(op, warp, at[0]);
  if (distance == 0) return;
  for (unsigned l = 0; l < kWarpSize; ++l)
    __builtin_prefetch(reinterpret_cast<const void*>(at[l] + distance), 1, 2);
}

template <typename M, typename S>
void store_full(const Op& op, Warp& warp, LaneMask) {
  Quick q;
  quick_access(op, warp, sizeof(M), q);
  if (q.pattern == QuickPattern::Contiguous) {
    const S* const s = row<S>(warp, op.d);
    store_run<M>(q.half[0], s);
    store_run<M>(q.half[1], s + kHalf);
    fetch_next_row<true>(op, warp, q);
  } else if (q.pattern != QuickPattern::Failed) {
    store_scattered<M, S>(op, warp, q);
  } else {
    store<M, S>(op, warp, kFullMask);
  }
}

template <typename M, typename S>
void store_full_vector(const Op& op, Warp& warp, LaneMask) {
  Quick q;
  quick_access(op, warp, vector_of(op) * static_cast<unsigned>(sizeof(M)), q);
  if (q.pattern == QuickPattern::Failed) return store<M, S>(op, warp, kFullMask);
  store_scattered<M, S>(op, warp, q);
}

template <typename M, typename D>
Handlers loads(unsigned elements) {
  return {elements == 1 ? &load_full<M, D> : &load_full_vector<M, D>, &load<M, D>};
}
template <typename M, typename S>
Handlers stores(unsigned elements) {
  return {elements == 1 ? &store_full<M, S> : &store_full_vector<M, S>, &store<M, S>};
}

template <typename M>
Handlers load_to(int width, unsigned elements) {
  if (width == 2) {
    if constexpr (sizeof(M) <= 2)
      return loads<M, std::conditional_t<std::is_signed_v<M>, s16, u16>>(elements);
  }
  if (width == 4) {
    if constexpr (sizeof(M) <= 4)
      return loads<M, std::conditional_t<std::is_signed_v<M>, s32, u32>>(elements);
  }
  if (width == 8) return loads<M, std::conditional_t<std::is_signed_v<M>, s64, u64>>(elements);
  return {};
}

Handlers select_load(ptx::Type type, int width, unsigned elements) {
  const bool extends = ptx::is_signed(type);
  switch (ptx::size_of(type)) {
    case 1:
      return extends ? load_to<s8>(width, elements) : load_to<u8>(width, elements);
    case 2:
      return extends ? load_to<s16>(width, elements) : load_to<u16>(width, elements);
    case 4:
      return extends ? load_to<s32>(width, elements) : load_to<u32>(width, elements);
    case 8:
      return load_to<u64>(width, elements);
    default:
      return {};
  }
}

template <typename M>
Handlers store_from(int width, unsigned elements) {
  if (width == 1 && sizeof(M) == 1) return stores<M, u8>(elements);
  if (width == 2) {
    if constexpr (sizeof(M) <= 2) return stores<M, u16>(elements);
  }
  if (width == 4) {
    if constexpr (sizeof(M) <= 4) return stores<M, u32>(elements);
  }
  if (width == 8) return stores<M, u64>(elements);
  return {};
}

Handlers select_store(ptx::Type type, int width, unsigned elements) {
  switch (ptx::size_of(type)) {
    case 1:
      return store_from<u8>(width, elements);
    case 2:
      return store_from<u16>(width, elements);
    case 4:
      return store_from<u32>(width, elements);
    case 8:
      return store_from<u64>(width, elements);
    default:
      return {};
  }
}

// The elements of a value operand: itself, or those of a vector.
std::span<const ptx::Operand> elements_of(const ptx::Operand& operand) {
  if (operand.kind == ptx::OperandKind::Vector) return operand.elements;
  return {&operand, 1};
}

void set_elements(DecodeContext& context, Op& op, std::span<const std::uint32_t> rows) {
  std::uint32_t* const in_op[kInOp] = {&op.d, &op.b, &op.c, &op.e};
  for (std::size_t k = 0; k < std::min(rows.size(), kInOp); ++k) *in_op[k] = rows[k];
  if (rows.size() > kInOp) op.list = context.list(rows.subspan(kInOp));
}

// A third operand is a cache policy (ld.global.L2::cache_hint), which changes nothing that is computed.
bool decode_load(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!context.count(in, 2, 3)) return false;
  const auto elements = elements_of(in.operands[0]);
  const ptx::Type type = form.type(form.types.empty() ? 0 : form.types.size() - 1);
  if (elements.size() != static_cast<std::size_t>(form.vector_width)) return false;
  if (!decode_address(context, form, in.operands[1], op, static_cast<unsigned>(ptx::size_of(type)),
                      static_cast<unsigned>(elements.size()))) {
    return false;
  }
  int width = 0;
  std::vector<std::uint32_t> rows;
  for (const ptx::Operand& element : elements) {
    rows.push_back(context.destination(element));
    if (element.kind == ptx::OperandKind::Sink) continue;
    const int here = context.width(element, type);
    if (width != 0 && here != width) return false;
    width = here;
  }
  set_elements(context, op, rows);
  if (width == 0) width = std::max(2, ptx::size_of(type));
  op.set(select_load(type, width, vector_of(op)));
  return context.ok();
}

bool decode_store(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (form.has(ptx::Modifier::Async) || !context.count(in, 2, 3))
    return false;  // st.async: memory_transfer.cpp
  const auto elements = elements_of(in.operands[1]);
  const ptx::Type type = form.type(form.types.empty() ? 0 : form.types.size() - 1);
  if (elements.size() != static_cast<std::size_t>(form.vector_width)) return false;
  if (!decode_address(context, form, in.operands[0], op, static_cast<unsigned>(ptx::size_of(type)),
                      static_cast<unsigned>(elements.size()))) {
    return false;
  }
  // Immediates take the width of the registers beside them.
  int width = 0;
  for (const ptx::Operand& element : elements) {
    if (element.kind != ptx::OperandKind::Register) continue;
    const int here = context.width(element, type);
    if (width != 0 && here != width) return false;
    width = here;
  }
  if (width == 0) width = ptx::size_of(type);
  static constexpr ptx::Type kBits[] = {ptx::Type::None, ptx::Type::B8,   ptx::Type::B16,
                                        ptx::Type::None, ptx::Type::B32,  ptx::Type::None,
                                        ptx::Type::None, ptx::Type::None, ptx::Type::B64};
  if (width < 1 || width > 8) return false;
  std::vector<std::uint32_t> rows;
  for (const ptx::Operand& element : elements) {
    const bool literal = element.kind == ptx::OperandKind::Float;
    rows.push_back(context.source(element, literal ? type : kBits[width]));
  }
  set_elements(context, op, rows);
  op.set(select_store(type, width, vector_of(op)));
  return context.ok();
}

constexpr OpcodeEntry kLoadStoreOpcodes[] = {
    {ptx::Opcode::Ld, decode_load}, {ptx::Opcode::Ldu, decode_load}, {ptx::Opcode::St, decode_store}};

}  // namespace

std::span<const OpcodeEntry> load_store_family() {
  return kLoadStoreOpcodes;
}

}  // namespace warplens::simt
