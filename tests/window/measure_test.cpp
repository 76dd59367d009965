// Measured time in the window: live on a GPU that the test plays, out of a recording, or plainly not at all.
#include <gmock/gmock.h>

#include "tests/window/workbench_fixture.h"
#include "visual/export.h"

namespace warplens::window {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::WorkbenchTest;

std::vector<std::string> keys_of(const std::vector<Headline>& figures) {
  std::vector<std::string> keys;
  for (const Headline& f : figures) keys.push_back(f.name_key);
  return keys;
}

Catalogue english() {
  auto text = Catalogue::load("en");
  return text ? std::move(*text) : Catalogue();
}

TEST_F(WorkbenchTest, WithoutGpuAndRecordingNothingPretendsToBeMeasured) {
  bench_->open_kernel("strided");
  settle();
  EXPECT_TRUE(bench_->measurement().device.empty());
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
  EXPECT_EQ(report().backend, "gpu") << "what the warps did on the hardware takes the emulator's place";
  ASSERT_EQ(m.points.size(), 16u);
  EXPECT_DOUBLE_EQ(m.points[9].median, 0.010);
  EXPECT_EQ(keys_of(bench_->figures())[2], "window.figure.time");
  const auto sweep = bench_->sweep(english());
  ASSERT_TRUE(sweep);
  ASSERT_EQ(sweep->series.size(), 2u);
  EXPECT_EQ(sweep->series[0].evidence, Evidence::Measured);
  EXPECT_EQ(sweep->series[0].unit, "µs");
  EXPECT_EQ(sweep->series[1].evidence, Evidence::Counted);
  EXPECT_EQ(sweep->runs.size(), 10u);
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

TEST_F(GpuTest, AFaultIsAMessageAndTheNextRunWorks) {
  bench_->open_kernel("strided");
  settle();
  calls_.faults = true;
  bench_->set_value("stride", 4);
  settle();
  EXPECT_FALSE(bench_->measurement().timing);
  EXPECT_THAT(english().text(bench_->measurement().reason), HasSubstr("illegal address"));
  ASSERT_NE(bench_->picture(), nullptr);
  EXPECT_EQ(bench_->picture()->values.at("stride"), 4) << "the emulator's picture is there all the same";
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

TEST_F(GpuTest, FlushedL2IsMeasuredAnewAndTheEmulatorMeasuresNothing) {
  bench_->open_kernel("strided");
  settle();
  const double warm = bench_->measurement().timing->high;
  bench_->set_cold(true);
  settle();
  EXPECT_GT(bench_->measurement().timing->high, warm);
  bench_->choose_backend({});
  settle();
  EXPECT_TRUE(bench_->measurement().device.empty());
  EXPECT_EQ(bench_->settings.runs_on, "emulator");
}

// A recording of the fake kernel at strides 1, 2 and 4, with counters at the values it starts with.
class RecordingTest : public WorkbenchTest {
 protected:
  Engine make_engine() override {
    Engine e = testing::engine(calls_);
    const model::GalleryKernel kernel = testing::gallery(file_).kernels[0];
    const auto text = read_text(file_);
    e.inventory = [kernel, text] {
      Inventory there;
      there.found.reason = "There is no NVIDIA driver on this machine.";
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
      return there;
    };
    return e;
  }
  std::string reason() const { return bench_->measurement().reason.key; }
};

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
  EXPECT_EQ(measured_value("window.figure.sectors", m.counters), "6.0");
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
  const auto figures = bench_->figures();
  ASSERT_GT(figures.size(), 2u);
  EXPECT_EQ(figures[2].name_key, "window.figure.time");
  EXPECT_TRUE(figures[2].missing);
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

TEST(MeasuredFigures, TimesAndRatesHaveThreeDigits) {
  EXPECT_EQ(time_text(0.00231), "2.31 µs");
  EXPECT_EQ(time_text(0.0456), "45.6 µs");
  EXPECT_EQ(time_text(2.31), "2.31 ms");
  EXPECT_EQ(time_text(123.4), "123 ms");
  EXPECT_EQ(time_text(2310), "2.31 s");
  EXPECT_EQ(rate_text(3.2e12), "3.20 TB/s");
  EXPECT_EQ(rate_text(5.4e10), "54 GB/s");
}

}  // namespace
}  // namespace warplens::window
