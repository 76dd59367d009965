// The kernels that are named after what their warps wait for, against what a GPU's counters said of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/model/recording/recording.h"
#include "app/model/run/counters_table.h"
#include "engine/base/assets.h"

namespace warplens::model {
namespace {

TEST(StallKernels, EachWaitsMostlyForWhatItIsNamedAfter) {
  const auto gallery = load_gallery();
  const Recordings recordings = load_recordings({assets_folder() / "recordings", {}});
  ASSERT_TRUE(gallery && !recordings.all.empty());
  const GalleryKernel& kernel = *gallery->find("stall_reasons");
  const std::string source = source_hash(kernel, *read_text(kernel.file));
  const Slider& slider = kernel.sliders.at(0);
  ASSERT_EQ(slider.name, "reason");
  for (std::size_t i = 0; i < slider.choices.size(); ++i) {
    SliderValues values = measured_values(kernel, default_values(kernel));
    values["reason"] = static_cast<std::int64_t>(i);
    const gpu::CounterReading* reading = recordings.all.front().counters(kernel, source, values);
    ASSERT_NE(reading, nullptr) << slider.choices[i];
    auto stalls = stall_table(*reading);
    std::erase_if(stalls, [](const visual::StallLine& line) { return line.reason == "selected"; });
    const auto most = std::ranges::max_element(stalls, {}, &visual::StallLine::cycles);
    ASSERT_NE(most, stalls.end());
    // "mio" is the profiler's mio_throttle.
    EXPECT_THAT(most->reason, testing::StartsWith(slider.choices[i]));
  }
}

}  // namespace
}  // namespace warplens::model
