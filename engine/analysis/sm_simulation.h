// A model of one SM: schedulers that each issue one instruction a cycle from a warp that is ready, units that
// are busy, memory that answers late and no faster than its share of the bandwidth, barriers, blocks that
// make room for the next one.
//
//   const SmRun run = simulate_sm(code, setup);
//   run.cycles;                          // until the last block has left
//   run.settled;                         // until L2 has what they stored
//   run.stalls[SmStall::LongScoreboard]  // warp cycles
//
// A warp waits for the registers that its next instruction reads, each ready when what writes it is done, so
// several loads are in flight. Nobody waits for a store but a warp that ends. Reasons are the profiler's
// (smsp__average_warps_issue_stalled_*).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/analysis/sm_code.h"

namespace warplens::analysis {

enum class SmStall : std::uint8_t {
  Selected,  // issues
  NotSelected,
  Wait,
  LongScoreboard,
  ShortScoreboard,
  Barrier,
  LgThrottle,
  MioThrottle,
  MathPipeThrottle,
  DispatchStall,
  BranchResolving,
  Drain,
  ImcMiss,
  NoInstruction,
  Membar,
  Sleeping,
};
inline constexpr std::size_t kSmStalls = 16;
std::string_view name(SmStall stall);  // "long_scoreboard"

struct SmSetup {
  int schedulers = 4;
  int resident_blocks = 1;   // at once, as many as fit and the grid fills
  std::uint64_t blocks = 1;  // that this SM is given in all
  bool hide_latency = true;  // false: a scheduler stays with its warp until that has finished
  double l2_sectors_a_cycle = 1, dram_sectors_a_cycle = 0.5;  // this SM's share
  double dram_spare = 0;    // cycles back from which it may use what it has left of that: all SMs share DRAM
  double dram_dirty = 0;    // sectors that leave L2 for DRAM for each that is read there
  double dram_changed = 1;  // of what is stored, the share that DRAM has to be given
  double dram_read_wait = 0,
         dram_write_wait = 0;  // of a read when DRAM is half busy, as model_constants.h has it
  int block_cycles = 0,
      warp_cycles = 0;      // between two blocks whose end the launch hears of: of a block and of each warp
  int fill_cycles = 0;      // between two while there is room; a cycle more for each of their warps
  int turnover_cycles = 0;  // from a block that ends to the one that takes its place
  int branch_cycles = 8;    // of a jump
  int result_cycles =
      0;  // of arithmetic, more than its unit's latency: what ptxas leaves between two instructions
  double l2_store_share = 1;  // of L2's bandwidth that stores reach
  double stored_a_cycle =
      0;  // sectors that L2's slices take of its stores where they are slower; 0: they are not
  double request_cycles = 0;    // of L1 for each line that it asks L2 for
  int queue_entries = 10;       // of a scheduler that wait for shared memory to take them
  int special_entries = 1;      // of a scheduler that wait for its special units to take them
  int aside_entries = 1 << 20;  // LDC and S2UR of a scheduler that wait to be read beside L1
  int special_hold = 0;         // cycles that each keeps its place longer
  int load_entries = 56;        // of a scheduler that L1 holds until their answers are there
  int load_queue = 1 << 20;     // loads and stores of a scheduler that wait for L1 to take them
  int store_queue = 1 << 20;    // stores of a scheduler that wait for L1 to take them
  int store_buffer = 1 << 20;   // stores that L1 holds until it has handed them on
  double store_entries = 1e9;   // sectors of stores on their way from L1 until L2 takes them
  double atomic_turn = 0;       // cycles of L2 for a sector of the SM's atomics, when all SMs have some
  double pair_drain_each = 0;   // cycles that a block of two warps leaves later for each that came before,
  int pair_drain_most = 0;      // and at most
  int guard_cycles = 0;         // from a comparison to a jump under it, more than to arithmetic
  double far_cycles = 0;        // of a load of many lines: the furthest takes so much longer than one alone
  int cold_cycles = 0;          // between the nearest load from DRAM and the furthest
  int cold_nearest = 0;         // more than the device's latency takes the nearest

  int instruction_miss = 0, constant_miss = 0;  // cycles, the first time
  double instruction_filling = 0;               // more, as model_constants.h has it
  int instruction_second = 0;                   // behind the first lines
  int instruction_jump = 0;                     // to another line, at most
  // Of a text: what an SM's first cache holds, which comes with the launch, and its second, which the launch
  // before has left there; cycles for a line beyond the first, of a text that the second holds, and of one
  // that it does not, the first time and each further.
  double instruction_kept_bytes = 0, instruction_cache_bytes = 0;  // 0: all of it
  int instruction_near = 0, instruction_cold = 0, instruction_far = 0;
  // From the first that asks for a constant until all SMs have the block's shape, and the parameters.
  int constant_queue = 0, parameter_queue = 0;
  int constant_load_miss = 0;              // the first time, of LDC and a line
  int first_latency = 0;                   // of a line that L1 has later on, the first time
  int named_far = 0;                       // the first time, of addresses of variables and functions
  int table_line = 0, table_far = 0;       // the first time, of tables: 64 bytes; more for 256
  int queued_pause = 0;                    // of a warp behind what it has put in a queue, to memory or XU
  int fence_cycles = 320, fence_turn = 0;  // from when the warp's stores are there; between two of the SM
  // What if: memory answers in so many times its cycles; something costs nothing.
  double memory_latency = 1;
  struct Free {
    bool issue = false;    // every warp that is ready issues
    bool lsu = false;      // accesses take no time in the load/store unit
    bool results = false;  // every result is there at once, from memory too
    bool units = false;    // no arithmetic unit is ever busy
    bool operator==(const Free&) const = default;
  } free;
  std::uint64_t most_issues = 400'000;
  std::int64_t most_cycles = 50'000'000;
  std::size_t record = 0;  // segments and flights to keep of each; 0: only sums are wanted
};

struct SmSegment {  // what a warp did from one cycle to another
  SmStall state = SmStall::Selected;
  std::uint32_t instruction = 0;  // into SmCode::instructions, that it issued or waits to issue
  std::int64_t begin = 0, end = 0;
};

struct SmFlight {  // a load from global or local memory, from its issue to its answer
  std::int64_t begin = 0, end = 0;
};

struct SmRun {
  std::int64_t cycles = 0;  // from the first block until the last warp finished
  std::int64_t settled =
      0;                  // until L2 has what they stored and changed, and the launch knows that they ended
  bool finished = false;  // else most_issues came first, and `done` says how much of it is there
  double done = 1;        // share of the blocks' instructions
  std::vector<std::uint64_t> issued;          // by scheduler
  std::vector<std::int64_t> active;           // cycles in which it had a warp, by scheduler
  std::array<double, kSmStalls> stalls{};     // warp cycles by reason
  std::vector<std::vector<SmSegment>> warps;  // by slot; blocks that follow each other share a slot's row
  std::vector<std::uint32_t> slot_scheduler;  // by slot: the scheduler whose warps take it
  std::vector<SmFlight> flights;              // by begin
  std::int64_t recorded = 0;                  // cycles that segments and flights cover without a gap
  double utilisation() const;                 // issued slots of those of active cycles, 0 to 1
};

SmRun simulate_sm(const SmCode& code, const SmSetup& setup);

// Loads that are under way in each cycle, up to what was recorded: those of Little's law.
std::vector<int> loads_in_flight(const SmRun& run);

}  // namespace warplens::analysis
