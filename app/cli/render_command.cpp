#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "app/cli/command.h"
#include "app/model/gallery.h"
#include "app/model/picture.h"
#include "app/model/text_options.h"
#include "app/model/tour.h"
#include "visual/export.h"

namespace warplens::cli {
namespace {

struct RenderCommand {
  ProgramOptions program;
  LaunchOptions launch;
  std::vector<std::string> set;
  std::string view = "address-map", out, tour, theme = "dark", size = "1280x720", language = "en";
  double scale = 1.0;
  std::int64_t step = -1;
  int frames = 48;

  const visual::Theme& chosen_theme() const {
    return theme == "light" ? visual::Theme::light() : visual::Theme::dark();
  }

  int write_tour() const {
    model::TourOptions options;
    options.folder = tour;
    options.language = language;
    options.theme = chosen_theme().name;
    options.on_kernel = [](int number, int count, const std::string& title) {
      std::fprintf(stderr, "[%d/%d] %s\n", number, count, title.c_str());
    };
    const auto result = model::render_tour(options);
    if (!result) return fail(result.error());
    for (const Error& problem : result->problems)
      std::fprintf(stderr, "warplens: %s\n", problem.text().c_str());
    fmt::print("{}\n", (std::filesystem::path(tour) / "index.html").string());
    return result->pictures > 0 ? kDone : kNotCompiled;
  }

  Result<model::RunRequest> gallery_request(const model::GalleryKernel& kernel) const {
    model::SliderValues values = model::default_values(kernel);
    for (const std::string& text : set) {
      const auto assignment = model::parse_slider(text);
      if (!assignment) return assignment.error();
      if (!values.contains(assignment->first)) {
        std::string names;
        for (const auto& [name, value] : values) names += (names.empty() ? "" : ", ") + name;
        return Error{
            ErrorKind::Usage,
            fmt::format("{} has no slider '{}'; its sliders are {}", kernel.id, assignment->first, names),
            {},
            {}};
      }
      values[assignment->first] = assignment->second;
    }
    const auto bound = model::launch_of(kernel, values);
    if (!bound) return bound.error();
    const auto loaded = model::load_program(model::program_request(kernel, *bound));
    if (!loaded) return loaded.error();
    model::RunRequest request;
    request.program = *loaded;
    request.launch = bound->launch;
    return request;
  }

  Result<model::RunRequest> request() const {
    const auto gallery = model::load_gallery();
    if (gallery) {
      if (const model::GalleryKernel* kernel = gallery->find(program.file)) return gallery_request(*kernel);
    }
    const auto program_request = program.request(launch.kernel);
    if (!program_request) return program_request.error();
    const auto loaded = model::load_program(*program_request);
    if (!loaded) return loaded.error();
    return launch.request(*loaded);
  }

  int write_picture() const {
    const auto catalogue = Catalogue::load(language);
    if (!catalogue) return fail(catalogue.error());
    const auto known = model::find_view(view);
    if (!known) return fail(known.error());
    const auto parsed_size = model::parse_size(size);
    if (!parsed_size) return fail(parsed_size.error());
    const auto run_request = request();
    if (!run_request) return fail(run_request.error());
    const auto run = model::execute(*run_request);
    if (!run) return fail(run.error());
    const auto pictures = model::Pictures::make(*catalogue);
    if (!pictures) return fail(pictures.error());

    model::PictureOptions options;
    options.view = view;
    options.size = {static_cast<float>(parsed_size->first), static_cast<float>(parsed_size->second)};
    if (step >= 0) options.step = static_cast<std::size_t>(step);
    const Status status = std::filesystem::path(out).extension() == ".gif"
                              ? animate(*pictures, **run, options)
                              : still(*pictures, **run, options);
    if (!status) return fail(status.error());
    fmt::print("{}\n", out);
    return kDone;
  }

  Status still(const model::Pictures& pictures, const model::Run& run,
               const model::PictureOptions& options) const {
    const auto scene = pictures.draw(run, options);
    if (!scene) return scene.error();
    return visual::export_scene(*scene, chosen_theme(), out, {scale});
  }

  Status animate(const model::Pictures& pictures, const model::Run& run,
                 model::PictureOptions options) const {
    const auto frame = [&](double t) {
      options.phase = static_cast<float>(t);
      auto scene = pictures.draw(run, options);
      return scene ? std::move(*scene) : visual::Scene{};
    };
    return visual::export_gif(frame, frames, 24, chosen_theme(), out, {scale});
  }

  int execute() const {
    if (!tour.empty()) return write_tour();
    if (program.file.empty())
      return fail(
          {ErrorKind::Usage, "name a CUDA file or a kernel of the gallery, or use --tour DIR", {}, {}});
    if (out.empty())
      return fail({ErrorKind::Usage, "--out FILE is needed (.png, .svg, .pdf or .gif)", {}, {}});
    return write_picture();
  }
};

}  // namespace

void add_render(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("render", "Draw a view of a launch to a file, without a display");
  auto options = std::make_shared<RenderCommand>();
  options->program.add_options(*command);
  command->get_option("file")->required(false)->description(
      "CUDA file, or the name of a kernel of the gallery");
  options->launch.add_options(*command);
  command->add_option("--set", options->set, "Set a slider of a gallery kernel")
      ->type_name("SLIDER=VALUE")
      ->allow_extra_args(false);
  command->add_option("--view", options->view, "Which view")->capture_default_str();
  command
      ->add_option("--out,-o", options->out, "Picture to write: .png, .svg, .pdf, or .gif for the animation")
      ->type_name("FILE");
  command->add_option("--theme", options->theme, "dark or light")
      ->check(CLI::IsMember({"dark", "light"}))
      ->capture_default_str();
  command->add_option("--size", options->size, "Size in logical pixels")
      ->type_name("WxH")
      ->capture_default_str();
  command->add_option("--scale", options->scale, "Device pixels a logical pixel")->capture_default_str();
  command->add_option("--language", options->language, "en or zh")
      ->check(CLI::IsMember({"en", "zh"}))
      ->capture_default_str();
  command->add_option("--step", options->step,
                      "Step of the trace to show; the most telling one when not given");
  command->add_option("--frames", options->frames, "Frames of a GIF")
      ->check(CLI::Range(2, 600))
      ->capture_default_str();
  command->add_option("--tour", options->tour, "Draw the whole gallery into a folder with an index.html")
      ->type_name("DIR");
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

}  // namespace warplens::cli
