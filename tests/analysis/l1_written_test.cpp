// What L1 still has of lines that a warp has stored to twice in a row, as an H200 has it
// (tests/models/golden/l1_written_h200.txt, made by tools/golden/l1_written.cu).
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "engine/analysis/caches.h"
#include "tests/support/places.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;

struct PairsReading {
  int written = 0, warps = 0, pitch = 0, lanes = 0;
  double loads = 0, missed = 0, of_l2 = 0;
};

// What `pairs` of that program does.
CacheReport stored_in_pairs(const PairsReading& of) {
  trace::Site load, store;
  load.kind = SiteKind::Load;
  store.kind = SiteKind::Store;
  load.space = store.space = trace::Space::Global;
  AccessLogger logger({load, store});
  logger.on_block_begin(0);
  const int words = of.pitch < 32 ? of.pitch : 32;
  const auto access = [&](std::uint32_t warp, SiteKind kind, int word) {
    std::array<std::uint64_t, 32> at{};
    for (std::size_t lane = 0; lane < at.size(); ++lane)
      at[lane] = (1u << 30) + 4 * (static_cast<std::uint64_t>(of.pitch) * (warp * 32 + lane) +
                                   static_cast<std::uint64_t>(word));
    trace::Access a;
    a.site = kind == SiteKind::Load ? 0 : 1;
    a.kind = kind;
    a.space = trace::Space::Global;
    a.bytes = 4;
    a.warp = {0, warp};
    a.active = of.lanes == 32 ? kFullMask : (LaneMask{1} << of.lanes) - 1;
    a.addresses = at.data();
    logger.on_access(a);
  };
  const auto every_warp = [&](SiteKind kind, int word) {
    for (int warp = 0; warp < of.warps; ++warp) access(static_cast<std::uint32_t>(warp), kind, word);
  };
  const auto all = [&] {
    for (int word = 0; word < words; ++word) every_warp(SiteKind::Load, word);
  };
  if (of.written != 0) every_warp(SiteKind::Store, 0);
  all();
  for (int turn = 0; turn < 3; ++turn) {
    every_warp(SiteKind::Store, 5);
    every_warp(SiteKind::Store, words - 4);
    all();
  }
  CacheSizes sizes;
  sizes.l1_bytes = 1 << 18;
  sizes.l2_bytes = 1 << 25;
  sizes.combined_lines = 31;
  return model_caches(logger.take(), 2, sizes);
}

// Where two stores in a row touch 29 lines or more between them, all that L1 had of these is gone.
TEST(L1Written, LinesThatFillTheBufferTwiceInARowAreLost) {
  std::ifstream in(tests::source_dir() + "/tests/models/golden/l1_written_h200.txt");
  int held = 0, near = 0, lost = 0;
  for (std::string line; std::getline(in, line);) {
    PairsReading r;
    if (std::sscanf(line.c_str(), "pairs written %d warps %d pitch %d lanes %d: %lf %lf %lf", &r.written,
                    &r.warps, &r.pitch, &r.lanes, &r.loads, &r.missed, &r.of_l2) != 7)
      continue;
    ++held;
    const CacheReport report = stored_in_pairs(r);
    const double missed = static_cast<double>(report.l1.reads - report.l1.read_hits);
    EXPECT_EQ(static_cast<double>(report.l1.reads), r.loads) << line;
    // Some launches lose a line or a pair more by how their warps meet.
    near += std::abs(missed - r.missed) <= 0.2 * r.missed ? 1 : 0;
    if (r.missed <= 10 * r.lanes * r.warps) continue;
    ++lost;
    EXPECT_GT(missed, 10.0 * r.lanes * r.warps) << line;
  }
  EXPECT_EQ(held, 280);
  EXPECT_EQ(lost, 40);
  EXPECT_GE(near, 260);
}

}  // namespace
}  // namespace warplens::analysis
