// The parts that views are made of: text that fits, rows of memory, plots, the model of an SM, colour tables.
#include <gmock/gmock.h>

#include <numeric>
#include <tuple>

#include "tests/visual/fixtures.h"
#include "visual/colour_table.h"
#include "visual/export.h"
#include "visual/grid_costs.h"
#include "visual/layout.h"
#include "visual/memory_rows.h"
#include "visual/plot.h"

namespace warplens::visual {
namespace {

using testing::ElementsAre;
using testing::Le;

class DraftTest : public testing::Test {
 protected:
  Catalogue catalogue_ = Catalogue::load("en").value();
  ViewContext context_{{800, 600}, catalogue_, cairo_text_measure()};
  Draft draft_{context_};
};

TEST_F(DraftTest, ShortensAtCharactersNeverInsideOne) {
  EXPECT_EQ(draft_.shorten("short", 100, 13, Face::Sans), "short");
  const std::string cut = draft_.shorten("线程束碰到了哪些扇区", 60, 13, Face::Sans);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_TRUE(missing_glyphs(cut, Face::Sans).empty());
  EXPECT_LE(draft_.width(cut), 60);
  EXPECT_EQ(draft_.shorten("anything", 0, 13, Face::Sans), "");
}

TEST_F(DraftTest, WrapsAtSpacesAndBetweenChineseCharacters) {
  for (const std::string text :
       {"Stride 2: neighbouring lanes are 8 bytes apart, so 32 lanes span 256 bytes.",
        "步长为 2：相邻通道相距 8 字节，因此 32 个通道跨越 256 字节，需要 8 个扇区。"}) {
    const auto lines = draft_.wrap(text, 180, 14, Face::Sans, 9);
    EXPECT_GT(lines.size(), 1u);
    std::string joined;
    for (const std::string& line : lines) {
      EXPECT_LE(draft_.width(line, 14), 180.5f) << line;
      EXPECT_FALSE(line.starts_with("，")) << line;
      joined += line;
    }
    std::string wanted = text;
    std::erase(wanted, ' ');
    std::erase(joined, ' ');
    EXPECT_EQ(joined, wanted);
  }
}

TEST_F(DraftTest, TheLastLineOfTooMuchTextEndsInAnEllipsis) {
  const auto lines = draft_.wrap("one two three four five six seven eight nine ten", 80, 14, Face::Sans, 2);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[1].ends_with("…"));
}

TEST(Numbers, AreWrittenAsPeopleReadThem) {
  EXPECT_EQ(group_digits(1234567), "1,234,567");
  EXPECT_EQ(group_digits(12), "12");
  EXPECT_EQ(bytes_text(256), "256 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KB");
  EXPECT_EQ(bytes_text(std::uint64_t{4} << 20), "4 MB");
  EXPECT_EQ(percent_text(0.5), "50 %");
  EXPECT_EQ(percent_text(1.0 / 3), "33.3 %");
  EXPECT_EQ(percent_text(0), "0 %");
  EXPECT_EQ(percent_text(0.00006), "<0.1 %");
  EXPECT_EQ(percent_text(0.9997), "99.9 %");
  EXPECT_EQ(percent_text(0.1 + 0.2 + 0.7), "100 %");
  EXPECT_EQ(plain_number(2.50), "2.5");
  EXPECT_EQ(plain_number(1.0 / 0.0), "-");
}

TEST(MemoryRows, LinesOfOneRowStayInsideAndNeighboursTouch) {
  std::array<std::uint64_t, 32> addresses{};
  for (std::size_t i = 0; i < 32; ++i) addresses[i] = 0x1000 + 8 * i;
  const auto detail = analysis::explain_global(trace::SiteKind::Load, 4, kFullMask, addresses.data());
  const MemoryRows rows = arrange_memory(detail, 10, 600, 30, 4);
  EXPECT_EQ(rows.rows, 1);
  ASSERT_EQ(rows.lines.size(), 2u);
  EXPECT_FALSE(rows.lines[1].after_gap);
  EXPECT_NEAR(rows.lines[1].right, 610, 1);
  EXPECT_EQ(rows.sectors.size(), 8u);
}

TEST(MemoryRows, ManyFarLinesWrapAndKeepInside) {
  std::array<std::uint64_t, 32> addresses{};
  for (std::size_t i = 0; i < 32; ++i) addresses[i] = 0x1000 + 4096 * i;
  const auto detail = analysis::explain_global(trace::SiteKind::Load, 4, kFullMask, addresses.data());
  for (const float width : {200.0f, 600.0f, 2500.0f}) {
    const MemoryRows rows = arrange_memory(detail, 0, width, 30, 4);
    EXPECT_LE(rows.rows, 4);
    for (const LinePlace& line : rows.lines) EXPECT_THAT(line.right, Le(width + 0.5f)) << width;
    EXPECT_TRUE(rows.lines[1].after_gap);
  }
}

TEST(Plot, TicksAreRoundAndInside) {
  EXPECT_THAT(round_ticks(0, 64, 5), ElementsAre(0, 20, 40, 60));
  EXPECT_THAT(round_ticks(0, 1, 5), ElementsAre(0, 0.2, 0.4, 0.6000000000000001, 0.8, 1));
  EXPECT_TRUE(round_ticks(3, 3, 5).empty());
  EXPECT_THAT(binary_ticks(0, 33, 9), ElementsAre(0, 4, 8, 12, 16, 20, 24, 28, 32));
  EXPECT_THAT(binary_ticks(1, 64, 4), ElementsAre(16, 32, 48, 64));
  EXPECT_THAT(binary_ticks(2, 3, 9), ElementsAre(2, 3));
}

TEST(GridCosts, SumOverWarpsEqualsTheTotalsOfTheTrace) {
  const Fixture f = strided_copy(2);
  const GridCosts costs = collect_grid_costs(f.trace);
  ASSERT_EQ(costs.warps.size(), 8u);
  EXPECT_EQ(costs.warps[3].warp, 3u);
  EXPECT_EQ(costs.warps[3].sectors, 12u);  // 8 loaded, 4 stored
  EXPECT_EQ(costs.warps[3].sectors_ideal, 8u);
  EXPECT_EQ(costliest(costs), Measure::Sectors);
  EXPECT_EQ(costliest(collect_grid_costs(bank_stride(32).trace)), Measure::Wavefronts);
}

// One pass for each address, of a wide access for each half of it.
TEST(GridCosts, ConstantsCostWhatTheirViewCounts) {
  for (const auto& [words, bytes, passes, ideal] : {std::tuple{5, 4, 5u, 1u}, std::tuple{4, 16, 8u, 2u}}) {
    const GridCosts costs = collect_grid_costs(constant_words(words, bytes).trace);
    ASSERT_EQ(costs.warps.size(), 1u);
    EXPECT_EQ(costs.warps[0].constants, passes);
    EXPECT_EQ(costs.warps[0].constants_ideal, ideal);
    EXPECT_EQ(costliest(costs), Measure::Constants);
  }
}

TEST(ColourTable, KeepsFewColoursExactlyAndManyWithin256) {
  ColourTable few;
  const std::array<std::uint32_t, 3> colours{0x0E1116, 0xFFFFFF, 0xF0C44A};
  few.add(colours);
  few.build();
  for (const std::uint32_t c : colours) EXPECT_EQ(few.colours()[few.nearest(c)], c);
  ColourTable many;
  std::vector<std::uint32_t> all(5000);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = trace::fmix32(static_cast<std::uint32_t>(i)) & 0xffffff;
  many.add(all);
  many.build();
  EXPECT_LE(many.colours().size(), 256u);
}

}  // namespace
}  // namespace warplens::visual
