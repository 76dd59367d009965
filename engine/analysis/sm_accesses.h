// The accesses of an SmCode: what each takes of the load/store unit, of L2 and of DRAM.
//
//   SmAccesses accesses(trace, caches, device, code);
//   accesses.begin(block);
//   if (accesses.add(step, number)) ...   code.accesses[number]
//
//   accesses.answer_as_others();             behind the last
//
// Of blocks whose instructions the caches were asked about they say what served each access; of the others
// the sectors that each level had of a site are spread over its accesses. A few blocks stand for all, but
// what the caches have for them need not: the first of many that read the same find nothing. So they were
// asked about others of the launch as well, whose answers these blocks have in turn.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/analysis/access_log.h"
#include "engine/analysis/caches.h"
#include "engine/analysis/coalescing.h"
#include "engine/analysis/device.h"
#include "engine/analysis/executed.h"
#include "engine/analysis/sm_code.h"
#include "engine/trace/trace.h"

namespace warplens::analysis {

// The blocks whose answers are wanted of the caches, ascending: those that the sample has, and for each of
// them a few more from its part of the log; the fewer the more they access.
std::vector<std::uint64_t> blocks_to_ask(const AccessLog& log, std::span<const trace::BlockSteps> sample);

class SmAccesses {
 public:
  SmAccesses(const trace::Trace& trace, const CacheReport& caches, const Device& device, SmCode& out)
      : trace_(trace), caches_(caches), device_(device), out_(out), debts_(trace.sites.size()) {}

  // Of this block are the steps that follow.
  void begin(const trace::BlockSteps& block);
  // Puts the access of a step of the trace into the code, under `number`. False where another access is
  // executed for this one.
  bool add(std::uint32_t step, std::uint32_t& number);
  void answer_as_others();

 private:
  struct Place {  // of an access among those of its block
    std::uint32_t warp = 0, nth = 0;
  };
  struct Asked {  // of the memory
    Place place;
    std::uint32_t access = 0, block = 0;  // in the code; how many were begun before its own
    std::uint16_t sectors = 0;
    bool store = false, local = false;
  };
  // Sectors of a site that are still to be spread over its accesses, by the level that serves them.
  struct Debt {
    double l2 = 0, dram = 0, stored = 0;
  };
  ExecutedShape shape_of(const trace::AccessView& view) const;
  void constant(const ExecutedShape& shape, std::array<std::uint64_t, 32> at, SmAccess& made);
  void memory(const trace::AccessView& view, const ExecutedShape& shape,
              const std::array<std::uint64_t, 32>& at, std::uint32_t step, SmAccess& made);
  void name_lines(const ExecutedShape& shape, const std::array<std::uint64_t, 32>& at, SmAccess& made);
  static void as_served(const ServedAccess& served, const Asked& asked, SmAccess& made);
  void set_latency(SmAccess& made) const;
  bool answers(const ServedBlock& other, std::size_t block) const;
  void as_on_average(const trace::AccessView& view, const GlobalCounts& counts, SmAccess& made);
  static std::uint16_t take(double& debt, double more);

  const trace::Trace& trace_;
  const CacheReport& caches_;
  const Device& device_;
  SmCode& out_;
  std::vector<Debt> debts_;
  const ServedBlock* served_ = nullptr;              // the block at hand
  std::unordered_map<std::uint32_t, Place> places_;  // by step of it
  std::vector<std::uint64_t> blocks_;                // that were begun
  std::vector<std::vector<std::uint32_t>> counts_;   // accesses of each of their warps
  std::vector<Asked> asked_;
  std::unordered_map<std::uint64_t, std::uint32_t> lines_;
};

}  // namespace warplens::analysis
