// Plain C++ for every kernel of the gallery: what its buffers hold when it is done, whatever the launch.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/model/gallery/gallery.h"

namespace warplens::model {

// The buffers of one launch, as the kernel found them; a reference turns them into what it must leave.
class Buffers {
 public:
  Buffers(const trace::Launch& launch, const SliderValues& sliders) : launch_(launch), sliders_(sliders) {
    for (const trace::Argument& argument : launch.arguments)
      bytes_.push_back(argument.is_buffer ? trace::initial_bytes(argument).value()
                                          : std::vector<std::uint8_t>{});
  }
  std::int64_t operator[](const std::string& slider) const { return sliders_.at(slider); }
  std::int64_t blocks() const { return static_cast<std::int64_t>(launch_.grid.volume()); }
  std::int64_t threads() const { return static_cast<std::int64_t>(launch_.block.x); }
  const trace::Launch& launch() const { return launch_; }
  const std::vector<std::uint8_t>& bytes(std::size_t argument) const { return bytes_[argument]; }

  template <typename T>
  T get(std::size_t argument, std::int64_t i) const {
    T value;
    std::memcpy(&value, bytes_.at(argument).data() + checked(argument, i, sizeof(T)), sizeof(T));
    return value;
  }
  template <typename T>
  void set(std::size_t argument, std::int64_t i, T value) {
    std::memcpy(bytes_.at(argument).data() + checked(argument, i, sizeof(T)), &value, sizeof(T));
  }
  float f(std::size_t argument, std::int64_t i) const { return get<float>(argument, i); }
  std::int32_t i32(std::size_t argument, std::int64_t i) const { return get<std::int32_t>(argument, i); }

 private:
  std::size_t checked(std::size_t argument, std::int64_t i, std::size_t width) const {
    const std::size_t at = static_cast<std::size_t>(i) * width;
    if (i < 0 || at + width > bytes_.at(argument).size())
      throw std::out_of_range("the reference leaves its buffer");
    return at;
  }
  const trace::Launch& launch_;
  const SliderValues& sliders_;
  std::vector<std::vector<std::uint8_t>> bytes_;
};

struct Reference {
  std::function<void(Buffers&)> run;
  // Settings beside the default, each over the default values.
  std::vector<SliderValues> settings;
  double tolerance = 0;    // of f32 outputs, relative to 1 + |value|
  bool any_order = false;  // the outputs hold the same elements in some order
  double may_differ = 0;   // share of elements: a rounding that a compiler is free to choose decides a branch
};

const std::map<std::string, Reference>& references();

// The parts that they come from, and what those share.
std::map<std::string, Reference> memory_references();
std::map<std::string, Reference> work_references();

using I = std::int64_t;

// out[i] = in[from(i)] for the floats below n, where the source lies below `limit`.
inline void move_floats(Buffers& b, std::size_t in, std::size_t out, I n, const std::function<I(I)>& from) {
  std::vector<float> moved(static_cast<std::size_t>(n));
  for (I i = 0; i < n; ++i) moved[static_cast<std::size_t>(i)] = b.f(in, from(i));
  for (I i = 0; i < n; ++i) b.set(out, i, moved[static_cast<std::size_t>(i)]);
}

inline void map_floats(Buffers& b, std::size_t in, std::size_t out, I n,
                       const std::function<float(float, I)>& function) {
  for (I i = 0; i < n; ++i) b.set(out, i, function(b.f(in, i), i));
}

inline float repeated(float v, int times, float factor, float term) {
  for (int k = 0; k < times; ++k) v = std::fma(v, factor, term);
  return v;
}

}  // namespace warplens::model
