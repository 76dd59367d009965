#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>

#include "engine/ptx/syntax/parser.h"
#include "engine/simt/ops/matrix.h"
#include "engine/simt/ops/numeric.h"
#include "tests/simt/lane_machine.h"

namespace warplens::simt::test {
namespace {

// A matrix of small integers: every product and sum of them is exact in every type.
struct Matrix {
  int rows, columns;
  std::vector<int> values;
  Matrix(int r, int c, int bound, std::mt19937& random) : rows(r), columns(c) {
    for (int i = 0; i < r * c; ++i)
      values.push_back(static_cast<int>(random() % static_cast<unsigned>(2 * bound + 1)) - bound);
  }
  int& at(int r, int c) { return values[static_cast<std::size_t>(r * columns + c)]; }
};

std::uint64_t encoded(int value, const std::string& type) {
  const auto wide = std::bit_cast<std::uint64_t>(static_cast<double>(value));
  const auto as = [&](FloatFormat format) { return pack(unpack(wide, kDouble), format, Rounding::Nearest); };
  if (type == "f16") return as(kHalf);
  if (type == "bf16") return as(kBfloat);
  if (type == "tf32" || type == "f32") return as(kSingle);
  if (type == "e4m3") return as(kE4m3);
  if (type == "f64") return wide;
  const int bits = type == "s8" || type == "u8" ? 8 : type == "b1" ? 1 : 32;
  return static_cast<std::uint32_t>(value) & (bits == 32 ? ~0u : (1u << bits) - 1);
}

std::string braced(const std::string& stem, int n) {
  std::string text = "{";
  for (int i = 0; i < n; ++i) text += (i ? ", %" : "%") + stem + std::to_string(i);
  return text + "}";
}

// Writes a fragment's elements into the registers %stem0, %stem1 ... by a layout function.
template <typename Place>
void fill(LaneMachine& machine, const std::string& stem, const std::string& type, int elements, int bits,
          Matrix& matrix, Place place) {
  const int per_register = bits == 64 ? 1 : 32 / bits;
  for (int l = 0; l < 32; ++l)
    for (int r = 0; r < elements / per_register; ++r) {
      std::uint64_t word = 0;
      for (int i = 0; i < per_register; ++i) {
        const auto [row, column] = place(l, r * per_register + i);
        word |= encoded(matrix.at(row, column), type) << i * bits;
      }
      machine.set("%" + stem + std::to_string(r), static_cast<unsigned>(l), word);
    }
}

struct Case {
  std::string form;  // after "mma.sync.aligned."
  int m, n, k, bits;
  std::string input, output;
  int output_bits = 32;
};

using Place = std::pair<int, int>;

// Layouts as the PTX document tabulates them for the forms below.
Place document_a(const Case& c, int lane, int i) {
  const int group = lane >> 2, thread = lane % 4;
  if (c.m == 8) return {group, thread * (c.bits == 64 ? 1 : 4) + (c.bits == 64 ? 0 : i)};
  if (c.form.starts_with("m16n8k16") && c.bits == 16)
    return {i < 2 || (i >= 4 && i < 6) ? group : group + 8, thread * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
  if (c.form.starts_with("m16n8k8") && c.bits == 16) return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
  if (c.bits == 32) return {i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4};
  // m16n8k32 of bytes.
  return {i < 4 || (i >= 8 && i < 12) ? group : group + 8, thread * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
}
Place document_b(const Case& c, int lane, int i) {
  const int group = lane >> 2, thread = lane % 4;
  if (c.bits == 64) return {thread, group};
  if (c.bits == 32) return {i == 0 ? thread : thread + 4, group};
  if (c.bits == 16) return {thread * 2 + (i & 1) + (i < 2 ? 0 : 8), group};
  return {thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
}
Place document_c(int lane, int i) {
  return {(lane >> 2) + (i < 2 ? 0 : 8), (lane % 4) * 2 + (i & 1)};
}

void check_product(const Case& c) {
  std::mt19937 random(7);
  const int a_count = c.m * c.k / 32, b_count = c.k * c.n / 32, c_count = c.m * c.n / 32;
  const auto registers = [](int count, int bits) { return bits == 64 ? count : count * bits / 32; };
  const std::string kind = c.bits == 64 ? ".b64" : ".b32";
  const std::string text = ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg " +
                           kind + " %a<9>, %b<9>, %c<9>, %d<9>;\nmma.sync.aligned." + c.form + " " +
                           braced("d", registers(c_count, c.output_bits)) + ", " +
                           braced("a", registers(a_count, c.bits)) + ", " +
                           braced("b", registers(b_count, c.bits)) + ", " +
                           braced("c", registers(c_count, c.output_bits)) + ";\nret;\n}\n";
  auto module = ptx::parse(text);
  ASSERT_TRUE(module) << module.error().text() << text;
  LaneMachine machine(*module, *module->find_function("k"));
  ASSERT_TRUE(machine.decode()) << machine.refused();
  Matrix a(c.m, c.k, 3, random), b(c.k, c.n, 3, random), sum(c.m, c.n, 9, random);
  fill(machine, "a", c.input, a_count, c.bits, a, [&](int l, int i) { return document_a(c, l, i); });
  fill(machine, "b", c.input, b_count, c.bits, b, [&](int l, int i) { return document_b(c, l, i); });
  fill(machine, "c", c.output, c_count, c.output_bits, sum, document_c);
  machine.run();
  for (int l = 0; l < 32; ++l)
    for (int i = 0; i < c_count; ++i) {
      const auto [row, column] = document_c(l, i);
      int want = sum.at(row, column);
      for (int p = 0; p < c.k; ++p) want += a.at(row, p) * b.at(p, column);
      const int per_register = c.output_bits == 16 ? 2 : 1;
      const std::uint64_t word =
          machine.get("%d" + std::to_string(i / per_register), static_cast<unsigned>(l));
      const std::uint64_t got = c.output_bits == 16 ? word >> 16 * (i % 2) & 0xffff : word;
      ASSERT_EQ(got, encoded(want, c.output)) << c.form << " lane " << l << " element " << i;
    }
}

TEST(OpsMatrix, ProductsWithTheDocumentsLayouts) {
  check_product({"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, 16, "f16", "f32"});
  check_product({"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, 16, "f16", "f16", 16});
  check_product({"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, 16, "f16", "f32"});
  check_product({"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, 16, "bf16", "f32"});
  check_product({"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, 32, "tf32", "f32"});
  check_product({"m16n8k32.row.col.s32.s8.s8.s32", 16, 8, 32, 8, "s8", "s32"});
  check_product({"m16n8k32.row.col.satfinite.s32.s8.s8.s32", 16, 8, 32, 8, "s8", "s32"});
  check_product({"m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 8, 32, 8, "e4m3", "f32"});
  check_product({"m8n8k16.row.col.s32.s8.s8.s32", 8, 8, 16, 8, "s8", "s32"});
  check_product({"m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, 64, "f64", "f64", 64});
}

TEST(OpsMatrix, EveryElementIsHeldOnce) {
  for (const ptx::MatrixShape shape : {ptx::MatrixShape{16, 8, 16}, {16, 16, 16}, {32, 8, 16}, {8, 32, 16}}) {
    const auto form = matrix_form(shape, Element::BF16, Element::BF16, Element::F32, Element::F32);
    ASSERT_TRUE(form) << shape.m << shape.n << shape.k;
    for (const Fragment& fragment : {form->a, form->b, form->c}) {
      std::set<std::pair<int, int>> seen;
      for (int l = 0; l < 32; ++l)
        for (int e = 0; e < fragment.elements(); ++e) {
          const MatrixPlace place = fragment.place(l, e);
          EXPECT_LT(place.row, fragment.rows());
          EXPECT_LT(place.column, fragment.columns());
          seen.emplace(place.row, place.column);
        }
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(fragment.rows() * fragment.columns()));
    }
  }
}

TEST(OpsMatrix, ShapesThatDoNotExistAreRefused) {
  EXPECT_FALSE(matrix_form({16, 8, 5}, Element::F16, Element::F16, Element::F32, Element::F32));
  EXPECT_FALSE(matrix_form({16, 8, 16}, Element::F16, Element::BF16, Element::F32, Element::F32));
  EXPECT_FALSE(matrix_form({16, 8, 16}, Element::BF16, Element::BF16, Element::S32, Element::S32));
}

TEST(OpsMatrix, Transposes) {
  const auto module = ptx::parse(
      ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %a, %o;\n"
      "movmatrix.sync.aligned.m8n8.trans.b16 %o, %a;\nret;\n}\n");
  LaneMachine machine(*module, *module->find_function("k"));
  ASSERT_TRUE(machine.decode());
  const auto value = [](unsigned row, unsigned column) { return 100 * row + column; };
  for (unsigned l = 0; l < 32; ++l)
    machine.set("%a", l, value(l / 4, l % 4 * 2) | value(l / 4, l % 4 * 2 + 1) << 16);
  machine.run();
  for (unsigned l = 0; l < 32; ++l)
    EXPECT_EQ(machine.get("%o", l), value(l % 4 * 2, l / 4) | value(l % 4 * 2 + 1, l / 4) << 16);
}

}  // namespace
}  // namespace warplens::simt::test
