// The roofline of a device with a kernel under it: what the roofline view draws.
//
//   auto chart = roofline_chart(*run, device, traffic, trail, MeasuredTime{0.042, "recorded on
//   2026-11-20", on}); trail.push_back(chart.points.back());    // before the next value of a slider
//
// Operations are counted over the executed instructions (emulator), bytes at the lanes are counted, bytes at
// L2 and DRAM are modelled. Without a time the point stands where the ceilings would let it stand, and is
// marked as modelled: the most that is possible, never a prediction.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/model/run/pipeline.h"
#include "engine/analysis/device.h"
#include "engine/analysis/roofline.h"
#include "visual/view.h"

namespace warplens::model {

struct MeasuredTime {
  double milliseconds = 0;  // of one launch, by a clock
  std::string note;         // where from, in the user's language; empty: nothing to add
  MeasuredOn on;            // whose clock
  bool flushed = false;     // L2 was emptied before each run; else it held what the run before left
  std::optional<visual::RooflineCeiling> library = {};  // what the vendor's library reaches at the same work
  analysis::Reached reached = {};  // by that GPU at most: its roofs, where they were measured (ceilings.h)
};

// "L2 warm · recorded on 2026-11-20": what belongs beside the time; `evidence` is in the user's language.
std::string measured_note(const MeasuredTime& time, const std::string& evidence, const Catalogue& text);

// `traffic` may be null: then only what is counted at the lanes bounds the point. A run whose operations
// nobody counted (on the GPU) adds no point. `trail`: earlier points, oldest first; those of other devices
// are left out. A time of another GPU makes no point a measured one: it is named in the chart's `elsewhere`.
visual::RooflineChart roofline_chart(const Run& run, const analysis::Device& device,
                                     const visual::LevelTraffic* traffic,
                                     std::span<const visual::RooflinePoint> trail = {},
                                     const std::optional<MeasuredTime>& time = {});

// A place under the roofs of a device from its parts: what was done, and the bytes that are known. `time`,
// where there is one, is that device's. fits_l2: the launch found its data in L2, and no DRAM holds it.
visual::RooflinePoint roofline_point(const analysis::Device& device, const analysis::Work& work,
                                     analysis::Traffic traffic, const std::optional<MeasuredTime>& time,
                                     bool in_l2);

// Whether buffers of so many bytes stay in the device's L2.
bool fits_l2(double bytes, const analysis::Device& device);

// 128 bytes a pass, as the traffic of shared memory is counted.
double pass_bytes(const analysis::Totals& totals);

}  // namespace warplens::model
