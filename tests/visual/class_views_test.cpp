// The views a class is shown: the block cut into warps, the matrices under a tile, every warp of a launch,
// the variants of a choice, and what went wrong.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "tests/visual/fixtures.h"
#include "visual/export.h"
#include "visual/grid_heat.h"
#include "visual/matrix_shapes.h"
#include "visual/thread_fit.h"
#include "visual/view.h"

namespace warplens::visual {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::array<Size, 4> kClassSizes{{{640, 360}, {800, 640}, {1280, 720}, {2560, 1440}}};

// Laid out in both languages and all sizes without a flaw; returns the one of 1280 x 720 in English.
Scene lay_out(const char* view, const ViewInput& input) {
  for (const char* language : {"en", "zh"})
    for (const Size size : kClassSizes) {
      const Scene scene = find_view(view)->layout({size, catalogue(language), cairo_text_measure()}, input);
      EXPECT_THAT(find_layout_problems(scene, cairo_text_measure()), IsEmpty())
          << view << " at " << size.width << " in " << language;
    }
  return find_view(view)->layout({{1280, 720}, catalogue("en"), cairo_text_measure()}, input);
}

std::size_t count(const Scene& scene, const std::string& begin) {
  return static_cast<std::size_t>(std::count_if(scene.shapes.begin(), scene.shapes.end(),
                                                [&](const Shape& s) { return s.id.starts_with(begin); }));
}

Scene threads_of(Dim3 block, Selection selection = {}) {
  analysis::Report report;
  report.launch.block = block;
  ViewInput input;
  input.report = &report;
  input.selection = selection;
  return lay_out("threads", input);
}

TEST(ThreadsView, NumbersThreadsWithXRunningFastest) {
  Selection chosen;
  chosen.warp = 1;
  chosen.lane = 5;
  const Scene scene = threads_of({8, 32, 1}, chosen);
  EXPECT_EQ(scene.answer, "8 warps");
  const Shape* thread = shape(scene, "thread.37");  // (5, 4): 5 + 8 * 4
  ASSERT_TRUE(thread);
  EXPECT_EQ(thread->target.warp, 1u);
  EXPECT_EQ(thread->target.lane, 5);
  EXPECT_THAT(thread->tooltip, HasSubstr("(5,4,0)"));
  EXPECT_THAT(scene.transcript, HasSubstr("5 + 8·4 = 37"));
  // A warp is 8 wide and 4 high: no cut inside of a row, one every 4 rows.
  EXPECT_EQ(count(scene, "cut.x."), 0u);
  EXPECT_EQ(count(scene, "cut.y."), 7u * 8u);
}

TEST(ThreadsView, ARaggedBlockHasIdleLanes) {
  const Scene scene = threads_of({20, 10, 1});
  EXPECT_EQ(scene.answer, "7 warps");
  EXPECT_TRUE(scene.answer_is_worse);
  const Scene last = threads_of({20, 10, 1}, [] {
    Selection s;
    s.warp = 6;
    return s;
  }());
  ASSERT_TRUE(shape(last, "lane.8"));
  EXPECT_TRUE(shape(last, "lane.8")->dashed) << "200 threads: the last warp has 8";
  EXPECT_FALSE(shape(last, "lane.7")->dashed);
}

TEST(ThreadsView, ThreeDimensionsAreSheets) {
  const Scene scene = threads_of({4, 4, 4});
  EXPECT_EQ(count(scene, "sheet."), 4u);
  ASSERT_TRUE(shape(scene, "thread.63"));
  EXPECT_THAT(shape(scene, "thread.63")->tooltip, HasSubstr("(3,3,3)"));
  threads_of({1024, 1, 1});
  threads_of({1, 1, 64});
}

// A block of 16 x 16 loads a tile of a, 24 x 20 floats, at column 16: twelve of its sixteen columns are
// beyond.
struct Tile {
  Tile() {
    trace::Site site;
    site.index = site.leader = 0;
    site.kind = trace::SiteKind::Load;
    site.space = trace::Space::Global;
    site.bytes = site.executed_bytes = 4;
    site.line = 12;
    trace::Recorder recorder({});
    recorder.on_block_begin(0);
    for (const std::uint32_t first : {0u, 16u}) {
      for (std::uint32_t warp = 0; warp < 8; ++warp) {
        std::uint64_t addresses[32] = {};
        trace::Access access;
        access.site = 0;
        access.warp = {0, warp};
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          const std::uint32_t column = first + lane % 16, row = 2 * warp + lane / 16;
          if (column >= 20) continue;
          access.active |= 1u << lane;
          addresses[lane] = 4096 + 4 * (row * 20 + column);
        }
        access.addresses = addresses;
        recorder.on_access(access);
      }
      for (std::uint32_t warp = 0; warp < 8; ++warp)
        recorder.on_barrier({0, {0, warp}, kFullMask, trace::Barrier::Phase::Arrive, 0});
    }
    recorder.on_block_end(0);
    trace = recorder.take();
    trace.sites = {site};
    trace.launch.block = {16, 16, 1};
    trace.buffers.push_back({0, "a", 4096, 24 * 20 * 4, trace::ElementType::F32});
    report.launch = trace.launch;
    report.sites = trace.sites;
    matrices = collect_matrices(trace, {{0, "a", 4096, 4, 20, 24, false, {}, 0}});
    input.report = &report;
    input.trace = &trace;
    input.matrices = &matrices;
  }
  trace::Trace trace;
  analysis::Report report;
  MatrixShapes matrices;
  ViewInput input;
};

TEST(MatrixView, PhasesLieBetweenBarriers) {
  const Tile t;
  ASSERT_EQ(t.matrices.accesses.size(), 16u);
  EXPECT_EQ(t.matrices.accesses.front().phase, 0u);
  EXPECT_EQ(t.matrices.accesses.back().phase, 1u);
  ASSERT_EQ(t.matrices.blocks.size(), 1u);
  EXPECT_EQ(t.matrices.blocks[0].phases, 3u);
  EXPECT_EQ(t.matrices.all[0].touches[19], 1u);
  EXPECT_EQ(t.matrices.all[0].touches[16 * 20], 0u) << "row 16 is of another block";
}

TEST(MatrixView, ShowsLanesTileAndWhatLiesBeyondTheEdge) {
  Tile t;
  t.input.cursor.step = t.matrices.accesses[8 + 3].step;  // second phase, warp 3: rows 6 and 7
  const Scene scene = lay_out("matrix", t.input);
  EXPECT_TRUE(shape(scene, "lane.0.6.16"));
  EXPECT_TRUE(shape(scene, "lane.19.7.19"));
  EXPECT_EQ(count(scene, "beyond."), 24u) << "twelve columns in each of two rows";
  EXPECT_TRUE(shape(scene, "beyond.4"));
  EXPECT_THAT(shape(scene, "beyond.4")->tooltip, HasSubstr("a[6][20]"));
  EXPECT_TRUE(shape(scene, "matrix.a.tile.15.16")) << "the block's tile in this phase";
  EXPECT_FALSE(shape(scene, "matrix.a.tile.0.0")) << "that was the phase before";
  EXPECT_EQ(scene.answer, "1× each");
  EXPECT_THAT(scene.transcript, HasSubstr("rows 6–7, columns 16–19"));
}

// In a wide pane the elements around the access fill the room that a narrow tile would leave.
TEST(MatrixView, TheCloseUpFillsAWidePane) {
  Tile t;
  t.input.cursor.step = t.matrices.accesses[3].step;
  // The same tile in a matrix of 512 columns, which leaves no room at its full height.
  t.matrices.all[0].columns = 512;
  t.matrices.all[0].rows = 256;
  t.matrices.all[0].touches.assign(512 * 256, 0);
  t.trace.buffers[0].bytes = 512 * 256 * 4;
  const Size wide{2400, 720};
  const Scene scene = find_view("matrix")->layout({wide, catalogue("en"), cairo_text_measure()}, t.input);
  EXPECT_THAT(find_layout_problems(scene, cairo_text_measure()), IsEmpty());
  float right = 0, bottom = 0;
  for (const Shape& s : scene.shapes) {
    if (!s.id.starts_with("close_up.")) continue;
    right = std::max(right, s.box.right());
    bottom = std::max(bottom, s.box.bottom());
  }
  EXPECT_GT(right, 0.85f * wide.width);
  EXPECT_GT(bottom, 0.6f * wide.height);
}

// Seen: a block of a transpose was a speck in two matrices that had all the room.
TEST(MatrixView, WhereElementsAreSpecksThereIsACloseUp) {
  Tile t;
  t.input.cursor.step = t.matrices.accesses[3].step;
  t.matrices.all[0].columns = t.matrices.all[0].rows = 256;
  t.matrices.all[0].touches.assign(256 * 256, 0);
  t.trace.buffers[0].bytes = 256 * 256 * 4;
  MatrixShape out = t.matrices.all[0];
  out.name = "out";
  t.matrices.all.push_back(out);
  const Scene scene =
      find_view("matrix")->layout({{820, 560}, catalogue("en"), cairo_text_measure()}, t.input);
  EXPECT_THAT(find_layout_problems(scene, cairo_text_measure()), IsEmpty());
  EXPECT_GT(count(scene, "close_up."), 30u);
}

TEST(MatrixView, WithoutMatricesSaysWhatItNeeds) {
  Tile t;
  t.input.matrices = nullptr;
  EXPECT_FALSE(find_view("matrix")->applies(t.input));
  EXPECT_THAT(lay_out("matrix", t.input).transcript, HasSubstr("matrix"));
}

TEST(ThreadFit, FollowsRowsAndColumnsOrSaysNothing) {
  std::vector<ThreadPlace> known;
  for (std::uint32_t y = 0; y < 3; ++y)
    for (std::uint32_t x = 0; x < 4; ++x) known.push_back({{x, y, 0}, 5 + y, 32 + 2 * std::int64_t{x}});
  const auto fit = fit_threads(known);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->at({7, 10, 0}), (std::pair<std::int64_t, std::int64_t>{15, 46}));
  known.back().column = 1;
  EXPECT_FALSE(fit_threads(known)) << "a gather follows no rule";
  EXPECT_FALSE(fit_threads({}));
}

// A launch of 4 x 3 blocks of eight warps: block b makes b + 1 strided loads a warp, block 7 with eight
// lanes.
analysis::WarpTotalsCounter uneven_launch(const trace::Launch& launch) {
  trace::Site load;
  load.index = load.leader = 0;
  load.kind = trace::SiteKind::Load;
  load.space = trace::Space::Global;
  load.bytes = 4;
  analysis::WarpTotalsCounter counter({load});
  counter.keep_warps();
  counter.on_launch(launch, {});
  const auto fork = counter.fork();
  std::array<std::uint64_t, kWarpSize> addresses{};
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) addresses[lane] = 4096 + 32 * lane;
  trace::Access access;
  access.site = 0;
  access.addresses = addresses.data();
  for (std::uint64_t block = 0; block < 12; ++block)
    for (std::uint32_t warp = 0; warp < 8; ++warp) {
      access.warp = {block, warp};
      access.active = block == 7 ? 0xffu : kFullMask;
      for (std::uint64_t i = 0; i <= block; ++i) fork->on_access(access);
    }
  counter.join(*fork);
  return counter;
}

TEST(GridHeat, EveryWarpOfALaunchIsOnThePictureByEveryMeasure) {
  trace::Launch launch;
  launch.grid = {4, 3, 1};
  launch.block = {16, 16, 1};
  const analysis::WarpTotalsCounter counter = uneven_launch(launch);
  const auto counts = counter.warps();
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->of(5, 3).executions, 6u);
  EXPECT_EQ(counts->of(7, 0).lanes, 8u * 8u);
  EXPECT_EQ(counts->of(5, 3).sectors, 6u * 32u);
  EXPECT_EQ(counts->of(5, 3).sectors_ideal, 6u * 4u);
  EXPECT_EQ(counts->of(7, 3).sectors, 8u * 8u);
  const WarpTotals totals = sum_up(counts);
  const GridSum& work = totals.by(Measure::Instructions);
  EXPECT_DOUBLE_EQ(work.cost, 8 * 78);
  ASSERT_EQ(work.worst.size(), 16u);
  EXPECT_EQ(work.worst[0].block, 11u);
  const GridSum& sectors = totals.by(Measure::Sectors);
  EXPECT_DOUBLE_EQ(sectors.cost, static_cast<double>(counter.totals().global_load.sectors));
  EXPECT_DOUBLE_EQ(sectors.ideal, static_cast<double>(counter.totals().global_load.sectors_ideal));
  EXPECT_DOUBLE_EQ(sectors.most, 12 * 28);
  EXPECT_DOUBLE_EQ(totals.by(Measure::Wavefronts).cost, 0);

  Fixture f = divergent();
  f.report.launch = launch;
  ViewInput input = f.input();
  input.warp_totals = &totals;
  input.grid = nullptr;
  input.measure = Measure::Automatic;
  const Scene scene = lay_out("grid-overview", input);
  const auto cells = [](const Scene& of) {
    return std::count_if(of.shapes.begin(), of.shapes.end(), [](const Shape& s) {
      return s.id.starts_with("heat.") && s.kind == ShapeKind::Box;
    });
  };
  EXPECT_EQ(cells(scene), 96);
  EXPECT_THAT(scene.answer, HasSubstr("624")) << "of the whole launch, not of the traced block";
  input.measure = Measure::Sectors;
  const Scene by_sectors = lay_out("grid-overview", input);
  EXPECT_EQ(cells(by_sectors), 96);
  ASSERT_TRUE(shape(by_sectors, "heat.11.0") && shape(by_sectors, "legend.high"));
  EXPECT_EQ(shape(by_sectors, "heat.11.0")->fill.role, Role::Warn);
  EXPECT_THAT(shape(by_sectors, "heat.11.0")->tooltip, HasSubstr("384 sectors, 48 would do"));
  EXPECT_EQ(shape(by_sectors, "legend.high")->text, "336 sectors too many in a warp");
  input.measure = Measure::Wavefronts;
  EXPECT_EQ(shape(lay_out("grid-overview", input), "legend.high")->text, "every warp: 0 passes");
}

TEST(GridHeat, AMillionWarpsAreKeptAndDrawnAndMoreAreNot) {
  analysis::WarpTotalsCounter counter({});
  counter.keep_warps();
  trace::Launch launch;
  launch.block = {32, 1, 1};
  launch.grid = {1 << 20, 1, 1};
  counter.on_launch(launch, {});
  trace::Branch branch;
  branch.warp = {765'432, 0};
  branch.active = kFullMask;
  counter.on_branch(branch);
  ASSERT_TRUE(counter.warps());
  const WarpTotals totals = sum_up(counter.warps());
  Fixture f = divergent();
  f.report.launch = launch;
  ViewInput input = f.input();
  input.warp_totals = &totals;
  input.measure = Measure::Instructions;
  const Scene scene = lay_out("grid-overview", input);
  EXPECT_LT(scene.shapes.size(), 6000u);
  ASSERT_TRUE(shape(scene, "heat.765432.0")) << "the worst of a cell is what the cell shows";
  EXPECT_EQ(shape(scene, "heat.765432.0")->fill.alpha, 1.0f);
  launch.grid = {(1 << 20) + 1, 1, 1};
  counter.on_launch(launch, {});
  EXPECT_FALSE(counter.warps());
}

TEST(ChoiceBars, VariantsStandBesideEachOtherWithNames) {
  Sweep sweep;
  sweep.x_name = "tile";
  sweep.x_names = {"plain", "padded", "swizzled"};
  sweep.x_now = 1;
  sweep.series.push_back(
      {"time",
       "ms",
       Evidence::Measured,
       {{0, 0.024, 0.023, 0.026}, {1, 0.011, 0.0109, 0.0112}, {2, 0.011, 0.0109, 0.0111}}});
  sweep.series.push_back({"passes a request", "", Evidence::Counted, {{0, 32, 32, 32}, {1, 1, 1, 1}}});
  ViewInput input;
  input.sweep = &sweep;
  const Scene scene = lay_out("timing", input);
  EXPECT_EQ(scene.title, "Which is faster, by tile?");
  ASSERT_TRUE(shape(scene, "choice.2"));
  EXPECT_EQ(shape(scene, "choice.2")->text, "swizzled");
  ASSERT_TRUE(shape(scene, "bar.0.0") && shape(scene, "bar.0.1"));
  EXPECT_NEAR(shape(scene, "bar.0.0")->box.width / shape(scene, "bar.0.1")->box.width, 24.0 / 11, 0.05);
  EXPECT_THAT(shape(scene, "bar.0.0")->tooltip, HasSubstr("plain"));
  EXPECT_TRUE(shape(scene, "bar.1.2.none")) << "a variant that could not be counted has no bar";
}

// In a low pane no choice is missing without a word: the rows come closer, then a line counts those left out.
TEST(ChoiceBars, ALowPaneShowsAllOrSaysHowManyAreMissing) {
  Sweep sweep;
  sweep.x_name = "type";
  sweep.x_now = 4;
  sweep.series.push_back({"time", "ms", Evidence::Measured, {}});
  for (int i = 0; i < 5; ++i) {
    sweep.x_names.push_back("type " + std::to_string(i));
    sweep.series[0].points.push_back({static_cast<double>(i), 1, 1, 1});
  }
  ViewInput input;
  input.sweep = &sweep;
  const auto low_pane = [&] {
    const Scene scene =
        find_view("timing")->layout({{480, 190}, catalogue("en"), cairo_text_measure()}, input);
    EXPECT_THAT(find_layout_problems(scene, cairo_text_measure()), IsEmpty());
    return scene;
  };
  const Scene low = low_pane();
  EXPECT_TRUE(shape(low, "choice.0") && shape(low, "choice.4"));
  EXPECT_FALSE(shape(low, "choice.more"));
  EXPECT_TRUE(shape(low, "column.0.evidence"));
  // Where a name leaves its evidence no room in the same row, the evidence keeps its own.
  sweep.series[0].name = "how long every launch of this kernel takes from its beginning to its very end";
  EXPECT_TRUE(shape(low_pane(), "column.0.evidence"));
  sweep.series[0].name = "time";
  for (int i = 5; i < 12; ++i) {
    sweep.x_names.push_back("type " + std::to_string(i));
    sweep.series[0].points.push_back({static_cast<double>(i), 1, 1, 1});
  }
  sweep.x_now = 11;
  const Scene many = low_pane();
  EXPECT_TRUE(shape(many, "choice.11")) << "the present one is there";
  EXPECT_FALSE(shape(many, "choice.0"));
  ASSERT_TRUE(shape(many, "choice.more"));
  const auto rows = std::count_if(many.shapes.begin(), many.shapes.end(), [](const Shape& s) {
    return s.id.starts_with("choice.") && s.text.starts_with("type ");
  });
  EXPECT_THAT(shape(many, "choice.more")->text, HasSubstr(std::to_string(12 - rows)));
  EXPECT_LE(shape(many, "choice.more")->box.bottom(), 190);
}

TEST(ChoiceBars, TheLibraryIsALineAcrossTheTimes) {
  Sweep sweep;
  sweep.x_name = "step";
  sweep.x_names = {"naive", "tiled"};
  sweep.series.push_back({"time", "ms", Evidence::Measured, {{0, 4, 4, 4}, {1, 1, 1, 1}}});
  sweep.library = SweepSeries{"cuBLAS 13.0.2", "ms", Evidence::Measured, {{0, 0.5, 0, 0}, {1, 0.5, 0, 0}}};
  ViewInput input;
  input.sweep = &sweep;
  const Scene bars = lay_out("timing", input);
  ASSERT_TRUE(shape(bars, "library") && shape(bars, "library.name"));
  const float left = shape(bars, "bar.0.1")->box.x, one = shape(bars, "bar.0.1")->box.width;
  EXPECT_NEAR(shape(bars, "library")->points[0].x - left, one / 2, 1) << "on the scale of the bars";
  EXPECT_EQ(shape(bars, "library.name")->text, "cuBLAS 13.0.2 500 µs");

  sweep.x_names.clear();
  const Scene curves = lay_out("timing", input);
  EXPECT_EQ(shape(curves, "legend.1.name")->text, "cuBLAS 13.0.2, ms");
}

// Beside two counts it has its own name and its own ink, and goes no further than the times.
TEST(TimingView, TheLibraryIsNamedAsAFourthLine) {
  Sweep sweep;
  sweep.x_name = "tile width";
  sweep.series.push_back({"time", "ms", Evidence::Measured, {{4, 1.4, 0, 0}, {32, 0.24, 0, 0}}});
  sweep.series.push_back({"passes", "", Evidence::Counted, {{4, 1, 0, 0}, {32, 1, 0, 0}}});
  sweep.series.push_back({"sectors", "", Evidence::Counted, {{4, 4, 0, 0}, {32, 4, 0, 0}}});
  sweep.library = SweepSeries{
      "cuBLAS 13.0.2", "ms", Evidence::Measured, {{4, 0.06, 0, 0}, {32, 0.06, 0, 0}, {64, 0.06, 0, 0}}};
  ViewInput input;
  input.sweep = &sweep;
  const Scene curves = lay_out("timing", input);
  ASSERT_TRUE(shape(curves, "legend.3.name") && shape(curves, "legend.2") && shape(curves, "legend.3"));
  EXPECT_THAT(shape(curves, "legend.3.name")->text, HasSubstr("cuBLAS 13.0.2"));
  EXPECT_EQ(shape(curves, "legend.3")->stroke.role, Role::Text);
  EXPECT_NE(shape(curves, "legend.2")->stroke.role, Role::Text);
  for (const Shape& s : curves.shapes) EXPECT_NE(s.text, "60") << "the axis ends where the times end";
}

trace::Fault fault(trace::FaultKind kind, Message what) {
  trace::Fault f;
  f.kind = kind;
  f.line = 25;
  f.block = {1, 0, 0};
  f.thread = {7, 0, 0};
  f.what = std::move(what);
  return f;
}

class FaultsView : public testing::Test {
 protected:
  Scene draw() {
    input_.report = &report_;
    input_.trace = &trace_;
    return lay_out("faults", input_);
  }
  Scene draw_at(const Size& size) {
    return find_view("faults")->layout({size, catalogue("en"), cairo_text_measure()}, input_);
  }
  analysis::Report report_;
  trace::Trace trace_;
  ViewInput input_;
};

TEST_F(FaultsView, ARaceIsTwoAccessesAndTheBarrierBetween) {
  trace::Fault race =
      fault(trace::FaultKind::Race, {"fault.race",
                                     {{"doing", value_of(Key{"fault.doing.reads"})},
                                      {"place", value_of("tile[104]")},
                                      {"thread", value_of("(104,0,0)")},
                                      {"block", value_of("(1,0,0)")},
                                      {"other_doing", value_of(Key{"fault.doing.writes"})},
                                      {"line", value_of("line 24")},
                                      {"cure", value_of(Message{"fault.cure.syncthreads", {}})}}});
  race.other_line = 24;
  race.other_block = {1, 0, 0};
  race.other_thread = {104, 0, 0};
  report_.faults = {race};
  report_.faults_total = 12;
  const Scene scene = draw();
  EXPECT_EQ(scene.answer, "12 faults");
  ASSERT_TRUE(shape(scene, "missing.words"));
  EXPECT_EQ(shape(scene, "missing.words")->text, "missing here: __syncthreads()");
  EXPECT_EQ(shape(scene, "other.event")->target.line, 24);
  EXPECT_EQ(shape(scene, "this.event")->target.line, 25);
  EXPECT_THAT(shape(scene, "other.event.what.0")->text, HasSubstr("writes tile[104]"));
  EXPECT_THAT(scene.transcript, HasSubstr("__syncthreads()"));
  // Before a class the pane is low: the words leave the two lines their room, and nothing lies over another.
  const Scene low = draw_at({560, 270});
  for (const char* id : {"other.event", "this.event", "missing.chip", "other.event.what.0"})
    ASSERT_TRUE(shape(low, id)) << id;
  EXPECT_GE(shape(low, "other.event")->box.height, 24);
  EXPECT_LE(shape(low, "other.event")->box.bottom(), shape(low, "missing.chip")->box.y);
  EXPECT_LE(shape(low, "missing.chip")->box.bottom(), shape(low, "this.event")->box.y);
  EXPECT_LE(shape(low, "this.event")->box.bottom(), shape(low, "words")->box.y);
}

TEST_F(FaultsView, WhatIsOutOfBoundsLiesBesideItsBuffer) {
  trace_.buffers.push_back({1, "out", 8192, 1000 * 4, trace::ElementType::F32});
  trace::Fault past =
      fault(trace::FaultKind::OutOfBounds, {"fault.outside",
                                            {{"doing", value_of(Key{"fault.doing.writes"})},
                                             {"bytes", value_of(4)},
                                             {"where", value_of(Message{"fault.element.past",
                                                                        {{"index", value_of(1003)},
                                                                         {"name", value_of("out")},
                                                                         {"count", value_of(1000)},
                                                                         {"last", value_of(999)}}})}}});
  past.address = 8192 + 1003 * 4;
  report_.faults = {past};
  report_.faults_total = 1;
  const Scene scene = draw();
  EXPECT_EQ(scene.answer, "1 fault");
  ASSERT_TRUE(shape(scene, "landed") && shape(scene, "array"));
  EXPECT_GT(shape(scene, "landed")->box.x, shape(scene, "array")->box.right());
  EXPECT_THAT(shape(scene, "arrow.words")->text, HasSubstr("out[1003]"));
  EXPECT_EQ(shape(scene, "array.last")->text, "[999]");
}

TEST_F(FaultsView, ABarrierIsThoseWhoWaitAndThoseWhoNeverCome) {
  report_.faults = {
      fault(trace::FaultKind::DivergentBarrier,
            {"fault.and_more",
             {{"what", value_of(Message{"fault.barrier.not_all",
                                        {{"arrived", value_of(32)}, {"expected", value_of(128)}}})},
              {"lanes", value_of(15)}}})};
  report_.faults.push_back(
      fault(trace::FaultKind::UninitialisedRead, {"fault.unwritten", {{"place", value_of("tile[3]")}}}));
  report_.faults_total = 2;
  const Scene scene = draw();
  ASSERT_TRUE(shape(scene, "waiting") && shape(scene, "missing"));
  EXPECT_NEAR(shape(scene, "missing")->box.width / shape(scene, "waiting")->box.width, 3.0, 0.1);
  EXPECT_THAT(shape(scene, "missing.words")->text, HasSubstr("96 are elsewhere"));
  EXPECT_TRUE(shape(scene, "fault.1")) << "the other one is in the list";
}

TEST_F(FaultsView, AMisalignedAccessLiesAcrossABorder) {
  trace::Fault off = fault(trace::FaultKind::Misaligned, {"fault.misaligned",
                                                          {{"doing", value_of(Key{"fault.doing.reads"})},
                                                           {"bytes", value_of(16)},
                                                           {"address", value_of("0x84")}}});
  off.address = 0x84;
  report_.faults = {off};
  report_.faults_total = 1;
  const Scene scene = draw();
  ASSERT_TRUE(shape(scene, "access") && shape(scene, "border.1") && shape(scene, "cure"));
  const float cell = shape(scene, "border.2")->points[0].x - shape(scene, "border.1")->points[0].x;
  EXPECT_NEAR(shape(scene, "access")->box.width, cell, 1) << "as wide as the distance of the borders";
  EXPECT_NEAR(shape(scene, "access")->box.x - shape(scene, "border.1")->points[0].x, cell / 4, 1);
  EXPECT_EQ(shape(scene, "border.1.byte")->text, "128");
  EXPECT_THAT(shape(scene, "arrow.words")->text, HasSubstr("byte 132"));
  const auto says = [](const Scene& drawn, const char* what) {
    return std::any_of(drawn.shapes.begin(), drawn.shapes.end(),
                       [&](const Shape& s) { return s.text.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(says(scene, "4 bytes at a time")) << "what the address is a multiple of";
  report_.faults[0].address = 0x88;
  EXPECT_TRUE(says(draw(), "8 bytes at a time"));
}

TEST_F(FaultsView, ALoopWithoutAnEndIsItsLinesAndTheWayBack) {
  SourceText source;
  source.lines = {
      "__global__ void k(float* out) {", "  int i = 0;", "  while (i < 3) {", "    out[i] += 1;", "  }", "}"};
  input_.source = &source;
  trace::Fault loop =
      fault(trace::FaultKind::Deadlock,
            {"fault.and_more",
             {{"what", value_of(Message{"fault.no_way_out", {{"from", value_of(3)}, {"to", value_of(5)}}})},
              {"lanes", value_of(31)}}});
  loop.line = 3;
  report_.faults = {loop};
  report_.faults_total = 32;
  const Scene scene = draw();
  ASSERT_TRUE(shape(scene, "back") && shape(scene, "loop.3.code") && shape(scene, "loop.5.code"));
  EXPECT_EQ(shape(scene, "loop.3.code")->text, "while (i < 3) {");
  EXPECT_EQ(shape(scene, "back.words.0")->text, "no way leads out");
  EXPECT_FALSE(shape(scene, "loop.2.code"));
  const bool said =
      std::ranges::any_of(scene.shapes, [](const Shape& s) { return s.text == "endless loop"; });
  EXPECT_TRUE(said) << "and not a deadlock";
  // A low pane leaves out what is between.
  report_.faults[0].what.values[0].second =
      value_of(Message{"fault.goes_round", {{"from", value_of(1)}, {"to", value_of(6)}}});
  const Scene low = draw_at({700, 330});
  EXPECT_TRUE(shape(low, "loop.1.code") || !shape(low, "back"));
}

// Nothing says that it has no end: it is no fault, and drawn all the same.
TEST_F(FaultsView, ARunThatWasStoppedSaysWhereItWas) {
  SourceText source;
  source.lines = {"__global__ void k(float* out) {", "  while (f(out)) ++out[0];", "}"};
  input_.source = &source;
  report_.ending = analysis::Ending::Budget;
  report_.notes = {{"note.stood_in_loop", {{"line", value_of(2)}}}};
  const Scene scene = draw();
  EXPECT_TRUE(find_view("faults")->applies(input_));
  EXPECT_EQ(scene.answer, "It did not end");
  EXPECT_THAT(scene.transcript, HasSubstr("line 2"));
  EXPECT_THAT(scene.transcript, HasSubstr("nothing proves either"));
  ASSERT_TRUE(shape(scene, "loop.2.code"));
  report_.notes.clear();
  EXPECT_EQ(draw().answer, "It did not end");
}

TEST_F(FaultsView, WithoutFaultsSaysWhatWasLookedFor) {
  EXPECT_THAT(draw().transcript, HasSubstr("No fault"));
  EXPECT_FALSE(find_view("faults")->applies(input_));
}

}  // namespace
}  // namespace warplens::visual
