#include "app/model/recording/sweep_effect.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/assets.h"

namespace warplens::model {
namespace {

constexpr const char* kPageHead =
    R"(# What the sliders do on the clock

Every slider of the gallery as it was recorded, at the size at which its kernel is timed (`measure` in its TOML file), the
choices as the kernel opens. *Effect* is the slowest median over the fastest; *noise* the widest middle half of the runs of
a point over its median. An effect is called one from 1.25 on, and when it is more than twice the noise. This page is
written by `warplens record --sweeps docs/SWEEPS.md`.

)";

std::vector<Spread> points_of(const RecordedKernel& kernel, const SliderValues& values,
                              const std::string& slider, bool flushed) {
  std::vector<Spread> out;
  for (const RecordedPoint& point : kernel.points) {
    bool same = true;
    for (std::size_t i = 0; i < kernel.sliders.size() && same; ++i)
      same = kernel.sliders[i] == slider || values.at(kernel.sliders[i]) == point.values[i];
    if (!same || (flushed && !point.cold)) continue;
    out.push_back(flushed ? *point.cold : point.warm);
  }
  return out;
}

std::string described(const Gallery& gallery, const RecordedSweep& sweep) {
  std::string out;
  for (const Slider& slider : gallery.find(sweep.kernel)->sliders) {
    if (slider.name == sweep.slider) continue;
    out +=
        (out.empty() ? "" : ", ") + slider.name + " " +
        (slider.choices.empty() ? std::to_string(sweep.values.at(slider.name))
                                : slider.choices.at(static_cast<std::size_t>(sweep.values.at(slider.name))));
  }
  return out;
}

}  // namespace

SweepEffect effect_of(const std::vector<Spread>& points) {
  SweepEffect out;
  double least = 0, most = 0;
  for (const Spread& point : points) {
    if (point.median <= 0) continue;
    least = least == 0 ? point.median : std::min(least, point.median);
    most = std::max(most, point.median);
    out.noise = std::max(out.noise, (point.p75 - point.p25) / point.median);
  }
  if (least > 0) out.effect = most / least;
  out.informative = out.effect >= kLeastEffect && out.effect - 1 > 2 * out.noise;
  return out;
}

std::vector<RecordedSweep> recorded_sweeps(const Gallery& gallery, const Recording& recording) {
  std::vector<RecordedSweep> out;
  for (const GalleryKernel& kernel : gallery.kernels) {
    const RecordedKernel* recorded = recording.kernel(kernel.id);
    const auto text = read_text(kernel.file);
    if (recorded == nullptr || !text || recorded->source != source_hash(kernel, *text)) continue;
    const SliderValues values = measured_values(kernel, default_values(kernel));
    if (!recorded->ordered(values)) continue;
    for (const Slider& slider : kernel.sliders) {
      const auto points = points_of(*recorded, values, slider.name, kernel.measure_flushed);
      if (points.size() < 2) continue;
      RecordedSweep sweep{kernel.id, slider.name, values,           points.size(), kernel.measure_flushed,
                          0,         0,           effect_of(points)};
      for (const Spread& point : points) {
        sweep.fastest = sweep.fastest == 0 ? point.median : std::min(sweep.fastest, point.median);
        sweep.slowest = std::max(sweep.slowest, point.median);
      }
      out.push_back(std::move(sweep));
    }
  }
  return out;
}

std::string sweeps_page(const Gallery& gallery, const Recording& recording) {
  std::string out = kPageHead;
  out += fmt::format("{}, {}, driver {}.\n\n", recording.device.name, recording.date, recording.driver);
  out +=
      "| kernel | slider | points | fastest µs | slowest µs | effect | noise | the others, and what is to be "
      "said |\n";
  out += "|---|---|---|---|---|---|---|---|\n";
  for (const RecordedSweep& sweep : recorded_sweeps(gallery, recording)) {
    std::string said = described(gallery, sweep);
    const std::string reason = reason_of(*gallery.find(sweep.kernel), sweep.slider, "en");
    if (sweep.flushed) said += "; L2 flushed";
    if (!sweep.effect.informative) said += "; **no difference**";
    if (!sweep.effect.informative && !reason.empty()) said += ": " + reason;
    out += fmt::format("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.1f} % | {} |\n", sweep.kernel,
                       sweep.slider, sweep.points, 1000 * sweep.fastest, 1000 * sweep.slowest,
                       sweep.effect.effect, 100 * sweep.effect.noise, said);
  }
  return out;
}

}  // namespace warplens::model
