// What the model of an SM (sm_simulation.h) is made of: queues, units that are busy, warps and their blocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/analysis/sm_queues.h"
#include "engine/analysis/sm_simulation.h"

namespace warplens::analysis {

// What a scheduler hands its instructions to.
struct SchedulerUnits {
  Cycle issue = 0;  // from when it issues again
  Blocked held;     // cycles in which it issues nothing, whoever is ready
  double owed = 0;  // parts of such a cycle
  // Of an instruction that issues at `at`, behind which it issues nothing for so many cycles.
  void hold(Cycle at, double cycles) {
    owed += cycles;
    const auto whole = static_cast<Cycle>(owed);
    owed -= static_cast<double>(whole);
    issue = at + 1 + whole;
    held.add(at + 1, issue);
  }
  std::array<double, 16> busy{};
  std::array<Blocked, 16> blocked;
  Queue special;  // to the special units
  MemoryQueues memory;

  static bool to_memory(SmUnit unit) { return unit == SmUnit::Global || unit == SmUnit::Shared; }

  // From when it may be issued.
  Cycle free(const SmInstruction& i, const SmSetup& setup) const {
    return to_memory(i.unit) ? memory.free(i, setup) : free(i.unit, setup);
  }
  // From when a unit takes one more; not memory's.
  Cycle free(SmUnit unit, const SmSetup& setup) const {
    switch (unit) {
      case SmUnit::Special:
        return special.free(setup.special_entries);
      case SmUnit::Global:
      case SmUnit::Shared:
      case SmUnit::Constant:
      case SmUnit::Branch:
      case SmUnit::Barrier:
      case SmUnit::Fence:
      case SmUnit::Exit:
      case SmUnit::Sleep:
      case SmUnit::None:
        return 0;
      case SmUnit::Fma:
        return static_cast<Cycle>(std::min(busy_of(SmUnit::Fma), busy_of(SmUnit::FmaHeavy)));
      default:
        return static_cast<Cycle>(busy_of(unit));
    }
  }
  // When one was issued: who comes from `from` on waits.
  void note(SmUnit unit, Cycle from, const SmSetup& setup) {
    if (to_memory(unit))
      memory.note(from, setup);
    else
      blocked[static_cast<std::size_t>(unit)].add(from, free(unit, setup));
  }
  Throttled throttled(const SmInstruction& i, Cycle from, Cycle to) const {
    if (to_memory(i.unit)) return memory.throttled(i, from, to);
    const Cycle blocked_between = blocked[static_cast<std::size_t>(i.unit)].between(from, to);
    return {blocked_between, blocked_between};
  }
  double busy_of(SmUnit unit) const { return busy[static_cast<std::size_t>(unit)]; }
  // The half of the multipliers that takes a float: the one that has nothing else, as long as it is free.
  SmUnit taken_by(SmUnit unit, Cycle at) const {
    const double light = busy_of(SmUnit::Fma);
    return unit == SmUnit::Fma && light > static_cast<double>(at) && busy_of(SmUnit::FmaHeavy) < light
               ? SmUnit::FmaHeavy
               : unit;
  }
};

// What a warp waits for whose instruction a unit does not take yet.
inline SmStall throttle_of(SmUnit unit) {
  switch (unit) {
    case SmUnit::Global:
      return SmStall::LgThrottle;
    case SmUnit::Shared:
    case SmUnit::Special:
      return SmStall::MioThrottle;
    default:
      return SmStall::MathPipeThrottle;
  }
}

struct Due {  // when a register has its value, and what a warp that needs it waits for
  Cycle at = 0;
  SmStall why = SmStall::Wait;
  bool scheduled = false;  // ptxas has whoever needs it wait
};

struct Warp {
  const std::vector<SmStep>* steps = nullptr;  // null: the slot is empty
  std::size_t next = 0;
  std::uint32_t block = 0;      // slot of its block
  bool at_barrier = false;      // beside what a scheduler looks at in every turn
  Cycle ready = 0, since = 0;   // may issue from / was last accounted for up to
  SmStall why = SmStall::Wait;  // what it waits for until then
  Cycle counts_until = 0;       // it waits by ptxas's count; 0: it does not
  Cycle began = 0, stores_done = 0, stores_held = 0;
  bool stored = false;
  Cycle long_until = 0;  // what its next instruction waits for on a long scoreboard
  std::vector<Due> due;  // by register
  std::array<Due, 6> scoreboards{};
  Cycle fenced = 0;           // when its last fence is passed
  Cycle copied = 0;           // when the last asynchronous copy is done
  std::vector<Cycle> groups;  // when those of each group are
};

struct Block {
  std::uint32_t first = 0, warps = 0, live = 0, waiting = 0;
  std::uint64_t number = 0;  // of those that the SM was given
  std::uint32_t answer = 0;  // of SmCode::access
  bool running = false;
  bool waited = false;  // for room
};

}  // namespace warplens::analysis
