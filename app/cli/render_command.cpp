#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/command.h"
#include "app/model/picture/picture.h"
#include "app/model/picture/recorded_views.h"
#include "app/model/picture/tour.h"
#include "app/model/study/occupancy_lab.h"
#include "app/model/study/relatives.h"
#include "app/model/text/text_options.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "visual/export.h"
#include "visual/view.h"

namespace warplens::cli {
namespace {

// Blocks that are recorded for views of the whole launch, unless more are asked for.
constexpr std::uint64_t kBlocksOfOverview = 64;

struct RenderCommand {
  RunOptions run;
  Output output;
  std::string view = "address-map", out, tour, theme = "dark", size = "1280x720", language = "en";
  double scale = 1.0;
  std::string video, vision = "normal";
  std::optional<std::uint64_t> step;
  int frames = 48, fps = 24, steps = 1;

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
    const int said = say((std::filesystem::path(tour) / "index.html").string(), result->pictures);
    return said != kDone || result->pictures > 0 ? said : kNotCompiled;
  }

  int say(const std::string& file, int pictures) const {
    const nlohmann::ordered_json answer{{"file", file}, {"pictures", pictures}};
    return output.write(answer.dump(2), file + "\n");
  }

  int write_picture() const {
    const auto catalogue = Catalogue::load(language);
    if (!catalogue) return fail(catalogue.error());
    const auto known = model::find_view(view);
    if (!known) return fail(known.error());
    const auto parsed_size = model::parse_size(size);
    if (!parsed_size) return fail(parsed_size.error());
    auto run_request = run.request();
    if (!run_request) return fail(run_request.error());
    // What blocks share shows only when several of them are at hand.
    if ((*known)->of_many_blocks)
      run_request->recorder.blocks = std::max<std::uint64_t>(run_request->recorder.blocks, kBlocksOfOverview);
    const auto result = model::execute(*run_request);
    if (!result) return fail(result.error());
    const auto pictures = model::Pictures::make(*catalogue);
    if (!pictures) return fail(pictures.error());

    model::PictureOptions options;
    options.view = view;
    options.size = {static_cast<float>(parsed_size->first), static_cast<float>(parsed_size->second)};
    options.recorded = recorded(**known, (*result)->report, *catalogue);
    if (const Status tried = try_out((*known)->tries, **result, *catalogue, options); !tried)
      return fail(tried.error());
    if (step) {
      const std::size_t stored = (*result)->trace.size();
      if (*step >= stored)
        return fail(told(ErrorKind::Usage,
                         {"cli.no_step", {{"step", value_of(*step)}, {"steps", value_of(stored)}}}));
      options.step = static_cast<std::size_t>(*step);
    }
    const bool moves = !video.empty() || std::filesystem::path(out).extension() == ".gif";
    const Status status = moves ? animate(*pictures, **result, options) : still(*pictures, **result, options);
    if (!status) return fail(status.error());
    return say(video.empty() ? out : video, 1);
  }

  // What can be said before anything runs.
  Status check_options() const {
    const auto wrong = [](Message what) { return told(ErrorKind::Usage, std::move(what)); };
    if (run.program.file.empty()) return wrong({"cli.what_to_render", {}});
    if (out.empty() && video.empty()) return wrong({"cli.where_to_render", {}});
    if (!(scale > 0))
      return wrong({"cli.not_above_zero", {{"option", value_of("--scale")}, {"value", value_of(scale)}}});
    const bool pixels = !video.empty() || std::filesystem::path(out).extension() == ".png";
    if (vision != "normal" && !pixels) return wrong({"cli.simulates_pixels", {}});
    return Done{};
  }

  // What the best recording says of a gallery kernel at these values; nothing for a file, an edited kernel,
  // or views that show no measurement.
  model::RecordedViews recorded(const visual::View& of, const analysis::Report& report,
                                const Catalogue& catalogue) const {
    if (!of.of_measurements) return {};
    const auto gallery = model::load_gallery();
    const model::GalleryKernel* kernel = gallery ? gallery->find(run.program.file) : nullptr;
    const model::Recordings recordings = model::load_recordings();
    const model::Recording* played = recordings.best_for(report.device);
    if (kernel == nullptr || played == nullptr) return {};
    const auto values = slider_values(*kernel, run.set);
    const auto text = read_text(kernel->file);
    if (!values || !text) return {};
    // Times are of the size that a clock needs, but for what --set asks for.
    std::vector<std::string> set;
    for (const std::string& one : run.set) set.push_back(one.substr(0, one.find('=')));
    return model::recorded_for(of, *played, *kernel, *text, *values, &report, catalogue, set);
  }

  // What two views find out by trying, of a kernel of the gallery.
  Status try_out(visual::Tries tries, const model::Run& shown, const Catalogue& catalogue,
                 model::PictureOptions& options) const {
    if (tries != visual::Tries::OtherBlocks && tries != visual::Tries::OtherChoices) return Done{};
    const auto gallery = model::load_gallery();
    const model::GalleryKernel* kernel = gallery ? gallery->find(run.program.file) : nullptr;
    if (kernel == nullptr) return Done{};
    const auto devices = analysis::DeviceCatalogue::load();
    if (!devices) return devices.error();
    const auto device = devices->device(shown.report.device);
    if (!device) return device.error();
    const auto capability = devices->capability((*device)->cc);
    if (!capability) return capability.error();
    const auto values = slider_values(*kernel, run.set);
    if (!values) return values.error();
    const auto text = read_text(kernel->file);
    if (!text) return text.error();
    const model::LoadProgram load = [](const model::ProgramRequest& request, Progress* progress) {
      return model::load_program(request, progress);
    };
    const model::Recordings recordings = model::load_recordings();
    const model::Recording* played = recordings.best_for((*device)->name);
    if (tries == visual::Tries::OtherBlocks) {
      const auto tried = model::occupancy_trials(*kernel, shown, *values, **device, **capability, load);
      options.lab = model::lab_of(tried, *kernel, *values, played, *text, catalogue);
      return Done{};
    }
    if (played == nullptr) return Done{};
    const auto all = model::relatives(*kernel, *values, **device, **capability, load);
    options.others = model::relative_points(all, *played, *kernel, *text, **device, catalogue);
    options.others_at = model::where_else(*kernel, *values, all.at, all.slider, language);
    if (!options.others.empty()) options.library = played->library_roof(*kernel, all.at);
    return Done{};
  }

  Status still(const model::Pictures& pictures, const model::Run& shown,
               const model::PictureOptions& options) const {
    const auto scene = pictures.draw(shown, options);
    if (!scene) return scene.error();
    return visual::export_scene(*scene, chosen_theme(), out, picture_options());
  }

  visual::ExportOptions picture_options() const {
    return {scale, visual::vision_from(vision).value_or(visual::Vision::Normal)};
  }

  // One step after the other, each from its start to its end; the same pictures whether as GIF or as frames.
  Status animate(const model::Pictures& pictures, const model::Run& shown,
                 model::PictureOptions options) const {
    const std::vector<std::size_t> shown_steps =
        model::following_steps(shown, view, options.step, static_cast<std::size_t>(steps));
    const auto frame = [&](double t) {
      const double at = t * static_cast<double>(shown_steps.size());
      const auto i = std::min(static_cast<std::size_t>(at), shown_steps.size() - 1);
      options.step = shown_steps[i];
      options.phase = static_cast<float>(at - static_cast<double>(i));
      auto scene = pictures.draw(shown, options);
      return scene ? std::move(*scene) : visual::Scene{};
    };
    const int all = frames * static_cast<int>(shown_steps.size());
    if (!video.empty()) return visual::export_frames(frame, all, chosen_theme(), video, picture_options());
    return visual::export_gif(frame, all, fps, chosen_theme(), out, {scale});
  }

  int execute() const {
    if (!tour.empty()) return write_tour();
    if (const Status usable = check_options(); !usable) return fail(usable.error());
    return write_picture();
  }
};

}  // namespace

void add_render(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("render", "Draw a view of a launch to a file, without a display");
  auto options = std::make_shared<RenderCommand>();
  options->run.add_options(*command);
  command->get_option("file")->required(false);
  std::string views;
  for (const visual::View& view : visual::all_views()) views += fmt::format(" {}", view.id);
  command->add_option("--view", options->view, "Which view:" + views)
      ->type_name("VIEW")
      ->capture_default_str();
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
  add_language(*command, options->language);
  command
      ->add_option("--step", options->step, "Step of the trace to show; the most telling one when not given")
      ->type_name("N")
      ->check(not_negative());
  command->add_option("--frames", options->frames, "Frames of an animation, for each step it shows")
      ->check(CLI::Range(2, 600))
      ->capture_default_str();
  command->add_option("--fps", options->fps, "Frames a second of a GIF")
      ->check(CLI::Range(1, 50))
      ->capture_default_str();
  command->add_option("--steps", options->steps, "Accesses that an animation shows, one after the other")
      ->check(CLI::Range(1, 500))
      ->capture_default_str();
  command
      ->add_option("--video", options->video,
                   "Write the animation as frame_0001.png, ... into a folder, for a video encoder")
      ->type_name("DIR");
  command
      ->add_option("--simulate", options->vision,
                   "Show a .png as other eyes see it: protanopia, deuteranopia, tritanopia or grey")
      ->check(CLI::IsMember({"normal", "protanopia", "deuteranopia", "tritanopia", "grey"}));
  command->add_option("--tour", options->tour, "Draw the whole gallery into a folder with an index.html")
      ->type_name("DIR");
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

}  // namespace warplens::cli
