// A model of one SM: schedulers that each issue one instruction a cycle from a warp that is ready. It
// explains latency hiding; it does not predict time.
//
//   SmRun run = simulate_sm(programs, {.warps = 16, .schedulers = 4, .latency = ..., .hide_latency = true});
//   run.issued[s]   // cycles in which scheduler s issued
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace warplens::visual {

enum class SmOp : std::uint8_t { Arithmetic, Shared, Global };

struct SmSetup {
  int warps = 1, schedulers = 4;
  std::array<int, 3> latency{4, 29, 600};  // cycles until the next instruction of the warp may issue, by SmOp
  bool hide_latency = true;                // false: a scheduler stays with its warp until that has finished
  int max_cycles = 4096;
  bool record = true;  // false: only cycles and issues are wanted, warps stay empty
};

struct SmSegment {  // what a warp did from one cycle to another
  enum class State : std::uint8_t {
    Issue,
    WaitArithmetic,
    WaitShared,
    WaitGlobal,
    Ready
  } state = State::Issue;
  int begin = 0, end = 0;
};

struct SmRun {
  int cycles = 0;  // until the last warp finished, or max_cycles
  bool finished = false;
  std::vector<int> issued;  // by scheduler
  std::vector<std::vector<SmSegment>> warps;
  double utilisation() const;  // issued slots of all slots, 0 to 1
};

// Warps that wait for global memory, cycle by cycle: the loads in flight of Little's law.
std::vector<int> loads_in_flight(const SmRun& run);

// Warp w runs programs[w % programs.size()], each instruction after the one before has its result.
SmRun simulate_sm(const std::vector<std::vector<SmOp>>& programs, const SmSetup& setup);

}  // namespace warplens::visual
