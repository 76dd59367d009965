// `warplens compare`, and the worker process that holds the GPU's context.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "app/cli/command.h"
#include "app/model/run/gpu_run.h"
#include "engine/gpu/worker.h"

namespace warplens::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CompareCommand {
  RunOptions run;
  Output output;
  std::vector<std::string> back_ends{"gpu", "emulator"};
  int device = 0;

  int execute() const {
    if (back_ends != std::vector<std::string>{"gpu", "emulator"} &&
        back_ends != std::vector<std::string>{"emulator", "gpu"})
      return fail(told(ErrorKind::Usage, {"cli.both_back_ends", {}}));
    RunOptions on_gpu = run;
    on_gpu.program.compile_for_gpu(device);
    const auto request = on_gpu.request();
    if (!request) return fail(request.error());
    const auto comparison = model::compare_back_ends(*request, device);
    if (!comparison) return fail_with_advice(comparison.error());
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
                         {"largest_relative_error", output.largest_relative_error},
                         {"depends_on_order", output.by_order}});
    Json sources = Json::array();
    for (const auto& source : c.order.sources)
      sources.push_back({{"site", source.site == trace::kNoSite ? Json() : Json(source.site)},
                         {"line", source.line},
                         {"why", source.why}});
    for (const model::Difference& d : c.differences)
      differences.push_back({{"block", d.block},
                             {"warp", d.warp},
                             {"site", d.site},
                             {"line", d.line},
                             {"what", d.what},
                             {"by_order", d.by_order}});
    return {{"schema", "warplens.comparison/1"},
            {"agrees", c.agrees()},
            {"verdict", name(c.verdict())},
            {"order_dependence", std::move(sources)},
            {"records", {{"emulator", c.records_emulator}, {"gpu", c.records_gpu}, {"lost", c.records_lost}}},
            {"warps",
             {{"total", c.warps},
              {"identical", c.warps_identical},
              {"other_order", c.warps_other_order},
              {"other_groups", c.warps_other_groups},
              {"different", c.warps_different},
              {"different_by_order", c.warps_by_order}}},
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
    const model::Agreement verdict = c.verdict();
    if (verdict == model::Agreement::ByOrder) {
      std::set<std::string> said;  // a loop that was unrolled asks in one line, many times
      for (const auto& source : c.order.sources)
        if (const auto line = fmt::format("line {}: {}\n", source.line, source.why); said.insert(line).second)
          out += line;
    }
    switch (verdict) {
      case model::Agreement::Identical:
        return out + "both agree, record for record\n";
      case model::Agreement::Agrees:
        return out + "both agree\n";
      case model::Agreement::ByOrder:
        return out + "what differs depends on the order of warps or on time; the rest agrees\n";
      case model::Agreement::Different:
        break;
    }
    return out + "they do not agree\n";
  }
};

}  // namespace

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
