// What a real GPU measured, kept in one compact file, so that a machine without one can play it.
//
//   const Recordings recordings = load_recordings();               // assets/recordings, then the user's own
//   if (const Recording* r = recordings.best())
//     if (const auto timed = r->find(kernel, source_hash(kernel, text), values)) show(timed->warm.median);
//
// A file (schema "warplens.recording/1") holds the device, its driver, clocks and date, and for each gallery
// kernel a list of points: one value for each slider, with the spread of the measured times. Sectors and
// conflicts are not in it: the emulator counts them when they are shown. A kernel that was edited since has
// no recording: each kernel carries a hash of its text and launch. See docs/RECORDINGS.md.
//
// Times are milliseconds, sizes bytes, rates bytes a second, clocks MHz. Everything here is plain data that
// owns itself; reading any file ends in a Recording or in an Error with the file's name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/model/gallery/gallery.h"
#include "engine/analysis/roofline.h"
#include "engine/gpu/execution.h"
#include "visual/hardware.h"
#include "visual/view.h"

namespace warplens::model {

// Many runs of one launch. Outliers are kept as they came: runs further than 1.5 times p25..p75 outside it.
struct Spread {
  double median = 0, p5 = 0, p25 = 0, p75 = 0, p95 = 0;
  int runs = 0;
  std::vector<double> outliers;  // at most 8, the slowest first
};
Spread spread_of(const std::vector<double>& milliseconds);

struct RecordedPoint {
  std::vector<std::int64_t> values;  // one for each of RecordedKernel::sliders
  Spread warm;                       // L2 as the run before left it
  std::optional<Spread> cold;        // L2 flushed before each run
  std::vector<double> runs = {};     // every warm run in order; only as the kernel opens, else empty
};

// {"dram__bytes_read.sum", 524288}, ... as in gpu::CounterReading.
using CounterValues = std::vector<std::pair<std::string, double>>;

// Hardware counters of one launch.
struct RecordedCounters {
  std::vector<std::int64_t> values;  // as in RecordedPoint
  gpu::CounterReading reading;
};

struct RecordedKernel {
  std::string id;      // of the gallery
  std::string source;  // source_hash() of what was measured
  std::vector<std::string> sliders;
  std::vector<RecordedPoint> points;  // sorted by values, each once
  int clock_before = 0, clock_after = 0;
  std::vector<RecordedCounters> counters;  // at counter_points() of the kernel; empty: not read
  // When it was measured, when not on the day of the recording: an update measures only what has changed.
  std::string date, counters_date;
  const RecordedPoint* find(const SliderValues& values) const;
  // `values` in the order of `sliders`; nothing when they are other sliders.
  std::optional<std::vector<std::int64_t>> ordered(const SliderValues& values) const;
};

// Copies between host and device memory: `count` copies of `bytes` each, one after another.
struct RecordedTransfer {
  std::uint64_t bytes = 0;
  int count = 1;
  bool pinned = false, to_device = true;
  Spread spread;  // of all `count` copies together
  double bytes_per_second() const;
};

// The same work cut into pieces over 1 to 4 streams (docs/RECORDINGS.md says what the work is).
struct RecordedStreams {
  int streams = 1, chunks = 1;
  std::uint64_t bytes = 0;                // copied in, and as many out
  Spread total;                           // of the whole, over several runs
  std::vector<visual::StreamSpan> spans;  // of one run near the median, by begin
  std::string clock;                      // "events" or "cupti": which clock the begins and ends come from
};

// What the vendor's library took for a product of matrices, L2 as the run before left it.
struct RecordedProduct {
  gpu::ProductSize size;
  Spread time;
  std::string library;  // "cuBLAS 13.0.2"
  std::string date;     // when it was timed, when not on the day of the recording
};

// What `warplens record --update` added to a recording that was there.
struct RecordedUpdate {
  std::string date, driver, toolkit;
  int points = 0, counters = 0, transfers = 0, streams = 0, products = 0;  // so many were measured
};

struct Recording {
  std::filesystem::path file;
  gpu::DeviceInfo device;
  std::string driver, toolkit, date;  // "580.159.04 (CUDA 13.0)", "13.0.88", "2026-11-20"
  int clock_before = 0, clock_after = 0;
  double empty_kernel = 0;           // what an empty kernel takes, milliseconds
  double peak_bytes_per_second = 0;  // measured: a large copy inside device memory, read and written
  analysis::Reached ceilings;        // what the GPU reaches at most (ceilings.h); empty: not measured
  std::vector<RecordedKernel> kernels;
  std::vector<RecordedTransfer> transfers;
  std::vector<RecordedStreams> streams;
  std::vector<RecordedProduct> products;  // by the library, for kernels that make such products
  std::vector<RecordedUpdate> updates;    // in the order in which they were made
  std::string counters_reason;            // why there are no counters, or empty
  std::string note;                       // "stopped before the end", or empty

  const RecordedKernel* kernel(std::string_view id) const;
  // What was measured for exactly these values of this text; null when there is none.
  const RecordedPoint* find(const GalleryKernel& kernel, std::string_view source,
                            const SliderValues& values) const;
  // The same as a Timing, with its warnings computed from the recorded evidence; `launch` is what the values
  // mean (launch_of). Single runs are recorded at the default values; elsewhere milliseconds holds the
  // outliers alone.
  std::optional<gpu::Timing> timing(const GalleryKernel& kernel, std::string_view source,
                                    const SliderValues& values, const trace::Launch& launch,
                                    bool flushed_l2 = false) const;
  // The hardware counters of exactly these values; null when they were not read.
  const gpu::CounterReading* counters(const GalleryKernel& kernel, std::string_view source,
                                      const SliderValues& values) const;
  // All points in which only `slider` differs from `values`, by its value: milliseconds with p5..p95 as the
  // spread. Empty when there are fewer than two.
  std::optional<visual::SweepSeries> sweep(const GalleryKernel& kernel, std::string_view source,
                                           const std::string& slider, const SliderValues& values,
                                           bool flushed_l2 = false) const;
  // What the library took for what the kernel does, at each value of `slider` that it was measured for (each
  // choice, where that is one); empty when it makes no product or nobody measured it.
  std::optional<visual::SweepSeries> library_line(const GalleryKernel& kernel, const std::string& slider,
                                                  const SliderValues& values) const;
  std::string name_of(const RecordedProduct& by_library, std::string_view kernel_id) const;
  const RecordedProduct* product(const gpu::ProductSize& size) const;  // null: not measured
  // The same as a flat line of the roofline, at exactly these values.
  std::optional<visual::RooflineCeiling> library_roof(const GalleryKernel& kernel,
                                                      const SliderValues& values) const;
  // The recorded timeline of so many streams; chunks 0: the one with the most.
  std::optional<visual::StreamTimeline> timeline(int streams, int chunks = 0) const;
  // Copies by memory and direction, single ones and the total that was also sent in pieces.
  visual::TransferRates transfer_rates() const;
  // "measured, on NVIDIA H200, recorded on 2026-11-20" in the user's language. Of the whole, or of the points
  // or counters of one kernel, which may be younger.
  const std::string& day_of(std::string_view kernel_id) const;  // of the kernel's points
  Message evidence() const;
  Message evidence(std::string_view kernel_id) const;
  Message counters_evidence(std::string_view kernel_id) const;
};

// What a recording of a kernel depends on: its text (as in the editor) and how its values become a launch.
std::string source_hash(const GalleryKernel& kernel, std::string_view text);

Result<Recording> parse_recording(std::string_view json, const std::filesystem::path& file);
Result<Recording> load_recording(const std::filesystem::path& file);
// Deterministic: the same recording is the same text.
std::string recording_json(const Recording& recording);

struct Recordings {
  // Lessons and texts quote its times.
  static constexpr std::string_view kStandard = "nvidia-h200.json";
  // The program's own, kStandard first and the others by file name, then the user's.
  std::vector<Recording> all;
  std::vector<Error> problems;  // files that cannot be read; the rest is usable
  // The user's own newest, else the first; null when there is none.
  const Recording* best() const;
  // The user's own newest, else the program's own of that GPU, as the device list names it, else the first.
  const Recording* best_for(std::string_view device) const;

 private:
  friend Recordings load_recordings(const std::vector<std::filesystem::path>& folders);
  std::size_t own_ = 0;  // index of the first in all that is the user's
};
Recordings load_recordings();
Recordings load_recordings(const std::vector<std::filesystem::path>& folders);  // the last is the user's
// $WARPLENS_RECORDINGS, else $XDG_DATA_HOME/warplens/recordings, else ~/.local/share/warplens/recordings.
std::filesystem::path own_recordings_folder();

}  // namespace warplens::model
