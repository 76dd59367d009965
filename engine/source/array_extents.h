// The extents that the source text gives an array which PTX knows only as so many bytes.
//
//   #define T 16
//   __shared__ float tile[T][T + 1];      extents_of_array(text, {}, "tile", 1088, 4)  ->  {16, 17}
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warplens::source {

using Define = std::pair<std::string, std::string>;  // name, value

// Of the __shared__, __device__ or __constant__ array of that name and size; `width`: bytes of what was
// accessed in it. A single name that is not known, as of a template's parameter, is found from the size.
// Empty: one dimension, declared in several ways, or not known.
std::vector<std::uint64_t> extents_of_array(std::string_view text, std::span<const Define> defines,
                                            std::string_view name, std::uint64_t bytes, std::uint64_t width);

}  // namespace warplens::source
