// From what was counted and modelled of some blocks to the whole launch: bytes that move, and what the time
// model asks.
//
//   const ModelledCaches caches = whole_launch(report_of_caches, counted);
//   const double us = time_model(code, launch_facts(counted, report_of_caches, caches), device,
//   constants).us;
#pragma once

#include <memory>
#include <optional>

#include "engine/analysis/caches.h"
#include "engine/analysis/modelled.h"
#include "engine/analysis/totals.h"
#include "engine/trace/block_work.h"

namespace warplens::analysis {

struct CountedLaunch {
  const Totals& totals;
  double warp_instructions = 0;  // as the machine executes them, of the blocks that ran
  double ptx_instructions = 0;   // as the PTX has them, of the same
  std::uint64_t blocks_run = 0, blocks_total = 0;
  int blocks_per_sm = 1;                                  // that fit
  double buffer_bytes = 0;                                // all that the launch was given; 0: unknown
  std::shared_ptr<const trace::BlockWork> by_block = {};  // ptx_instructions; null: not known
  double instructions_a_block() const {
    return blocks_run == 0 ? 0 : warp_instructions / static_cast<double>(blocks_run);
  }
};

// Loads grow by the counted loads, and so on. Data that several blocks share comes from DRAM once, so its
// bytes grow no further than all buffers where L2 holds them.
ModelledCaches whole_launch(const CacheReport& modelled, const CountedLaunch& counted);
// `caches`: of the whole launch; nothing where they say nothing.
LaunchFacts launch_facts(const CountedLaunch& counted, const CacheReport& modelled,
                         const std::optional<ModelledCaches>& caches);

}  // namespace warplens::analysis
