// Measured time in the window out of a recording: which GPU's, at which size, and that another value has
// none.
#include <gmock/gmock.h>

#include "tests/window/workbench_fixture.h"

namespace warplens::window {
namespace {

using testing::english;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::WorkbenchTest;

// A recording of the fake kernel at strides 1, 2 and 4, with counters at the values it starts with.
class RecordingTest : public WorkbenchTest {
 protected:
  Engine make_engine() override {
    Engine e = testing::engine(calls_);
    const model::GalleryKernel kernel = testing::gallery(file_).kernels[0];
    const auto text = read_text(file_);
    e.inventory = [kernel, text] {
      Inventory there;
      there.found.reason.message = "There is no NVIDIA driver on this machine.";
      model::Recording recording;
      recording.device.name = "NVIDIA H200";
      recording.date = "2026-11-20";
      recording.peak_bytes_per_second = 4e12;
      model::RecordedKernel k;
      k.id = kernel.id;
      k.source = model::source_hash(kernel, text ? *text : "");
      k.sliders = {"block", "blocks", "stride"};
      for (const std::int64_t stride : {1, 2, 4}) {
        model::RecordedPoint point;
        point.values = {64, 32, stride};
        point.warm.median = 0.01 * static_cast<double>(stride);
        point.warm.p5 = point.warm.median * 0.9;
        point.warm.p95 = point.warm.median * 1.1;
        point.warm.runs = 100;
        k.points.push_back(point);
      }
      k.counters.push_back({{64, 32, 2},
                            {{{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 512.0},
                              {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 256.0},
                              {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 64.0},
                              {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 64.0}},
                             0}});
      recording.kernels.push_back(k);
      there.recordings.all.push_back(recording);
      // Another GPU's, an older one: half as fast.
      recording.device.name = "NVIDIA H100 80GB HBM3";
      recording.date = "2026-11-10";
      for (model::RecordedPoint& point : recording.kernels[0].points) point.warm.median *= 2;
      there.recordings.all.push_back(recording);
      return there;
    };
    return e;
  }
  std::string reason() const { return bench_->measurement().reason.key; }
};

TEST_F(RecordingTest, EachRecordedGpuCanBeChosen) {
  bench_->open_kernel("strided");
  settle();
  const double newest = bench_->measurement().timing->median;
  bench_->choose_backend({Backend::Kind::Recording, 0, 1});
  settle();
  ASSERT_TRUE(bench_->measurement().timing);
  EXPECT_DOUBLE_EQ(bench_->measurement().timing->median, 2 * newest);
  EXPECT_EQ(english().text(bench_->measurement().evidence),
            "measured, on NVIDIA H100 80GB HBM3, recorded on 2026-11-10");
  EXPECT_EQ(bench_->device_name(), "H100 SXM") << "what is modelled is about that GPU";
  EXPECT_EQ(bench_->settings.runs_on, "recording of NVIDIA H100 80GB HBM3");
}

TEST_F(RecordingTest, PlaysWhatWasMeasuredAndSaysWhere) {
  bench_->open_kernel("strided");
  settle();
  EXPECT_EQ(bench_->backend().kind, Backend::Kind::Recording);
  const Measurement& m = bench_->measurement();
  ASSERT_TRUE(m.timing);
  EXPECT_DOUBLE_EQ(m.timing->median, 0.02);
  EXPECT_EQ(english().text(m.evidence), "measured, on NVIDIA H200, recorded on 2026-11-20");
  EXPECT_EQ(m.points.size(), 3u);
  const auto sweep = bench_->sweep(english());
  ASSERT_TRUE(sweep);
  EXPECT_THAT(sweep->note, HasSubstr("recorded on"));
  EXPECT_TRUE(sweep->runs.empty()) << "single runs are not recorded";
  const auto figures = bench_->figures();
  const auto sectors = std::ranges::find(figures, "window.figure.sectors", &Headline::name_key);
  ASSERT_NE(sectors, figures.end());
  EXPECT_EQ(sectors->value, "8.0");
  EXPECT_EQ(measured_value(*sectors, m.counters), "8.0") << "the counters of the loads, beside the loads";
}

TEST_F(RecordingTest, OtherValuesAndEditsSayPlainlyThatThereIsNone) {
  bench_->open_kernel("strided");
  settle();
  bench_->set_value("stride", 5);
  settle();
  EXPECT_FALSE(bench_->measurement().timing);
  EXPECT_EQ(reason(), "window.time.values_not_recorded");
  ASSERT_TRUE(bench_->measurement().nearest);
  EXPECT_EQ(bench_->measurement().nearest->at("stride"), 4);
  EXPECT_TRUE(bench_->measurement().counters.empty());
  ASSERT_TRUE(bench_->measurement().counted_at);
  EXPECT_EQ(bench_->measurement().counted_at->at("stride"), 2) << "where counters were recorded";
  const auto figures = bench_->figures();
  ASSERT_GT(figures.size(), 2u);
  EXPECT_EQ(figures[2].name_key, "window.figure.time");
  EXPECT_FALSE(figures[2].missing) << "the nearest recorded time is shown, and said to be one";
  EXPECT_TRUE(figures[2].provisional);
  EXPECT_EQ(figures[2].value, "40 µs");
  EXPECT_EQ(english().text(figures[2].detail), "recorded at stride 4");
  bench_->set_value("stride", 4);
  settle();
  EXPECT_TRUE(bench_->measurement().timing);
  EXPECT_TRUE(bench_->measurement().counters.empty()) << "counters were read at the first values only";
  bench_->set_text("__global__ edited", 1);
  settle(5);
  EXPECT_EQ(reason(), "window.time.edited");
  bench_->open_kernel("other");
  settle(9);
  EXPECT_EQ(reason(), "window.time.kernel_not_recorded");
}

TEST_F(RecordingTest, WhatTheClockNeedsIsPlayedAsThatAndHeldAgainstNoCount) {
  bench_->open_kernel("strided");
  settle();
  ASSERT_NE(bench_->recording(), nullptr);
  model::GalleryKernel kernel = *bench_->kernel();
  kernel.measure = {{"blocks", 32}};
  model::SliderValues values = model::default_values(kernel);
  values["blocks"] = 8;
  values["stride"] = 2;
  const auto bound = model::launch_of(kernel, values);
  ASSERT_TRUE(bound);
  const Measurement m =
      recorded(*bench_->recording(), kernel, *read_text(file_), values, bound->launch, "stride", false);
  EXPECT_FALSE(m.timing) << "no number of another size is that of the picture";
  ASSERT_TRUE(m.nearby && m.counted_at && m.curve_at);
  EXPECT_DOUBLE_EQ(m.nearby->median, 0.02);
  EXPECT_EQ(m.nearby->values.at("blocks"), 32);
  EXPECT_EQ(m.reason.key, "window.time.at_clock_size") << "nothing that anybody has to do something about";
  EXPECT_EQ(m.curve_at->at("blocks"), 32);
  EXPECT_EQ(m.points.size(), 3u);
  EXPECT_FALSE(m.counters.empty());
  EXPECT_EQ(m.counted_at->at("blocks"), 32);
  EXPECT_FALSE(m.counters_are_of_this());
}

// At the size of the picture all choices take an empty kernel's time: what is seen is the size of the clock.
TEST_F(RecordingTest, ACurveThatWouldBeLaunchesAloneIsThatOfTheClock) {
  bench_->open_kernel("strided");
  settle();
  model::Recording recording = *bench_->recording();
  recording.empty_kernel = 0.003;
  for (const std::int64_t stride : {1, 2, 4})
    for (const std::int64_t blocks : {8, 16}) {
      model::RecordedPoint point;
      point.values = {64, blocks, stride};
      point.warm.median = blocks == 8 ? 0.0033 : 0.0133;
      point.warm.p5 = point.warm.p95 = point.warm.median;
      point.warm.runs = 100;
      recording.kernels[0].points.push_back(point);
    }
  std::ranges::sort(recording.kernels[0].points, {}, &model::RecordedPoint::values);  // as a file has them
  model::GalleryKernel kernel = *bench_->kernel();
  kernel.measure = {{"blocks", 32}};
  const auto played = [&](std::int64_t blocks, const std::string& slider) {
    model::SliderValues values = model::default_values(kernel);
    values["blocks"] = blocks;
    values["stride"] = 2;
    return recorded(recording, kernel, *read_text(file_), values, model::launch_of(kernel, values)->launch,
                    slider, false);
  };
  const Measurement small = played(8, "stride");
  ASSERT_TRUE(small.timing && small.curve_at);
  EXPECT_DOUBLE_EQ(small.timing->median, 0.0033) << "the number beside the picture is the picture's";
  EXPECT_EQ(small.curve_at->at("blocks"), 32);
  ASSERT_EQ(small.points.size(), 3u);
  EXPECT_DOUBLE_EQ(small.points[2].median, 0.04);
  const Measurement long_enough = played(16, "stride");
  ASSERT_TRUE(long_enough.timing);
  EXPECT_FALSE(long_enough.curve_at) << "what the clock can tell apart is shown as it is";
  EXPECT_DOUBLE_EQ(long_enough.points[2].median, 0.0133);
  const Measurement over_size = played(8, "blocks");
  EXPECT_FALSE(over_size.curve_at) << "its curve goes through the clock's size";
}

// The same time at every stride.
class FlatRecordingTest : public RecordingTest {
 protected:
  Engine make_engine() override {
    Engine e = RecordingTest::make_engine();
    e.inventory = [there = e.inventory] {
      Inventory out = there();
      for (model::RecordedPoint& point : out.recordings.all[0].kernels[0].points) point.warm.median = 0.02;
      return out;
    };
    return e;
  }
};

TEST_F(FlatRecordingTest, ACurveWithoutADifferenceSaysSo) {
  bench_->open_kernel("strided");
  settle();
  const auto sweep = bench_->sweep(english());
  ASSERT_TRUE(sweep && !sweep->warnings.empty());
  EXPECT_THAT(sweep->warnings.front(), HasSubstr("No difference to be told: the slowest takes 1.00 times"));
}

// One is a tenth slower than the others, and so is each of its runs.
class NearlyFlatRecordingTest : public RecordingTest {
 protected:
  Engine make_engine() override {
    Engine e = RecordingTest::make_engine();
    e.inventory = [there = e.inventory] {
      Inventory out = there();
      double median = 0.022;
      for (model::RecordedPoint& point : out.recordings.all[0].kernels[0].points) {
        point.warm.median = point.warm.p5 = point.warm.p95 = median;
        median = 0.02;
      }
      return out;
    };
    return e;
  }
};

TEST_F(NearlyFlatRecordingTest, ASmallDifferenceIsNotCalledNone) {
  bench_->open_kernel("strided");
  settle();
  const auto sweep = bench_->sweep(english());
  ASSERT_TRUE(sweep && !sweep->warnings.empty());
  EXPECT_THAT(sweep->warnings.front(), HasSubstr("A small difference: the slowest takes 1.10 times"));
}

TEST_F(RecordingTest, ACurveWithADifferenceDoesNot) {
  bench_->open_kernel("strided");
  settle();
  const auto sweep = bench_->sweep(english());
  ASSERT_TRUE(sweep);
  for (const std::string& warning : sweep->warnings) EXPECT_THAT(warning, Not(HasSubstr("No difference")));
}

TEST_F(RecordingTest, AFlushedL2ThatWasNotRecordedIsNotShownAsOne) {
  bench_->open_kernel("strided");
  settle();
  bench_->set_cold(true);
  settle();
  EXPECT_FALSE(bench_->measurement().timing);
  EXPECT_EQ(reason(), "window.time.cold_not_recorded");
}

TEST_F(RecordingTest, BothSidesOfAComparisonHaveTheirTimes) {
  bench_->open_kernel("strided");
  settle();
  bench_->compare();
  bench_->set_value("stride", 4);
  settle();
  EXPECT_DOUBLE_EQ(bench_->pinned()->measurement.timing->median, 0.02);
  EXPECT_DOUBLE_EQ(bench_->measurement().timing->median, 0.04);
}

}  // namespace
}  // namespace warplens::window
