// Splits a CUDA C++ (or PTX) line into coloured pieces. Block comments carry over from line to line, so a
// whole text is split at once.
//
//   int i = 0;  // index      Type "int", Plain " i = ", Number "0", Plain ";  ", Comment "// index"
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warplens::window {

enum class Ink : std::uint8_t { Plain, Keyword, Type, Cuda, Number, String, Comment, Directive };

struct Piece {
  std::uint32_t begin = 0, end = 0;  // bytes of the line, half-open
  Ink ink = Ink::Plain;
  bool operator==(const Piece&) const = default;
};

struct TextLine {
  std::size_t begin = 0, end = 0;  // bytes of the text, without the line break
  std::vector<Piece> pieces;
};

std::vector<TextLine> highlight_cuda(std::string_view text);
std::vector<TextLine> highlight_ptx(std::string_view text);

}  // namespace warplens::window
