// A kernel tried over all values of one slider: what a plot of cost over stride, offset or block size shows.
// The first blocks alone come at once, whole launches follow where they are small enough; the counts are
// exact for what they cover, and the curve says when that is block 0 alone.
//
//   stride 1 2 4 8  ->  the load's sectors a request 4 8 16 32
//
// The curve is of one access, the one that the headline numbers are of. A choice is swept like a number: it
// may compile a program for each of its values, off the frame as all the rest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/model/gallery/slider_values.h"
#include "engine/analysis/access_costs.h"
#include "visual/view.h"

namespace warplens::window {

struct SweptPoint {
  std::int64_t value = 0;
  std::vector<analysis::AccessCost> accesses;
  analysis::Focus focus;  // of this value by itself
};
struct Swept {
  std::string slider;
  std::vector<SweptPoint> points;  // ascending values
  bool whole = false;              // counted over whole launches; else over block 0 alone
  bool complete = true;            // false: a better one follows
};

SweptPoint swept_point(std::int64_t value, const analysis::Report& report);
// Whether there is something to try: several choices, or several values, few of them where each takes the
// compiler.
bool can_sweep(const model::GalleryKernel& kernel, const model::Slider& slider);
// The slider that says most about a kernel: the first that can be swept.
std::string slider_to_sweep(const model::GalleryKernel& kernel);

// The curve with names in the user's language, for the timing view; only series with two points or more. Of a
// number they are of the same access at every point: the one in focus at `now` where all points have it. Of a
// choice, whose variants have lines of their own, they are of each one's focus.
visual::Sweep named_sweep(const Swept& swept, const model::GalleryKernel& kernel, std::int64_t now,
                          const Catalogue& text, const std::string& language);

}  // namespace warplens::window
