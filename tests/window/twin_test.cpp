// Two sides, undo, and what is drawn and saved of them.
#include <gmock/gmock.h>
#include <unistd.h>

#include "app/window/jobs/background.h"
#include "app/window/session/export_view.h"
#include "app/window/session/matching_step.h"
#include "tests/window/workbench_fixture.h"
#include "visual/export.h"

namespace warplens::window {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::StartsWith;
using testing::WorkbenchTest;

class TwinTest : public WorkbenchTest {
 protected:
  void SetUp() override {
    WorkbenchTest::SetUp();
    auto text = Catalogue::load("en");
    ASSERT_TRUE(text);
    text_ = std::move(*text);
    bench_->open_kernel("strided");
    settle();
  }
  SideNames names() const {
    const Composition now = bench_->composition(text_);
    return {now.a ? now.a->name : visual::SideName(), now.b.name};
  }
  visual::Scene scene() const {
    return bench_->composition(text_).lay_out(*visual::find_view("address-map"), {1200, 600}, text_,
                                              visual::cairo_text_measure());
  }
  Catalogue text_;
};

TEST_F(TwinTest, ComparePinsWhatIsShownAndSlidersMoveTheOther) {
  bench_->compare();
  ASSERT_NE(bench_->pinned(), nullptr);
  bench_->set_value("stride", 8);
  settle();
  EXPECT_EQ(bench_->pinned()->picture.run->report.totals.global_load.sectors, 8u * 64);
  EXPECT_EQ(report().totals.global_load.sectors, 32u * 64);
  EXPECT_EQ(names().a.name, "stride 2");
  EXPECT_EQ(names().b.name, "stride 8");
  const Composition now = bench_->composition(text_);
  EXPECT_EQ(twin_words(now.a->run->report, now.b.run->report, names(), text_),
            "stride 8 has 4× the sectors a request of stride 2.");
}

TEST_F(TwinTest, BothSidesAreDrawnAndOneCursorMovesBoth) {
  bench_->compare();
  bench_->set_value("stride", 8);
  settle();
  bench_->go_to_stop(3, false);
  EXPECT_EQ(bench_->pinned_cursor().step, bench_->cursor().step);
  const visual::Scene both = scene();
  EXPECT_THAT(both.shapes, Contains(Field(&visual::Shape::id, StartsWith("a.lane"))));
  EXPECT_THAT(both.shapes, Contains(Field(&visual::Shape::id, StartsWith("b.lane"))));
  bench_->stop_comparing();
  EXPECT_THAT(scene().shapes, ::testing::Not(Contains(Field(&visual::Shape::id, StartsWith("a.lane")))));
}

TEST_F(TwinTest, SwapExchangesSetupsAndPictures) {
  bench_->compare();
  bench_->set_value("stride", 8);
  settle();
  bench_->swap_sides();
  EXPECT_EQ(bench_->value("stride"), 2);
  settle();
  EXPECT_EQ(report().totals.global_load.sectors, 8u * 64);
  EXPECT_EQ(names().a.name, "stride 8");
}

TEST_F(TwinTest, AnotherKernelIsPinnedOnTheSameProblem) {
  bench_->set_value("blocks", 16);
  settle();
  ASSERT_TRUE(bench_->compare_with("other", {{"stride", 4}}));
  settle();
  ASSERT_NE(bench_->pinned(), nullptr);
  EXPECT_EQ(bench_->pinned()->setup.values.at("blocks"), 16);
  EXPECT_EQ(bench_->pinned()->picture.run->report.totals.global_load.sectors, 16u * 32);
  EXPECT_EQ(names().a.name, "other");
  EXPECT_EQ(bench_->kernel()->id, "strided") << "what is open stays open";
  EXPECT_FALSE(bench_->compare_with("nothing"));
}

// What is compared is the first slider that is moved; every other one is a property of both.
TEST_F(TwinTest, LinkedSidesMoveTogetherButForWhatIsCompared) {
  bench_->compare();
  EXPECT_FALSE(bench_->moves_both("blocks")) << "nothing is compared yet";
  bench_->set_value("stride", 8);
  EXPECT_FALSE(bench_->moves_both("stride"));
  ASSERT_TRUE(bench_->moves_both("blocks"));
  bench_->set_value("blocks", 16);
  settle();
  EXPECT_EQ(bench_->pinned()->picture.of.values.at("blocks"), 16);
  EXPECT_EQ(bench_->pinned()->picture.run->report.totals.global_load.sectors, 8u * 32);
  EXPECT_TRUE(bench_->pinned()->picture.whole);
  EXPECT_EQ(report().totals.global_load.sectors, 32u * 32);
  EXPECT_EQ(names().a.name, "stride 2") << "the size is the same again";
  // Where it passes the other side's value it is compared still.
  bench_->set_value("stride", 2);
  bench_->set_value("stride", 4);
  settle();
  EXPECT_EQ(bench_->pinned()->setup.values.at("stride"), 2);

  bench_->link_sides(false);
  bench_->set_value("blocks", 4);
  settle();
  EXPECT_EQ(bench_->pinned()->setup.values.at("blocks"), 16);
  bench_->link_sides(true);
  EXPECT_FALSE(bench_->moves_both("blocks")) << "what differs where they are linked is compared";
  EXPECT_TRUE(bench_->moves_both("block"));
}

TEST_F(TwinTest, WhatMovedBothSidesIsTakenBackOnBoth) {
  bench_->compare();
  bench_->set_value("stride", 8);
  settle();
  bench_->set_value("blocks", 16);
  bench_->set_value("blocks", 4);
  settle();
  bench_->undo();
  EXPECT_EQ(bench_->value("blocks"), 32);
  settle();
  EXPECT_EQ(bench_->pinned()->picture.run->report.totals.global_load.sectors, 8u * 64);
  bench_->redo();
  settle();
  EXPECT_EQ(bench_->pinned()->picture.run->report.totals.global_load.sectors, 8u * 8);
  EXPECT_EQ(report().totals.global_load.sectors, 32u * 8);
  bench_->swap_sides();
  settle();
  EXPECT_FALSE(bench_->moves_both("stride"));
  bench_->set_value("blocks", 2);
  settle();
  EXPECT_EQ(bench_->pinned()->picture.run->report.totals.global_load.sectors, 32u * 4);
}

// A slider goes there and back faster than the other side can follow.
TEST_F(TwinTest, ASideEndsWhereItsSliderEnds) {
  bench_->compare();
  bench_->set_value("stride", 8);
  settle();
  calls_.delay_ms = 20;
  for (int ticks = 0; ticks < 60; ticks += 5) {
    bench_->set_value("blocks", 16);
    for (int i = 0; i < ticks; ++i) {
      bench_->tick(0);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    bench_->set_value("blocks", 32);
    settle();
    EXPECT_EQ(bench_->pinned()->picture.of.values.at("blocks"), 32) << "after " << ticks;
    EXPECT_EQ(bench_->pinned()->picture.run->report.totals.global_load.sectors, 8u * 64);
    EXPECT_FALSE(bench_->pinned()->behind());
  }
}

// The other side's whole run gives way to what is open, and is made afterwards.
TEST_F(TwinTest, ASideThatGaveWayIsCountedInTheEnd) {
  bench_->compare();
  bench_->set_value("stride", 8);
  settle();
  calls_.delay_ms = 40;
  for (int i = 0; i < 4; ++i) {
    bench_->set_value("blocks", 20 + i);
    bench_->set_value("block", i % 2 == 0 ? 128 : 256);
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
  }
  settle();
  EXPECT_TRUE(bench_->pinned()->picture.whole);
  EXPECT_FALSE(bench_->pinned()->behind());
  EXPECT_EQ(bench_->pinned()->picture.run->report.blocks_run, 23u);
  EXPECT_EQ(report().blocks_run, 23u);
}

// Until side A has followed, its picture and its numbers are of the size before, and say so.
TEST_F(TwinTest, ASideThatHasNotFollowedYetLooksEarlier) {
  bench_->compare();
  bench_->set_value("stride", 8);
  settle();
  calls_.delay_ms = 150;
  bench_->set_value("blocks", 64);
  for (int i = 0; i < 4000 && bench_->picture()->of.values.at("blocks") != 64; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    bench_->tick(0);
  }
  ASSERT_FALSE(bench_->pinned()->picture.whole && bench_->pinned()->picture.of.values.at("blocks") == 64);
  EXPECT_EQ(bench_->pinned()->picture.totals_of.values.at("blocks"), 32);
  EXPECT_EQ(bench_->pinned()->setup.values.at("blocks"), 64);
  settle();
  EXPECT_EQ(bench_->pinned()->picture.totals_of.values.at("blocks"), 64);
  EXPECT_TRUE(bench_->pinned_line(text_).empty());
}

TEST_F(TwinTest, UndoTakesBackADragAsAWhole) {
  for (int i = 3; i <= 9; ++i) bench_->set_value("stride", i);
  settle();
  bench_->undo();
  EXPECT_EQ(bench_->value("stride"), 2);
  bench_->redo();
  EXPECT_EQ(bench_->value("stride"), 9);
  settle();
  EXPECT_EQ(bench_->picture()->of.values.at("stride"), 9);
}

TEST_F(TwinTest, UndoBringsBackComparisonsKernelsAndText) {
  bench_->compare();
  bench_->set_value("stride", 8);
  bench_->stop_comparing();
  bench_->undo();
  ASSERT_NE(bench_->pinned(), nullptr);
  EXPECT_EQ(bench_->value("stride"), 8);
  bench_->set_text("__global__ changed", 5);
  bench_->open_kernel("other");
  settle(10);
  bench_->undo();
  EXPECT_EQ(bench_->kernel()->id, "strided");
  EXPECT_EQ(bench_->text(), "__global__ changed");
  bench_->undo();
  EXPECT_FALSE(bench_->edited());
  settle(20);
  EXPECT_FALSE(bench_->error());
  while (bench_->can_undo()) bench_->undo();
  EXPECT_EQ(bench_->value("stride"), 2);
  EXPECT_EQ(bench_->pinned(), nullptr);
  settle(30);
}

TEST_F(TwinTest, AThingOnSideAIsFoundOnSideB) {
  bench_->compare();
  bench_->set_value("block", 128);
  settle();
  visual::Target store;
  store.step = 3;  // the store of warp 1
  store.site = 1;
  const visual::Target there = bench_->from_pinned(store);
  ASSERT_TRUE(there.step);
  const trace::Step& step = bench_->picture()->run->trace.steps()[*there.step];
  EXPECT_EQ(step.warp, 1);
  EXPECT_EQ(step.site, 1u);
  EXPECT_EQ(there.site, 1u);
}

TEST_F(TwinTest, AClickOnAMeasureColoursByIt) {
  visual::Target sectors;
  sectors.measure = static_cast<int>(visual::Measure::Sectors);
  bench_->select(sectors);
  EXPECT_EQ(bench_->view_options.measure, visual::Measure::Sectors);
  EXPECT_TRUE(bench_->selection().empty());
}

TEST_F(TwinTest, FramesOfAFilmAreNumberedAndAStoppedOneLeavesNothing) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("warplens_frames_" + std::to_string(::getpid()));
  ExportJob job;
  job.shown = bench_->composition(text_);
  job.view = visual::find_view("address-map");
  job.size = {320, 240};
  job.text = std::make_shared<const Catalogue>(text_);
  job.theme = &visual::Theme::dark();
  job.file = folder;
  job.frames = 3;
  job.scale = 1;
  Progress progress;
  ASSERT_TRUE(write_export(job, progress));
  EXPECT_DOUBLE_EQ(progress.fraction(), 1.0);
  EXPECT_TRUE(std::filesystem::exists(folder / "frame_0001.png"));
  EXPECT_TRUE(std::filesystem::exists(folder / "frame_0003.png"));
  EXPECT_FALSE(std::filesystem::exists(folder / "frame_0004.png"));
  std::filesystem::remove_all(folder);
  for (const char* extension : {"", ".gif"}) {
    job.file = folder.string() + extension;
    Progress stopped;
    stopped.cancel();
    const Status status = write_export(job, stopped);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::Cancelled);
    EXPECT_FALSE(std::filesystem::exists(job.file));
  }
}

TEST_F(TwinTest, SavingSaysWhereItWent) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("warplens_saved_" + std::to_string(::getpid()) + ".svg");
  ExportJob job;
  job.shown = bench_->composition(text_);
  job.view = visual::find_view("address-map");
  job.size = {640, 360};
  job.text = std::make_shared<const Catalogue>(text_);
  job.theme = &visual::Theme::dark();
  job.file = file;
  bench_->save_picture(std::move(job));
  for (int i = 0; i < 5000 && !bench_->toast(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    bench_->tick(50);
  }
  ASSERT_TRUE(bench_->toast());
  EXPECT_EQ(bench_->toast()->text.key, "window.stage.saved");
  EXPECT_TRUE(std::filesystem::exists(file));
  std::filesystem::remove(file);
}

TEST(Background, TasksRunInOrderAndCancelReachesTheRunningOne) {
  std::atomic<int> done{0}, stopped{0};
  {
    Background background([] {});
    for (int i = 0; i < 2; ++i) {
      background.add({"x", {}}, [&](Progress& progress) {
        while (!progress.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++stopped;
      });
    }
    background.add({"x", {}}, [&](Progress&) { ++done; });
    EXPECT_TRUE(background.busy());
    for (int i = 0; i < 5000 && background.busy(); ++i) {
      background.cancel();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_FALSE(background.busy());
    EXPECT_FALSE(background.what());
  }
  EXPECT_EQ(stopped, 2);
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace warplens::window
