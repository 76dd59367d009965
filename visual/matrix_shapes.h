// Global arrays as matrices: which buffers have rows, how long these are, and what the traced blocks did to
// their elements. Made once a run, off the frame (app/model/picture/matrices.h finds the shapes). Matrices
// that lie in registers, the fragments of tensor-core products, are known beside them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/trace/trace.h"

namespace warplens::analysis {
struct FragmentMoves;  // engine/analysis/fragment_moves.h
}

namespace warplens::visual {

struct MatrixShape {
  std::uint32_t argument = 0;  // of the launch
  std::string name;            // "a"
  std::uint64_t base = 0;      // address of its first element
  int element_bytes = 4;
  std::uint64_t columns = 1, rows = 1;
  bool guessed = false;  // from the launch's numbers: nobody said how long a row is
  // How often the threads of the traced blocks accessed each element, row after row; empty where the matrix
  // has too many of them.
  std::vector<std::uint32_t> touches;
  std::uint32_t most = 0;  // of touches

  std::uint64_t elements() const { return columns * rows; }
  bool holds(std::uint64_t address) const {
    return address >= base && address < base + elements() * static_cast<std::uint64_t>(element_bytes);
  }
  std::uint64_t element(std::uint64_t address) const {
    return (address - base) / static_cast<std::uint64_t>(element_bytes);
  }
};

// An access to a matrix. Phases are what lies between the barriers of a block, counted from 0.
struct MatrixAccess {
  std::uint32_t step = 0, phase = 0, matrix = 0, warp = 0;
};
struct MatrixBlock {  // of one traced block: its accesses in MatrixShapes::accesses, half-open
  std::uint64_t block = 0;
  std::size_t first = 0, last = 0;
  std::uint32_t phases = 1;
};

struct MatrixShapes {
  std::vector<MatrixShape> all;        // in the order of the parameters
  std::vector<MatrixAccess> accesses;  // ascending steps
  std::vector<MatrixBlock> blocks;
  bool partial = false;                                      // the trace is longer than what was looked at
  std::shared_ptr<const analysis::FragmentMoves> fragments;  // null: nobody looked
};

// Fills in what the trace says of these shapes.
MatrixShapes collect_matrices(const trace::Trace& trace, std::vector<MatrixShape> shapes);

}  // namespace warplens::visual
