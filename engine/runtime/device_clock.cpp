#include "engine/runtime/device_clock.h"

#include <algorithm>

#include "engine/analysis/caches.h"
#include "engine/analysis/sm_code.h"
#include "engine/analysis/time_model.h"
#include "engine/runtime/launcher.h"

namespace warplens::runtime {
namespace {

constexpr std::size_t kWords = std::size_t{1} << 18, kSampleBytes = std::size_t{4} << 20;
constexpr std::uint64_t kSampledBlocks = 4;
constexpr double kSectorBytes = 32;

std::vector<std::uint64_t> spread(std::uint64_t blocks) {
  std::vector<std::uint64_t> out;
  const std::uint64_t wanted = std::min(kSampledBlocks, blocks);
  for (std::uint64_t i = 0; i < wanted; ++i) out.push_back(blocks / wanted * i + blocks / wanted / 2);
  return out;
}

// What the cache model said of the first blocks, for all.
analysis::LaunchFacts facts_of(const simt::Outcome& outcome, const analysis::Totals& t,
                               const analysis::CacheReport& caches, int blocks_per_sm) {
  analysis::LaunchFacts out;
  out.blocks = outcome.blocks_total;
  out.blocks_per_sm = blocks_per_sm;
  out.instructions = static_cast<double>(outcome.warp_instructions);
  out.lsu_cycles =
      static_cast<double>(t.global_load.lines + t.global_store.lines + t.global_atomic.lines +
                          t.global_reduction.lines + t.local_load.lines + t.local_store.lines +
                          t.shared_load.wavefronts + t.shared_store.wavefronts + t.shared_atomic.wavefronts);
  if (caches.blocks_modelled == 0) return out;
  const double grown =
      static_cast<double>(outcome.blocks_total) / static_cast<double>(caches.blocks_modelled);
  const auto all = [&](std::uint64_t counted) { return grown * static_cast<double>(counted); };
  out.atomic_sectors = all(caches.l2_atomic_sectors);
  out.hottest_address = all(caches.hottest_line);
  out.l2_bytes = kSectorBytes * (all(caches.l2.reads) + all(caches.l2.writes) + out.atomic_sectors);
  out.dram_bytes = kSectorBytes * (all(caches.dram_read_sectors) + all(caches.dram_write_sectors));
  return out;
}

}  // namespace

LaunchSample::LaunchSample(const std::vector<trace::Site>& sites, std::uint64_t all)
    : accesses(sites, {.words = kWords}), blocks({.chosen = spread(all), .max_bytes = kSampleBytes}) {}

DeviceClock::Key DeviceClock::key_of(const KernelLaunch& launch) {
  return {launch.function,
          {launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y, launch.block.z},
          launch.shared_bytes};
}

bool DeviceClock::wants(const KernelLaunch& launch) const {
  return runs_ && !known_.contains(key_of(launch));
}

bool DeviceClock::learn(const KernelLaunch& launch, const Loaded& loaded, const trace::Launch& described,
                        const simt::Outcome& outcome, const analysis::Totals& totals, LaunchSample& sample,
                        const analysis::Device& device, const analysis::ComputeCapability& capability,
                        const analysis::Occupancy& occupancy) {
  if (!constants_) {
    auto read = analysis::ModelConstants::load(device.cc);
    if (!read) return knows_ = false;
    constants_ = std::move(*read);
  }
  const std::vector<trace::Site>& sites = loaded.kernel.sites();
  const analysis::CacheSizes sizes = analysis::cache_sizes(device, capability, occupancy, *constants_);
  const analysis::CacheReport caches = analysis::model_caches(sample.accesses.take(), sites.size(), sizes);
  textures_ |= caches.textures;
  trace::Trace trace = sample.blocks.take();
  trace.launch = described;
  trace.sites = sites;
  trace.buffers = outcome.placements;
  trace.blocks_total = outcome.blocks_total;
  if (trace.size() == 0) return knows_ = false;
  const analysis::SmCode code =
      analysis::sm_code(loaded.kernel.module(), loaded.kernel.entry(), trace, caches, device);
  if (code.blocks.empty()) return knows_ = false;
  const analysis::LaunchFacts facts = facts_of(outcome, totals, caches, occupancy.blocks_per_sm);
  known_[key_of(launch)] = analysis::time_model(code, facts, device, *constants_).us;
  return true;
}

void DeviceClock::add_launch(const KernelLaunch& launch) {
  if (!runs_) return;
  const auto known = known_.find(key_of(launch));
  if (known != known_.end())
    us_ += known->second;
  else
    knows_ = false;
}

void DeviceClock::add_bytes(double bytes, double gbps) {
  if (!runs_) return;
  if (gbps > 0)
    us_ += bytes / gbps / 1e3;
  else
    knows_ = false;
}

}  // namespace warplens::runtime
