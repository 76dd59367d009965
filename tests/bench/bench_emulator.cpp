// Lane-instructions a second of the emulator on five kernels: plain, recording totals with bounds checks, the
// same for every warp, and with every check. Time is that of the execution alone (Outcome::seconds); threads:
// 0 is all cores.
//
//   bench_emulator --benchmark_filter=plain

#include <benchmark/benchmark.h>

#include <fstream>
#include <map>
#include <sstream>

#include "engine/analysis/warp_totals.h"
#include "engine/base/assets.h"
#include "engine/ptx/syntax/parser.h"
#include "engine/simt/emulator.h"

namespace warplens {
namespace {

struct Case {
  const char* kernel;
  Dim3 grid, block;
  std::vector<const char*> arguments;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"copy", {4096}, {256}, {"buf:f32:1048576:zero", "buf:f32:1048576:iota", "i32:1048576"}},
      {"strided", {4096}, {256}, {"buf:f32:1048576:zero", "buf:f32:1048576:iota", "i32:1048576", "i32:32"}},
      {"transpose", {32, 32}, {32, 8}, {"buf:f32:1048576:zero", "buf:f32:1048576:iota", "i32:1024"}},
      {"matmul",
       {16, 16},
       {16, 16},
       {"buf:f32:65536:zero", "buf:f32:65536:hash", "buf:f32:65536:hash", "i32:256"}},
      {"mandelbrot", {64, 64}, {16, 16}, {"buf:i32:1048576:zero", "i32:1024", "i32:1024", "i32:100"}},
  };
  return all;
}

std::shared_ptr<const ptx::Module> module() {
  static const std::shared_ptr<const ptx::Module> parsed = [] {
    std::ifstream in(kernels_folder().parent_path() / "tests/simt/data/core.ptx");
    std::stringstream text;
    text << in.rdbuf();
    auto result = ptx::parse(text.str());
    return std::make_shared<const ptx::Module>(std::move(*result));
  }();
  return parsed;
}

enum class Mode { Plain, Totals, Warps, AllChecks };

void run_case(benchmark::State& state, const Case& c, Mode mode, int threads) {
  auto kernel = simt::Kernel::load(module(), c.kernel);
  if (!kernel) {
    state.SkipWithError(kernel.error().text().c_str());
    return;
  }
  trace::Launch launch;
  launch.kernel = c.kernel;
  launch.grid = c.grid;
  launch.block = c.block;
  for (const char* text : c.arguments) launch.arguments.push_back(*trace::parse_argument(text));
  simt::Options options;
  options.threads = threads;
  if (mode == Mode::AllChecks) options.checks = simt::Checks::All;
  double lanes = 0;
  for (auto _ : state) {
    analysis::TotalsCounter totals(kernel->sites());
    analysis::WarpTotalsCounter warps(kernel->sites());
    if (mode == Mode::Warps) warps.keep_warps();
    trace::Listener* const listeners[] = {mode == Mode::Warps ? static_cast<trace::Listener*>(&warps)
                                                              : &totals};
    const auto outcome =
        simt::run(*kernel, launch, options, {listeners, mode == Mode::Plain ? std::size_t{0} : 1});
    if (!outcome || outcome->ending != simt::Ending::Completed) {
      state.SkipWithError("the kernel did not complete");
      return;
    }
    state.SetIterationTime(outcome->seconds);
    lanes += static_cast<double>(outcome->thread_instructions);
  }
  state.counters["lane_instructions"] = benchmark::Counter(lanes, benchmark::Counter::kIsRate);
}

int register_all() {
  static const std::map<Mode, const char*> modes{{Mode::Plain, "plain"},
                                                 {Mode::Totals, "totals"},
                                                 {Mode::Warps, "warps"},
                                                 {Mode::AllChecks, "all_checks"}};
  for (const auto& [mode, name] : modes) {
    for (const Case& c : cases()) {
      for (const int threads : {1, 2}) {
        const std::string title = std::string(name) + "/" + c.kernel + "/threads:" + std::to_string(threads);
        benchmark::RegisterBenchmark(
            title.c_str(),
            [&c, m = mode, threads](benchmark::State& state) { run_case(state, c, m, threads); })
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  return 0;
}

[[maybe_unused]] const int kRegistered = register_all();

}  // namespace
}  // namespace warplens
