// What the models say comes behind the picture, belongs to what it was made of, and says so until it has
// followed.
#include <atomic>

#include "engine/analysis/modelled.h"
#include "tests/window/workbench_fixture.h"

namespace warplens::window::testing {
namespace {

// Modelled: as many microseconds as the stride; every time is worth having with stride 1.
class ModelsTest : public WorkbenchTest {
 protected:
  Engine make_engine() override {
    Engine e = engine(calls_);
    e.models = [this](const model::Run& run, const analysis::Device& device,
                      const analysis::ComputeCapability&, Progress* progress) {
      ++asked_;
      while (held_ && !progress->cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      auto out = std::make_shared<analysis::Modelled>();
      out->device = device.name;
      out->time.emplace().us = static_cast<double>(run.report.launch.arguments[0].integer);
      return std::shared_ptr<const analysis::Modelled>(out);
    };
    e.what_if = [](const model::GalleryKernel&, const model::Run& run, const model::SliderValues&,
                   const analysis::Device&, const analysis::ComputeCapability&, const model::LoadProgram&,
                   Progress*) -> std::optional<model::WhatIf> {
      const auto now = static_cast<double>(run.report.launch.arguments[0].integer);
      if (now < 2) return std::nullopt;
      return model::WhatIf{"stride", 1, now, 1, "sectors", 8, 4};
    };
    e.shelf = [this](const model::Run&, const std::shared_ptr<const analysis::Modelled>& modelled,
                     Progress*) {
      ++shelves_;
      auto out = std::make_shared<analysis::Modelled>(*modelled);
      out->shelf.push_back({.device = "T4", .us = 7});
      return std::shared_ptr<const analysis::Modelled>(out);
    };
    return e;
  }
  void open() {
    ASSERT_TRUE(bench_->open_kernel("strided"));
    settle();
  }
  double us() const { return bench_->picture()->modelled->time->us; }

  std::atomic<int> asked_{0}, shelves_{0};
  std::atomic<bool> held_{false};
};

TEST_F(ModelsTest, FollowThePictureAndItsDevice) {
  open();
  ASSERT_TRUE(bench_->picture()->modelled);
  EXPECT_EQ(us(), 2);
  EXPECT_FALSE(bench_->earlier(visual::Basis::Model));
  bench_->choose_device("A100 40 SXM");
  settle();
  EXPECT_EQ(bench_->picture()->modelled->device, "A100 40 SXM");
}

TEST_F(ModelsTest, OtherDevicesAreModelledWhileTheyAreLookedAt) {
  open();
  bench_->settings.two_views = false;
  bench_->settings.views = {"address-map", "devices"};
  EXPECT_TRUE(bench_->picture()->modelled->shelf.empty());
  bench_->settings.views[0] = "devices";
  EXPECT_FALSE(bench_->settled());
  settle();
  EXPECT_EQ(bench_->picture()->modelled->shelf.size(), 1u);
  EXPECT_TRUE(bench_->picture()->what_if) << "it is of the same run";
  bench_->set_value("stride", 5);
  settle();
  EXPECT_EQ(us(), 5);
  EXPECT_EQ(bench_->picture()->modelled->shelf.size(), 1u);
  EXPECT_EQ(shelves_, 2);
}

TEST_F(ModelsTest, BothSidesOfAComparisonAreOnTheShelf) {
  open();
  bench_->settings.views[0] = "address-map";
  bench_->settings.two_views = false;
  bench_->compare();
  ASSERT_TRUE(bench_->pinned());
  bench_->set_value("stride", 5);
  bench_->settings.views[0] = "devices";
  settle();
  EXPECT_EQ(bench_->pinned()->picture.modelled->shelf.size(), 1u);
  EXPECT_EQ(bench_->picture()->modelled->shelf.size(), 1u);
  EXPECT_GE(shelves_, 2);
  EXPECT_LE(shelves_, 3) << "one for the picture before, where the new one is late";
}

TEST_F(ModelsTest, StandAsEarlierUntilTheyHaveFollowed) {
  open();
  held_ = true;
  bench_->set_value("stride", 5);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!(bench_->picture()->whole && bench_->picture()->of == bench_->asked()) &&
         std::chrono::steady_clock::now() < deadline) {
    bench_->tick(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(bench_->earlier(visual::Basis::Run)) << "the counts are there and wait for no model";
  ASSERT_TRUE(bench_->earlier(visual::Basis::Model));
  EXPECT_EQ(us(), 2);
  bench_->tick(1);
  EXPECT_TRUE(bench_->looks_earlier());
  held_ = false;
  settle(2);
  EXPECT_FALSE(bench_->earlier(visual::Basis::Model));
  EXPECT_EQ(us(), 5);
}

TEST_F(ModelsTest, GiveWayToTheNextValue) {
  open();
  held_ = true;
  for (const int stride : {3, 4, 5, 6}) bench_->set_value("stride", stride);
  const int before = asked_;
  while (asked_ == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  held_ = false;
  bench_->set_value("stride", 7);
  settle();
  EXPECT_EQ(us(), 7);
}

TEST_F(ModelsTest, WhatWouldBeWorthItBecomesSideB) {
  open();
  ASSERT_TRUE(bench_->picture()->what_if);
  bench_->try_what_if();
  ASSERT_TRUE(bench_->pinned());
  EXPECT_EQ(bench_->pinned()->setup.values.at("stride"), 2);
  EXPECT_EQ(bench_->pinned()->picture.modelled->time->us, 2) << "side A keeps what was modelled of it";
  settle();
  EXPECT_EQ(bench_->value("stride"), 1);
  EXPECT_EQ(us(), 1);
  EXPECT_FALSE(bench_->picture()->what_if);
}

}  // namespace
}  // namespace warplens::window::testing
