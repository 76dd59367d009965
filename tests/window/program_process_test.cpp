// Programs that are watched: what they print, what they are given, how they end, and that nothing outlives
// them. A shell stands for the program.
#include "app/model/program/program_process.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "engine/source/private_folder.h"

namespace warplens::model {
namespace {

using ::testing::HasSubstr;
using Wish = ProgramWatcher::Wish;

class Watcher : public ProgramWatcher {
 public:
  void on_output(std::string_view bytes) override { output += bytes; }
  void on_event(const RunEvents::Json& line) override { events.push_back(line.dump()); }
  void on_turn(double seconds) override { idle = std::max(idle, seconds); }
  Wish wish() override { return output.find(stop_at) == std::string::npos ? Wish::GoOn : how; }
  std::string typed() override { return std::exchange(input, {}); }

  std::string output, input, stop_at = "never said";
  Wish how = Wish::Interrupt;
  std::vector<std::string> events;
  double idle = 0;
};

class Watched : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = source::PrivateFolder::make();
    ASSERT_TRUE(made);
    room_.emplace(std::move(*made));
  }
  Result<ProgramEnd> run(const std::string& script) {
    return run_watched({"/bin/sh", "-c", script}, "/", {}, room_->path(), watcher_);
  }
  // One that has ended and that nobody has asked for yet lives no more.
  static bool lives(const std::string& process) {
    for (int i = 0; i < 50; ++i) {
      std::ifstream stat("/proc/" + process.substr(0, process.find('\n')) + "/stat");
      std::string number, name, state;
      if (!(stat >> number >> name >> state) || state == "Z") return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  Watcher watcher_;
  std::optional<source::PrivateFolder> room_;
};

TEST_F(Watched, PrintsOnATerminalInItsFolderAndPassesItsCodeOn) {
  const auto end = run("pwd; test -t 1 && echo terminal; echo wrong >&2; exit 3");
  ASSERT_TRUE(end) << end.error().text();
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(end->ending, "exited");
  EXPECT_EQ(watcher_.output, "/\nterminal\nwrong\n");
}

TEST_F(Watched, TellsTheEventsOfItsLog) {
  const auto end = run(
      "log=$(echo \"$WARPLENS_RUN\" | sed 's/.*\"log\":\"\\([^\"]*\\)\".*/\\1/');"
      "printf '{\"launch\":{\"index\":0}}\\n{\"lau' >> $log; sleep 0.3; printf 'nch\":{\"index\":1}}\\nhalf' "
      ">> $log");
  ASSERT_TRUE(end) << end.error().text();
  EXPECT_THAT(watcher_.events,
              ::testing::ElementsAre("{\"launch\":{\"index\":0}}", "{\"launch\":{\"index\":1}}"));
}

TEST_F(Watched, ReadsWhatIsTypedAndTheEndOfIt) {
  watcher_.input = "first\nsecond\n\x04";
  const auto end = run("while read line; do echo got $line; done; echo end");
  ASSERT_TRUE(end) << end.error().text();
  EXPECT_EQ(watcher_.output, "got first\ngot second\nend\n");
}

TEST_F(Watched, WhoWaitsIsIdle) {
  watcher_.stop_at = "asks";
  watcher_.how = Wish::GoOn;
  std::thread later([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    ::kill(std::stoi(watcher_.output.substr(5)), SIGTERM);
  });
  const auto end = run("echo asks $$; read line");
  later.join();
  ASSERT_TRUE(end) << end.error().text();
  EXPECT_GT(watcher_.idle, 0.7);
}

TEST_F(Watched, ACrashIsASignal) {
  const auto end = run("echo before; kill -SEGV $$");
  ASSERT_TRUE(end) << end.error().text();
  EXPECT_EQ(end->ending, "signalled");
  EXPECT_EQ(end->exit_code, 128 + SIGSEGV);
  EXPECT_EQ(watcher_.output, "before\n");
}

TEST_F(Watched, IsInterruptedAndThenKilledWithAllThatItStarted) {
  watcher_.stop_at = "ready";
  const auto end =
      run("trap '' INT HUP; sleep 1000 & echo child $!; echo ready; while true; do sleep 1; done");
  ASSERT_TRUE(end) << end.error().text();
  EXPECT_EQ(end->ending, "interrupted");
  EXPECT_GT(end->seconds, 2.5);  // it had time to end by itself
  EXPECT_FALSE(lives(watcher_.output.substr(6, watcher_.output.find('\n') - 6)));
}

TEST_F(Watched, AnOrphanOfAProgramThatEndedIsEndedAsWell) {
  const auto end = run("trap '' HUP; sleep 1000 & echo child $!");
  ASSERT_TRUE(end) << end.error().text();
  EXPECT_EQ(end->exit_code, 0);
  EXPECT_LT(end->seconds, 2);
  EXPECT_FALSE(lives(watcher_.output.substr(6)));
}

TEST_F(Watched, MegabytesComeWholeAndInOrder) {
  const auto end = run("i=0; while [ $i -lt 200000 ]; do echo line number $i; i=$((i+1)); done");
  ASSERT_TRUE(end) << end.error().text();
  EXPECT_GT(watcher_.output.size(), std::size_t{3} << 20);
  EXPECT_TRUE(watcher_.output.ends_with("line number 199999\n"));
}

TEST_F(Watched, WhatCannotBeStartedSaysWhy) {
  const auto none = run_watched({"/no/such/program"}, "/", {}, room_->path(), watcher_);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(), HasSubstr("cannot be started"));
  const auto folder = run_watched({"/bin/true"}, "/no/such/folder", {}, room_->path(), watcher_);
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().text(), HasSubstr("/no/such/folder"));
}

}  // namespace
}  // namespace warplens::model
