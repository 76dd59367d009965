#include "app/model/picture/recorded_views.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "app/model/gallery/slider_values.h"
#include "app/model/recording/measured_on.h"
#include "app/model/run/counters_table.h"
#include "app/model/run/pipeline.h"
#include "app/model/study/relatives.h"
#include "engine/analysis/access_costs.h"

namespace warplens::model {
namespace {

constexpr std::size_t kMostCounted = 80;  // points that are run through the emulator

// A launch of more threads is counted by its first block.
constexpr std::uint64_t kCountedThreads = std::uint64_t{1} << 22;

std::optional<RunRequest> counting(const GalleryKernel& kernel, const SliderValues& values) {
  const auto bound = launch_of(kernel, values);
  if (!bound) return {};
  const auto program = load_program(program_request(kernel, *bound));
  if (!program) return {};
  RunRequest request;
  request.program = *program;
  request.launch = bound->launch;
  request.options.checks = simt::Checks::None;
  request.options.keep_buffers = false;
  request.recorder.blocks = 0;
  return request;
}

std::optional<analysis::Focus> count(RunRequest request, bool whole) {
  if (!whole) request.options.only_blocks = {0};
  const auto run = execute(request);
  if (!run) return {};
  return analysis::focus_of((*run)->report);
}

// Of each; fewer where one fails. A book asks the same of every picture of a page and in each of its
// languages: what is counted is known by the text, by who compiled it and by the values.
std::vector<analysis::Focus> count_all(std::vector<std::pair<SliderValues, RunRequest>> requests,
                                       const GalleryKernel& kernel, bool whole) {
  using Key = std::tuple<std::string, std::vector<std::string>, std::vector<SliderValues>>;
  constexpr std::size_t kMostKept = 64;
  static std::mutex mutex;
  static std::map<Key, std::vector<analysis::Focus>> known;
  Key key{kernel.id, {}, {}};
  for (const auto& [values, request] : requests) {
    std::get<1>(key).push_back(request.program->text);
    std::get<1>(key).push_back(request.program->compiled_by().version);
    std::get<2>(key).push_back(values);
  }
  {
    const std::lock_guard lock(mutex);
    if (const auto kept = known.find(key); kept != known.end()) return kept->second;
  }
  std::vector<analysis::Focus> found;
  for (auto& [values, request] : requests) {
    auto one = count(std::move(request), whole);
    if (!one) return found;
    found.push_back(std::move(*one));
  }
  const std::lock_guard lock(mutex);
  if (known.size() >= kMostKept) known.clear();
  known.emplace(std::move(key), found);
  return found;
}

bool changes(const visual::SweepSeries& series) {
  return std::any_of(series.points.begin(), series.points.end(),
                     [&](const visual::SweepPoint& p) { return p.y != series.points.front().y; });
}

// Of the access that the kernel is about: of sectors, passes and constant addresses the first that follows
// the slider, what the kernel is about before the others. Counted over whole launches where all of them are
// small, else over block 0 of each, and named so.
std::optional<visual::SweepSeries> counted_beside(const visual::SweepSeries& times,
                                                  const GalleryKernel& kernel, const std::string& slider,
                                                  SliderValues values, const Catalogue& catalogue) {
  if (times.points.size() > kMostCounted) return {};
  std::vector<std::pair<SliderValues, RunRequest>> requests;
  for (const visual::SweepPoint& p : times.points) {
    values[slider] = static_cast<std::int64_t>(p.x);
    auto request = counting(kernel, values);
    if (!request) return {};
    requests.emplace_back(values, std::move(*request));
  }
  const bool whole = std::all_of(requests.begin(), requests.end(), [](const auto& r) {
    const trace::Launch& launch = r.second.launch;
    return launch.grid.volume() * launch.block.volume() <= kCountedThreads;
  });
  const auto named = [&](const char* key) {
    const std::string name = catalogue.text(key);
    return whole ? name : catalogue.text(Message{"view.timing.block_0", {{"what", value_of(name)}}});
  };
  const std::vector<analysis::Focus> found = count_all(std::move(requests), kernel, whole);
  if (found.size() != times.points.size()) return {};
  const auto series_of = [&](analysis::Memory memory, const char* key) {
    visual::SweepSeries out{named(key), "", Evidence::Counted, {}};
    Known known = Known::MachineCode;  // of all points: the least known
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::optional<analysis::AccessCost>& one = found[i].of(memory);
      out.points.push_back({times.points[i].x, one ? one->per_request() : 0, 0, 0});
      if (one) known = weaker(known, one->known);
    }
    out.evidence = counted(known);
    return out;
  };
  using Named = std::pair<analysis::Memory, const char*>;
  std::array kinds{Named{analysis::Memory::Global, "view.timing.sectors_a_request"},
                   Named{analysis::Memory::Shared, "view.timing.passes_a_request"},
                   Named{analysis::Memory::Constant, "view.timing.addresses_a_request"}};
  std::ranges::stable_partition(
      kinds, [&](const Named& kind) { return !found.empty() && kind.first == found.front().main; });
  for (const auto& [memory, key] : kinds) {
    visual::SweepSeries series = series_of(memory, key);
    if (changes(series)) return series;
  }
  return {};
}

// The slider whose values were recorded most finely around the present ones; one that only makes the problem
// larger for a clock comes behind all others.
std::optional<std::pair<const Slider*, visual::SweepSeries>> longest_sweep(
    const Recording& recording, const GalleryKernel& kernel, std::string_view source,
    const SliderValues& values, std::string_view over, bool flushed_l2) {
  std::optional<std::pair<const Slider*, visual::SweepSeries>> best;
  for (const Slider& slider : kernel.sliders) {
    auto series = recording.sweep(kernel, source, slider.name, values, flushed_l2);
    if (!series) continue;
    const bool wanted = slider.name == over;
    const auto rank = [&](const Slider& of, const visual::SweepSeries& points) {
      return std::pair(!kernel.measure.contains(of.name), points.points.size());
    };
    if (!best || wanted || rank(slider, *series) > rank(*best->first, best->second))
      best.emplace(&slider, std::move(*series));
    if (wanted) break;
  }
  return best;
}

}  // namespace

visual::HardwareCounters recorded_counters(const Recording& recording, const GalleryKernel& kernel,
                                           std::string_view source, const SliderValues& values,
                                           const analysis::Report* report, const Catalogue& catalogue) {
  if (const gpu::CounterReading* reading = recording.counters(kernel, source, values))
    return hardware_counters(*reading, report, catalogue.text(recording.counters_evidence(kernel.id)),
                             measured_on(recording.device));
  visual::HardwareCounters out;
  const RecordedKernel* of_kernel = recording.kernel(kernel.id);
  if (!recording.counters_reason.empty())
    out.missing =
        catalogue.text(Message{"recording.no_counters", {{"reason", value_of(recording.counters_reason)}}});
  else if (of_kernel == nullptr || of_kernel->source != source)
    out.missing = catalogue.text(Message{"recording.counters_of_other_text", {}});
  else
    out.missing = catalogue.text(Message{"recording.counters_elsewhere", {}});
  return out;
}

SliderValues timed_values(const Recording& recording, const GalleryKernel& kernel, std::string_view text,
                          const SliderValues& values, const std::vector<std::string>& keep) {
  SliderValues at_clock = measured_values(kernel, values, keep);
  return recording.find(kernel, source_hash(kernel, text), at_clock) != nullptr ? at_clock : values;
}

RecordedViews recorded_views(const Recording& recording, const GalleryKernel& kernel, std::string_view text,
                             const SliderValues& values, const analysis::Report* report,
                             const Catalogue& catalogue, std::string_view over,
                             const SliderValues* counted_at, bool flushed_l2) {
  RecordedViews out;
  const std::string source = source_hash(kernel, text);
  const std::string elsewhere =
      counted_at != nullptr ? where_else(kernel, *counted_at, values, "", catalogue.language()) : "";
  const std::string taken = catalogue.text(recording.evidence(kernel.id));
  const std::string note =
      elsewhere.empty() ? taken
                        : catalogue.text(Message{"recording.note_at",
                                                 {{"at", value_of(elsewhere)}, {"note", value_of(taken)}}});
  out.streams = recording.timeline(4);
  if (out.streams) out.streams->note = catalogue.text(recording.evidence());
  if (!recording.transfers.empty()) {
    out.transfers = recording.transfer_rates();
    out.transfers->note = catalogue.text(recording.evidence());
  }
  const MeasuredOn on = measured_on(recording.device);
  out.counters = recorded_counters(recording, kernel, source, values, report, catalogue);
  const RecordedPoint* point = recording.find(kernel, source, values);
  const Spread* runs = point == nullptr ? nullptr
                       : !flushed_l2    ? &point->warm
                       : point->cold    ? &*point->cold
                                        : nullptr;
  if (runs)
    out.time = MeasuredTime{runs->median,      note, on, flushed_l2, recording.library_roof(kernel, values),
                            recording.ceilings};
  auto found = longest_sweep(recording, kernel, source, values, over, flushed_l2);
  if (!found && !runs) return out;
  visual::Sweep& sweep = out.sweep.emplace();
  sweep.note = flushed_l2 && out.time ? measured_note(*out.time, note, catalogue) : note;
  sweep.on = on;
  if (found) {
    const auto& [slider, series] = *found;
    sweep.x_name = title_of(*slider, catalogue.language());
    for (std::size_t i = 0; i < slider->choices.size(); ++i)
      sweep.x_names.push_back(value_name(*slider, static_cast<std::int64_t>(i), catalogue.language()));
    const auto now = values.find(slider->name);
    if (now != values.end()) sweep.x_now = static_cast<double>(now->second);
    auto counted =
        counted_beside(series, kernel, slider->name, counted_at != nullptr ? *counted_at : values, catalogue);
    sweep.series.push_back(series);
    sweep.series.front().name = catalogue.text("view.timing.time");
    if (counted) sweep.series.push_back(std::move(*counted));
    sweep.library = recording.library_line(kernel, slider->name, values);
  }
  if (runs)
    sweep.spread = visual::RunSpread{runs->median, runs->p5,   runs->p25,     runs->p75,
                                     runs->p95,    runs->runs, runs->outliers};
  if (const auto bound = launch_of(kernel, values))
    if (const auto timing = recording.timing(kernel, source, values, bound->launch, flushed_l2))
      for (const Message& warning : timing->warnings) sweep.warnings.push_back(catalogue.text(warning));
  return out;
}

RecordedViews recorded_for(const visual::View& view, const Recording& recording, const GalleryKernel& kernel,
                           std::string_view text, const SliderValues& shown, const analysis::Report* report,
                           const Catalogue& catalogue, const std::vector<std::string>& keep,
                           std::string_view over) {
  if (!view.of_measurements) return {};
  const bool times = view.basis == visual::Basis::Curve;
  return recorded_views(recording, kernel, text,
                        times ? timed_values(recording, kernel, text, shown, keep) : shown, report, catalogue,
                        over, &shown, times && kernel.measure_flushed);
}

}  // namespace warplens::model
