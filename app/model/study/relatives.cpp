#include "app/model/study/relatives.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/model/gallery/slider_values.h"
#include "app/model/recording/measured_on.h"
#include "app/model/study/level_traffic.h"
#include "engine/analysis/known_counts.h"
#include "engine/base/typography.h"

namespace warplens::model {
namespace {

// A block and what follows it within so many thread instructions tell what the whole launch does.
constexpr std::uint64_t kEachThreads = std::uint64_t{1} << 22;
constexpr double kSector = 32;

// The first choice of code.
const Slider* choice_of(const GalleryKernel& kernel) {
  for (const Slider& slider : kernel.sliders)
    if (!slider.choices.empty() && kernel.kernel.find("{" + slider.name + "}") != std::string::npos)
      return &slider;
  for (const Slider& slider : kernel.sliders)
    if (slider.choices.size() > 1) return &slider;
  return nullptr;
}

Relative of_run(const Run& run, std::int64_t value) {
  const analysis::Report& report = run.report;
  Relative out;
  out.value = value;
  out.kernel = report.kernel;
  const double whole = static_cast<double>(report.blocks_total) /
                       static_cast<double>(std::max<std::uint64_t>(1, report.blocks_run));
  out.work = report.flop.value_or(analysis::Work{}) * whole;
  const analysis::KnownCounts known = analysis::known_counts(report);
  // What the first blocks did, taken for all of them, is no count.
  const auto as_known = [&](Known known_by) {
    return report.blocks_run < report.blocks_total ? Evidence::Modelled : counted(known_by);
  };
  if (const double bytes = pass_bytes(report.totals); bytes > 0)
    out.at_lanes.shared = Figure<double>{bytes * whole, as_known(known.shared())};
  if (const double bytes = lane_bytes(report.totals); bytes > 0)
    out.at_lanes.l1 = Figure<double>{bytes * whole, as_known(known.global())};
  for (const trace::Argument& argument : report.launch.arguments)
    if (argument.is_buffer) out.buffer_bytes += static_cast<double>(argument.bytes());
  return out;
}

// Below L1 the hardware itself says what was moved.
void add_counters(const gpu::CounterReading& reading, analysis::Traffic& traffic) {
  const auto sum = [&](const char* read, const char* written) {
    return reading.has(read) && reading.has(written)
               ? std::optional(
                     Figure<double>{reading.value(read) + reading.value(written), Evidence::Measured})
               : std::nullopt;
  };
  traffic.l2 = sum("lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_srcunit_tex_op_write.sum");
  if (traffic.l2) traffic.l2->value *= kSector;
  traffic.dram = sum("dram__bytes_read.sum", "dram__bytes_write.sum");
}

}  // namespace

Relatives relatives(const GalleryKernel& kernel, const SliderValues& values, const analysis::Device& device,
                    const analysis::ComputeCapability& capability, const LoadProgram& load,
                    Progress* progress) {
  Relatives out;
  const Slider* slider = choice_of(kernel);
  if (slider == nullptr || !kernel.kind.empty()) return out;
  out.slider = slider->name;
  out.at = measured_values(kernel, values);
  const Trials trials(kernel, device, capability, load, progress);
  for (std::size_t i = 0; i < slider->choices.size() && !trials.cancelled(); ++i) {
    SliderValues other = out.at;
    other[out.slider] = static_cast<std::int64_t>(i);
    const auto run = trials.part(other, kEachThreads);
    if (!run || run->report.ending != analysis::Ending::Completed || run->report.faults_total > 0) continue;
    Relative relative = of_run(*run, static_cast<std::int64_t>(i));
    if (relative.work.total() > 0) out.all.push_back(std::move(relative));
  }
  return out;
}

std::vector<visual::RooflinePoint> relative_points(const Relatives& relatives, const Recording& recording,
                                                   const GalleryKernel& kernel, std::string_view text,
                                                   const analysis::Device& device,
                                                   const Catalogue& catalogue) {
  std::vector<visual::RooflinePoint> out;
  const Slider* const slider = kernel.slider(relatives.slider);
  const MeasuredOn on = measured_on(recording.device);
  if (slider == nullptr || !on.is(device.name)) return out;
  const std::string source = source_hash(kernel, text);
  const std::string note = catalogue.text(recording.evidence(kernel.id));
  for (const Relative& relative : relatives.all) {
    SliderValues values = relatives.at;
    values[relatives.slider] = relative.value;
    const RecordedPoint* timed = recording.find(kernel, source, values);
    if (timed == nullptr) continue;
    analysis::Traffic traffic = relative.at_lanes;
    if (const gpu::CounterReading* reading = recording.counters(kernel, source, values))
      add_counters(*reading, traffic);
    visual::RooflinePoint point =
        roofline_point(device, relative.work, traffic,
                       MeasuredTime{timed->warm.median, note, on, false, {}, recording.ceilings},
                       fits_l2(relative.buffer_bytes, device));
    point.name = value_name(*slider, relative.value, catalogue.language());
    out.push_back(std::move(point));
  }
  return out;
}

std::optional<MeasuredTime> other_l2(const Recording& recording, const GalleryKernel& kernel,
                                     std::string_view text, const SliderValues& values, bool flushed,
                                     const Catalogue& catalogue) {
  const RecordedPoint* point = recording.find(kernel, source_hash(kernel, text), values);
  if (point == nullptr || !point->cold) return std::nullopt;
  const Spread& other = flushed ? point->warm : *point->cold;
  return MeasuredTime{other.median,
                      catalogue.text(recording.evidence(kernel.id)),
                      measured_on(recording.device),
                      !flushed,
                      {},
                      recording.ceilings};
}

std::string where_else(const GalleryKernel& kernel, const SliderValues& here, const SliderValues& there,
                       std::string_view without, const std::string& language) {
  std::vector<std::string> out;
  for (const Slider& slider : kernel.sliders) {
    const auto now = here.find(slider.name), then = there.find(slider.name);
    if (slider.name == without || now == here.end() || then == there.end() || now->second == then->second)
      continue;
    out.push_back(title_of(slider, language) + " " + value_name(slider, then->second, language));
  }
  return listed(out, language);
}

}  // namespace warplens::model
