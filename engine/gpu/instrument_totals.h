// The part of the rewrite that counts: every site gets counters of its own (totals.h), and code in front of
// it that adds one execution to them by calling the recorder (kernels/recorder/recorder.cu).
//
// What need not be counted is not: a site without addresses that always executes with a neighbour in its
// basic block takes the neighbour's executions, and so does the block itself, whose instructions are counted
// that way. An execution by a whole warp mostly needs no call (instrument_whole.h). In loops counts are kept
// in registers: of addresses that move by one distance each turn as long as they count the same
// (instrument_steady.h), of others from one execution to the next; of loops of one block each lane counts its
// turns alone (lane_joins.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/gpu/instrument_parts.h"
#include "engine/gpu/instrument_steady.h"
#include "engine/gpu/lane_joins.h"
#include "engine/gpu/totals.h"
#include "engine/ptx/facts/uniformity.h"
#include "engine/trace/fragments.h"
#include "engine/trace/site.h"

namespace warplens::gpu {

// Name of the module variable (.u64, constant where there is room) that holds the device address of the
// counters.
inline constexpr const char* kCountersVariable = "warplens_counters";

class TotalsWriter {
 public:
  // `functions`: indexes of those that the kernel can reach, itself first. `hot_registers`: how many
  // registers of 32 bits the sums in loops may take.
  TotalsWriter(const ptx::Module& module, const std::vector<trace::Site>& sites,
               const std::vector<std::uint32_t>& functions, Labels& labels, int hot_registers);
  // At the top of a reachable function. `parameter`: name of the kernel parameter that holds the counters'
  // address, for whoever cannot set a module variable; empty otherwise.
  std::string prologue(const std::string& parameter, bool is_entry) const;
  std::string before(std::uint32_t function, std::uint32_t instruction);
  const TotalsLayout& layout() const { return layout_; }
  // Names of the recorder's functions that the code calls.
  std::set<std::string> called() const;

 private:
  // How a site is counted in one space.
  struct Part {
    std::uint32_t slot = 0;
    const char* what = "";  // "global": the recorder's warplens_count_global
    std::uint32_t rule = 0;
    std::int64_t offset = 0;  // of the executed access relative to the address
    bool second_address = false;
    bool over_turns = false;  // only where the address is a multiple of the width (analysis/executed.h)
    std::uint32_t hot = 0;    // number of its sums in registers, 0 when it has none
    std::uint32_t block = 0;  // of the entry function, in which it counts
    std::uint32_t trip = 0;   // number of the lone loop whose passes tell its sums, 0 when it has none
    bool steady = false;      // the steady writer counts it
    bool whole = false;       // executions by a whole warp are counted in line
  };
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // function, instruction

  std::uint32_t slot(trace::SiteId site, CounterFamily family);
  void plan(const trace::Site& site);
  void plan_access(const trace::Site& site, trace::Space space, std::vector<Part>& parts);
  void plan_blocks(std::uint32_t function);
  bool is_witness(const trace::Site& site) const;
  bool is_over_turns(const trace::Site& site) const;

  bool shares(const trace::Site& site, const std::vector<const trace::Site*>& earlier);
  void plan_steady(int& registers);
  std::optional<SteadyPart> steady_part(const trace::Site& site, const Part& part, const LoopMoves& moves,
                                        std::uint32_t check) const;
  void plan_trips(int& registers);
  void plan_hot(int registers);
  void plan_whole();
  bool may_divide(const trace::Site& site) const;
  std::string prologue_of_sums() const;
  bool sums_bytes(const Part& part) const;

  std::string call(const Part& part);
  std::string count(const Part& part);  // without the offset of a wide access
  std::string measure(const Part& part);
  std::string sum(const Part& part);
  std::string sum_lanes(const Part& part) const;
  std::string flush(const Part& part) const;
  std::string flush_all(const ptx::Function& function, const ptx::Instruction& instruction,
                        std::uint32_t from);
  std::string count_block(std::uint32_t function, std::uint32_t instruction);
  std::string join_lanes(std::uint32_t instruction) const;
  std::string count_trips(std::uint32_t instruction);
  std::string sum_trips(const Part& part);
  std::string leave(std::uint32_t function, std::uint32_t instruction);
  std::string site_code(const ptx::Function& function, const ptx::Instruction& instruction,
                        const trace::Site& site);
  std::string generic(const std::vector<Part>& parts, const std::string& address);
  std::string fragment_code(const ptx::Function& function, const ptx::Instruction& instruction,
                            const trace::Site& site, const trace::FragmentMovement& fragment);
  bool known_by_run(const trace::Site& site) const;

  const ptx::Module& module_;
  const std::vector<trace::Site>& sites_;
  Labels& labels_;
  bool counts_parameters_ = false;
  bool counters_in_constants_ = false;
  bool clusters_ = false;  // addresses may lie in another block's shared memory
  TotalsLayout layout_;
  std::map<Place, const trace::Site*> at_;
  std::vector<std::vector<Part>> parts_;                           // one list a site
  std::vector<std::optional<trace::FragmentMovement>> fragments_;  // of sites that are wmma movements
  std::map<Place, Part> block_counts_;                             // of a block that no site tells of
  std::vector<bool> shared_;  // sites that take all counts of a neighbour
  std::uint32_t entry_ = 0;
  std::vector<const Part*> hot_;
  bool any_whole_ = false;
  SteadyWriter steady_;
  std::optional<ptx::Uniformity> uniformity_;  // of the kernel itself
  std::vector<LaneJoin> joins_;
  struct Trips {
    LaneJoin join;
    const Part* part = nullptr;
  };
  std::vector<Trips> trips_;
};

}  // namespace warplens::gpu
