// What each result is made from, declared once. A result belongs to what is asked for as long as no input of
// its kind has changed; whoever wants to know whether something may stay, must be made anew or looks earlier
// asks here.
//
//   if (!holds(Product::Curve, curve_of, launch.inputs())) job.sweep = launch.swept_slider();
#pragma once

#include <cstdint>
#include <string>

#include "app/window/jobs/earlier.h"

namespace warplens::window {

// Everything that anything is made from.
struct Inputs : ResultKey {
  std::string slider = {};  // that curves are over
  std::string clock = {};   // who measures, and how; empty: nobody
  bool operator==(const Inputs&) const = default;
};

enum class Product : std::uint8_t {
  Program,     // what was compiled
  Launch,      // one launch of it, whoever runs it
  Picture,     // of a launch, with its totals and what the models say of it
  Curve,       // counted, over one slider, wherever that stands
  Time,        // of a launch, with its hardware counters
  TimedCurve,  // measured, over one slider
  Glimpse,     // a time of nearly what is open
};

// Those of all inputs that a product is made from, the others empty.
Inputs inputs_of(Product product, Inputs all);
bool holds(Product product, const Inputs& then, const Inputs& now);

}  // namespace warplens::window
