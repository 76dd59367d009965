// What the occupancy view finds out by trying: the modelled time of the launch at every block size that its
// slider offers, and what ptxas makes of the kernel when it may use fewer registers, with its spills.
//
//   const OccupancyTrials tried = occupancy_trials(kernel, *run, values, device, capability, load,
//   &progress);
//
// A kernel that is timed at another size than it is shown at is modelled at that size: at the shown one the
// launch itself takes most of the time, whatever the block size.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/model/recording/recording.h"
#include "app/model/study/trials.h"
#include "engine/base/message.h"
#include "visual/occupancy_lab.h"

namespace warplens::model {

struct OccupancyTrials {
  std::string slider;  // that changes the block and not what is computed; empty: there is none
  SliderValues at;     // where the others stand
  std::vector<visual::BlockSizeTime> modelled;  // fewer than two: no curve
  std::vector<visual::CompiledBound> compiled;
  Message no_compiler{"", {}};  // why nothing was compiled; no key: it was
};

OccupancyTrials occupancy_trials(const GalleryKernel& kernel, const Run& run, const SliderValues& values,
                                 const analysis::Device& device,
                                 const analysis::ComputeCapability& capability, const LoadProgram& load,
                                 Progress* progress = nullptr);

// What the view draws: with the times that a recording has of the same curve, where there is one. `text` is
// the kernel's source as it stands.
visual::OccupancyLab lab_of(const OccupancyTrials& trials, const GalleryKernel& kernel,
                            const SliderValues& values, const Recording* recording, std::string_view text,
                            const Catalogue& catalogue);

// The slider that the block's extents are made of; empty where none is.
std::string block_slider(const GalleryKernel& kernel, const SliderValues& values);

// Times of a curve over that slider, by threads a block; without what is no launch.
std::vector<visual::BlockSizeTime> by_threads(const GalleryKernel& kernel, const SliderValues& values,
                                              const std::string& slider,
                                              const std::vector<std::pair<std::int64_t, double>>& us);

// What ptxas makes of the kernel as written, under launch bounds and under --maxrregcount: one of each for
// every number of blocks an SM that its registers stand in the way of. An error where there is no ptxas.
Result<std::vector<visual::CompiledBound>> register_bounds(const Program& program, const std::string& kernel,
                                                           const Dim3& block,
                                                           const analysis::ComputeCapability& capability,
                                                           Progress* progress = nullptr);

}  // namespace warplens::model
