#include "engine/simt/ops/matrix.h"

#include <array>
#include <utility>

namespace warplens::simt {
namespace {

std::vector<std::uint16_t> index_of(const Fragment& fragment) {
  std::vector<std::uint16_t> index;
  for (int e = 0; e < fragment.elements(); ++e)
    for (int lane = 0; lane < 32; ++lane) {
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
