#include <gmock/gmock.h>

#include "app/cli/command.h"
#include "app/model/run/sampling.h"
#include "app/model/text/text_options.h"

namespace warplens {
namespace {

TEST(Extent, ReadsOneToThreeNumbers) {
  EXPECT_EQ(*cli::parse_extent("256", "--block"), (Dim3{256, 1, 1}));
  EXPECT_EQ(*cli::parse_extent("16,8,2", "--block"), (Dim3{16, 8, 2}));
  for (const char* wrong : {"", "0", "a", "1,", "1,2,3,4", "-1", "99999999999", "1 2"})
    EXPECT_THAT(cli::parse_extent(wrong, "--block").error().message, testing::HasSubstr("--block")) << wrong;
}

TEST(Sampling, ASmallLaunchRunsWhole) {
  trace::Launch launch;
  launch.grid = {1024, 1, 1};
  launch.block = {256, 1, 1};
  EXPECT_THAT(model::sampled_blocks(launch, 0), testing::IsEmpty());
  EXPECT_THAT(model::sampled_blocks(launch, 2000), testing::IsEmpty());
}

TEST(Sampling, BlocksAreSpreadFromFirstToLast) {
  trace::Launch launch;
  launch.grid = {101, 1, 1};
  EXPECT_THAT(model::sampled_blocks(launch, 5), testing::ElementsAre(0, 25, 50, 75, 100));
  EXPECT_THAT(model::sampled_blocks(launch, 1), testing::ElementsAre(0));
}

TEST(Sampling, AHugeLaunchIsSampledByItself) {
  trace::Launch launch;
  launch.grid = {2147483647, 1, 1};
  launch.block = {1024, 1, 1};
  const auto blocks = model::sampled_blocks(launch, 0);
  ASSERT_FALSE(blocks.empty());
  EXPECT_LE(blocks.size() * 1024, model::kThreadsRunWhole);
  EXPECT_EQ(blocks.back(), 2147483646u);
}

// Of the largest grid there is, of one thread a block, no list of blocks that fills the memory.
TEST(Sampling, TheLargestGridOfSmallBlocksIsSampledWithinBounds) {
  trace::Launch launch;
  launch.grid = {2147483647, 65535, 65535};
  const auto blocks = model::sampled_blocks(launch, 0);
  EXPECT_EQ(blocks.size(), model::kMostSampled);
  EXPECT_EQ(blocks.back(), launch.grid.volume() - 1);
}

TEST(TextOptions, SlidersAndSizes) {
  EXPECT_EQ(model::parse_slider("stride=4")->second, 4);
  EXPECT_EQ(*model::parse_size("1600x900"), (std::pair{1600, 900}));
  for (const char* wrong : {"stride", "=4", "stride=", "stride=4x"})
    EXPECT_FALSE(model::parse_slider(wrong)) << wrong;
  for (const char* wrong : {"1600", "0x0", "axb", "99999x9"}) EXPECT_FALSE(model::parse_size(wrong)) << wrong;
}

}  // namespace
}  // namespace warplens
