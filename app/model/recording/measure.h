// Many measurements of one gallery kernel: a sweep over a slider, or all that a recording wants.
//
//   MeasureRequest request{.kernel = &kernel, .points = sweep_points(kernel, values, "stride", 64)};
//   measure_points(request, [&](const MeasuredPoint& p) { draw(p); return go_on; }, &progress);
//
// Points that share a program share one worker process on the GPU, so that a sweep costs one start.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/model/gallery/gallery.h"
#include "app/model/gallery/slider_values.h"
#include "app/model/recording/recording.h"
#include "engine/base/progress.h"
#include "engine/gpu/execution.h"

namespace warplens::model {

// `values` with one slider at each of its steps.
std::vector<SliderValues> sweep_points(const GalleryKernel& kernel, const SliderValues& values,
                                       const std::string& slider, std::size_t most,
                                       Steps steps = Steps::Even);

struct MeasureRequest {
  const GalleryKernel* kernel = nullptr;
  std::optional<std::string> text;  // of an editor; otherwise the file is read
  std::vector<SliderValues> points;
  gpu::TimingOptions timing;
  bool times = true;      // false: counters alone
  bool counters = false;  // of the points in counters_at, before their times; empty: of all
  std::vector<SliderValues> counters_at;
  int device = 0;
};
struct MeasuredPoint {
  SliderValues values;
  trace::Launch launch;
  gpu::Timing timing;
  std::string compiler_version;
  std::optional<gpu::CounterReading> counters;
  std::optional<Error> counters_error;
};
// Calls on_point for each in order of its program, then of the request; on_point returns false to stop.
// Points that cannot be compiled, launched or finished are left out and named in the result.
std::vector<Error> measure_points(const MeasureRequest& request,
                                  const std::function<bool(const MeasuredPoint&)>& on_point,
                                  Progress* progress = nullptr);

// What a recording measures of a kernel, around the values that it is timed at: each choice with the first
// slider over its values, and the other sliders over some of theirs with the choices it opens with. A kernel
// that does not say at which size it is timed is also measured with the problem as large as its size slider
// allows. `quick`: one choice and one sweep of the first slider.
std::vector<SliderValues> recorded_points(const GalleryKernel& kernel, bool quick);
// The values that it is timed at with each choice.
std::vector<SliderValues> choice_points(const GalleryKernel& kernel);
// Where a recording reads counters: each choice at the values that the kernel is timed at; the same with the
// problem as large as its size slider allows where the kernel does not say at which size (but for `quick`).
std::vector<SliderValues> counter_points(const GalleryKernel& kernel, bool quick);

// K4 on a GPU: the kernel of kind "streams" over pieces. Its sliders name streams and chunks.
Result<gpu::StreamTimes> streams_on_gpu(const GalleryKernel& kernel, const SliderValues& values, int device,
                                        Progress* progress = nullptr);
Result<std::vector<gpu::TransferRow>> transfers_on_gpu(const GalleryKernel& kernel,
                                                       const gpu::TransferOptions& options, int device,
                                                       Progress* progress = nullptr);
// What cuBLAS takes for the product that the kernel makes at these values; `size` is product_of them.
Result<RecordedProduct> product_on_gpu(const GalleryKernel& kernel, const gpu::ProductSize& size, int device,
                                       Progress* progress = nullptr);
visual::StreamTimeline timeline_of(const gpu::StreamTimes& times, int streams, int chunks);
RecordedStreams recorded_streams(const gpu::StreamTimes& times, int streams, int chunks);
RecordedTransfer recorded_transfer(const gpu::TransferRow& row);

}  // namespace warplens::model
