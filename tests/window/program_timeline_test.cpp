#include "visual/program_timeline.h"

#include <gmock/gmock.h>

#include <set>

#include "visual/export.h"

namespace warplens::visual {
namespace {

using ::testing::IsEmpty;
using Work = ProgramTimeline::Work;

ProgramTimeline line_of(std::size_t launches) {
  ProgramTimeline line;
  line.rows = {"default stream", "stream 2", "host waits"};
  line.kernels = {"step", "transpose"};
  line.end = 1;
  const double each = 0.9 / static_cast<double>(launches);
  for (std::size_t i = 0; i < launches; ++i) {
    const double begin = static_cast<double>(i) * each;
    line.spans.push_back({begin, begin + each * 0.9, i % 2 == 0 ? 0u : 1u, Work::Launch,
                          static_cast<std::uint8_t>(i % 2), i == 3, i});
  }
  line.spans.push_back({0.1, 0.2, 0, Work::Copy, 0, false, 0});
  line.spans.push_back({0.9, 1, 2, Work::Wait, 0, false, 0});
  line.tell = [](const ProgramTimeline::Span& first, std::uint64_t more) {
    return std::to_string(first.launch) + " and " + std::to_string(more);
  };
  return line;
}

class TimelineTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto text = Catalogue::load(GetParam());
    ASSERT_TRUE(text);
    text_ = std::move(*text);
  }
  Scene draw(const ProgramTimeline& line, Size size) const {
    return program_timeline({size, text_, cairo_text_measure()}, line);
  }
  Catalogue text_;
};

TEST_P(TimelineTest, EachLaunchIsABarThatOpensIt) {
  const Scene scene = draw(line_of(8), {800, 160});
  EXPECT_THAT(find_layout_problems(scene, cairo_text_measure()), IsEmpty());
  std::set<std::size_t> opened;
  for (const Shape& shape : scene.shapes)
    if (shape.target.step) opened.insert(*shape.target.step);
  EXPECT_EQ(opened.size(), 8u);
  const auto bad = std::ranges::count_if(
      scene.shapes, [](const Shape& s) { return s.fill.role == Role::Bad && s.target.step == 3u; });
  EXPECT_EQ(bad, 1);
}

TEST_P(TimelineTest, VeryManyLaunchesShareBarsThatSayHowManyTheyAre) {
  const Scene scene = draw(line_of(100000), {800, 160});
  EXPECT_LT(scene.shapes.size(), 3000u);
  EXPECT_TRUE(
      std::ranges::any_of(scene.shapes, [](const Shape& s) { return s.tooltip.ends_with(" and 99"); }) ||
      std::ranges::any_of(scene.shapes,
                          [](const Shape& s) { return s.target.step && !s.tooltip.ends_with(" and 0"); }));
}

TEST_P(TimelineTest, APartOfItShowsOnlyThat) {
  ProgramTimeline line = line_of(100);
  line.begin = 0.5;
  line.end = 0.51;
  const Scene scene = draw(line, {800, 160});
  std::size_t bars = 0;
  for (const Shape& shape : scene.shapes)
    if (shape.target.step) {
      ++bars;
      EXPECT_GE(shape.box.x, 0);
      EXPECT_LE(shape.box.right(), 800);
    }
  EXPECT_GE(bars, 1u);
  EXPECT_LE(bars, 4u);
}

TEST_P(TimelineTest, AnEmptyOrANarrowOneIsNoTrouble) {
  ProgramTimeline none;
  EXPECT_THAT(find_layout_problems(draw(none, {800, 100}), cairo_text_measure()), IsEmpty());
  EXPECT_THAT(find_layout_problems(draw(line_of(20), {320, 92}), cairo_text_measure()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Languages, TimelineTest, ::testing::Values("en", "zh"),
                         [](const auto& language) { return std::string(language.param); });

}  // namespace
}  // namespace warplens::visual
