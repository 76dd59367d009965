#include "engine/analysis/totals.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/analysis/trace_builder.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;
using trace::Space;

Totals count(const TraceBuilder& builder) {
  TotalsCounter counter(builder.sites());
  builder.feed(counter);
  return counter.totals();
}

TEST(TotalsCounter, SortsBySpaceAndKind) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4);
  b.access([](auto lane) { return 4096 + 4 * lane; });
  b.site(SiteKind::Store, Space::Global, 4);
  b.access([](auto lane) { return 4096 + 8 * lane; });
  b.site(SiteKind::Atomic, Space::Global, 4);
  b.access([](auto) { return 4096; });
  b.site(SiteKind::Atomic, Space::Global, 4).reduction = true;
  b.access([](auto lane) { return 4096 + 4 * (lane % 8); });
  b.site(SiteKind::Load, Space::Shared, 4);
  b.access([](auto lane) { return 128 * lane; });
  b.site(SiteKind::Store, Space::Shared, 8);
  b.access([](auto lane) { return 8 * lane; });
  b.site(SiteKind::Reduction, Space::Shared, 4);
  b.access([](auto) { return 0; });
  b.site(SiteKind::Load, Space::Local, 16);
  b.access([](auto) { return 0; });
  b.site(SiteKind::Load, Space::Constant, 4);
  b.access([](auto lane) { return 4 * (lane % 3); });
  const Totals t = count(b);
  EXPECT_EQ(t.global_load, (GlobalCounts{1, 4, 4, 1, 128, 128}));
  EXPECT_EQ(t.global_store, (GlobalCounts{1, 8, 4, 2, 128, 128}));
  EXPECT_EQ(t.global_atomic, (GlobalCounts{1, 32, 1, 32, 128, 4}));
  EXPECT_EQ(t.global_reduction.sectors, 4u);
  EXPECT_EQ(t.shared_load, (SharedCounts{1, 32, 1, 31}));
  EXPECT_EQ(t.shared_store, (SharedCounts{1, 2, 2, 0}));
  EXPECT_EQ(t.shared_atomic, (SharedCounts{1, 32, 1, 31}));
  EXPECT_EQ(t.local_load.requests, 4u);
  EXPECT_EQ(t.local_load.sectors, 16u);
  EXPECT_EQ(t.constant.requests, 1u);
  EXPECT_EQ(t.constant.addresses, 3u);
  EXPECT_EQ(t.sites[0].executions, 1u);
  EXPECT_EQ(t.sites[4].shared.bank_conflicts, 31u);
}

TEST(TotalsCounter, AccessesWithoutActiveLanesCountNothing) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4);
  b.access([](auto lane) { return 4 * lane; }, 0);
  const Totals t = count(b);
  EXPECT_EQ(t.global_load, GlobalCounts{});
  EXPECT_EQ(t.sites[0].executions, 0u);
}

TEST(TotalsCounter, MergedSitesCountOnceAsTheWideAccess) {
  TraceBuilder b;
  for (int word = 0; word < 4; ++word) {
    trace::Site& s = b.site(SiteKind::Load, Space::Shared, 4);
    s.leader = 2;  // the third in the text is the one that is executed
    s.executed_bytes = word == 2 ? 16 : 0;
    s.executed_offset = word == 2 ? -8 : 0;
    b.access([&](auto lane) { return 16 * lane + static_cast<std::uint64_t>(4 * word); });
  }
  const Totals t = count(b);
  EXPECT_EQ(t.shared_load, (SharedCounts{1, 4, 4, 0}));
  EXPECT_EQ(t.sites[0].executions, 1u);
  EXPECT_EQ(t.sites[0].shared, SharedCounts{});
  EXPECT_EQ(t.sites[2].shared.wavefronts, 4u);
}

// ptxas reads four turns' words with the first of them.
TEST(TotalsCounter, TurnsShareTheLoadThatBeginsAtAMultipleOfItsWidth) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Shared, 4).executed_bytes = 16;
  for (std::uint64_t turn = 0; turn < 8; ++turn) b.access([&](auto) { return 64 + 4 * turn; });
  const Totals t = count(b);
  EXPECT_EQ(t.shared_load, (SharedCounts{2, 4, 4, 0}));  // two wavefronts a load of 16 bytes by all lanes
  EXPECT_EQ(t.sites[0].executions, 8u);
}

// The first turn is not the one that the address tells: the wide access begins before it.
TEST(TotalsCounter, TurnsShareALoadThatBeginsBeforeTheFirst) {
  TraceBuilder b;
  trace::Site& site = b.site(SiteKind::Load, Space::Shared, 4);
  site.executed_bytes = 16;
  site.executed_offset = -8;
  for (std::uint64_t turn = 0; turn < 8; ++turn) b.access([&](auto) { return 64 + 4 * turn; });
  EXPECT_EQ(count(b).shared_load.requests, 2u);
}

TEST(TotalsCounter, ArraysInRegistersAreNoAccesses) {
  TraceBuilder b;
  b.site(SiteKind::Store, Space::Local, 4).in_registers = true;
  b.access([](auto) { return 8; });
  const Totals t = count(b);
  EXPECT_EQ(t.local_store, GlobalCounts{});
  EXPECT_EQ(t.sites[0].executions, 1u);
}

TEST(TotalsCounter, GenericAccessesGoWhereTheyPointed) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Generic, 4);
  b.access([](auto lane) { return 4 * lane; }).space = Space::Shared;
  b.access([](auto lane) { return 4 * lane; }).space = Space::Global;
  b.access([](auto lane) { return 4 * lane; }).space = Space::Local;
  const Totals t = count(b);
  EXPECT_EQ(t.shared_load.requests, 1u);
  EXPECT_EQ(t.global_load.requests, 1u);
  EXPECT_EQ(t.local_load.requests, 1u);
  EXPECT_EQ(t.sites[0].executions, 3u);
}

TEST(TotalsCounter, FloatingSharedAtomicsAreALoopOfLoadsAndSwaps) {
  TraceBuilder b;
  b.site(SiteKind::Reduction, Space::Shared, 4).floating_shared_atomic = true;
  b.access([](auto) { return 64; });
  const Totals t = count(b);
  EXPECT_EQ(t.shared_load, (SharedCounts{32, 32, 32, 0}));
  EXPECT_EQ(t.shared_atomic.requests, 32u);
  EXPECT_EQ(t.shared_atomic.wavefronts, 64u);
  EXPECT_EQ(t.sites[0].shared.wavefronts, 96u);
}

TEST(TotalsCounter, AsyncCopiesReadGlobalAndWriteShared) {
  TraceBuilder b;
  std::array<std::uint64_t, 32> shared{};
  for (std::uint64_t lane = 0; lane < 32; ++lane) shared[lane] = 16 * lane;
  b.site(SiteKind::AsyncCopy, Space::Global, 16).op = "cp.async.ca.shared.global";
  b.access([](auto lane) { return 4096 + 16 * lane; }).shared_addresses = shared.data();
  b.site(SiteKind::AsyncCopy, Space::Global, 16).op = "cp.async.cg.shared.global";
  b.access([](auto lane) { return 4096 + 16 * lane; }).shared_addresses = shared.data();
  const Totals t = count(b);
  EXPECT_EQ(t.global_load.sectors, 32u);
  EXPECT_EQ(t.sites[0].shared.wavefronts, 4u);
  EXPECT_EQ(t.sites[1].shared.wavefronts, 4u);
  EXPECT_EQ(t.shared_async, (SharedCounts{2, 8, 8, 0}));
  EXPECT_EQ(t.shared_store, SharedCounts{});
}

TEST(TotalsCounter, MatrixLoadsUseTheLanesThatGiveRows) {
  TraceBuilder b;
  b.site(SiteKind::MatrixLoad, Space::Shared, 16).op = "ldmatrix.sync.aligned.m8n8.x2.shared.b16";
  b.access([](auto lane) { return 16 * (lane % 16); });
  const Totals t = count(b);
  EXPECT_EQ(t.shared_load, (SharedCounts{1, 2, 2, 0}));
}

TEST(TotalsCounter, CountsBranches) {
  TraceBuilder b;
  b.site(SiteKind::Branch, Space::None, 0);
  b.branch(kFullMask, kFullMask);
  b.branch(kFullMask, 0xffffu);
  b.branch(0xffffu, 0);
  const Totals t = count(b);
  EXPECT_EQ(t.branches, 3u);
  EXPECT_EQ(t.divergent_branches, 1u);
  EXPECT_EQ(t.sites[0].divergent, 1u);
  EXPECT_EQ(t.sites[0].lanes, 32u + 32 + 16);
}

TEST(TotalsCounter, ConstantsAreWantedOnlyWhereThereAreAny) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4);
  EXPECT_FALSE(TotalsCounter(b.sites()).wants().constants);
  b.site(SiteKind::Load, Space::Constant, 4);
  EXPECT_TRUE(TotalsCounter(b.sites()).wants().constants);
}

// The remembered shape of a site must never answer for a different access.
TEST(TotalsCounter, RememberedShapesEqualCountingEachAccess) {
  std::mt19937_64 random(11);
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4);
  GlobalCounts expected;
  std::vector<std::array<std::uint64_t, 32>> kept;
  for (int i = 0; i < 400; ++i) {
    // Few shapes, many repeats: tiles, shifted tiles, random ones, changing masks.
    const std::uint64_t base = 4096 + 4 * (random() % 64), pitch = 64 + 64 * (random() % 3);
    const LaneMask active = random() % 4 == 0 ? 0x0ff00ff0u : kFullMask;
    const bool wild = random() % 8 == 0;
    const auto& a = b.access(
        [&](std::uint64_t lane) {
          return wild ? 4 * (random() % 1000) : base + lane / 8 * pitch + 4 * (lane % 8);
        },
        active);
    expected += count_global(SiteKind::Load, 4, active, a.addresses);
  }
  EXPECT_EQ(count(b).global_load, expected);
}

TEST(TotalsCounter, ForksAddUp) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Shared, 4);
  for (int i = 0; i < 5; ++i) b.access([&](auto lane) { return 4 * lane * static_cast<unsigned>(i); });
  TotalsCounter one(b.sites()), many(b.sites());
  b.feed(one);
  b.feed(one);
  const auto f = many.fork(), g = many.fork();
  b.feed(*f);
  b.feed(*g);
  many.join(*f);
  many.join(*g);
  EXPECT_EQ(many.totals().shared_load, one.totals().shared_load);
  EXPECT_EQ(many.totals().sites[0].lanes, one.totals().sites[0].lanes);
}

}  // namespace
}  // namespace warplens::analysis
