#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "app/cli/command.h"
#include "app/model/run/kept_launch.h"
#include "app/model/text/text_options.h"
#include "engine/base/message.h"

namespace warplens::cli {
namespace {

struct AppCommand {
  window::AppOptions options;
  std::vector<std::string> set, compare, defines;
  std::string size;

  int execute(const Context& context) {
    if (context.window.open == nullptr) return fail(told(ErrorKind::Usage, {"cli.window_not_built", {}}));
    answer_in(context.window.language(options));  // as the window would say it
    for (const std::string& assignment : set) {
      const auto value = model::parse_slider(assignment);
      if (!value) return fail(value.error());
      options.set[value->first] = value->second;
    }
    for (const std::string& side : compare) {
      if (side.find('=') == std::string::npos) {
        options.compare_kernel = side;
        continue;
      }
      const auto value = model::parse_slider(side);
      if (!value) return fail(value.error());
      options.compare[value->first] = value->second;
    }
    const auto defined = parse_defines(defines);
    if (!defined) return fail(defined.error());
    options.defines = *defined;
    if (!size.empty()) {
      const auto parsed = model::parse_size(size);
      if (!parsed) return fail(parsed.error());
      options.width = parsed->first;
      options.height = parsed->second;
    }
    // Of a run's folder the first launch that it has kept.
    if (const auto kept = model::kept_launches(options.file); !kept.empty())
      options.file = kept.front().string();
    const Result<int> opened = context.window.open(options);
    return opened ? *opened : fail(opened.error());
  }
};

}  // namespace

void add_app(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("app", "Open the window");
  auto options = std::make_shared<AppCommand>();
  command->add_option("file", options->options.file, "A CUDA file to open")->type_name("FILE");
  command
      ->add_option("--kernel", options->options.kernel,
                   "Kernel of that file: plain name, mangled name, or an instance as name<int, 4>")
      ->type_name("NAME");
  add_preprocessor_options(*command, options->options.include_paths, options->defines);
  command
      ->add_option("--lesson", options->options.lesson,
                   "Lesson, folder of a lesson, or gallery kernel to start with")
      ->type_name("NAME");
  command->add_option("--set", options->set, "Set a slider")
      ->type_name("SLIDER=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--compare", options->compare,
                   "Pin a kernel of the gallery, or other slider values, beside it as side A")
      ->type_name("KERNEL|SLIDER=VALUE")
      ->allow_extra_args(false);
  command->add_option("--view", options->options.views, "View to show; twice for two")
      ->type_name("VIEW")
      ->allow_extra_args(false);
  command->add_option("--theme", options->options.theme, "dark or light")
      ->check(CLI::IsMember({"dark", "light"}));
  add_language(*command, options->options.language);
  command->add_option("--size", options->size, "Size of the window in pixels")->type_name("WxH");
  command
      ->add_option("--scale", options->options.scale, "Pixels a logical pixel; the monitor's when not given")
      ->check(between(0.5, 8.0));
  command->add_option("--screenshot", options->options.screenshot, "Write a PNG and leave")
      ->type_name("FILE");
  command->add_option("--after-frames", options->options.after_frames, "Frames to draw before the screenshot")
      ->type_name("N");
  command
      ->add_option("--script", options->options.script,
                   "Play the actions of this file (docs/WINDOW.md), then leave")
      ->type_name("FILE");
  command
      ->add_option(
          "--bench-scrub", options->options.scrub_frames,
          "Measure how smoothly a trace of ten million accesses scrubs, over so many frames, and leave")
      ->type_name("FRAMES")
      ->check(CLI::Range(1, 100000));
  command->add_option("--scrub-accesses", options->options.scrub_accesses, "Accesses of that trace")
      ->check(CLI::Range(1000, 100000000))
      ->capture_default_str();
  command->add_flag("--forget", options->options.forget, "Neither read nor write the settings");
  command->callback([options, &context] { context.exit_code = options->execute(context); });
}

}  // namespace warplens::cli
