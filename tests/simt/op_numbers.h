// Operands of one instruction as the numbers that they are, for references on the host.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "tests/simt/op_cases.h"

namespace warplens::simt::test {

__extension__ using Wide = __int128;

// The lowest `bits` as a number with a sign.
inline std::int64_t s(Bits x, int bits) {
  return static_cast<std::int64_t>(x << (64 - bits)) >> (64 - bits);
}
inline Wide number(Bits x, int bits, bool is_signed) {
  return is_signed ? Wide{s(x, bits)} : Wide{bits == 64 ? x : x & ((Bits{1} << bits) - 1)};
}
// Of a signature: the register that holds so many.
inline char letter(int bits) {
  return bits <= 16 ? 'h' : bits == 32 ? 'r' : 'd';
}

inline float single(Bits a) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(a));
}
// Every NaN is the one that the hardware makes.
inline Bits bits(float x) {
  return std::isnan(x) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(x);
}
inline Bits bits(double x) {
  return std::bit_cast<Bits>(x);
}

}  // namespace warplens::simt::test
