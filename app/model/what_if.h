// What another value of one slider would be worth, found by running it: the launch is emulated at other
// values, counted, and its time modelled. Only values at which the kernel computes the same are looked at:
// another block size, a padded row, wider accesses.
//
//   const auto found = what_if(kernel, *run, values, device, capability, {}, &progress);
//   found->slider, found->value      // "padding", 1
//   found->now_us, found->then_us    // modelled
//
// No advice is better than a wrong one: unset where nothing is at least a tenth faster.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/model/gallery.h"
#include "app/model/pipeline.h"
#include "engine/analysis/device.h"
#include "engine/base/message.h"

namespace warplens::model {

struct WhatIf {
  std::string slider;
  std::int64_t value = 0;
  double now_us = 0, then_us = 0;  // modelled, each of the whole launch
  // What was counted and fell most: "passes" a request, "sectors" a request, "instructions". Empty: no count
  // did.
  std::string counted;
  double now_count = 0, then_count = 0;
};

struct WhatIfOptions {
  std::size_t values_a_slider = 6;
  double seconds = 2;                                          // of our time; what was found by then counts
  std::uint64_t thread_instructions = std::uint64_t{1} << 28;  // a launch that executes more is not repeated
};

// Progress cancels; then nothing is found. The programs of other values are compiled by `load`, which may
// keep them.
using LoadProgram = std::function<Result<std::shared_ptr<const Program>>(const ProgramRequest&, Progress*)>;
std::optional<WhatIf> what_if(const GalleryKernel& kernel, const Run& run, const SliderValues& values,
                              const analysis::Device& device, const analysis::ComputeCapability& capability,
                              const LoadProgram& load, const WhatIfOptions& options = {},
                              Progress* progress = nullptr);

// "with padding 1: 1 pass instead of 32, modelled 11 µs instead of 24".
Message what_if_message(const WhatIf& found, const GalleryKernel& kernel, const std::string& language);

}  // namespace warplens::model
