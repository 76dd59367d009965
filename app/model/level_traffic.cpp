#include "app/model/level_traffic.h"

#include <algorithm>

#include "engine/analysis/caches.h"

namespace warplens::model {
namespace {

// Modelling the caches walks every lane of every access; beyond this a slider would feel it.
constexpr std::size_t kMostSteps = 500'000;
constexpr double kSectorBytes = 32;

double bytes_of(const analysis::GlobalCounts& counts) {
  return kSectorBytes * static_cast<double>(counts.sectors);
}

double loaded(const analysis::Totals& t) {
  return bytes_of(t.global_load) + bytes_of(t.local_load);
}

double sent_on(const analysis::Totals& t) {  // L1 passes these to L2, hit or not
  return bytes_of(t.global_store) + bytes_of(t.local_store) + bytes_of(t.global_atomic) +
         bytes_of(t.global_reduction);
}

double buffer_bytes(const trace::Launch& launch) {
  double sum = 0;
  for (const trace::Argument& argument : launch.arguments)
    if (argument.is_buffer) sum += static_cast<double>(argument.bytes());
  return sum;
}

// DRAM's bytes for each byte that asked L2, in the traced blocks.
double dram_share(const analysis::CacheReport& caches) {
  const double asked = static_cast<double>(caches.l2.reads + caches.l2.writes);
  const double moved = static_cast<double>(caches.dram_read_sectors + caches.dram_write_sectors);
  return asked > 0 ? moved / asked : 0;
}

}  // namespace

double lane_bytes(const analysis::Totals& totals) {
  return loaded(totals) + sent_on(totals);
}

visual::LevelTraffic level_traffic(const Run& run, const analysis::Device& device,
                                   const analysis::ComputeCapability& capability) {
  visual::LevelTraffic out;
  out.evidence = analysis::CacheReport::evidence;
  out.blocks_modelled = run.trace.blocks().size();
  out.blocks_total = run.report.blocks_total;
  const double buffers = buffer_bytes(run.report.launch);
  if (buffers > 0) out.host_bytes = buffers;
  if (run.trace.size() > kMostSteps || run.trace.size() == 0) return out;
  const auto sizes = analysis::cache_sizes(device, capability, run.report.occupancy);
  const auto caches = analysis::model_caches(run.trace, sizes);
  const bool moves = caches.l1.reads + caches.l1.writes > 0;
  if (caches.l1.reads > 0) out.l1_hit_rate = caches.l1.hit_rate();
  if (moves && !out.l1_hit_rate) out.l1_hit_rate = 0.0;
  if (caches.l2.reads > 0) out.l2_hit_rate = caches.l2.hit_rate();
  if (!moves && lane_bytes(run.report.totals) > 0)
    return out;  // the traced blocks say nothing about the others
  out.l2_bytes = loaded(run.report.totals) * (1 - out.l1_hit_rate.value_or(0)) + sent_on(run.report.totals);
  out.dram_bytes = *out.l2_bytes * dram_share(caches);
  if (buffers > 0 && buffers <= static_cast<double>(sizes.l2_bytes))
    out.dram_bytes = std::min(*out.dram_bytes, 2 * buffers);
  return out;
}

}  // namespace warplens::model
