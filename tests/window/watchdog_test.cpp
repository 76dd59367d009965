// Kernels that never end, in the window: each stops by itself or when the user wants, it is said, and the
// next kernel runs. What every shape of control flow does below the window: tests/app/watchdog_test.cpp.
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <thread>

#include "app/window/session/workbench.h"
#include "engine/base/assets.h"

namespace warplens::window {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHead =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry _Z1kPj(.param .u64 out)\n{\n.reg .pred "
    "%p<5>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, "
    "%tid.x;\nsetp.ge.u32 %p1, %r1, 5;\n";
constexpr const char* kEnds = "st.global.u32 [%rd1], %r1;\nret;\n";
// Nothing tells whether it has an end: what it counts stands in memory.
constexpr const char* kMayEnd =
    "A: ld.volatile.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, 1;\nst.volatile.global.u32 [%rd1], "
    "%r2;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra A;\nret;\n";
// Those that do nothing at all are faults at once.
constexpr std::array kNeverEnd = {
    "A: add.u32 %r2, %r2, 1;\nbra A;\n",
    "A: bra A;\n",
    "A: add.u32 %r2, %r2, 1;\nbra B;\nB: bra A;\n",
    "A: @%p1 bra A;\nbra A;\n",
    "@%p1 bra B;\nA: bra B;\nB: bra A;\n",
    "A: st.global.u32 [%rd1], %r2;\nbra A;\n",
    "A: bar.sync 0;\nbra A;\n",
    "L: .branchtargets A, B;\nA: and.b32 %r2, %r1, 1;\nbrx.idx %r2, L;\nB: bra A;\n",
};

class EndlessKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warplens_endless_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    auto devices = analysis::DeviceCatalogue::load();
    ASSERT_TRUE(devices);
    Engine engine = Engine::real();
    engine.inventory = nullptr;
    engine.execute = [this](const model::RunRequest& request, Progress* progress) {
      model::RunRequest patient = request;
      patient.options.block_seconds = block_seconds_;
      return model::execute(patient, progress);
    };
    bench_.emplace(model::Gallery{}, std::move(*devices), std::move(engine), [] {});
  }
  void TearDown() override {
    bench_.reset();
    fs::remove_all(folder_);
  }

  void open(const std::string& body) {
    const fs::path file = folder_ / (std::to_string(++opened_) + ".ptx");
    ASSERT_TRUE(write_text(file, kHead + body + "}\n"));
    bench_->open_file(file.string(), "", {});
  }
  // Until `done`, at most a time that no machine needs.
  template <typename Done>
  bool until(const Done& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done() && std::chrono::steady_clock::now() < end) {
      bench_->tick(0);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return done();
  }
  std::string ending() const {
    return bench_->picture() ? std::string(analysis::name(bench_->picture()->run->report.ending)) : "none";
  }

  fs::path folder_;
  int opened_ = 0;
  double block_seconds_ = 0.05;
  std::optional<Workbench> bench_;
};

TEST_F(EndlessKernels, EachStopsByItselfAndTheNextOneRuns) {
  for (const char* body : kNeverEnd) {
    open(body);
    ASSERT_TRUE(until([&] { return bench_->settled(); })) << body;
    EXPECT_THAT(ending(), ::testing::AnyOf("budget", "faulted"))
        << body << (bench_->error() ? bench_->error()->text() : "");
    EXPECT_LT(bench_->fraction(), 1) << body;
    open(kEnds);
    ASSERT_TRUE(until([&] { return bench_->settled(); })) << body;
    EXPECT_EQ(ending(), "completed") << body << (bench_->error() ? bench_->error()->text() : "");
  }
}

// Seen: such a loop in a user's file took more than half a minute, and then the view was Occupancy.
TEST_F(EndlessKernels, ALoopWithoutAnEndIsToldAtOnceWithItsPicture) {
  block_seconds_ = 0;  // nobody's patience ends it
  open(
      "mov.u32 %r3, 0;\nA: add.u32 %r2, %r2, 1;\nst.global.u32 [%rd1], %r2;\nsetp.lt.u32 %p2, %r3, 5;\n@%p2 "
      "bra "
      "A;\nret;\n");
  bench_->look_for_faults(false);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(until([&] { return bench_->settled(); }));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(ending(), "faulted");
  EXPECT_EQ(bench_->settings.views[0], "faults");
  EXPECT_EQ(bench_->swept(), nullptr) << "as long again for each value of a slider";
}

TEST_F(EndlessKernels, WhereNothingProvesItTheLoopIsNamedAndDrawnAsStopped) {
  block_seconds_ = 1;
  open(kMayEnd);
  ASSERT_TRUE(until([&] { return bench_->settled(); }));
  EXPECT_EQ(ending(), "budget");
  EXPECT_EQ(bench_->settings.views[0], "faults");
}

TEST_F(EndlessKernels, AStopIsSaidAndTheNextOneRuns) {
  block_seconds_ = 0;  // until somebody stops it
  open(kMayEnd);
  ASSERT_TRUE(until([&] { return bench_->seconds_running() > 0.1 && !bench_->compiling(); }));
  EXPECT_LT(shown_percent(bench_->fraction()), 100);
  bench_->cancel();
  ASSERT_TRUE(until([&] { return bench_->settled(); }));
  ASSERT_TRUE(bench_->error());
  EXPECT_EQ(bench_->error()->kind, ErrorKind::Cancelled);

  open(kEnds);
  ASSERT_TRUE(until([&] { return bench_->settled(); }));
  EXPECT_EQ(ending(), "completed");
  EXPECT_FALSE(bench_->error());
  // With a picture there is something to look at: it stays, and a note says what it is.
  bench_->set_text(std::string(kHead) + kMayEnd + "}\n", 0);
  ASSERT_TRUE(until([&] {
    bench_->tick(10);
    return bench_->seconds_running() > 0.1 && !bench_->compiling();
  }));
  bench_->cancel();
  ASSERT_TRUE(until([&] { return bench_->settled() && bench_->toast(); }));
  EXPECT_EQ(bench_->toast()->text.key, "window.run.stopped");
  EXPECT_EQ(ending(), "completed");
}

TEST_F(EndlessKernels, AnotherKernelTakesOverFromOneThatRuns) {
  block_seconds_ = 0;
  open(kMayEnd);
  ASSERT_TRUE(until([&] { return bench_->seconds_running() > 0.1; }));
  open(kEnds);
  ASSERT_TRUE(until([&] { return bench_->settled(); }));
  EXPECT_EQ(ending(), "completed");
}

}  // namespace
}  // namespace warplens::window
