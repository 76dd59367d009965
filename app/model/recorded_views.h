// What a recording adds to the pictures of a gallery kernel: its times over one slider with what is counted
// beside them, the spread of its runs, the timeline of streams, and the time that makes its roofline point a
// measured one.
//
//   const RecordedViews seen = recorded_views(*recordings.best(), kernel, text, values, catalogue);
//   if (seen.sweep) input.sweep = &*seen.sweep;
#pragma once

#include <optional>
#include <string_view>

#include "app/model/gallery.h"
#include "app/model/recording.h"
#include "app/model/roofline_chart.h"
#include "engine/base/message.h"
#include "visual/view.h"

namespace warplens::model {

struct RecordedViews {
  std::optional<visual::Sweep> sweep;  // over the slider with most recorded values
  std::optional<visual::StreamTimeline> streams;
  std::optional<MeasuredTime> time;  // of exactly these values
};

// `text` is the kernel's source as it stands: an edited kernel has no recording. Beside the times stands what
// the emulator counts of the first block at each value, where the kernel compiles here.
RecordedViews recorded_views(const Recording& recording, const GalleryKernel& kernel, std::string_view text,
                             const SliderValues& values, const Catalogue& catalogue);

}  // namespace warplens::model
