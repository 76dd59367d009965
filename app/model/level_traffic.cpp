#include "app/model/level_traffic.h"

#include <algorithm>
#include <vector>

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

// Bytes of the buffers that the traced accesses read, and of those that they write (atomics do both): the
// most that DRAM has to give and to take where L2 holds them all. A buffer that no traced block touches may
// be either to the blocks that were not traced.
struct Touched {
  double read = 0, written = 0;
};
Touched touched_buffers(const trace::Trace& trace, bool whole) {
  struct Use {
    bool read = false, written = false;
  };
  std::vector<Use> uses(trace.buffers.size());
  std::size_t last = 0;
  const auto use_of = [&](std::uint64_t address) -> Use* {
    const auto holds = [&](std::size_t i) {
      return address - trace.buffers[i].base < trace.buffers[i].bytes;
    };
    if (last < uses.size() && holds(last)) return &uses[last];
    for (std::size_t i = 0; i < uses.size(); ++i)
      if (holds(i)) return &uses[last = i];
    return nullptr;
  };
  for (std::size_t step = 0; step < trace.size(); ++step) {
    if (trace.steps()[step].kind != trace::StepKind::Access) continue;
    const trace::AccessView access = trace.access(step);
    if (access.space != trace::Space::Global) continue;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1u) == 0) continue;
      Use* use = use_of(access.addresses[static_cast<std::size_t>(lane)]);
      if (use == nullptr) continue;
      use->read = use->read || access.kind != trace::SiteKind::Store;
      use->written = use->written || access.kind != trace::SiteKind::Load;
    }
  }
  Touched out;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const bool unknown = !whole && !uses[i].read && !uses[i].written;
    const auto bytes = static_cast<double>(trace.buffers[i].bytes);
    if (uses[i].read || unknown) out.read += bytes;
    if (uses[i].written || unknown) out.written += bytes;
  }
  return out;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

double lane_bytes(const analysis::Totals& totals) {
  return loaded(totals) + sent_on(totals);
}

visual::LevelTraffic level_traffic(const Run& run, const analysis::Device& device,
                                   const analysis::ComputeCapability& capability) {
  visual::LevelTraffic out;
  out.evidence = analysis::CacheReport::evidence;
  out.loaded = loaded(run.report.totals);
  out.passed_on = sent_on(run.report.totals);
  // A trace names every block that ran; of those that were not recorded it has no steps.
  out.blocks_modelled = static_cast<std::uint64_t>(
      std::ranges::count_if(run.trace.blocks(), [](const trace::BlockSteps& b) { return b.last > b.first; }));
  out.blocks_total = run.report.blocks_total;
  const double buffers = buffer_bytes(run.report.launch);
  if (buffers > 0) out.host_bytes = buffers;
  if (run.trace.size() > kMostSteps || run.trace.size() == 0) return out;
  const auto sizes = analysis::cache_sizes(device, capability, run.report.occupancy);
  const auto caches = analysis::model_caches(run.trace, sizes);
  const bool moves = caches.l1.reads + caches.l1.writes + caches.l2.reads > 0;
  if (!moves && out.loaded + out.passed_on > 0) return out;  // these blocks say nothing about the others
  out.l1_missed = out.loaded * (1 - caches.l1.hit_rate());
  const std::uint64_t asked = caches.l2.reads + caches.l2.writes;
  out.dram_read = *out.l2_bytes() * share(caches.dram_read_sectors, asked);
  out.dram_written = *out.l2_bytes() * share(caches.dram_write_sectors, asked);
  if (buffers <= 0 || buffers > static_cast<double>(sizes.l2_bytes)) return out;
  const bool spills = run.report.totals.local_load.sectors + run.report.totals.local_store.sectors > 0;
  if (spills) return out;  // local memory is in no buffer
  out.l2_hits_at_least = out.blocks_modelled < out.blocks_total;
  const Touched touched = touched_buffers(run.trace, !out.l2_hits_at_least);
  out.dram_read = std::min(*out.dram_read, touched.read);
  out.dram_written = std::min(*out.dram_written, touched.written);
  return out;
}

}  // namespace warplens::model
