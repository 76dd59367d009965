#include "app/lesson/outputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/trace/half.h"

namespace warplens::lesson {
namespace {

using trace::ElementType;
using Bytes = std::vector<std::uint8_t>;

template <typename T>
T element(const Bytes& bytes, std::size_t index) {
  T out;
  std::memcpy(&out, bytes.data() + index * sizeof(T), sizeof(T));
  return out;
}

double number(const Bytes& bytes, ElementType type, std::size_t index) {
  if (type == ElementType::F16) return trace::from_half(element<std::uint16_t>(bytes, index));
  if (type == ElementType::F32) return element<float>(bytes, index);
  return element<double>(bytes, index);
}

// Relative to the largest element: what adding in another order may change.
double tolerance_of(ElementType type) {
  return type == ElementType::F16 ? 4e-3 : type == ElementType::F32 ? 1e-5 : 1e-12;
}

bool same_numbers(const Bytes& a, const Bytes& b, ElementType type) {
  const std::size_t count = a.size() / static_cast<std::size_t>(trace::size_of(type));
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (const double v = std::fabs(number(b, type, i)); std::isfinite(v)) largest = std::max(largest, v);
  const double allowed = tolerance_of(type) * largest;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = number(a, type, i), y = number(b, type, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (!(std::fabs(x - y) <= allowed)) return false;
  }
  return true;
}

}  // namespace

bool same_outputs(const model::Run& a, const model::Run& b, const std::vector<int>& arguments) {
  for (const int argument : arguments) {
    const auto i = static_cast<std::size_t>(argument);
    if (i >= a.buffers.size() || i >= b.buffers.size()) return false;
    const Bytes &mine = a.buffers[i], &wanted = b.buffers[i];
    if (mine.size() != wanted.size()) return false;
    const ElementType type = b.trace.launch.arguments.at(i).type;
    const bool floating = type == ElementType::F16 || type == ElementType::F32 || type == ElementType::F64;
    if (floating ? !same_numbers(mine, wanted, type) : mine != wanted) return false;
  }
  return true;
}

}  // namespace warplens::lesson
