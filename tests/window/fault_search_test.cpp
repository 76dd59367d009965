// Faults that cost time to find are looked for behind the picture: where a switch says so, and never before
// it.
#include <gmock/gmock.h>

#include "tests/window/workbench_fixture.h"

namespace warplens::window {
namespace {

// Finds a race when every check is on.
class FaultSearchTest : public testing::WorkbenchTest {
 protected:
  Engine make_engine() override {
    Engine e = testing::engine(calls_);
    e.execute = [this](const model::RunRequest& request,
                       Progress* progress) -> Result<std::shared_ptr<const model::Run>> {
      auto ran = testing::fake_run(request, progress, calls_);
      if (!ran || request.options.checks != simt::Checks::All) return ran;
      ++searches_;
      blocks_ = request.options.only_blocks.size();
      auto run = std::make_shared<model::Run>(**ran);
      trace::Fault race;
      race.kind = trace::FaultKind::Race;
      race.line = 3;
      run->report.faults = {race};
      run->report.faults_total = 7;
      if (fatal_in_block_ >= 0) {
        // Blocks of other workers may have come further than the fault.
        run->report.faults[0].block = {static_cast<std::uint32_t>(fatal_in_block_), 0, 0};
        run->report.ending = analysis::Ending::Faulted;
        run->report.blocks_run = static_cast<std::uint64_t>(fatal_in_block_) + 2;
      }
      return std::shared_ptr<const model::Run>(run);
    };
    return e;
  }
  std::atomic<int> searches_{0};
  std::atomic<std::size_t> blocks_{0};
  std::atomic<int> fatal_in_block_{-1};
};

TEST_F(FaultSearchTest, InAFileOfTheUserAndNotInAKernelThatIsAboutSomethingElse) {
  bench_->open_kernel("strided");
  settle();
  EXPECT_FALSE(bench_->looks_for_faults());
  EXPECT_EQ(searches_, 0);
  bench_->open_file(file_.string(), "");
  settle();
  EXPECT_TRUE(bench_->looks_for_faults());
  EXPECT_EQ(searches_, 1);
  ASSERT_TRUE(bench_->picture()->checked);
  EXPECT_EQ(bench_->picture()->report().faults_total, 7u);
  EXPECT_EQ(bench_->picture()->run->report.faults_total, 0u) << "the run for the picture looked for none";
  EXPECT_EQ(bench_->settings.views[0], "faults") << "what went wrong is shown";
}

TEST_F(FaultSearchTest, TheSwitchIsForWhatIsOpen) {
  bench_->open_kernel("strided");
  settle();
  bench_->look_for_faults(true);
  settle();
  ASSERT_TRUE(bench_->picture()->checked);
  EXPECT_EQ(bench_->picture()->checked->blocks, bench_->picture()->checked->blocks_total);
  bench_->set_value("blocks", 64);
  settle();
  ASSERT_TRUE(bench_->picture()->checked) << "of the new values";
  EXPECT_EQ(bench_->picture()->checked->blocks_total, 64u);
  bench_->look_for_faults(false);
  settle();
  EXPECT_FALSE(bench_->picture()->checked);
  bench_->open_kernel("other");
  settle();
  EXPECT_FALSE(bench_->looks_for_faults());
}

TEST_F(FaultSearchTest, OfALargeLaunchTheFirstBlocksAreLookedAt) {
  bench_->open_kernel("strided");
  settle();
  bench_->set_value("block", 1024);
  bench_->set_value("blocks", 64);
  bench_->look_for_faults(true);
  settle();
  ASSERT_TRUE(bench_->picture()->checked);
  EXPECT_EQ(blocks_, 32u);
  EXPECT_EQ(bench_->picture()->checked->blocks, 32u);
  EXPECT_EQ(bench_->picture()->checked->blocks_total, 64u);
}

// What no later block survived is not said to have been looked at in all of them.
TEST_F(FaultSearchTest, AFaultThatEndsTheLaunchEndsTheLook) {
  bench_->open_kernel("strided");
  settle();
  fatal_in_block_ = 5;
  bench_->look_for_faults(true);
  settle();
  const auto checked = bench_->picture()->checked;
  ASSERT_TRUE(checked);
  EXPECT_TRUE(checked->complete);
  EXPECT_TRUE(checked->ended);
  EXPECT_EQ(checked->blocks, 5u);
  EXPECT_EQ(checked->blocks_total, 32u);
  fatal_in_block_ = -1;  // faults that a launch survives
  bench_->set_value("blocks", 16);
  settle();
  ASSERT_TRUE(bench_->picture()->checked);
  EXPECT_FALSE(bench_->picture()->checked->ended);
  EXPECT_EQ(bench_->picture()->checked->blocks, 16u);
}

// Seen: an edit that made it fault left the view of before, and beside it stood the dim time of other values.
class FaultingLaunch : public testing::WorkbenchTest {
 protected:
  Engine make_engine() override {
    Engine e = testing::engine(calls_);
    e.execute = [this](const model::RunRequest& request,
                       Progress* progress) -> Result<std::shared_ptr<const model::Run>> {
      auto ran = testing::fake_run(request, progress, calls_);
      if (!ran || !wrong_) return ran;
      auto run = std::make_shared<model::Run>(**ran);
      trace::Fault past;
      past.kind = trace::FaultKind::OutOfBounds;
      past.line = 3;
      run->report.faults = {past};
      run->report.faults_total = 1;
      run->report.ending = analysis::Ending::Faulted;
      return std::shared_ptr<const model::Run>(run);
    };
    return e;
  }
  std::atomic<bool> wrong_{false};
};

TEST_F(FaultingLaunch, IsShownWhenAnEditMadeItWrongAndGoesWhenItIsMended) {
  bench_->open_kernel("strided");
  settle();
  const auto before = bench_->settings.views;
  const std::string text = bench_->text();
  ASSERT_NE(before[0], "faults");
  wrong_ = true;
  bench_->set_text(text + "\n// wrong\n", 1.0);
  settle(3.0);
  EXPECT_EQ(bench_->settings.views[0], "faults");
  wrong_ = false;
  bench_->set_text(text + "\n// right\n", 5.0);
  settle(7.0);
  EXPECT_EQ(bench_->settings.views, before);
  // Who has chosen a view keeps it.
  bench_->keep_views({"address-map", "bank-view"});
  wrong_ = true;
  bench_->set_text(text, 9.0);
  settle(11.0);
  EXPECT_EQ(bench_->settings.views[0], "address-map");
}

}  // namespace
}  // namespace warplens::window
