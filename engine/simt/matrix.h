// Matrix fragments: which element of A, B, C and D each lane of a warp holds, for mma and wmma of every
// shape.
//
//   MatrixForm form = *matrix_form({16, 8, 16}, Element::F16, Element::F16, Element::F32, Element::F32);
//   form.a.place(lane, 3);     // element 3 of the lane's A fragment: {row, column}
//
// mma's fragments are laid out as the PTX document draws them. wmma's layout is the machine's own business;
// here a wmma fragment is made of mma fragments: A of tiles of 16 rows, B of 8 columns, C of 16 x 8.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/ptx/module.h"

namespace warplens::simt {

enum class Element : std::uint8_t { F16, BF16, TF32, F32, F64, S32, S8, U8, S4, U4, B1, E4M3, E5M2 };
int bits_of(Element element);
std::optional<Element> element_from(ptx::Modifier modifier);

struct MatrixPlace {
  int row = 0, column = 0;
};

struct Fragment {
  enum class Use : std::uint8_t { A, B, C } use = Use::C;
  int m = 0, n = 0, k = 0;  // of the whole operation
  Element element = Element::F32;

  int rows() const { return use == Use::B ? k : m; }
  int columns() const { return use == Use::A ? k : n; }
  int elements() const { return rows() * columns() / 32; }  // of one lane
  // Elements a register holds; a register has 64 bits for f64 and 32 otherwise.
  int per_register() const { return element == Element::F64 ? 1 : 32 / bits_of(element); }
  int registers() const { return elements() / per_register(); }
  MatrixPlace place(int lane, int element_index) const;
};

struct MatrixForm {
  Fragment a, b, c, d;
  bool saturates = false;  // .satfinite of integers
  bool ands = false;       // b1: and.popc instead of xor.popc
  // index[lane * elements + e] = row * columns + column, for each fragment.
  std::vector<std::uint16_t> a_index, b_index, c_index;
};

// A shape with the types of A, B and of C and D; nothing when PTX has no such operation.
std::optional<MatrixForm> matrix_form(ptx::MatrixShape shape, Element a, Element b, Element c, Element d);

}  // namespace warplens::simt
