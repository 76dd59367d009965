// Arithmetic rounded toward zero (.rz), minus infinity (.rm) and plus infinity (.rp): the host's rounding
// mode is changed around each loop.
#include <cfenv>
#include <cmath>

#include "engine/simt/ops/half.h"
#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

constexpr u64 kFlushBit = 1u << 16, kSaturateBit = 1u << 17, kModeBits = 0xffff;

// Sets the host's rounding mode for one loop. The compiler does not know that arithmetic depends on it: the
// loops read and write memory that the calls might touch, which keeps them between the two.
class RoundingMode {
 public:
  explicit RoundingMode(u64 mode) : before_(std::fegetround()) {
    std::fesetround(static_cast<int>(mode));
    fence();
  }
  ~RoundingMode() {
    fence();
    std::fesetround(before_);
  }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  static void fence() { asm volatile("" ::: "memory"); }
  int before_;
};

inline double input(double x, bool) {
  return x;
}
inline float input(float x, bool flushes) {
  return flushes ? flush(x) : x;
}
inline double output(double x, bool, bool) {
  return x;
}
inline float output(float x, bool flushes, bool saturates) {
  const float result = canonical(flushes ? flush(x) : x);
  return saturates ? saturate(result) : result;
}

template <typename T, auto F>
void directed_handler(const Op& op, Warp& warp, LaneMask mask) {
  const bool flushes = op.imm & kFlushBit, saturates = op.imm & kSaturateBit;
  const T* a = row<T>(warp, op.a);
  const T* b = row<T>(warp, op.b == kNoRow ? op.a : op.b);
  const T* c = row<T>(warp, op.c == kNoRow ? op.a : op.c);
  alignas(64) T result[kWarpSize];
  {
    const RoundingMode mode(op.imm & kModeBits);
    WARPLENS_FOR_LANES(l) {
      result[l] = F(input(a[l], flushes), input(b[l], flushes), input(c[l], flushes));
    }
    asm volatile("" : : "r"(result) : "memory");
  }
  write_lanes(row<T>(warp, op.d), mask, false,
              [&](unsigned l) { return output(result[l], flushes, saturates); });
}

constexpr auto kAdd = []<typename T>(T a, T b, T) { return a + b; };
constexpr auto kSubtract = []<typename T>(T a, T b, T) { return a - b; };
constexpr auto kMultiply = []<typename T>(T a, T b, T) { return a * b; };
constexpr auto kDivide = []<typename T>(T a, T b, T) { return a / b; };
constexpr auto kFused = []<typename T>(T a, T b, T c) {
  if constexpr (sizeof(T) == 8)
    return __builtin_fma(a, b, c);
  else
    return __builtin_fmaf(a, b, c);
};
constexpr auto kReciprocal = []<typename T>(T a, T, T) { return T{1} / a; };
constexpr auto kSquareRoot = []<typename T>(T a, T, T) {
  if constexpr (sizeof(T) == 8)
    return __builtin_sqrt(a);
  else
    return __builtin_sqrtf(a);
};

template <auto F>
void add_forms(FormTable& table, const std::string& opcode, std::size_t sources, bool has_saturation) {
  const std::pair<const char*, int> modes[] = {
      {".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};
  for (const auto& [name, mode] : modes) {
    const u64 imm = static_cast<u64>(mode);
    const std::string stem = opcode + name;
    const std::vector<Type> singles(sources, Type::F32), doubles(sources, Type::F64);
    const Handlers single = both(&directed_handler<float, F>);
    table.add(stem + ".f64", both(&directed_handler<double, F>), Type::F64, doubles, imm);
    table.add(stem + ".f32", single, Type::F32, singles, imm);
    table.add(stem + ".ftz.f32", single, Type::F32, singles, imm | kFlushBit);
    if (!has_saturation) continue;
    table.add(stem + ".sat.f32", single, Type::F32, singles, imm | kSaturateBit);
    table.add(stem + ".ftz.sat.f32", single, Type::F32, singles, imm | kFlushBit | kSaturateBit);
  }
}

}  // namespace

void add_directed_forms(FormTable& table) {
  add_forms<kAdd>(table, "add", 2, true);
  add_forms<kSubtract>(table, "sub", 2, true);
  add_forms<kMultiply>(table, "mul", 2, true);
  add_forms<kFused>(table, "fma", 3, true);
  add_forms<kFused>(table, "mad", 3, true);
  add_forms<kDivide>(table, "div", 2, false);
  add_forms<kReciprocal>(table, "rcp", 1, false);
  add_forms<kSquareRoot>(table, "sqrt", 1, false);
}

}  // namespace warplens::simt
