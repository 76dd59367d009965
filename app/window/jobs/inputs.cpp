#include "app/window/jobs/inputs.h"

#include <utility>

namespace warplens::window {
namespace {

enum class Values : std::uint8_t { None, ButTheSlider, All };

// Besides the kernel, its text and what a user's file was given, which everything is made from.
struct Needs {
  Values values = Values::None;
  bool device = false, clock = false, target = false;
};

constexpr Needs needs_of(Product product) {
  switch (product) {
    case Product::Program:
      return {};
    case Product::Launch:
      return {Values::All};
    case Product::Picture:
      return {Values::All, true, false, true};
    case Product::Curve:
      return {Values::ButTheSlider, false, false, true};
    case Product::Time:
      return {Values::All, false, true};
    case Product::TimedCurve:
      return {Values::ButTheSlider, false, true};
    case Product::Glimpse:
      return {Values::None, false, true};
  }
  return {};
}

}  // namespace

Inputs inputs_of(Product product, Inputs all) {
  const Needs needs = needs_of(product);
  if (needs.values == Values::None) all.values.clear();
  if (needs.values == Values::ButTheSlider)
    all.values.erase(all.slider);
  else
    all.slider.clear();
  if (!needs.device) all.device.clear();
  if (!needs.clock) all.clock.clear();
  if (!needs.target) all.target.clear();
  return all;
}

bool holds(Product product, const Inputs& then, const Inputs& now) {
  return inputs_of(product, then) == inputs_of(product, now);
}

}  // namespace warplens::window
