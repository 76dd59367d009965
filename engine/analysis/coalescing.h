// How one warp access to global or local memory is served: requests, sectors (32 B) and lines (128 B).
// Rules: measured on an H200, restated in docs/VERIFICATION.md (G1-G7, R1-R4, L1).
//
//   32 lanes read float a[2*i], a aligned to 128 B:
//   requests 1, sectors 8, ideal 4, lines 2, unique bytes 128
#pragma once

#include <cstdint>
#include <vector>

#include "engine/trace/event.h"

namespace warplens::analysis {

struct GlobalCounts {
  std::uint64_t requests = 0, sectors = 0, sectors_ideal = 0, lines = 0;
  std::uint64_t bytes_requested = 0;  // lanes x width
  std::uint64_t bytes_unique = 0;     // distinct bytes
  GlobalCounts& operator+=(const GlobalCounts&);
  bool operator==(const GlobalCounts&) const = default;
};

// `bytes` is the executed width a lane. Reductions and atomics visit a sector once for each lane on the same
// address (R1; visit_atomics in patterns.h says exactly how).
GlobalCounts count_global(trace::SiteKind kind, int bytes, LaneMask active, const std::uint64_t* addresses);
// Local memory is interleaved by word; wide accesses are several requests (L1). Addresses are thread offsets.
GlobalCounts count_local(int bytes, LaneMask active, const std::uint64_t* offsets);
// T-stage wavefronts of a global access (G7).
int tag_wavefronts(int bytes, LaneMask active, const std::uint64_t* addresses);
// Distinct addresses of a constant load (C1).
int distinct_addresses(LaneMask active, const std::uint64_t* addresses);

// Constant memory: one load of up to 8 bytes a lane is a request, and is served at one address after another.
struct ConstantCounts {
  std::uint64_t requests = 0, addresses = 0;  // addresses: of one request the different ones
  ConstantCounts& operator+=(const ConstantCounts&);
  bool operator==(const ConstantCounts&) const = default;
};
ConstantCounts count_constant(int bytes, LaneMask active, const std::uint64_t* addresses);

// The same access, spelled out for a picture.
struct Sector {
  std::uint64_t address = 0;  // of its first byte
  LaneMask lanes = 0;         // lanes that touch it
  std::uint32_t used = 0;     // bit i: byte i of the sector is asked for
};
struct CoalescingDetail {
  GlobalCounts counts;
  std::vector<Sector> sectors;       // ascending address
  std::vector<std::uint64_t> lines;  // ascending address
};
CoalescingDetail explain_global(trace::SiteKind kind, int bytes, LaneMask active,
                                const std::uint64_t* addresses);

}  // namespace warplens::analysis
