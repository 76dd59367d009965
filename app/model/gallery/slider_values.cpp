#include "app/model/gallery/slider_values.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "app/model/text/in_language.h"

namespace warplens::model {
namespace {

// The values in order, without a list of them where every integer is one.
struct Allowed {
  explicit Allowed(const Slider& s) : slider(s), notches(notches_of(s)) {}
  std::uint64_t count() const {
    if (!notches.empty()) return notches.size();
    return slider.max < slider.min ? 1 : static_cast<std::uint64_t>(slider.max - slider.min) + 1;
  }
  std::int64_t at(std::uint64_t i) const {
    return notches.empty() ? slider.min + static_cast<std::int64_t>(i) : notches[i];
  }
  // So many from the first to the last, at the same distance as far as integers go.
  void spread(std::uint64_t points, std::set<std::int64_t>& out) const {
    for (std::uint64_t i = 0; i < points; ++i)
      out.insert(at(points > 1
                        ? (count() - 1) / (points - 1) * i + (count() - 1) % (points - 1) * i / (points - 1)
                        : 0));
  }
  const Slider& slider;
  std::vector<std::int64_t> notches;
};

std::vector<std::int64_t> powers_among(const Slider& slider, const Allowed& allowed) {
  std::vector<std::int64_t> out;
  const std::int64_t low = allowed.at(0), high = allowed.at(allowed.count() - 1);
  for (std::int64_t v = 1; v > 0 && v <= high; v = v > high / 2 ? high + 1 : v * 2)
    if (v >= low && nearest_allowed(slider, v) == v) out.push_back(v);
  return out;
}

}  // namespace

std::vector<std::int64_t> notches_of(const Slider& s) {
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

std::int64_t nearest_allowed(const Slider& s, std::int64_t value) {
  const std::vector<std::int64_t> notches = notches_of(s);
  if (notches.empty()) return std::clamp(value, s.min, std::max(s.min, s.max));
  return *std::min_element(notches.begin(), notches.end(), [&](std::int64_t a, std::int64_t b) {
    return std::abs(a - value) < std::abs(b - value);
  });
}

std::int64_t allowed_value(const GalleryKernel& kernel, const Slider& slider, std::int64_t value) {
  const auto measured = kernel.measure.find(slider.name);
  return measured != kernel.measure.end() && measured->second == value ? value
                                                                       : nearest_allowed(slider, value);
}

std::string title_of(const Slider& slider, std::string_view language) {
  return in_language(slider.title, language, slider.name);
}

std::uint64_t count_of_values(const Slider& slider) {
  return Allowed(slider).count();
}

std::vector<std::int64_t> slider_steps(const Slider& slider, std::size_t most, Steps steps,
                                       std::optional<std::int64_t> now) {
  const Allowed allowed(slider);
  most = std::max<std::size_t>(most, 2);
  std::set<std::int64_t> out{slider.value};
  if (now) out.insert(nearest_allowed(slider, *now));
  if (allowed.count() <= most || steps == Steps::Even) {
    allowed.spread(std::min<std::uint64_t>(most, allowed.count()), out);
    return {out.begin(), out.end()};
  }
  allowed.spread(2, out);
  // Half of the points at most, or a wide range would have nothing but its small values.
  const std::vector<std::int64_t> powers = powers_among(slider, allowed);
  const std::size_t step =
      steps == Steps::Doubling ? 1 + (powers.size() - 1) / most : 1 + powers.size() * 2 / most;
  for (std::size_t i = 0; i < powers.size(); i += step) out.insert(powers[i]);
  if (out.size() < most && steps != Steps::Doubling) allowed.spread(most - out.size() + 2, out);
  return {out.begin(), out.end()};
}

std::vector<std::int64_t> curve_steps(const Slider& slider, std::int64_t now) {
  constexpr std::size_t kSome = 33;
  constexpr std::int64_t kDecades = 4096;  // so many times the first value is the last
  const bool every = count_of_values(slider) <= kEveryValue;
  const bool wide = slider.values.empty() && slider.min > 0 && slider.max / slider.min >= kDecades;
  return slider_steps(slider, every ? kEveryValue : kSome, wide ? Steps::Doubling : Steps::Notable, now);
}

}  // namespace warplens::model
