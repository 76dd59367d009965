// Extended precision: add.cc and its relatives, which pass one carry bit a lane from an instruction to the
// next. The carry lives in Warp::carry. A subtraction adds the complement, as the machine does: its carry is
// set when nothing was borrowed. PTX calls it a borrow, which is the same as long as subc alone reads what
// sub.cc wrote; but an addc may read it too, and the 128-bit division that nvcc puts into code relies on what
// it finds.
#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

__extension__ using s128 = __int128;
__extension__ using u128 = unsigned __int128;

struct CarryUse {
  static constexpr u64 kReads = 1, kWrites = 2, kSubtracts = 4;
};

// F(a, b, carry in, carry out) -> result, for one lane.
template <typename T, auto F>
void carry_handler(const Op& op, Warp& warp, LaneMask mask) {
  const T* a = row<T>(warp, op.a);
  const T* b = row<T>(warp, op.b);
  T* d = row<T>(warp, op.d);
  const LaneMask carry_in =
      op.imm & CarryUse::kReads ? warp.carry : (op.imm & CarryUse::kSubtracts ? kFullMask : 0);
  LaneMask carry_out = 0;
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l) {
    bool out = false;
    const T value = F(a[l], b[l], lane_in(carry_in, l), out);
    if (lane_in(mask, l)) d[l] = value;
    carry_out |= LaneMask{out} << l;
  }
  if (op.imm & CarryUse::kWrites) warp.carry = (warp.carry & ~mask) | (carry_out & mask);
}

// The same for d = high or low half of a * b, plus c.
template <typename T, auto F>
void carry_product_handler(const Op& op, Warp& warp, LaneMask mask) {
  const T* a = row<T>(warp, op.a);
  const T* b = row<T>(warp, op.b);
  const T* c = row<T>(warp, op.c);
  T* d = row<T>(warp, op.d);
  using U = std::make_unsigned_t<T>;
  const LaneMask carry_in = op.imm & CarryUse::kReads ? warp.carry : 0;
  LaneMask carry_out = 0;
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l) {
    const u128 sum = u128{static_cast<U>(F(a[l], b[l]))} + static_cast<U>(c[l]) + lane_in(carry_in, l);
    if (lane_in(mask, l)) d[l] = static_cast<T>(static_cast<U>(sum));
    carry_out |= LaneMask((sum >> 8 * sizeof(T)) != 0) << l;
  }
  if (op.imm & CarryUse::kWrites) warp.carry = (warp.carry & ~mask) | (carry_out & mask);
}

constexpr auto kAdd = []<typename T>(T a, T b, bool in, bool& out) {
  const u128 sum = u128{a} + b + in;
  out = (sum >> 8 * sizeof(T)) != 0;
  return static_cast<T>(sum);
};
constexpr auto kSubtract = []<typename T>(T a, T b, bool in, bool& out) {
  const u128 subtrahend = u128{b} + (in ? 0 : 1);
  out = subtrahend <= a;
  return static_cast<T>(a - subtrahend);
};
constexpr auto kLow = []<typename T>(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
};
constexpr auto kHigh = []<typename T>(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>((s128{a} * b) >> 8 * sizeof(T));
  else
    return static_cast<T>((u128{a} * b) >> 8 * sizeof(T));
};

template <typename T>
void add_type(FormTable& table) {
  using U = std::make_unsigned_t<T>;
  constexpr Type t = TypeOf<T>::value;
  constexpr u64 reads = CarryUse::kReads, writes = CarryUse::kWrites, subtracts = CarryUse::kSubtracts;
  const std::string type = type_suffix<T>();
  const auto sum = [&](const std::string& text, Handler handler, u64 use) {
    table.add(text + type, both(handler), t, {t, t}, use);
  };
  const auto product = [&](const std::string& text, Handler handler, u64 use) {
    table.add(text + type, both(handler), t, {t, t, t}, use);
  };
  sum("add.cc", &carry_handler<U, kAdd>, writes);
  sum("addc", &carry_handler<U, kAdd>, reads);
  sum("addc.cc", &carry_handler<U, kAdd>, reads | writes);
  sum("sub.cc", &carry_handler<U, kSubtract>, subtracts | writes);
  sum("subc", &carry_handler<U, kSubtract>, subtracts | reads);
  sum("subc.cc", &carry_handler<U, kSubtract>, subtracts | reads | writes);
  product("mad.lo.cc", &carry_product_handler<T, kLow>, writes);
  product("madc.lo", &carry_product_handler<T, kLow>, reads);
  product("madc.lo.cc", &carry_product_handler<T, kLow>, reads | writes);
  product("mad.hi.cc", &carry_product_handler<T, kHigh>, writes);
  product("madc.hi", &carry_product_handler<T, kHigh>, reads);
  product("madc.hi.cc", &carry_product_handler<T, kHigh>, reads | writes);
}

}  // namespace

void add_carry_forms(FormTable& table) {
  add_type<u32>(table);
  add_type<s32>(table);
  add_type<u64>(table);
  add_type<s64>(table);
}

}  // namespace warplens::simt
