// How the 32 banks of shared memory serve one warp access: phases, passes (wavefronts), conflicts.
// Rules S1-S5, M1-M4, A1-A5 of the H200 measurements, restated in docs/VERIFICATION.md.
//
//   tile[lane][0] of float tile[32][32]: 32 words in bank 0 -> 32 wavefronts, ideal 1, 31 conflicts
#pragma once

#include <cstdint>
#include <vector>

#include "engine/trace/event.h"

namespace warplens::analysis {

struct SharedCounts {
  std::uint64_t requests = 0, wavefronts = 0, wavefronts_ideal = 0, bank_conflicts = 0;
  SharedCounts& operator+=(const SharedCounts&);
  bool operator==(const SharedCounts&) const = default;
};

// `bytes` is the executed width a lane. `floating` marks shared atomics without a native instruction (A4);
// their inner loads are counted in `loop_loads` when it is given.
SharedCounts count_shared(trace::SiteKind kind, int bytes, LaneMask active, const std::uint64_t* offsets,
                          bool floating = false, SharedCounts* loop_loads = nullptr);

// The same access, spelled out for a picture: what each pass serves.
struct BankHit {
  int lane = 0;
  int bank = 0;
  std::uint64_t word = 0;  // word index in shared memory (offset / 4)
  bool broadcast = false;  // another lane of this pass reads the same word
};
struct BankPass {
  int phase = 0;  // index of the lane group that this pass belongs to
  std::vector<BankHit> hits;
};
struct BankDetail {
  SharedCounts counts;
  std::vector<LaneMask> phases;  // lanes of each active phase, merged phases as one
  bool pair_merged = false;      // rule S3 applied
  std::vector<BankPass> passes;  // passes.size() == counts.wavefronts (but for CompareAndSwap: half)
  int degree = 1;                // the n of "n-way": most words wanted of one bank in a phase
};
BankDetail explain_shared(trace::SiteKind kind, int bytes, LaneMask active, const std::uint64_t* offsets,
                          bool floating = false);

}  // namespace warplens::analysis
