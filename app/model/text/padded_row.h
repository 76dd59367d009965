// A longer row for an array in shared memory, in the text:  float tile[32][32]  becomes  float tile[32][32 +
// 1].
//
//   for (const Padding& padding : paddings(text, defines, "transpose"))
//     if (const auto padded = with_padding(text, defines, padding)) ...
//
// Whether the kernel still computes the same is for whoever runs it to find out.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warplens::model {

struct Padding {
  std::string function, array;  // whose last extent grows
  int elements = 0;             // by so many
  int line = 0;                 // of the declaration
  std::string was, becomes;     // of it: "tile[TILE][TILE]", "tile[TILE][TILE + 1]"
};

using Defines = std::vector<std::pair<std::string, std::string>>;

// Of every array with rows that stands in this function or at the top of the file: a word more a row, and 16
// bytes more, which keeps accesses of four floats aligned. Only rows that are whole banks' turns (a multiple
// of 32 bytes) are worth it.
std::vector<Padding> paddings(const std::string& text, const Defines& defines, const std::string& function);

// The text with it; nothing where the text has no such array any more.
std::optional<std::string> with_padding(const std::string& text, const Defines& defines,
                                        const Padding& padding);

}  // namespace warplens::model
