// What the occupancy view finds out by trying: block sizes by rule, model and clock, and what ptxas really
// makes of a kernel that may use fewer registers.
#include "app/model/study/occupancy_lab.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/assets.h"
#include "engine/source/toolchain.h"

namespace warplens::model {
namespace {

using Kind = visual::CompiledBound::Kind;

class OccupancyLab : public testing::Test {
 protected:
  void SetUp() override {
    auto gallery = load_gallery();
    auto devices = analysis::DeviceCatalogue::load();
    ASSERT_TRUE(gallery && devices);
    gallery_ = std::move(*gallery);
    devices_ = std::move(*devices);
    device_ = *devices_.device("H200 SXM");
    capability_ = *devices_.capability("9.0");
  }
  std::shared_ptr<const model::Run> run(const std::string& id) {
    kernel_ = gallery_.find(id);
    values_ = default_values(*kernel_);
    const auto bound = launch_of(*kernel_, values_);
    if (!bound) return nullptr;
    const auto program = load_program(program_request(*kernel_, *bound));
    if (!program) return nullptr;
    RunRequest request;
    request.program = *program;
    request.launch = bound->launch;
    const auto done = execute(request);
    return done ? *done : nullptr;
  }
  static bool has_ptxas() {
    return !source::find_toolchain(source::SearchPlaces::from_environment()).ptxas.path.empty();
  }
  const LoadProgram load_ = [](const ProgramRequest& request, Progress* progress) {
    return load_program(request, progress);
  };

  Gallery gallery_;
  analysis::DeviceCatalogue devices_;
  const analysis::Device* device_ = nullptr;
  const analysis::ComputeCapability* capability_ = nullptr;
  const GalleryKernel* kernel_ = nullptr;
  SliderValues values_;
};

TEST_F(OccupancyLab, KnowsWhichSliderIsTheBlock) {
  const auto slider_of = [&](const char* id) {
    const GalleryKernel& kernel = *gallery_.find(id);
    return block_slider(kernel, default_values(kernel));
  };
  EXPECT_EQ(slider_of("block_size"), "block");
  EXPECT_EQ(slider_of("transpose_tile"), "rows") << "its block is 32 x rows";
  EXPECT_EQ(slider_of("launch_bounds"), "") << "its slider `blocks` only sounds like it";
}

TEST_F(OccupancyLab, PutsEachValueWhereItsThreadsAre) {
  const GalleryKernel& kernel = *gallery_.find("transpose_tile");
  const auto times = by_threads(kernel, default_values(kernel), "rows", {{32, 5.0}, {4, 2.0}, {8, 0.0}});
  ASSERT_EQ(times.size(), 2u) << "no time is no point";
  EXPECT_EQ(times[0].threads, 128);
  EXPECT_EQ(times[1].threads, 1024);
  EXPECT_EQ(times[1].us, 5.0);
}

// The kernel of the launch bounds wants many registers: bounds fit more warps, and the tight ones spill.
TEST_F(OccupancyLab, PtxasIsAskedUnderEveryBound) {
  const auto shown = run("launch_bounds");
  if (!shown || !has_ptxas()) GTEST_SKIP() << "no compiler";
  const auto bounds =
      register_bounds(*shown->program, shown->report.launch.kernel, shown->report.launch.block, *capability_);
  ASSERT_TRUE(bounds) << bounds.error().text();
  ASSERT_GT(bounds->size(), 4u);
  EXPECT_EQ(bounds->front().kind, Kind::AsWritten);
  EXPECT_EQ(bounds->front().registers, shown->report.registers_per_thread);
  for (const visual::CompiledBound& bound : *bounds) {
    if (bound.kind == Kind::MostRegisters) {
      EXPECT_LE(bound.registers, std::max(bound.bound, 16));
    }
    if (bound.kind == Kind::LaunchBounds) {
      analysis::KernelResources kernel;
      kernel.registers_per_thread = bound.registers;
      EXPECT_GE(analysis::occupancy(*capability_, kernel).limit_registers, bound.bound);
    }
  }
  const auto tightest = std::ranges::min_element(*bounds, {}, &visual::CompiledBound::registers);
  EXPECT_TRUE(tightest->spills());
  EXPECT_FALSE(std::ranges::max_element(*bounds, {}, &visual::CompiledBound::registers)->spills());
}

TEST_F(OccupancyLab, HasModelAndClockOverTheSameSizes) {
  const auto shown = run("block_size");
  if (!shown) GTEST_SKIP() << "no compiler";
  const OccupancyTrials tried = occupancy_trials(*kernel_, *shown, values_, *device_, *capability_, load_);
  EXPECT_EQ(tried.slider, "block");
  EXPECT_EQ(tried.at.at("n"), 16777216) << "at the shown size the launch itself takes the time";
  ASSERT_GE(tried.modelled.size(), 8u);
  EXPECT_EQ(tried.modelled.front().threads, 32);
  const Recordings recordings = load_recordings({assets_folder() / "recordings", {}});
  ASSERT_FALSE(recordings.all.empty());
  const auto catalogue = Catalogue::load("en");
  const visual::OccupancyLab lab =
      lab_of(tried, *kernel_, values_, &recordings.all.front(), *read_text(kernel_->file), *catalogue);
  ASSERT_TRUE(lab.modelled && lab.measured);
  EXPECT_EQ(lab.measured->times.size(), 16u);
  EXPECT_NE(lab.measured->note.find("16,777,216"), std::string::npos) << lab.measured->note;
  EXPECT_EQ(lab.measured->on.device, "H200 SXM");
  // 32 threads fill half of the SM's warps: slowest for clock and model.
  for (const visual::BlockSizeTimes* curve : {&*lab.modelled, &*lab.measured}) {
    EXPECT_GT(curve->times.front().us, 1.2 * curve->best().us);
    EXPECT_NE(curve->best().threads, 32);
  }
  // An edited text has no measurement.
  EXPECT_FALSE(lab_of(tried, *kernel_, values_, &recordings.all.front(), "another", *catalogue).measured);
}

TEST_F(OccupancyLab, ACancelEndsIt) {
  const auto shown = run("block_size");
  if (!shown) GTEST_SKIP() << "no compiler";
  Progress progress;
  progress.cancel();
  const OccupancyTrials tried =
      occupancy_trials(*kernel_, *shown, values_, *device_, *capability_, load_, &progress);
  EXPECT_TRUE(tried.modelled.empty());
}

}  // namespace
}  // namespace warplens::model
