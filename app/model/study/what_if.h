// What another value of one slider, or a padded row in shared memory, would be worth, found by running it:
// the launch is emulated so, counted, and its time modelled. Only what computes the same is looked at:
// another block size, wider accesses, a row that is a word longer in the text.
//
//   const auto found = what_if(kernel, *run, values, device, capability, load, {}, &progress);
//   found->slider, found->value      // "padding", 1
//   found->now_us, found->then_us    // modelled
//
// No advice is better than a wrong one: unset where nothing is at least a tenth faster. A kernel that is
// timed at another size than it is shown at (`measure`), because at that one the launch itself takes the
// time, is looked at there first: then `at` says where the sliders stand for both times. That it computes the
// same is always found out at the shown size, by the whole launch.
#pragma once

#include <optional>
#include <string>

#include "app/model/gallery/gallery.h"
#include "app/model/run/pipeline.h"
#include "app/model/study/trials.h"
#include "app/model/text/padded_row.h"
#include "engine/analysis/device.h"
#include "engine/base/message.h"

namespace warplens::model {

struct WhatIf {
  std::string slider;  // empty: not a slider but `padding`
  std::int64_t value = 0;
  double now_us = 0, then_us = 0;  // modelled, each of the whole launch
  // What was counted and fell most: "passes" a request, "sectors" a request (of the access that the kernel is
  // about, where it names one), "instructions". Empty: no count did.
  std::string counted;
  double now_count = 0, then_count = 0;
  bool estimated = false;  // that count: of the first blocks of a launch, which stand for all
  std::optional<Padding> padding = {};
  std::optional<SliderValues> at = {};  // unset: where they stand
};

struct WhatIfOptions {
  std::size_t values_a_slider = 6;
  double seconds = 3;                                          // of our time; what was found by then counts
  std::uint64_t thread_instructions = std::uint64_t{1} << 28;  // a launch that executes more is not repeated
  std::uint64_t part = std::uint64_t{1} << 24;  // of the size for a clock so many are, from its first blocks
};

// Progress cancels; then nothing is found.
std::optional<WhatIf> what_if(const GalleryKernel& kernel, const Run& run, const SliderValues& values,
                              const analysis::Device& device, const analysis::ComputeCapability& capability,
                              const LoadProgram& load, const WhatIfOptions& options = {},
                              Progress* progress = nullptr);

// "With padding 1: 1 pass instead of 32, modelled 11 µs instead of 24"; short: "padding 1: modelled 2.2× as
// fast".
enum class Wording : std::uint8_t { Whole, Short };
Message what_if_message(const WhatIf& found, const GalleryKernel& kernel, const std::string& language,
                        Wording wording = Wording::Whole);

}  // namespace warplens::model
