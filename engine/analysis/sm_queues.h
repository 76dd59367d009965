// What a scheduler of the model of an SM (sm_simulation.h) hands its instructions to in order, and how long
// that takes nobody.
//
//   MemoryQueues memory;
//   if (memory.free(instruction, setup) <= at) ...             one more may be issued
//   const Cycle from = memory.behind(at);                      shared memory has it no sooner
//   memory.shared(taken, setup);                               it does: in that cycle
//   memory.throttled(instruction, from, to).own                cycles in which L1's own limits kept it
//   waiting
#pragma once

#include <algorithm>
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

// Cycles in which an instruction could not be issued: for what its unit takes, and for the queue as well.
struct Throttled {
  Cycle own = 0, all = 0;
};

// What waits for memory of any kind stands in one queue. What goes to shared memory leaves it behind all that
// came before; stores and reductions leave it when L1 serves them, of the loads some before. Of its own L1
// has limits besides: so many that it has not served, so many of them stored. Who is kept by those waits for
// them, whoever finds the queue full for the queue (read on an H200: tools/golden/queues.cu).
class MemoryQueues {
 public:
  Cycle free(const SmInstruction& i, const SmSetup& setup) const {
    const Cycle queue = waiting_.free(setup.queue_entries);
    if (i.unit == SmUnit::Global) return std::max(queue, own(setup));
    return i.aside ? std::max(queue, asides_.free(setup.aside_entries)) : queue;
  }
  // What is given for shared memory at `at` is no sooner there.
  Cycle behind(Cycle at) const { return std::max(at, all_); }

  // To shared memory, which takes it at `taken`.
  void shared(Cycle taken, const SmSetup& setup) {
    all_ = std::max(all_, taken);
    waiting_.add(all_, setup.queue_entries);
  }
  // To parameters, tables and special registers beside L1 (LDC, S2UR), which are read at `taken`: they keep
  // their places until they are answered, and hold nobody up in order. Few wait to be read (an H200:
  // tools/golden/asides.cu, of LDC).
  void aside(Cycle taken, Cycle until, const SmSetup& setup) {
    waiting_.add(until, setup.queue_entries);
    asides_.add(taken, setup.aside_entries);
  }
  // To L1, issued at `at` and served at `served`; what is stored, reductions among it, waits until then.
  void global(Cycle at, Cycle served, bool stored, const SmSetup& setup) {
    Cycle leaves = served;
    if (!stored) {
      leaves = std::max(at, std::min(served, accepted_.free(kAccepted)));
      accepted_.add(served, kAccepted);
    }
    all_ = std::max(all_, leaves);
    waiting_.add(leaves, setup.queue_entries);
    global_.add(served, setup.load_queue);
    if (stored) stores_.add(served, setup.store_queue);
  }
  // L1 has it until then.
  void held(Cycle until, const SmSetup& setup) { held_.add(until, setup.load_entries); }

  // Whenever one was issued: who comes from `from` on waits.
  void note(Cycle from, const SmSetup& setup) {
    const Cycle queue = waiting_.free(setup.queue_entries), its = own(setup);
    full_.add(from, queue);
    aside_full_.add(from, std::max(queue, asides_.free(setup.aside_entries)));
    global_full_.add(from, std::max(queue, its));
    own_full_.add(from, its);
  }
  Throttled throttled(const SmInstruction& i, Cycle from, Cycle to) const {
    if (i.unit != SmUnit::Global) return {0, (i.aside ? aside_full_ : full_).between(from, to)};
    return {own_full_.between(from, to), global_full_.between(from, to)};
  }

 private:
  // Loads that L1 has taken and has not served yet: sixteen that may be on their way less the nine that the
  // queue has room for beside another kind. Worked out, not read.
  static constexpr int kAccepted = 7;

  Cycle own(const SmSetup& setup) const {
    return std::max(
        {held_.free(setup.load_entries), stores_.free(setup.store_queue), global_.free(setup.load_queue)});
  }

  Places waiting_;
  Queue asides_;                             // of them, that are to be read beside L1
  Cycle all_ = 0;                            // when the last leaves that anybody waits behind
  Queue held_, global_, stores_, accepted_;  // in L1; for L1, of all kinds; stores; loads that it has taken
  Blocked full_, aside_full_, global_full_, own_full_;
};

}  // namespace warplens::analysis
