#include "app/window/jobs/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/window/jobs/figures.h"
#include "engine/base/time_text.h"

namespace warplens::window {
namespace {

// How many sliders stand elsewhere; then by how much in all.
std::pair<int, double> distance(const std::vector<std::int64_t>& values,
                                const std::vector<std::string>& names, const model::SliderValues& wanted) {
  int other = 0;
  double far = 0;
  for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) {
    const auto it = wanted.find(names[i]);
    if (it == wanted.end() || it->second == values[i]) continue;
    ++other;
    const double a = static_cast<double>(values[i]), b = static_cast<double>(it->second);
    far += std::abs(a - b) / std::max({1.0, std::abs(a), std::abs(b)});
  }
  return {other, far};
}

// Of points or counters the one that was recorded nearest.
template <typename Recorded>
std::optional<model::SliderValues> nearest_values(const model::RecordedKernel& kernel,
                                                  const std::vector<Recorded>& all,
                                                  const model::SliderValues& wanted) {
  const auto best = std::min_element(all.begin(), all.end(), [&](const Recorded& a, const Recorded& b) {
    return distance(a.values, kernel.sliders, wanted) < distance(b.values, kernel.sliders, wanted);
  });
  if (best == all.end()) return std::nullopt;
  model::SliderValues values = wanted;
  for (std::size_t i = 0; i < kernel.sliders.size(); ++i) values[kernel.sliders[i]] = best->values[i];
  return values;
}

double sum(const model::CounterValues& counters, std::string_view before, std::string_view after,
           std::initializer_list<std::string_view> operations, bool& found) {
  double total = 0;
  for (const std::string_view op : operations) {
    const std::string name = fmt::format("{}{}{}", before, op, after);
    for (const auto& [key, value] : counters) {
      if (key != name) continue;
      total += value;
      found = true;
    }
  }
  return total;
}

bool is_mostly_launch(const gpu::Timing& timing) {
  return std::ranges::any_of(timing.warnings,
                             [](const Message& w) { return w.key == "timing.launch_bound"; });
}

// But for one slider.
bool are_equal_but(const std::string& slider, model::SliderValues a, model::SliderValues b) {
  a.erase(slider);
  b.erase(slider);
  return a == b;
}

}  // namespace

Measurement recorded(const model::Recording& recording, const model::GalleryKernel& kernel,
                     const std::string& text, const model::SliderValues& values, const trace::Launch& launch,
                     const std::string& swept_slider, bool cold, bool clock_first) {
  Measurement out;
  out.on = model::measured_on(recording.device);
  out.evidence = recording.evidence(kernel.id);
  out.counters_evidence = recording.counters_evidence(kernel.id);
  out.cold = cold;
  const auto why = [&](const char* key) {
    out.reason = {key, {{"device", value_of(recording.device.name)}, {"date", value_of(recording.date)}}};
    return out;
  };
  const model::RecordedKernel* of_kernel = recording.kernel(kernel.id);
  out.counters_reason = {"recording.counters_of_other_text", {}};
  if (!of_kernel) return why("window.time.kernel_not_recorded");
  const std::string hash = model::source_hash(kernel, text);
  if (of_kernel->source != hash) return why("window.time.edited");
  // Most kernels are timed at another size than the one that suits a picture.
  const model::SliderValues at_clock = model::measured_values(kernel, values);
  // Counters were read as the kernel opens and is timed, with each of its choices.
  if (const gpu::CounterReading* counters = recording.counters(kernel, hash, values)) {
    out.counters = counters->values;
    out.counters_reason = {};
  } else if (!recording.counters_reason.empty()) {
    out.counters_reason = {"recording.no_counters", {{"reason", value_of(recording.counters_reason)}}};
  } else if (const gpu::CounterReading* at_size = recording.counters(kernel, hash, at_clock)) {
    out.counters = at_size->values;
    out.counters_reason = {};
    out.counted_at = at_clock;
  } else {
    out.counters_reason = {"recording.counters_elsewhere", {}};
    out.counted_at = nearest_values(*of_kernel, of_kernel->counters, values);
  }
  const bool other_size = at_clock != values && recording.find(kernel, hash, at_clock);
  const bool elsewhere = clock_first && other_size;
  if (!elsewhere) out.timing = recording.timing(kernel, hash, values, launch, cold);
  // A curve that is launches and little else refutes what it should show: the size that a clock needs stands
  // for it, and says so.
  const bool of_clock = elsewhere || (other_size && !are_equal_but(swept_slider, at_clock, values) &&
                                      out.timing && is_mostly_launch(*out.timing));
  auto series = of_clock ? recording.sweep(kernel, hash, swept_slider, at_clock, cold) : std::nullopt;
  if (series) out.curve_at = at_clock;
  if (!series) series = recording.sweep(kernel, hash, swept_slider, values, cold);
  if (!series) {
    series = recording.sweep(kernel, hash, swept_slider, at_clock, cold);
    if (series) out.curve_at = at_clock;
  }
  if (series) {
    out.swept_slider = swept_slider;
    if (!cold) out.library = recording.library_line(kernel, swept_slider, out.curve_at.value_or(values));
    for (const visual::SweepPoint& p : series->points)
      out.points.push_back({static_cast<std::int64_t>(p.x), p.y, p.low, p.high});
  }
  if (!cold) out.library_roof = recording.library_roof(kernel, values);  // it was timed warm
  if (out.timing) {
    if (const model::RecordedPoint* point = recording.find(kernel, hash, values);
        point && (!cold || point->cold)) {
      const model::Spread& s = cold ? *point->cold : point->warm;
      out.spread = visual::RunSpread{s.median, s.p5, s.p25, s.p75, s.p95, s.runs, s.outliers};
    }
    return out;
  }
  if (cold && recording.find(kernel, hash, values)) return why("window.time.cold_not_recorded");
  out.nearest = recording.find(kernel, hash, at_clock)
                    ? std::optional(at_clock)
                    : nearest_values(*of_kernel, of_kernel->points, values);
  if (const auto* point = out.nearest ? recording.find(kernel, hash, *out.nearest) : nullptr;
      point && (!cold || point->cold)) {
    const model::Spread& s = cold ? *point->cold : point->warm;
    out.nearby = Nearby{s.median, static_cast<std::size_t>(s.runs), *out.nearest, {}};
  }
  return why(out.nearest == at_clock && at_clock != values ? "window.time.at_clock_size"
                                                           : "window.time.values_not_recorded");
}

Message counters_refusal(const Error& error) {
  return error.said ? *error.said : Message{"gpu.counters.unread", {{"why", value_of(error)}}};
}

std::string rate_text(double rate) {
  return rate >= 1e12 ? fmt::format("{:.2f} TB/s", rate / 1e12) : fmt::format("{:.0f} GB/s", rate / 1e9);
}

namespace {

std::vector<Headline> headlines_of(const Measurement& m, const analysis::Report* report,
                                   const std::string& elsewhere) {
  std::vector<Headline> out;
  if (m.on.empty()) return out;
  if (!m.timing && m.nearby) {
    const char* key = !m.live             ? "window.time.recorded_at"
                      : elsewhere.empty() ? "window.time.quick"
                                          : "window.time.quick_at";
    Headline quick{"window.figure.time",
                   time_text(m.nearby->median),
                   {key, {{"runs", value_of(m.nearby->runs)}, {"at", value_of(elsewhere)}}},
                   false,
                   Evidence::Measured,
                   ""};
    quick.provisional = true;
    out.push_back(std::move(quick));
    return out;
  }
  if (!m.timing) {
    Headline none{"window.figure.time", "—", {"window.time.not_measured", {}}, false, Evidence::Measured, ""};
    none.missing = true;
    out.push_back(std::move(none));
    return out;
  }
  const gpu::Timing& t = *m.timing;
  const std::string spread = time_text(std::max(0.0, (t.high - t.low) / 2));
  Headline time{
      "window.figure.time",
      time_text(t.median),
      m.live ? Message{"window.figure.spread_runs",
                       {{"spread", value_of(spread)}, {"runs", value_of(t.milliseconds.size())}}}
             : Message{"window.figure.spread_runs",
                       {{"spread", value_of(spread)}, {"runs", value_of(m.spread ? m.spread->runs : 0)}}},
      false,
      Evidence::Measured,
      ""};
  time.doubts = t.warnings;
  out.push_back(std::move(time));
  if (!report || report->blocks_run < report->blocks_total || t.median <= 0) return out;
  const analysis::Totals& totals = report->totals;
  const double bytes =
      kSectorBytes * static_cast<double>(totals.global_load.sectors + totals.global_store.sectors);
  if (bytes <= 0) return out;
  const double rate = bytes / (t.median / 1000);
  Message detail{"window.figure.rate_plain", {}};
  if (t.peak_bytes_per_second > 0) {
    detail = {"window.figure.of_peak",
              {{"percent", value_of(100 * rate / t.peak_bytes_per_second)},
               {"peak", value_of(rate_text(t.peak_bytes_per_second))}}};
  }
  out.push_back({"window.figure.rate", rate_text(rate), detail, false, Evidence::Measured, ""});
  return out;
}

}  // namespace

std::vector<Headline> measured_figures(const Measurement& m, const analysis::Report* report,
                                       const std::string& elsewhere) {
  std::vector<Headline> out = headlines_of(m, report, elsewhere);
  for (Headline& figure : out) figure.on = m.on;
  return out;
}

std::optional<std::string> measured_value(const Headline& figure, const model::CounterValues& counters) {
  bool found = false;
  double value = 0, requests = 0;
  // Hardware counts all loads together, and all stores.
  if (figure.name_key == "window.figure.sectors" && figure.only_one && figure.access) {
    const std::initializer_list<std::string_view> loads = {"ld"}, stores = {"st"}, atomics = {"atom", "red"};
    const auto& ops = *figure.access == analysis::AccessCost::Kind::Load    ? loads
                      : *figure.access == analysis::AccessCost::Kind::Store ? stores
                                                                            : atomics;
    value = sum(counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_", ".sum", ops, found);
    requests = sum(counters, "l1tex__t_requests_pipe_lsu_mem_global_op_", ".sum", ops, found);
  } else if (figure.name_key == "window.figure.lanes") {
    value = sum(counters, "smsp__thread_inst_executed", "", {".sum"}, found);
    requests = sum(counters, "smsp__inst_executed", "", {".sum"}, found);
  }
  if (!found || requests <= 0) return std::nullopt;
  return fmt::format("{:.1f}", value / requests);
}

}  // namespace warplens::window
