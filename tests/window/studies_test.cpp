// What a view finds out by trying is asked for while it is looked at, once, and follows what is open.
#include <atomic>

#include "app/model/study/occupancy_lab.h"
#include "app/model/study/relatives.h"
#include "engine/analysis/modelled.h"
#include "tests/window/workbench_fixture.h"

namespace warplens::window::testing {
namespace {

class StudiesTest : public WorkbenchTest {
 protected:
  Engine make_engine() override {
    Engine e = engine(calls_);
    e.occupancy = [this](const model::GalleryKernel&, const model::Run& run,
                         const model::SliderValues& values, const analysis::Device&,
                         const analysis::ComputeCapability&, const model::LoadProgram&, Progress*) {
      ++tried_;
      auto out = std::make_shared<model::OccupancyTrials>();
      out->slider = "block";
      out->at = values;
      out->modelled = {{32, 4}, {64, static_cast<double>(run.report.launch.arguments[0].integer)}};
      out->compiled = {{}};
      return std::shared_ptr<const model::OccupancyTrials>(out);
    };
    e.relatives = [this](const model::GalleryKernel&, const model::SliderValues&, const analysis::Device&,
                         const analysis::ComputeCapability&, const model::LoadProgram&, Progress*) {
      ++placed_;
      return std::make_shared<const model::Relatives>();
    };
    e.models = [](const model::Run& run, const analysis::Device& device, const analysis::ComputeCapability&,
                  Progress*) {
      auto out = std::make_shared<analysis::Modelled>();
      out->device = device.name;
      out->time.emplace().us = static_cast<double>(run.report.launch.arguments[0].integer);
      return std::shared_ptr<const analysis::Modelled>(out);
    };
    e.what_if = [](const model::GalleryKernel&, const model::Run& run, const model::SliderValues&,
                   const analysis::Device&, const analysis::ComputeCapability&, const model::LoadProgram&,
                   Progress*) -> std::optional<model::WhatIf> {
      const auto found = model::paddings(run.program->text, {}, "strided");
      if (found.empty()) return std::nullopt;
      model::WhatIf out{"", 0, 24, 11, "passes", 32, 1};
      out.padding = found.front();
      return out;
    };
    return e;
  }
  void look_at(const char* view) {
    bench_->settings.views[0] = view;
    settle();
  }
  std::shared_ptr<const visual::OccupancyLab> lab() const {
    return bench_->composition(Catalogue::load("en").value()).lab;
  }

  std::atomic<int> tried_{0}, placed_{0};
};

TEST_F(StudiesTest, AreMadeWhileSomebodyLooks) {
  ASSERT_TRUE(bench_->open_kernel("strided"));
  bench_->keep_views({"address-map", "address-map"});
  settle();
  EXPECT_EQ(tried_, 0) << "nobody looks at the occupancy";
  EXPECT_FALSE(lab());
  look_at("occupancy");
  EXPECT_EQ(tried_, 1);
  ASSERT_TRUE(lab() && lab()->modelled);
  EXPECT_EQ(lab()->modelled->times.back().us, 2);
  settle();
  EXPECT_EQ(tried_, 1) << "once for what is open";
  EXPECT_EQ(placed_, 0);
  look_at("roofline");
  EXPECT_EQ(placed_, 1);
  EXPECT_EQ(tried_, 1);
}

TEST_F(StudiesTest, FollowWhatIsOpen) {
  ASSERT_TRUE(bench_->open_kernel("strided"));
  settle();
  look_at("occupancy");
  bench_->set_value("stride", 5);
  settle();
  EXPECT_EQ(tried_, 2);
  EXPECT_EQ(lab()->modelled->times.back().us, 5);
  bench_->choose_device("A100 40 SXM");
  settle();
  EXPECT_EQ(tried_, 3);
}

TEST_F(StudiesTest, APaddedRowChangesTheTextAndIsTakenBack) {
  ASSERT_TRUE(bench_->open_kernel("strided"));
  settle();
  EXPECT_FALSE(bench_->picture()->what_if) << "the text has no array";
  const std::string text =
      "__global__ void strided() {\n  __shared__ float tile[32][32];\n  load;\n  store;\n}\n";
  bench_->set_text(text, 0);
  settle(10);
  ASSERT_TRUE(bench_->picture()->what_if);
  bench_->try_what_if();
  ASSERT_TRUE(bench_->pinned());
  EXPECT_EQ(bench_->pinned()->setup.text, text);
  settle(20);
  EXPECT_NE(bench_->text().find("tile[32][32 + 1];"), std::string::npos) << bench_->text();
  bench_->undo();
  settle(30);
  EXPECT_EQ(bench_->text(), text);
}

}  // namespace
}  // namespace warplens::window::testing
