// The program's side of the worker, against a worker that this test plays itself: no GPU is needed to see
// what happens when a measurement is stopped.
#include "engine/gpu/worker_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace warplens::gpu {
namespace {

using Clock = std::chrono::steady_clock;

void pause(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// quick: answers. slow: two seconds in small steps, each with a sign of life and a look for the wish to stop.
// deaf: the same time without either. crossing: a sign of life, and the answer right behind it.
void play_worker(int socket) {
  Channel channel(socket);
  for (;;) {
    const Result<Frame> request = channel.receive(-1);
    if (!request) return;
    const std::string what = request->head.value("do", "");
    if (what == "stop") continue;
    bool stopped = false;
    for (int i = 0; what == "slow" && i < 200 && !stopped; ++i) {
      pause(10);
      const Result<Frame> said = channel.receive(0);
      stopped = said && said->head.value("do", "") == "stop";
      if (!stopped && !channel.send({{{"progress", i / 200.0}}, {}})) return;
    }
    if (what == "deaf") pause(2000);
    if (what == "crossing" && !channel.send({{{"progress", 0.5}}, {}})) return;
    if (!channel.send({{{"answers", what}, {"process", ::getpid()}}, {}})) return;
  }
}

// The test's own program started as `... gpu-worker FD` is the worker, before any test runs.
const bool kIsTest = [] {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string program, word, socket;
  std::getline(in, program, '\0');
  std::getline(in, word, '\0');
  std::getline(in, socket, '\0');
  if (word != "gpu-worker") return true;
  play_worker(std::stoi(socket));
  ::_exit(0);
}();

class WorkerProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kIsTest);
    ::setenv("WARPLENS_WORKER", "/proc/self/exe", 1);
    auto started = WorkerProcess::start();
    ::unsetenv("WARPLENS_WORKER");
    ASSERT_TRUE(started) << started.error().text();
    worker_ = std::move(*started);
    // Starting a program takes as long as the machine likes; what is timed below is a worker that listens.
    ASSERT_TRUE(ask("quick"));
  }
  Result<Frame> ask(const char* what, int looks = 1'000'000) {
    return worker_->ask({{{"do", what}}, {}}, 10, [&](double) { return looks-- > 0; });
  }
  std::unique_ptr<WorkerProcess> worker_;
};

TEST_F(WorkerProcessTest, AStoppedMeasurementKeepsItsProcess) {
  const auto first = ask("quick");
  ASSERT_TRUE(first);
  for (int i = 0; i < 3; ++i) {
    const Clock::time_point begin = Clock::now();
    const auto stopped = ask("slow", 2);
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(1)) << "it did not go on to its end";
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().kind, ErrorKind::Cancelled);
    ASSERT_TRUE(worker_->alive());
    const auto next = ask("quick");
    ASSERT_TRUE(next) << next.error().text();
    EXPECT_EQ(next->head["answers"], "quick") << "no answer of the stopped request comes late";
    EXPECT_EQ(next->head["process"], first->head["process"]);
  }
}

TEST_F(WorkerProcessTest, AnAnswerThatCrossesTheWishToStopIsNotTakenForTheNext) {
  for (int i = 0; i < 20; ++i) {
    const auto stopped = ask("crossing", 0);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().kind, ErrorKind::Cancelled);
    const auto next = ask("quick");
    ASSERT_TRUE(next) << next.error().text();
    EXPECT_EQ(next->head["answers"], "quick");
  }
}

TEST_F(WorkerProcessTest, OneThatDoesNotListenIsEnded) {
  const Clock::time_point begin = Clock::now();
  const auto stopped = ask("deaf", 0);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::Cancelled);
  EXPECT_FALSE(worker_->alive());
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(1800));
  EXPECT_FALSE(ask("quick")) << "the next session starts a new one";
}

}  // namespace
}  // namespace warplens::gpu
