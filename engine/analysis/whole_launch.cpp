#include "engine/analysis/whole_launch.h"

#include <algorithm>

namespace warplens::analysis {
namespace {

constexpr double kBytesOfSector = 32;

double sum(std::initializer_list<std::uint64_t> counts) {
  double out = 0;
  for (const std::uint64_t count : counts) out += static_cast<double>(count);
  return out;
}

// How often the blocks that ran stand in the launch.
double times(const CountedLaunch& counted) {
  return counted.blocks_run > 0
             ? static_cast<double>(counted.blocks_total) / static_cast<double>(counted.blocks_run)
             : 0;
}

}  // namespace

ModelledCaches whole_launch(const CacheReport& c, const CountedLaunch& counted) {
  const Totals& t = counted.totals;
  const double blocks = times(counted);
  const auto grown = [&](double all, double modelled) {
    return modelled > 0 && c.blocks_modelled < counted.blocks_run ? blocks * all / modelled : blocks;
  };
  const double stored = sum({t.global_store.sectors, t.local_store.sectors});
  const double loads =
      grown(sum({t.global_load.sectors, t.local_load.sectors}), sum({c.l1.reads, c.local.reads}));
  const double stores = grown(stored, sum({c.l1.writes}));
  const double atomics =
      grown(sum({t.global_atomic.sectors, t.global_reduction.sectors}), sum({c.l2_atomic_sectors}));
  ModelledCaches out;
  if (c.l1.reads > 0) out.l1_hit_rate = c.l1.hit_rate();
  out.l2_read_sectors = loads * sum({c.l2.reads});
  out.l2_read_sectors_least = loads * sum({std::min(c.l2_reads_together, c.l2.reads)});
  out.l2_read_sectors_most = loads * sum({c.l2_reads_alone});
  out.l2_write_sectors = stores * sum({c.l2.writes});
  // Registers that are saved around calls, and spills, are counted but not accessed by the PTX.
  const double kept_aside = stored - sum({c.l1.writes});
  if (stores == blocks && kept_aside > 0) out.l2_write_sectors += blocks * kept_aside;
  out.l2_atomic_sectors = atomics * sum({c.l2_atomic_sectors});
  out.dram_read_bytes = kBytesOfSector * loads * sum({c.dram_read_sectors});
  out.dram_write_bytes = kBytesOfSector * stores * sum({c.dram_write_sectors});
  out.blocks_modelled = c.blocks_modelled;
  out.warm = c.sizes.warm;
  const bool grew = loads > 1 && t.local_load.sectors == 0;
  if (grew && counted.buffer_bytes > 0 && counted.buffer_bytes <= static_cast<double>(c.sizes.l2_bytes)) {
    out.dram_read_bytes = std::min(out.dram_read_bytes, counted.buffer_bytes);
    out.dram_write_bytes = 0;
  }
  const double asked = out.l2_read_sectors + out.l2_write_sectors;
  out.l2_hit_rate = asked > 0 ? 1 - std::min(1.0, out.dram_read_bytes / kBytesOfSector / asked) : 0;
  if (!grew) out.l2_hit_rate = c.l2_hit_rate();
  return out;
}

LaunchFacts launch_facts(const CountedLaunch& counted, const CacheReport& modelled,
                         const std::optional<ModelledCaches>& caches) {
  const double blocks = times(counted);
  LaunchFacts out;
  out.blocks = counted.blocks_total;
  out.blocks_per_sm = counted.blocks_per_sm;
  out.instructions = blocks * counted.warp_instructions;
  if (counted.blocks_run > 0)
    out.ptx_a_block = counted.ptx_instructions / static_cast<double>(counted.blocks_run);
  out.by_block = counted.by_block;
  if (!caches) return out;
  out.l2_bytes =
      kBytesOfSector * (caches->l2_read_sectors + caches->l2_write_sectors + caches->l2_atomic_sectors);
  out.l2_stored_bytes = kBytesOfSector * caches->l2_write_sectors;
  if (modelled.l2.writes > 0) {
    const double grown = caches->l2_write_sectors / sum({modelled.l2.writes});
    out.store_cycles = modelled.store_cycles * grown;
    out.merge_cycles = modelled.merge_cycles * grown;
  }
  out.warm = caches->warm;
  out.dram_read_bytes = caches->dram_read_bytes;
  const double of_places = kBytesOfSector * sum({modelled.local_changed_sectors});
  out.dram_changed_bytes = kBytesOfSector * sum({modelled.changed_sectors}) - of_places;
  if (modelled.l2.writes > 0)
    out.dram_changed_bytes *= caches->l2_write_sectors / sum({modelled.l2.writes});
  else if (modelled.l2_atomic_sectors > 0)
    out.dram_changed_bytes *= caches->l2_atomic_sectors / sum({modelled.l2_atomic_sectors});
  out.dram_changed_bytes += of_places;
  const double read = kBytesOfSector * sum({modelled.dram_read_sectors});
  if (read > 0) {
    out.dram_read_cost = modelled.dram_read_cost / read;
    out.dram_fills = sum({modelled.dram_fill_sectors}) / sum({modelled.dram_read_sectors});
  }
  if (modelled.changed_sectors > 0)
    out.dram_changed_cost = modelled.dram_changed_cost / (kBytesOfSector * sum({modelled.changed_sectors}));
  out.atomic_sectors = caches->l2_atomic_sectors;
  if (modelled.l2_atomic_sectors > 0)
    out.atomic_cycles =
        modelled.atomic_cycles * caches->l2_atomic_sectors / sum({modelled.l2_atomic_sectors});
  return out;
}

}  // namespace warplens::analysis
