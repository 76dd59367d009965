// What the caches of a named GPU would do with the accesses of a launch: a model, and badged as one.
//
//   CacheReport r = model_caches(log, cache_sizes(device, capability, occupancy));
//   r.l1.hit_rate();            // share of the sectors of global loads that were found in L1
//   r.dram_read_sectors * 32;   // bytes that had to come from DRAM
//
// The model: blocks are handed out as the hardware does, one to each SM, then the next to each, until an SM
// is full; the next one goes where a block ended first. Warps make their next access when they have what it
// waits for, by latencies and an SM's share of L2 and DRAM, and no sooner than what is executed in between on
// the average allows. L1 belongs to an SM, holds what loads brought and
// stores wrote (cache_memory.h), and passes stores and atomics on to L2. Stores in a row by the same lanes of
// a warp are combined on the way. What warps of an SM want of a line one right after the other is one
// request. L2 is asked once by up to four SMs of a group that want the same sectors of a line, no more and no
// fewer, until the first of them has its answer or another one wants others of its sectors. L2 starts empty
// (or warm: with what the launch before left), is filled sector by sector, DRAM gives pieces of two sectors;
// what was written stays in L2 until its line has to leave.
//
// Rates are the profiler's: l1 is l1tex__t_sectors_pipe_lsu_mem_global_op_ld and its _lookup_hit, L2's reads
// and writes are lts__t_sectors_srcunit_tex_op_read and _op_write (what passes between the two halves of L2
// is counted apart by the hardware, and not in these).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/analysis/access_log.h"
#include "engine/analysis/device.h"
#include "engine/analysis/model_constants.h"
#include "engine/analysis/occupancy.h"
#include "engine/base/evidence.h"
#include "engine/base/progress.h"
#include "engine/trace/trace.h"

namespace warplens::analysis {

struct CacheSizes {
  static constexpr std::int64_t kLine = 128;  // bytes
  std::int64_t l1_bytes = 0;                  // of one SM, what shared memory leaves of the unified array
  std::int64_t l2_bytes = 0;                  // that one kernel can keep in it
  // Lines of L2 that may have sectors of which only words were stored; more are completed from DRAM.
  std::int64_t part_lines = 1 << 30;
  double dram_row_bytes = 0;  // that DRAM could move while it opens a row
  int sms = 1;
  int blocks_per_sm = 1;                  // resident at once
  int l2_ways = 16;                       // as simulators that were fitted to hardware have them
  int sms_a_group = 1;                    // of a group, whose equal requests reach L2 once
  int sm_groups = 1;                      // of SMs, each of which has blocks in a row
  int first_sms = 0;                      // that are a group of their own and are given the first blocks
  double fill_cycles = 0;                 // between two blocks that an SM is given when the launch begins
  double l2_cycles = 0, dram_cycles = 0;  // of an SM until its share of L2 and of DRAM has given it a sector
  int combined_lines = 0;                 // that a warp's stores in a row may fill together
  bool warm = false;                      // the launch runs twice, and the second time is reported
  // All that the launch has memory for, where the log has only some of its blocks; 0: no more than these
  // touch. What they find of the launch before is no more than their part of it.
  double launch_bytes = 0;
  // What keeps a slice of L2 busy, in cycles: atomics, by sector or by lane on the same address, and stores,
  // to the same line or to another one than the one before.
  struct Slices {
    int count = 1, lines = 1;  // of them; in a row that one slice has
    double sector = 1, address = 1, float_address = 1;
    // Between stores: to a line, to two of them in turn; to more of a line, and of each of its sectors,
    // whole or in part.
    double same_line = 1, other_line = 1, stored_line = 1, stored_sector = 0, stored_part = 0;
    bool operator==(const Slices&) const = default;
  } slices;
  // What a block's warps execute in all, between their accesses as well; 0: not known, and accesses follow
  // each other as fast as memory lets them.
  double instructions_a_block = 0;
  // Whose requests may reach L2 together with those of the same number: `sm` counts in the order in which a
  // launch's first blocks are handed out, to so many SMs in all.
  std::uint32_t group_of(std::size_t sm, std::size_t active) const;
};
CacheSizes cache_sizes(const Device& device, const ComputeCapability& capability, const Occupancy& occupancy,
                       const ModelConstants& constants = {});

struct CacheLevel {  // all in sectors of 32 bytes
  std::uint64_t reads = 0, read_hits = 0, writes = 0;
  double hit_rate() const {  // of the reads; 0 without any
    return reads == 0 ? 0.0 : static_cast<double>(read_hits) / static_cast<double>(reads);
  }
  bool operator==(const CacheLevel&) const = default;
};

// What the caches had for one access, in sectors.
struct ServedAccess {
  std::uint16_t from_l2 = 0, from_dram = 0;  // that L1 had not; of them, that L2 had not
  std::uint16_t stored = 0;                  // that L2 was given
  std::uint16_t changed = 0;                 // of these, such as DRAM will have to be given for it
  // Cycles until the SM has those that DRAM still brings for another warp or SM, which asked before; 0: none.
  std::uint16_t coming = 0;
};

// Those of a block's warps, each in its order: accesses to global and local memory as the machine has them.
struct ServedBlock {
  std::uint64_t block = 0;
  std::vector<std::vector<ServedAccess>> warps;
};

struct CacheReport {
  static constexpr Evidence evidence = Evidence::Modelled;
  CacheSizes sizes;
  CacheLevel l1;                        // of global loads; writes: of global and local stores
  CacheLevel local;                     // of local loads in L1
  CacheLevel l2;                        // reads are loads that L1 had not, writes are stores
  std::uint64_t l2_atomic_sectors = 0;  // atomics and reductions, each as often as it is done
  double atomic_cycles = 0;             // of the slice of L2 that has most to do with them
  double store_cycles = 0;              // the same for stores
  // Of each slice, for words that are stored beside others in sectors that are stored in part: it gives DRAM
  // nothing meanwhile.
  double merge_cycles = 0;
  std::uint64_t l2_reads_alone = 0;     // reads, had no SM been served together with another
  std::uint64_t l2_reads_together = 0;  // had all that asked in the same turn
  std::uint64_t dram_read_sectors = 0;
  std::uint64_t dram_fill_sectors = 0;   // of these, because only words of a sector were stored
  double dram_read_cost = 0;             // bytes that DRAM could have moved meanwhile, with its rows
  double dram_changed_cost = 0;          // the same of what it will have to be given
  std::uint64_t dram_write_sectors = 0;  // that had to leave L2 while the launch ran
  std::uint64_t changed_sectors = 0;     // that DRAM will have to be given, then or later
  std::uint64_t local_changed_sectors =
      0;  // of these, of local memory: blocks that follow each other share it
  struct Site {
    CacheLevel l1, l2;
    std::uint64_t dram_read_sectors = 0;
  };
  std::vector<Site> sites;          // index = site
  std::vector<ServedBlock> served;  // of the blocks that were asked for, as far as the log has them
  std::uint64_t blocks_modelled = 0, blocks_run = 0;
  bool textures = false;  // what was read through textures is in none of these
  // Of all that asks L2, 0 to 1; a store makes its own place and hits.
  double l2_hit_rate() const;
};

// Stops early, with what was counted so far, on a cancel. `wanted`: blocks whose accesses are told one by
// one, ascending.
CacheReport model_caches(const AccessLog& log, std::size_t sites, const CacheSizes& sizes,
                         Progress* progress = nullptr, std::span<const std::uint64_t> wanted = {});
// The same of the blocks that a trace holds.
CacheReport model_caches(const trace::Trace& trace, const CacheSizes& sizes, Progress* progress = nullptr);

}  // namespace warplens::analysis
