// CUDA arrays: texels row after row, in memory that kernels reach through textures and surfaces only.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "engine/runtime/context.h"

struct cudaArray {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};  // texels; 0: fewer dimensions
  unsigned flags = 0;
  std::uint64_t address = 0;
  std::size_t texel_bytes() const {
    return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
  }
  std::size_t row_bytes() const { return extent.width * texel_bytes(); }
  std::size_t rows() const { return std::max<std::size_t>(extent.height, 1); }
  std::size_t planes() const { return std::max<std::size_t>(extent.depth, 1); }
};

struct cudaMipmappedArray {
  std::vector<std::unique_ptr<cudaArray>> levels;
};

namespace warplens::runtime {

// A place in memory of up to three dimensions, in bytes.
struct Region {
  std::uint8_t* at = nullptr;
  std::size_t pitch = 0, plane = 0;  // from row to row, from plane to plane
};
struct Size {
  std::size_t width = 0, height = 1, depth = 1;  // bytes, rows, planes
};

// Is all of it in one allocation of the kind that `kind` says? Host memory of the program is not ours to
// judge.
bool may_copy(Context& all, const Region& region, const Size& size, bool device);
void copy(const Region& to, const Region& from, const Size& size);
// Now, or as a node of the graph that the stream is captured into (`node`, where asked for).
cudaError_t copy_in(Context& all, cudaStream_t stream, const Region& to, const Region& from, const Size& size,
                    cudaMemcpyKind kind, CUgraphNode_st** node = nullptr);
// The part of an array from these bytes of a row, row and plane on; none when `size` does not fit in it.
std::optional<Region> region_of(const cudaArray& array, std::size_t x, std::size_t y, std::size_t z,
                                const Size& size);

}  // namespace warplens::runtime
