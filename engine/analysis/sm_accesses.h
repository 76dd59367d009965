// The accesses of an SmCode: what each takes of the load/store unit, of L2 and of DRAM.
//
//   SmAccesses accesses(trace, caches, device, code);
//   accesses.begin(block);
//   if (accesses.add(step, number)) ...   code.accesses[number]
//
// Of blocks whose instructions the caches were asked about they say what served each access; of the others
// the sectors that each level had of a site are spread over its accesses.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/analysis/caches.h"
#include "engine/analysis/coalescing.h"
#include "engine/analysis/device.h"
#include "engine/analysis/executed.h"
#include "engine/analysis/sm_code.h"
#include "engine/trace/trace.h"

namespace warplens::analysis {

class SmAccesses {
 public:
  SmAccesses(const trace::Trace& trace, const CacheReport& caches, const Device& device, SmCode& out)
      : trace_(trace), caches_(caches), device_(device), out_(out), debts_(trace.sites.size()) {}

  // Of this block are the steps that follow.
  void begin(const trace::BlockSteps& block);
  // Puts the access of a step of the trace into the code, under `number`. False where another access is
  // executed for this one.
  bool add(std::uint32_t step, std::uint32_t& number);

 private:
  // Sectors of a site that are still to be spread over its accesses, by the level that serves them.
  struct Debt {
    double l2 = 0, dram = 0, stored = 0;
  };
  ExecutedShape shape_of(const trace::AccessView& view) const;
  void constant(const ExecutedShape& shape, std::array<std::uint64_t, 32> at, SmAccess& made);
  void memory(const trace::AccessView& view, const ExecutedShape& shape,
              const std::array<std::uint64_t, 32>& at, std::uint32_t step, SmAccess& made);
  void name_lines(const ExecutedShape& shape, const std::array<std::uint64_t, 32>& at, SmAccess& made);
  static void as_served(const ServedAccess& served, bool store, SmAccess& made);
  void as_on_average(const trace::AccessView& view, const GlobalCounts& counts, SmAccess& made);
  static std::uint16_t take(double& debt, double more);

  const trace::Trace& trace_;
  const CacheReport& caches_;
  const Device& device_;
  SmCode& out_;
  std::vector<Debt> debts_;
  std::unordered_map<std::uint32_t, ServedAccess> served_;  // by step of the block at hand
  std::unordered_map<std::uint64_t, std::uint32_t> lines_;
};

}  // namespace warplens::analysis
