// What the lanes of a warp tell each other without memory: shuffles, votes, matches and reductions of a
// kernel, in the order of the code, with whose values each lane has in its own afterwards.
//
//   for (sum += __shfl_down_sync(~0u, sum, 16), ... 8, 4, 2, 1)       five exchanges of one network
//   networks[0].exchanges[0].source[3] == 19                          lane 3 gets what lane 19 has
//   networks[0].exchanges[4].holds[0] == 0xffffffff                   then lane 0 has the sum of all
//
// Read from the PTX alone, as it is written: which lane reads which follows from the operands of a shuffle
// where the code gives them (PTX ISA, shfl.sync). It knows of no lane that is elsewhere at that moment.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/lanes.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::analysis {

struct Exchange {
  enum class Kind : std::uint8_t { Shuffle, Ballot, All, Any, Match, Reduction };
  Kind kind = Kind::Shuffle;
  std::string op;        // "shfl.sync.down.b32"
  std::string function;  // as CUDA C++ calls it: "__shfl_down_sync"
  int distance = -1;  // of up, down and butterfly, the lane of idx; -1: each lane has its own, or no shuffle
  int line = 0;       // of the source; 0 unknown
  LaneMask members = kFullMask;
  bool known = true;  // false: only the run tells which lane a shuffle reads; then `source` says nothing
  std::array<std::uint8_t, kWarpSize> source{};  // Shuffle: lane -> the lane whose value it gets
  // Lane -> the lanes whose values are in what it has: before, and when what it got has gone into its own.
  std::array<LaneMask, kWarpSize> held{}, holds{};

  bool operator==(const Exchange&) const = default;
};

// Exchanges that follow on each other: each takes in what the one before has left.
struct ExchangeNetwork {
  std::vector<Exchange> exchanges;
  int times = 1;  // how often it stands in the code: loops are unrolled
};

// Of a kernel, the same network once. What functions that it calls exchange is left out.
std::vector<ExchangeNetwork> exchange_networks(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace warplens::analysis
