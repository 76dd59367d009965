// A kernel tried over all values of one slider: what a plot of cost over stride, offset or block size shows.
// Each value runs the first block only, which takes a blink; the counts are exact for that block.
//
//   stride 1 2 4 8  ->  sectors a request 4 6 10 18
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/model/gallery.h"
#include "engine/analysis/report.h"

namespace warplens::window {

struct SweptPoint {
  std::int64_t value = 0;
  std::optional<double> sectors;  // a request to global memory
  std::optional<double> passes;   // a request to shared memory
  double lanes = 0;               // active on average
};
struct Swept {
  std::string slider;
  std::vector<SweptPoint> points;  // ascending values
};

// The values to try: all of them while they are few, else evenly spread ones with both ends.
std::vector<std::int64_t> sweep_values(const model::Slider& slider, std::size_t most);
SweptPoint swept_point(std::int64_t value, const analysis::Report& report);
// A number whose change leaves the program as it is: trying all its values takes no compiler.
bool can_sweep(const model::GalleryKernel& kernel, const model::Slider& slider);
// The slider that says most about a kernel: the first that can be swept.
std::string slider_to_sweep(const model::GalleryKernel& kernel);

}  // namespace warplens::window
