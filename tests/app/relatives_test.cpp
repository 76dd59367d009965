// Several kernels under one roof: the ladder of the product with the library's speed, as the recording has
// them.
#include "app/model/study/relatives.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/assets.h"

namespace warplens::model {
namespace {

class RelativesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto gallery = load_gallery();
    auto devices = analysis::DeviceCatalogue::load();
    auto catalogue = Catalogue::load("en");
    ASSERT_TRUE(gallery && devices && catalogue);
    gallery_ = std::move(*gallery);
    devices_ = std::move(*devices);
    catalogue_ = std::move(*catalogue);
    recordings_ = load_recordings({assets_folder() / "recordings", {}});
    ASSERT_FALSE(recordings_.all.empty());
  }
  std::vector<visual::RooflinePoint> points(const std::string& id, const std::string& device = "H200 SXM") {
    kernel_ = gallery_.find(id);
    const LoadProgram load = [](const ProgramRequest& request, Progress* progress) {
      return load_program(request, progress);
    };
    all_ = relatives(*kernel_, default_values(*kernel_), **devices_.device(device),
                     **devices_.capability("9.0"), load);
    return relative_points(all_, recordings_.all.front(), *kernel_, *read_text(kernel_->file),
                           **devices_.device(device), catalogue_);
  }

  Gallery gallery_;
  analysis::DeviceCatalogue devices_;
  Catalogue catalogue_;
  Recordings recordings_;
  const GalleryKernel* kernel_ = nullptr;
  Relatives all_;
};

TEST_F(RelativesTest, TheLadderStandsUnderTheLibrary) {
  const auto ladder = points("matmul_ladder");
  if (all_.all.empty()) GTEST_SKIP() << "no compiler";
  ASSERT_EQ(ladder.size(), 6u);
  EXPECT_EQ(ladder[0].name, "naive");
  EXPECT_EQ(ladder[5].name, "+ double buffering");
  for (const Relative& step : all_.all)
    EXPECT_NEAR(step.work.total(), 2.0 * 2048 * 2048 * 2048, 2e8) << "a part stands for the whole";
  for (const visual::RooflinePoint& step : ladder) {
    EXPECT_EQ(step.evidence, Evidence::Measured);
    EXPECT_LE(step.gflops, step.roof * 1.001) << step.name << " stands above its roof";
    EXPECT_NE(step.bound_by, analysis::Roof::Dram) << "48 MB stay in L2";
  }
  EXPECT_GT(ladder[3].gflops, 3 * ladder[0].gflops);
  const auto library = recordings_.all.front().library_roof(*kernel_, all_.at);
  ASSERT_TRUE(library);
  for (const visual::RooflinePoint& step : ladder) EXPECT_LT(step.gflops, library->gflops);
}

TEST_F(RelativesTest, AnotherDevicesRoofHasNone) {
  EXPECT_TRUE(points("matmul_ladder", "H100 SXM").empty());
}

TEST_F(RelativesTest, WhatDoesNoArithmeticHasNone) {
  EXPECT_TRUE(points("transpose_tile").empty());
}

TEST_F(RelativesTest, WarmAndFlushedAreTwoTimes) {
  const GalleryKernel& kernel = *gallery_.find("block_size");
  SliderValues values = measured_values(kernel, default_values(kernel));
  const std::string text = *read_text(kernel.file);
  const auto cold = other_l2(recordings_.all.front(), kernel, text, values, false, catalogue_);
  ASSERT_TRUE(cold);
  EXPECT_TRUE(cold->flushed);
  const auto warm = other_l2(recordings_.all.front(), kernel, text, values, true, catalogue_);
  ASSERT_TRUE(warm);
  EXPECT_FALSE(warm->flushed);
  EXPECT_NE(warm->milliseconds, cold->milliseconds);
  EXPECT_FALSE(other_l2(recordings_.all.front(), kernel, "edited", values, false, catalogue_));
}

}  // namespace
}  // namespace warplens::model
