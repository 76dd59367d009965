// Matrix products of a warp: mma, wmma.mma and movmatrix.
//
// Products of 16-bit and narrower floats are exact; a result is the sum of all products and c in double
// precision, rounded once. The machine adds in an order and with a width of its own, so it may differ in the
// last bits. Double precision is a chain of fused multiply-adds along k, as on the machine; integers wrap or
// saturate.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "engine/simt/ops/half.h"
#include "engine/simt/ops/matrix.h"
#include "engine/simt/ops/numeric.h"
#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

using ptx::Modifier;

// Large enough for every shape: m32k16, k256n8, m16n16.
constexpr std::size_t kMostElements = 16 * 256;
constexpr std::size_t kMostResults = 32 * 16;

double float_of(u32 bits, FloatFormat format) {
  return std::bit_cast<double>(pack(unpack(bits, format), kDouble, Rounding::Nearest));
}

// value(bits of one element) for all elements of all lanes, row after row of the matrix.
template <typename T, typename F>
void gather_as(const Fragment& fragment, const u16* index, const u32* rows, Warp& warp, T* matrix, F value) {
  const int elements = fragment.elements(), per_register = fragment.per_register();
  const int bits = bits_of(fragment.element);
  const u32 low = bits == 32 ? ~u32{0} : (u32{1} << bits) - 1;
  for (int e = 0; e < elements; ++e, index += kWarpSize) {
    const u32* from = row<u32>(warp, rows[e / per_register]);
    const int shift = e % per_register * bits;
    alignas(64) T values[kWarpSize];
    for (int l = 0; l < kWarpSize; ++l) values[l] = static_cast<T>(value(from[l] >> shift & low));
    for (int l = 0; l < kWarpSize; ++l) matrix[index[l]] = values[l];
  }
}

// Registers of all lanes to a matrix, row after row.
template <typename T>
void gather(const Fragment& fragment, const std::vector<u16>& index, const u32* rows, Warp& warp, T* matrix) {
  const auto as = [&](auto value) { gather_as(fragment, index.data(), rows, warp, matrix, value); };
  switch (fragment.element) {
    case Element::F64:
      for (int e = 0; e < fragment.elements(); ++e) {
        const double* from = row<double>(warp, rows[e]);
        for (int l = 0; l < kWarpSize; ++l)
          matrix[index[static_cast<std::size_t>(e * kWarpSize + l)]] = static_cast<T>(from[l]);
      }
      return;
    case Element::F16:
      return as([](u32 bits) { return half_to_float(static_cast<u16>(bits)); });
    case Element::BF16:
      return as([](u32 bits) { return bfloat_to_float(static_cast<u16>(bits)); });
    case Element::TF32:
      // The machine ignores the low 13 bits.
      return as([](u32 bits) { return as_float(bits & 0xffffe000u); });
    case Element::F32:
      return as([](u32 bits) { return as_float(bits); });
    case Element::E4M3:
      return as([](u32 bits) { return float_of(bits, kE4m3); });
    case Element::E5M2:
      return as([](u32 bits) { return float_of(bits, kE5m2); });
    case Element::S8:
      return as([](u32 bits) { return static_cast<s32>(static_cast<s8>(bits)); });
    case Element::S4:
      return as([](u32 bits) { return static_cast<s32>(bits << 28) >> 28; });
    case Element::S32:
      return as([](u32 bits) { return static_cast<s32>(bits); });
    case Element::U8:
    case Element::U4:
    case Element::B1:
      return as([](u32 bits) { return bits; });
  }
}

struct Stored {
  u32 operator()(double x, Element element) const {
    const float rounded = canonical(static_cast<float>(x));
    return element == Element::F16 ? float_to_half(narrow_to_odd(x)) : as_bits(rounded);
  }
  u32 operator()(s64 x, Element) const { return static_cast<u32>(x); }
};

template <typename T>
void scatter(const MatrixForm& form, const u32* rows, Warp& warp, const T* matrix) {
  const Fragment& fragment = form.d;
  const int elements = fragment.elements(), per_register = fragment.per_register();
  const auto at = [&](int l, int e) {
    return matrix[form.c_index[static_cast<std::size_t>(e * kWarpSize + l)]];
  };
  if constexpr (std::is_floating_point_v<T>) {
    if (fragment.element == Element::F64) {
      for (int e = 0; e < elements; ++e)
        for (int l = 0; l < kWarpSize; ++l) row<double>(warp, rows[e])[l] = at(l, e);
      return;
    }
  }
  for (int r = 0; r < fragment.registers(); ++r) {
    u32* to = row<u32>(warp, rows[r]);
    for (int l = 0; l < kWarpSize; ++l) {
      u32 word = Stored{}(at(l, r * per_register), fragment.element);
      if (per_register == 2) word |= Stored{}(at(l, 2 * r + 1), fragment.element) << 16;
      to[l] = word;
    }
  }
}

// list: rows of D, A, B, C, each as many as the fragment has registers.
struct FragmentRows {
  const u32 *d, *a, *b, *c;
  FragmentRows(const MatrixForm& form, const u32* list)
      : d(list), a(d + form.d.registers()), b(a + form.a.registers()), c(b + form.b.registers()) {}
};

// Of narrower floats the product is exact in double precision, so that fusing it changes nothing.
constexpr auto kFused = [](double a, double b, double c) { return __builtin_fma(a, b, c); };
constexpr auto kSumIntegers = [](s64 a, s64 b, s64 c) { return a * b + c; };
constexpr auto kDifferent = [](s64 a, s64 b, s64 c) { return (a ^ b) + c; };

// Each step is a row of B times one element of A; with their number known, the columns stay in registers.
template <typename T, auto F, int kColumns>
void multiply(const MatrixForm& form, const T* a, const T* b, T* c) {
  const int k = form.a.k;
  for (int i = 0; i < form.a.m; ++i)
    for (int p = 0; p < k; ++p) {
      const T factor = a[i * k + p];
      const T* right = b + p * kColumns;
      T* out = c + i * kColumns;
      for (int j = 0; j < kColumns; ++j) out[j] = F(factor, right[j], out[j]);
    }
}

template <typename T, auto F>
void product_handler(const Op& op, Warp& warp, LaneMask) {
  const MatrixForm& form = *reinterpret_cast<const MatrixForm*>(op.imm);
  const FragmentRows rows(form, warp.lists + op.list);
  alignas(64) T a[kMostElements], b[kMostElements], c[kMostResults];
  gather(form.a, form.a_index, rows.a, warp, a);
  gather(form.b, form.b_index, rows.b, warp, b);
  gather(form.c, form.c_index, rows.c, warp, c);
  switch (form.a.n) {
    case 8:
      multiply<T, F, 8>(form, a, b, c);
      break;
    case 16:
      multiply<T, F, 16>(form, a, b, c);
      break;
    default:
      multiply<T, F, 32>(form, a, b, c);
  }
  if constexpr (!std::is_floating_point_v<T>) {
    constexpr s64 least = std::numeric_limits<s32>::min(), greatest = std::numeric_limits<s32>::max();
    if (form.saturates)
      for (int i = 0; i < form.d.m * form.d.n; ++i) c[i] = std::clamp(c[i], least, greatest);
  }
  scatter(form, rows.d, warp, c);
}

// m8n8k4 of doubles, which wmma has as well: a lane has one element of A, one of B and two neighbours of a
// row of C, so that four lanes have a row of A and, of C, the even and the odd columns of one.
bool is_product_of_doubles(const MatrixForm& form) {
  if (form.c.element != Element::F64 || form.a.m != 8 || form.a.n != 8 || form.a.k != 4) return false;
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
    if (form.a_index[l] != l || form.b_index[l] != l % 4 * 8 + l / 4 ||
        form.c_index[l] != l / 4 * 8 + l % 4 * 2 || form.c_index[kWarpSize + l] != form.c_index[l] + 1)
      return false;
  return true;
}

void doubles_handler(const Op& op, Warp& warp, LaneMask) {
  const MatrixForm& form = *reinterpret_cast<const MatrixForm*>(op.imm);
  const FragmentRows rows(form, warp.lists + op.list);
  const double *const a = row<double>(warp, rows.a[0]), *const b = row<double>(warp, rows.b[0]);
  alignas(64) double columns[2][4][4], sums[2][8][4];  // even and odd columns
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t odd = 0; odd < 2; ++odd) columns[odd][k][j] = b[(2 * j + odd) * 4 + k];
  for (std::size_t odd = 0; odd < 2; ++odd)
    std::memcpy(sums[odd], row<double>(warp, rows.c[odd]), sizeof sums[0]);
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t odd = 0; odd < 2; ++odd)
      for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t j = 0; j < 4; ++j)
          sums[odd][i][j] = kFused(a[i * 4 + k], columns[odd][k][j], sums[odd][i][j]);
  for (std::size_t odd = 0; odd < 2; ++odd)
    std::memcpy(row<double>(warp, rows.d[odd]), sums[odd], sizeof sums[0]);
}

Handler product_for(const MatrixForm& form) {
  if (is_product_of_doubles(form)) return &doubles_handler;
  if (form.c.element != Element::S32) return &product_handler<double, kFused>;
  const bool differs = form.a.element == Element::B1 && !form.ands;
  return differs ? &product_handler<s64, kDifferent> : &product_handler<s64, kSumIntegers>;
}

// Forms live as long as the program; each text is taken apart once.
const MatrixForm* kept(const std::string& text, const std::optional<MatrixForm>& form) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::unique_ptr<const MatrixForm>> all;
  const std::lock_guard lock(mutex);
  auto& entry = all[text];
  if (!entry && form) entry = std::make_unique<const MatrixForm>(*form);
  return entry.get();
}

// The four types of mma (D A B C), or of wmma.mma, which for f16 names only D and C.
std::optional<MatrixForm> form_of(const ptx::Form& form) {
  std::vector<Element> types;
  bool saturates = false, ands = false, transposed = false;
  const auto known = [&](Modifier modifier) {
    switch (modifier) {
      case Modifier::Satfinite:
        return saturates = true;
      case Modifier::And:
        return ands = true;
      case Modifier::Unknown:  // the shape, which is the only one without a row
        return form.shape.has_value();
      case Modifier::Sync:
      case Modifier::Aligned:
      case Modifier::Row:
      case Modifier::Col:
      case Modifier::Mma:
      case Modifier::Xor:
      case Modifier::Popc:
      case Modifier::Rn:
        return true;
      default:
        return false;
    }
  };
  if (!form.shape || std::ranges::count(form.modifiers, Modifier::Unknown) > 1) return std::nullopt;
  for (const Modifier modifier : form.modifiers) {
    if (const auto element = element_from(modifier))
      types.push_back(*element);
    else if (!known(modifier))
      return std::nullopt;
  }
  // Of mma's layouts only row.col exists, except for the quarter-warp shape that is left out.
  if (form.opcode != ptx::Opcode::Wmma)
    transposed =
        form.modifiers.size() < 5 || form.modifiers[3] != Modifier::Row || form.modifiers[4] != Modifier::Col;
  if (transposed) return std::nullopt;
  if (types.size() == 2) types = {types[0], Element::F16, Element::F16, types[1]};
  if (types.size() != 4) return std::nullopt;
  std::optional<MatrixForm> result = matrix_form(*form.shape, types[1], types[2], types[3], types[0]);
  if (!result) return std::nullopt;
  result->saturates = saturates;
  result->ands = ands;
  return result;
}

// Registers of a fragment, at least as many as it needs: wmma repeats elements where a fragment has room.
bool append_rows(DecodeContext& context, const ptx::Operand& operand, const Fragment& fragment, bool writes,
                 std::vector<u32>& rows, std::vector<u32>& copies) {
  const bool vector = operand.kind == ptx::OperandKind::Vector;
  const std::size_t count = vector ? operand.elements.size() : 1;
  const auto needed = static_cast<std::size_t>(fragment.registers());
  if (count < needed || count % needed != 0) return false;
  const Type type = fragment.element == Element::F64 ? Type::F64 : Type::B32;
  for (std::size_t i = 0; i < count; ++i) {
    const ptx::Operand& part = vector ? operand.elements[i] : operand;
    const u32 offset = writes ? destination_row(context, part, type) : source_row(context, part, type);
    (i < needed ? rows : copies).push_back(offset);
  }
  return context.ok();
}

bool decode_product(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (form.opcode == ptx::Opcode::Wmma && !form.has(Modifier::Mma)) return false;
  if (!context.count(in, 4, 4)) return false;
  const MatrixForm* matrix = kept(form.text, form_of(form));
  if (!matrix) return false;
  std::vector<u32> rows, unused;
  if (!append_rows(context, in.operands[0], matrix->d, true, rows, unused) ||
      !append_rows(context, in.operands[1], matrix->a, false, rows, unused) ||
      !append_rows(context, in.operands[2], matrix->b, false, rows, unused) ||
      !append_rows(context, in.operands[3], matrix->c, false, rows, unused))
    return false;
  op.imm = reinterpret_cast<u64>(matrix);
  op.list = context.list(rows);
  op.flags |= kConvergesWarp;
  op.set(both(product_for(*matrix)));
  return context.ok();
}

// movmatrix: an 8 x 8 matrix of 16-bit elements, two a lane along a row, transposed.
void transpose_handler(const Op& op, Warp& warp, LaneMask mask) {
  const u32* a = row<u32>(warp, op.a);
  u16 matrix[8][8];
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l) {
    matrix[l / 4][l % 4 * 2] = static_cast<u16>(a[l]);
    matrix[l / 4][l % 4 * 2 + 1] = static_cast<u16>(a[l] >> 16);
  }
  write_lanes(row<u32>(warp, op.d), mask, false, [&](unsigned l) {
    return u32{matrix[l % 4 * 2][l / 4]} | u32{matrix[l % 4 * 2 + 1][l / 4]} << 16;
  });
}

bool decode_transpose(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  const std::vector wanted{Modifier::Sync, Modifier::Aligned, Modifier::M8n8, Modifier::Trans, Modifier::B16};
  if (form.modifiers != wanted || !context.count(in, 2, 2)) return false;
  op.d = destination_row(context, in.operands[0], Type::B32);
  op.a = source_row(context, in.operands[1], Type::B32);
  op.flags |= kConvergesWarp;
  op.set(both(&transpose_handler));
  return context.ok();
}

constexpr OpcodeEntry kEntries[] = {{ptx::Opcode::Mma, decode_product},
                                    {ptx::Opcode::Wmma, decode_product},
                                    {ptx::Opcode::Movmatrix, decode_transpose}};

}  // namespace

std::span<const OpcodeEntry> matrix_entries() {
  return kEntries;
}

}  // namespace warplens::simt
