// Where instructions of the model of an SM (sm_simulation.h) read parameters from: when a line of them is
// there.
//
//   ConstantCaches constants(setup);
//   constants.begin(at);                                   // the first warp of the SM asks for one
//   const Cycle there = constants.there(scheduler, 8, at);  // the first line of the parameters
//
// A scheduler has a cache of its own, and LDC has one of the SM's; behind them is another one of the SM,
// which serves one of them at a time. That one is filled from L2, where all SMs ask for the same lines when a
// launch begins and get them one after the other, the SM that is run last (read on an H100 and an H200:
// tools/golden/beginnings.cu, first_constants.cu).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "engine/analysis/sm_units.h"

namespace warplens::analysis {

// A table in constant memory comes into the SM's caches the first time that it is read: 64 bytes of it into
// the first one, 256 into the second (read on an H200: tools/golden/aside.cu). What is there does not wait
// for what is not.
class TableCache {
 public:
  explicit TableCache(const SmSetup& setup) : setup_(setup) {}

  // When an LDC that would have its value at `at` has it, of a line of 64 bytes.
  Cycle there(std::uint32_t line, Cycle at) {
    constexpr std::uint32_t kLinesOfSecond = 4;
    const auto [first, missed] = first_.try_emplace(line, 0);
    if (!missed) return std::max(at, first->second);
    const auto [second, far] = second_.try_emplace(line / kLinesOfSecond, 0);
    if (far) second->second = at + setup_.table_far;
    return first->second = std::max(at, second->second) + setup_.table_line;
  }

 private:
  const SmSetup& setup_;
  std::unordered_map<std::uint32_t, Cycle> first_, second_;
};

class ConstantCaches {
 public:
  explicit ConstantCaches(const SmSetup& setup) : setup_(setup) {}

  void begin(Cycle at) {
    if (from_ == kNever) from_ = at;
  }

  // When an instruction that reads the line at `at` has it. Begun before.
  Cycle there(std::uint32_t scheduler, std::uint16_t line, Cycle at) {
    if (setup_.constant_miss == 0) return at;
    const auto [found, missed] = lines_.try_emplace(scheduler << 16 | line, 0);
    if (!missed) return found->second;
    // Several schedulers that miss the same line within a few cycles get it together.
    if (line == asked_ && at <= asked_at_ + kTogether) return found->second = served_;
    const bool beside = lines_.contains(scheduler << 16 | (line ^ 1u));
    const Cycle from = std::max(at, behind(line == 0 ? setup_.constant_queue : setup_.parameter_queue));
    asked_ = line;
    asked_at_ = at;
    served_ =
        beside ? std::max(from, served_) + kBeside : std::max(from + setup_.constant_miss, served_ + kTurn);
    return found->second = served_;
  }

  // When an instruction has what it reads of the addresses of variables and functions: a bank of its own, of
  // which nothing is there when a launch begins (read on an H200: tools/golden/parting.cu).
  Cycle named(Cycle at) {
    if (named_ == kNever) named_ = at + setup_.named_far;
    return std::max(at, named_);
  }
  // The same of the program's constants that ULDC reads.
  Cycle of_program(Cycle at) {
    if (program_ == kNever) program_ = at + setup_.table_far + setup_.table_line;
    return std::max(at, program_);
  }

  // When an LDC has what it loads, which would be at `at` if its line had been loaded before. Begun before.
  Cycle loaded(std::uint16_t line, Cycle at) {
    if (setup_.constant_load_miss == 0) return at;
    const auto [found, missed] = loaded_.try_emplace(line, 0);
    if (missed) found->second = std::max(at, behind(setup_.parameter_queue)) + setup_.constant_load_miss;
    return std::max(at, found->second);
  }

 private:
  // When the cache of the SM has what SMs get one after the other.
  Cycle behind(int queue) const { return from_ + std::max<Cycle>(0, queue - setup_.constant_miss); }

  static constexpr Cycle kNever = std::numeric_limits<Cycle>::max();
  // Of the SM's cache, cycles: from one line that it serves to the next; to the other half of the same 128
  // bytes; and within which several ask at once.
  static constexpr Cycle kTurn = 40, kBeside = 16, kTogether = 8;

  const SmSetup& setup_;
  std::unordered_map<std::uint32_t, Cycle> lines_;   // by scheduler and line, when each is there
  std::unordered_map<std::uint16_t, Cycle> loaded_;  // by line, for LDC
  Cycle named_ = kNever, program_ = kNever;
  Cycle from_ = kNever, asked_at_ = -kTogether - 1, served_ = 0;
  std::uint32_t asked_ = ~0u;  // the line that missed last
};

}  // namespace warplens::analysis
