// Where the words of local memory lie: worked out by hand.
#include "engine/analysis/local_places.h"

#include <gtest/gtest.h>

#include <array>

namespace warplens::analysis {
namespace {

using Offsets = std::array<std::uint64_t, kWarpSize>;

TEST(LocalPlaces, EqualIndexesLieSideBySide) {
  Offsets offsets;
  offsets.fill(8);  // mine[2] in every lane
  const auto detail = explain_local(trace::SiteKind::Load, 4, kFullMask, offsets.data());
  ASSERT_EQ(detail.sectors.size(), 4u);
  EXPECT_EQ(detail.sectors[0].address, 256u);
  EXPECT_EQ(detail.sectors[0].lanes, 0xFFu);
  EXPECT_EQ(detail.sectors[3].used, ~0u);
  EXPECT_EQ(detail.lines, std::vector<std::uint64_t>{256});
  EXPECT_EQ(detail.counts.sectors, 4u);
}

TEST(LocalPlaces, AnIndexOfItsOwnIsALineOfItsOwn) {
  Offsets offsets;
  for (std::size_t lane = 0; lane < offsets.size(); ++lane) offsets[lane] = 4 * lane;
  const auto detail = explain_local(trace::SiteKind::Load, 4, kFullMask, offsets.data());
  EXPECT_EQ(detail.sectors.size(), 32u);
  EXPECT_EQ(detail.lines.size(), 32u);
  EXPECT_EQ(detail.counts.sectors, 32u);
}

TEST(LocalPlaces, OfAVectorEachWordIsALine) {
  Offsets offsets{};
  const auto detail = explain_local(trace::SiteKind::Store, 16, kFullMask, offsets.data());
  EXPECT_EQ(detail.sectors.size(), 16u);
  EXPECT_EQ(detail.lines, (std::vector<std::uint64_t>{0, 128, 256, 384}));
  EXPECT_EQ(detail.counts.sectors, 16u);
}

TEST(LocalPlaces, LeadBackToTheThread) {
  for (const std::uint64_t offset : {0u, 3u, 4u, 29u})
    for (const int lane : {0, 7, 31}) EXPECT_EQ(local_offset(local_place(offset, lane)), offset);
}

}  // namespace
}  // namespace warplens::analysis
