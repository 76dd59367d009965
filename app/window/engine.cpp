#include "app/window/engine.h"

#include "app/window/adopt.h"

namespace warplens::window {

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
  };
}

}  // namespace warplens::window
