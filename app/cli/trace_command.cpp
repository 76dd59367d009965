#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/watch.h"
#include "app/model/opened/adopt.h"
#include "app/model/run/as_written.h"
#include "app/model/run/gpu_run.h"
#include "app/model/study/modelled.h"
#include "app/model/study/modelled_text.h"
#include "engine/analysis/fault_text.h"
#include "engine/analysis/modelled_json.h"
#include "engine/analysis/report.h"
#include "engine/analysis/verdict.h"
#include "engine/base/json_text.h"
#include "engine/base/message.h"

namespace warplens::cli {
namespace {

// More blocks than that are not named one by one.
constexpr std::uint64_t kMostBlocks = 1u << 20;
constexpr double kFiveMinutes = 299;  // of the emulator's patience

struct TraceCommand {
  RunOptions options;
  Output output;
  std::string backend = "emulator";
  std::string language = "en", records = "chosen", counted = "executed", blocks;
  int device = 0;
  bool warm = false;

  int execute() const {
    std::vector<model::Assumption> assumed;
    RunOptions run_options = options;
    if (backend == "gpu") run_options.program.compile_for_gpu(device);
    auto request = run_options.request(&assumed);
    if (!request) return fail(request.error());
    if (const Status chosen = choose_blocks(*request); !chosen) return fail(chosen.error());
    const bool written = counted == "written";
    request->model_words = model::ModelOptions{}.words;
    if (written && backend == "gpu") return fail(told(ErrorKind::Usage, {"cli.written_on_gpu", {}}));
    const auto began = std::chrono::steady_clock::now();
    const auto run = watched(*request, written);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (!run) return fail_with_advice(run.error());
    analysis::Report result = (*run)->report;
    bool all_ours = !result.faults.empty();
    for (trace::Fault& fault : result.faults)
      if (!model::own_up_to_addresses(*request->program, request->launch.kernel, assumed, fault)) {
        model::own_up_to_sizes(assumed, fault.what);
        all_ours = false;
      }
    const int code = report(**run, result, assumed, took.count());
    return code == kFaulted && all_ours ? kUsage : code;
  }

  // What the models say of it on the device; null where that is unknown.
  std::shared_ptr<const analysis::Modelled> modelled(const model::Run& run) const {
    const auto catalogue = analysis::DeviceCatalogue::load();
    if (!catalogue) return nullptr;
    const auto chosen = catalogue->device(run.report.device);
    if (!chosen) return nullptr;
    const auto capability = catalogue->capability((*chosen)->cc);
    return capability ? model::model_run(run, **chosen, **capability, {.warm = warm}) : nullptr;
  }

  Result<std::shared_ptr<const model::Run>> watched(const model::RunRequest& request, bool written) const {
    Progress progress;
    const Interruption interruption(progress);
    const ProgressLine line(progress);
    if (backend == "gpu") return on_gpu(request, progress);
    return written ? model::execute_as_written(request, &progress) : model::execute(request, &progress);
  }

  Result<std::shared_ptr<const model::Run>> on_gpu(const model::RunRequest& request,
                                                   Progress& progress) const {
    model::GpuOptions how;
    how.device = device;
    if (records == "all") how.records = model::GpuOptions::Records::All;
    return model::execute_on_gpu(request, how, &progress);
  }

  // --blocks 4..7 or --blocks 12: those are stored access by access.
  Status choose_blocks(model::RunRequest& request) const {
    if (blocks.empty()) return Done{};
    const Error wrong = told(
        ErrorKind::Usage,
        {"cli.no_blocks", {{"text", value_of(blocks)}, {"blocks", value_of(request.launch.grid.volume())}}});
    std::uint64_t first = 0, last = 0;
    const char* const end = blocks.data() + blocks.size();
    auto [at, error] = std::from_chars(blocks.data(), end, first);
    if (error != std::errc{}) return wrong;
    last = first;
    if (at != end) {
      if (std::string_view(at, static_cast<std::size_t>(end - at)).substr(0, 2) != "..") return wrong;
      const auto second = std::from_chars(at + 2, end, last);
      if (second.ec != std::errc{} || second.ptr != end) return wrong;
    }
    if (last < first || last >= request.launch.grid.volume() || last - first >= kMostBlocks) return wrong;
    request.recorder.chosen.clear();
    for (std::uint64_t block = first; block <= last; ++block) request.recorder.chosen.push_back(block);
    return Done{};
  }

  static std::string json_with(const std::string& json, const std::vector<model::Assumption>& assumed,
                               const analysis::Modelled* modelled, const Catalogue& catalogue) {
    static constexpr std::string_view kOurs[] = {"nothing", "value", "size", "contents"};
    auto out = parse_ordered_json(json);
    out["modelled"] = modelled ? analysis::to_json(*modelled) : nlohmann::ordered_json(nullptr);
    if (modelled && modelled->time)
      out["modelled"]["sentence"] = catalogue.text(analysis::verdict_message(*modelled));
    out["assumed"] = nlohmann::ordered_json::array();
    for (const model::Assumption& a : assumed) {
      nlohmann::ordered_json one = {{"what", a.what},
                                    {"value", a.value},
                                    {"why", catalogue.text(a.why)},
                                    {"ours", kOurs[static_cast<std::size_t>(a.ours)]}};
      if (a.argument >= 0) one["argument"] = a.argument;
      out["assumed"].push_back(std::move(one));
    }
    return out.dump(2);
  }

  // What nobody said, so that a number above is not taken for the program's own.
  static std::string text_with(std::string text, const std::vector<model::Assumption>& assumed,
                               const analysis::Modelled* modelled, const Catalogue& catalogue) {
    if (modelled) text += "\n" + model::modelled_text(*modelled, catalogue);
    if (assumed.empty()) return text;
    text += "\n" + catalogue.text("assumed.title") + "\n";
    for (const model::Assumption& a : assumed)
      text += fmt::format("  {} = {}: {}\n", a.what, a.value, catalogue.text(a.why));
    return text;
  }

  int report(const model::Run& run, const analysis::Report& report,
             const std::vector<model::Assumption>& assumed, double seconds) const {
    const auto catalogue = Catalogue::load(language);
    if (!catalogue) return fail(catalogue.error());
    const auto models = modelled(run);
    if (const int failed =
            output.write(json_with(analysis::to_json(report, *catalogue), assumed, models.get(), *catalogue),
                         text_with(analysis::to_text(report, *catalogue), assumed, models.get(), *catalogue));
        failed != kDone)
      return failed;
    for (const trace::Fault& fault : report.faults)
      std::fprintf(stderr, "warplens: %s\n", catalogue->text(analysis::fault_message(fault)).c_str());
    const bool owned = std::ranges::any_of(
        report.faults, [](const trace::Fault& fault) { return fault.what.key == "fault.made_up_address"; });
    if (const auto made_up = model::made_up_arguments(assumed); made_up && !owned && report.faults_total > 0)
      std::fprintf(stderr, "warplens: %s\n", catalogue->text(*made_up).c_str());
    if (report.faults.empty() && report.ending == analysis::Ending::Faulted)  // only the GPU saw it
      for (const Message& note : report.notes)
        std::fprintf(stderr, "warplens: %s\n", catalogue->text(note).c_str());
    const auto stopped = [&](const char* why, const char* advice) {
      std::fprintf(stderr, "warplens: %s after %llu of %llu blocks; %s\n", why,
                   static_cast<unsigned long long>(report.blocks_run),
                   static_cast<unsigned long long>(report.blocks_total), advice);
    };
    if (report.ending == analysis::Ending::Cancelled) {
      stopped("interrupted", "the report covers these");
      return kInterrupted;
    }
    if (report.ending == analysis::Ending::Budget) {
      if (options.launch.budget > 0)
        stopped("the instruction budget ran out", "raise --budget");
      else
        stopped(seconds < kFiveMinutes ? "no block has ended for two minutes, it was stopped"
                                       : "five minutes are over, it was stopped",
                "give --budget INSTRUCTIONS to go on longer, or --sample BLOCKS");
      for (const Message& note : report.notes)
        if (note.key == "note.stood_in_loop")
          std::fprintf(stderr, "warplens: %s\n", catalogue->text(note).c_str());
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
  command
      ->add_option("--as", options->counted,
                   "executed: counts as the machine executes; written: every PTX instruction on its own")
      ->check(CLI::IsMember({"executed", "written"}))
      ->capture_default_str();
  command->add_option("--blocks", options->blocks, "Store these blocks access by access: A..B, or A")
      ->type_name("A..B");
  command
      ->add_option(
          "--records", options->records,
          "On the GPU: chosen records the chosen blocks, all every block as far as they fit; totals are "
          "always those of the whole launch")
      ->check(CLI::IsMember({"chosen", "all"}))
      ->capture_default_str();
  command->add_option("--gpu", options->device, "Number of the GPU")
      ->check(not_negative())
      ->capture_default_str();
  command->add_flag(
      "--warm", options->warm,
      "What the models say is of a launch whose L2 holds what one before it left; else it begins empty");
  add_language(*command, options->language, "Language of the explanations");
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

}  // namespace warplens::cli
