// Whether moving a slider is seen on the clock: what a sweep may be called, and the table of all sweeps.
#pragma once

#include <string>
#include <vector>

#include "app/model/recording/recording.h"

namespace warplens::model {

// An effect below this is not called one, however quiet the measurement.
inline constexpr double kLeastEffect = 1.25;

struct SweepEffect {
  double effect = 1;  // the largest median over the smallest
  double noise = 0;   // the widest p25 to p75 of a point over its median, 0.02 for 2 %
  bool informative = false;
};
// Of the points of one sweep, in any order. Informative: at least kLeastEffect, and above twice the noise.
SweepEffect effect_of(const std::vector<Spread>& points);

// One slider of one kernel as it was recorded: the others at the values that the kernel is timed at, its
// choices at the ones it opens with.
struct RecordedSweep {
  std::string kernel, slider;
  SliderValues values;  // of the other sliders
  std::size_t points = 0;
  bool flushed = false;
  double fastest = 0, slowest = 0;  // milliseconds
  SweepEffect effect;
};
// Kernels in the order of the gallery; those whose text has changed since are left out.
std::vector<RecordedSweep> recorded_sweeps(const Gallery& gallery, const Recording& recording);
// As the page in docs/ has it, in Markdown.
std::string sweeps_page(const Gallery& gallery, const Recording& recording);

}  // namespace warplens::model
