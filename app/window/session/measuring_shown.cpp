#include <algorithm>

#include "app/model/recording/measured_on.h"
#include "app/model/recording/sweep_effect.h"
#include "app/model/run/counters_table.h"
#include "app/model/study/relatives.h"
#include "app/window/session/measuring.h"
#include "engine/base/time_text.h"

namespace warplens::window {
namespace {

// A flat curve says that it is one, and where the kernel knows it why. Where no run of the fastest takes as
// long as one of the slowest the difference is there, small as it is.
std::optional<Message> no_difference(const std::vector<MeasuredPoint>& points, const std::string& reason) {
  if (points.size() < 2) return std::nullopt;
  const auto [fastest, slowest] = std::ranges::minmax_element(points, {}, &MeasuredPoint::median);
  if (fastest->median <= 0 || slowest->median >= model::kLeastEffect * fastest->median) return std::nullopt;
  const bool told_apart = fastest->median < slowest->median && fastest->high < slowest->low;
  Message out{told_apart ? "window.time.small_difference" : "window.time.no_difference",
              {{"ratio", value_of(slowest->median / fastest->median)}}};
  if (reason.empty()) return out;
  out.key += "_as";
  out.values.emplace_back("why", value_of(reason));
  return out;
}

}  // namespace

// "stride 7": the sliders that stood elsewhere, and where.
std::string Measuring::elsewhere(const model::SliderValues& values) const {
  return model::where_else(*reads_.program.kernel(), reads_.program.setup().values, values, "",
                           reads_.settings.language);
}

// "at turns 1024 · measured, on ...": where the sliders stood comes first when that is elsewhere than now. A
// narrow pane cuts the end, and the badge tells that as well.
std::string Measuring::at_values(const model::SliderValues& values, const std::string& note,
                                 const Catalogue& text) const {
  const std::string there = elsewhere(values);
  return there.empty()
             ? note
             : text.text({"recording.note_at", {{"at", value_of(there)}, {"note", value_of(note)}}});
}

// A GPU runs what was compiled for it; the picture is of what was compiled for the chosen device.
bool Measuring::compiled_as_measured(const Measurement& measurement, const Picture& picture) const {
  const auto listed = reads_.launch.devices().device(measurement.on.device);
  return measurement.on.device.empty() || !listed || (*listed)->target() == picture.of.target;
}

// Beside what was counted only where that is of the same launch of the same code.
std::optional<visual::HardwareCounters> Measuring::hardware(const Measurement& measurement,
                                                            const Picture& picture,
                                                            const Catalogue& text) const {
  if (measurement.on.empty()) return std::nullopt;
  if (!measurement.counters.empty()) {
    const bool same = measurement.counters_are_of_this() && picture.run && picture.whole &&
                      holds(Product::Launch, {picture.of}, measurement.of) &&
                      compiled_as_measured(measurement, picture);
    std::string note = text.text(measurement.counters_evidence);
    if (measurement.counted_at) note = at_values(*measurement.counted_at, note, text);
    auto out = model::hardware_counters({measurement.counters, 0}, same ? &picture.run->report : nullptr,
                                        note, measurement.on);
    if (measurement.counted_at) out.elsewhere = elsewhere(*measurement.counted_at);
    return out;
  }
  visual::HardwareCounters out;
  out.coming = measurement.counters_coming;
  if (!measurement.counters_reason.key.empty()) out.missing = text.text(measurement.counters_reason);
  return out;
}

std::optional<visual::TransferRates> Measuring::transfers(const Catalogue& text) const {
  std::optional<visual::TransferRates> out;
  const model::Recording* played = recording();
  if (copied_ && gpu()) {
    out = copied_;
    out->on = model::measured_on(*gpu());
    out->note = text.text(Message{"window.time.live", {{"device", value_of(gpu()->name)}}});
  } else if (played && backend_.kind != Backend::Kind::Emulator && !played->transfers.empty()) {
    out = played->transfer_rates();
    out->note = text.text(played->evidence());
  }
  if (out) out->to_device = reads_.options.to_device;
  return out;
}

std::optional<visual::StreamTimeline> Measuring::streams(const Catalogue& text) const {
  if (measurement_.streams) {
    std::optional<visual::StreamTimeline> out = measurement_.streams;
    out->note = text.text(measurement_.evidence);
    out->on = measurement_.on;
    return out;
  }
  const model::Recording* played = recording();
  if (!played || backend_.kind == Backend::Kind::Emulator) return std::nullopt;
  // A kernel about streams says with its sliders which timeline is meant.
  const auto slid = [this](const char* name, int otherwise) {
    const auto found = reads_.program.setup().values.find(name);
    return found == reads_.program.setup().values.end() ? otherwise : static_cast<int>(found->second);
  };
  const bool about_streams = reads_.program.kernel() && reads_.program.kernel()->kind == "streams";
  std::optional<visual::StreamTimeline> out =
      about_streams ? played->timeline(slid("streams", reads_.options.streams), slid("chunks", 0))
                    : played->timeline(reads_.options.streams);
  if (out) out->note = text.text(played->evidence());
  return out;
}

std::vector<Headline> Measuring::figures() const {
  if (!picture().run) return {};
  std::vector<Headline> out = picture().figures;
  for (Headline& figure : out) figure.earlier = picture().totals_of != reads_.launch.asked();
  // A launch that faults takes no time, and that of other values would say that it does.
  Measurement faulted;
  faulted.on = measurement_.on;
  const bool faults = picture().of == reads_.launch.asked() && !measurement_.timing && picture().went_wrong();
  const Measurement& shown = faults ? faulted : measurement_;
  const bool of_this = picture().whole && picture().of == reads_.launch.asked() && picture().time;
  const auto& nearby = shown.nearby;
  const auto measured = measured_figures(shown, of_this ? &picture().run->report : nullptr,
                                         nearby ? elsewhere(nearby->values) : std::string());
  const bool old_time = !holds(Product::Time, measurement_.of, inputs());
  // Time stands third, where it is seen in every size of the window; the rate under it.
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const std::size_t place = std::min(out.size(), i == 0 ? std::size_t{2} : std::size_t{5});
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(place), measured[i])->earlier = old_time;
  }
  return out;
}

// A curve over a wide range leaves values out; the one that is shown is counted anyway.
Swept Measuring::swept_through_now() const {
  Swept out = *reads_.newest.swept();
  if (!out.whole || !picture().whole || !holds(Product::Launch, {picture().of}, reads_.launch.inputs()))
    return out;
  const std::int64_t now = reads_.launch.value(out.slider);
  const auto at = std::lower_bound(out.points.begin(), out.points.end(), now,
                                   [](const SweptPoint& p, std::int64_t v) { return p.value < v; });
  if (at == out.points.end() || at->value != now)
    out.points.insert(at, swept_point(now, picture().run->report));
  return out;
}

std::optional<visual::Sweep> Measuring::sweep(const Catalogue& text) const {
  if (!reads_.program.kernel()) return std::nullopt;
  const Swept* swept = reads_.newest.swept();
  const std::string& slider = swept ? swept->slider : measurement_.swept_slider;
  if (slider.empty()) return std::nullopt;
  visual::Sweep out =
      named_sweep(swept ? swept_through_now() : Swept{slider, {}, true, true}, *reads_.program.kernel(),
                  reads_.launch.value(slider), text, reads_.settings.language);
  if (measurement_.points.size() > 1 && measurement_.swept_slider == slider) {
    visual::SweepSeries time{text.text("window.figure.time"), "ms", Evidence::Measured, {}};
    for (const MeasuredPoint& p : measurement_.points)
      time.points.push_back({static_cast<double>(p.value), p.median, p.low, p.high});
    out.series.insert(out.series.begin(), std::move(time));
    out.note = text.text(measurement_.evidence);
    out.library = measurement_.library;
    if (measurement_.curve_at) {
      model::SliderValues others = *measurement_.curve_at;
      others.erase(slider);
      out.note = at_values(others, out.note, text);
    }
  }
  out.on = measurement_.on;
  // One that is still being measured is not known to be flat.
  if (measurement_.swept_slider == slider && !measuring()) {
    const std::string reason = model::reason_of(*reads_.program.kernel(), slider, reads_.settings.language);
    if (const auto flat = no_difference(measurement_.points, reason))
      out.warnings.push_back(text.text(*flat));
  }
  if (measurement_.timing && measurement_.curve_at) {
    // The curve stands at another size; this launch is told of in a sentence, and its runs are not shown as
    // the curve's.
    model::SliderValues others = *measurement_.curve_at;
    others.erase(slider);
    out.warnings.push_back(text.text(
        {"window.time.curve_for_launch",
         {{"time", value_of(time_text(measurement_.timing->median))}, {"at", value_of(elsewhere(others))}}}));
  } else if (measurement_.timing) {
    for (const Message& warning : measurement_.timing->warnings) out.warnings.push_back(text.text(warning));
    // A recording keeps the outliers alone: they are no picture of the runs.
    if (measurement_.live) out.runs = measurement_.timing->milliseconds;
    out.spread = measurement_.spread;
  }
  if (out.series.empty()) return std::nullopt;
  return out;
}

}  // namespace warplens::window
