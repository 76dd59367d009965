// Which bytes a launch touches, from the events of its accesses.
#include "engine/trace/touched.h"

#include <gtest/gtest.h>

#include "engine/trace/launch.h"

namespace warplens::trace {
namespace {

constexpr std::uint64_t kBase = 0x7000'0000'ff80;  // near the end of a page of 64 KB

Site site(SiteKind kind, bool strong = false) {
  Site made;
  made.kind = kind;
  made.strong = strong;
  return made;
}

class Touching : public testing::Test {
 protected:
  // Lanes of `active` at begin + lane * stride.
  void access(TouchLog& log, SiteId at, LaneMask active, std::uint64_t begin, std::int64_t stride,
              unsigned bytes, bool affine = true) {
    std::uint64_t addresses[32];
    for (int lane = 0; lane < 32; ++lane) addresses[lane] = begin + static_cast<std::uint64_t>(lane * stride);
    Access one;
    one.site = at;
    one.kind = sites_[at].kind;
    one.bytes = static_cast<std::uint8_t>(bytes);
    one.active = active;
    one.addresses = addresses;
    one.affine = affine;
    one.stride = stride;
    log.on_access(one);
  }

  const std::vector<Site> sites_{site(SiteKind::Load),       site(SiteKind::Store),
                                 site(SiteKind::Load, true), site(SiteKind::Store, true),
                                 site(SiteKind::Reduction),  site(SiteKind::Atomic)};
};

TEST_F(Touching, BytesOfLanesAcrossPages) {
  TouchLog log(sites_, kBase / 65536 * 65536, 65536);      // some of it lies behind
  access(log, 0, 0xffffffff, kBase, 4, 4);                 // 128 bytes to the end of the page
  access(log, 0, 0x0000ffff, kBase + 128, 4, 4);           // 64 behind it
  access(log, 1, 0x00000007, kBase + 4096, 8, 4);          // with gaps
  access(log, 1, 0x80000001, kBase + 8192, 4, 4);          // the first and the last lane
  access(log, 1, 0x00000003, kBase + 16382, 4, 4, false);  // over the end of 64 bytes
  const Touched touched = log.take();
  EXPECT_EQ(touched.reads, (ByteRanges{{kBase, kBase + 192}}));
  EXPECT_EQ(touched.writes, (ByteRanges{{kBase + 4096, kBase + 4100},
                                        {kBase + 4104, kBase + 4108},
                                        {kBase + 4112, kBase + 4116},
                                        {kBase + 8192, kBase + 8196},
                                        {kBase + 8316, kBase + 8320},
                                        {kBase + 16382, kBase + 16390}}));
  EXPECT_TRUE(touched.looks.empty() && touched.signals.empty());
}

TEST_F(Touching, WhatMayHandOverIsApart) {
  TouchLog log(sites_, kBase / 65536 * 65536, 65536);  // some of it lies behind
  access(log, 2, 1, kBase, 0, 4);
  access(log, 3, 1, kBase + 16, 0, 4);
  access(log, 4, 1, kBase + 32, 0, 4);  // whose result nobody sees
  access(log, 5, 1, kBase + 48, 0, 4);
  const Touched touched = log.take();
  EXPECT_TRUE(touched.reads.empty() && touched.writes.empty());
  EXPECT_EQ(touched.looks, (ByteRanges{{kBase, kBase + 4}, {kBase + 48, kBase + 52}}));
  EXPECT_EQ(touched.signals,
            (ByteRanges{{kBase + 16, kBase + 20}, {kBase + 32, kBase + 36}, {kBase + 48, kBase + 52}}));
}

TEST_F(Touching, ForksAreJoinedAndALaunchAnewBeginsWithNothing) {
  TouchLog log(sites_, kBase / 65536 * 65536, 65536);  // some of it lies behind
  access(log, 1, 1, kBase, 0, 4);
  log.on_launch(Launch{}, {});
  for (const std::uint64_t offset : {0, 4, 12}) {
    const auto fork = log.fork();
    access(static_cast<TouchLog&>(*fork), 1, 1, kBase + 256 + offset, 0, 4);
    log.join(*fork);
  }
  EXPECT_EQ(log.take().writes, (ByteRanges{{kBase + 256, kBase + 264}, {kBase + 268, kBase + 272}}));
}

TEST(ByteRanges, TheFirstBytesThatBothHave) {
  const ByteRanges a{{0, 10}, {20, 30}, {40, 50}}, b{{10, 20}, {28, 42}};
  EXPECT_EQ(overlap(a, b), (ByteRange{28, 30}));
  EXPECT_EQ(overlap(b, a), (ByteRange{28, 30}));
  EXPECT_EQ(overlap(a, {{50, 60}}), std::nullopt);
  EXPECT_EQ(overlap(a, {}), std::nullopt);
  ByteRanges both;
  for_overlaps(a, b, [&](const ByteRange& range) { return both.push_back(range), true; });
  EXPECT_EQ(both, (ByteRanges{{28, 30}, {40, 42}}));
}

}  // namespace
}  // namespace warplens::trace
