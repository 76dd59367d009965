#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <vector>

#include "app/cli/run_command.h"
#include "app/cli/wrong_words.h"
#include "engine/base/message.h"
#include "engine/base/temporary_file.h"
#include "engine/source/private_folder.h"

namespace warplens::cli {

int run(int argc, char** argv, const Window& window) {
  source::remove_abandoned_folders();
  remove_temporary_files_at_the_end();
  Context context;
  context.window = window;
  CLI::App app{"Warplens shows what every warp of a CUDA kernel does to memory."};
  app.set_version_flag("--version", "warplens 0.1.0");
  app.require_subcommand(0, 1);
  answer_in(language_asked_for(argc, argv));
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
        return fail(told(ErrorKind::Usage, {"cli.no_window", {}}));
      }
      const Result<int> opened = window.open({});
      return opened ? *opened : fail(opened.error());
    }
    return context.exit_code;
  } catch (const CLI::Success& wish) {  // --help, --version
    return app.exit(wish);
  } catch (const CLI::ParseError& error) {
    return fail(told(ErrorKind::Usage, what_is_wrong(app, error)));
  } catch (const std::bad_alloc&) {
    return fail(told(ErrorKind::System, {"cli.no_memory", {}}));
  } catch (const std::exception& error) {
    return fail(told(ErrorKind::System, {"cli.internal", {{"what", value_of(error.what())}}}));
  }
}

}  // namespace warplens::cli
