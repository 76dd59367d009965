#include "app/window/notches.h"

#include <algorithm>
#include <cstdlib>

namespace warplens::window {

std::vector<std::int64_t> notches_of(const model::Slider& s) {
  if (!s.choices.empty()) {
    std::vector<std::int64_t> out(s.choices.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::int64_t>(i);
    return out;
  }
  if (!s.values.empty()) return s.values;
  std::vector<std::int64_t> out;
  if (s.powers_of_two) {
    for (std::int64_t v = 1; v <= s.max && v > 0; v *= 2) {
      if (v >= s.min) out.push_back(v);
    }
    if (s.min == 0) out.insert(out.begin(), 0);
  }
  return out;
}

std::int64_t nearest_allowed(const model::Slider& s, std::int64_t value) {
  const std::vector<std::int64_t> notches = notches_of(s);
  if (notches.empty()) return std::clamp(value, s.min, std::max(s.min, s.max));
  return *std::min_element(notches.begin(), notches.end(), [&](std::int64_t a, std::int64_t b) {
    return std::abs(a - value) < std::abs(b - value);
  });
}

}  // namespace warplens::window
