// How long a view takes to lay out at 1600 x 900. The aim is under 4 ms on one core, whatever the data:
// `scrub` puts the cursor anywhere in a trace of ten million accesses, as somebody does who drags the time.
//
//   bench_views --benchmark_filter=scrub
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>

#include "tests/visual/fixtures.h"
#include "visual/export.h"
#include "visual/grid_costs.h"
#include "visual/trace_index.h"

namespace warplens::visual {
namespace {

void lay_out(benchmark::State& state, const View& view, const Fixture& fixture) {
  const Catalogue catalogue = Catalogue::load("en").value();
  const ViewContext context{{1600, 900}, catalogue, cairo_text_measure()};
  const TraceIndex index(fixture.trace);
  ViewInput input = fixture.input();
  input.index = &index;
  std::size_t shapes = 0;
  for (auto _ : state) {
    const Scene scene = view.layout(context, input);
    shapes = scene.shapes.size();
    benchmark::DoNotOptimize(shapes);
  }
  state.counters["shapes"] = static_cast<double>(shapes);
}

void collect(benchmark::State& state, const Fixture& fixture) {
  for (auto _ : state) benchmark::DoNotOptimize(collect_grid_costs(fixture.trace));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(fixture.trace.size()));
}

// Ten million accesses and what lies between them, made when first asked for: it takes some seconds and half
// a gigabyte.
const Fixture& long_trace() {
  static const std::unique_ptr<Fixture> made = std::make_unique<Fixture>(long_run(10'000'000));
  return *made;
}
const TraceIndex& long_index() {
  static const TraceIndex index(long_trace().trace);
  return index;
}

void scrub(benchmark::State& state, const View& view) {
  const Catalogue catalogue = Catalogue::load("en").value();
  const ViewContext context{{1600, 900}, catalogue, cairo_text_measure()};
  ViewInput input = long_trace().input();
  input.index = &long_index();
  std::uint32_t random = 1;
  double worst = 0;
  for (auto _ : state) {
    input.cursor.step = std::size_t{trace::fmix32(random++)} % input.trace->size();
    const auto begin = std::chrono::steady_clock::now();
    const Scene scene = view.layout(context, input);
    benchmark::DoNotOptimize(scene.shapes.data());
    worst = std::max(
        worst, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  state.counters["steps"] = static_cast<double>(input.trace->size());
  state.counters["worst_ms"] = worst;
}

void build_index(benchmark::State& state) {
  std::size_t bytes = 0;
  for (auto _ : state) {
    const TraceIndex index(long_trace().trace);
    bytes = index.memory_bytes();
    benchmark::DoNotOptimize(bytes);
  }
  state.counters["bytes_a_step"] =
      static_cast<double>(bytes) / static_cast<double>(long_trace().trace.size());
}

[[maybe_unused]] const int registered = [] {
  static const std::vector<Fixture> fixtures = all_fixtures();
  for (const View& view : all_views())
    for (const Fixture& f : fixtures)
      if (f.name == "huge" || f.name == "gather" || f.name == "bank_32x4" || f.name == "tile_33_0" ||
          f.name == "divergent")
        benchmark::RegisterBenchmark((std::string(view.id) + "/" + f.name).c_str(),
                                     [&view, &f](benchmark::State& state) { lay_out(state, view, f); })
            ->Unit(benchmark::kMillisecond);
  for (const View& view : all_views())
    benchmark::RegisterBenchmark(("scrub/" + std::string(view.id)).c_str(),
                                 [&view](benchmark::State& state) { scrub(state, view); })
        ->Unit(benchmark::kMillisecond)
        ->Iterations(200);
  benchmark::RegisterBenchmark("scrub_index/build", build_index)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
  benchmark::RegisterBenchmark("collect_grid_costs/huge", [](benchmark::State& state) {
    collect(state, fixtures.back());
  })->Unit(benchmark::kMillisecond);
  return 0;
}();

}  // namespace
}  // namespace warplens::visual
