#include <fmt/format.h>

#include <memory>

#include "app/cli/command.h"
#include "app/model/gpu_run.h"
#include "engine/analysis/report.h"

namespace warplens::cli {
namespace {

struct TraceCommand {
  RunOptions options;
  Output output;
  std::string backend = "emulator";
  std::string language = "en";

  int execute() const {
    const auto request = options.request();
    if (!request) return fail(request.error());
    const auto run = backend == "gpu" ? model::execute_on_gpu(*request, 0) : model::execute(*request);
    if (!run) return fail(run.error());
    return report((*run)->report);
  }

  int report(const analysis::Report& report) const {
    const auto catalogue = Catalogue::load(language);
    if (!catalogue) return fail(catalogue.error());
    if (const int failed =
            output.write(analysis::to_json(report, *catalogue), analysis::to_text(report, *catalogue));
        failed != kDone)
      return failed;
    for (const trace::Fault& fault : report.faults)
      std::fprintf(stderr, "warplens: %s\n", fault.message.c_str());
    if (report.ending == "budget") {
      std::fprintf(stderr,
                   "warplens: the instruction budget ran out after %llu of %llu blocks; raise --budget\n",
                   static_cast<unsigned long long>(report.blocks_run),
                   static_cast<unsigned long long>(report.blocks_total));
      return kBudget;
    }
    return report.faults_total > 0 ? kFaulted : kDone;
  }
};

}  // namespace

void add_trace(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("trace", "Run a kernel warp by warp and report what it did to memory");
  auto options = std::make_shared<TraceCommand>();
  options->options.add_options(*command);
  command->add_option("--on", options->backend, "emulator or gpu")
      ->check(CLI::IsMember({"emulator", "gpu"}))
      ->capture_default_str();
  command->add_option("--language", options->language, "Language of the explanations")
      ->check(CLI::IsMember({"en", "zh"}))
      ->capture_default_str();
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

}  // namespace warplens::cli
