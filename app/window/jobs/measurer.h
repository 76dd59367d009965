// Everything that needs a GPU, on a thread of its own: timed runs, the instrumented run, the sweep over a
// slider, hardware counters, copies, one after another, so that no measurement disturbs another. The newest
// job wins; what it replaces is stopped, and nothing of it but a glimpse is delivered any more. The other
// side of a comparison is timed beside: behind the time of what is open, or when nothing else is measured.
// Also finds, at its start, which GPUs and recordings there are.
//
//   measurer.submit({.steps = {MeasureStep::Timing}, .kernel = k, .program = p, .launch = l});
//   while (auto measured = measurer.take()) ...
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/model/picture/view_data.h"
#include "app/window/jobs/engine.h"
#include "app/window/jobs/measurement.h"
#include "app/window/jobs/timeline.h"

namespace warplens::window {

// Glimpse: a timing of few runs, while a slider moves; it is worth more than the very last value, so what is
// asked for next waits until it is there.
enum class MeasureStep : std::uint8_t { Glimpse, Timing, Trace, Sweep, Counters, Transfers, Streams };

struct MeasureJob {
  std::vector<MeasureStep> steps;  // in the order in which they are made; none after a timing that failed
  model::GalleryKernel kernel;
  model::SliderValues values;
  std::shared_ptr<const model::Program> program;
  trace::Launch launch;
  std::string device = "H200 SXM";  // of the catalogue: what modelled numbers are about
  const analysis::Device* facts = nullptr;
  const analysis::ComputeCapability* capability = nullptr;
  int gpu = 0;
  bool cold = false;
  std::vector<std::uint64_t> blocks;  // to record when it runs instrumented
  std::string sweep;                  // slider whose values are timed
  Inputs of;                          // what was asked for
  bool moved = false;  // a slider was: what is not stopped in a moment begins when the hand rests
};

// Of the other side; one of the two is set.
struct OtherTiming {
  Inputs of;
  std::optional<gpu::Timing> timing;
  std::optional<Error> error;
};

// One of these is set; `last` ends a job.
struct Measured {
  std::optional<Inventory> inventory;
  std::shared_ptr<const model::Run> run;  // what the warps did on the hardware
  std::shared_ptr<const model::ViewData> data;
  Timeline timeline;
  std::optional<gpu::Timing> timing;
  std::optional<Nearby> glimpse;
  std::optional<MeasuredPoint> point;  // of the sweep, in ascending order
  std::optional<gpu::CounterReading> counters;
  std::optional<Error> counters_error;
  std::optional<visual::TransferRates> transfers;
  std::optional<visual::StreamTimeline> streams;
  std::optional<OtherTiming> other;
  std::optional<Error> error;
  bool last = false;
};

class Measurer {
 public:
  Measurer(Engine engine, std::function<void()> wake);
  ~Measurer();  // cancels and waits

  void submit(MeasureJob job);
  void time_other(MeasureJob job);  // its steps do not matter; takes the place of one that waits
  void cancel();                    // what was measured stays, and the end is told
  void forget();                    // nothing more of the newest job is wanted
  std::optional<Measured> take();
  bool busy() const;
  bool measuring() const;  // a job runs
  std::optional<MeasureStep> step() const;
  double fraction() const;  // of the step in hand

 private:
  void work();
  void measure(const MeasureJob& job, Progress& progress);
  // False where something newer is asked for; what was to be timed waits again.
  bool time_beside(Progress& progress);
  // One step; false ends the job.
  bool make(MeasureStep step, const MeasureJob& job, const model::RunRequest& request, Progress& progress);
  bool glimpse(const MeasureJob& job, const model::RunRequest& request, Progress& progress);
  Result<gpu::Timing> timed_well(const MeasureJob& job, const model::RunRequest& request, Progress& progress);
  bool time(const MeasureJob& job, const model::RunRequest& request, Progress& progress);
  bool trace(const MeasureJob& job, const model::RunRequest& request, Progress& progress);
  Result<std::shared_ptr<const model::Program>> program_at(const MeasureJob& job,
                                                           const model::RunRequest& request,
                                                           const model::BoundLaunch& bound,
                                                           Progress& progress);
  bool sweep(const MeasureJob& job, const model::RunRequest& request, Progress& progress);
  bool counters(const MeasureJob& job, const model::RunRequest& request, Progress& progress);
  bool transfers(const MeasureJob& job, const model::RunRequest& request, Progress& progress);
  bool streams(const MeasureJob& job, const model::RunRequest& request, Progress& progress);
  void deliver(Measured measured);
  bool stale(const Progress& progress) const;
  bool rests(const Progress& progress);  // for a moment nothing newer was asked for
  void cancel_running();                 // the caller holds the lock, here and in the next
  void drop();

  Engine engine_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<MeasureJob> waiting_, other_;
  std::deque<Measured> deliveries_;
  std::shared_ptr<Progress> progress_;
  std::optional<MeasureStep> step_;
  std::chrono::steady_clock::time_point began_;  // the job in hand
  bool glimpses_ = false;                        // that is all it does
  bool wanted_ = true;                           // nothing newer was asked for
  double swept_ = 0;                             // of the sweep; the other steps report for themselves
  bool looking_ = true;                          // for GPUs and recordings
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace warplens::window
