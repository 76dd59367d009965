// `warplens time`, `warplens compare`, and the worker process that holds the GPU's context.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/model/gpu_run.h"
#include "engine/gpu/worker.h"

namespace warplens::cli {
namespace {

using Json = nlohmann::ordered_json;

struct TimeCommand {
  RunOptions run;
  Output output;
  gpu::TimingOptions timing;
  int device = 0;
  bool instrumented = false, no_count = false;

  int execute() const {
    const auto catalogue = Catalogue::load("en");
    if (!catalogue) return fail(catalogue.error());
    const auto request = run.request();
    if (!request) return fail(request.error());
    const auto timed = model::time_on_gpu(*request, timing, device, nullptr, !no_count);
    if (!timed) return fail(timed.error());
    Json answer = json(*request, *timed, *catalogue);
    std::string table = text(*timed, *catalogue);
    if (instrumented) {
      const auto cost = model::instrumentation_cost(*request, device);
      if (!cost) return fail(cost.error());
      answer["instrumented"] = {{"plain_ms", cost->plain_ms},
                                {"totals_ms", cost->totals_ms},
                                {"records_ms", cost->records_ms},
                                {"records_lost", cost->records_lost}};
      table += fmt::format(
          "  instrumented  {:.4f} ms counting, {:.4f} ms recording{}, of a single run of {:.4f} ms\n",
          cost->totals_ms, cost->records_ms, cost->records_lost ? " (as much as fits)" : "", cost->plain_ms);
    }
    return output.write(answer.dump(2), table);
  }

  Json json(const model::RunRequest& request, const model::TimedRun& timed,
            const Catalogue& catalogue) const {
    const gpu::Timing& t = timed.timing;
    Json warnings = Json::array();
    for (const Message& message : t.warnings)
      warnings.push_back({{"key", message.key}, {"text", catalogue.text(message)}});
    const auto extent = [](Dim3 e) { return Json{e.x, e.y, e.z}; };
    return {{"schema", "warplens.timing/1"},
            {"kernel", request.launch.kernel},
            {"device", timed.device.name},
            {"launch", {{"grid", extent(request.launch.grid)}, {"block", extent(request.launch.block)}}},
            {"evidence", "measured"},
            {"median_ms", t.median},
            {"p5_ms", t.low},
            {"p95_ms", t.high},
            {"runs", t.milliseconds.size()},
            {"samples_ms", t.milliseconds},
            {"empty_kernel_ms", t.launch_overhead},
            {"l2", timing.flush_l2 ? "flushed" : "warm"},
            {"inputs_restored", t.inputs_restored},
            {"sm_clock_mhz", {{"before", t.sm_clock_before_mhz}, {"after", t.sm_clock_after_mhz}}},
            {"bytes_moved", timed.bytes_moved},
            {"bytes_moved_evidence", "counted"},
            {"bytes_per_second", timed.bytes_per_second},
            {"peak_bytes_per_second", t.peak_bytes_per_second},
            {"registers_per_thread", timed.registers_per_thread},
            {"warnings", std::move(warnings)}};
  }

  static std::string text(const model::TimedRun& run, const Catalogue& catalogue) {
    const gpu::Timing& t = run.timing;
    std::string out = fmt::format(
        "{}\n  median        {:.4f} ms   (5 % to 95 %: {:.4f} to {:.4f} ms, {} runs)   measured\n"
        "  empty kernel  {:.4f} ms\n",
        run.device.name, t.median, t.low, t.high, t.milliseconds.size(), t.launch_overhead);
    if (run.bytes_moved > 0)
      out += fmt::format("  moves         {:.1f} GB/s of {:.1f} GB/s that a copy reaches here\n",
                         run.bytes_per_second / 1e9, t.peak_bytes_per_second / 1e9);
    out += fmt::format("  SM clock      {} MHz before, {} MHz after\n", t.sm_clock_before_mhz,
                       t.sm_clock_after_mhz);
    for (const Message& warning : t.warnings) out += fmt::format("  warning: {}\n", catalogue.text(warning));
    return out;
  }
};

struct CompareCommand {
  RunOptions run;
  Output output;
  std::vector<std::string> back_ends{"gpu", "emulator"};
  int device = 0;

  int execute() const {
    if (back_ends != std::vector<std::string>{"gpu", "emulator"} &&
        back_ends != std::vector<std::string>{"emulator", "gpu"})
      return fail({ErrorKind::Usage, "--on takes gpu,emulator", {}, {}});
    const auto request = run.request();
    if (!request) return fail(request.error());
    const auto comparison = model::compare_back_ends(*request, device);
    if (!comparison) return fail(comparison.error());
    const int written = output.write(json(*comparison).dump(2), text(*comparison));
    if (written != kDone) return written;
    return comparison->agrees() ? kDone : 1;
  }

  static Json json(const model::Comparison& c) {
    Json outputs = Json::array(), differences = Json::array(), totals = Json::array();
    for (const model::FieldDifference& d : c.totals)
      totals.push_back({{"field", d.field}, {"emulator", d.emulator}, {"gpu", d.gpu}});
    const Json instructions{
        {"warp", {{"emulator", c.warp_instructions_emulator}, {"gpu", c.warp_instructions_gpu}}},
        {"thread", {{"emulator", c.thread_instructions_emulator}, {"gpu", c.thread_instructions_gpu}}}};
    for (const auto& output : c.outputs)
      outputs.push_back({{"name", output.name},
                         {"equal", output.equal},
                         {"checksum_emulator", output.checksum_emulator},
                         {"checksum_gpu", output.checksum_gpu},
                         {"largest_relative_error", output.largest_relative_error}});
    for (const model::Difference& d : c.differences)
      differences.push_back(
          {{"block", d.block}, {"warp", d.warp}, {"site", d.site}, {"line", d.line}, {"what", d.what}});
    return {{"schema", "warplens.comparison/1"},
            {"agrees", c.agrees()},
            {"records", {{"emulator", c.records_emulator}, {"gpu", c.records_gpu}, {"lost", c.records_lost}}},
            {"warps",
             {{"total", c.warps},
              {"identical", c.warps_identical},
              {"other_order", c.warps_other_order},
              {"other_groups", c.warps_other_groups},
              {"different", c.warps_different}}},
            {"totals", {{"equal", c.totals.empty()}, {"differences", std::move(totals)}}},
            {"instructions", instructions},
            {"outputs", std::move(outputs)},
            {"differences", std::move(differences)}};
  }

  static std::string text(const model::Comparison& c) {
    std::string out = fmt::format(
        "{} records in the emulator, {} on the GPU\n{} warps: {} identical, {} with divergent paths in "
        "another order, "
        "{} whose lanes ran together differently, {} different\n",
        c.records_emulator, c.records_gpu, c.warps, c.warps_identical, c.warps_other_order,
        c.warps_other_groups, c.warps_different);
    out += c.totals.empty() ? std::string("totals of the launch: every counter the same\n")
                            : fmt::format(
                                  "totals of the launch: {} counters differ, first {}: {} in the emulator, "
                                  "{} on the GPU\n",
                                  c.totals.size(), c.totals[0].field, c.totals[0].emulator, c.totals[0].gpu);
    if (c.records_lost) out += "the GPU's record buffer was too small: only what it holds was compared\n";
    for (const auto& output : c.outputs)
      out += fmt::format("output {}: {}\n", output.name,
                         output.equal ? std::string("the same bytes")
                                      : fmt::format("differs, largest relative error {:.3g}",
                                                    output.largest_relative_error));
    for (const model::Difference& d : c.differences)
      out += fmt::format("block {}, warp {}, line {}: {}\n", d.block, d.warp, d.line, d.what);
    return out + (c.agrees() ? "both agree\n" : "they do not agree\n");
  }
};

}  // namespace

void add_time(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("time", "Measure a kernel on the GPU");
  auto options = std::make_shared<TimeCommand>();
  options->run.add_options(*command);
  command->add_option("--runs", options->timing.runs, "Runs at most")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--warmup", options->timing.warmup, "Runs before the first that counts")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_option("--seconds", options->timing.max_seconds, "Stop after this time")
      ->capture_default_str();
  command->add_flag("--flush-l2", options->timing.flush_l2, "Evict the L2 cache before each run");
  command->add_option("--gpu", options->device, "Number of the GPU")->capture_default_str();
  command->add_flag("--no-count", options->no_count,
                    "Leave out the bytes moved, which the emulator counts: quicker for large launches");
  command->add_flag("--instrumented", options->instrumented,
                    "Also measure the kernel while it counts, and while it records, what its warps do");
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

void add_compare(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("compare", "Run a kernel on the GPU and in the emulator, record by record");
  auto options = std::make_shared<CompareCommand>();
  options->run.add_options(*command);
  command->add_option("--on", options->back_ends, "gpu,emulator")->delimiter(',')->capture_default_str();
  command->add_option("--gpu", options->device, "Number of the GPU")->capture_default_str();
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

void add_gpu_worker(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("gpu-worker", "");
  command->group("");  // not for people: see engine/gpu/worker.h
  auto socket = std::make_shared<int>(-1);
  command->add_option("socket", *socket)->required();
  command->callback([socket, &context] { context.exit_code = gpu::worker_main(*socket); });
}

}  // namespace warplens::cli
