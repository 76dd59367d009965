// What two want at the same time is made once.
#include "engine/source/cache_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "engine/source/compile.h"

namespace warplens::source {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

class CacheLocks : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warplens_cache_lock_test_" + std::to_string(::getpid()));
    ::setenv("WARPLENS_CACHE", folder_.c_str(), 1);
  }
  void TearDown() override { fs::remove_all(folder_); }
  static double seconds_since(steady_clock::time_point then) {
    return std::chrono::duration<double>(steady_clock::now() - then).count();
  }

  fs::path folder_;
};

TEST_F(CacheLocks, TheSecondWaitsUntilTheFirstHasDone) {
  std::optional<CacheLock> first(std::in_place, "key", 60);
  ASSERT_TRUE(first->held());
  std::atomic<bool> done = false;
  bool done_before = false;
  std::thread second([&] {
    const CacheLock lock("key", 60);
    done_before = done && lock.held();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  done = true;
  first.reset();
  second.join();
  EXPECT_TRUE(done_before);
  EXPECT_TRUE(fs::is_empty(folder_ / "ptx"));  // nobody leaves anything
}

TEST_F(CacheLocks, OtherKeysWaitForNobody) {
  const CacheLock first("one", 60), second("another", 60);
  EXPECT_TRUE(first.held() && second.held());
}

TEST_F(CacheLocks, PatienceEndsAndSoDoesACancelledTask) {
  const CacheLock first("key", 60);
  const auto begin = steady_clock::now();
  const CacheLock second("key", 0.05);
  EXPECT_FALSE(second.held());
  EXPECT_GE(seconds_since(begin), 0.05);
  Progress cancelled;
  cancelled.cancel();
  const CacheLock third("key", 60, &cancelled);
  EXPECT_FALSE(third.held());
  EXPECT_LT(seconds_since(begin), 30);
}

TEST_F(CacheLocks, AnOwnerThatWasKilledHasNone) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    const CacheLock lock("key", 60);
    const char held = lock.held() ? 'y' : 'n';
    if (::write(ready[1], &held, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char held = 'n';
  ASSERT_EQ(::read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, 'y');
  EXPECT_FALSE(CacheLock("key", 0.02).held());
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  EXPECT_TRUE(CacheLock("key", 60).held());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(CacheLocks, WhereNoFolderCanBeMadeNobodyWaits) {
  ::setenv("WARPLENS_CACHE", "/dev/null/cache", 1);
  const auto begin = steady_clock::now();
  EXPECT_FALSE(CacheLock("key", 60).held());
  EXPECT_LT(seconds_since(begin), 30);
}

TEST_F(CacheLocks, TwoThatCompileTheSameCompileItOnce) {
  CompileOptions options;
  options.text = "__global__ void twice(float* x) { x[threadIdx.x] *= 2; }\n";
  std::optional<Result<Ptx>> one, another;
  std::thread beside([&] { one.emplace(compile(options)); });
  another.emplace(compile(options));
  beside.join();
  if (!*one && one->error().kind == ErrorKind::System) GTEST_SKIP() << one->error().text();
  ASSERT_TRUE(*one && *another);
  EXPECT_NE((*one)->from_cache, (*another)->from_cache);
  EXPECT_EQ((*one)->text, (*another)->text);
}

}  // namespace
}  // namespace warplens::source
