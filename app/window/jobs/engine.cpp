#include "app/window/jobs/engine.h"

#include "app/model/opened/adopt.h"
#include "app/model/opened/give.h"
#include "app/model/recording/measure.h"
#include "app/model/run/gpu_run.h"
#include "app/model/study/modelled.h"
#include "app/model/study/occupancy_lab.h"
#include "app/model/study/relatives.h"

namespace warplens::window {

namespace {

// Programs as the GPU that is about to run them needs them: what is shown was compiled for the device that
// was chosen. Keeps the last one; asked by the measurer's thread alone.
class Suited {
 public:
  Result<model::RunRequest> request(const model::RunRequest& shown, int gpu, Progress* progress) {
    const auto& devices = gpu::discover().devices;
    if (gpu < 0 || static_cast<std::size_t>(gpu) >= devices.size()) return shown;
    const std::string target = devices[static_cast<std::size_t>(gpu)].target();
    model::RunRequest out = shown;
    if (shown.program != shown_ || target != target_) {
      auto program = model::for_target(shown.program, target, progress);
      if (!program) return program.error();
      shown_ = shown.program;
      target_ = target;
      suited_ = std::move(*program);
    }
    out.program = suited_;
    return out;
  }

 private:
  std::shared_ptr<const model::Program> shown_, suited_;
  std::string target_;
};

// Keeps the session of the last program: a sweep times it many times, and a new session takes a second.
class TimingDesk {
 public:
  Result<gpu::Timing> time(const model::RunRequest& request, const gpu::TimingOptions& options, int gpu,
                           Progress* progress) {
    const auto entry = request.program->module->find_entry(request.launch.kernel);
    if (!entry) return entry.error();
    if (!session_ || module_ != request.program->module || gpu_ != gpu) {
      session_.reset();
      auto opened = gpu::Session::open(request.program->module, gpu);
      if (!opened) return opened.error();
      session_ = std::move(*opened);
      module_ = request.program->module;
      gpu_ = gpu;
    }
    trace::Launch launch = request.launch;
    launch.kernel = (*entry)->name;
    auto timing = session_->time(launch, options, progress);
    if (timing) return timing;
    // A kernel that faulted took its process along; one that was stopped is as good as before.
    if (timing.error().kind != ErrorKind::Cancelled) session_.reset();
    return timing.error();
  }

 private:
  std::unique_ptr<gpu::Session> session_;
  std::shared_ptr<const ptx::Module> module_;
  int gpu_ = 0;
};

// In a worker of its own, which ends with it: a process that CUPTI watches is no place to measure time.
Result<gpu::CounterReading> read_counters(const model::RunRequest& request, int gpu, Progress* progress) {
  const auto entry = request.program->module->find_entry(request.launch.kernel);
  if (!entry) return entry.error();
  auto session = gpu::Session::open(request.program->module, gpu);
  if (!session) return session.error();
  trace::Launch launch = request.launch;
  launch.kernel = (*entry)->name;
  return (*session)->counters(launch, progress);
}

Result<visual::TransferRates> time_copies(const model::GalleryKernel& kernel, int gpu, Progress* progress) {
  const auto rows = model::transfers_on_gpu(kernel, {}, gpu, progress);
  if (!rows) return rows.error();
  model::Recording now;
  for (const gpu::TransferRow& row : *rows) now.transfers.push_back(model::recorded_transfer(row));
  return now.transfer_rates();
}

// With the same work in one stream and one piece, which it is compared with.
Result<visual::StreamTimeline> time_streams(const model::GalleryKernel& kernel,
                                            const model::SliderValues& values, int gpu, Progress* progress) {
  const auto times = model::streams_on_gpu(kernel, values, gpu, progress);
  if (!times) return times.error();
  const auto count = [&](const char* slider) {
    const auto found = values.find(slider);
    return found == values.end() ? 1 : static_cast<int>(found->second);
  };
  visual::StreamTimeline out = model::timeline_of(*times, count("streams"), count("chunks"));
  model::SliderValues alone = values;
  for (const char* slider : {"streams", "chunks"})
    if (alone.contains(slider)) alone[slider] = 1;
  if (const auto one = model::streams_on_gpu(kernel, alone, gpu, progress))
    out.one_stream_ms = model::spread_of(one->totals).median;
  return out;
}

}  // namespace

Engine Engine::real() {
  const auto suited = std::make_shared<Suited>();
  return {
      [](const model::ProgramRequest& request, Progress* progress) {
        return model::load_program(request, progress);
      },
      [](const model::GalleryKernel& kernel, const model::SliderValues& values) {
        return model::launch_of(kernel, values);
      },
      [](const model::RunRequest& request, Progress* progress) { return model::execute(request, progress); },
      [](const model::Program& program, const std::string& name) {
        auto adopted = model::adopt(program, name);
        if (adopted) model::list_arguments(program, *adopted);
        return adopted;
      },
      [] {
        return Inventory{gpu::discover(), model::load_recordings()};
      },
      [suited, desk = std::make_shared<TimingDesk>()](const model::RunRequest& shown,
                                                      const gpu::TimingOptions& options, int gpu,
                                                      Progress* progress) -> Result<gpu::Timing> {
        const auto request = suited->request(shown, gpu, progress);
        return request ? desk->time(*request, options, gpu, progress) : request.error();
      },
      [suited](const model::RunRequest& shown, int gpu,
               Progress* progress) -> Result<std::shared_ptr<const model::Run>> {
        model::GpuOptions options;
        options.device = gpu;
        const auto request = suited->request(shown, gpu, progress);
        return request ? model::execute_on_gpu(*request, options, progress) : request.error();
      },
      [suited](const model::RunRequest& shown, int gpu, Progress* progress) -> Result<gpu::CounterReading> {
        const auto request = suited->request(shown, gpu, progress);
        return request ? read_counters(*request, gpu, progress) : request.error();
      },
      time_copies,
      time_streams,
      [](const model::Run& run, const analysis::Device& device, const analysis::ComputeCapability& capability,
         Progress* progress) {
        model::ModelOptions options;
        options.record = model::kRecordedSegments;
        return model::model_run(run, device, capability, options, progress);
      },
      model::with_shelf,
      [](const model::GalleryKernel& kernel, const model::Run& run, const model::SliderValues& values,
         const analysis::Device& device, const analysis::ComputeCapability& capability,
         const model::LoadProgram& load, Progress* progress) {
        return model::what_if(kernel, run, values, device, capability, load, {}, progress);
      },
      [](const model::GalleryKernel& kernel, const model::Run& run, const model::SliderValues& values,
         const analysis::Device& device, const analysis::ComputeCapability& capability,
         const model::LoadProgram& load, Progress* progress) {
        return std::make_shared<const model::OccupancyTrials>(
            model::occupancy_trials(kernel, run, values, device, capability, load, progress));
      },
      [](const model::GalleryKernel& kernel, const model::SliderValues& values,
         const analysis::Device& device, const analysis::ComputeCapability& capability,
         const model::LoadProgram& load, Progress* progress) {
        return std::make_shared<const model::Relatives>(
            model::relatives(kernel, values, device, capability, load, progress));
      },
  };
}

}  // namespace warplens::window
