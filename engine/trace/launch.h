// What is launched: the same description for the emulator and the GPU, so that both start from equal bytes.
//
//   buf:f32:1024:iota   ->  Argument{Buffer, ElementType::F32, 1024, Init::Iota}
//   i32:1024            ->  Argument{Scalar, ElementType::I32, value bits}
//   tex:f32:64x64:linear,clamp:hash  ->  a texture object over a 2-D array of 64 x 64 floats
//   surf:u8x4:64x64:zero             ->  a surface object: what surf2Dread and surf2Dwrite take
//   struct:f32:0.5,i32:3             ->  a structure of scalars by value, each at its natural alignment
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/lanes.h"
#include "engine/base/result.h"

namespace warplens::trace {

enum class ElementType : std::uint8_t { I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64 };
int size_of(ElementType type);
std::string_view name(ElementType type);  // "f32"
Result<ElementType> element_type_from(std::string_view name);

// What ran a launch.
enum class Backend : std::uint8_t { Emulator, Gpu };
std::string_view name(Backend backend);  // "emulator", "gpu"
std::optional<Backend> backend_named(std::string_view name);

// How a buffer is filled before the launch. Element i is:
enum class Init : std::uint8_t {
  Zero,         // 0
  Iota,         // i
  Constant,     // parameter (a double, or an integer for integer types)
  Hash,         // h = fmix32(i): integers h, floats h * 2^-31 - 1
  Modulo,       // fmix32(i) mod parameter
  Permutation,  // (i * parameter) mod count
  File,         // raw little-endian bytes of `path`; a short file is an error
};

// A texture or surface object. Texels lie in a CUDA array, row after row; a 1-D texture without any option is
// linear memory instead, as tex1Dfetch reads it.
struct Texture {
  enum class Filter : std::uint8_t { Point, Linear };
  enum class Edge : std::uint8_t { Clamp, Wrap, Mirror, Border };
  unsigned channels = 1;                           // 1, 2 or 4 elements a texel
  std::uint64_t width = 1, height = 0, depth = 0;  // texels; 0: the texture has fewer dimensions
  Filter filter = Filter::Point;
  Edge edge = Edge::Clamp;     // wrap and mirror need normalised coordinates; CUDA clamps without them
  bool normalised = false;     // coordinates run from 0 to 1
  bool unit = false;           // 8- and 16-bit integers are read as floats in [0, 1] or [-1, 1]
  bool linear_memory = false;  // 1-D, without filter and edges: outside reads zero
  bool surface = false;
  bool layered = false;  // the last size counts layers: textures of one dimension less, chosen by an index
  bool cube = false;     // six squares one after the other, chosen by a direction: +x, -x, +y, -y, +z, -z
  int dimensions() const { return (depth != 0 ? 3 : height != 0 ? 2 : 1) - (layered ? 1 : 0); }
  std::uint64_t texels() const {
    return width * (height != 0 ? height : 1) * (depth != 0 ? depth : 1) * (cube ? 6 : 1);
  }
};

struct Argument {
  bool is_buffer = false;
  ElementType type = ElementType::I32;
  std::uint64_t count = 0;  // elements of a buffer or texture
  Init init = Init::Zero;
  double parameter = 0.0;               // Constant of float types
  std::int64_t integer = 0;             // Constant of integer types, Modulo's M, Permutation's A
  std::string path;                     // File
  std::uint64_t bits = 0;               // scalar: value, little-endian in the low size_of(type) bytes
  std::string text;                     // as the user wrote it
  std::vector<std::uint8_t> structure;  // struct: the bytes of the parameter; empty otherwise
  std::optional<Texture> texture;  // the parameter is a texture or surface object; is_buffer is false then
  // What a buffer, texture or surface holds; 0 for scalars.
  std::uint64_t bytes() const {
    return is_buffer || texture ? count * static_cast<std::uint64_t>(size_of(type)) : 0;
  }
  // Of the kernel's parameter.
  std::size_t parameter_bytes() const {
    return is_buffer || texture ? 8
           : !structure.empty() ? structure.size()
                                : static_cast<std::size_t>(size_of(type));
  }
  // The kernel can leave results in it.
  bool is_output() const { return is_buffer || (texture && texture->surface); }
};

// "i32:5", "buf:f32:1024:iota", tex:TYPE[xN]:WIDTH[xHEIGHT[xDEPTH]][:OPTIONS]:INIT with the options point,
// linear, clamp, wrap, mirror, border, norm, unit, layered, cube and array between commas,
// surf:TYPE[xN]:WIDTH[xHEIGHT]:INIT, struct:TYPE:VALUE[,TYPE:VALUE]... The error names the part that is wrong
// and what may stand there.
Result<Argument> parse_argument(std::string_view text);

// MurmurHash3's 32-bit finaliser.
constexpr std::uint32_t fmix32(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  return h;
}

// The bytes a buffer, texture or surface argument starts with; those of a scalar.
Result<std::vector<std::uint8_t>> initial_bytes(const Argument& argument);
// The same of a buffer, written where it is to lie: argument.bytes() that are zeros now.
Status fill_initial(const Argument& argument, std::span<std::uint8_t> to);

// Sum over elements of value * (1 + index mod 7), in double.
double checksum(ElementType type, std::span<const std::uint8_t> bytes);
// One of them as a double, which does not hold every integer of 64 bits. `index` is inside.
double element_value(ElementType type, std::span<const std::uint8_t> bytes, std::size_t index);

struct Launch {
  std::string kernel;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<Argument> arguments;
};

// The lanes of a warp of a block that have a thread.
inline LaneMask launched_lanes(const Launch& launch, std::uint32_t warp) {
  const std::uint64_t threads = launch.block.volume(), first = std::uint64_t{warp} * kWarpSize;
  if (threads <= first) return 0;
  const std::uint64_t lanes = threads - first;
  return lanes >= kWarpSize ? kFullMask : (LaneMask{1} << lanes) - 1;
}

// Buffers start on 256-byte boundaries. Both back ends may use any base; records hold addresses relative to
// it.
inline constexpr std::uint64_t kBufferAlignment = 256;

}  // namespace warplens::trace
