// How long a view takes to lay out at 1600 x 900. The aim is under 4 ms on one core, whatever the data.
#include <benchmark/benchmark.h>

#include "tests/visual/fixtures.h"
#include "visual/export.h"
#include "visual/grid_costs.h"

namespace warplens::visual {
namespace {

void lay_out(benchmark::State& state, const View& view, const Fixture& fixture) {
  const Catalogue catalogue = Catalogue::load("en").value();
  const ViewContext context{{1600, 900}, catalogue, cairo_text_measure()};
  const ViewInput input = fixture.input();
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

[[maybe_unused]] const int registered = [] {
  static const std::vector<Fixture> fixtures = all_fixtures();
  for (const View& view : all_views())
    for (const Fixture& f : fixtures)
      if (f.name == "huge" || f.name == "gather" || f.name == "bank_32x4" || f.name == "divergent")
        benchmark::RegisterBenchmark((std::string(view.id) + "/" + f.name).c_str(),
                                     [&view, &f](benchmark::State& state) { lay_out(state, view, f); })
            ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("collect_grid_costs/huge", [](benchmark::State& state) {
    collect(state, fixtures.back());
  })->Unit(benchmark::kMillisecond);
  return 0;
}();

}  // namespace
}  // namespace warplens::visual
