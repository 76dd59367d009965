// A decoded operation, and what a family of operations needs to decode itself and to run over 32 lanes.
//
// A family is one file ops_NAME.cpp with a table of {opcode, decode function}; ops.h lists the tables:
//
//   bool decode_not(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
//     if (form.type() == ptx::Type::Pred) return false;  // another decoder's, or unsupported
//     op.d = context.destination(in.operands[0]);
//     op.a = context.source(in.operands[1], form.type());
//     op.set(select_by_size<Not>(ptx::size_of(form.type())));  // or  op.set(unary<u32, u32, kNot>())
//     return context.ok();
//   }
//
// Decoders must check the number and kinds of operands they read (context.count / the helpers below do) since
// the PTX may be hostile. A decoder never looks at the guard: masks arrive at the handler.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "engine/ptx/syntax/module.h"
#include "engine/simt/exec/warp.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace warplens::simt {

// Runs the operation for the lanes of `mask` (never 0). The full-mask variant is called only with kFullMask
// and may ignore it; the masked one must leave the other lanes' results as they are.
using Handler = void (*)(const Op& op, Warp& warp, LaneMask mask);
struct Handlers {
  Handler full = nullptr, masked = nullptr;
};

inline constexpr std::uint32_t kNoRow = 0xffffffffu;

// What the interpreter has to know about an operation besides its handler.
enum OpFlags : std::uint32_t {
  // Lanes named by the membermask (row of u32 at Op::e) must arrive first: shfl.sync, vote.sync, match.sync,
  // redux.sync, elect.sync, bar.warp.sync. The interpreter merges waiting splits and then calls the handler
  // once with all lanes that execute.
  kConvergesMembers = 1,
  // Like kConvergesMembers, but for all lanes of the warp that have not exited: mma, wmma, ldmatrix
  // (.aligned instructions without a membermask).
  kConvergesWarp = 2,
  // bar.warp.sync: lanes that wait at any such operation of the warp count as arrived.
  kWarpBarrier = 4,
  // ld: the value goes nowhere but into stores.
  kOnlyCopied = 8,
};

struct alignas(64) Op {
  Handlers handlers;
  std::uint32_t d = kNoRow, a = kNoRow, b = kNoRow, c = kNoRow;  // byte offsets of rows or predicates
  std::uint32_t e = kNoRow;      // one more operand (membermask, third source)
  std::uint32_t guard = kNoRow;  // predicate offset, bit 0 negated; filled by the program loader
  std::uint64_t imm = 0;         // whatever the decoder wants
  std::uint32_t list = 0;        // index into Warp::lists
  std::uint32_t flags = 0;
  std::uint32_t instruction = 0;  // index into Program::instructions (function, instruction, site)
  void set(Handlers h) { handlers = h; }
};

// Given to decode functions. Every helper marks the context as failed instead of returning garbage that would
// be executed: ok() then is false and the instruction counts as unsupported.
class DecodeContext {
 public:
  virtual ~DecodeContext() = default;
  virtual const ptx::Module& module() const = 0;
  virtual const ptx::Function& function() const = 0;

  // Row that holds the operand's value as `type`: a register's own row; a row of copies of an immediate,
  // special register (all but clocks and timers) or symbol address. Predicates: use predicate().
  // Integer immediates for float types are taken as bits only when they were written 0f/0d.
  virtual std::uint32_t source(const ptx::Operand& operand, ptx::Type type) = 0;
  // Row of a register to write; a scratch row for the sink `_`.
  virtual std::uint32_t destination(const ptx::Operand& operand) = 0;
  // Offset of a predicate operand with the negation in bit 0; 0 / 1 immediates work as sources.
  virtual std::uint32_t predicate(const ptx::Operand& operand) = 0;
  virtual std::uint32_t predicate_destination(const ptx::Operand& operand) = 0;
  // A row filled with 32 copies of a value of 1 to 8 bytes (for a default operand, a membermask of ~0 ...).
  virtual std::uint32_t constant(std::uint64_t bits, int bytes) = 0;
  // Scratch rows of this warp, valid during one handler call only (`rows` consecutive ones).
  virtual std::uint32_t scratch(int rows) = 0;
  // Bytes of the register behind an operand (2, 4, 8; 0 for predicates); for other operands, of the fallback
  // type. ld, st and cvt may name registers wider than their type.
  virtual int width(const ptx::Operand& operand, ptx::Type fallback) const = 0;
  // Stores rows for an operation with many operands; goes into Op::list.
  virtual std::uint32_t list(std::span<const std::uint32_t> rows) = 0;

  // operands.size() is between these; marks failure otherwise.
  bool count(const ptx::Instruction& in, std::size_t least, std::size_t most) {
    if (in.operands.size() < least || in.operands.size() > most) fail();
    return ok_;
  }
  bool ok() const { return ok_; }
  void fail() { ok_ = false; }
  void reset() { ok_ = true; }

 private:
  bool ok_ = true;
};

// False: not mine (the next decoder of this opcode is asked), or unsupported when there is none.
using Decode = bool (*)(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op);
struct OpcodeEntry {
  ptx::Opcode opcode = ptx::Opcode::Unknown;
  Decode decode = nullptr;
};

// ---- lanes

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

// Inlined whatever the compiler thinks: a call inside a loop over lanes keeps it from vectorising, and what
// is a constant for the caller (the width of an access) is one inside.
#define WARPLENS_INLINE [[gnu::always_inline]] inline

// A loop over lanes whose iterations are independent (source and destination rows of equal width are either
// the same row or disjoint), so that it vectorises without overlap checks.
#if defined(__clang__)
#define WARPLENS_FOR_LANES(l) \
  _Pragma("clang loop vectorize(assume_safety)") for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
#else
#define WARPLENS_FOR_LANES(l) _Pragma("GCC ivdep") for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
#endif

// 32 lanes of 0 / nonzero sign bit to a mask.
inline LaneMask pack_mask(const u32* lanes) {
#if defined(__AVX2__)
  LaneMask mask = 0;
  for (int i = 0; i < 4; ++i) {
    const __m256 v = _mm256_load_ps(reinterpret_cast<const float*>(lanes + 8 * i));
    mask |= static_cast<LaneMask>(_mm256_movemask_ps(v)) << (8 * i);
  }
  return mask;
#else
  LaneMask mask = 0;
  for (unsigned l = 0; l < 32; ++l) mask |= (lanes[l] >> 31) << l;
  return mask;
#endif
}

// The mask of lanes for which f(lane) holds; f must be safe for every lane.
template <typename F>
inline LaneMask mask_of(F f) {
  alignas(64) u32 lanes[kWarpSize];
  WARPLENS_FOR_LANES(l) {
    lanes[l] = f(l) ? ~0u : 0u;
  }
  return pack_mask(lanes);
}

// f(lane) for each lane of the mask, the lowest first.
template <typename F>
inline void for_each_lane(LaneMask mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

inline bool lane_in(LaneMask mask, unsigned l) {
  return ((mask >> l) & 1u) != 0;
}

// d[l] = f(l) for all lanes, or for those of the mask. f is evaluated for every lane either way.
template <typename D, typename F>
inline void write_lanes(D* d, LaneMask mask, bool full, F f) {
  if (full) {
    WARPLENS_FOR_LANES(l) {
      d[l] = f(l);
    }
  } else {
    WARPLENS_FOR_LANES(l) {
      const D keep = d[l], value = f(l);
      d[l] = ((mask >> l) & 1u) != 0 ? value : keep;
    }
  }
}

// A source row as the loops read it: in place unless a destination of another width overlaps it, else a copy.
// Take the pointer into a local variable: loops over a member do not vectorise.
template <typename D, typename S>
struct Lanes {
  alignas(64) S copy[sizeof(D) == sizeof(S) ? 1 : kWarpSize];
  const S* get(Warp& warp, u32 offset, u32 destination) {
    S* const in_place = row<S>(warp, offset);
    if constexpr (sizeof(D) == sizeof(S)) {
      return in_place;
    } else {
      const bool apart =
          offset + sizeof(S) * kWarpSize <= destination || destination + sizeof(D) * kWarpSize <= offset;
      if (apart) return in_place;
      std::memcpy(copy, in_place, sizeof(S) * kWarpSize);
      return copy;
    }
  }
};

template <bool kFull, typename D, typename A, auto F>
void unary_handler(const Op& op, Warp& warp, LaneMask mask) {
  Lanes<D, A> la;
  const A* const a = la.get(warp, op.a, op.d);
  write_lanes(row<D>(warp, op.d), mask, kFull, [a](unsigned l) { return static_cast<D>(F(a[l])); });
}
template <bool kFull, typename D, typename A, typename B, auto F>
void binary_handler(const Op& op, Warp& warp, LaneMask mask) {
  Lanes<D, A> la;
  Lanes<D, B> lb;
  const A* const a = la.get(warp, op.a, op.d);
  const B* const b = lb.get(warp, op.b, op.d);
  write_lanes(row<D>(warp, op.d), mask, kFull, [a, b](unsigned l) { return static_cast<D>(F(a[l], b[l])); });
}
template <bool kFull, typename D, typename A, typename B, typename C, auto F>
void ternary_handler(const Op& op, Warp& warp, LaneMask mask) {
  Lanes<D, A> la;
  Lanes<D, B> lb;
  Lanes<D, C> lc;
  const A* const a = la.get(warp, op.a, op.d);
  const B* const b = lb.get(warp, op.b, op.d);
  const C* const c = lc.get(warp, op.c, op.d);
  write_lanes(row<D>(warp, op.d), mask, kFull,
              [a, b, c](unsigned l) { return static_cast<D>(F(a[l], b[l], c[l])); });
}
template <typename A, typename B, auto F>
void compare_handler(const Op& op, Warp& warp, LaneMask mask) {
  const A* a = row<A>(warp, op.a);
  const B* b = row<B>(warp, op.b);
  write_predicate(warp, op.d, mask_of([a, b](unsigned l) { return F(a[l], b[l]); }), mask);
}

// F is a captureless lambda or function on lane values:
//   op.set(binary<u32, u32, u32, [](u32 a, u32 b) { return a + b; }>());
template <typename D, typename A, auto F>
constexpr Handlers unary() {
  return {&unary_handler<true, D, A, F>, &unary_handler<false, D, A, F>};
}
template <typename D, typename A, typename B, auto F>
constexpr Handlers binary() {
  return {&binary_handler<true, D, A, B, F>, &binary_handler<false, D, A, B, F>};
}
template <typename D, typename A, typename B, typename C, auto F>
constexpr Handlers ternary() {
  return {&ternary_handler<true, D, A, B, C, F>, &ternary_handler<false, D, A, B, C, F>};
}
template <typename A, typename B, auto F>
constexpr Handlers compare() {
  return {&compare_handler<A, B, F>, &compare_handler<A, B, F>};
}
// One function for both masks.
constexpr Handlers both(Handler handler) {
  return {handler, handler};
}

}  // namespace warplens::simt
