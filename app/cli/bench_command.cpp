#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/model/machine/bench.h"

namespace warplens::cli {
namespace {

using Json = nlohmann::ordered_json;

Json optional(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string ratio(const std::optional<double>& theirs, double ours) {
  return theirs && ours > 0 ? fmt::format("{:.4f} s  {:7.1f}x", *theirs, *theirs / ours) : std::string("-");
}

struct BenchCommand {
  model::BenchOptions options;
  bool alone = false;
  Output output;

  int execute() {
    options.rivals = !alone;
    options.on_kernel = [](const std::string& kernel) { std::fprintf(stderr, "%s...\n", kernel.c_str()); };
    const auto result = model::run_bench(options);
    if (!result) return fail(result.error());
    return output.write(json(*result).dump(2), text(*result));
  }

  static Json json(const model::BenchResult& result) {
    Json rows = Json::array();
    for (const model::BenchRow& row : result.rows)
      rows.push_back({{"kernel", row.kernel},
                      {"lane_instructions", row.lane_instructions},
                      {"plain_per_second", row.plain},
                      {"recording_per_second", row.recording},
                      {"all_checks_per_second", row.all_checks},
                      {"recording_seconds", row.recording_seconds},
                      {"all_checks_seconds", row.all_checks_seconds},
                      {"all_checks_over_recording", row.checks_over_recording()},
                      {"pocl_seconds", optional(row.pocl_seconds)},
                      {"oclgrind_seconds", optional(row.oclgrind_seconds)}});
    const model::FirstPicture& picture = result.first_picture;
    return {{"schema", "warplens.bench/1"},
            {"evidence", "measured"},
            {"threads", result.threads},
            {"rows", std::move(rows)},
            {"first_picture",
             {{"kernel", picture.kernel},
              {"threads", picture.threads},
              {"program_seconds", picture.program},
              {"run_seconds", picture.run},
              {"layout_seconds", picture.layout},
              {"png_seconds", picture.png},
              {"total_seconds", picture.total()}}},
            {"slider",
             {{"kernel", result.slider.kernel},
              {"threads", result.slider.threads},
              {"decoding_seconds", result.slider.decoding},
              {"run_seconds", result.slider.run},
              {"layout_seconds", result.slider.layout},
              {"total_seconds", result.slider.total()}}},
            {"rivals_note", result.rivals_note}};
  }

  static std::string text(const model::BenchResult& result) {
    std::string out = fmt::format(
        "{} threads; 10^9 lane instructions a second, best of the runs, measured. In time: all checks / "
        "recording\n\n"
        "{:<12}{:>8}{:>11}{:>12}{:>10}   {:<22}{:<22}\n",
        result.threads, "kernel", "plain", "recording", "all checks", "in time", "Oclgrind / recording",
        "PoCL / recording");
    for (const model::BenchRow& row : result.rows)
      out += fmt::format("{:<12}{:>8.2f}{:>11.2f}{:>12.2f}{:>9.2f}x   {:<22}{:<22}\n", row.kernel,
                         row.plain / 1e9, row.recording / 1e9, row.all_checks / 1e9,
                         row.checks_over_recording(), ratio(row.oclgrind_seconds, row.recording_seconds),
                         ratio(row.pocl_seconds, row.recording_seconds));
    const model::FirstPicture& picture = result.first_picture;
    out += fmt::format(
        "\n{} with {} threads, exact totals and the first picture: {:.1f} ms = program {:.1f} + run {:.1f} + "
        "layout {:.1f} + PNG {:.1f}\n",
        picture.kernel, picture.threads, picture.total() * 1e3, picture.program * 1e3, picture.run * 1e3,
        picture.layout * 1e3, picture.png * 1e3);
    const model::SliderMove& slider = result.slider;
    out += fmt::format(
        "a slider of {}, from the move to the picture: {:.1f} ms = run {:.1f} + layout {:.1f}; decoding, "
        "once for "
        "all moves: {:.1f}\n",
        slider.kernel, slider.total() * 1e3, slider.run * 1e3, slider.layout * 1e3, slider.decoding * 1e3);
    if (!result.rivals_note.empty()) out += fmt::format("\nno comparison: {}\n", result.rivals_note);
    return out;
  }
};

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("bench", "Measure the emulator, beside PoCL and Oclgrind where installed");
  auto options = std::make_shared<BenchCommand>();
  command->add_option("--runs", options->options.runs, "Runs of each kernel; the best counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--threads", options->options.threads, "Threads of the emulator; 0: one a core");
  command->add_flag("--alone", options->alone, "Do not run PoCL and Oclgrind");
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

}  // namespace warplens::cli
