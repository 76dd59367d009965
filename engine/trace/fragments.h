// Matrix fragments: which element of A, B, C and D each lane of a warp holds, for mma and wmma of every
// shape, and the accesses to memory that a wmma load or store is made of.
//
//   Fragment{Fragment::Use::A, 16, 8, 16, Element::F16}.place(lane, 3)   // element 3 of the lane: {row,
//   column} fragment_movement(form)->index(1, lane)      // what the lane names in the second access of a
//   wmma load
//
// mma's fragments are laid out as the PTX document draws them. wmma's layout is the machine's own business;
// here a wmma fragment is made of mma fragments: A of tiles of 16 rows, B of 8 columns, C of 16 x 8.
//
// A lane's elements that are neighbours in memory move together (two halves of a row-major A as one access of
// four bytes), and each such step is one access of the warp. A and B of 8 or 16 bits come out of shared
// memory as ldmatrix fetches them, up to four 8x8 matrices an access (LDSM in the machine code of every
// shape). The emulator moves by it, and the instrumented run on a GPU records and counts by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/base/lanes.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::trace {

enum class Element : std::uint8_t { F16, BF16, TF32, F32, F64, S32, S8, U8, S4, U4, B1, E4M3, E5M2 };
int bits_of(Element element);
std::string_view name(Element element);  // "f16"
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

// The fragments of "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" and of wmma.mma; nothing for what is
// no such product, and for the quarter-warp layout of the old m8n8k4 of f16.
struct MatrixProduct {
  Fragment a, b, c;  // D lies as C does
};
std::optional<MatrixProduct> matrix_product(const ptx::Form& form);

// What a wmma load or store asks for.
struct FragmentMovement {
  Fragment fragment;
  bool row_major = true, stores = false;
  int step = 1;  // neighbouring elements that move together
  // 16-bit elements against their natural order (B by rows, A by columns): the machine loads each 8x8 part of
  // the matrix transposed, in pairs, and turns it in registers (MOVM in the machine code of every shape).
  bool turned = false;
  int matrices = 0;         // that an access fetches as ldmatrix does; 0: it does not
  bool transposed = false;  // these matrices lie transposed in memory

  // How many accesses it is made of, and what a lane moves in each (with ldmatrix: a row of 16 bytes).
  int accesses() const;
  int bytes() const { return matrices != 0 ? 16 : bits_of(fragment.element) / 8 * step; }
  // The lanes that name something in an access.
  LaneMask naming() const;
  // Where that lies behind the address of the instruction: `lines` of the leading dimension and `elements`.
  struct Index {
    int lines = 0, elements = 0;
    bool operator==(const Index&) const = default;
  };
  Index index(int access, int lane) const;
  std::uint64_t offset(int access, int lane, std::uint64_t stride) const {
    return offset(index(access, lane), stride);
  }
  std::uint64_t offset(const Index& at, std::uint64_t stride) const;
  std::uint64_t default_stride() const {
    return static_cast<std::uint64_t>(row_major ? fragment.columns() : fragment.rows());
  }
  // What a lane loads in the place of its element, when the matrix is turned.
  MatrixPlace turned_place(int lane, int element) const;
};

// Of "wmma.load.a.sync.aligned.row.m16n16k16{.space}.f16"; nothing for elements below a byte and for what is
// no movement.
std::optional<FragmentMovement> fragment_movement(const ptx::Form& form);

// Whether a wmma load fetches 8x8 matrices as ldmatrix does: A and B in shared memory, of 16 bits in either
// order or of 8 bits in their natural one (read from the machine code of ptxas 13.0, in every shape).
bool loads_matrices(const ptx::Form& wmma_load);

}  // namespace warplens::trace
