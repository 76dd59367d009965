// The products of matrices that PTX has, mma and wmma: their shapes, and where each lane's elements are.
//
//   MatrixForm form = *matrix_form({16, 8, 16}, Element::F16, Element::F16, Element::F32, Element::F32);
//   form.a.place(lane, 3);     // element 3 of the lane's A fragment: {row, column}
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/trace/fragments.h"

namespace warplens::simt {

using trace::bits_of;
using trace::Element;
using trace::element_from;
using trace::Fragment;
using trace::MatrixPlace;

struct MatrixForm {
  Fragment a, b, c, d;
  bool saturates = false;  // .satfinite of integers
  bool ands = false;       // b1: and.popc instead of xor.popc
  // index[e * 32 + lane] = row * columns + column, for each fragment.
  std::vector<std::uint16_t> a_index, b_index, c_index;
};

// A shape with the types of A, B and of C and D; nothing when PTX has no such operation.
std::optional<MatrixForm> matrix_form(ptx::MatrixShape shape, Element a, Element b, Element c, Element d);

}  // namespace warplens::simt
