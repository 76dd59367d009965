// What a recording adds to the pictures of a gallery kernel: its times over one slider with what is counted
// beside them, the spread of its runs, its hardware counters, copies, the timeline of streams, and the time
// that makes its roofline point a measured one.
//
//   const RecordedViews seen = recorded_views(*recordings.best(), kernel, text, values, &report, catalogue);
//   if (seen.sweep) input.sweep = &*seen.sweep;
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/gallery/gallery.h"
#include "app/model/recording/recording.h"
#include "app/model/study/roofline_chart.h"
#include "engine/analysis/report.h"
#include "engine/base/message.h"
#include "visual/hardware.h"
#include "visual/view.h"

namespace warplens::model {

struct RecordedViews {
  std::optional<visual::Sweep> sweep;  // over the slider with most recorded values
  std::optional<visual::StreamTimeline> streams;
  std::optional<visual::TransferRates> transfers;
  std::optional<visual::HardwareCounters> counters;  // or why there are none
  std::optional<MeasuredTime> time;                  // of exactly these values
};

// The counters of exactly these values of this text (`source`: its source_hash), or why there are none.
// `report`, which may be null, is what was counted of the same launch.
visual::HardwareCounters recorded_counters(const Recording& recording, const GalleryKernel& kernel,
                                           std::string_view source, const SliderValues& values,
                                           const analysis::Report* report, const Catalogue& catalogue);

// Where a plot of times stands: at the size that a clock needs, where that was recorded, else at `values`.
// keep: sliders that somebody has set, which stay.
SliderValues timed_values(const Recording& recording, const GalleryKernel& kernel, std::string_view text,
                          const SliderValues& values, const std::vector<std::string>& keep = {});

// `text` is the kernel's source as it stands: an edited kernel has no recording. Beside the times stands what
// the emulator counts at each value, where the kernel compiles here: of whole launches up to 2^22 threads, of
// the first block of larger ones. over: the slider of the sweep, where it was recorded; else the one with
// most values. counted_at: where the other sliders stand for that count, when the picture beside the plot is
// of other values than the times (a size for a clock takes the emulator seconds a point), which its note then
// names; null: the same.
// flushed_l2: times behind an L2 that was emptied before each run, where they were recorded.
RecordedViews recorded_views(const Recording& recording, const GalleryKernel& kernel, std::string_view text,
                             const SliderValues& values, const analysis::Report* report,
                             const Catalogue& catalogue, std::string_view over = {},
                             const SliderValues* counted_at = nullptr, bool flushed_l2 = false);
// The same for a picture of one view, at the values that are shown: nothing where it draws no measurement,
// and a plot of times at the size that a clock needs, of the L2 that the kernel is timed with.
RecordedViews recorded_for(const visual::View& view, const Recording& recording, const GalleryKernel& kernel,
                           std::string_view text, const SliderValues& shown, const analysis::Report* report,
                           const Catalogue& catalogue, const std::vector<std::string>& keep = {},
                           std::string_view over = {});

}  // namespace warplens::model
