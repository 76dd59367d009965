// What the model of an SM (sm_simulation.h) is made of: queues, pipes, memory that answers in turn.
#pragma once

#include <algorithm>
#include <cmath>
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

// Memory that hands out sectors one after the other.
struct Channel {
  double a_cycle = 1, free = 0;
  Cycle serve(Cycle from, double sectors) {
    if (sectors <= 0 || a_cycle <= 0) return from;
    free = std::max(free, static_cast<double>(from)) + sectors / a_cycle;
    return static_cast<Cycle>(std::ceil(free));
  }
};

// An SM's share of DRAM. The more it has to do, the longer a read waits, above all for what is written: DRAM
// turns to one or the other for a while (tools/golden/loaded.cu).
class DramShare {
 public:
  double a_cycle = 1;                    // sectors
  double dirty = 0;                      // sectors that leave L2 for each that is read
  double read_wait = 0, write_wait = 0;  // cycles, at half of its bandwidth; the latter if all were written

  Cycle read(Cycle from, double sectors) {
    if (sectors <= 0 || a_cycle <= 0) return from;
    const double waits = wait(from);
    return serve(from, sectors, sectors * dirty) + static_cast<Cycle>(waits);
  }
  void write(Cycle from, double sectors) {
    if (sectors > 0 && a_cycle > 0) serve(from, 0, sectors);
  }

 private:
  // Cycles over which its load is averaged, and the load beyond which a read waits no longer: it queues then.
  static constexpr double kWindow = 2000, kMostLoad = 0.9;

  void fade(Cycle now) {
    if (now <= last_) return;
    const double left = std::exp(static_cast<double>(last_ - now) / kWindow);
    read_ *= left;
    written_ *= left;
    last_ = now;
  }
  double wait(Cycle now) {
    fade(now);
    const double all = read_ + written_;
    if (all <= 0) return 0;
    const double load = std::min(kMostLoad, all / (a_cycle * kWindow));
    return (read_wait + write_wait * written_ / all) * load / (1 - load);
  }
  Cycle serve(Cycle from, double read, double written) {
    fade(from);
    read_ += read;
    written_ += written;
    free_ = std::max(free_, static_cast<double>(from)) + (read + written) / a_cycle;
    return static_cast<Cycle>(std::ceil(free_));
  }

  double free_ = 0, read_ = 0, written_ = 0;
  Cycle last_ = 0;
};

// What L1's data array serves: shared memory and the caches have queues of their own and share its cycles.
struct Pipe {
  Cycle free = 0;
  Cycle take(Cycle from, Cycle cycles, Pipe& other) {
    const Cycle begin = std::max(free, from);
    if (other.free > begin) other.free += cycles;
    free = begin + cycles;
    return begin;
  }
};

struct Due {  // when a register has its value, and what a warp that needs it waits for
  Cycle at = 0;
  SmStall why = SmStall::Wait;
};

struct Warp {
  const std::vector<SmStep>* steps = nullptr;  // null: the slot is empty
  std::size_t next = 0;
  std::uint32_t block = 0;      // slot of its block
  Cycle ready = 0, since = 0;   // may issue from / was last accounted for up to
  SmStall why = SmStall::Wait;  // what it waits for until then
  Cycle began = 0, stores_done = 0, stores_held = 0;
  bool stored = false;
  bool at_barrier = false;
  std::vector<Due> due;       // by register
  Cycle copied = 0;           // when the last asynchronous copy is done
  std::vector<Cycle> groups;  // when those of each group are
};

struct Block {
  std::uint32_t first = 0, warps = 0, live = 0, waiting = 0;
  bool running = false;
};

}  // namespace warplens::analysis
