#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>

#include "app/cli/command.h"

namespace warplens::cli {

int run(int argc, char** argv, const Window& window) {
  Context context;
  context.window = window;
  CLI::App app{"Warplens shows what every warp of a CUDA kernel does to memory."};
  app.set_version_flag("--version", "warplens 0.1.0");
  app.require_subcommand(0, 1);
  add_inspect(app, context);
  add_trace(app, context);
  add_render(app, context);
  add_doctor(app, context);
  add_app(app, context);
  add_time(app, context);
  add_compare(app, context);
  add_gpu_worker(app, context);
  add_bench(app, context);
  add_record(app, context);

  try {
    app.parse(argc, argv);
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
  } catch (const std::exception& error) {
    return fail({ErrorKind::System, fmt::format("stopped by an internal error: {}", error.what()), {}, {}});
  }
}

}  // namespace warplens::cli
