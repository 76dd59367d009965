#include "engine/runtime/device_clock.h"

#include <algorithm>

#include "engine/analysis/sm_accesses.h"
#include "engine/analysis/sm_code.h"
#include "engine/analysis/time_model.h"
#include "engine/analysis/whole_launch.h"
#include "engine/runtime/launcher.h"

namespace warplens::runtime {
namespace {

constexpr std::size_t kWords = std::size_t{1} << 18, kSampleBytes = std::size_t{4} << 20;
constexpr std::uint64_t kSampledBlocks = 4;

std::vector<std::uint64_t> spread(std::uint64_t blocks) {
  std::vector<std::uint64_t> out;
  const std::uint64_t wanted = std::min(kSampledBlocks, blocks);
  for (std::uint64_t i = 0; i < wanted; ++i) out.push_back(blocks / wanted * i + blocks / wanted / 2);
  return out;
}

}  // namespace

LaunchSample::LaunchSample(const std::vector<trace::Site>& sites, std::uint64_t all)
    : accesses(sites, {.words = kWords}), blocks({.chosen = spread(all), .max_bytes = kSampleBytes}) {}

DeviceClock::Shape DeviceClock::shape_of(const KernelLaunch& launch) {
  return {launch.function,
          {launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y, launch.block.z},
          launch.shared_bytes};
}

bool DeviceClock::wants(const KernelLaunch& launch) const {
  if (!runs_ && !models_) return false;
  const auto known = known_.find(shape_of(launch));
  if (known == known_.end()) return true;
  return known->second.size() < kMostOfAShape && !known->second.contains(launch.parameters);
}

bool DeviceClock::learn(const KernelLaunch& launch, const Loaded& loaded, const trace::Launch& described,
                        const simt::Outcome& outcome, const analysis::Totals& totals, LaunchSample& sample,
                        const analysis::Device& device, const analysis::ComputeCapability& capability,
                        const analysis::Occupancy& occupancy) {
  if (!constants_) {
    auto read = analysis::ModelConstants::load(device.cc);
    if (!read) return forget_time();
    constants_ = std::move(*read);
  }
  const std::vector<trace::Site>& sites = loaded.kernel.sites();
  analysis::CountedLaunch counted{totals};
  counted.warp_instructions = counted.ptx_instructions = static_cast<double>(outcome.warp_instructions);
  counted.blocks_run = counted.blocks_total = outcome.blocks_total;
  counted.blocks_per_sm = occupancy.blocks_per_sm;
  analysis::CacheSizes sizes = analysis::cache_sizes(device, capability, occupancy, *constants_);
  sizes.instructions_a_block = counted.instructions_a_block();
  trace::Trace trace = sample.blocks.take();
  const analysis::AccessLog log = sample.accesses.take();
  const analysis::CacheReport caches =
      analysis::model_caches(log, sites.size(), sizes, nullptr, analysis::blocks_to_ask(log, trace.blocks()));
  textures_ |= caches.textures;
  trace.launch = described;
  trace.sites = sites;
  trace.buffers = outcome.placements;
  trace.blocks_total = outcome.blocks_total;
  if (trace.size() == 0) return forget_time();
  const analysis::SmCode code =
      analysis::sm_code(loaded.kernel.module(), loaded.kernel.entry(), trace, caches, device);
  if (code.blocks.empty()) return forget_time();
  std::optional<analysis::ModelledCaches> whole;
  if (caches.blocks_modelled > 0) whole = analysis::whole_launch(caches, counted);
  const analysis::LaunchFacts facts = analysis::launch_facts(counted, caches, whole);
  known_[shape_of(launch)][launch.parameters] = {analysis::time_model(code, facts, device, *constants_).us,
                                                 outcome.warp_instructions};
  return true;
}

// Only who has begun to tell the time can no longer tell it.
bool DeviceClock::forget_time() {
  knows_ = knows_ && !runs_;
  return false;
}

std::optional<double> DeviceClock::us_of(const KernelLaunch& launch, std::uint64_t warp_instructions,
                                         double waited_us) const {
  const auto shape = known_.find(shape_of(launch));
  if (shape == known_.end()) return std::nullopt;
  const auto distance = [&](const Learned& one) {
    return std::max(one.warp_instructions, warp_instructions) -
           std::min(one.warp_instructions, warp_instructions);
  };
  const auto same = shape->second.find(launch.parameters);
  const Learned& like = same != shape->second.end() && (warp_instructions == 0 ||
                                                        same->second.warp_instructions == warp_instructions)
                            ? same->second
                            : std::ranges::min_element(shape->second, {}, [&](const auto& one) {
                                return distance(one.second);
                              })->second;
  const bool counted = warp_instructions != 0 && like.warp_instructions != 0;
  const double share =
      counted ? static_cast<double>(warp_instructions) / static_cast<double>(like.warp_instructions) : 1;
  return std::max(like.us * share, waited_us);
}

void DeviceClock::add_launch(const KernelLaunch& launch, std::uint64_t warp_instructions, double waited_us) {
  if (!runs_) return;
  const auto us = us_of(launch, warp_instructions, waited_us);
  knows_ = knows_ && us.has_value();
  us_ += us.value_or(0);
}

void DeviceClock::add_bytes(double bytes, double gbps) {
  if (!runs_) return;
  if (gbps > 0)
    us_ += bytes / gbps / 1e3;
  else
    knows_ = false;
}

}  // namespace warplens::runtime
