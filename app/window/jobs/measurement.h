// What clocks and hardware counters say about what is open: live, out of a recording, or plainly not at all.
//
//   const Measurement m = recorded(recordings, kernel, text, values, launch, false);
//   if (m.timing) show(m.timing->median); else say(m.reason);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/model/recording/measured_on.h"
#include "app/model/recording/recording.h"
#include "app/window/jobs/figures.h"
#include "app/window/jobs/inputs.h"
#include "engine/gpu/device.h"
#include "engine/gpu/execution.h"

namespace warplens::window {

// What executes, and where times come from. The emulator always draws the first picture.
struct Backend {
  enum class Kind { Emulator, Gpu, Recording };
  Kind kind = Kind::Emulator;
  int gpu = 0;                // ordinal
  std::size_t recording = 0;  // in Inventory::recordings.all
  bool operator==(const Backend&) const = default;
};

// What there is to choose from; found once, off the frame.
struct Inventory {
  gpu::Discovery found;
  model::Recordings recordings;
};

// One launch, many runs: a point of a curve over a slider. Milliseconds.
struct MeasuredPoint {
  std::int64_t value = 0;
  double median = 0, low = 0, high = 0;
};

// The time of nearly what is open, for as long as there is none of exactly that: a few runs while a slider
// moves, what was open just before, or the nearest values that were recorded.
struct Nearby {
  double median = 0;  // milliseconds
  std::size_t runs = 0;
  model::SliderValues values;  // at which it was measured
  Inputs of;                   // where it was measured live
};

struct Measurement {
  MeasuredOn on;                            // empty: nobody measures
  Inputs of;                                // what everything here is of
  Message evidence{"", {}};                 // "measured, on NVIDIA H200, recorded on ..."
  std::optional<gpu::Timing> timing;        // of exactly what is open
  std::optional<visual::RunSpread> spread;  // of a recording, which keeps no single runs
  bool live = false;                        // by a clock of this machine, now
  bool cold = false;                        // L2 flushed before each run
  Message reason{"", {}};                   // why there is no timing, and what to do; empty key: there is one
  std::optional<Nearby> nearby;             // instead of a timing
  // The nearest values that were recorded, when these were not.
  std::optional<model::SliderValues> nearest;
  std::string swept_slider;
  std::vector<MeasuredPoint> points;           // over that slider, ascending
  std::optional<visual::SweepSeries> library;  // what the vendor's library takes over the same slider
  std::optional<visual::RooflineCeiling> library_roof;  // what it reaches for what is open
  // Where the other sliders stood for the points, when elsewhere than now: at the size the clock needs.
  std::optional<model::SliderValues> curve_at;
  model::CounterValues counters;      // of hardware, for what is open or for `counted_at`; empty: not read
  Message counters_evidence{"", {}};  // where and when they were read
  Message counters_reason{"", {}};  // why there are none, and what to do; empty key: there are, or they come
  bool counters_coming = false;
  // The nearest values with recorded counters, when not here; `counters` are theirs when they are those that
  // the clock needs, and are then held against no count.
  std::optional<model::SliderValues> counted_at;
  bool counters_are_of_this() const { return !counters.empty() && !counted_at; }
  std::optional<visual::StreamTimeline> streams;  // measured live
};

// What a recording has for a kernel. `text` is the editor's; `launch` is what the values mean. at_clock: of
// the size that a clock needs, also where there is something of the picture's.
Measurement recorded(const model::Recording& recording, const model::GalleryKernel& kernel,
                     const std::string& text, const model::SliderValues& values, const trace::Launch& launch,
                     const std::string& swept_slider, bool cold, bool at_clock = false);

// "2.31 ms ±0.02, 300 runs" and the bytes a second that this means for the counted sectors. `report` may be
// null; its bytes count only where it covers the whole launch.
std::vector<Headline> measured_figures(const Measurement& measurement, const analysis::Report* report,
                                       const std::string& elsewhere = {});

// What a user is told who may not read counters, or has no CUPTI to read them with.
Message counters_refusal(const Error& error);

std::string rate_text(double bytes_per_second);

// A counter of the hardware beside the same count: sums those of the profiler's metrics that belong to a
// headline and gives them in the headline's unit; nothing where they were not read.
std::optional<std::string> measured_value(const Headline& figure, const model::CounterValues& counters);

}  // namespace warplens::window
