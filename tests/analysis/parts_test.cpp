// What L2 has brought for sectors that are stored in part, what DRAM's rows cost, and how long L2 takes for
// atomics that are scattered, as an H200 has it (tests/models/golden/parts_h200.txt, dram_pieces_h200.txt and
// scattered_h200.txt, made by tools/golden/parts.cu, dram_pieces.cu and scattered.cu).
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "engine/analysis/cache_memory.h"
#include "engine/analysis/caches.h"
#include "engine/analysis/dram_rows.h"
#include "tests/support/places.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;

struct PartReading {
  int mode = 0, words = 0, apart = 0, kilobytes = 0;
  double sectors = 0, filled = 0, written = 0, flushed_us = 0, warm_us = 0;
  std::string name() const {
    return "mode " + std::to_string(mode) + " words " + std::to_string(words) + " apart " +
           std::to_string(apart) + " kilobytes " + std::to_string(kilobytes);
  }
};

std::vector<PartReading> part_readings() {
  std::ifstream in(tests::source_dir() + "/tests/models/golden/parts_h200.txt");
  std::vector<PartReading> out;
  for (std::string line; std::getline(in, line);) {
    PartReading r;
    if (std::sscanf(line.c_str(),
                    "mode %d words %d apart %d kilobytes %d sectors %lf: filled %lf written %lf; %lf %lf us",
                    &r.mode, &r.words, &r.apart, &r.kilobytes, &r.sectors, &r.filled, &r.written,
                    &r.flushed_us, &r.warm_us) == 9)
      out.push_back(r);
  }
  return out;
}

CacheSizes of_an_h200() {
  const auto catalogue = DeviceCatalogue::load();
  const auto device = catalogue->device("H200 SXM");
  const auto constants = ModelConstants::load((*device)->cc);
  Occupancy occupancy;
  occupancy.blocks_per_sm = 8;
  return cache_sizes(**device, **catalogue->capability((*device)->cc), occupancy, *constants);
}

// Blocks of 256 threads, each of which has a sector.
CacheReport run(const PartReading& of) {
  const auto blocks = static_cast<std::uint64_t>(of.sectors) / 256;
  trace::Site load, store, add;
  load.kind = SiteKind::Load;
  store.kind = SiteKind::Store;
  add.kind = SiteKind::Reduction;
  add.op = "red.global.add.f32";
  for (trace::Site* site : {&load, &store, &add}) site->space = trace::Space::Global;
  AccessLog log;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    AccessLogger one({load, store, add});
    one.on_block_begin(block);
    const auto access = [&](trace::SiteId site, SiteKind kind, int words, std::uint64_t offset) {
      for (std::uint32_t warp = 0; warp < 8; ++warp) {
        std::array<std::uint64_t, 32> at{};
        for (std::uint64_t lane = 0; lane < at.size(); ++lane)
          at[lane] = (1u << 30) + offset +
                     32 * static_cast<std::uint64_t>(of.apart) * (block * 256 + warp * 32 + lane);
        trace::Access a;
        a.site = site;
        a.kind = kind;
        a.space = trace::Space::Global;
        a.bytes = static_cast<std::uint8_t>(4 * words);
        a.warp = {block, warp};
        a.active = kFullMask;
        a.addresses = at.data();
        one.on_access(a);
      }
    };
    if (of.mode == 6 || of.mode == 12) access(0, SiteKind::Load, 1, 0);
    if (of.mode == 0 || of.mode == 2 || of.mode == 4 || of.mode == 12)
      access(1, SiteKind::Store, of.words, 0);
    if (of.mode == 4) access(1, SiteKind::Store, of.words, 16);
    if (of.mode == 2) access(0, SiteKind::Load, 1, 28);
    if (of.mode == 7) access(2, SiteKind::Reduction, 1, 0);
    AccessLog part = one.take();
    log.blocks.push_back(std::move(part.blocks.front()));
  }
  log.blocks_run = blocks;
  return model_caches(log, 3, of_an_h200());
}

// Up to 16 MiB, so that it takes no longer than a second; what is stored in part and what is read, and sums.
TEST(PartsOfSectors, DramBringsWhatAnH200Brings) {
  int held = 0;
  for (const PartReading& of : part_readings()) {
    if (of.kilobytes > 16384 ||
        (of.mode != 0 && of.mode != 2 && of.mode != 4 && of.mode != 6 && of.mode != 7))
      continue;
    ++held;
    const CacheReport r = run(of);
    // Sums bring one sector or two, by chance.
    const double off = of.mode == 7 ? 0.08 : of.mode == 2 ? 0.3 : 0.16;
    EXPECT_NEAR(static_cast<double>(r.dram_read_sectors), of.filled, off * of.sectors) << of.name();
  }
  EXPECT_GT(held, 60);
}

// 32 MiB and more would take a test too long; the time of the longest launches is DRAM's alone. What it
// costs, at the 4.42 TB/s that it is read at (docs/TIME-MODEL.md), against what a launch takes without the
// three microseconds of its beginning.
TEST(PartsOfSectors, RowsThatAreOpenedForLittleCostMore) {
  int held = 0;
  for (const PartReading& of : part_readings()) {
    if (of.kilobytes < 262144 || of.mode != 6) continue;
    ++held;
    DramRows rows(of_an_h200().dram_row_bytes);
    const auto pieces = static_cast<std::uint64_t>(of.sectors);
    for (std::uint64_t i = 0; i < pieces; ++i)
      rows.add(i * static_cast<std::uint64_t>(of.apart) / 4, of.apart == 1 ? 32 : 64);
    const double us = 3 + rows.cost() / 4.42e6;
    EXPECT_NEAR(us, of.warm_us, 0.2 * of.warm_us) << of.name();
  }
  EXPECT_EQ(held, 4);
}

TEST(PartsOfSectors, AreNoUseToWhoReadsThemUntilTheyAreWhole) {
  SetCache l2(1024, 16, 1024);
  constexpr std::uint32_t kFirst = 1, kHalf = 0x0f;
  EXPECT_EQ(l2.store(7, kFirst, kHalf, 0).changed, 1);
  EXPECT_EQ(l2.store(7, kFirst, kHalf, 1).changed, 0);
  EXPECT_EQ(l2.touch(7, kFirst, 0, false).hits, 0u) << "DRAM has the other half";
  EXPECT_EQ(l2.touch(7, kFirst, 0, false).hits, 1u);
  l2.store(8, kFirst, kHalf, 2);
  const auto rest = l2.store(8, kFirst, 0xf0, 3);
  EXPECT_TRUE(rest.merged);
  EXPECT_EQ(l2.touch(8, kFirst, 0, false).hits, 1u) << "both halves were stored";
}

TEST(PartsOfSectors, TheOldestAreCompletedWhereThereAreMoreThanMayBe) {
  SetCache l2(1024, 16, 2);
  for (const std::uint64_t line : {1, 2}) l2.store(line, 3, 0x0101, static_cast<double>(line));
  EXPECT_FALSE(l2.complete(100)) << "two may be";
  l2.store(3, 1, 1, 3);
  EXPECT_FALSE(l2.complete(1)) << "not that soon";
  const auto first = l2.complete(100);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->line, 1u);
  EXPECT_EQ(first->filled, 2);
  EXPECT_EQ(first->written_back, 2);
  EXPECT_FALSE(l2.complete(100));
  EXPECT_EQ(l2.touch(1, 3, 0, false).hits, 3u) << "complete, and still there";
}

// A whole text is fetched, whatever of it is executed: an empty kernel's bytes and those of its section.
TEST(DramPieces, ALaunchReadsAllOfItsText) {
  const auto constants = ModelConstants::load("9.0");
  std::ifstream in(tests::source_dir() + "/tests/models/golden/dram_pieces_h200.txt");
  int held = 0;
  for (std::string line; std::getline(in, line);) {
    char name[16] = {};
    int instructions = 0, blocks = 0;
    double filled = 0;
    if (std::sscanf(line.c_str(), "%15s %d blocks %d: %lf;", name, &instructions, &blocks, &filled) != 4)
      continue;
    // Of a long text that is left at once by the only block the end does not come.
    if (instructions > 2000 && blocks == 1 && name[0] == 'l') continue;
    ++held;
    // What surrounds the products, and up to the next 128 bytes: in all of these sections 384 bytes.
    EXPECT_EQ(filled, constants->code_bytes + 16 * instructions + 384) << line;
  }
  EXPECT_EQ(held, 35);
}

// Of a slice, for a group of lanes that add to words beside each other. What was read has the launch itself
// in it.
TEST(Parts, ALineTakesASliceLongerTheMoreLanesAddToIt) {
  std::ifstream in(tests::source_dir() + "/tests/models/golden/scattered_h200.txt");
  const CacheSizes sizes = of_an_h200();
  int compared = 0;
  for (std::string line; std::getline(in, line);) {
    char op[16];
    unsigned group = 0, sectors = 0;
    double us = 0, groups = 0;
    if (std::sscanf(
            line.c_str(),
            "red.%15[^,], groups of %u lanes to words beside each other, %u sectors: %lf us for %lf groups",
            op, &group, &sectors, &us, &groups) != 5)
      continue;
    if (group > 4 || sectors < 100'000) continue;  // else arithmetic or few slices take as long
    const std::string type = op;
    const auto bytes = static_cast<std::uint8_t>(type == "u64" || type == "f64" ? 8 : 4);
    trace::Site site;
    site.kind = SiteKind::Reduction;
    site.space = trace::Space::Global;
    site.op = "red.global.add." + type;
    std::array<std::uint64_t, 32> at{};
    for (std::uint64_t lane = 0; lane < at.size(); ++lane) at[lane] = 4096 + bytes * lane;
    AccessLogger logger({site});
    logger.on_block_begin(0);
    trace::Access a;
    a.kind = site.kind;
    a.space = site.space;
    a.bytes = bytes;
    a.active = (1u << group) - 1;
    a.addresses = at.data();
    logger.on_access(a);
    const double read = us * 1980 * sizes.slices.count / groups;
    EXPECT_NEAR(model_caches(logger.take(), 1, sizes).atomic_cycles, 0.9 * read, 0.12 * read) << line;
    ++compared;
  }
  EXPECT_EQ(compared, 24);
}

}  // namespace
}  // namespace warplens::analysis
