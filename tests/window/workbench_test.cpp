#include "app/window/session/workbench.h"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "app/model/picture/picture.h"
#include "app/window/session/why_nothing.h"
#include "engine/base/assets.h"
#include "tests/window/workbench_fixture.h"

namespace warplens::window {
namespace {

using ::testing::HasSubstr;
using testing::WorkbenchTest;

TEST_F(WorkbenchTest, OpeningAKernelRunsItWholeAndShowsItsNumbers) {
  ASSERT_TRUE(bench_->open_kernel("strided"));
  EXPECT_EQ(bench_->picture(), nullptr);
  settle();
  ASSERT_NE(bench_->picture(), nullptr);
  EXPECT_TRUE(bench_->picture()->whole);
  EXPECT_EQ(report().blocks_run, 32u);
  // Stride 2: 8 sectors a load, 4 a store, 2 warps in each of 32 blocks.
  EXPECT_EQ(report().totals.global_load.sectors, 8u * 64);
  ASSERT_FALSE(bench_->picture()->figures.empty());
  EXPECT_EQ(bench_->picture()->figures[0].value, "8.0");
  EXPECT_TRUE(bench_->picture()->figures[0].worse);
}

TEST_F(WorkbenchTest, WithoutAPictureTheStageSaysWhy) {
  const visual::View& map = *visual::find_view("address-map");
  bench_->open_kernel("strided");
  EXPECT_EQ(why_nothing(*bench_, map), "window.stage.first_run");
  settle();
  EXPECT_EQ(why_nothing(*bench_, map), std::nullopt);
  bench_->set_text("__global__ broken", 0);
  settle(10);
  EXPECT_EQ(why_nothing(*bench_, map), std::nullopt) << "the last good picture stands";

  ASSERT_TRUE(write_text(file_, "__global__ broken"));
  bench_->open_file(file_.string(), "");
  settle(20);
  EXPECT_EQ(why_nothing(*bench_, map), "window.stage.not_compiled");
  EXPECT_EQ(why_nothing(*bench_, *visual::find_view("transfers")), std::nullopt) << "needs no run";
  ASSERT_TRUE(write_text(file_, "int main() {}"));
  bench_->open_file(file_.string(), "");
  settle(30);
  EXPECT_EQ(why_nothing(*bench_, map), "window.stage.not_run");
}

TEST_F(WorkbenchTest, ALargeLaunchIsShownBeforeItIsCounted) {
  bench_->open_kernel("strided");
  settle();
  EXPECT_EQ(calls_.whole_runs, 1);
  EXPECT_GE(calls_.runs, 2);  // the traced block alone came first
}

TEST_F(WorkbenchTest, UnknownKernelChangesNothing) {
  EXPECT_FALSE(bench_->open_kernel("nothing"));
  EXPECT_EQ(bench_->kernel(), nullptr);
}

TEST_F(WorkbenchTest, SlidersClampToWhatIsAllowedAndRunAgain) {
  bench_->open_kernel("strided");
  settle();
  bench_->set_value("stride", 99);
  EXPECT_EQ(bench_->value("stride"), 16);
  bench_->set_value("block", 100);
  EXPECT_EQ(bench_->value("block"), 128);
  bench_->notch("block", 1);
  EXPECT_EQ(bench_->value("block"), 256);
  bench_->notch("block", 99);
  EXPECT_EQ(bench_->value("block"), 1024);
  bench_->reset_value("block");
  EXPECT_EQ(bench_->value("block"), 64);
  settle();
  EXPECT_EQ(report().totals.global_load.sectors, 32u * 64);
}

TEST_F(WorkbenchTest, OfManySliderMovesOnlyTheLastMustBeRun) {
  bench_->open_kernel("strided");
  settle();
  calls_.delay_ms = 30;
  const int before = calls_.whole_runs;
  for (int i = 1; i <= 16; ++i) bench_->set_value("stride", i);
  settle();
  EXPECT_EQ(bench_->picture()->of.values.at("stride"), 16);
  EXPECT_TRUE(bench_->picture()->whole);
  EXPECT_LE(calls_.whole_runs - before, 3);
}

TEST_F(WorkbenchTest, TheLastGoodPictureStaysWhenAnEditDoesNotCompile) {
  bench_->open_kernel("strided");
  settle();
  const std::uint64_t serial = bench_->picture()->serial;
  bench_->set_text("a\nbroken\n", 1.0);
  bench_->tick(1.1);
  EXPECT_FALSE(bench_->error()) << "compiled before the typist paused";
  settle(2.0);
  ASSERT_TRUE(bench_->error());
  EXPECT_EQ(bench_->error()->place.line, 2);
  EXPECT_EQ(bench_->picture()->serial, serial);
  EXPECT_TRUE(bench_->edited());
  bench_->revert_text();
  settle(3.0);
  EXPECT_FALSE(bench_->error());
  EXPECT_FALSE(bench_->edited());
  EXPECT_NE(bench_->picture()->serial, serial);
}

// "blocks" has as many values as a curve goes through, "wide" has more: wherever it stands is on the curve.
TEST_F(WorkbenchTest, TheCurveGoesThroughTheValueThatIsShown) {
  bench_->open_kernel("wide");
  settle();
  const auto text = Catalogue::load("en");
  for (const std::int64_t stride : {2, 333, 789}) {
    bench_->set_value("stride", stride);
    settle();
    const auto sweep = bench_->sweep(*text);
    ASSERT_TRUE(sweep && !sweep->series.empty());
    const auto& points = sweep->series[0].points;
    EXPECT_TRUE(std::ranges::is_sorted(points, {}, &visual::SweepPoint::x));
    EXPECT_EQ(std::ranges::count(points, static_cast<double>(stride), &visual::SweepPoint::x), 1) << stride;
  }
}

TEST_F(WorkbenchTest, AnExceptionOfTheEngineBecomesAnError) {
  calls_.throws = true;
  bench_->open_kernel("strided");
  settle();
  ASSERT_TRUE(bench_->error());
  EXPECT_THAT(bench_->error()->message, HasSubstr("not enough memory"));
}

TEST_F(WorkbenchTest, CancelStopsTheRunWithoutAnError) {
  calls_.delay_ms = 5000;
  bench_->open_kernel("strided");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  bench_->cancel();
  settle();
  EXPECT_FALSE(bench_->error());
}

TEST_F(WorkbenchTest, AUsersFileIsAdoptedWithItsSliders) {
  bench_->open_file(file_.string(), "", {{"stride", 4}});
  settle();
  ASSERT_NE(bench_->kernel(), nullptr);
  EXPECT_EQ(bench_->kernel()->id, "mine");
  EXPECT_EQ(bench_->value("stride"), 4);
  ASSERT_NE(bench_->picture(), nullptr);
  bench_->open_file("/nowhere/at/all.cu", "");
  EXPECT_TRUE(bench_->error());
}

TEST_F(WorkbenchTest, AFileIsCompiledAgainWithItsFoldersAndMacros) {
  bench_->open_file(file_.string(), "", {{"stride", 4}}, {{"/some/where"}, {}});
  settle();
  EXPECT_EQ(calls_.include_paths, (std::vector<std::string>{"/some/where"}));
  const ResultKey before = bench_->picture()->of;
  bench_->compile_with({{"/else/where"}, {{"N", "8"}}});
  EXPECT_NE(bench_->asked(), before);
  settle();
  EXPECT_EQ(calls_.include_paths, (std::vector<std::string>{"/else/where"}));
  ASSERT_EQ(calls_.defines.size(), 1u);
  EXPECT_EQ(calls_.defines[0].first, "N");
  EXPECT_EQ(bench_->value("stride"), 4);  // sliders stay
  EXPECT_EQ(bench_->picture()->of, bench_->asked());
  bench_->undo();
  settle();
  EXPECT_EQ(bench_->setup().compiler.include_paths, (std::vector<std::string>{"/some/where"}));
  EXPECT_EQ(bench_->asked(), before);
  EXPECT_EQ(bench_->picture()->of, before);
  bench_->open_kernel("strided");
  settle();
  EXPECT_TRUE(calls_.include_paths.empty());
}

TEST_F(WorkbenchTest, WhatWasAssumedIsListedGivenAndTakenBack) {
  bench_->open_file(file_.string(), "");
  settle();
  ASSERT_EQ(bench_->setup().assumed.size(), 1u);
  EXPECT_FALSE(bench_->give("nobody", "1"));
  EXPECT_FALSE(bench_->give("in", "buf:f32"));
  ASSERT_TRUE(bench_->give("in", "buf:f32:64:iota"));
  settle();
  EXPECT_EQ(bench_->kernel()->arguments[0], "buf:f32:64:iota");
  EXPECT_EQ(bench_->setup().assumed[0].why.key, "assumed.yours");
  EXPECT_EQ(bench_->picture()->of, bench_->asked());
  // An edit makes the kernel anew, and keeps it.
  bench_->set_text(bench_->text() + "\n// more\n", 0);
  settle(1);
  EXPECT_EQ(bench_->kernel()->arguments[0], "buf:f32:64:iota");
  bench_->take_back("in");
  settle(1);
  EXPECT_NE(bench_->kernel()->arguments[0], "buf:f32:64:iota");
  EXPECT_TRUE(bench_->setup().given.empty());
}

TEST_F(WorkbenchTest, TimeStepsForwardAndBackAndPlaysToTheEnd) {
  bench_->open_kernel("strided");
  settle();
  ASSERT_EQ(bench_->timeline().size(), 4u);  // load and store of two warps
  bench_->go_to_stop(0, false);
  bench_->next();
  EXPECT_EQ(bench_->stop(), 1u);
  EXPECT_LT(bench_->cursor().phase, 1.0f);
  bench_->back();
  EXPECT_EQ(bench_->stop(), 0u);
  EXPECT_EQ(bench_->cursor().phase, 1.0f);
  bench_->play(true);
  double now = 100;
  for (int i = 0; i < 60 * 60 && bench_->playing(); ++i) bench_->tick(now += 1.0 / 60);
  EXPECT_FALSE(bench_->playing());
  EXPECT_EQ(bench_->stop(), 3u);
  EXPECT_GT(bench_->next_wake(now), 1e6) << "a finished animation must not keep the processor busy";
}

TEST_F(WorkbenchTest, ReducedMotionShowsStillsOnly) {
  bench_->settings.reduce_motion = true;
  bench_->open_kernel("strided");
  settle();
  bench_->go_to_stop(0, false);
  bench_->next();
  EXPECT_EQ(bench_->cursor().phase, 1.0f);
}

TEST_F(WorkbenchTest, OneWarpCanBeFollowed) {
  bench_->open_kernel("strided");
  settle();
  bench_->follow_warp(1);
  EXPECT_EQ(bench_->timeline().size(), 2u);
  bench_->follow_warp({});
  EXPECT_EQ(bench_->timeline().size(), 4u);
}

TEST_F(WorkbenchTest, SelectingALineMovesTimeToItAndTwiceClearsIt) {
  bench_->open_kernel("strided");
  settle();
  bench_->go_to_stop(0, false);
  visual::Target line;
  line.line = 4;
  bench_->select(line);
  EXPECT_EQ(bench_->current_line(), 4);
  EXPECT_EQ(bench_->selection().line, 4);
  bench_->select(line);
  EXPECT_TRUE(bench_->selection().empty());
}

TEST_F(WorkbenchTest, SelectingABlockTracesThatBlock) {
  bench_->open_kernel("strided");
  settle();
  visual::Target block;
  block.block = 7;
  bench_->select(block);
  settle();
  ASSERT_EQ(bench_->picture()->run->trace.blocks().size(), 1u);
  EXPECT_EQ(bench_->picture()->run->trace.blocks()[0].block, 7u);
}

TEST_F(WorkbenchTest, TheSweepTriesEveryValueOfTheFirstSlider) {
  bench_->open_kernel("strided");
  settle();
  ASSERT_NE(bench_->swept(), nullptr);
  ASSERT_EQ(bench_->swept()->points.size(), 16u);
  EXPECT_EQ(bench_->swept()->points[1].value, 2);
  EXPECT_DOUBLE_EQ(bench_->swept()->points[1].focus.global->per_request(), 8.0) << "the load's, not 6.0";
  EXPECT_FALSE(bench_->swept()->points[1].focus.shared);
  EXPECT_TRUE(bench_->swept()->whole) << "a small launch is counted whole";
  const std::uint64_t serial = bench_->sweep_serial();
  bench_->set_value("stride", 5);
  settle();
  EXPECT_EQ(bench_->sweep_serial(), serial) << "the curve does not depend on where its slider stands";
}

TEST_F(WorkbenchTest, ACurveThatWasCountedIsNotCountedAgain) {
  bench_->open_kernel("strided");
  settle();
  ASSERT_TRUE(bench_->swept());
  const int first = calls_.runs;
  bench_->set_value("blocks", 16);
  settle();
  const int second = calls_.runs - first;
  EXPECT_GT(second, 2 * 16) << "another launch has another curve: of block 0, then of all";
  bench_->set_value("blocks", 32);
  settle();
  EXPECT_EQ(calls_.runs - first - second, 2) << "the picture's traced blocks, and its whole launch";
  ASSERT_TRUE(bench_->swept());
  EXPECT_EQ(bench_->swept()->points.size(), 16u);
  EXPECT_TRUE(bench_->swept()->whole);
}

// A launch stands on the curves of all its sliders; on each it is where that slider stands.
TEST_F(WorkbenchTest, APointOfOneCurveIsAtItsOwnValueOnAnother) {
  bench_->open_kernel("strided");
  settle();
  bench_->sweep_over("blocks");
  settle();
  ASSERT_TRUE(bench_->swept());
  ASSERT_EQ(bench_->swept()->slider, "blocks");
  std::int64_t before = 0;
  for (const SweptPoint& point : bench_->swept()->points) {
    EXPECT_GT(point.value, before);
    before = point.value;
  }
  EXPECT_EQ(before, 64);
}

TEST_F(WorkbenchTest, NotesComeFromAnyThreadAndFade) {
  std::thread([&] { bench_->note({"window.stage.saved", {}}); }).join();
  bench_->tick(1);
  ASSERT_TRUE(bench_->toast());
  bench_->tick(100);
  EXPECT_FALSE(bench_->toast());
}

TEST_F(WorkbenchTest, ClosingWhileARunIsOnWaitsForNobody) {
  calls_.delay_ms = 100000;
  bench_->open_kernel("strided");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto start = std::chrono::steady_clock::now();
  bench_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST_F(WorkbenchTest, AReadOnlyFileIsNotReplaced) {
  const std::filesystem::path file = file_.string() + ".mine.cu";
  const std::string text = "__global__ void f() {}\n";
  ASSERT_TRUE(write_text(file, text));
  bench_->open_kernel("strided");
  settle();
  using std::filesystem::perms;
  std::filesystem::permissions(file, perms::owner_read | perms::group_read);
  const Status refused = bench_->save_text(file.string());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().said->key, "file.read_only");
  EXPECT_EQ(*read_text(file), text);
  std::filesystem::permissions(file, perms::owner_all);
  EXPECT_TRUE(bench_->save_text(file.string()));
  EXPECT_EQ(*read_text(file), bench_->text());
  std::filesystem::remove(file);
}

// Of the fake engine's run every load costs the same, and every store: two things are new.
TEST_F(WorkbenchTest, AClickerGoesFromOneNewThingToTheNext) {
  bench_->settings.reduce_motion = true;
  bench_->open_kernel("strided");
  settle();
  Playback& time = bench_->playback();
  ASSERT_GT(time.timeline().size(), 2u);
  ASSERT_EQ(time.way_points().size(), 2u);
  EXPECT_EQ(time.way_points().front(), 0u);
  const std::size_t second = time.way_points().back();
  EXPECT_NE(time.timeline().kind(0), time.timeline().kind(second));
  time.go_to_stop(0, false);
  time.next_way_point();
  EXPECT_EQ(time.stop(), second);
  time.next_way_point();
  EXPECT_EQ(time.stop(), second) << "behind the last one nothing is new";
  time.go_to_stop(time.timeline().size() - 1, false);
  time.last_way_point();
  EXPECT_EQ(time.stop(), second);
  time.last_way_point();
  EXPECT_EQ(time.stop(), 0u);
}

TEST_F(WorkbenchTest, TheNextAccessThatCostsMoreThanItMust) {
  bench_->settings.reduce_motion = true;
  bench_->open_kernel("strided");
  settle();
  Playback& time = bench_->playback();
  const auto excess = [&] {
    return model::step_excess(bench_->picture()->run->trace, time.timeline().step(time.stop()));
  };
  time.go_to_stop(0, false);
  std::size_t found = 0, before = 0;
  while (time.to_waste(1)) {
    EXPECT_GT(excess(), 0);
    EXPECT_GT(time.stop(), before);
    before = time.stop();
    ++found;
  }
  EXPECT_GT(found, 0u);
  ASSERT_TRUE(time.to_waste(-1));
  EXPECT_LT(time.stop(), before);
  EXPECT_GT(excess(), 0);
  bench_->set_value("stride", 1);
  settle();
  time.go_to_stop(0, false);
  EXPECT_FALSE(time.to_waste(1)) << "with stride 1 nothing is wasted";
  EXPECT_EQ(time.stop(), 0u);
}

}  // namespace
}  // namespace warplens::window
