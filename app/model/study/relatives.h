// The other choices of a kernel under the same roof: the steps of a product, a plain and a padded tile. Their
// operations are counted here, at the size that a clock needs; times, and with them bytes by hardware
// counters, come from a recording, and a choice that nobody timed has no place.
//
//   const Relatives all = relatives(kernel, values, device, capability, load, &progress);
//   chart.others = relative_points(all, recording, kernel, text, device, catalogue);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/recording/recording.h"
#include "app/model/study/roofline_chart.h"
#include "app/model/study/trials.h"
#include "engine/analysis/roofline.h"
#include "engine/base/message.h"
#include "visual/view.h"

namespace warplens::model {

struct Relative {
  std::int64_t value = 0;      // of the choice
  std::string kernel;          // that it launches
  analysis::Work work;         // of the whole launch
  analysis::Traffic at_lanes;  // shared memory and L1 alone: what is counted
  double buffer_bytes = 0;
};
struct Relatives {
  std::string slider;  // empty: the kernel has no choice of code
  SliderValues at;     // where the others stand
  std::vector<Relative> all;
};

Relatives relatives(const GalleryKernel& kernel, const SliderValues& values, const analysis::Device& device,
                    const analysis::ComputeCapability& capability, const LoadProgram& load,
                    Progress* progress = nullptr);

// Those that the recording has times of, on this device, by name in the user's language. `text` is the
// kernel's source as it stands.
std::vector<visual::RooflinePoint> relative_points(const Relatives& relatives, const Recording& recording,
                                                   const GalleryKernel& kernel, std::string_view text,
                                                   const analysis::Device& device,
                                                   const Catalogue& catalogue);

// The present launch with the other state of L2 than the chart's point has: warm beside flushed. Nothing
// where both were not recorded.
std::optional<MeasuredTime> other_l2(const Recording& recording, const GalleryKernel& kernel,
                                     std::string_view text, const SliderValues& values, bool flushed,
                                     const Catalogue& catalogue);

// "rows and columns 2048": the sliders of `there` that stand elsewhere than in `here`, but for `without`.
std::string where_else(const GalleryKernel& kernel, const SliderValues& here, const SliderValues& there,
                       std::string_view without, const std::string& language);

}  // namespace warplens::model
