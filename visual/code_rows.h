// Code in a pane that is narrower than its lines: a long line stands in as many rows as it needs, and a
// launch keeps what a launch is about.
//
//   const auto rows = code_rows(lines, {.width = 320, .taken = cost, .measure = width});
//   launch_rows("copy<<<256, 256>>>(in, out, 65536);", 28, 1)   // "copy<<<256, 256>>>(in, …);"
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::visual {

struct CodeRow {
  int line = 1;                    // from 1
  std::size_t begin = 0, end = 0;  // bytes of the line, half-open
  float left = 0;                  // where it begins, behind the place where lines begin
};

struct CodeRoom {
  float width = 0;                                 // of a row
  std::function<float(int line)> taken;            // of its last row, by something that stands at its end
  std::function<float(std::string_view)> measure;  // of a piece of code
};

// Rows in order. A line breaks at a blank, else behind an operator, else anywhere; what goes on stands
// further in than its line begins, that of a comment under the comment's text. Where the last row of a line
// has no room for what stands at its end, that has an empty row of its own: code is not broken for it.
std::vector<CodeRow> code_rows(const std::vector<std::string_view>& lines, const CodeRoom& room);
// The first row of a line; lines beyond the end: the number of rows.
std::size_t row_of_line(const std::vector<CodeRow>& rows, int line);
// From this row on the first one that a line begins in, for the top of a pane: what only goes on there would
// stand without its beginning. Rows beyond the end: the number of rows.
std::size_t line_begins_from(const std::vector<CodeRow>& rows, std::size_t row);

// A launch in at most so many rows of so many letters. What is between <<< and >>> stays whole: left out are
// arguments in the middle, then the end of the name.
std::vector<std::string> launch_rows(const std::string& launch, std::size_t letters, std::size_t rows);

}  // namespace warplens::visual
