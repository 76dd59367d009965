#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <vector>

#include "app/cli/run_command.h"
#include "engine/source/private_folder.h"

namespace warplens::cli {

namespace {

// CLI11's message with our name in front of it, and what there is when the command itself is unknown.
std::string failure_text(const CLI::App* app, const CLI::Error& error) {
  std::string command = "warplens", names;
  for (const CLI::App* chosen : app->get_subcommands()) command += " " + chosen->get_name();
  const std::vector<std::string> unknown = app->remaining();
  if (app->get_subcommands().empty() && !unknown.empty() && !unknown.front().starts_with('-')) {
    for (const CLI::App* one : app->get_subcommands({}))
      if (!one->get_name().empty() && !one->get_group().empty())
        names += (names.empty() ? "" : ", ") + one->get_name();
    return fmt::format("warplens: there is no command '{}'; there are {}\n", unknown.front(), names);
  }
  return fmt::format("warplens: {}\nRun {} --help for what it takes.\n", error.what(), command);
}

}  // namespace

int run(int argc, char** argv, const Window& window) {
  source::remove_abandoned_folders();
  Context context;
  context.window = window;
  CLI::App app{"Warplens shows what every warp of a CUDA kernel does to memory."};
  app.set_version_flag("--version", "warplens 0.1.0");
  app.require_subcommand(0, 1);
  app.failure_message(failure_text);
  // In the order in which --help lists them.
  add_app(app, context);
  add_inspect(app, context);
  add_trace(app, context);
  add_run(app, context);
  add_cc(app);
  add_take(app, context);
  add_render(app, context);
  add_time(app, context);
  add_compare(app, context);
  add_record(app, context);
  add_lesson(app, context);
  add_bench(app, context);
  add_doctor(app, context);
  add_gpu_worker(app, context);

  try {
    std::vector<char*> kept;
    if (const std::optional<int> done = run_early(argc, argv, kept)) return *done;
    app.parse(static_cast<int>(kept.size()), kept.data());
    if (app.get_subcommands().empty()) {
      if (window.open == nullptr) {
        std::fputs(app.help().c_str(), stderr);
        return fail({ErrorKind::Usage, "this build has no window; name a command", {}, {}});
      }
      const Result<int> opened = window.open({});
      return opened ? *opened : fail(opened.error());
    }
    return context.exit_code;
  } catch (const CLI::Success& wish) {  // --help, --version
    return app.exit(wish);
  } catch (const CLI::ParseError& error) {
    app.exit(error, std::cerr, std::cerr);
    return kUsage;
  } catch (const std::bad_alloc&) {
    return fail({ErrorKind::System,
                 "there is not enough memory for this; run fewer blocks (--sample), with smaller buffers or "
                 "fewer checks",
                 {},
                 {}});
  } catch (const std::exception& error) {
    return fail({ErrorKind::System, fmt::format("stopped by an internal error: {}", error.what()), {}, {}});
  }
}

}  // namespace warplens::cli
