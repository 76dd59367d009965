#include "app/lesson/outputs.h"

#include <algorithm>
#include <cmath>

#include "engine/trace/launch.h"

namespace warplens::lesson {
namespace {

using trace::ElementType;
using Bytes = std::vector<std::uint8_t>;

// Relative to the largest element: what adding in another order may change.
double tolerance_of(ElementType type) {
  return type == ElementType::F16 ? 4e-3 : type == ElementType::F32 ? 1e-5 : 1e-12;
}

// The first element that is another one; their number where there is none.
std::size_t first_other_number(const Bytes& a, const Bytes& b, ElementType type, std::size_t count) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (const double v = std::fabs(trace::element_value(type, b, i)); std::isfinite(v))
      largest = std::max(largest, v);
  const double allowed = tolerance_of(type) * largest;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = trace::element_value(type, a, i), y = trace::element_value(type, b, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (!(std::fabs(x - y) <= allowed)) return i;
  }
  return count;
}

bool is_floating(ElementType type) {
  return type == ElementType::F16 || type == ElementType::F32 || type == ElementType::F64;
}

// Whole numbers byte by byte: a double does not hold all of them.
std::size_t first_other(const Bytes& a, const Bytes& b, ElementType type) {
  const auto size = static_cast<std::size_t>(trace::size_of(type));
  if (is_floating(type)) return first_other_number(a, b, type, a.size() / size);
  const auto other = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
  return other == a.size() ? a.size() / size : other / size;
}

}  // namespace

std::optional<Difference> first_difference(const model::Run& a, const model::Run& b,
                                           const std::vector<int>& arguments) {
  for (const int argument : arguments) {
    const auto i = static_cast<std::size_t>(argument);
    if (i >= a.buffers.size() || i >= b.buffers.size()) return Difference{argument, {}};
    const Bytes &mine = a.buffers[i], &wanted = b.buffers[i];
    if (mine.size() != wanted.size()) return Difference{argument, {}};
    const ElementType type = b.trace.launch.arguments.at(i).type;
    const std::size_t at = first_other(mine, wanted, type);
    if (at < mine.size() / static_cast<std::size_t>(trace::size_of(type)))
      return Difference{argument, Difference::Element{at, trace::element_value(type, mine, at),
                                                      trace::element_value(type, wanted, at)}};
  }
  return std::nullopt;
}

}  // namespace warplens::lesson
