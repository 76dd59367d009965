// From the grid to an instruction, from a line to its PTX, and what the views of time and traffic say.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "tests/visual/fixtures.h"
#include "visual/export.h"
#include "visual/run_times.h"

namespace warplens::visual {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const Catalogue& words() {
  static const Catalogue catalogue = Catalogue::load("en").value();
  return catalogue;
}

Scene lay_out(std::string_view view, const ViewInput& input, Size size = {1600, 900}) {
  const ViewContext context{size, words(), cairo_text_measure()};
  Scene scene = find_view(view)->layout(context, input);
  EXPECT_THAT(find_layout_problems(scene, cairo_text_measure()), IsEmpty()) << view;
  return scene;
}

std::string all_text(const Scene& scene) {
  std::string out;
  for (const Shape& s : scene.shapes) out += s.text + "\n" + s.tooltip + "\n";
  return out;
}

TEST(GridOverview, ABlockOpensAndAWarpShowsItsInstructions) {
  const Fixture f = huge();
  ViewInput input = f.input();
  const Scene all = lay_out("grid-overview", input);
  ASSERT_NE(shape(all, "row.3"), nullptr);
  EXPECT_EQ(shape(all, "row.3")->target.block, 3u);
  input.selection.block = 3;
  const Scene block = lay_out("grid-overview", input);
  EXPECT_NE(shape(block, "caption.block"), nullptr);
  EXPECT_NE(shape(block, "strip.5.0"), nullptr);  // the other blocks stay in reach
  ASSERT_NE(shape(block, "warp.3.7"), nullptr);
  EXPECT_EQ(shape(block, "warp.5.7"), nullptr);
  input.selection.warp = 7;
  for (const Size size : {Size{800, 640}, Size{1280, 720}, Size{2560, 1440}}) {
    const Scene warp = lay_out("grid-overview", input, size);
    const Shape* site = shape(warp, "site.0");
    ASSERT_NE(site, nullptr);
    EXPECT_EQ(site->target.site, 0u);
    EXPECT_TRUE(site->target.step.has_value());
    EXPECT_THAT(site->text, HasSubstr("load.global"));
  }
}

TEST(GridOverview, EachMeasureCanBeChosenAndSaysItsValue) {
  const Fixture f = huge();
  ViewInput input = f.input();
  for (const Measure measure :
       {Measure::Sectors, Measure::Wavefronts, Measure::IdleLanes, Measure::Instructions}) {
    input.measure = measure;
    const Scene scene = lay_out("grid-overview", input);
    int found = 0;
    for (const Shape& s : scene.shapes) found += s.target.measure ? 1 : 0;
    EXPECT_EQ(found, 4);
  }
}

TEST(GridOverview, ConstantsHaveATileWhereThereAreAny) {
  const Fixture f = constant_words(5);
  ViewInput input = f.input();
  input.measure = Measure::Constants;
  const Scene scene = lay_out("grid-overview", input);
  ASSERT_NE(shape(scene, "measure.constants.value"), nullptr);
  EXPECT_EQ(shape(scene, "measure.constants.value")->text, "5×");
  EXPECT_EQ(scene.answer, "5× the constant passes");
}

// Of a long line nothing is lost where it goes on in a second row.
TEST(SourceView, RowsOfALongLineFitTheirRoom) {
  Fixture f = strided_copy(2);
  f.source.lines[0] = "int table[] = {";
  for (int i = 0; i < 60; ++i) f.source.lines[0] += std::to_string(i) + ", ";
  for (float width = 700; width < 780; width += 8) {
    const Scene scene = lay_out("source", f.input(), {width, 600});
    std::string all;
    for (const Shape& s : scene.shapes)
      if (s.target.line == 1 && s.kind == ShapeKind::Text) all += s.text + " ";
    EXPECT_THAT(all, testing::Not(HasSubstr("…"))) << width;
    EXPECT_THAT(all, HasSubstr("0, 1, 2,")) << width;
  }
}

TEST(SourceView, ShowsPtxWhenAskedAndNamesWhatIsJoined) {
  Fixture f = strided_copy(2);
  f.report.sites[1].leader = 0;  // as if the store had joined another access
  ViewInput input = f.input();
  input.hover.line = 7;
  EXPECT_EQ(shape(lay_out("source", input, {960, 540}), "ptx.ground"), nullptr);
  input.show_ptx = true;
  for (const Size size : {Size{640, 700}, Size{960, 540}, Size{1600, 900}}) {
    const Scene scene = lay_out("source", input, size);
    EXPECT_NE(shape(scene, "ptx.ground"), nullptr);
    EXPECT_NE(shape(scene, "ptx.20.now"), nullptr);  // the PTX of the line that is pointed at
    EXPECT_EQ(shape(scene, "ptx.20")->target.line, 7);
  }
  ASSERT_NE(shape(lay_out("source", input), "line.7.forms"), nullptr);
  EXPECT_EQ(shape(lay_out("source", input), "line.7.forms")->text, "2→1");
  input.show_ptx = false;
  EXPECT_EQ(shape(lay_out("source", input), "ptx.ground"), nullptr);
}

TEST(SourceView, TheTextDoesNotMoveUnderThePointer) {
  Fixture f = strided_copy(2);
  for (int line = static_cast<int>(f.source.lines.size()) + 1; line <= 80; ++line)
    f.source.lines.push_back("// " + std::to_string(line));
  ViewInput input = f.input();
  const auto place_of = [&](const char* id) {
    const Scene scene = lay_out("source", input, {960, 400});
    const Shape* found = shape(scene, id);
    return found == nullptr ? -1.0f : found->box.y;
  };
  input.selection.line = 40;
  const float there = place_of("line.40");
  ASSERT_GT(there, 0);
  EXPECT_EQ(place_of("line.70"), -1.0f);
  input.hover.line = 44;
  EXPECT_EQ(place_of("line.40"), there) << "else the next line comes under the pointer, and so on to the end";
  input.selection.line = 70;
  EXPECT_GT(place_of("line.70"), 0);
}

TEST(Roofline, AMeasuredPointShowsItsDistanceAndAModelledOneSaysItIsABound) {
  Fixture f = gather();
  const Scene bound = lay_out("roofline", f.input());
  EXPECT_EQ(bound.evidence, Evidence::Modelled);
  EXPECT_THAT(bound.answer, HasSubstr("at most"));
  EXPECT_TRUE(shape(bound, "roof.mark")->dashed);
  EXPECT_NE(shape(bound, "level.L1.name"), nullptr);
  f.roofline.points.back().evidence = Evidence::Measured;
  f.roofline.points.back().gflops = 2910;
  const Scene measured = lay_out("roofline", f.input());
  EXPECT_EQ(measured.answer, "25 % of the roof");
  EXPECT_TRUE(measured.answer_is_worse);
  EXPECT_THAT(all_text(measured), HasSubstr("the roof is 4× higher"));
}

TEST(Roofline, OtherKernelsStandUnderTheSameRoof) {
  const Fixture f = gather();
  const Scene scene = lay_out("roofline", f.input());
  for (std::size_t i = 0; i < f.roofline.others.size(); ++i)
    EXPECT_NE(shape(scene, "other." + std::to_string(i)), nullptr) << f.roofline.others[i].name;
  const std::string text = all_text(scene);
  EXPECT_THAT(text, HasSubstr("naive"));
  EXPECT_THAT(text, HasSubstr("timed at rows and columns 2048"));
  EXPECT_THAT(text, HasSubstr("cuBLAS 13.1.0"));
  EXPECT_EQ(scene.evidence, Evidence::Modelled) << "the badge is the open run's";
}

TEST(Occupancy, HasBlockSizesByRuleModelAndClockInOnePlot) {
  const Fixture f = gather();
  const Scene scene = lay_out("occupancy", f.input(), {1280, 720});
  for (int threads = 32; threads <= 1024; threads += 32)
    EXPECT_NE(shape(scene, "threads." + std::to_string(threads)), nullptr);
  const Shape* clock = shape(scene, "speed.clock.1024");
  const Shape* best = shape(scene, "speed.clock.512");
  ASSERT_TRUE(clock && best);
  EXPECT_LT(best->box.y, clock->box.y) << "the faster one stands higher";
  EXPECT_NE(shape(scene, "speed.model.512"), nullptr);
  EXPECT_NE(shape(scene, "suggested"), nullptr);
  EXPECT_THAT(all_text(scene), HasSubstr("the runtime suggests "));
  EXPECT_THAT(all_text(scene), HasSubstr("recorded on 2026-11-22"));
}

TEST(Occupancy, ShowsWhatPtxasMakesOfFewerRegisters) {
  const Fixture f = gather();
  const Scene scene = lay_out("occupancy", f.input(), {1920, 1080});
  const std::string text = all_text(scene);
  EXPECT_THAT(text, HasSubstr("--maxrregcount=64"));
  EXPECT_THAT(text, HasSubstr("3.5 KB")) << "what the tightest bound spills";
  const Shape* spills = shape(scene, "ptxas.1.8");
  ASSERT_NE(spills, nullptr);
  EXPECT_EQ(spills->fill.role, Role::Warn);
  EXPECT_THAT(spills->tooltip, HasSubstr("1,512"));
  Fixture without = gather();
  without.lab = {};
  without.lab.no_compiler = "no ptxas here";
  EXPECT_THAT(all_text(lay_out("occupancy", without.input())), HasSubstr("no ptxas here"));
}

TEST(Roofline, WithoutArithmeticThereIsNoPointAndItSaysWhy) {
  const Fixture f = broadcast();
  const Scene scene = lay_out("roofline", f.input());
  EXPECT_EQ(scene.answer, "0 FLOP");
  EXPECT_EQ(shape(scene, "roof.mark"), nullptr);
  EXPECT_THAT(scene.transcript, HasSubstr("no floating-point arithmetic"));
}

TEST(RunTimes, PercentilesAndOutliers) {
  std::vector<double> times;
  for (int i = 0; i <= 100; ++i) times.push_back(1 + i * 0.001);
  times.push_back(9);
  const RunSummary s = summarise(times);
  EXPECT_NEAR(s.median, 1.0505, 1e-9);
  EXPECT_NEAR(s.low, 1.00505, 1e-9);
  EXPECT_NEAR(s.high, 1.09595, 1e-9);
  EXPECT_EQ(s.outliers, 1);
  EXPECT_EQ(s.most, 9);
  EXPECT_EQ(summarise(std::vector<double>{}).median, 0);
  EXPECT_EQ(time_text(0.0423), "42.3 µs");
  EXPECT_EQ(time_text(12), "12 ms");
}

TEST(Timing, RunsAloneAreAPictureToo) {
  Fixture f = strided_copy(2);
  f.sweep.series.clear();
  const Scene scene = lay_out("timing", f.input());
  EXPECT_THAT(scene.title, HasSubstr("How long"));
  EXPECT_EQ(scene.evidence, Evidence::Measured);
  int outliers = 0, dots = 0;
  for (const Shape& s : scene.shapes) {
    dots += s.id.starts_with("run.") ? 1 : 0;
    outliers += s.id.starts_with("run.") && (s.kind == ShapeKind::Polygon || s.stroke_width > 0) ? 1 : 0;
  }
  EXPECT_EQ(dots, 300);
  EXPECT_GE(outliers, 4);
}

TEST(Timing, TransfersGrowOverSizesThatDouble) {
  Sweep sweep;
  sweep.x_name = "bytes";
  sweep.x_now = 1 << 20;
  sweep.log_x = true;
  SweepSeries pageable{"pageable", "GB/s", Evidence::Measured, {}},
      pinned{"pinned", "GB/s", Evidence::Measured, {}};
  for (double bytes = 4096; bytes <= 1 << 28; bytes *= 4) {
    pageable.points.push_back({bytes, 12 * bytes / (bytes + 2e5), 0, 0});
    pinned.points.push_back({bytes, 55 * bytes / (bytes + 5e5), 0, 0});
  }
  sweep.series = {pageable, pinned};
  ViewInput input;
  input.sweep = &sweep;
  const Scene scene = lay_out("timing", input);
  EXPECT_THAT(scene.title, HasSubstr("How fast do bytes travel"));
  EXPECT_THAT(scene.answer, HasSubstr("GB/s"));
  EXPECT_EQ(shape(scene, "right.0"), nullptr);  // both are rates: one axis
}

// Both counts are read against the numbers on the right: what is half of the other stands half as high.
TEST(Timing, CountsShareTheScaleOnTheRight) {
  Sweep sweep;
  sweep.x_name = "values";
  sweep.x_now = 2;
  sweep.series = {{"time", "ms", Evidence::Measured, {{1, 1, 1, 1}, {2, 2, 2, 2}}},
                  {"sectors", "", Evidence::Counted, {{1, 4, 4, 4}, {2, 4, 4, 4}}},
                  {"passes", "", Evidence::Counted, {{1, 1, 1, 1}, {2, 2, 2, 2}}}};
  ViewInput input;
  input.sweep = &sweep;
  const Scene scene = lay_out("timing", input);
  const auto height_of = [&](const char* tip) {
    for (const Shape& s : scene.shapes)
      if (s.tooltip.find(tip) != std::string::npos) return s.box.y + s.box.height / 2;
    return 0.0f;
  };
  const Shape* const zero = shape(scene, "right.0");
  ASSERT_NE(zero, nullptr);
  const float base = zero->box.y + zero->box.height / 2;
  const float sectors = height_of("values 2\nsectors 4"), passes = height_of("values 2\npasses 2");
  ASSERT_GT(sectors, 0);
  ASSERT_GT(passes, 0);
  EXPECT_NEAR((base - passes) / (base - sectors), 0.5, 0.03);
}

// The number beside the title is of a value that has a point, and says of which.
TEST(Timing, AValueBetweenThePointsIsNotGivenTheTimeOfItsNeighbour) {
  Sweep sweep;
  sweep.x_name = "elements";
  sweep.x_now = 1000;
  sweep.series = {{"time", "ms", Evidence::Measured, {{512, 1, 1, 1}, {1024, 2, 2, 2}}}};
  ViewInput input;
  input.sweep = &sweep;
  const auto says = [&](const char* what) {
    const Scene scene = lay_out("timing", input);
    return std::any_of(scene.shapes.begin(), scene.shapes.end(),
                       [&](const Shape& s) { return s.text.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(says("elements = 1,024, the nearest"));
  EXPECT_FALSE(says("elements = 1,000"));
  sweep.x_now = 512;
  EXPECT_TRUE(says("elements = 512"));
  EXPECT_FALSE(says("nearest"));
}

// Where the points of a curve of times stand, from the left of the picture.
std::vector<float> points_along(const Sweep& sweep) {
  ViewInput input;
  input.sweep = &sweep;
  std::vector<float> at;
  for (const Shape& s : lay_out("timing", input).shapes)
    if (s.tooltip.find("\ntime ") != std::string::npos && s.kind == ShapeKind::Disc)
      at.push_back(s.box.x + s.box.width / 2);
  return at;
}

// Every value of a slider that doubles stands as far from the next, and is a number on the axis.
TEST(Timing, ValuesThatDoubleAreSpreadEvenly) {
  Sweep sweep;
  sweep.x_name = "indices";
  sweep.x_now = 64;
  sweep.series = {{"time", "ms", Evidence::Measured, {}}};
  for (double x = 1; x <= 256; x *= 2) sweep.series[0].points.push_back({x, 1, 1, 1});
  std::vector<float> at = points_along(sweep);
  ASSERT_GE(at.size(), 9u);
  EXPECT_NEAR(at[1] - at[0], at[8] - at[7], 0.5);
  sweep.series[0].points = {{1, 1, 1, 1}, {2, 1, 1, 1}, {3, 1, 1, 1}, {4, 1, 1, 1}, {64, 1, 1, 1}};
  at = points_along(sweep);
  ASSERT_GE(at.size(), 5u);
  EXPECT_GT(at[4] - at[3], 10 * (at[1] - at[0])) << "what does not double keeps its distances";
}

// Seen: the recording of `copy` has 33 points up to 2^20 elements and one of 2^25.
TEST(Timing, PointsThatAreDenseWhereLaunchesAreSmallDoNotCrowd) {
  Sweep sweep;
  sweep.x_name = "elements";
  sweep.x_now = 262144;
  sweep.series = {{"time", "ms", Evidence::Measured, {}}};
  for (double x = 1024; x <= 1048576; x += 32736) sweep.series[0].points.push_back({x, 1, 1, 1});
  sweep.series[0].points.push_back({33554432, 1, 1, 1});
  std::vector<float> at = points_along(sweep);
  std::ranges::sort(at);
  ASSERT_GE(at.size(), 34u);
  EXPECT_GT(at[at.size() - 2] - at[0], at.back() - at[at.size() - 2])
      << "three decades and a half, and one and a half";
}

TEST(Timing, ShortTimesHaveAnAxisInMicroseconds) {
  Sweep sweep;
  sweep.x_name = "stride";
  sweep.x_now = 2;
  sweep.series = {{"time", "ms", Evidence::Measured, {{1, 0.0042, 0.004, 0.005}, {2, 0.0063, 0.006, 0.007}}}};
  ViewInput input;
  input.sweep = &sweep;
  const Scene scene = lay_out("timing", input);
  EXPECT_EQ(scene.answer, "6.3 µs");
  EXPECT_EQ(shape(scene, "legend.0.name")->text, "time, µs");
  sweep.series[0].points[1].high = 1.2;
  EXPECT_EQ(shape(lay_out("timing", input), "legend.0.name")->text, "time, ms");
}

// On an even axis all but the last of such times would lie on the ground.
TEST(Timing, TimesOverDecadesOfADoublingSliderStandOnDecades) {
  Sweep sweep;
  sweep.x_name = "words";
  sweep.x_now = 4096;
  SweepSeries time{"time", "ms", Evidence::Measured, {}}, sectors{"sectors", "", Evidence::Counted, {}};
  double ms = 0.004;
  for (double x = 4096; x <= 131072; x *= 2, ms *= 3) {
    time.points.push_back({x, ms, ms, ms});
    sectors.points.push_back({x, 4, 4, 4});
  }
  sweep.series = {time, sectors};
  ViewInput input;
  input.sweep = &sweep;
  const Scene scene = lay_out("timing", input);
  EXPECT_EQ(shape(scene, "legend.0.name")->text, "← time, µs");
  const auto y = [&](const char* id) { return shape(scene, id)->box.y; };
  EXPECT_NEAR(y("time.y.1") - y("time.y.10"), y("time.y.10") - y("time.y.100"), 0.1f);
  // What has a scale of its own is even on it: all of it at one height.
  std::vector<float> dots;
  for (const Shape& s : scene.shapes)
    if (s.kind == ShapeKind::Disc && s.tooltip.find("sectors") != std::string::npos) dots.push_back(s.box.y);
  ASSERT_EQ(dots.size(), 6u);
  for (const float dot : dots) EXPECT_NEAR(dot, dots.front(), 0.1f);
  EXPECT_LT(dots.front(), y("time.y.100"));
}

TEST(Streams, SaysWhatOverlapGives) {
  const Fixture f = strided_copy(2);
  const Scene scene = lay_out("streams", f.input());
  EXPECT_EQ(scene.evidence, Evidence::Measured);
  EXPECT_THAT(scene.answer, HasSubstr("× as fast"));
  EXPECT_THAT(scene.transcript, HasSubstr("engines work at once"));
  const Scene alone = lay_out("streams", strided_copy(1).input());
  EXPECT_THAT(alone.transcript, HasSubstr("Everything waits"));
  StreamTimeline hostile;
  hostile.spans = {{StreamWork::CopyIn, -4, 0, 3, 1}, {StreamWork::CopyOut, 900, 0, 0, 1e300}};
  ViewInput input;
  input.streams = &hostile;
  lay_out("streams", input);
}

}  // namespace
}  // namespace warplens::visual
