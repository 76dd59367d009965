// What counting and storing cost an access. The emulator calls these on every warp-level access of a launch,
// so a copy kernel at 2*10^9 lane-instructions a second leaves some 270 ns for each of its two accesses on
// one core.

#include <benchmark/benchmark.h>

#include <array>
#include <random>

#include "engine/analysis/totals.h"
#include "engine/trace/trace.h"

namespace warplens {
namespace {

using trace::Access;
using trace::SiteKind;
using trace::Space;

// How the 32 addresses of the i-th access lie.
enum Pattern { Contiguous, Strided, Tile, MovingTile, Random };

struct Workload {
  std::vector<trace::Site> sites{1};
  std::vector<std::array<std::uint64_t, 32>> addresses{256};
  std::vector<Access> accesses{256};

  Workload(Pattern pattern, SiteKind kind, Space space, int bytes) {
    std::mt19937_64 random(1);
    const auto width = static_cast<std::uint64_t>(bytes);
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      // Shared memory is small; global addresses move on.
      const std::uint64_t base = space == Space::Shared ? (i % 4) * 128 : 65536 + i * 4096;
      for (std::uint64_t lane = 0; lane < 32; ++lane) {
        std::uint64_t& a = addresses[i][lane];
        if (pattern == Contiguous) a = base + width * lane;
        if (pattern == Strided) a = base + 33 * width * lane;
        if (pattern == Tile) a = base + width * (lane % 16) + 1024 * (lane / 16);
        if (pattern == MovingTile) a = base + width * (lane % 16) + (1024 + 128 * (i % 7)) * (lane / 16);
        if (pattern == Random) a = width * (random() % 4096);
      }
      Access& access = accesses[i];
      access.site = 0;
      access.kind = kind;
      access.space = space;
      access.bytes = static_cast<std::uint8_t>(bytes);
      access.active = kFullMask;
      access.addresses = addresses[i].data();
      access.affine = pattern == Contiguous || pattern == Strided;
      access.stride = static_cast<std::int64_t>(addresses[i][1] - addresses[i][0]);
    }
    sites[0].kind = kind;
    sites[0].space = space;
    sites[0].leader = 0;
    sites[0].bytes = sites[0].executed_bytes = bytes;
  }
};

void count(benchmark::State& state, Pattern pattern, SiteKind kind, Space space, int bytes) {
  const Workload work(pattern, kind, space, bytes);
  analysis::TotalsCounter counter(work.sites);
  for (auto _ : state)
    for (const Access& access : work.accesses) counter.on_access(access);
  benchmark::DoNotOptimize(counter.totals());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(work.accesses.size()));
}

void store(benchmark::State& state, Pattern pattern) {
  const Workload work(pattern, SiteKind::Load, Space::Global, 4);
  std::size_t bytes = 0, steps = 0;
  for (auto _ : state) {
    trace::Recorder recorder({});
    recorder.on_block_begin(0);
    for (int i = 0; i < 16; ++i)
      for (const Access& access : work.accesses) recorder.on_access(access);
    recorder.on_block_end(0);
    const trace::Trace trace = recorder.take();
    bytes = trace.memory_bytes();
    steps = trace.size();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(steps));
  state.counters["bytes_an_access"] = static_cast<double>(bytes) / static_cast<double>(steps);
}

BENCHMARK_CAPTURE(count, global_contiguous, Contiguous, SiteKind::Load, Space::Global, 4);
BENCHMARK_CAPTURE(count, global_strided, Strided, SiteKind::Load, Space::Global, 4);
BENCHMARK_CAPTURE(count, global_tile, Tile, SiteKind::Load, Space::Global, 4);
BENCHMARK_CAPTURE(count, global_moving_tile, MovingTile, SiteKind::Load, Space::Global, 4);
BENCHMARK_CAPTURE(count, global_random, Random, SiteKind::Load, Space::Global, 4);
BENCHMARK_CAPTURE(count, global_atomic_random, Random, SiteKind::Reduction, Space::Global, 4);
BENCHMARK_CAPTURE(count, shared_contiguous, Contiguous, SiteKind::Load, Space::Shared, 4);
BENCHMARK_CAPTURE(count, shared_tile, Tile, SiteKind::Load, Space::Shared, 4);
BENCHMARK_CAPTURE(count, shared_wide, Contiguous, SiteKind::Load, Space::Shared, 16);
BENCHMARK_CAPTURE(count, shared_random, Random, SiteKind::Load, Space::Shared, 4);
BENCHMARK_CAPTURE(count, shared_atomic_random, Random, SiteKind::Atomic, Space::Shared, 4);
BENCHMARK_CAPTURE(store, contiguous, Contiguous);
BENCHMARK_CAPTURE(store, tile, Tile);
BENCHMARK_CAPTURE(store, random, Random);

}  // namespace
}  // namespace warplens
