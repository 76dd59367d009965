// How long a launch takes on a named GPU, told from what it executes: a model of the SM that is given most
// blocks (sm_simulation.h) behind the caches' answer, plus what a launch costs in any case.
//
//   const TimeModel t = time_model(code, facts, device, constants);
//   t.us;  t.rules;  t.parts.dram;
//
// The parts are microseconds of each alone, had it the GPU for itself: they overlap, so they add up to more
// than the whole. `rules` is the largest; the verdict says it to a person.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/analysis/device.h"
#include "engine/analysis/model_constants.h"
#include "engine/analysis/sm_code.h"
#include "engine/analysis/sm_simulation.h"
#include "engine/trace/block_work.h"

namespace warplens::analysis {

enum class TimePart : std::uint8_t { Launch, Issue, Lsu, L2, Dram, Latency, Atomics, Units, Tail };
inline constexpr std::size_t kTimeParts = 9;
std::string_view name(TimePart part);  // "launch"

enum class Verdict : std::uint8_t { Launch, TooFewBlocks, Latency, Lsu, L2, Dram, Issue, Unit, Atomics };
std::string_view name(Verdict verdict);  // "too_few_blocks"

// Of the whole launch.
struct LaunchFacts {
  std::uint64_t blocks = 1;
  int blocks_per_sm = 1;  // that fit
  // Warp level, of the machine; with the cycles that schedulers hold back behind them, where its code is
  // known.
  double instructions = 0;
  double ptx_a_block = 0;  // warp level, of the PTX, of one block on the average of all that ran
  double l2_bytes = 0, dram_read_bytes = 0;
  double dram_changed_bytes = 0;  // that DRAM has to be given, while the launch runs or later
  // For each byte that is read, or changed, so many that DRAM could have moved meanwhile; and the share of
  // what is read that nobody asked for, since sectors were stored in part.
  double dram_read_cost = 1, dram_changed_cost = 1, dram_fills = 0;
  double l2_stored_bytes = 0;  // of l2_bytes
  double merge_cycles = 0;     // of each slice, in which it gives DRAM nothing (CacheReport::merge_cycles)
  double store_cycles = 0;     // of the slice of L2 that has most stores
  bool warm = false;         // the same launch was just before it: data in L2, text and parameters at the SMs
  double atomic_cycles = 0;  // of the slice of L2 that has most atomics
  double atomic_sectors = 0;                              // of all atomics, each as often as L2 changes it
  double storing = 1;                                     // of its blocks, the share that store something
  std::shared_ptr<const trace::BlockWork> by_block = {};  // null: each executes as much as the others
};

struct TimeModel {
  double us = 0;
  std::array<double, kTimeParts> parts{};  // µs, by TimePart
  TimePart rules = TimePart::Launch;
  Verdict verdict = Verdict::Launch;
  SmRun sm;          // of the SM that is given most blocks, as profiled_sm() has it
  double sm_us = 0;  // of it, or of the first block's, as the clock has it
  double waves = 0;  // blocks over those that run at once
  // µs of the whole if that part cost nothing, each at most `us`; empty until without_each() was asked.
  std::vector<double> without = {};
  double part(TimePart p) const { return parts[static_cast<std::size_t>(p)]; }
};

// What the blocks of the code execute over what blocks of the launch do on the average: where work is
// irregular a few of them are not the mean of all.
double over_average(const SmCode& code, const LaunchFacts& facts);
// The SM as the clock has it: behind a flush L2 is full of changed lines, which leave it for what is read and
// stored.
SmSetup sm_setup(const LaunchFacts& facts, const Device& device, const ModelConstants& constants);
// The SM as a profiler has it, whose stall reasons these are: L2 is empty, and keeps what is stored while
// there is room (engine/gpu/clean_cache.h). The same for a launch that follows itself.
SmSetup profiled_sm(const LaunchFacts& facts, const Device& device, const ModelConstants& constants);
// `record`: segments of the SM's warps to keep, as in SmSetup.
TimeModel time_model(const SmCode& code, const LaunchFacts& facts, const Device& device,
                     const ModelConstants& constants, std::size_t record = 0);
// What would change if one part went away: the SM runs again without it. By TimePart.
std::vector<double> without_each(const TimeModel& model, const SmCode& code, const LaunchFacts& facts,
                                 const Device& device, const ModelConstants& constants);

}  // namespace warplens::analysis
