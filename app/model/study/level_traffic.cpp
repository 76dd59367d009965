#include "app/model/study/level_traffic.h"

#include <algorithm>
#include <vector>

#include "app/model/study/modelled.h"

namespace warplens::model {
namespace {

// In passing, while a slider moves: longer launches are modelled by their first blocks.
constexpr ModelOptions kInPassing{
    .time = false, .thread_instructions = std::uint64_t{1} << 26, .words = std::size_t{1} << 19};
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

}  // namespace

double buffer_bytes(const trace::Launch& launch) {
  double sum = 0;
  for (const trace::Argument& argument : launch.arguments)
    if (argument.is_buffer) sum += static_cast<double>(argument.bytes());
  return sum;
}

double lane_bytes(const analysis::Totals& totals) {
  return loaded(totals) + sent_on(totals);
}

visual::LevelTraffic level_traffic(const Run& run, const analysis::Device& device,
                                   const analysis::ComputeCapability& capability) {
  visual::LevelTraffic out;
  out.evidence = analysis::CacheReport::evidence;
  out.loaded = loaded(run.report.totals);
  out.passed_on = sent_on(run.report.totals);
  out.blocks_total = run.report.blocks_total;
  const double buffers = buffer_bytes(run.report.launch);
  if (buffers > 0) out.host_bytes = buffers;
  const auto modelled = model_run(run, device, capability, kInPassing);
  if (!modelled || !modelled->caches) return out;
  const analysis::ModelledCaches& c = *modelled->caches;
  out.blocks_modelled = c.blocks_modelled;
  out.l2_hits_at_least = out.blocks_modelled < out.blocks_total;
  out.l1_missed = std::min(out.loaded, kSectorBytes * c.l2_read_sectors_most);
  out.l2_read_least = std::min(*out.l1_missed, kSectorBytes * c.l2_read_sectors_least);
  // What the instructions take is in no buffer, and in no hit rate.
  out.dram_read = std::min(*out.l2_bytes(), c.dram_read_bytes - c.dram_code_bytes);
  out.dram_written = std::min(out.passed_on, c.dram_write_bytes);
  return out;
}

}  // namespace warplens::model
