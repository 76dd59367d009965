#include "app/model/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/model/measure.h"
#include "engine/base/assets.h"
#include "engine/gpu/stopwatch.h"

namespace warplens::model {
namespace {

constexpr int kRuns = 30, kQuickRuns = 10;
constexpr double kSecondsAPoint = 0.12;  // long kernels make fewer runs

class Recorder {
 public:
  Recorder(const RecorderSettings& settings, Progress* progress)
      : settings_(settings), progress_(progress), start_(std::chrono::steady_clock::now()) {}

  Result<Recording> run() {
    const gpu::Discovery& found = gpu::discover();
    if (settings_.device < 0 || settings_.device >= static_cast<int>(found.devices.size()))
      return Error{ErrorKind::Usage,
                   found.devices.empty() ? "no GPU to record: " + found.reason
                                         : fmt::format("there is no GPU number {}", settings_.device),
                   {},
                   {}};
    const auto gallery = load_gallery();
    if (!gallery) return gallery.error();
    std::vector<const GalleryKernel*> wanted;
    for (const std::string& name : settings_.kernels)
      if (gallery->find(name) == nullptr)
        return Error{ErrorKind::Usage, fmt::format("the gallery has no kernel '{}'", name), {}, {}};
    for (const GalleryKernel& kernel : gallery->kernels)
      if (settings_.kernels.empty() ||
          std::find(settings_.kernels.begin(), settings_.kernels.end(), kernel.id) != settings_.kernels.end())
        wanted.push_back(&kernel);

    out_.device = found.devices[static_cast<std::size_t>(settings_.device)];
    out_.driver = found.driver_version;
    out_.date = settings_.date;
    out_.clock_before = gpu::sm_clock_mhz(out_.device.ordinal);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::string line = kernel(*wanted[i]);
      if (settings_.on_step) settings_.on_step(out_, i + 1, wanted.size(), line);
      if (over()) break;
    }
    out_.clock_after = gpu::sm_clock_mhz(out_.device.ordinal);
    if (over()) out_.note = "stopped before the end";
    return out_;
  }

 private:
  bool over() const {
    if (progress_ != nullptr && progress_->cancelled()) return true;
    return settings_.max_seconds > 0 &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() >
               settings_.max_seconds;
  }

  std::string kernel(const GalleryKernel& kernel) {
    std::string line = points(kernel);
    if (kernel.kind == "transfers" && !over()) line += transfers(kernel);
    if (kernel.kind == "streams" && !over()) line += streams(kernel);
    return line;
  }

  std::string points(const GalleryKernel& kernel) {
    const auto text = read_text(kernel.file);
    if (!text) return text.error().text();
    MeasureRequest request;
    request.kernel = &kernel;
    request.points = recorded_points(kernel, settings_.quick);
    request.counters = out_.counters_reason.empty();
    request.counters_at = settings_.quick ? std::vector{default_values(kernel)} : choice_points(kernel);
    request.device = settings_.device;
    request.timing.warmup = 2;
    request.timing.runs = settings_.quick ? kQuickRuns : kRuns;
    request.timing.max_seconds = kSecondsAPoint;
    request.timing.also_flushed = true;
    RecordedKernel out;
    out.id = kernel.id;
    out.source = source_hash(kernel, *text);
    for (const Slider& slider : kernel.sliders) out.sliders.push_back(slider.name);
    const SliderValues defaults = default_values(kernel);
    const std::vector<Error> problems = measure_points(
        request,
        [&](const MeasuredPoint& point) {
          keep(point, point.values == defaults, out);
          return !over();
        },
        progress_);
    std::sort(out.points.begin(), out.points.end(),
              [](const RecordedPoint& a, const RecordedPoint& b) { return a.values < b.values; });
    std::string line = fmt::format("{}: {} points", kernel.id, out.points.size());
    if (!problems.empty())
      line += fmt::format(", {} left out: {}", request.points.size() - out.points.size(),
                          problems.front().message);
    if (!out.points.empty()) out_.kernels.push_back(std::move(out));
    return line;
  }

  void keep(const MeasuredPoint& point, bool is_default, RecordedKernel& out) {
    const gpu::Timing& t = point.timing;
    RecordedPoint kept;
    for (const std::string& slider : out.sliders) kept.values.push_back(point.values.at(slider));
    kept.warm = spread_of(t.milliseconds);
    if (!t.flushed.empty()) kept.cold = spread_of(t.flushed);
    if (is_default) kept.runs = t.milliseconds;
    if (out_.toolkit.empty()) out_.toolkit = point.compiler_version;
    if (out.points.empty()) out.clock_before = t.sm_clock_before_mhz;
    out.clock_after = t.sm_clock_after_mhz;
    if (point.counters) out.counters.push_back({kept.values, *point.counters});
    // What fails once for the system's sake fails always.
    if (point.counters_error && point.counters_error->kind == ErrorKind::System &&
        out_.counters_reason.empty())
      out_.counters_reason = point.counters_error->message;
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
    for (const gpu::TransferRow& row : *rows) out_.transfers.push_back(recorded_transfer(row));
    return fmt::format(", {} transfers", rows->size());
  }

  std::string streams(const GalleryKernel& kernel) {
    std::string problem;
    for (const auto& [count, chunks] : stream_runs(kernel)) {
      SliderValues values = default_values(kernel);
      values["streams"] = count;
      values["chunks"] = chunks;
      const auto times = streams_on_gpu(kernel, values, settings_.device, progress_);
      if (times)
        out_.streams.push_back(recorded_streams(*times, static_cast<int>(count), static_cast<int>(chunks)));
      else
        problem = "; streams: " + times.error().message;
      if (over()) break;
    }
    return fmt::format(", {} timelines{}", out_.streams.size(), problem);
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
};

}  // namespace

Result<Recording> record_gpu(const RecorderSettings& settings, Progress* progress) {
  return Recorder(settings, progress).run();
}

}  // namespace warplens::model
