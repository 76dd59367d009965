#include "engine/simt/matrix.h"

#include <array>
#include <charconv>
#include <utility>

namespace warplens::simt {
namespace {

constexpr std::pair<ptx::Modifier, Element> kNames[] = {
    {ptx::Modifier::F16, Element::F16},   {ptx::Modifier::Bf16, Element::BF16},
    {ptx::Modifier::Tf32, Element::TF32}, {ptx::Modifier::F32, Element::F32},
    {ptx::Modifier::F64, Element::F64},   {ptx::Modifier::S32, Element::S32},
    {ptx::Modifier::S8, Element::S8},     {ptx::Modifier::U8, Element::U8},
    {ptx::Modifier::S4, Element::S4},     {ptx::Modifier::U4, Element::U4},
    {ptx::Modifier::B1, Element::B1},     {ptx::Modifier::E4m3, Element::E4M3},
    {ptx::Modifier::E5m2, Element::E5M2}};

// Element e of a lane in an A tile of 16 (or 8) rows: registers go down the tile's two halves first, then
// along k in steps of four registers' elements.
MatrixPlace place_in_a(int lane, int e, int per_register, bool eight_rows) {
  const int r = e / per_register, i = e % per_register, halves = eight_rows ? 1 : 2;
  return {lane / 4 + 8 * (r % halves), (lane % 4) * per_register + i + 4 * per_register * (r / halves)};
}

MatrixPlace place_in_b(int lane, int e, int per_register) {
  const int r = e / per_register, i = e % per_register;
  return {(lane % 4) * per_register + i + 4 * per_register * r, lane / 4};
}

// C holds two neighbours a row, in rows l/4 and l/4 + 8.
MatrixPlace place_in_c(int lane, int e) {
  return {lane / 4 + 8 * (e / 2), (lane % 4) * 2 + e % 2};
}

std::vector<std::uint16_t> index_of(const Fragment& fragment) {
  std::vector<std::uint16_t> index;
  for (int lane = 0; lane < 32; ++lane)
    for (int e = 0; e < fragment.elements(); ++e) {
      const MatrixPlace place = fragment.place(lane, e);
      index.push_back(static_cast<std::uint16_t>(place.row * fragment.columns() + place.column));
    }
  return index;
}

struct Row {
  int m, n, k;
  Element input;
};
// Shapes of mma and wmma, by the type of A. (The old m8n8k4 of f16, with its quarter-warp layout, is left
// out.)
constexpr Row kShapes[] = {
    {16, 8, 8, Element::F16},   {16, 8, 16, Element::F16},   {16, 16, 16, Element::F16},
    {32, 8, 16, Element::F16},  {8, 32, 16, Element::F16},   {16, 8, 8, Element::BF16},
    {16, 8, 16, Element::BF16}, {16, 16, 16, Element::BF16}, {32, 8, 16, Element::BF16},
    {8, 32, 16, Element::BF16}, {16, 8, 4, Element::TF32},   {16, 8, 8, Element::TF32},
    {16, 16, 8, Element::TF32}, {8, 8, 4, Element::F64},     {16, 8, 4, Element::F64},
    {16, 8, 8, Element::F64},   {16, 8, 16, Element::F64},   {8, 8, 16, Element::S8},
    {16, 8, 16, Element::S8},   {16, 8, 32, Element::S8},    {16, 16, 16, Element::S8},
    {32, 8, 16, Element::S8},   {8, 32, 16, Element::S8},    {8, 8, 32, Element::S4},
    {16, 8, 32, Element::S4},   {16, 8, 64, Element::S4},    {8, 8, 128, Element::B1},
    {16, 8, 128, Element::B1},  {16, 8, 256, Element::B1},   {16, 8, 32, Element::E4M3},
};

// Types that share shapes.
Element family(Element element) {
  if (element == Element::U8) return Element::S8;
  if (element == Element::U4) return Element::S4;
  return element == Element::E5M2 ? Element::E4M3 : element;
}

bool accumulates(Element input, Element accumulator) {
  switch (family(input)) {
    case Element::F16:
    case Element::E4M3:
      return accumulator == Element::F16 || accumulator == Element::F32;
    case Element::BF16:
    case Element::TF32:
      return accumulator == Element::F32;
    case Element::F64:
      return accumulator == Element::F64;
    default:
      return accumulator == Element::S32;
  }
}

}  // namespace

int bits_of(Element element) {
  switch (element) {
    case Element::F64:
      return 64;
    case Element::TF32:
    case Element::F32:
    case Element::S32:
      return 32;
    case Element::F16:
    case Element::BF16:
      return 16;
    case Element::S4:
    case Element::U4:
      return 4;
    case Element::B1:
      return 1;
    default:
      return 8;
  }
}

std::optional<Element> element_from(ptx::Modifier modifier) {
  for (const auto& [name, element] : kNames)
    if (name == modifier) return element;
  return std::nullopt;
}

MatrixPlace Fragment::place(int lane, int element_index) const {
  const int tile_rows = m == 8 ? 8 : 16;
  if (use == Use::A) {
    const int per_tile = tile_rows * k / 32, tile = element_index / per_tile;
    MatrixPlace place = place_in_a(lane, element_index % per_tile, per_register(), m == 8);
    place.row += tile_rows * tile;
    return place;
  }
  if (use == Use::B) {
    const int per_tile = 8 * k / 32;
    MatrixPlace place = place_in_b(lane, element_index % per_tile, per_register());
    place.column += 8 * (element_index / per_tile);
    return place;
  }
  const int per_tile = tile_rows * 8 / 32, tile = element_index / per_tile, across = n / 8;
  MatrixPlace place = place_in_c(lane, element_index % per_tile);
  place.row += tile_rows * (tile / across);
  place.column += 8 * (tile % across);
  return place;
}

std::optional<MatrixForm> matrix_form(ptx::MatrixShape shape, Element a, Element b, Element c, Element d) {
  if (family(a) != family(b) || !accumulates(a, c) || !accumulates(a, d)) return std::nullopt;
  for (const Row& row : kShapes) {
    if (row.m != shape.m || row.n != shape.n || row.k != shape.k || row.input != family(a)) continue;
    using Use = Fragment::Use;
    MatrixForm form;
    form.a = {Use::A, row.m, row.n, row.k, a};
    form.b = {Use::B, row.m, row.n, row.k, b};
    form.c = {Use::C, row.m, row.n, row.k, c};
    form.d = {Use::C, row.m, row.n, row.k, d};
    form.a_index = index_of(form.a);
    form.b_index = index_of(form.b);
    form.c_index = index_of(form.c);
    return form;
  }
  return std::nullopt;
}

}  // namespace warplens::simt
