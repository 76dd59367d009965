#include "app/model/recording/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "app/model/gallery/slider_values.h"
#include "app/model/recording/measured_on.h"
#include "app/model/text/comments.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/gpu/stopwatch.h"
#include "engine/gpu/timing_warnings.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOutliers = 8;
constexpr std::size_t kMostLibraryPoints = 256;

// FNV-1a, 64 bit: told apart by accident only, which is all that is needed here.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      if (c == '\r') continue;  // line ends of another system are no edit
      state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    }
    state_ = (state_ ^ 0x1f) * 0x100000001b3ull;  // so that "ab","c" differs from "a","bc"
  }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ull;
};

visual::SweepPoint sweep_point(double x, const Spread& spread) {
  return {x, spread.median, spread.p5, spread.p95};
}

}  // namespace

Spread spread_of(const std::vector<double>& milliseconds) {
  Spread out;
  out.runs = static_cast<int>(milliseconds.size());
  out.median = gpu::median(milliseconds);
  out.p5 = gpu::percentile(milliseconds, 0.05);
  out.p25 = gpu::percentile(milliseconds, 0.25);
  out.p75 = gpu::percentile(milliseconds, 0.75);
  out.p95 = gpu::percentile(milliseconds, 0.95);
  const double reach = 1.5 * (out.p75 - out.p25);
  for (const double value : milliseconds)
    if (value < out.p25 - reach || value > out.p75 + reach) out.outliers.push_back(value);
  std::sort(out.outliers.rbegin(), out.outliers.rend());
  if (out.outliers.size() > kMostOutliers) out.outliers.resize(kMostOutliers);
  return out;
}

double RecordedTransfer::bytes_per_second() const {
  if (spread.median <= 0) return 0;
  return static_cast<double>(bytes) * count / (spread.median / 1000.0);
}

std::optional<std::vector<std::int64_t>> RecordedKernel::ordered(const SliderValues& values) const {
  if (values.size() != sliders.size()) return std::nullopt;
  std::vector<std::int64_t> out;
  for (const std::string& slider : sliders) {
    const auto value = values.find(slider);
    if (value == values.end()) return std::nullopt;
    out.push_back(value->second);
  }
  return out;
}

const RecordedPoint* RecordedKernel::find(const SliderValues& values) const {
  const auto wanted = ordered(values);
  if (!wanted) return nullptr;
  const auto point = std::lower_bound(
      points.begin(), points.end(), *wanted,
      [](const RecordedPoint& p, const std::vector<std::int64_t>& w) { return p.values < w; });
  return point != points.end() && point->values == *wanted ? &*point : nullptr;
}

const RecordedKernel* Recording::kernel(std::string_view id) const {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const RecordedKernel& k) { return k.id == id; });
  return found == kernels.end() ? nullptr : &*found;
}

const RecordedPoint* Recording::find(const GalleryKernel& wanted, std::string_view source,
                                     const SliderValues& values) const {
  const RecordedKernel* recorded = kernel(wanted.id);
  if (recorded == nullptr || recorded->source != source) return nullptr;
  return recorded->find(values);
}

std::optional<gpu::Timing> Recording::timing(const GalleryKernel& wanted, std::string_view source,
                                             const SliderValues& values, const trace::Launch& launch,
                                             bool flushed_l2) const {
  const RecordedPoint* point = find(wanted, source, values);
  if (point == nullptr || (flushed_l2 && !point->cold)) return std::nullopt;
  const Spread& spread = flushed_l2 ? *point->cold : point->warm;
  gpu::Timing out;
  out.milliseconds = flushed_l2 || point->runs.empty() ? spread.outliers : point->runs;
  out.median = spread.median;
  out.low = spread.p5;
  out.high = spread.p95;
  out.launch_overhead = empty_kernel;
  out.sm_clock_before_mhz = kernel(wanted.id)->clock_before;
  out.sm_clock_after_mhz = kernel(wanted.id)->clock_after;
  out.peak_bytes_per_second = peak_bytes_per_second;
  for (const trace::Argument& argument : launch.arguments)
    if (argument.is_buffer) out.buffer_bytes += argument.bytes();
  out.warnings = gpu::timing_warnings(out, device, launch, flushed_l2);
  return out;
}

const gpu::CounterReading* Recording::counters(const GalleryKernel& wanted, std::string_view source,
                                               const SliderValues& values) const {
  const RecordedKernel* recorded = kernel(wanted.id);
  if (recorded == nullptr || recorded->source != source) return nullptr;
  const auto ordered = recorded->ordered(values);
  const auto found = std::find_if(recorded->counters.begin(), recorded->counters.end(),
                                  [&](const RecordedCounters& c) { return ordered && c.values == *ordered; });
  return found == recorded->counters.end() ? nullptr : &found->reading;
}

std::optional<visual::SweepSeries> Recording::sweep(const GalleryKernel& wanted, std::string_view source,
                                                    const std::string& slider, const SliderValues& values,
                                                    bool flushed_l2) const {
  const RecordedKernel* recorded = kernel(wanted.id);
  if (recorded == nullptr || recorded->source != source || values.size() != recorded->sliders.size())
    return std::nullopt;
  visual::SweepSeries out;
  out.unit = "ms";
  for (const RecordedPoint& point : recorded->points) {
    if (flushed_l2 && !point.cold) continue;
    std::optional<std::int64_t> x;
    bool same = true;
    for (std::size_t i = 0; i < point.values.size() && same; ++i) {
      const auto value = values.find(recorded->sliders[i]);
      if (recorded->sliders[i] == slider)
        x = point.values[i];
      else
        same = value != values.end() && value->second == point.values[i];
    }
    if (same && x)
      out.points.push_back(sweep_point(static_cast<double>(*x), flushed_l2 ? *point.cold : point.warm));
  }
  if (out.points.size() < 2) return std::nullopt;
  return out;  // ascending: points are sorted by values, and all others are equal
}

const RecordedProduct* Recording::product(const gpu::ProductSize& size) const {
  const auto found = std::find_if(products.begin(), products.end(),
                                  [&](const RecordedProduct& p) { return p.size == size; });
  return found == products.end() ? nullptr : &*found;
}

// With its day, where the times that it stands beside are of another.
std::string Recording::name_of(const RecordedProduct& by_library, std::string_view kernel_id) const {
  const std::string& beside = day_of(kernel_id);
  const std::string& day = by_library.date.empty() ? date : by_library.date;
  return day == beside ? by_library.library : by_library.library + ", " + day;
}

std::optional<visual::RooflineCeiling> Recording::library_roof(const GalleryKernel& wanted,
                                                               const SliderValues& values) const {
  const auto size = product_of(wanted, values);
  const RecordedProduct* by_library = size ? product(*size) : nullptr;
  if (by_library == nullptr || !(by_library->time.median > 0)) return {};
  const double flop = 2.0 * size->m * size->n * size->k;  // a multiplication and an addition each
  visual::RooflineCeiling out;
  out.library = name_of(*by_library, wanted.id);
  out.gflops = flop / (by_library->time.median / 1000.0) / 1e9;
  out.source = "measured";
  return out;
}

std::optional<visual::SweepSeries> Recording::library_line(const GalleryKernel& wanted,
                                                           const std::string& slider,
                                                           const SliderValues& values) const {
  const Slider* const along = wanted.slider(slider);
  if (products.empty() || along == nullptr) return {};
  std::vector<std::int64_t> at = slider_steps(*along, kMostLibraryPoints);
  if (const auto here = values.find(slider); here != values.end()) at.push_back(here->second);
  if (const auto clock = wanted.measure.find(slider); clock != wanted.measure.end())
    at.push_back(clock->second);
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  visual::SweepSeries out{"", "ms", Evidence::Measured, {}};
  for (const std::int64_t x : at) {
    SliderValues there = values;
    there[slider] = x;
    const auto size = product_of(wanted, there);
    const RecordedProduct* by_library = size ? product(*size) : nullptr;
    if (by_library == nullptr) continue;
    out.name = name_of(*by_library, wanted.id);
    out.points.push_back(sweep_point(static_cast<double>(x), by_library->time));
  }
  if (out.points.empty()) return {};
  return out;
}

std::optional<visual::StreamTimeline> Recording::timeline(int wanted, int chunks) const {
  const RecordedStreams* found = nullptr;
  const RecordedStreams* alone = nullptr;
  for (const RecordedStreams& run : streams) {
    if (run.streams == 1 && run.chunks == 1) alone = &run;
    if (run.streams != wanted || (chunks > 0 && run.chunks != chunks)) continue;
    if (found == nullptr || run.chunks > found->chunks) found = &run;
  }
  if (found == nullptr) return std::nullopt;
  visual::StreamTimeline out;
  out.on = measured_on(device);
  out.streams = found->streams;
  out.chunks = found->chunks;
  out.bytes = found->bytes;
  out.spans = found->spans;
  for (const visual::StreamSpan& span : out.spans) out.total_ms = std::max(out.total_ms, span.end_ms);
  if (alone != nullptr && alone->bytes == found->bytes) out.one_stream_ms = alone->total.median;
  return out;
}

visual::TransferRates Recording::transfer_rates() const {
  visual::TransferRates out;
  out.on = measured_on(device);
  std::uint64_t batch = 0;  // what was also sent in pieces
  for (const RecordedTransfer& t : transfers)
    if (t.count > 1) batch = std::max(batch, t.bytes * static_cast<std::uint64_t>(t.count));
  for (const bool to_device : {true, false})
    for (const bool pinned : {true, false}) {
      visual::TransferSeries series{pinned, to_device, {}, {}};
      for (const RecordedTransfer& t : transfers) {
        if (t.pinned != pinned || t.to_device != to_device || !(t.spread.median > 0)) continue;
        const visual::TransferPoint point{t.bytes, t.count, t.spread.median, t.spread.p5, t.spread.p95};
        if (t.count == 1) series.single.push_back(point);
        if (t.bytes * static_cast<std::uint64_t>(t.count) == batch) series.pieces.push_back(point);
      }
      const auto smaller = [](const auto& a, const auto& b) { return a.bytes < b.bytes; };
      std::sort(series.single.begin(), series.single.end(), smaller);
      std::sort(series.pieces.rbegin(), series.pieces.rend(), smaller);
      if (!series.single.empty()) out.series.push_back(std::move(series));
    }
  return out;
}

Message Recording::evidence() const {
  return {"recording.evidence", {{"device", device.name}, {"date", date}}};
}

const std::string& Recording::day_of(std::string_view kernel_id) const {
  const RecordedKernel* recorded = kernel(kernel_id);
  return recorded != nullptr && !recorded->date.empty() ? recorded->date : date;
}

Message Recording::evidence(std::string_view kernel_id) const {
  return {"recording.evidence", {{"device", device.name}, {"date", day_of(kernel_id)}}};
}

Message Recording::counters_evidence(std::string_view kernel_id) const {
  const RecordedKernel* recorded = kernel(kernel_id);
  if (recorded == nullptr || recorded->counters_date.empty()) return evidence(kernel_id);
  return {"recording.evidence", {{"device", device.name}, {"date", recorded->counters_date}}};
}

std::string source_hash(const GalleryKernel& kernel, std::string_view text) {
  Hash hash;
  hash.add(comments_in("en", text, kernel.file));
  hash.add(kernel.kernel);
  for (const auto* list : {&kernel.grid, &kernel.block, &kernel.arguments}) {
    for (const std::string& item : *list) hash.add(item);
    hash.add("");
  }
  hash.add(kernel.shared);
  for (const auto& [name, value] : kernel.defines) {
    hash.add(name);
    hash.add(value);
  }
  // A choice is recorded by its number.
  for (const Slider& slider : kernel.sliders)
    for (const std::string& choice : slider.choices) hash.add(choice);
  return hash.text();
}

fs::path own_recordings_folder() {
  if (const char* own = std::getenv("WARPLENS_RECORDINGS"); own != nullptr && *own != '\0') return own;
  if (const char* xdg = std::getenv("XDG_DATA_HOME"); xdg != nullptr && *xdg != '\0')
    return fs::path(xdg) / "warplens" / "recordings";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".local" / "share" / "warplens" / "recordings";
  return {};
}

Result<Recording> load_recording(const fs::path& file) {
  // Far above any real one; a device file or a wrong name must not fill the memory.
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;
  std::error_code failed;
  const std::uintmax_t bytes = fs::file_size(file, failed);
  if (!failed && bytes > kMostBytes)
    return told(ErrorKind::Usage, {"file.recording.too_large", {}}, {file.string()});
  const auto text = read_text(file);
  if (!text) return text.error();
  return parse_recording(*text, file);
}

Recordings load_recordings() {
  return load_recordings({assets_folder() / "recordings", own_recordings_folder()});
}

Recordings load_recordings(const std::vector<fs::path>& folders) {
  Recordings out;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    if (i + 1 == folders.size()) out.own_ = out.all.size();
    std::vector<fs::path> files;
    std::error_code ignored;
    if (!folders[i].empty())
      for (const auto& entry : fs::directory_iterator(folders[i], ignored))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files, {}, [](const fs::path& file) {
      return std::pair{file.filename() != Recordings::kStandard, file};
    });
    for (const fs::path& file : files) {
      auto recording = load_recording(file);
      if (recording)
        out.all.push_back(std::move(*recording));
      else
        out.problems.push_back(recording.error());
    }
  }
  return out;
}

const Recording* Recordings::best_for(std::string_view device) const {
  if (own_ < all.size()) return best();
  const auto of =
      std::ranges::find_if(all, [&](const Recording& r) { return measured_on(r.device).device == device; });
  return of == all.end() ? best() : &*of;
}

const Recording* Recordings::best() const {
  const auto older = [](const Recording& a, const Recording& b) { return a.date < b.date; };
  if (own_ < all.size())
    return &*std::max_element(all.begin() + static_cast<std::ptrdiff_t>(own_), all.end(), older);
  return all.empty() ? nullptr : &all.front();
}

}  // namespace warplens::model
