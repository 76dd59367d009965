// A sample is one .cu file that both compilers read: nvcc sees kernels as people write them, the host
// compiler sees how they are launched and a plain reference of what they must compute.
//
//   #ifdef __CUDACC__
//   __global__ void scale(float* x, float f, int n) { ... }
//   #else
//   SAMPLE(scale, {.grid = {4}, .block = {256}, .arguments = {floats(1000, 1), value(2.0f), value(1000)}}) {
//     for (int i = 0; i < 1000; ++i) data.floats(0)[i] *= 2.0f;
//   }
//   #endif
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/lanes.h"
#include "engine/simt/ops/numeric.h"
#include "engine/trace/launch.h"

namespace warplens::simt::samples {

enum class Kind { Scalar, Text, Int8, Int16, Int32, Int64, Half, Float, Double };

struct Argument {
  Kind kind = Kind::Scalar;
  std::vector<std::uint8_t> bytes;  // of a buffer or texture before the launch, or of the scalar
  std::string text;                 // Text: as on the command line
};

template <typename T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, float>) return Kind::Float;
  if constexpr (std::is_same_v<T, double>) return Kind::Double;
  return sizeof(T) == 1   ? Kind::Int8
         : sizeof(T) == 2 ? Kind::Int16
         : sizeof(T) == 4 ? Kind::Int32
                          : Kind::Int64;
}

template <typename T>
Argument buffer(const std::vector<T>& values, Kind kind = kind_of<T>()) {
  Argument argument{kind, std::vector<std::uint8_t>(values.size() * sizeof(T)), {}};
  std::memcpy(argument.bytes.data(), values.data(), argument.bytes.size());
  return argument;
}
// "tex:f32:16x16:linear:hash", "surf:u8x4:8x8:zero": the reference sees the texels, row after row.
inline Argument texture(const std::string& text) {
  return {Kind::Text, trace::initial_bytes(trace::parse_argument(text).value()).value(), text};
}
// "struct:f32:0.5,i32:3"
inline Argument structure(const std::string& text) {
  return {Kind::Text, trace::initial_bytes(trace::parse_argument(text).value()).value(), text};
}
template <typename T>
Argument zeros(std::size_t count) {
  return buffer(std::vector<T>(count));
}
template <typename T>
Argument value(T scalar) {
  Argument argument{Kind::Scalar, std::vector<std::uint8_t>(sizeof(T)), {}};
  std::memcpy(argument.bytes.data(), &scalar, sizeof(T));
  return argument;
}
// Numbers in [-1, 1) times `scale`, plus `shift`.
inline Argument floats(std::size_t count, unsigned seed, float scale = 1, float shift = 0) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& x : values) x = (static_cast<float>(random() >> 8) * 0x1p-23f - 1) * scale + shift;
  return buffer(values);
}
inline Argument doubles(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(count);
  for (double& x : values) x = static_cast<double>(random() >> 12) * 0x1p-51 - 1;
  return buffer(values);
}
// Integers in [0, below).
template <typename T = int>
Argument integers(std::size_t count, unsigned seed, std::uint64_t below) {
  std::mt19937_64 random(seed);
  std::vector<T> values(count);
  for (T& x : values) x = static_cast<T>(random() % below);
  return buffer(values);
}
inline std::uint16_t to_half(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, 8);
  return static_cast<std::uint16_t>(pack(unpack(bits, kDouble), kHalf, Rounding::Nearest));
}
inline double from_half(std::uint16_t h) {
  const std::uint64_t bits = pack(unpack(h, kHalf), kDouble, Rounding::Nearest);
  double x = 0;
  std::memcpy(&x, &bits, 8);
  return x;
}
// Small multiples of 1/8, so that sums of products are exact in single precision.
inline Argument halves(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint16_t> values(count);
  for (auto& x : values) x = to_half((static_cast<double>(random() % 33) - 16) / 8);
  return buffer(values, Kind::Half);
}

// The arguments of a reference: it turns them into what the kernel must leave behind.
class Data {
 public:
  explicit Data(std::vector<Argument> arguments) : arguments_(std::move(arguments)) {}
  template <typename T>
  T* as(std::size_t i) {
    return reinterpret_cast<T*>(arguments_.at(i).bytes.data());
  }
  float* floats(std::size_t i) { return as<float>(i); }
  int* ints(std::size_t i) { return as<int>(i); }
  unsigned* words(std::size_t i) { return as<unsigned>(i); }
  double* doubles(std::size_t i) { return as<double>(i); }
  const std::vector<Argument>& arguments() const { return arguments_; }

 private:
  std::vector<Argument> arguments_;
};

struct Launch {
  std::vector<std::uint32_t> grid{1}, block{32};
  std::uint32_t shared = 0;
  std::vector<Argument> arguments;
  double tolerance = 0;  // relative to the larger of 1 and the value
  bool races = false;    // on purpose, without harm: then only bounds and alignment are checked
};

struct Sample {
  std::string file, kernel;
  Launch launch;
  std::function<void(Data&)> reference;
};
std::vector<Sample>& all_samples();

struct Register {
  Register(const char* file, const char* kernel, Launch launch, std::function<void(Data&)> reference) {
    all_samples().push_back({file, kernel, std::move(launch), std::move(reference)});
  }
};

}  // namespace warplens::simt::samples

#define SAMPLE(name, ...) SAMPLE_AS(name, #name, __VA_ARGS__)
// For instances of templates: an identifier, and the kernel's name in quotes.
#define SAMPLE_AS(id, name, ...)                                                                     \
  static void reference_of_##id(::warplens::simt::samples::Data& data);                              \
  static const ::warplens::simt::samples::Register register_##id(__FILE__, name, Launch __VA_ARGS__, \
                                                                 reference_of_##id);                 \
  static void reference_of_##id([[maybe_unused]] ::warplens::simt::samples::Data& data)
