// What `warplens time` answers, as JSON and as text: one launch, a sweep, copies, or a timeline of streams.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/recording/recording.h"
#include "app/model/run/gpu_run.h"
#include "app/model/run/pipeline.h"
#include "engine/base/message.h"
#include "engine/gpu/execution.h"

namespace warplens::cli {

struct Answer {
  std::string json, text;
};

// Where a measurement comes from: this machine's GPU, or a recording (not null) of another one.
struct Origin {
  std::string device;
  const model::Recording* recording = nullptr;
  std::string kernel = {};  // whose points are played; empty: copies and streams, or nothing of a kernel
};

struct TimedLaunch {
  std::string kernel;
  trace::Launch launch;
  gpu::Timing timing;
  gpu::DeviceInfo device;
  std::optional<model::Spread> spread;  // of a recording, which has no single runs
  std::shared_ptr<const model::Run> counted;
  std::optional<gpu::CounterReading> counters;
  std::string counters_reason;
  std::optional<model::InstrumentationCost> instrumented;
  int registers_per_thread = 0;
};

struct SweptPoint {
  std::int64_t value = 0;
  model::Spread spread;
  std::vector<Message> warnings;
};

class TimeReport {
 public:
  TimeReport(const Catalogue& catalogue, bool flushed_l2) : catalogue_(catalogue), flushed_l2_(flushed_l2) {}
  Answer launch(const TimedLaunch& timed, const Origin& origin) const;
  Answer sweep(const model::GalleryKernel& kernel, const std::string& slider,
               const model::SliderValues& values, const std::vector<SweptPoint>& points,
               const Origin& origin) const;
  Answer transfers(const std::vector<model::RecordedTransfer>& rows, const Origin& origin) const;
  Answer streams(const std::vector<model::RecordedStreams>& runs, const Origin& origin) const;

 private:
  std::string evidence(const Origin& origin) const;  // "measured" or "measured, on ..., recorded on ..."
  const Catalogue& catalogue_;
  bool flushed_l2_;
};

}  // namespace warplens::cli
