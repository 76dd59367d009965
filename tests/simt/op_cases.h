// One instruction at a time: a tiny kernel a form, run by the emulator over many operand values, and compared
// with an independent reference on the host.
//
//   check({"add.s32", "r rr", [](Bits a, Bits b, Bits) { return Bits{std::uint32_t(a + b)}; }});
//
// The signature names the registers: destination, blank, sources.  h 16 bits, r 32 bits, d 64 bits,
// p a predicate (0 or 1).  Operands reach the kernel as 64-bit words and are cut to their register.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warplens::simt::test {

using Bits = std::uint64_t;
using Reference = std::function<Bits(Bits a, Bits b, Bits c)>;

enum class Values { Integer, Half, Bfloat, Single, Double, Small };

struct OpCase {
  std::string op;         // "add.sat.s32"; or whole instructions when it contains a '%': %o, %a, %b, %c
  std::string signature;  // "r rr"
  Reference reference;
  Values values = Values::Integer;
  // The results are floats of this type and may differ by so many units in the last place.
  double tolerance_ulp = 0;
  double tolerance_absolute = 0;
};

// The PTX of one kernel "k" that applies the instruction to buffers a, b, c and writes o.
std::string kernel_text(const OpCase& op_case);

// Operand triples: all combinations of edge values of the kind, then random ones.
struct Inputs {
  std::vector<Bits> a, b, c;
};
Inputs inputs_for(const OpCase& op_case);

// Runs the case twice, with whole warps and with a guard that leaves some lanes out, and expects the
// reference's results (and untouched values in the lanes left out).
void check(const OpCase& op_case);
void check_all(const std::vector<OpCase>& cases);

}  // namespace warplens::simt::test
