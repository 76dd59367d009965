// atom and red. Lanes act in ascending order; on global memory each is one host atomic when several workers
// run (then only operations whose order cannot be told are allowed side by side: see order_sensitive).
#include <bit>
#include <type_traits>

#include "engine/simt/half.h"
#include "engine/simt/memory.h"
#include "engine/simt/memory_tables.h"
#include "engine/simt/worker.h"

namespace warplens::simt {

namespace {

template <std::size_t N>
using BitsOf = std::conditional_t<N == 2, u16, std::conditional_t<N == 4, u32, u64>>;

// Replaces the value at `at` by F(old, b, c), returns the old one.
template <typename T, auto F>
T update(std::uintptr_t at, T b, T c, bool concurrent) {
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

struct Row {
  std::string_view operation;
  ptx::Type type;
  Handler handler;
};

#define WARPLENS_INTEGER_ROWS(PTX, T)                                                           \
  {"add", ptx::Type::PTX, &atomic<T, kAdd<T>>}, {"min", ptx::Type::PTX, &atomic<T, kMin<T>>}, { \
    "max", ptx::Type::PTX, &atomic<T, kMax<T>>                                                  \
  }
#define WARPLENS_BIT_ROWS(PTX, T)                                                                         \
  {"and", ptx::Type::PTX, &atomic<T, kAnd<T>>}, {"or", ptx::Type::PTX, &atomic<T, kOr<T>>},               \
      {"xor", ptx::Type::PTX, &atomic<T, kXor<T>>}, {"exch", ptx::Type::PTX, &atomic<T, kExchange<T>>}, { \
    "cas", ptx::Type::PTX, &atomic<T, kCompareAndSwap<T>>                                                 \
  }

constexpr Row kRows[] = {
    WARPLENS_INTEGER_ROWS(U32, u32),
    WARPLENS_INTEGER_ROWS(S32, s32),
    WARPLENS_INTEGER_ROWS(U64, u64),
    WARPLENS_INTEGER_ROWS(S64, s64),
    WARPLENS_BIT_ROWS(B32, u32),
    WARPLENS_BIT_ROWS(B64, u64),
    WARPLENS_BIT_ROWS(U32, u32),
    WARPLENS_BIT_ROWS(U64, u64),
    WARPLENS_BIT_ROWS(S32, u32),
    WARPLENS_BIT_ROWS(S64, u64),
    {"cas", ptx::Type::B16, &atomic<u16, kCompareAndSwap<u16>>},
    {"exch", ptx::Type::F32, &atomic<u32, kExchange<u32>>},
    {"exch", ptx::Type::F64, &atomic<u64, kExchange<u64>>},
    {"inc", ptx::Type::U32, &atomic<u32, kIncrement>},
    {"dec", ptx::Type::U32, &atomic<u32, kDecrement>},
    {"add", ptx::Type::F32, &atomic<float, kAdd<float>>},
    {"add", ptx::Type::F64, &atomic<double, kAdd<double>>},
    {"add", ptx::Type::F16, &atomic<u16, kAddHalf>},
    {"add", ptx::Type::BF16, &atomic<u16, kAddBfloat>},
    {"add", ptx::Type::F16x2, &atomic<u32, kBothHalves<kAddHalf>>},
    {"add", ptx::Type::BF16x2, &atomic<u32, kBothHalves<kAddBfloat>>},
};

#undef WARPLENS_INTEGER_ROWS
#undef WARPLENS_BIT_ROWS

const Row* find_row(const ptx::Form& form) {
  for (const Row& row : kRows) {
    if (row.type == form.type() && form.has(row.operation)) return &row;
  }
  return nullptr;
}

bool decode_update(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op,
                   std::size_t address, trace::SiteKind kind) {
  const Row* found = find_row(form);
  if (found == nullptr || form.vector_width != 1) return false;
  const bool compares = found->operation == "cas";
  if (!context.count(in, address + (compares ? 3 : 2), address + 4)) return false;
  if (compares) kind = trace::SiteKind::CompareAndSwap;
  const int bytes = ptx::size_of(form.type());
  if (!decode_address(context, form, in.operands[address], op, kind, static_cast<unsigned>(bytes), 1)) {
    return false;
  }
  op.b = context.source(in.operands[address + 1], form.type());
  if (compares) op.c = context.source(in.operands[address + 2], form.type());
  op.flags |= memory_flags::kVolatile;
  op.set(both(found->handler));
  return context.ok();
}

bool decode_atom(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (in.operands.size() < 3 || !decode_update(context, form, in, op, 1, trace::SiteKind::Atomic))
    return false;
  if (in.operands[0].kind != ptx::OperandKind::Sink) {
    if (context.width(in.operands[0], form.type()) != ptx::size_of(form.type())) return false;
    op.d = context.destination(in.operands[0]);
  }
  return context.ok();
}

bool decode_red(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  return decode_update(context, form, in, op, 0, trace::SiteKind::Reduction);
}

constexpr OpcodeEntry kTable[] = {{"atom", decode_atom}, {"red", decode_red}};

}  // namespace

std::span<const OpcodeEntry> atomic_family() {
  return kTable;
}

}  // namespace warplens::simt
