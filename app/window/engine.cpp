#include "app/window/engine.h"

#include "app/model/gpu_run.h"
#include "app/window/adopt.h"

namespace warplens::window {

namespace {

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
    // A kernel that faulted took its session along.
    if (!timing) session_.reset();
    return timing;
  }

 private:
  std::unique_ptr<gpu::Session> session_;
  std::shared_ptr<const ptx::Module> module_;
  int gpu_ = 0;
};

}  // namespace

Engine Engine::real() {
  return {
      [](const model::ProgramRequest& request, Progress* progress) {
        return model::load_program(request, progress);
      },
      [](const model::GalleryKernel& kernel, const model::SliderValues& values) {
        return model::launch_of(kernel, values);
      },
      [](const model::RunRequest& request, Progress* progress) { return model::execute(request, progress); },
      [](const model::Program& program, const std::string& name) { return window::adopt(program, name); },
      [] {
        return Inventory{gpu::discover(), model::load_recordings()};
      },
      [desk = std::make_shared<TimingDesk>()](
          const model::RunRequest& request, const gpu::TimingOptions& options, int gpu, Progress* progress) {
        return desk->time(request, options, gpu, progress);
      },
      [](const model::RunRequest& request, int gpu, Progress* progress) {
        model::GpuOptions options;
        options.device = gpu;
        return model::execute_on_gpu(request, options, progress);
      },
  };
}

}  // namespace warplens::window
