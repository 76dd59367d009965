// The way that nearly every access takes: the whole warp is active, its addresses lie in one buffer or in
// shared memory, aligned. Everything else returns Failed and goes through prepare().
#pragma once

#include <algorithm>
#include <bit>

#include "engine/simt/memory.h"
#include "engine/simt/worker.h"

namespace warplens::simt {

enum class QuickPattern : std::uint8_t { Uniform, Contiguous, General, Failed };

struct Quick {
  QuickPattern pattern = QuickPattern::Failed;
  std::uintptr_t half[2];  // host addresses of lanes 0 and 16
  std::uintptr_t base;     // General: host address is base plus the row's value
};

namespace quick {

inline constexpr unsigned kHalf = kWarpSize / 2;

// Distances of the lanes of each half from its first lane: all 0, all lane * width, or neither.
template <typename A>
inline QuickPattern pattern_of(const A* a, unsigned width) {
  const A first = a[0], second = a[kHalf];
#if defined(__AVX2__)
  constexpr unsigned kLanes = 32 / sizeof(A);
  constexpr unsigned kParts = kHalf / kLanes;
  auto load = [](const A* at) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(at)); };
  __m256i b0, b1, step, next;
  if constexpr (sizeof(A) == 4) {
    b0 = _mm256_set1_epi32(static_cast<int>(first));
    b1 = _mm256_set1_epi32(static_cast<int>(second));
    step = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                              _mm256_set1_epi32(static_cast<int>(width)));
    next = _mm256_set1_epi32(static_cast<int>(8 * width));
  } else {
    b0 = _mm256_set1_epi64x(static_cast<long long>(first));
    b1 = _mm256_set1_epi64x(static_cast<long long>(second));
    step =
        _mm256_mul_epu32(_mm256_setr_epi64x(0, 1, 2, 3), _mm256_set1_epi64x(static_cast<long long>(width)));
    next = _mm256_set1_epi64x(static_cast<long long>(4 * width));
  }
  auto add = [](__m256i x, __m256i y) {
    return sizeof(A) == 4 ? _mm256_add_epi32(x, y) : _mm256_add_epi64(x, y);
  };
  auto subtract = [](__m256i x, __m256i y) {
    return sizeof(A) == 4 ? _mm256_sub_epi32(x, y) : _mm256_sub_epi64(x, y);
  };
  __m256i away = _mm256_setzero_si256(), uneven = _mm256_setzero_si256();
  for (unsigned i = 0; i < kParts; ++i) {
    const __m256i d0 = subtract(load(a + i * kLanes), b0), d1 = subtract(load(a + kHalf + i * kLanes), b1);
    away = _mm256_or_si256(away, _mm256_or_si256(d0, d1));
    uneven = _mm256_or_si256(uneven, _mm256_or_si256(_mm256_xor_si256(d0, step), _mm256_xor_si256(d1, step)));
    step = add(step, next);
  }
  if (_mm256_testz_si256(uneven, uneven) != 0) return QuickPattern::Contiguous;
  if (_mm256_testz_si256(away, away) != 0) return QuickPattern::Uniform;
  return QuickPattern::General;
#else
  A away = 0, uneven = 0;
  for (unsigned l = 0; l < kHalf; ++l) {
    const A d0 = a[l] - first, d1 = a[l + kHalf] - second, step = static_cast<A>(l * width);
    away |= d0 | d1;
    uneven |= (d0 ^ step) | (d1 ^ step);
  }
  if (uneven == 0) return QuickPattern::Contiguous;
  return away == 0 ? QuickPattern::Uniform : QuickPattern::General;
#endif
}

struct Range {
  std::uint64_t low, high, bits;
};

inline Range range_of(const u32* a) {
  u32 low = a[0], high = a[0], bits = 0;
  WARPLENS_FOR_LANES(l) {
    low = a[l] < low ? a[l] : low;
    high = a[l] > high ? a[l] : high;
    bits |= a[l];
  }
  return {low, high, bits};
}
inline Range range_of(const u64* a) {
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

template <typename A>
inline void classify(const A* a, std::uint64_t addend, unsigned width, trace::Space space, const Op& op,
                     Warp& warp, Quick& q) {
  const std::uint64_t first = a[0] + addend, second = a[kHalf] + addend;
  std::uint64_t low = std::min(first, second), high = std::max(first, second), bits = first | second;
  QuickPattern pattern = pattern_of(a, width);
  if (pattern == QuickPattern::Contiguous) {
    high += std::uint64_t{width} * (kHalf - 1);
  } else if (pattern == QuickPattern::General) {
    const Range range = range_of(a);
    low = range.low + addend;
    high = range.high + addend;
    bits = range.bits | addend;
  }
  q.pattern = QuickPattern::Failed;
  const std::uint64_t last = high + width;
  if ((bits & (width - 1)) != 0 || last < low) return;
  std::uintptr_t base = 0;
  const Worker& worker = *warp.worker;
  if (space == trace::Space::Shared) {
    if (last > warp.cta->shared_bytes() || low > high) return;
    base = reinterpret_cast<std::uintptr_t>(warp.cta->shared());
  } else {
    const Interval& hit = worker.last_hit[op.instruction];
    if (low < hit.begin || last > hit.end) return;
    base = worker.global_base;
  }
  q.half[0] = base + first;
  q.half[1] = base + second;
  q.base = base + addend;
  q.pattern = pattern;
}

}  // namespace quick

// Tells the listeners about a quick access; the address row must still hold the addresses.
void emit_quick(const Op& op, Warp& warp, unsigned width, const Quick& q);

inline void quick_access(const Op& op, Warp& warp, unsigned width, Quick& q) {
  const trace::Space space = space_of(op);
  q.pattern = QuickPattern::Failed;
  // Generic addresses that lie in a buffer seen before are global ones.
  const bool global = space == trace::Space::Global || space == trace::Space::Generic;
  if (warp.check_all || op.a == kNoRow || (!global && space != trace::Space::Shared)) return;
  if ((op.flags & memory_flags::kWideAddress) != 0) {
    quick::classify(row<u64>(warp, op.a), op.imm, width, space, op, warp, q);
  } else {
    quick::classify(row<u32>(warp, op.a), op.imm, width, space, op, warp, q);
  }
  if (q.pattern != QuickPattern::Failed && !warp.worker->quiet) emit_quick(op, warp, width, q);
}

}  // namespace warplens::simt
