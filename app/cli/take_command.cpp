// warplens take: a launch of a program as a kernel of its own.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/run_command.h"
#include "app/model/program/take_launch.h"
#include "app/model/run/kept_launch.h"

namespace warplens::cli {
namespace {

struct TakeCommand {
  std::string launch, out;
  Output output;

  int execute() const {
    const auto one = model::launch_in(launch);
    if (!one) return fail(one.error());
    const auto taken = model::take_launch(*one, out);
    if (!taken) return fail(taken.error());
    const nlohmann::ordered_json json{
        {"kernel", taken->kernel}, {"folder", out}, {"bytes", taken->bytes}, {"files", taken->files}};
    return output.write(json.dump(2), fmt::format("{}: {} bytes of memory in {} files\nwarplens app {}\n",
                                                  taken->kernel, taken->bytes, taken->files, out));
  }
};

}  // namespace

void add_take(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "take",
      "Make a folder of its own of a launch that run --trace has kept: kernel, source, arguments, memory");
  auto options = std::make_shared<TakeCommand>();
  command->add_option("launch", options->launch, "Folder of the launch, such as warplens-run/launch_0003")
      ->required()
      ->type_name("LAUNCH");
  command->add_option("--out,-o", options->out, "Folder to make")->required()->type_name("DIR");
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

}  // namespace warplens::cli
