// The way that nearly every access takes: the whole warp is active, its addresses lie in one buffer or in
// shared memory, aligned. Everything else returns Failed and goes through prepare().
#pragma once

#include <algorithm>
#include <bit>

#include "engine/simt/launch/worker.h"
#include "engine/simt/memory/memory.h"

namespace warplens::simt {

enum class QuickPattern : std::uint8_t { Uniform, Contiguous, General, Failed };

struct Quick {
  QuickPattern pattern = QuickPattern::Failed;
  std::uintptr_t half[2];  // host addresses of lanes 0 and 16
  std::uintptr_t base;     // General: host address is base plus the row's value
};

namespace quick {

inline constexpr unsigned kHalf = kWarpSize / 2;

// Lane distances within each half of the warp: all `width` (Contiguous), all 0 (Uniform), or neither. The
// first two lanes tell which of them it can be.
template <typename A>
WARPLENS_INLINE bool halves_step_by(const A* a, unsigned width) {
  const A first = a[0], second = a[kHalf];
#if defined(__AVX2__)
  constexpr unsigned kLanes = 32 / sizeof(A);
  auto load = [](const A* at) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(at)); };
  auto add = [](__m256i x, __m256i y) {
    return sizeof(A) == 4 ? _mm256_add_epi32(x, y) : _mm256_add_epi64(x, y);
  };
  __m256i e0, e1, step, next;  // what the lanes should hold
  if constexpr (sizeof(A) == 4) {
    const auto w = static_cast<int>(width);
    step = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(w));
    next = _mm256_set1_epi32(8 * w);
    e0 = _mm256_set1_epi32(static_cast<int>(first));
    e1 = _mm256_set1_epi32(static_cast<int>(second));
  } else {
    const auto w = static_cast<long long>(width);
    step = _mm256_mul_epu32(_mm256_setr_epi64x(0, 1, 2, 3), _mm256_set1_epi64x(w));
    next = _mm256_set1_epi64x(4 * w);
    e0 = _mm256_set1_epi64x(static_cast<long long>(first));
    e1 = _mm256_set1_epi64x(static_cast<long long>(second));
  }
  e0 = add(e0, step);
  e1 = add(e1, step);
  __m256i wrong = _mm256_setzero_si256();
  for (unsigned i = 0; i < kHalf; i += kLanes) {
    wrong = _mm256_or_si256(wrong, _mm256_xor_si256(load(a + i), e0));
    wrong = _mm256_or_si256(wrong, _mm256_xor_si256(load(a + kHalf + i), e1));
    e0 = add(e0, next);
    e1 = add(e1, next);
  }
  return _mm256_testz_si256(wrong, wrong) != 0;
#else
  A wrong = 0;
  for (unsigned l = 0; l < kHalf; ++l) {
    const A step = static_cast<A>(l * width);
    wrong |= ((a[l] - first) ^ step) | ((a[l + kHalf] - second) ^ step);
  }
  return wrong == 0;
#endif
}

template <typename A>
WARPLENS_INLINE QuickPattern pattern_of(const A* a, unsigned width) {
  const A distance = a[1] - a[0];
  if (distance == width) return halves_step_by(a, width) ? QuickPattern::Contiguous : QuickPattern::General;
  if (distance == 0) return halves_step_by(a, 0) ? QuickPattern::Uniform : QuickPattern::General;
  return QuickPattern::General;
}

struct Range {
  std::uint64_t low, high, bits;
};

// Lowest and highest address of the row, and the or of all.
Range range_of(const u32* a);
Range range_of(const u64* a);

template <typename A>
WARPLENS_INLINE void classify(const A* a, std::uint64_t addend, unsigned width, trace::Space space,
                              const Op& op, Warp& warp, Quick& q) {
  const std::uint64_t first = a[0] + addend, second = a[kHalf] + addend;
  std::uint64_t low = std::min(first, second), high = std::max(first, second), bits = first | second;
  QuickPattern pattern = pattern_of(a, width);
  // A half that begins below address 0 reaches around to valid ones.
  const std::uint64_t reach = pattern == QuickPattern::Contiguous ? std::uint64_t{width} * kHalf : width;
  if (pattern == QuickPattern::General) {
    const Range range = range_of(a);
    low = range.low + addend;
    high = range.high + addend;
    bits = range.bits | addend;
  }
  q.pattern = QuickPattern::Failed;
  const std::uint64_t last = high + reach;
  if ((bits & (width - 1)) != 0 || low > high || last < high) return;
  const Worker& worker = *warp.worker;
  const Interval& hit = worker.last_hit[op.instruction];
  if (low < hit.begin || last > hit.end) return;
  const std::uintptr_t base = space == trace::Space::Shared
                                  ? reinterpret_cast<std::uintptr_t>(warp.cta->shared())
                                  : worker.global_base;
  q.half[0] = base + first;
  q.half[1] = base + second;
  q.base = base + addend;
  q.pattern = pattern;
}

}  // namespace quick

// In most kernels warp follows warp at a fixed distance: what the next one will touch can be fetched while
// this one goes on. Returns the distance, or 0 when it is none worth a guess.
WARPLENS_INLINE std::uintptr_t distance_to_next(const Op& op, Warp& warp, std::uintptr_t at) {
  constexpr std::uintptr_t kFar = std::uintptr_t{1} << 20;
  if (space_of(op) == trace::Space::Shared) return 0;
  std::uintptr_t& last = warp.worker->last_place[op.instruction];
  const std::uintptr_t distance = at - last;
  last = at;
  return distance + kFar < 2 * kFar ? distance : 0;
}

// Tells the listeners about a quick access; the address row must still hold the addresses.
void emit_quick(const Op& op, Warp& warp, unsigned width, const Quick& q);

WARPLENS_INLINE void quick_access(const Op& op, Warp& warp, unsigned width, Quick& q) {
  const trace::Space space = space_of(op);
  q.pattern = QuickPattern::Failed;
  // Generic addresses that lie in a buffer seen before are global ones.
  const bool global = space == trace::Space::Global || space == trace::Space::Generic;
  if (warp.judged || op.a == kNoRow || (!global && space != trace::Space::Shared)) return;
  if ((op.flags & memory_flags::kWideAddress) != 0) {
    quick::classify(row<u64>(warp, op.a), op.imm, width, space, op, warp, q);
  } else {
    quick::classify(row<u32>(warp, op.a), op.imm, width, space, op, warp, q);
  }
  if (q.pattern != QuickPattern::Failed && !warp.worker->quiet) emit_quick(op, warp, width, q);
}

}  // namespace warplens::simt
