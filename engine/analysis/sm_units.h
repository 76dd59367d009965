// What the model of an SM (sm_simulation.h) is made of: queues, units that are busy, warps and their blocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/analysis/sm_simulation.h"

namespace warplens::analysis {

using Cycle = std::int64_t;

// Cycles in which a unit took nobody, in stretches that follow each other.
class Blocked {
 public:
  void add(Cycle from, Cycle to) {
    if (!stretches_.empty()) from = std::max(from, stretches_.back().to);
    if (to <= from) return;
    stretches_.push_back({from, to, total_});
    total_ += to - from;
  }
  Cycle between(Cycle from, Cycle to) const { return to > from ? until(to) - until(from) : 0; }

 private:
  struct Stretch {
    Cycle from = 0, to = 0, before = 0;
  };
  Cycle until(Cycle at) const {
    const auto next = std::ranges::upper_bound(stretches_, at, {}, &Stretch::from);
    if (next == stretches_.begin()) return 0;
    const Stretch& last = *(next - 1);
    return last.before + std::min(at, last.to) - last.from;
  }
  std::vector<Stretch> stretches_;
  Cycle total_ = 0;
};

// Instructions that wait in order, as many as there are entries: when each leaves.
class Queue {
 public:
  // From when one more gets in.
  Cycle free(int entries) const {
    return leaves_.size() < static_cast<std::size_t>(entries) ? 0 : leaves_[next_];
  }
  void add(Cycle leaves, int entries) {
    last_ = std::max(last_, leaves);
    if (leaves_.size() < static_cast<std::size_t>(entries)) {
      leaves_.push_back(last_);
      return;
    }
    leaves_[next_] = last_;
    next_ = (next_ + 1) % leaves_.size();
  }

 private:
  std::vector<Cycle> leaves_;  // a ring
  std::size_t next_ = 0;
  Cycle last_ = 0;
};

// Instructions that hold a place each, as many as there are places, and give it back in any order.
class Places {
 public:
  // From when one more gets in.
  Cycle free(int places) const {
    return until_.size() < static_cast<std::size_t>(places) ? 0 : *std::ranges::min_element(until_);
  }
  void add(Cycle until, int places) {
    if (until_.size() < static_cast<std::size_t>(places))
      until_.push_back(until);
    else
      *std::ranges::min_element(until_) = until;
  }

 private:
  std::vector<Cycle> until_;
};

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
  Places queue;                           // to shared memory and constants
  Queue special, loads, stores, waiting;  // to the special units; in L1; to L1; of both kinds

  // From when a unit takes one more.
  Cycle free(SmUnit unit, const SmSetup& setup) const {
    switch (unit) {
      case SmUnit::Global:
        return std::max(
            {loads.free(setup.load_entries), stores.free(setup.store_queue), waiting.free(setup.load_queue)});
      case SmUnit::Shared:
        return queue.free(setup.queue_entries);
      case SmUnit::Special:
        return special.free(setup.special_entries);
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
