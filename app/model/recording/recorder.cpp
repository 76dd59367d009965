#include "app/model/recording/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/model/recording/ceilings.h"
#include "app/model/recording/measure.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/gpu/stopwatch.h"

namespace warplens::model {
namespace {

// A program that reads more counters than the one that made the recording reads them anew.
bool has_every_counter(const Recording& recording) {
  const auto names = gpu::counter_names();
  return std::all_of(names.begin(), names.end(), [&](const char* name) {
    for (const RecordedKernel& k : recording.kernels)
      for (const RecordedCounters& c : k.counters)
        if (c.reading.has(name)) return true;
    return false;
  });
}

constexpr int kRuns = 30, kQuickRuns = 10;
constexpr double kSecondsAPoint = 0.12;  // long kernels make fewer runs

class Recorder {
 public:
  Recorder(const RecorderSettings& settings, Progress* progress)
      : settings_(settings), progress_(progress), start_(std::chrono::steady_clock::now()) {}

  Result<Recording> run() {
    const gpu::Discovery& found = gpu::discover();
    if (settings_.device < 0 || settings_.device >= static_cast<int>(found.devices.size()))
      return found.devices.empty()
                 ? told(ErrorKind::Usage, {"file.recording.no_gpu", {{"why", value_of(found.reason)}}})
                 : told(ErrorKind::Usage,
                        {"file.recording.no_such_gpu", {{"n", value_of(settings_.device)}}});
    const auto gallery = load_gallery();
    if (!gallery) return gallery.error();
    std::vector<const GalleryKernel*> wanted;
    for (const std::string& name : settings_.kernels)
      if (gallery->find(name) == nullptr) return gallery->without(name);
    for (const GalleryKernel& kernel : gallery->kernels)
      if (settings_.kernels.empty() ||
          std::find(settings_.kernels.begin(), settings_.kernels.end(), kernel.id) != settings_.kernels.end())
        wanted.push_back(&kernel);

    if (const Status s = begin(found); !s) return s.error();
    if (out_.ceilings.empty()) ceilings();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::string line = kernel(*wanted[i]);
      if (settings_.on_step) settings_.on_step(out_, i + 1, wanted.size(), line);
      if (over()) break;
    }
    end(*gallery);
    return out_;
  }

 private:
  bool over() const {
    if (progress_ != nullptr && progress_->cancelled()) return true;
    return settings_.max_seconds > 0 &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() >
               settings_.max_seconds;
  }

  Status begin(const gpu::Discovery& found) {
    const gpu::DeviceInfo& device = found.devices[static_cast<std::size_t>(settings_.device)];
    if (!settings_.base) {
      out_.device = device;
      out_.driver = found.driver_version;
      out_.date = settings_.date;
      out_.clock_before = gpu::sm_clock_mhz(device.ordinal);
      return Done{};
    }
    out_ = *settings_.base;
    if (out_.device.name != device.name)
      return told(ErrorKind::Usage,
                  {"file.recording.other_gpu",
                   {{"recorded", value_of(out_.device.name)}, {"here", value_of(device.name)}}},
                  {out_.file.string()});
    out_.note.clear();
    out_.counters_reason.clear();
    out_.updates.push_back({settings_.date, found.driver_version, {}, 0, 0, 0, 0, 0});
    return Done{};
  }

  // Without them the roofs are those that are published: no reason to stop.
  void ceilings() {
    auto reached = ceilings_on_gpu(settings_.device, progress_);
    if (reached) out_.ceilings = std::move(*reached);
    const std::string line = reached ? fmt::format("ceilings: {}", out_.ceilings.size())
                                     : "no ceilings: " + reached.error().message;
    if (settings_.on_step) settings_.on_step(out_, 0, 0, line);
  }

  void end(const Gallery& gallery) {
    if (over()) out_.note = "stopped before the end";
    if (!settings_.base) {
      out_.clock_after = gpu::sm_clock_mhz(out_.device.ordinal);
      return;
    }
    const RecordedUpdate& u = out_.updates.back();
    if (u.points + u.counters + u.transfers + u.streams + u.products == 0) out_.updates.pop_back();
    // What is no longer in the gallery can never be played again.
    std::erase_if(out_.kernels, [&](const RecordedKernel& k) { return gallery.find(k.id) == nullptr; });
    const auto place = [&](const RecordedKernel& k) { return gallery.find(k.id) - gallery.kernels.data(); };
    std::stable_sort(out_.kernels.begin(), out_.kernels.end(),
                     [&](const RecordedKernel& a, const RecordedKernel& b) { return place(a) < place(b); });
  }

  RecordedUpdate* update() { return settings_.base ? &out_.updates.back() : nullptr; }

  std::string kernel(const GalleryKernel& kernel) {
    const auto text = read_text(kernel.file);
    if (!text) return text.error().text();
    const std::string source = source_hash(kernel, *text);
    const RecorderPlan plan =
        recorder_plan(kernel, source, settings_.base ? &*settings_.base : nullptr, settings_.quick);
    const bool same = plan.keeps;
    std::string line = points(kernel, source, plan);
    if (!kernel.product.empty() && !over()) line += products(kernel, plan);
    if (kernel.kind == "transfers" && !over() && (!same || out_.transfers.empty())) line += transfers(kernel);
    if (kernel.kind == "streams" && !over()) line += streams(kernel, same);
    return line;
  }

  MeasureRequest request_for(const GalleryKernel& kernel) const {
    MeasureRequest request;
    request.kernel = &kernel;
    request.device = settings_.device;
    request.timing.warmup = 2;
    request.timing.runs = settings_.quick ? kQuickRuns : kRuns;
    request.timing.max_seconds = kSecondsAPoint;
    request.timing.also_flushed = true;
    return request;
  }

  std::string points(const GalleryKernel& kernel, const std::string& source, const RecorderPlan& plan) {
    RecordedKernel out;
    if (plan.keeps) out = *settings_.base->kernel(kernel.id);
    const bool all_new = !plan.keeps;
    out.id = kernel.id;
    out.source = source;
    if (all_new)
      for (const Slider& slider : kernel.sliders) out.sliders.push_back(slider.name);
    const std::vector<SliderValues>&times = plan.points, &counters = plan.counters;
    const bool read = out_.counters_reason.empty();
    if (times.empty() && (counters.empty() || !read)) return fmt::format("{}: nothing to do", kernel.id);

    MeasureRequest request = request_for(kernel);
    request.points = times;
    request.counters = read && !counters.empty();
    request.counters_at = counters;
    MeasureRequest alone = request;  // counters of points whose times are there
    alone.times = false;
    alone.points = counters;
    std::erase_if(alone.points, [&](const SliderValues& values) {
      return std::find(times.begin(), times.end(), values) != times.end();
    });
    const int counters_before = counters_read_;
    std::size_t measured = 0;
    const auto taken = [&](const MeasuredPoint& point) {
      keep(point, kernel, out, measured);
      return !over();
    };
    std::vector<Error> problems = measure_points(request, taken, progress_);
    if (read && !over() && !alone.points.empty())
      for (Error& problem : measure_points(alone, taken, progress_)) problems.push_back(std::move(problem));
    std::sort(out.points.begin(), out.points.end(),
              [](const RecordedPoint& a, const RecordedPoint& b) { return a.values < b.values; });
    const auto counted = static_cast<std::size_t>(counters_read_ - counters_before);
    std::string line = fmt::format("{}: {} points, counters of {}", kernel.id, measured, counted);
    if (!problems.empty())
      line += fmt::format(", {} left out: {}", times.size() - std::min(times.size(), measured),
                          problems.front().message);
    date(out, measured > 0 && all_new, counted > 0);
    if (RecordedUpdate* u = update())
      u->points += static_cast<int>(measured), u->counters += static_cast<int>(counted);
    store(std::move(out));
    return line;
  }

  // Says the day only where it is not the recording's own; a few points more do not make a kernel younger.
  void date(RecordedKernel& kernel, bool points, bool counters) const {
    const std::string& today = settings_.date;
    if (points) kernel.date = today == out_.date ? "" : today;
    const std::string& of_points = kernel.date.empty() ? out_.date : kernel.date;
    if (counters) kernel.counters_date = today == of_points ? "" : today;
  }

  void store(RecordedKernel kernel) {
    if (kernel.points.empty()) return;
    const auto before = std::find_if(out_.kernels.begin(), out_.kernels.end(),
                                     [&](const RecordedKernel& k) { return k.id == kernel.id; });
    if (before != out_.kernels.end())
      *before = std::move(kernel);
    else
      out_.kernels.push_back(std::move(kernel));
  }

  void keep(const MeasuredPoint& point, const GalleryKernel& kernel, RecordedKernel& out,
            std::size_t& measured) {
    std::vector<std::int64_t> values;
    for (const std::string& slider : out.sliders) values.push_back(point.values.at(slider));
    if (point.counters) {
      std::erase_if(out.counters, [&](const RecordedCounters& c) { return c.values == values; });
      out.counters.push_back({values, *point.counters});
      ++counters_read_;
    }
    // What fails once for the system's sake fails always.
    if (point.counters_error && point.counters_error->kind == ErrorKind::System &&
        out_.counters_reason.empty())
      out_.counters_reason = point.counters_error->message;
    const gpu::Timing& t = point.timing;
    if (t.milliseconds.empty()) return;  // counters alone were asked for
    ++measured;
    RecordedPoint kept;
    kept.values = std::move(values);
    kept.warm = spread_of(t.milliseconds);
    if (!t.flushed.empty()) kept.cold = spread_of(t.flushed);
    if (point.values == measured_values(kernel, default_values(kernel))) kept.runs = t.milliseconds;
    if (out_.toolkit.empty()) out_.toolkit = point.compiler_version;
    if (RecordedUpdate* u = update()) u->toolkit = point.compiler_version;
    if (out.points.empty()) out.clock_before = t.sm_clock_before_mhz;
    out.clock_after = t.sm_clock_after_mhz;
    out_.empty_kernel =
        out_.empty_kernel == 0 ? t.launch_overhead : std::min(out_.empty_kernel, t.launch_overhead);
    out_.peak_bytes_per_second = std::max(out_.peak_bytes_per_second, t.peak_bytes_per_second);
    out.points.push_back(std::move(kept));
  }

  std::string transfers(const GalleryKernel& kernel) {
    gpu::TransferOptions options;
    if (settings_.quick) options.most = 64u << 20;
    const auto rows = transfers_on_gpu(kernel, options, settings_.device, progress_);
    if (!rows) return "; no transfers: " + rows.error().message;
    out_.transfers.clear();
    for (const gpu::TransferRow& row : *rows) out_.transfers.push_back(recorded_transfer(row));
    if (RecordedUpdate* u = update()) u->transfers += static_cast<int>(rows->size());
    return fmt::format(", {} transfers", rows->size());
  }

  // The library's time for each size that the kernel was measured at.
  std::string products(const GalleryKernel& kernel, const RecorderPlan& plan) {
    std::string problem;
    std::size_t measured = 0;
    std::vector<SliderValues> at = plan.points;
    for (SliderValues& values : recorded_points(kernel, settings_.quick)) at.push_back(std::move(values));
    for (const SliderValues& values : at) {
      const auto size = product_of(kernel, values);
      if (!size || out_.product(*size) != nullptr || over() || !problem.empty()) continue;
      auto product = product_on_gpu(kernel, *size, settings_.device, progress_);
      if (product) {
        product->date = settings_.date == out_.date ? "" : settings_.date;
        out_.products.push_back(std::move(*product));
        if (RecordedUpdate* u = update()) ++u->products;
        ++measured;
      } else {
        problem = "; no time of the library: " + product.error().message;
      }
    }
    return measured == 0 ? problem : fmt::format(", {} products by the library{}", measured, problem);
  }

  std::string streams(const GalleryKernel& kernel, bool same) {
    std::string problem;
    std::size_t measured = 0;
    if (!same) out_.streams.clear();
    for (const auto& [count, chunks] : stream_runs(kernel)) {
      const bool there = std::any_of(
          out_.streams.begin(), out_.streams.end(),
          [&, c = count, p = chunks](const auto& run) { return run.streams == c && run.chunks == p; });
      if (there) continue;
      SliderValues values = default_values(kernel);
      values["streams"] = count;
      values["chunks"] = chunks;
      const auto times = streams_on_gpu(kernel, values, settings_.device, progress_);
      if (times) {
        out_.streams.push_back(recorded_streams(*times, static_cast<int>(count), static_cast<int>(chunks)));
        ++measured;
        if (RecordedUpdate* u = update()) ++u->streams;
      } else {
        problem = "; streams: " + times.error().message;
      }
      if (over()) break;
    }
    return measured == 0 ? problem : fmt::format(", {} timelines{}", measured, problem);
  }

  static std::vector<std::pair<std::int64_t, std::int64_t>> stream_runs(const GalleryKernel& kernel) {
    std::vector<std::pair<std::int64_t, std::int64_t>> out;
    for (const Slider& streams : kernel.sliders)
      for (const Slider& chunks : kernel.sliders)
        if (streams.name == "streams" && chunks.name == "chunks")
          for (const std::int64_t s : slider_steps(streams, 8))
            for (const std::int64_t c : slider_steps(chunks, 8)) out.emplace_back(s, c);
    return out;
  }

  const RecorderSettings& settings_;
  Progress* progress_;
  std::chrono::steady_clock::time_point start_;
  Recording out_;
  int counters_read_ = 0;
};

}  // namespace

RecorderPlan recorder_plan(const GalleryKernel& kernel, const std::string& source, const Recording* base,
                           bool quick) {
  RecorderPlan out{false, recorded_points(kernel, quick), counter_points(kernel, quick)};
  const RecordedKernel* before = base == nullptr ? nullptr : base->kernel(kernel.id);
  out.keeps = before != nullptr && before->source == source && before->ordered(default_values(kernel));
  if (!out.keeps) return out;
  std::erase_if(out.points, [&](const SliderValues& values) { return before->find(values) != nullptr; });
  if (has_every_counter(*base))
    std::erase_if(out.counters, [&](const SliderValues& values) {
      return base->counters(kernel, source, values) != nullptr;
    });
  return out;
}

Result<Recording> record_gpu(const RecorderSettings& settings, Progress* progress) {
  return Recorder(settings, progress).run();
}

}  // namespace warplens::model
