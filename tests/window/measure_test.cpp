// Measured time in the window, live on a GPU that the test plays, or plainly not at all.
#include <gmock/gmock.h>

#include <set>

#include "tests/window/workbench_fixture.h"
#include "visual/export.h"

namespace warplens::window {
namespace {

using testing::english;
using ::testing::HasSubstr;
using testing::WorkbenchTest;

std::vector<std::string> keys_of(const std::vector<Headline>& figures) {
  std::vector<std::string> keys;
  for (const Headline& f : figures) keys.push_back(f.name_key);
  return keys;
}

TEST_F(WorkbenchTest, WithoutGpuAndRecordingNothingPretendsToBeMeasured) {
  bench_->open_kernel("strided");
  settle();
  EXPECT_TRUE(bench_->measurement().on.empty());
  for (const Headline& f : bench_->figures()) EXPECT_NE(f.evidence, Evidence::Measured);
}

class GpuTest : public WorkbenchTest {
 protected:
  Engine make_engine() override { return testing::engine_with_gpu(calls_); }
};

TEST_F(GpuTest, AGpuThatIsThereTimesTracesAndSweeps) {
  bench_->open_kernel("strided");
  settle();
  EXPECT_EQ(bench_->backend().kind, Backend::Kind::Gpu);
  const Measurement& m = bench_->measurement();
  ASSERT_TRUE(m.timing);
  EXPECT_DOUBLE_EQ(m.timing->median, 0.002);
  EXPECT_EQ(report().backend, trace::Backend::Gpu)
      << "what the warps did on the hardware takes the emulator's place";
  ASSERT_EQ(m.points.size(), 16u);
  EXPECT_DOUBLE_EQ(m.points[9].median, 0.010);
  EXPECT_EQ(keys_of(bench_->figures())[2], "window.figure.time");
  const auto sweep = bench_->sweep(english());
  ASSERT_TRUE(sweep);
  ASSERT_EQ(sweep->series.size(), 2u);
  EXPECT_EQ(sweep->series[0].evidence, Evidence::Measured);
  EXPECT_EQ(sweep->series[0].unit, "ms");
  EXPECT_TRUE(is_counted(sweep->series[1].evidence));
  EXPECT_EQ(sweep->runs.size(), 10u);
}

// The hardware recorded one block; the grid is every warp's all the same, and says who counted them.
TEST_F(GpuTest, EveryWarpIsCountedBesideAPictureOfTheHardware) {
  bench_->open_kernel("strided");
  settle();
  ASSERT_EQ(report().backend, trace::Backend::Gpu);
  const auto& data = *bench_->picture()->data;
  ASSERT_TRUE(data.warps);
  EXPECT_EQ(data.warps->counts->all.size(), 64u);
  EXPECT_TRUE(data.warps->emulated);
  const auto text = Catalogue::load("en");
  ASSERT_TRUE(text);
  const visual::Scene grid = bench_->composition(*text).lay_out(
      *visual::find_view("grid-overview"), {1200, 700}, *text, visual::cairo_text_measure());
  EXPECT_THAT(visual::to_text(grid), ::testing::HasSubstr("64 warps, counted in the emulator"));
}

TEST_F(GpuTest, TheSweptSliderMovesOnTheSameCurve) {
  bench_->open_kernel("strided");
  settle();
  const int before = calls_.timings;
  bench_->set_value("stride", 8);
  settle();
  EXPECT_EQ(calls_.timings, before + 1);
  EXPECT_DOUBLE_EQ(bench_->measurement().timing->median, 0.008);
  EXPECT_EQ(bench_->measurement().points.size(), 16u);
  bench_->set_value("blocks", 8);
  settle();
  EXPECT_GT(calls_.timings, before + 10) << "another slider makes another curve";
}

// As fast as a hand moves: while whole launches are still being counted, times keep coming.
TEST_F(GpuTest, TimeFollowsASliderThatMoves) {
  bench_->open_kernel("strided");
  settle();
  calls_.delay_ms = 200;  // no picture before the hand has moved on
  calls_.timing_ms = 100;
  std::set<std::string> seen;
  for (int frame = 0; frame < 60; ++frame) {
    bench_->set_value("stride", 2 + frame / 4);
    bench_->tick(0);
    const auto figures = bench_->figures();
    ASSERT_GT(figures.size(), 2u);
    const Headline& time = figures[2];
    ASSERT_EQ(time.name_key, "window.figure.time");
    EXPECT_FALSE(time.missing) << "the time never goes away";
    seen.insert(time.value);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GE(seen.size(), 3u);
  EXPECT_GE(calls_.glimpses, 3);
  settle();
  const Headline time = bench_->figures()[2];
  EXPECT_FALSE(time.provisional);
  EXPECT_EQ(time.value, "16 µs");
  EXPECT_FALSE(bench_->measurement().nearby);
}

// A slow hand: the picture of one value is there when the next value has been set.
TEST_F(GpuTest, APictureThatComesLateIsNotTimedForTheValuesOfNow) {
  bench_->open_kernel("strided");
  settle();
  bench_->set_value("stride", 8);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  calls_.delay_ms = 300;
  bench_->set_value("stride", 16);
  settle();
  ASSERT_TRUE(bench_->measurement().timing);
  EXPECT_DOUBLE_EQ(bench_->measurement().timing->median, 0.016);
  EXPECT_EQ(bench_->figures()[2].value, "16 µs");
}

TEST_F(GpuTest, AGlimpseSaysOfWhatItIs) {
  bench_->open_kernel("strided");
  settle();
  calls_.delay_ms = 300;
  bench_->set_value("stride", 8);
  const auto detail = [&] { return english().text(bench_->figures()[2].detail); };
  EXPECT_EQ(detail(), "at stride 2, 10 runs") << "what was open just before, until there is something newer";
  for (int i = 0; i < 2000 && calls_.glimpses == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (int i = 0; i < 200 && detail() != "8 runs, exact soon"; ++i) {
    bench_->tick(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(detail(), "8 runs, exact soon");
  EXPECT_EQ(bench_->figures()[2].value, "8 µs");
  bench_->set_value("stride", 9);
  EXPECT_EQ(detail(), "at stride 8, 8 runs");
}

// ---- side A ----

std::string time_of(const Pinned& side) {
  Headline time{"window.figure.time", "", {"", {}}, false, Evidence::Measured, ""};
  const std::optional<Headline> out = beside(time, side);
  return out ? out->value : "none";
}

TEST_F(GpuTest, BothSidesOfAComparisonAreTimed) {
  bench_->open_kernel("strided");
  settle();
  ASSERT_TRUE(bench_->compare_with("other", {{"stride", 4}}));
  settle();
  ASSERT_NE(bench_->pinned(), nullptr);
  EXPECT_EQ(time_of(*bench_->pinned()), "4 µs");
  EXPECT_TRUE(bench_->pinned()->picture.time) << "views have it as well";
  EXPECT_EQ(bench_->figures()[2].value, "2 µs");
  const int before = calls_.timings;
  for (int i = 0; i < 20; ++i) bench_->tick(i);
  settle();
  EXPECT_EQ(calls_.timings, before) << "once is enough";
}

TEST_F(GpuTest, SideAIsTimedAgainWhereItFollows) {
  bench_->open_kernel("strided");
  settle();
  bench_->compare();
  bench_->set_value("stride", 8);
  settle();
  EXPECT_EQ(time_of(*bench_->pinned()), "2 µs") << "it was there when it was pinned";
  bench_->set_value("blocks", 16);
  settle();
  EXPECT_EQ(time_of(*bench_->pinned()), "2 µs");
  EXPECT_EQ(bench_->pinned()->measurement.of.values.at("blocks"), 16);
  EXPECT_EQ(bench_->figures()[2].value, "8 µs");
}

// Pinned before the clock had an answer: it is asked for all the same.
TEST_F(GpuTest, SideAIsTimedThoughItWasPinnedEarly) {
  calls_.timing_ms = 400;
  bench_->open_kernel("strided");
  for (int i = 0; i < 5000 && !(bench_->picture() && bench_->picture()->whole); ++i) {
    bench_->tick(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  bench_->compare();
  ASSERT_FALSE(bench_->pinned()->measurement.timing);
  bench_->set_value("stride", 8);
  calls_.timing_ms = 1;
  settle();
  EXPECT_EQ(time_of(*bench_->pinned()), "2 µs");
  EXPECT_EQ(bench_->figures()[2].value, "8 µs");
}

TEST_F(GpuTest, BothSidesAreTimedWithTheSameL2) {
  bench_->open_kernel("strided");
  settle();
  bench_->compare();
  bench_->set_value("stride", 8);
  settle();
  bench_->set_cold(true);
  settle();
  EXPECT_TRUE(bench_->pinned()->measurement.cold);
  EXPECT_EQ(time_of(*bench_->pinned()), "2 µs");
  EXPECT_DOUBLE_EQ(bench_->pinned()->measurement.timing->high, 0.004) << "the flushed ones spread wider";
  bench_->choose_backend({});
  settle();
  EXPECT_EQ(time_of(*bench_->pinned()), "none") << "nobody measures any more";
}

TEST_F(GpuTest, ASideAThatFaultsSaysSoOnce) {
  bench_->open_kernel("strided");
  settle();
  calls_.faults = true;
  ASSERT_TRUE(bench_->compare_with("other"));
  settle();
  ASSERT_NE(bench_->pinned(), nullptr);
  EXPECT_EQ(time_of(*bench_->pinned()), "none");
  EXPECT_EQ(bench_->pinned()->measurement.reason.key, "window.time.failed");
  EXPECT_EQ(bench_->figures()[2].value, "2 µs") << "what was measured of B stays";
  const int before = calls_.timings;
  settle();
  EXPECT_EQ(calls_.timings, before);
}

// A time that stands there until the real one comes is of other values than A's.
TEST_F(GpuTest, AProvisionalTimeShowsNoA) {
  bench_->open_kernel("strided");
  settle();
  bench_->compare();
  ASSERT_TRUE(beside(bench_->figures()[2], *bench_->pinned()));
  calls_.delay_ms = 300;
  bench_->set_value("stride", 8);
  bench_->tick(0);
  const Headline time = bench_->figures()[2];
  ASSERT_TRUE(time.provisional);
  EXPECT_FALSE(beside(time, *bench_->pinned()));
  settle();
  EXPECT_TRUE(beside(bench_->figures()[2], *bench_->pinned()));
}

// Nothing of the text before: an edit is measured when it has been compiled.
TEST_F(GpuTest, AnEditHasNoTimeUntilItIsMeasured) {
  bench_->open_kernel("strided");
  settle();
  const int before = calls_.glimpses;
  bench_->set_text("__global__ edited", 1);
  bench_->set_value("stride", 4);
  EXPECT_EQ(calls_.glimpses, before);
  EXPECT_FALSE(bench_->measurement().nearby);
  settle(9);
  EXPECT_TRUE(bench_->measurement().timing);
}

TEST_F(GpuTest, AnotherKernelOfTheSameTextIsMeasuredForItself) {
  bench_->open_kernel("strided");
  settle();
  const int before = calls_.timings;
  bench_->open_kernel("other");
  EXPECT_FALSE(bench_->measurement().timing);
  EXPECT_TRUE(bench_->measurement().points.empty());
  settle();
  EXPECT_GT(calls_.timings, before + 10);
}

TEST_F(GpuTest, AFaultIsAMessageAndTheNextRunWorks) {
  bench_->open_kernel("strided");
  settle();
  calls_.faults = true;
  bench_->set_value("stride", 4);
  settle();
  EXPECT_FALSE(bench_->measurement().timing);
  EXPECT_THAT(english().text(bench_->measurement().reason), HasSubstr("illegal address"));
  ASSERT_NE(bench_->picture(), nullptr);
  EXPECT_EQ(bench_->picture()->of.values.at("stride"), 4) << "the emulator's picture is there all the same";
  calls_.faults = false;
  bench_->measure_again();
  settle();
  EXPECT_TRUE(bench_->measurement().timing);
  EXPECT_TRUE(bench_->measurement().reason.key.empty());
}

TEST_F(GpuTest, AnotherBlockIsNoReasonToMeasureAgain) {
  bench_->open_kernel("strided");
  settle();
  const int before = calls_.timings;
  visual::Target block;
  block.block = 7;
  bench_->select(block);
  settle();
  EXPECT_EQ(calls_.timings, before);
  EXPECT_TRUE(bench_->measurement().timing);
}

TEST_F(GpuTest, MeasuringCanBeStoppedAndKeepsWhatIsThere) {
  calls_.timing_ms = 20;
  bench_->open_kernel("strided");
  for (int i = 0; i < 5000 && bench_->measurement().points.empty(); ++i) {
    bench_->tick(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  bench_->cancel_measuring();
  settle();
  EXPECT_TRUE(bench_->measurement().timing);
  EXPECT_LT(bench_->measurement().points.size(), 16u);
  EXPECT_FALSE(bench_->measuring());
}

TEST_F(GpuTest, CountersAreReadBesideTheCountsAndSayWhereTheyComeFrom) {
  bench_->open_kernel("strided");
  settle();
  EXPECT_EQ(calls_.readings, 1);
  const Composition now = bench_->composition(english());
  ASSERT_TRUE(now.b.counters);
  const visual::HardwareCounters& counters = *now.b.counters;
  ASSERT_EQ(counters.lines.size(), 2u);
  for (const visual::CounterLine& line : counters.lines) {
    ASSERT_TRUE(line.counted) << line.metric;
    EXPECT_TRUE(line.agrees()) << line.metric;
  }
  ASSERT_EQ(counters.stalls.size(), 1u);
  EXPECT_EQ(counters.stalls[0].reason, "long_scoreboard");
  EXPECT_THAT(counters.note, HasSubstr("NVIDIA H200"));
  EXPECT_FALSE(counters.coming);
}

TEST_F(GpuTest, CountersThatAreLookedAtComeBeforeTheCurve) {
  calls_.timing_ms = 5;
  bench_->open_kernel("strided");
  bench_->keep_views({"counters", "stalls"});
  for (int i = 0; i < 5000 && bench_->measurement().counters.empty(); ++i) {
    bench_->tick(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(bench_->measurement().counters.empty());
  EXPECT_LT(bench_->measurement().points.size(), 16u);
  settle();
  EXPECT_EQ(bench_->measurement().points.size(), 16u);
  EXPECT_EQ(calls_.readings, 1);
}

TEST_F(GpuTest, WithoutPermissionTheUserIsToldWhatToDoAndNotAskedAgain) {
  calls_.no_permission = true;
  bench_->open_kernel("strided");
  settle();
  const Composition now = bench_->composition(english());
  ASSERT_TRUE(now.b.counters);
  EXPECT_THAT(now.b.counters->missing, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_TRUE(bench_->measurement().timing) << "everything else works";
  EXPECT_EQ(bench_->measurement().points.size(), 16u);
  bench_->set_value("stride", 8);
  settle();
  EXPECT_EQ(calls_.readings, 1) << "what is refused once is refused always";
  EXPECT_THAT(bench_->composition(english()).b.counters->missing, HasSubstr("ERR_NVGPUCTRPERM"));
  calls_.no_permission = false;
  bench_->measure_again();
  settle();
  EXPECT_FALSE(bench_->measurement().counters.empty());
}

TEST(CountersRefusal, NamesWhatIsMissing) {
  EXPECT_EQ(counters_refusal(gpu::counters_error(35, "x")).key, "gpu.counters.no_permission");
  EXPECT_EQ(counters_refusal(gpu::counters_error(40, "x")).key, "gpu.counters.no_permission");
  EXPECT_EQ(counters_refusal(gpu::counters_error(999, "x")).key, "gpu.counters.failed");
  EXPECT_EQ(counters_refusal({ErrorKind::System, "it is gone", {}, {}}).key, "gpu.counters.unread");
}

// A gallery in which the kernels are about copies and about streams.
class CopiesTest : public GpuTest {
 protected:
  void open(const char* kind) {
    auto devices = analysis::DeviceCatalogue::load();
    ASSERT_TRUE(devices);
    model::Gallery gallery = testing::gallery(file_);
    gallery.kernels[0].kind = kind;
    bench_.emplace(gallery, std::move(*devices), make_engine(), [] {});
    bench_->open_kernel("strided");
    settle();
  }
};

TEST_F(CopiesTest, CopiesAreTimedOnceAndStreamsAtEachSetting) {
  open("transfers");
  auto now = bench_->composition(english());
  ASSERT_TRUE(now.transfers);
  EXPECT_EQ(now.transfers->series.size(), 1u);
  EXPECT_TRUE(now.transfers->to_device);
  EXPECT_THAT(now.transfers->note, HasSubstr("NVIDIA H200"));
  open("streams");
  EXPECT_EQ(bench_->composition(english()).streams->streams, 2);
  bench_->set_value("stride", 3);
  settle();
  EXPECT_EQ(bench_->composition(english()).streams->streams, 3);
}

TEST_F(GpuTest, WhatMakesATimeDoubtfulStandsBesideIt) {
  bench_->open_kernel("strided");
  settle();
  Measurement doubtful = bench_->measurement();
  doubtful.timing->warnings = {{"timing.launch_bound", {}}, {"timing.fits_in_l2", {}}};
  const auto figures = measured_figures(doubtful, nullptr);
  ASSERT_EQ(figures.size(), 1u);
  ASSERT_EQ(figures[0].doubts.size(), 2u);
  for (const char* language : {"en", "zh"})
    for (const char* key : {"launch_bound", "too_small", "fits_in_l2", "clock_changed", "wide_spread"})
      EXPECT_TRUE(Catalogue::load(language)->has(std::string("timing.") + key + "_short")) << language << key;
}

TEST_F(GpuTest, FlushedL2IsMeasuredAnewAndTheEmulatorMeasuresNothing) {
  bench_->open_kernel("strided");
  settle();
  const double warm = bench_->measurement().timing->high;
  bench_->set_cold(true);
  settle();
  EXPECT_GT(bench_->measurement().timing->high, warm);
  bench_->choose_backend({});
  settle();
  EXPECT_TRUE(bench_->measurement().on.empty());
  EXPECT_EQ(bench_->settings.runs_on, "emulator");
}

TEST(MeasuredFigures, RatesHaveThreeDigits) {
  EXPECT_EQ(rate_text(3.2e12), "3.20 TB/s");
  EXPECT_EQ(rate_text(5.4e10), "54 GB/s");
}

}  // namespace
}  // namespace warplens::window
