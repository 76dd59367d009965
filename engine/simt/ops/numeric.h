// Floating-point formats bit by bit: every conversion and rounding that PTX names, done in integers, so that
// the result does not depend on the host's rounding mode or on what the host's hardware knows.
//
//   Unpacked x = unpack(0x3fc00000, kSingle);        // 1.5f
//   pack(x, kHalf, Rounding::Nearest) == 0x3e00;     // the half with the same value
//
// These are the reference and the slow path. Where a form is hot its handler has a formula that a compiler
// can vectorise; tests compare the two.
#pragma once

#include <cstdint>

namespace warplens::simt {

enum class Rounding : std::uint8_t {
  Nearest,      // .rn: ties to even
  NearestAway,  // .rna: ties away from zero
  Zero,         // .rz
  Down,         // .rm
  Up,           // .rp
};

// An IEEE-like layout: sign, exponent, mantissa from the top bit down. `finite_only` formats (e4m3) have no
// infinities: their all-ones exponent holds numbers, and only all ones is NaN.
struct FloatFormat {
  int exponent_bits = 8;
  int mantissa_bits = 23;
  bool finite_only = false;
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
};
inline constexpr FloatFormat kHalf{5, 10, false}, kBfloat{8, 7, false}, kTensorFloat{8, 10, false},
    kSingle{8, 23, false}, kDouble{11, 52, false}, kE4m3{4, 3, true}, kE5m2{5, 2, false};

struct Unpacked {
  enum class Kind : std::uint8_t { Zero, Finite, Infinite, NotANumber };
  Kind kind = Kind::Zero;
  bool negative = false;
  bool sticky = false;            // something nonzero lies below the significand's last bit
  std::uint64_t significand = 0;  // of a finite value: bit 63 is set and has the weight 2^exponent
  int exponent = 0;
};

Unpacked unpack(std::uint64_t bits, FloatFormat format);
Unpacked unpack_unsigned(std::uint64_t value);
Unpacked unpack_signed(std::int64_t value);

// The value in another format, rounded once. Overflow gives infinity or, as the rounding says, the largest
// finite number; with `saturate_finite` always the latter. NaN becomes the format's canonical NaN.
std::uint64_t pack(const Unpacked& value, FloatFormat format, Rounding rounding,
                   bool saturate_finite = false);

// To an integer of `bits` bits, rounded and clamped as cvt does; NaN gives `not_a_number`.
std::uint64_t to_integer(const Unpacked& value, int bits, bool is_signed, Rounding rounding,
                         std::uint64_t not_a_number);

}  // namespace warplens::simt
