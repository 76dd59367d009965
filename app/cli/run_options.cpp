#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/command.h"
#include "app/cli/watch.h"
#include "app/model/gallery/gallery.h"
#include "app/model/text/text_options.h"
#include "engine/base/message.h"

namespace warplens::cli {
namespace {

// "stride=8", or "form=shuffle" where the slider has choices.
Result<std::pair<std::string, std::int64_t>> assigned(const model::GalleryKernel& kernel,
                                                      const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const model::Slider* const slider = kernel.slider(name);
  if (equals == std::string::npos || slider == nullptr || slider->choices.empty())
    return model::parse_slider(text);
  const std::string chosen = text.substr(equals + 1);
  const auto choice = std::find(slider->choices.begin(), slider->choices.end(), chosen);
  if (choice != slider->choices.end()) return std::pair{name, choice - slider->choices.begin()};
  const auto number = model::parse_slider(text);
  if (number && number->second >= slider->min && number->second <= slider->max) return number;
  return told(ErrorKind::Usage,
              {"cli.no_choice",
               {{"value", value_of(chosen)},
                {"slider", value_of(name)},
                {"choices", value_of(fmt::format("{}", fmt::join(slider->choices, ", ")))}}});
}

}  // namespace

Result<model::SliderValues> slider_values(const model::GalleryKernel& kernel,
                                          const std::vector<std::string>& set) {
  model::SliderValues values = model::default_values(kernel);
  for (const std::string& text : set) {
    const auto assignment = assigned(kernel, text);
    if (!assignment) return assignment.error();
    if (!values.contains(assignment->first)) {
      std::string names;
      for (const auto& [name, value] : values) names += (names.empty() ? "" : ", ") + name;
      return told(ErrorKind::Usage, {"cli.no_slider",
                                     {{"kernel", value_of(kernel.id)},
                                      {"slider", value_of(assignment->first)},
                                      {"sliders", value_of(names)}}});
    }
    values[assignment->first] = assignment->second;
  }
  return values;
}

namespace {

// The launch of a kernel of the gallery follows from its sliders: what else was asked for is not left out
// unsaid.
Status only_sliders(const model::GalleryKernel& kernel, const RunOptions& options) {
  for (const auto& [given, option] : {std::pair{!options.launch.grid.empty(), "--grid"},
                                      std::pair{!options.launch.block.empty(), "--block"},
                                      std::pair{options.launch.shared_bytes.has_value(), "--shared"},
                                      std::pair{!options.launch.arguments.empty(), "--arg"},
                                      std::pair{!options.program.cluster.empty(), "--cluster"},
                                      std::pair{!options.program.defines.empty(), "--define"}})
    if (given)
      return told(ErrorKind::Usage, {"cli.only_sliders",
                                     {{"option", value_of(option)},
                                      {"kernel", value_of(kernel.id)},
                                      {"file", value_of(kernel.file.string())}}});
  return Done{};
}

Result<model::RunRequest> gallery_request(const model::GalleryKernel& kernel, const RunOptions& options) {
  if (const Status only = only_sliders(kernel, options); !only) return only.error();
  const auto values = slider_values(kernel, options.set);
  if (!values) return values.error();
  const auto bound = model::launch_of(kernel, *values);
  if (!bound) return bound.error();
  model::ProgramRequest program_request = model::program_request(kernel, *bound);
  const auto asked = options.program.request("", options.launch.device);
  if (!asked) return asked.error();
  program_request.compiler = asked->compiler;
  program_request.arch = asked->arch;
  program_request.or_near = asked->or_near;
  program_request.limits = asked->limits;
  const auto program = load_watched(program_request);
  if (!program) return program.error();
  return options.launch.request(*program, &bound->launch);
}

}  // namespace

void RunOptions::add_options(CLI::App& command) {
  program.add_options(command);
  command.get_option("file")->description(
      "CUDA C++ (.cu), PTX (.ptx), or the name of a kernel of the gallery");
  launch.add_options(command);
  command.add_option("--set", set, "Set a slider of a gallery kernel")
      ->type_name("SLIDER=VALUE")
      ->allow_extra_args(false);
}

Result<std::optional<model::GalleryKernel>> gallery_kernel(const std::string& file) {
  const std::filesystem::path path = file;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return std::optional<model::GalleryKernel>();
  if (path.has_parent_path() || path.has_extension())
    return told(ErrorKind::Usage, {"file.not_readable", {}}, {file, 0, 0});
  const auto gallery = model::load_gallery();
  if (!gallery) return gallery.error();
  if (const model::GalleryKernel* kernel = gallery->find(file)) return std::optional(*kernel);
  Error error = gallery->without(file);
  if (!error.place.file.empty()) return error;
  error.message = fmt::format("there is no file '{0}', and {1}", file, error.message);
  return error;
}

Result<model::RunRequest> RunOptions::request(std::vector<model::Assumption>* assumed) const {
  const auto kernel = gallery_kernel(program.file);
  if (!kernel) return kernel.error();
  if (*kernel) return gallery_request(**kernel, *this);
  const auto program_request = program.request(launch.kernel, launch.device);
  if (!program_request) return program_request.error();
  const auto loaded = load_watched(*program_request);
  if (!loaded) return loaded.error();
  LaunchOptions options = launch;
  return options.request(*loaded, nullptr, assumed);
}

}  // namespace warplens::cli
