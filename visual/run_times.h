// The single runs of a measurement: in the order they ran, and how often each time came up. Part of the
// timing view.
#pragma once

#include <string>
#include <vector>

#include "engine/base/time_text.h"
#include "visual/layout.h"

namespace warplens::visual {

struct RunSummary {
  double median = 0, low = 0, high = 0;  // low, high: 5th and 95th percentile
  double least = 0, most = 0;
  int outliers = 0;  // further from the median than three times the reach of the percentiles
};

// Of times in milliseconds; zeros when there are none.
RunSummary summarise(const std::vector<double>& milliseconds);

// The percentiles of a recording in the same form.
RunSummary summarise(const RunSpread& spread);

// Left the runs in order, right the same times as a histogram lying on its side; median and percentiles cross
// both. A time far above all others is drawn at the upper edge, as a triangle.
void draw_runs(Draft& draft, Rect r, const std::vector<double>& milliseconds);

// What is left of the runs of a recording, lying: percentiles 5 to 95 as a line, 25 to 75 as a box, the
// median, and each outlier that was kept.
void draw_spread(Draft& draft, Rect r, const RunSpread& spread);

}  // namespace warplens::visual
