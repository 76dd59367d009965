// The models: caches and roofline.

#include <gmock/gmock.h>

#include <array>
#include <memory>
#include <vector>

#include "engine/analysis/caches.h"
#include "engine/analysis/roofline.h"
#include "tests/analysis/trace_builder.h"
#include "tests/support/places.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;
using trace::Space;

CacheSizes sizes(std::int64_t l1, std::int64_t l2) {
  CacheSizes out;
  out.l1_bytes = l1;
  out.l2_bytes = l2;
  return out;
}

TEST(Caches, SecondReadHitsAndSectorsFillOneByOne) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4);
  b.access([](auto lane) { return 4096 + 4 * lane; }, 0xffu);  // one sector of the line
  b.access([](auto lane) { return 4096 + 4 * lane; });         // it and three more
  const CacheReport r = model_caches(b.build(), sizes(1 << 16, 1 << 20));
  EXPECT_EQ(r.l1, (CacheLevel{5, 1, 0}));
  // DRAM gives 64 bytes at once: the second sector came with the first.
  EXPECT_EQ(r.l2, (CacheLevel{4, 1, 0}));
  EXPECT_EQ(r.dram_read_sectors, 4u);
  EXPECT_EQ(r.sites[0].dram_read_sectors, 4u);
  EXPECT_DOUBLE_EQ(r.l1.hit_rate(), 0.2);
  EXPECT_EQ(r.evidence, Evidence::Modelled);
}

// Whole sectors are there when they are read again, and words; L2 is told of them all the same.
TEST(Caches, StoresStayInL1AndInL2WhileTheyFit) {
  TraceBuilder b;
  b.site(SiteKind::Store, Space::Global, 4);
  for (int i = 0; i < 3; ++i) b.access([](auto lane) { return 4096 + 4 * lane; });
  b.access([](auto) { return 8192; }, 1u);
  b.site(SiteKind::Load, Space::Global, 4);
  b.access([](auto lane) { return 4096 + 4 * lane; });
  b.access([](auto) { return 8192; }, 1u);
  b.access([](auto) { return 8196; }, 1u);
  const CacheReport r = model_caches(b.build(), sizes(1 << 16, 1 << 20));
  EXPECT_EQ(r.l1, (CacheLevel{6, 5, 13})) << "the word beside one that was stored is not there";
  EXPECT_EQ(r.l2, (CacheLevel{1, 0, 13})) << "nor is it in L2";
  EXPECT_EQ(r.dram_read_sectors, 2u);
  EXPECT_EQ(r.dram_write_sectors, 0u);
}

TEST(Caches, WhatWasWrittenGoesToDramWhenItsLineHasToLeave) {
  TraceBuilder b;
  b.site(SiteKind::Store, Space::Global, 4);
  for (std::uint64_t line = 0; line < 64; ++line)
    b.access([&](auto lane) { return 4096 + 128 * line + 4 * lane; });
  const CacheReport r = model_caches(b.build(), sizes(1 << 16, 32 * 128));
  EXPECT_EQ(r.l2.writes, 4u * 64u);
  EXPECT_EQ(r.dram_write_sectors, 4u * 32u);  // half of them are still there
}

// x, y and z of a float3, one after the other: three stores that touch the same sectors.
TEST(Caches, StoresInARowByTheSameLanesAreCombined) {
  TraceBuilder b;
  b.site(SiteKind::Store, Space::Global, 4);
  for (std::uint64_t part = 0; part < 3; ++part)
    b.access([&](auto lane) { return 4096 + 12 * lane + 4 * part; });
  CacheSizes combining = sizes(1 << 16, 1 << 20);
  combining.combined_lines = 8;
  EXPECT_EQ(model_caches(b.build(), combining).l2.writes, 12u);
  EXPECT_EQ(model_caches(b.build(), sizes(1 << 16, 1 << 20)).l2.writes, 36u);
  b.site(SiteKind::Load, Space::Global, 4);
  b.access([](auto lane) { return 65536 + 4 * lane; });
  b.site(SiteKind::Store, Space::Global, 4);
  b.access([](auto lane) { return 4096 + 12 * lane; });
  EXPECT_EQ(model_caches(b.build(), combining).l2.writes, 24u) << "a load lies between";
}

TEST(Caches, AWarmL2HoldsWhatTheLaunchBeforeLeft) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4);
  b.access([](auto lane) { return 4096 + 4 * lane; });
  CacheSizes warm = sizes(1 << 16, 1 << 20);
  warm.warm = true;
  const CacheReport r = model_caches(b.build(), warm);
  EXPECT_EQ(r.l1, (CacheLevel{4, 0, 0})) << "L1 begins empty";
  EXPECT_EQ(r.l2, (CacheLevel{4, 4, 0}));
  EXPECT_EQ(r.dram_read_sectors, 0u);
}

// One for each of these, whose warps read or write 32 elements from there, one warp behind the other.
AccessLog blocks_at(const std::vector<std::uint64_t>& places, trace::SiteKind kind = trace::SiteKind::Load,
                    trace::Space space = trace::Space::Global, std::uint8_t bytes = 4,
                    std::uint32_t warps = 1) {
  AccessLog log;
  for (std::uint64_t block = 0; block < places.size(); ++block) {
    trace::Site site;
    site.kind = kind;
    site.space = space;
    AccessLogger one({site});
    one.on_block_begin(block);
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      std::array<std::uint64_t, 32> at{};
      for (std::size_t lane = 0; lane < at.size(); ++lane)
        at[lane] = space == trace::Space::Local ? 0 : 4096 + places[block] + bytes * (32 * warp + lane);
      trace::Access access;
      access.site = 0;
      access.kind = kind;
      access.space = space;
      access.bytes = bytes;
      access.warp = {block, warp};
      access.active = kFullMask;
      access.addresses = at.data();
      one.on_access(access);
    }
    AccessLog part = one.take();
    log.blocks.push_back(std::move(part.blocks.front()));
  }
  log.blocks_run = places.size();
  return log;
}

// Each reads or writes a line, `apart` bytes from the one of the block before.
AccessLog four_blocks(std::uint64_t apart, trace::SiteKind kind = trace::SiteKind::Load,
                      trace::Space space = trace::Space::Global) {
  return blocks_at({0, apart, 2 * apart, 3 * apart}, kind, space);
}

AccessLog four_blocks_that_read_the_same() {
  return four_blocks(0);
}

// The log has four lines of a launch that reads 64, and L2 holds 32: of these, too, it holds half.
TEST(Caches, AWarmL2HoldsNoMoreOfALongLaunchThanItsPart) {
  AccessLog log = four_blocks(128);
  CacheSizes warm = sizes(1 << 16, 32 * 128);
  warm.warm = true;
  EXPECT_EQ(model_caches(log, 1, warm).dram_read_sectors, 0u) << "these are all";
  warm.launch_bytes = 64 * 128;
  log.blocks_run = 64;
  EXPECT_EQ(model_caches(log, 1, warm).dram_read_sectors, 2u * 4u);
  warm.launch_bytes = 32 * 128;
  EXPECT_EQ(model_caches(log, 1, warm).dram_read_sectors, 0u) << "all of it fits";
}

TEST(Caches, BlocksOfAPlaceShareItsLocalMemory) {
  const AccessLog log = four_blocks(0, trace::SiteKind::Store, trace::Space::Local);
  CacheSizes one = sizes(1 << 16, 1 << 20);
  const CacheReport r = model_caches(log, 1, one);
  EXPECT_EQ(r.l2.writes, 4u * 4u);
  EXPECT_EQ(r.changed_sectors, 4u) << "the next block stores to the same line";
  EXPECT_EQ(r.local_changed_sectors, 4u);
  one.blocks_per_sm = 2;
  EXPECT_EQ(model_caches(log, 1, one).changed_sectors, 8u);
}

// A thread's own bytes are not in L1 when they are read again, its own words are.
TEST(Caches, LocalStoresOfLessThanAWordBringNothingIntoL1) {
  for (const std::uint8_t bytes : std::array<std::uint8_t, 3>{1, 2, 4}) {
    AccessLog log = blocks_at({0}, trace::SiteKind::Store, trace::Space::Local, bytes);
    const AccessLog again = blocks_at({0}, trace::SiteKind::Load, trace::Space::Local, bytes);
    auto& words = log.blocks.front().words;
    words.insert(words.end(), again.blocks.front().words.begin(), again.blocks.front().words.end());
    EXPECT_EQ(model_caches(log, 1, sizes(1 << 16, 1 << 20)).local.read_hits, bytes < 4 ? 0u : 4u)
        << int{bytes};
  }
}

TEST(Caches, SmsOfAGroupAreServedOnce) {
  CacheSizes alone = sizes(1 << 16, 1 << 20);
  alone.sms = 4;
  const CacheReport a = model_caches(four_blocks_that_read_the_same(), 1, alone);
  EXPECT_EQ(a.l2.reads, 16u);
  EXPECT_EQ(a.l2_reads_alone, 16u);
  alone.sms_a_group = 4;
  const CacheReport together = model_caches(four_blocks_that_read_the_same(), 1, alone);
  EXPECT_EQ(together.l2.reads, 4u);
  EXPECT_EQ(together.l2_reads_alone, 16u) << "the upper end of the range";
  EXPECT_EQ(a.l2_reads_together, 4u) << "the lower end, whoever is taken to be served together";
  EXPECT_EQ(together.dram_read_sectors, 4u);
  alone.sms = 1;
  alone.blocks_per_sm = 4;
  EXPECT_EQ(model_caches(four_blocks_that_read_the_same(), 1, alone).l1, (CacheLevel{16, 12, 0})) << "one L1";
}

TEST(Caches, TheAccessesOfABlockAreToldOneByOne) {
  CacheSizes two = sizes(1 << 16, 1 << 20);
  two.sms = 4;
  const std::uint64_t wanted[] = {0, 3};
  const CacheReport r = model_caches(four_blocks_that_read_the_same(), 1, two, nullptr, wanted);
  ASSERT_EQ(r.served.size(), 2u);
  EXPECT_EQ(r.served[0].block, 0u);
  EXPECT_EQ(r.served[1].block, 3u);
  ASSERT_EQ(r.served[1].warps.size(), 1u);
  const ServedAccess first = r.served[0].warps[0].at(0), last = r.served[1].warps[0].at(0);
  EXPECT_EQ(first.from_l2, 4);
  EXPECT_EQ(first.from_dram, 4);
  EXPECT_EQ(first.coming, 0);
  EXPECT_EQ(last.from_l2, 4);
  EXPECT_EQ(last.from_dram, 0) << "L2 has them";
  EXPECT_GE(last.coming, 500) << "though DRAM has not given them yet";
  EXPECT_LE(last.coming, 851);
  EXPECT_TRUE(model_caches(four_blocks_that_read_the_same(), 1, two).served.empty());
}

// A warp asks for a sector and then, having waited for nothing else, for the one beside it, which DRAM brings
// with the first. Where it executes hundreds of instructions in between, it is there by then.
TEST(Caches, WhatIsExecutedBetweenAccessesKeepsThemApart) {
  TraceBuilder b;
  for (std::uint64_t sector = 0; sector < 2; ++sector) {
    b.site(SiteKind::Load, Space::Global, 4);
    b.access([&](auto lane) { return 4096 + 32 * sector + 4 * (static_cast<std::uint64_t>(lane) % 8); });
  }
  const AccessLog log = log_of(b.build());
  EXPECT_EQ(AccessLog::accesses_of(log.blocks.front()), 2u);
  const std::uint64_t wanted[] = {0};
  CacheSizes one = sizes(1 << 16, 1 << 20);
  const auto second = [&](double instructions) {
    one.instructions_a_block = instructions;
    return model_caches(log, 2, one, nullptr, wanted).served.at(0).warps.at(0).at(1);
  };
  EXPECT_EQ(second(0).from_l2, 1);
  EXPECT_EQ(second(0).from_dram, 0);
  EXPECT_GT(second(0).coming, 200) << "DRAM still brings it";
  EXPECT_EQ(second(800).from_l2, 1);
  EXPECT_EQ(second(800).coming, 0);
}

// Two warps of a block go along a line, eight lanes of a float at a time. The second finds in L1 what the
// first has asked DRAM for and waits for it too; the second half of the line DRAM has given with the first
// one by the time that either asks for it. (Until 2026-11-29 it ran ahead, and what it asked for was taken to
// be still on its way.)
TEST(Caches, WhoFindsItsLineOnTheWayToL1WaitsForIt) {
  trace::Site site;
  site.kind = trace::SiteKind::Load;
  site.space = trace::Space::Global;
  AccessLogger logger({site});
  logger.on_block_begin(0);
  for (std::uint64_t sector = 0; sector < 4; ++sector)
    for (std::uint32_t warp = 0; warp < 2; ++warp) {
      std::array<std::uint64_t, 32> at{};
      for (std::size_t lane = 0; lane < 8; ++lane) at[lane] = 4096 + 32 * sector + 4 * lane;
      trace::Access access;
      access.kind = site.kind;
      access.space = site.space;
      access.bytes = 4;
      access.warp = {0, warp};
      access.active = 0xff;
      access.addresses = at.data();
      logger.on_access(access);
    }
  const std::uint64_t wanted[] = {0};
  CacheSizes one = sizes(1 << 16, 1 << 20);
  one.sms_a_group = 4;
  const CacheReport r = model_caches(logger.take(), 1, one, nullptr, wanted);
  ASSERT_EQ(r.served.size(), 1u);
  ASSERT_EQ(r.served[0].warps.size(), 2u);
  for (std::size_t sector = 0; sector < 4; ++sector) {
    const ServedAccess &first = r.served[0].warps[0].at(sector), &second = r.served[0].warps[1].at(sector);
    EXPECT_EQ(first.from_l2 + second.from_l2, 1) << "one of the two asks L2 for sector " << sector;
    EXPECT_EQ(first.from_dram + second.from_dram, sector % 2 == 0 ? 1 : 0) << "DRAM gives 64 bytes";
    EXPECT_EQ(first.coming + second.coming, 0) << "sector " << sector;
  }
  EXPECT_EQ(r.dram_read_sectors, 4u);
}

// As an H100 hands out blocks: eight SMs of one group first, then as many in a row to each of eight others
// (golden/together_h100.txt of tests/models).
TEST(Caches, GroupsOfSmsAreGivenBlocksInARow) {
  CacheSizes s = sizes(1 << 16, 1 << 20);
  s.sm_groups = 8;
  s.first_sms = 8;
  EXPECT_EQ(s.group_of(0, 4), 0u);
  EXPECT_EQ(s.group_of(7, 48), 0u);
  EXPECT_EQ(s.group_of(8, 48), 1u);
  EXPECT_EQ(s.group_of(12, 48), 1u);
  EXPECT_EQ(s.group_of(13, 48), 2u);
  EXPECT_EQ(s.group_of(47, 48), 8u);
  EXPECT_EQ(s.group_of(131, 132), 8u);
}

// Five SMs that all read one line ask for it twice.
TEST(Caches, NoMoreThanFourOfAGroupAreServedOnce) {
  CacheSizes s = sizes(1 << 16, 1 << 20);
  s.sms = 5;
  s.sms_a_group = 4;
  EXPECT_EQ(model_caches(blocks_at({0, 0, 0, 0, 0}), 1, s).l2.reads, 8u);
}

// A block that stores has ended before one that waits for DRAM: the third begins where that was, and finds in
// L1 what it stored.
TEST(Caches, TheNextBlockBeginsWhereOneEndedFirst) {
  AccessLog log;
  for (const AccessLog& one : {blocks_at({0}), blocks_at({1024}, SiteKind::Store), blocks_at({1024})}) {
    log.blocks.push_back(one.blocks.front());
    log.blocks.back().block = log.blocks.size() - 1;
  }
  log.blocks_run = log.blocks.size();
  CacheSizes two = sizes(1 << 16, 1 << 20);
  two.sms = 2;
  EXPECT_EQ(model_caches(log, 1, two).l1, (CacheLevel{8, 4, 4}));
}

// Two loads are under way at once where the code needs the first one only behind the second; in another basic
// block, or the same again, than one that needs it the warp has waited.
TEST(AccessLogs, SayWhereAWarpHasWaitedForWhatItLoaded) {
  TraceBuilder b;
  for (const auto& [block, needed] :
       {std::pair{0u, false}, {0u, true}, {0u, false}, {1u, true}, {2u, false}}) {
    trace::Site& site = b.site(SiteKind::Load, Space::Global, 4);
    site.basic_block = block;
    site.needed_in_block = needed;
    b.access([&](auto lane) { return 4096 + 4 * lane; });
  }
  const AccessLog log = log_of(b.build());
  std::vector<bool> waits;
  for (std::size_t at = 0, next = 0; at < log.blocks.at(0).words.size(); at = next)
    waits.push_back(AccessLog::read(log.blocks[0], at, next).waits);
  EXPECT_THAT(waits, ::testing::ElementsAre(false, false, false, true, true));
}

// A request joins another one only if it is the same, sector by sector.
TEST(Caches, OnlyEqualRequestsAreServedOnce) {
  CacheSizes s = sizes(1 << 16, 1 << 20);
  s.sms = 2;
  s.sms_a_group = 4;
  EXPECT_EQ(model_caches(blocks_at({0, 0}), 1, s).l2.reads, 4u);
  EXPECT_EQ(model_caches(blocks_at({0, 64}), 1, s).l2.reads, 8u) << "half of the line, and its neighbour's";
}

// As an H100 has it (golden/lines_h100.txt of tests/models): the first one's request is open to others until
// somebody wants half of that line, which nobody can join; the one behind it can be joined again.
TEST(Caches, WhoWantsOtherSectorsOfALineEndsWhatCouldBeJoined) {
  CacheSizes s = sizes(1 << 16, 1 << 20);
  s.sms = 4;
  s.sms_a_group = 4;
  EXPECT_EQ(model_caches(blocks_at({0, 0, 0, 64}), 1, s).l2.reads, 4u + 4u);
  EXPECT_EQ(model_caches(blocks_at({0, 64, 0, 0}), 1, s).l2.reads, 4u + 4u + 4u);
}

// Four warps that read 32 bytes each ask for one line, as one warp that reads 128 does (shared_bytes of the
// golden data: an H200 counts 109 requests for 416 sectors).
TEST(Caches, WarpsThatMissOneLineInARowAskForItOnce) {
  CacheSizes s = sizes(1 << 16, 1 << 20);
  s.sms = 3;
  s.sms_a_group = 4;
  const AccessLog bytes = blocks_at({0, 0, 0}, trace::SiteKind::Load, trace::Space::Global, 1, 4);
  const CacheReport r = model_caches(bytes, 1, s);
  EXPECT_EQ(r.l2.reads, 4u);
  EXPECT_EQ(r.l2_reads_alone, 12u);
}

TEST(Caches, ASliceOfL2TakesItsStoresOneAfterTheOther) {
  CacheSizes four = sizes(1 << 16, 1 << 20);
  four.slices = {
      .count = 64, .lines = 4, .same_line = 1.5, .other_line = 3, .stored_line = 1, .stored_sector = 0.25};
  const auto cycles = [&](std::uint64_t apart, std::uint64_t of = 2) {
    TraceBuilder b;
    b.site(SiteKind::Store, Space::Global, 4);
    for (std::uint64_t i = 0; i < 4; ++i)
      b.access(
          [&](auto lane) { return (1 << 20) + apart * (i % of) + 4 * static_cast<std::uint64_t>(lane); });
    return model_caches(b.build(), four).store_cycles;
  };
  EXPECT_EQ(cycles(0), 2 + 3 * 1.5) << "one line";
  EXPECT_EQ(cycles(128), 2 * 2 + 2 * 3) << "two lines in turn";
  EXPECT_EQ(cycles(128, 4), 4 * 2) << "four lines";
  EXPECT_EQ(cycles(4 * 128), 2 + 1.5) << "two lines of two slices";
}

TEST(Caches, AtomicsOnOneAddressTakeTheirTurnsInASlice) {
  CacheSizes s = sizes(1 << 16, 1 << 20);
  s.slices = {.count = 64, .lines = 4, .sector = 1.25, .address = 1.5, .float_address = 3.5};
  const auto cycles = [&](const char* op, std::uint64_t apart, std::uint8_t bytes = 4, int times = 1) {
    TraceBuilder b;
    b.site(SiteKind::Atomic, Space::Global, bytes).op = op;
    for (int k = 0; k < times; ++k)
      b.access([&](auto lane) { return (1 << 20) + apart * static_cast<std::uint64_t>(lane); });
    return model_caches(b.build(), s).atomic_cycles;
  };
  EXPECT_EQ(cycles("atom.global.add.u32", 0, 4, 2), 2 * 32 * 1.5);
  EXPECT_EQ(cycles("atom.global.add.f32", 0), 32 * 1.5);
  EXPECT_EQ(cycles("atom.global.add.f32", 0, 4, 2), 32 * 1.5 + 32 * 3.5) << "a sum waits for the one before";
  EXPECT_EQ(cycles("atom.global.add.f64", 8, 8), 2 * 4 * 1.25 * 2) << "two lines full of values of 64 bits";
  EXPECT_EQ(cycles("atom.global.add.u64", 512, 8), 1.5) << "one in each line";
  EXPECT_EQ(cycles("atom.global.add.u32", 4), 4 * 1.25) << "at once, sector by sector";
  EXPECT_EQ(cycles("atom.global.add.u32", 512), 1.5) << "each in a slice of its own";
}

TEST(Caches, WhatIsStoredTwiceIsGivenToDramOnce) {
  TraceBuilder b;
  b.site(SiteKind::Store, Space::Global, 4);
  for (int i = 0; i < 3; ++i) b.access([](auto lane) { return 4096 + 4 * lane; });
  b.access([](auto lane) { return 8192 + 4 * lane; });
  EXPECT_EQ(model_caches(b.build(), sizes(1 << 16, 1 << 20)).changed_sectors, 8u);
}

// What L1 has of a line is gone behind an atomic or a load that passes L1.
TEST(Caches, AtomicsAndBypassingLoadsTakeALineOutOfL1) {
  for (const bool atomic : {false, true}) {
    TraceBuilder b;
    b.site(SiteKind::Load, Space::Global, 4);
    b.access([](auto) { return 4096; });
    b.site(atomic ? SiteKind::Atomic : SiteKind::Load, Space::Global, 4).op =
        atomic ? "atom.global.add.u32" : "ld.global.cg.u32";
    b.access([](auto) { return 4096 + 64; });
    b.site(SiteKind::Load, Space::Global, 4);
    b.access([](auto) { return 4096; });
    EXPECT_EQ(model_caches(b.build(), sizes(1 << 16, 1 << 20)).l1, (CacheLevel{2, 0, 0})) << atomic;
  }
}

TEST(Caches, AtomicsAndBypassingLoadsSkipL1) {
  TraceBuilder b;
  b.site(SiteKind::Atomic, Space::Global, 4);
  b.access([](auto) { return 4096; });
  b.site(SiteKind::Load, Space::Global, 4).op = "ld.global.cg.f32";
  b.access([](auto) { return 4096; });
  const CacheReport r = model_caches(b.build(), sizes(1 << 16, 1 << 20));
  EXPECT_EQ(r.l1.reads, 0u);
  EXPECT_EQ(r.l2, (CacheLevel{1, 1, 0})) << "the load finds what the atomic brought";
  EXPECT_EQ(r.l2_atomic_sectors, 32u) << "lanes on one address go one by one";
  EXPECT_EQ(r.atomic_cycles, 32 * r.sizes.slices.address);
}

TEST(Caches, LocalMemoryIsInterleaved) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Local, 4);
  b.access([](auto) { return 8; });
  const CacheReport r = model_caches(b.build(), sizes(1 << 16, 1 << 20));
  EXPECT_EQ(r.local.reads, 4u);
  EXPECT_EQ(r.l1.reads, 0u);
}

// Four neighbouring words that ptxas loads at once: the first site's access stands for all of them.
TEST(Caches, AWidenedAccessIsAsWideAsItIsExecuted) {
  TraceBuilder b;
  trace::Site& leader = b.site(SiteKind::Load, Space::Local, 4);
  leader.executed_bytes = 16;
  leader.executed_offset = -4;
  b.access([](auto) { return 20; });
  b.site(SiteKind::Load, Space::Local, 4).leader = 0;
  b.access([](auto) { return 16; });
  const CacheReport r = model_caches(b.build(), sizes(1 << 16, 1 << 20));
  EXPECT_EQ(r.local, (CacheLevel{16, 0, 0}));  // four words of 32 lanes, four sectors each
}

TEST(Caches, WithoutL1EverythingMissesThere) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4);
  for (int i = 0; i < 2; ++i) b.access([](auto lane) { return 4096 + 4 * lane; });
  const CacheReport r = model_caches(b.build(), sizes(0, 0));
  EXPECT_EQ(r.l1.read_hits, 0u);
  EXPECT_EQ(r.dram_read_sectors, 8u);
}

TEST(Caches, SizesFollowFromDeviceAndSharedMemory) {
  const auto devices = DeviceCatalogue::load(tests::source_dir() + "/assets/devices");
  ASSERT_TRUE(devices);
  const Device& h200 = **devices->device("H200 SXM");
  const ComputeCapability& cc = **devices->capability(h200.cc);
  const Occupancy none = occupancy(cc, {.threads_per_block = 1024, .registers_per_thread = 32});
  // Two blocks with the reserved KiB each: the 8 KiB share is enough.
  EXPECT_EQ(cache_sizes(h200, cc, none).l1_bytes, (256 - 8) * 1024);
  const Occupancy full =
      occupancy(cc, {.threads_per_block = 128, .registers_per_thread = 32, .dynamic_shared = 16384});
  EXPECT_EQ(cache_sizes(h200, cc, full).l1_bytes, (256 - 228) * 1024);
}

ptx::Form form(const std::string& opcode, ptx::Type type) {
  return ptx::make_form(opcode + "." + std::string(ptx::name(type)));
}

TEST(Roofline, CountsOperationsByUnit) {
  EXPECT_EQ(flops_of(form("fma", ptx::Type::F32)).fp32, 2);
  EXPECT_EQ(flops_of(form("add", ptx::Type::F64)).fp64, 1);
  EXPECT_EQ(flops_of(form("fma", ptx::Type::F16x2)).fp16, 4);
  EXPECT_EQ(flops_of(form("add", ptx::Type::S32)).total(), 0);
  EXPECT_EQ(flops_of(form("mov", ptx::Type::F32)).total(), 0);
  const Work product = flops_of(form("mma.sync.aligned.m16n8k16.row.col", ptx::Type::F32));
  EXPECT_EQ((product * 32).tensor, 2 * 16 * 8 * 16);
}

TEST(Roofline, SaysWhatBoundsTheKernel) {
  Device device;
  device.sms = 100;
  device.boost_mhz = 1000;
  device.fp32_tflops = 20;
  device.dram_gbps = 2000;
  Work work;
  work.fp32 = 2e9;
  const Roofline streaming =
      roofline(device, work, {.l1 = {}, .l2 = {}, .dram = Figure<double>{8e9, Evidence::Counted}});
  EXPECT_EQ(streaming.bound_by, Roof::Dram);
  EXPECT_DOUBLE_EQ(streaming.points[0].intensity, 0.25);
  EXPECT_DOUBLE_EQ(streaming.attainable, 0.5e12);
  EXPECT_DOUBLE_EQ(streaming.ridge, 10);
  EXPECT_FALSE(streaming.attained);
  work.fp32 = 1e12;
  const Roofline dense =
      roofline(device, work, {.l1 = {}, .l2 = {}, .dram = Figure<double>{8e9, Evidence::Modelled}}, 0.1);
  EXPECT_EQ(dense.bound_by, Roof::Fp32);
  EXPECT_FALSE(dense.points[0].bandwidth_bound);
  EXPECT_EQ(dense.points[0].evidence, Evidence::Modelled);
  ASSERT_TRUE(dense.attained);
  EXPECT_DOUBLE_EQ(dense.attained->value, 1e13);
  EXPECT_EQ(dense.attained->evidence, Evidence::Measured);
}

TEST(Roofline, TheUnitThatNeedsLongestSetsThePeak) {
  Device device;
  device.sms = 100;
  device.boost_mhz = 1000;
  device.fp32_tflops = 20;
  device.fp64_tflops = 1;
  Work work;
  work.fp32 = 3e9;
  work.fp64 = 1e9;
  const Roofline r = roofline(
      device, work, {.shared = Figure<double>{1e9, Evidence::Counted}, .l1 = {}, .l2 = {}, .dram = {}});
  EXPECT_EQ(r.busiest_unit, Roof::Fp64);
  EXPECT_DOUBLE_EQ(r.peak, 4e12);  // a quarter of the work at 1 TFLOP/s, the rest beside it
  EXPECT_EQ(r.bound_by, Roof::Fp64);
  ASSERT_EQ(r.points.size(), 1u);
  EXPECT_EQ(r.points[0].level, Roof::Shared);
  EXPECT_DOUBLE_EQ(r.points[0].intensity, 4);
}

TEST(Roofline, WhatWasReachedOnTheDeviceHoldsOverWhatIsPublished) {
  Device device;
  device.sms = 100;
  device.boost_mhz = 1000;
  device.fp32_tflops = 20;
  device.dram_gbps = 2000;
  Work work;
  work.fp32 = 2e9;
  const Roofline r =
      roofline(device, work, {.l1 = {}, .l2 = {}, .dram = Figure<double>{8e9, Evidence::Counted}},
               std::nullopt, {{"dram", 1.5e12}, {"fp32", 15e12}});
  EXPECT_DOUBLE_EQ(r.attainable, 0.375e12);
  EXPECT_DOUBLE_EQ(r.peak, 15e12);
  EXPECT_DOUBLE_EQ(r.ridge, 10);
  for (const Ceiling& c : r.ceilings)
    EXPECT_EQ(c.evidence,
              c.roof == Roof::Dram || c.roof == Roof::Fp32 ? Evidence::Measured : Evidence::Modelled)
        << name(c.roof);
}

TEST(Roofline, LevelsWithoutFiguresAreLeftOut) {
  Device device;
  device.sms = 1;
  device.boost_mhz = 1;
  device.fp32_tflops = 1;
  const Roofline r = roofline(device, {}, {});
  EXPECT_TRUE(r.points.empty());
  ASSERT_EQ(r.ceilings.size(), 2u);  // compute, and L1, which follows from the clock
  EXPECT_EQ(r.ceilings[1].roof, Roof::L1);
}

}  // namespace
}  // namespace warplens::analysis
