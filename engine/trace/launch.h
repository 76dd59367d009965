// What is launched: the same description for the emulator and the GPU, so that both start from equal bytes.
//
//   buf:f32:1024:iota   ->  Argument{Buffer, ElementType::F32, 1024, Init::Iota}
//   i32:1024            ->  Argument{Scalar, ElementType::I32, value bits}
#pragma once

#include <cstdint>
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

struct Argument {
  bool is_buffer = false;
  ElementType type = ElementType::I32;
  std::uint64_t count = 0;  // elements of a buffer
  Init init = Init::Zero;
  double parameter = 0.0;    // Constant of float types
  std::int64_t integer = 0;  // Constant of integer types, Modulo's M, Permutation's A
  std::string path;          // File
  std::uint64_t bits = 0;    // scalar: value, little-endian in the low size_of(type) bytes
  std::string text;          // as the user wrote it
  std::uint64_t bytes() const { return is_buffer ? count * static_cast<std::uint64_t>(size_of(type)) : 0; }
};

// "i32:5", "buf:f32:1024:iota"; the error names the part that is wrong and what may stand there.
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

// The bytes a buffer argument starts with.
Result<std::vector<std::uint8_t>> initial_bytes(const Argument& argument);

// Sum over elements of value * (1 + index mod 7), in double.
double checksum(ElementType type, std::span<const std::uint8_t> bytes);

struct Launch {
  std::string kernel;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<Argument> arguments;
};

// Buffers start on 256-byte boundaries. Both back ends may use any base; records hold addresses relative to
// it.
inline constexpr std::uint64_t kBufferAlignment = 256;

}  // namespace warplens::trace
