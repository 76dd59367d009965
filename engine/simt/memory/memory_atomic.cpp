// atom and red. Lanes act in ascending order; on global memory each is one host atomic when several workers
// run (then only operations whose order cannot be told are allowed side by side: see order_sensitive).
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

#include "engine/simt/launch/worker.h"
#include "engine/simt/memory/memory.h"
#include "engine/simt/memory/memory_tables.h"
#include "engine/simt/ops/half.h"
#include "engine/simt/ops/wide.h"

namespace warplens::simt {

namespace {

template <std::size_t N>
using BitsOf = std::conditional_t<N == 2, u16, std::conditional_t<N == 4, u32, u64>>;

// Replaces the value at `at` by F(old, b, c), returns the old one.
template <typename T, auto F>
T update(std::uintptr_t at, T b, T c, bool concurrent) {
  if constexpr (sizeof(T) == 16) {
    // Exchanges, all that there is of 16 bytes, run on one worker: they are order_sensitive.
    T old;
    std::memcpy(&old, reinterpret_cast<const void*>(at), sizeof old);
    const T wanted = F(old, b, c);
    std::memcpy(reinterpret_cast<void*>(at), &wanted, sizeof wanted);
    return old;
  } else {
    if (!concurrent) {
      const T old = peek<T>(at);
      poke<T>(at, F(old, b, c));
      return old;
    }
    using Bits = BitsOf<sizeof(T)>;
    auto* word = reinterpret_cast<Bits*>(at);
    Bits seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    for (;;) {
      const T old = std::bit_cast<T>(seen);
      const Bits wanted = std::bit_cast<Bits>(F(old, b, c));
      if (__atomic_compare_exchange_n(word, &seen, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return old;
    }
  }
}

template <typename T, auto F>
void atomic(const Op& op, Warp& warp, LaneMask mask) {
  Prepared p;
  const bool shared_by_workers = warp.worker->state->concurrent;
  const T* const b = row<T>(warp, op.b);
  const T* const c = op.c == kNoRow ? b : row<T>(warp, op.c);
  for (LaneMask left = mask; left != 0; left &= ~p.served) {
    prepare(op, warp, left, p);
    const bool concurrent = shared_by_workers && p.space == trace::Space::Global;
    alignas(64) T old[kWarpSize];
    for (LaneMask lanes = p.mask; lanes != 0; lanes &= lanes - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(lanes));
      old[l] = update<T, F>(p.base + p.address(l), b[l], c[l], concurrent);
    }
    if (op.d == kNoRow || p.mask == 0) continue;
    T* const d = row<T>(warp, op.d);
    for (LaneMask lanes = p.mask; lanes != 0; lanes &= lanes - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(lanes));
      d[l] = old[l];
    }
  }
}

// One atomic without an Op around it: an element of a vector, of a bulk reduction, of red.async.
template <typename T, auto F>
void apply(std::uintptr_t at, const void* operand, void* old, bool concurrent) {
  T b;
  std::memcpy(&b, operand, sizeof(T));
  const T before = update<T, F>(at, b, b, concurrent);
  if (old != nullptr) std::memcpy(old, &before, sizeof(T));
}

template <typename T>
constexpr auto kAdd = [](T old, T b, T) { return static_cast<T>(old + b); };
template <typename T>
constexpr auto kMin = [](T old, T b, T) { return b < old ? b : old; };
template <typename T>
constexpr auto kMax = [](T old, T b, T) { return b > old ? b : old; };
template <typename T>
constexpr auto kAnd = [](T old, T b, T) { return static_cast<T>(old & b); };
template <typename T>
constexpr auto kOr = [](T old, T b, T) { return static_cast<T>(old | b); };
template <typename T>
constexpr auto kXor = [](T old, T b, T) { return static_cast<T>(old ^ b); };
template <typename T>
constexpr auto kExchange = [](T, T b, T) { return b; };
template <typename T>
constexpr auto kCompareAndSwap = [](T old, T b, T c) { return old == b ? c : old; };
constexpr auto kIncrement = [](u32 old, u32 b, u32) { return old >= b ? 0u : old + 1; };
constexpr auto kDecrement = [](u32 old, u32 b, u32) { return old == 0 || old > b ? b : old - 1; };

constexpr auto kAddHalf = [](u16 old, u16 b, u16) {
  return float_to_half(half_to_float(old) + half_to_float(b));
};
constexpr auto kAddBfloat = [](u16 old, u16 b, u16) {
  return float_to_bfloat(bfloat_to_float(old) + bfloat_to_float(b));
};
template <auto F>
constexpr auto kBothHalves = [](u32 old, u32 b, u32) {
  const auto low = static_cast<u32>(F(static_cast<u16>(old), static_cast<u16>(b), u16{0}));
  const auto high = static_cast<u32>(F(static_cast<u16>(old >> 16), static_cast<u16>(b >> 16), u16{0}));
  return low | high << 16;
};

template <bool kLarger>
constexpr auto kExtremeHalf = [](u16 old, u16 b, u16) {
  const float x = half_to_float(old), y = half_to_float(b);
  return x != x || (kLarger ? y > x : y < x) ? b : old;
};
template <bool kLarger>
constexpr auto kExtremeBfloat = [](u16 old, u16 b, u16) {
  const float x = bfloat_to_float(old), y = bfloat_to_float(b);
  return x != x || (kLarger ? y > x : y < x) ? b : old;
};

using ptx::Modifier;

struct Row {
  Modifier operation = Modifier::Unknown;
  ptx::Type type = ptx::Type::None;
  Handler handler = nullptr;
  void (*apply)(std::uintptr_t at, const void* operand, void* old, bool concurrent) = nullptr;
};

template <typename T, auto F>
constexpr Row row_of(Modifier operation, ptx::Type type) {
  return {operation, type, &atomic<T, F>, &apply<T, F>};
}
template <typename T>
constexpr std::array<Row, 3> integer_rows(ptx::Type type) {
  return {row_of<T, kAdd<T>>(Modifier::Add, type), row_of<T, kMin<T>>(Modifier::Min, type),
          row_of<T, kMax<T>>(Modifier::Max, type)};
}
template <typename T>
constexpr std::array<Row, 5> bit_rows(ptx::Type type) {
  return {row_of<T, kAnd<T>>(Modifier::And, type), row_of<T, kOr<T>>(Modifier::Or, type),
          row_of<T, kXor<T>>(Modifier::Xor, type), row_of<T, kExchange<T>>(Modifier::Exch, type),
          row_of<T, kCompareAndSwap<T>>(Modifier::Cas, type)};
}
template <std::size_t... N>
constexpr auto join(const std::array<Row, N>&... parts) {
  std::array<Row, (N + ...)> all{};
  std::size_t at = 0;
  const auto append = [&](const auto& part) {
    for (const Row& row : part) all[at++] = row;
  };
  (append(parts), ...);
  return all;
}

using ptx::Type;
constexpr std::array kOtherRows{
    row_of<u16, kCompareAndSwap<u16>>(Modifier::Cas, Type::B16),
    row_of<u128, kCompareAndSwap<u128>>(Modifier::Cas, Type::B128),
    row_of<u128, kExchange<u128>>(Modifier::Exch, Type::B128),
    row_of<u32, kExchange<u32>>(Modifier::Exch, Type::F32),
    row_of<u64, kExchange<u64>>(Modifier::Exch, Type::F64),
    row_of<u32, kIncrement>(Modifier::Inc, Type::U32),
    row_of<u32, kDecrement>(Modifier::Dec, Type::U32),
    row_of<float, kAdd<float>>(Modifier::Add, Type::F32),
    row_of<double, kAdd<double>>(Modifier::Add, Type::F64),
    row_of<u16, kAddHalf>(Modifier::Add, Type::F16),
    row_of<u16, kAddBfloat>(Modifier::Add, Type::BF16),
    row_of<u32, kBothHalves<kAddHalf>>(Modifier::Add, Type::F16x2),
    row_of<u32, kBothHalves<kAddBfloat>>(Modifier::Add, Type::BF16x2),
    row_of<u16, kExtremeHalf<false>>(Modifier::Min, Type::F16),
    row_of<u16, kExtremeHalf<true>>(Modifier::Max, Type::F16),
    row_of<u16, kExtremeBfloat<false>>(Modifier::Min, Type::BF16),
    row_of<u16, kExtremeBfloat<true>>(Modifier::Max, Type::BF16),
    row_of<u32, kBothHalves<kExtremeHalf<false>>>(Modifier::Min, Type::F16x2),
    row_of<u32, kBothHalves<kExtremeHalf<true>>>(Modifier::Max, Type::F16x2),
    row_of<u32, kBothHalves<kExtremeBfloat<false>>>(Modifier::Min, Type::BF16x2),
    row_of<u32, kBothHalves<kExtremeBfloat<true>>>(Modifier::Max, Type::BF16x2),
};
constexpr auto kRows =
    join(integer_rows<u32>(Type::U32), integer_rows<s32>(Type::S32), integer_rows<u64>(Type::U64),
         integer_rows<s64>(Type::S64), bit_rows<u32>(Type::B32), bit_rows<u64>(Type::B64),
         bit_rows<u32>(Type::U32), bit_rows<u64>(Type::U64), bit_rows<u32>(Type::S32),
         bit_rows<u64>(Type::S64), kOtherRows);

const Row* find_row(const ptx::Form& form) {
  for (const Row& row : kRows) {
    if (row.type == form.type() && form.has(row.operation)) return &row;
  }
  return nullptr;
}

// A vector: each element is one atomic of its own, the access is one. Op::list: the rows of the values, then
// those of the results; Op::c: the row of kRows; Op::e: elements.
void vector_atomic(const Op& op, Warp& warp, LaneMask mask) {
  const std::uint32_t* const rows = warp.lists + op.list;
  const Row& update = kRows[op.c];
  const auto elements = static_cast<unsigned>(op.e);
  const unsigned width = bytes_of(op) / elements;
  Prepared p;
  for (LaneMask left = mask; left != 0; left &= ~p.served) {
    prepare(op, warp, left, p);
    const bool concurrent = warp.worker->state->concurrent && p.space == trace::Space::Global;
    for (LaneMask lanes = p.mask; lanes != 0; lanes &= lanes - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(lanes));
      for (unsigned e = 0; e < elements; ++e) {
        std::byte* const result = rows[elements + e] == kNoRow
                                      ? nullptr
                                      : warp.registers + rows[elements + e] + std::size_t{l} * width;
        update.apply(p.base + p.address(l) + e * width, warp.registers + rows[e] + std::size_t{l} * width,
                     result, concurrent);
      }
    }
  }
}

// atom.global.add.v4.f32 {d...}, [a], {b...} and red without d.
bool decode_vector(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op,
                   std::size_t address) {
  const Row* found = find_row(form);
  const auto elements = static_cast<std::size_t>(form.vector_width);
  const auto width = static_cast<unsigned>(ptx::size_of(form.type()));
  if (found == nullptr || !context.count(in, address + 2, address + 3) || elements * width > 16) return false;
  const ptx::Operand& values = in.operands[address + 1];
  const bool matches =
      values.kind == ptx::OperandKind::Vector && values.elements.size() == elements &&
      (address == 0 ||
       (in.operands[0].kind == ptx::OperandKind::Vector && in.operands[0].elements.size() == elements) ||
       in.operands[0].kind == ptx::OperandKind::Sink);
  if (!matches ||
      !decode_address(context, form, in.operands[address], op, static_cast<unsigned>(elements) * width, 1))
    return false;
  std::vector<std::uint32_t> rows;
  for (const ptx::Operand& value : values.elements) {
    if (context.width(value, form.type()) != static_cast<int>(width)) return false;
    rows.push_back(context.source(value, form.type()));
  }
  for (std::size_t e = 0; e < elements; ++e) {
    const bool dropped = address == 0 || in.operands[0].kind == ptx::OperandKind::Sink ||
                         in.operands[0].elements[e].kind == ptx::OperandKind::Sink;
    if (!dropped && context.width(in.operands[0].elements[e], form.type()) != static_cast<int>(width))
      return false;
    rows.push_back(dropped ? kNoRow : context.destination(in.operands[0].elements[e]));
  }
  op.list = context.list(rows);
  op.c = static_cast<std::uint32_t>(found - kRows.data());
  op.e = static_cast<std::uint32_t>(elements);
  op.flags |= memory_flags::kVolatile;
  op.set(both(&vector_atomic));
  return context.ok();
}

bool decode_update(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op,
                   std::size_t address) {
  const Row* found = find_row(form);
  if (found == nullptr || form.vector_width != 1) return false;
  const bool compares = found->operation == Modifier::Cas;
  if (!context.count(in, address + (compares ? 3 : 2), address + 4)) return false;
  const int bytes = ptx::size_of(form.type());
  if (!decode_address(context, form, in.operands[address], op, static_cast<unsigned>(bytes), 1)) {
    return false;
  }
  op.b = context.source(in.operands[address + 1], form.type());
  if (compares) op.c = context.source(in.operands[address + 2], form.type());
  op.flags |= memory_flags::kVolatile;
  op.set(both(found->handler));
  return context.ok();
}

bool decode_atom(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (form.vector_width != 1) return decode_vector(context, form, in, op, 1);
  if (in.operands.size() < 3 || !decode_update(context, form, in, op, 1)) return false;
  if (in.operands[0].kind != ptx::OperandKind::Sink) {
    if (context.width(in.operands[0], form.type()) != ptx::size_of(form.type())) return false;
    op.d = context.destination(in.operands[0]);
  }
  return context.ok();
}

bool decode_red(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (form.has(Modifier::Async)) return false;  // red.async: memory_transfer.cpp
  if (form.vector_width != 1) return decode_vector(context, form, in, op, 0);
  return decode_update(context, form, in, op, 0);
}

constexpr OpcodeEntry kAtomicOpcodes[] = {{ptx::Opcode::Atom, decode_atom}, {ptx::Opcode::Red, decode_red}};

}  // namespace

std::span<const OpcodeEntry> atomic_family() {
  return kAtomicOpcodes;
}

std::uint32_t find_update(const ptx::Form& form) {
  const Row* found = find_row(form);
  return found == nullptr || found->operation == Modifier::Cas
             ? kNoRow
             : static_cast<std::uint32_t>(found - kRows.data());
}

void apply_update(std::uint32_t which, std::uintptr_t at, const void* operand, bool concurrent) {
  kRows[which].apply(at, operand, nullptr, concurrent);
}

}  // namespace warplens::simt
