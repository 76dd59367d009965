// What the window asks of the rest of the program, as functions: tests put their own in place of the
// compiler and the emulator.
#pragma once

#include <functional>
#include <memory>

#include "app/model/gallery/gallery.h"
#include "app/model/opened/adopt.h"
#include "app/model/run/pipeline.h"
#include "app/model/study/what_if.h"
#include "app/window/jobs/measurement.h"
#include "engine/analysis/device.h"
#include "engine/base/progress.h"

namespace warplens::analysis {
struct Modelled;  // engine/analysis/modelled.h
}

namespace warplens::model {
struct OccupancyTrials;  // app/model/study/occupancy_lab.h
struct Relatives;        // app/model/study/relatives.h
}  // namespace warplens::model

namespace warplens::window {

// Of chosen blocks, of a run that is looked at.
inline constexpr std::size_t kTraceBytes = std::size_t{96} << 20;

struct Engine {
  std::function<Result<std::shared_ptr<const model::Program>>(const model::ProgramRequest&, Progress*)> load;
  std::function<Result<model::BoundLaunch>(const model::GalleryKernel&, const model::SliderValues&)> bind;
  std::function<Result<std::shared_ptr<const model::Run>>(const model::RunRequest&, Progress*)> execute;
  // A kernel of a user's own file, with sliders for its launch and all that was assumed about it; `name`
  // empty: the first that can run.
  std::function<Result<model::Adopted>(const model::Program&, const std::string& name)> adopt;

  // What needs a GPU. Without `inventory` there are neither GPUs nor recordings.
  std::function<Inventory()> inventory;
  std::function<Result<gpu::Timing>(const model::RunRequest&, const gpu::TimingOptions&, int gpu, Progress*)>
      time;
  std::function<Result<std::shared_ptr<const model::Run>>(const model::RunRequest&, int gpu, Progress*)>
      trace;

  // Hardware counters of one launch; fails with what to do where they may not be read or CUPTI is missing.
  std::function<Result<gpu::CounterReading>(const model::RunRequest&, int gpu, Progress*)> counters;
  // What kernels about copies and streams are about.
  std::function<Result<visual::TransferRates>(const model::GalleryKernel&, int gpu, Progress*)> transfers;
  std::function<Result<visual::StreamTimeline>(const model::GalleryKernel&, const model::SliderValues&,
                                               int gpu, Progress*)>
      streams;

  // What the models say of a run, with everything that pictures of them need; null where they say nothing.
  // Without it there are no models.
  std::function<std::shared_ptr<const analysis::Modelled>(const model::Run&, const analysis::Device&,
                                                          const analysis::ComputeCapability&, Progress*)>
      models;
  // The same on every device of the list: `modelled` with its shelf filled; without it there is no shelf.
  std::function<std::shared_ptr<const analysis::Modelled>(
      const model::Run&, const std::shared_ptr<const analysis::Modelled>& modelled, Progress*)>
      shelf;
  // Which slider's value would do the same in less time; without it nobody looks.
  std::function<std::optional<model::WhatIf>(
      const model::GalleryKernel&, const model::Run&, const model::SliderValues&, const analysis::Device&,
      const analysis::ComputeCapability&, const model::LoadProgram&, Progress*)>
      what_if;
  // What single views find out by trying, for as long as they are looked at: other block sizes and fewer
  // registers, the kernel's other choices under its roof; without them nobody tries.
  std::function<std::shared_ptr<const model::OccupancyTrials>(
      const model::GalleryKernel&, const model::Run&, const model::SliderValues&, const analysis::Device&,
      const analysis::ComputeCapability&, const model::LoadProgram&, Progress*)>
      occupancy;
  std::function<std::shared_ptr<const model::Relatives>(
      const model::GalleryKernel&, const model::SliderValues&, const analysis::Device&,
      const analysis::ComputeCapability&, const model::LoadProgram&, Progress*)>
      relatives;

  static Engine real();
};

}  // namespace warplens::window
