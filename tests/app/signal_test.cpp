// The real program, ended by signals at moments that nobody chose: no process and no temporary file stays.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>
#include <vector>

#include "engine/base/assets.h"
#include "tests/support/places.h"

namespace warplens {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kPatience = 60s;  // a machine may be busy; what is waited for takes milliseconds
constexpr const char* kMark = "WARPLENS_SIGNAL_TEST";

class Signals : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::canonical(fs::temp_directory_path()) / ("warplens_signals_" + std::to_string(::getpid()));
    for (const char* name : {"tmp", "out"}) fs::create_directories(root_ / name);
    // Long enough for every stage of a compiler to be met: it instantiates a few hundred functions.
    ASSERT_TRUE(write_text(
        root_ / "kernel.cu",
        "template <int N> struct Sum { static __device__ float of(const float* p) {\n"
        "  return p[N] * Sum<N - 1>::of(p) + N; } };\n"
        "template <> struct Sum<0> { static __device__ float of(const float* p) { return p[0]; } };\n"
        "__global__ void k(float* p) { p[threadIdx.x] = Sum<400>::of(p); }\n"
        "int main() { float* p; cudaMalloc(&p, 4096); k<<<64, 256>>>(p); }\n"));
  }
  void TearDown() override { fs::remove_all(root_); }

  pid_t start(int run) const {
    return start(
        run, {"trace", (root_ / "kernel.cu").string(), "--json", (root_ / "out" / "report.json").string()});
  }
  pid_t start(int run, std::vector<std::string> words) const {
    const std::string cache = (root_ / ("cache" + std::to_string(run))).string();
    std::fflush(nullptr);  // or the child would write what waits here once more
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::setenv("TMPDIR", (root_ / "tmp").c_str(), 1);
    ::setenv("WARPLENS_CACHE", cache.c_str(), 1);
    ::setenv(kMark, root_.c_str(), 1);
    fs::create_directories(cache);
    words.insert(words.begin(), tests::program());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    static_cast<void>(!std::freopen("/dev/null", "w", stdout));
    static_cast<void>(!std::freopen("/dev/null", "w", stderr));
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }

  // Processes that the program has started, directly or not: they have its environment.
  std::vector<std::string> left() const {
    std::vector<std::string> found;
    const std::string mark = std::string(kMark) + "=" + root_.string();
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::ifstream stream(entry.path() / "environ", std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(stream), {}};
      if (text.find(mark) != std::string::npos) found.push_back(entry.path().filename());
    }
    return found;
  }
  template <typename Condition>
  static bool comes_true(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(10ms);
    }
    return true;
  }

  fs::path root_;
};

TEST_F(Signals, LeaveNoProcessAndNoTemporaryFileAtWhateverMoment) {
  // Most of a run is the compiler's; the last moments are beyond the end of most runs.
  std::mt19937 random(20251122);
  std::uniform_int_distribution<int> moments(0, 3000);
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGKILL};
  for (int run = 0; run < 15; ++run) {
    const int signal = signals[run % 5], moment = moments(random);
    SCOPED_TRACE("signal " + std::to_string(signal) + " after " + std::to_string(moment) + " ms");
    const pid_t program = start(run);
    ASSERT_GT(program, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(moment));
    ::kill(program, signal);
    ASSERT_TRUE(comes_true([&] { return ::waitpid(program, nullptr, WNOHANG) != 0; }));
    EXPECT_TRUE(comes_true([&] { return left().empty(); })) << testing::PrintToString(left());
    EXPECT_TRUE(comes_true([&] { return fs::is_empty(root_ / "tmp"); }));
    for (const auto& entry : fs::directory_iterator(root_ / "out"))
      EXPECT_EQ(entry.path().extension(), ".json");
  }
}

// What a user's program is doing when `warplens run` is ended ends too.
TEST_F(Signals, AWholeProgramDoesNotOutliveTheRun) {
  const fs::path program = root_ / "program.sh", started = root_ / "started";
  ASSERT_TRUE(write_text(
      program, "#!/bin/sh\necho yes > " + started.string() + "\nwhile true; do sleep 0.05; done\n"));
  fs::permissions(program, fs::perms::owner_all);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGKILL}) {
    SCOPED_TRACE(signal);
    const pid_t run = start(0, {"run", "--", program.string()});
    ASSERT_GT(run, 0);
    ASSERT_TRUE(comes_true([&] { return fs::exists(started); }));
    ::kill(run, signal);
    EXPECT_TRUE(comes_true([&] { return ::waitpid(run, nullptr, WNOHANG) != 0; }));
    EXPECT_TRUE(comes_true([&] { return left().empty(); })) << testing::PrintToString(left());
    EXPECT_TRUE(comes_true([&] { return fs::is_empty(root_ / "tmp"); }));
    fs::remove(started);
  }
}

}  // namespace
}  // namespace warplens
