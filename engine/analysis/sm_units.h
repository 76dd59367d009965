// What the model of an SM (sm_simulation.h) is made of: queues, pipes, memory that answers in turn.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace warplens::analysis
