// Which elements of a matrix product an access moves, and which lanes hold them: ldmatrix, stmatrix, the
// loads and stores of wmma, and plain ones whose registers an mma reads or writes. What the registers are to
// the product follows from the data flow of the function; nothing is guessed from names.
//
//   const FragmentMoves moves = fragment_moves(module, trace);          // once a run
//   const auto move = move_at(moves, trace, cursor);                    // the nearest such access
//   move->rows[5].cells[2]                  // third element of the 16 bytes that lane 5 names: who holds it
//
// Made of plain data; the trace must be the one that it was made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/trace/fragments.h"
#include "engine/trace/trace.h"

namespace warplens::analysis {

// An mma or wmma.mma of the function.
struct FragmentProduct {
  std::string op;  // "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
  trace::MatrixProduct shape;
};

// What one register of an access is: register `index` of a fragment of a product.
struct FragmentRegister {
  int product = -1;  // in FragmentMoves::products; -1: none uses it
  trace::Fragment::Use use = trace::Fragment::Use::C;
  int index = 0;
};

struct FragmentSite {
  trace::SiteId site = trace::kNoSite;
  std::vector<FragmentRegister> registers;  // as written in the instruction
  int register_bytes = 4;
  bool rows = false;                                // lanes name rows of 16 bytes: ldmatrix, stmatrix
  bool transposed = false;                          // ... of 8x8 matrices that are turned on the way
  std::optional<trace::FragmentMovement> movement;  // of wmma
};

struct FragmentMoves {
  std::vector<FragmentProduct> products;
  std::vector<FragmentSite> sites;
  struct Step {
    std::uint32_t step = 0;  // of the trace
    std::uint16_t site = 0;  // in sites
    std::uint16_t part = 0;  // a wmma instruction is several accesses
  };
  std::vector<Step> steps;  // ascending
  bool partial = false;     // the trace is longer than what was looked at
};

FragmentMoves fragment_moves(const ptx::Module& module, const trace::Trace& trace);

// One element on its way.
struct FragmentCell {
  int tile = 0;  // in FragmentMove::tiles; -1: of another product
  trace::MatrixPlace place;
  int lane = 0, reg = 0;  // that hold it in the end, and the register of the fragment
};
// Elements side by side in memory, at the address that one lane names.
struct FragmentRow {
  int lane = 0;  // that names it
  std::uint64_t address = 0;
  int element_bits = 16;
  std::vector<FragmentCell> cells;  // ascending addresses
};
struct FragmentMove {
  std::size_t step = 0;
  trace::AccessView access;
  const FragmentProduct* product = nullptr;  // null: none reads or writes these registers
  // A, B and C of the product; else the fragment of a wmma access, else the 8x8 matrices of ldmatrix.
  std::vector<trace::Fragment> tiles;
  bool loose = false;  // the tiles are 8x8 matrices of their own
  int part = 0, parts = 1;
  bool rows_named = false;  // a lane names 16 bytes that four lanes or eight hold
  bool transposed = false;
  std::vector<FragmentRow> rows;  // by register, then by lane
  int elsewhere = 0;              // registers that go to another product
};
// Of the last such access at or before the cursor, else of the first behind it; nothing when there is none.
std::optional<FragmentMove> move_at(const FragmentMoves& moves, const trace::Trace& trace,
                                    std::size_t cursor);

// A lane's share of a fragment: element by element of each register.
struct FragmentHolder {
  int lane = 0, reg = 0;
};
// The lane and register that hold a place; index row * columns + column.
std::vector<FragmentHolder> fragment_holders(const trace::Fragment& fragment);

}  // namespace warplens::analysis
