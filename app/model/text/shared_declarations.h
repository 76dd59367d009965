// What the text of a kernel says about its arrays in shared or in constant memory:
//   __shared__ float tile[TILE][TILE + 1];   __constant__ float filter[5][5];
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warplens::model {

struct SharedDeclaration {
  std::string function;  // that it stands in; empty at the top of the file
  std::string name, type;
  std::vector<std::optional<std::int64_t>>
      extents;  // unset where a constant is not known (a template argument)
  int line = 0;
  // In the text: where the name begins, and what stands between its last brackets. 0 to 0: without any.
  std::size_t begin = 0, last_begin = 0, last_end = 0;
};

// In the order of the text. Constants are evaluated with the macros and constant integers of the text and
// with `defines`. Never fails: what is not understood is left out.
std::vector<SharedDeclaration> shared_declarations(
    const std::string& text, const std::vector<std::pair<std::string, std::string>>& defines);
std::vector<SharedDeclaration> constant_declarations(
    const std::string& text, const std::vector<std::pair<std::string, std::string>>& defines);

}  // namespace warplens::model
