// Compiles and emulates on a thread of its own, so that no work ever runs inside a frame.
//
// Latest wins: of jobs that wait only the newest is kept. A job that is already running may finish when only
// slider values changed (a picture while the slider moves is worth more than the very last value), unless it
// takes long; another kernel or text cancels it at once. A large launch is delivered twice: first the traced
// blocks alone, which is what the views draw, then the whole launch with its exact totals. What the models
// say, looking for faults, a sweep over one slider and what other values of the others would be worth come
// last and give way to everything. The two sides of a comparison take turns until each has its traced blocks;
// the rest of the other side gives way to what is open, and is made afterwards. What only one view asks for
// is a job of its own, a study.
//
//   runner.submit({.kernel = kernel, .values = values});
//   while (auto delivery = runner.take()) ...
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/model/picture/view_data.h"
#include "app/window/jobs/counted_points.h"
#include "app/window/jobs/earlier.h"
#include "app/window/jobs/engine.h"
#include "app/window/jobs/sweep.h"
#include "app/window/jobs/timeline.h"
#include "visual/view.h"

namespace warplens::window {

struct Job {
  std::uint64_t ticket = 0;  // given by the runner, ascending
  bool pinned = false;       // the other side of a comparison: takes turns with what is open
  bool previewed = false;    // set by the runner: its traced blocks are there, the rest of it may wait
  model::GalleryKernel kernel;
  model::SliderValues values;
  std::optional<std::string> text;           // what the editor holds; otherwise the file is read
  std::string adopt_file;                    // not empty: open this user's file, make `kernel` from it
  std::map<std::string, std::string> given;  // and put this in place of what is assumed about it
  CompilerChoices compiler;
  std::vector<std::string> instances;  // of templates, that the file does not launch
  std::string device = "H200 SXM";
  const analysis::Device* gpu = nullptr;  // the same; both outlive the runner
  const analysis::ComputeCapability* capability = nullptr;
  model::RowWidths row_widths;        // of matrices, as typed
  std::vector<std::uint64_t> blocks;  // linear blocks to trace; empty: the first
  bool check = false;  // look for races, unwritten memory and the like once the picture is there
  std::string sweep;   // slider whose values are then tried one after another; empty: none
  bool better = true;  // look in the end for what other values of the sliders would be worth
  ResultKey of;        // what was asked for
  // Nothing is run but what views ask about this run, which is there.
  std::shared_ptr<const model::Run> studied;
  bool try_occupancy = false, try_relatives = false;
  std::shared_ptr<const analysis::Modelled> on_one_device;  // not null: what to fill the shelf of
};

// What looking for faults gave: a report of the launch whose faults are all that were found.
struct Checked {
  analysis::Report report;
  std::uint64_t blocks = 0, blocks_total = 0;  // looked at to their end, and all
  bool complete = true;                        // false: it took too long
  bool ended = false;                          // by a fault that no launch survives: no later block ran
};

struct Delivery {
  std::uint64_t ticket = 0;
  bool pinned = false;  // as in the job
  bool last = true;     // nothing further follows for this job
  bool whole = false;   // the report covers the whole launch
  std::optional<model::Adopted> adopted;
  ResultKey of;                                   // with the values that an adopted kernel starts with
  std::shared_ptr<const model::Program> program;  // null when it did not compile
  std::shared_ptr<const model::Run> run;          // null on an error
  std::shared_ptr<const model::ViewData> data;    // what views need besides
  Timeline timeline;                              // of all traced warps
  std::optional<Swept> swept;                     // alone: everything else then stays as it is
  std::shared_ptr<const Checked> checked;         // alone as well
  // Alone as well, but for a pinned side; null where the models say nothing.
  std::optional<std::shared_ptr<const analysis::Modelled>> modelled;
  std::optional<std::optional<model::WhatIf>> what_if;  // alone as well
  // Of a study, each alone.
  std::shared_ptr<const model::OccupancyTrials> occupancy;
  std::shared_ptr<const model::Relatives> relatives;
  std::shared_ptr<const analysis::Modelled> on_all_devices;
  std::optional<Error> error;
};

class Runner {
 public:
  // `wake` is called from the worker after each delivery.
  Runner(Engine engine, std::function<void()> wake);
  ~Runner();  // cancels and waits

  void submit(Job job);
  void cancel();
  std::optional<Delivery> take();

  bool busy() const;
  bool sweeping() const;
  bool idle() const;               // neither, seen at one moment
  bool compiling() const;          // the running job has no program yet
  double fraction() const;         // of the running job, 0 to 1
  int line() const;                // of the loop that it has been in for long; 0: of none
  double seconds_running() const;  // 0 when idle

 private:
  struct CachedProgram {
    std::string key;
    std::shared_ptr<const model::Program> program;
  };

  void work();
  // Returns the job as it ran (a user's file has its kernel now), nothing when it failed or gave way.
  std::optional<Job> run(const Job& job);
  struct SweepRun {
    std::int64_t value = 0;
    CountedPoints::Key key;
    model::RunRequest request;
  };
  std::vector<SweepRun> sweep_runs(const Job& job, const model::Slider& slider);
  void sweep(const Job& job);
  void check(const Job& job);
  void finish(std::unique_lock<std::mutex>& lock);
  bool models(const Job& job) const;
  void model_it(const Job& job);
  void look_for_better(const Job& job);
  void study(const Job& job);
  Result<std::shared_ptr<const model::Program>> program_for(const Job& job, model::ProgramRequest request,
                                                            Progress* progress);
  void deliver(Delivery delivery);
  bool superseded() const;
  void compiled();
  bool pinned_turn() const;        // holds the mutex
  void previewed(const Job& job);  // of a pinned one: what is open comes first from now on
  // A pinned job that was cancelled by others waits again, unless a newer one does.
  bool gives_way(const Job& original);

  Engine engine_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Job> waiting_, waiting_pinned_;
  std::optional<Job> ran_;  // what is open has run: its models, curve and so on are still to come
  std::uint64_t submitted_ = 0;
  std::deque<Delivery> deliveries_;
  std::shared_ptr<Progress> progress_;          // of the running job
  std::shared_ptr<Progress> sweep_progress_;    // of the check and the sweep behind it
  std::shared_ptr<const model::Run> last_run_;  // worker only: what the models and the check are of
  std::string running_key_;                     // kernel and text of the running job
  bool compiling_ = false;                      // of the running job
  std::optional<double> started_;               // steady seconds
  bool running_pinned_ = false, running_previewed_ = false, last_was_pinned_ = false;
  bool stop_ = false;
  std::deque<CachedProgram> programs_;  // worker only; newest first
  CountedPoints counted_;               // worker only; of these programs
  std::thread thread_;
};

}  // namespace warplens::window
