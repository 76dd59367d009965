#include "app/window/session/scrub_bench.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/analysis/totals.h"

namespace warplens::window {
namespace {

constexpr std::uint32_t kWarps = 8;         // of a block
constexpr std::size_t kPerWarp = 128;       // accesses of a warp
constexpr std::uint64_t kBytes = 1u << 26;  // of the one buffer

std::vector<trace::Site> sites() {
  std::vector<trace::Site> out(4);
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    out[i].index = out[i].leader = i;
    out[i].line = static_cast<int>(i) + 3;
    out[i].bytes = out[i].executed_bytes = 4;
    out[i].space = i == 2 ? trace::Space::Shared : trace::Space::Global;
    out[i].kind = i == 1 ? trace::SiteKind::Store : i == 3 ? trace::SiteKind::Branch : trace::SiteKind::Load;
  }
  return out;
}

// Scattered addresses without a generator's state: the same trace on every machine.
std::uint64_t scattered(std::uint64_t i) {
  return (i * 0x9e3779b97f4a7c15ull >> 33) % (kBytes / 4) * 4;
}

trace::Access access_at(trace::WarpId warp, std::size_t i, std::array<std::uint64_t, 32>& addresses) {
  trace::Access a;
  a.warp = warp;
  a.site = static_cast<trace::SiteId>(i % 3);
  a.kind = a.site == 1 ? trace::SiteKind::Store : trace::SiteKind::Load;
  a.space = a.site == 2 ? trace::Space::Shared : trace::Space::Global;
  a.active = i % 16 == 5 ? 0x55555555u : kFullMask;
  const std::uint64_t stride = 4 * (1 + i % 8);
  const std::uint64_t first =
      a.site == 2 ? 0 : (warp.block * 4096 + warp.warp * 512 + i * 64) * 4 % (kBytes / 2);
  const bool affine = i % 8 != 0 || a.site == 2;
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    addresses[lane] = affine ? first + lane * stride : scattered(i * 32 + lane + warp.block);
  a.addresses = addresses.data();
  a.affine = affine;
  a.stride = static_cast<std::int64_t>(stride);
  return a;
}

}  // namespace

std::shared_ptr<const model::Run> long_run(std::size_t accesses) {
  auto run = std::make_shared<model::Run>();
  const std::size_t per_block = kWarps * kPerWarp;
  const std::uint64_t blocks = std::max<std::size_t>(1, accesses / per_block);
  run->report.sites = sites();
  run->report.launch.grid.x = static_cast<std::uint32_t>(blocks);
  run->report.launch.block.x = 32 * kWarps;
  trace::RecorderOptions options;
  options.blocks = blocks;
  options.max_bytes = std::size_t{4} << 30;
  trace::Recorder recorder(options);
  analysis::TotalsCounter counter(run->report.sites);
  std::array<std::uint64_t, 32> addresses{};
  for (std::uint64_t b = 0; b < blocks; ++b) {
    recorder.on_block_begin(b);
    for (std::uint32_t w = 0; w < kWarps; ++w) {
      for (std::size_t i = 0; i < kPerWarp; ++i) {
        const trace::Access a = access_at({b, w}, i, addresses);
        recorder.on_access(a);
        counter.on_access(a);
      }
    }
    recorder.on_block_end(b);
  }
  run->report.totals = counter.totals();
  run->report.blocks_run = run->report.blocks_total = blocks;
  run->trace = recorder.take();
  run->trace.launch = run->report.launch;
  run->trace.sites = run->report.sites;
  run->trace.blocks_total = blocks;
  run->trace.buffers = {{0, "data", 0, kBytes, trace::ElementType::F32}};
  return run;
}

double percentile_of(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  return values[std::min(at, values.size() - 1)];
}

std::string to_json(const ScrubResult& r) {
  const double median = percentile_of(r.frame_ms, 0.5), slow = percentile_of(r.frame_ms, 0.95);
  const nlohmann::ordered_json json = {{"schema", "warplens.scrub/1"},
                                       {"evidence", "measured"},
                                       {"accesses", r.accesses},
                                       {"views", r.views},
                                       {"size", {r.width, r.height}},
                                       {"frames", r.frame_ms.size()},
                                       {"frame_ms_median", median},
                                       {"frame_ms_95_percent", slow},
                                       {"frames_per_second_median", median > 0 ? 1000 / median : 0},
                                       {"frames_per_second_95_percent", slow > 0 ? 1000 / slow : 0},
                                       {"processor_ms_a_frame", r.cpu_ms}};
  return json.dump(2);
}

}  // namespace warplens::window
