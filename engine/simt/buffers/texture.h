// Texture and surface objects: how a texture unit turns coordinates into a value.
//
//   tex.2d.v4.f32.f32 {%f1, ...}, [%rd1, {%f5, %f6}];
//   sample(texture, {x, y, 0}, 2)  ->  four words: the bits of four floats, or of four integers
//
// The rules are those of the CUDA C++ programming guide, appendix "Texture Fetching": point sampling takes
// T[floor(x)]; linear filtering takes xB = x - 0.5 and blends T[i] and T[i + 1], i = floor(xB), by a =
// frac(xB) kept in 9-bit fixed point with 8 bits of fraction, so that 1.0 is represented exactly. Where the
// guide leaves room, they are those of an H200 (tests/simt/golden/textures.txt).
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/base/result.h"
#include "engine/trace/launch.h"

namespace warplens::simt {

struct LastingTexture;

struct BoundTexture {
  trace::Texture format;
  trace::ElementType type = trace::ElementType::F32;
  std::uint32_t argument = 0;        // of the launch
  std::vector<std::uint8_t> texels;  // row after row
  // Of memory that is there already: where from. A launch takes the texels of what it asks for
  // (fill_texture).
  const LastingTexture* lasting = nullptr;
  bool filled = true;
  std::size_t texel_bytes() const { return format.channels * static_cast<std::size_t>(trace::size_of(type)); }
  std::uint64_t extent(int axis) const {
    const std::uint64_t n = axis == 0 ? format.width : axis == 1 ? format.height : format.depth;
    return n == 0 || axis >= format.dimensions() ? 1 : n;
  }
  std::uint64_t layers() const {
    return !format.layered ? 1 : format.depth != 0 ? format.depth : format.height;
  }
  std::uint64_t planes() const { return layers() * (format.cube ? 6 : 1); }
};

// What the parameter of the n-th texture or surface of a launch holds; programs cannot compute with it.
std::uint64_t texture_handle(std::size_t index);
BoundTexture* find_texture(std::vector<BoundTexture>& textures, std::uint64_t handle);

// The textures that a program has made, as launches find them: none is filled yet.
void bind_lasting(const std::vector<LastingTexture>& lasting, std::vector<BoundTexture>& textures);
// Any worker may be the first.
void fill_texture(BoundTexture& texture, std::mutex& filling);
// What the launch has left in surfaces.
void keep_surfaces(const std::vector<BoundTexture>& textures);

// Fills every texture argument; fails when they take more than `room` bytes.
Status bind_textures(const trace::Launch& launch, std::uint64_t room, std::vector<BoundTexture>& textures);

// Bits of floats or of (sign-extended) integers; missing ones are 0.
using Texel = std::array<std::uint32_t, 4>;
using Coordinates = std::array<float, 3>;
using TexelIndex = std::array<std::int64_t, 3>;

// Where a direction from the middle of a cube meets it: a face (+x, -x, +y, -y, +z, -z) and coordinates from
// 0 to 1 on it, by the guide's appendix "Cubemap Textures".
struct CubePlace {
  std::uint64_t face = 0;
  Coordinates at{};
};
CubePlace on_cube(const Coordinates& direction);

// `layer` is that of a layered texture, clamped to those there are; of a cubemap the plane, six to a layer.
Texel sample(const BoundTexture& texture, const Coordinates& at, std::uint64_t layer = 0);
// Whole coordinates (tex1Dfetch): the texel itself, zero outside.
Texel fetch(const BoundTexture& texture, const TexelIndex& at);
// One component of the four texels that linear filtering would blend, in the order of tld4: (i, j+1),
// (i+1, j+1), (i+1, j), (i, j).
Texel gather(const BoundTexture& texture, const Coordinates& at, unsigned component);
// Where the texel lies in `texels` that point sampling takes (linear: the lower one); for events.
std::uint64_t texel_offset(const BoundTexture& texture, const Coordinates& at, std::uint64_t layer = 0);
std::uint64_t texel_offset(const BoundTexture& texture, const TexelIndex& at);

}  // namespace warplens::simt
