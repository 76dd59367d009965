#include "app/model/recorded_views.h"

#include <algorithm>

#include "app/model/pipeline.h"

namespace warplens::model {
namespace {

constexpr std::size_t kMostCounted = 80;  // points that are run through the emulator

// Requests and what they cost, of the first block of a launch.
struct Counted {
  double sectors = 0, passes = 0;  // a request
};

std::optional<Counted> count(const GalleryKernel& kernel, const SliderValues& values) {
  const auto bound = launch_of(kernel, values);
  if (!bound) return {};
  const auto program = load_program(program_request(kernel, *bound));
  if (!program) return {};
  RunRequest request;
  request.program = *program;
  request.launch = bound->launch;
  request.options.checks = simt::Checks::None;
  request.options.only_blocks = {0};
  request.recorder.blocks = 0;
  const auto run = execute(request);
  if (!run) return {};
  const analysis::Totals& t = (*run)->report.totals;
  const auto ratio = [](double cost, double requests) { return requests > 0 ? cost / requests : 0.0; };
  return Counted{ratio(static_cast<double>(t.global_load.sectors + t.global_store.sectors),
                       static_cast<double>(t.global_load.requests + t.global_store.requests)),
                 ratio(static_cast<double>(t.shared_load.wavefronts + t.shared_store.wavefronts),
                       static_cast<double>(t.shared_load.requests + t.shared_store.requests))};
}

bool changes(const visual::SweepSeries& series) {
  return std::any_of(series.points.begin(), series.points.end(),
                     [&](const visual::SweepPoint& p) { return p.y != series.points.front().y; });
}

// Of sectors and passes the one that follows the slider; sectors when both do.
std::optional<visual::SweepSeries> counted_beside(const visual::SweepSeries& times,
                                                  const GalleryKernel& kernel, const std::string& slider,
                                                  SliderValues values, const Catalogue& catalogue) {
  if (times.points.size() > kMostCounted) return {};
  visual::SweepSeries sectors{catalogue.text("view.timing.sectors_a_request"), "", Evidence::Counted, {}};
  visual::SweepSeries passes{catalogue.text("view.timing.passes_a_request"), "", Evidence::Counted, {}};
  for (const visual::SweepPoint& p : times.points) {
    values[slider] = static_cast<std::int64_t>(p.x);
    const auto counted = count(kernel, values);
    if (!counted) return {};
    sectors.points.push_back({p.x, counted->sectors, 0, 0});
    passes.points.push_back({p.x, counted->passes, 0, 0});
  }
  if (changes(sectors)) return sectors;
  if (changes(passes)) return passes;
  return {};
}

std::string title_of(const Slider& slider, std::string_view language) {
  for (const auto& [spoken, title] : slider.title)
    if (spoken == language) return title;
  return slider.name;
}

// The slider whose values were recorded most finely around the present ones.
std::optional<std::pair<const Slider*, visual::SweepSeries>> longest_sweep(const Recording& recording,
                                                                           const GalleryKernel& kernel,
                                                                           std::string_view source,
                                                                           const SliderValues& values) {
  std::optional<std::pair<const Slider*, visual::SweepSeries>> best;
  for (const Slider& slider : kernel.sliders) {
    auto series = recording.sweep(kernel, source, slider.name, values);
    if (series && (!best || series->points.size() > best->second.points.size()))
      best.emplace(&slider, std::move(*series));
  }
  return best;
}

}  // namespace

RecordedViews recorded_views(const Recording& recording, const GalleryKernel& kernel, std::string_view text,
                             const SliderValues& values, const Catalogue& catalogue) {
  RecordedViews out;
  const std::string source = source_hash(kernel, text);
  const std::string note = catalogue.text(recording.evidence());
  out.streams = recording.timeline(4);
  if (out.streams) out.streams->note = note;
  const RecordedPoint* point = recording.find(kernel, source, values);
  if (point) out.time = MeasuredTime{point->warm.median, note};
  auto found = longest_sweep(recording, kernel, source, values);
  if (!found && !point) return out;
  visual::Sweep& sweep = out.sweep.emplace();
  sweep.note = note;
  if (found) {
    const auto& [slider, series] = *found;
    sweep.x_name = title_of(*slider, catalogue.language());
    const auto now = values.find(slider->name);
    if (now != values.end()) sweep.x_now = static_cast<double>(now->second);
    auto counted = counted_beside(series, kernel, slider->name, values, catalogue);
    sweep.series.push_back(series);
    sweep.series.front().name = catalogue.text("view.timing.time");
    if (counted) sweep.series.push_back(std::move(*counted));
  }
  if (point)
    sweep.spread =
        visual::RunSpread{point->warm.median, point->warm.p5,   point->warm.p25,     point->warm.p75,
                          point->warm.p95,    point->warm.runs, point->warm.outliers};
  if (const auto bound = launch_of(kernel, values))
    if (const auto timing = recording.timing(kernel, source, values, bound->launch))
      for (const Message& warning : timing->warnings) sweep.warnings.push_back(catalogue.text(warning));
  return out;
}

}  // namespace warplens::model
