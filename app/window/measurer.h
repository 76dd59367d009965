// Everything that needs a GPU, on a thread of its own: the instrumented run, the timed runs, the sweep over a
// slider, one after another, so that no measurement disturbs another. The newest job wins; what it replaces
// is stopped. Also finds, at its start, which GPUs and recordings there are.
//
//   measurer.submit({.ticket = 3, .kernel = k, .program = p, .launch = l});
//   while (auto measured = measurer.take()) ...
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/model/view_data.h"
#include "app/window/engine.h"
#include "app/window/measurement.h"
#include "app/window/timeline.h"

namespace warplens::window {

struct MeasureJob {
  std::uint64_t ticket = 0;
  model::GalleryKernel kernel;
  model::SliderValues values;
  std::shared_ptr<const model::Program> program;
  trace::Launch launch;
  std::string device = "H200 SXM";  // of the catalogue: what modelled numbers are about
  const analysis::Device* facts = nullptr;
  const analysis::ComputeCapability* capability = nullptr;
  int gpu = 0;
  bool cold = false;
  bool trace = true;                  // run it instrumented, too
  std::vector<std::uint64_t> blocks;  // to record then
  std::string sweep;                  // slider whose values are then timed; empty: none
};

// One of these is set; `last` ends a ticket.
struct Measured {
  std::uint64_t ticket = 0;
  std::optional<Inventory> inventory;
  std::shared_ptr<const model::Run> run;  // what the warps did on the hardware
  std::shared_ptr<const model::ViewData> data;
  Timeline timeline;
  std::optional<gpu::Timing> timing;
  std::optional<MeasuredPoint> point;  // of the sweep, in ascending order
  std::optional<Error> error;
  bool last = false;
};

class Measurer {
 public:
  Measurer(Engine engine, std::function<void()> wake);
  ~Measurer();  // cancels and waits

  void submit(MeasureJob job);
  void cancel();
  std::optional<Measured> take();
  bool busy() const;
  bool measuring() const;   // a job runs
  double fraction() const;  // of its runs and sweep

 private:
  void work();
  void measure(const MeasureJob& job, Progress& progress);
  bool trace(const MeasureJob& job, const model::RunRequest& request, Progress& progress);
  void sweep(const MeasureJob& job, const model::RunRequest& request, Progress& progress);
  void deliver(Measured measured);
  bool stale(const Progress& progress) const;

  Engine engine_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<MeasureJob> waiting_;
  std::deque<Measured> deliveries_;
  std::shared_ptr<Progress> progress_;
  double fraction_ = 0;
  bool looking_ = true;  // for GPUs and recordings
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace warplens::window
