// Compilers that a program leaves behind, in whatever way it ends: no process and no file of theirs stays.
// The compiler is a script that starts others, in sessions of their own too, and sleeps.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "engine/base/assets.h"
#include "engine/source/private_folder.h"
#include "engine/source/toolchain.h"
#include "engine/source/workroom.h"

namespace warplens::source {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kPatience = 60s;  // a machine may be busy; what is waited for takes milliseconds

class Keeper : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::canonical(fs::temp_directory_path()) / ("warplens_keeper_" + std::to_string(::getpid()));
    fs::create_directories(temporary());
    ::setenv("TMPDIR", temporary().c_str(), 1);
    ::setenv("WARPLENS_CACHE", (root_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("TMPDIR");
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  fs::path temporary() const { return root_ / "tmp"; }
  fs::path started() const { return root_ / "started"; }

  // A compiler that says its version, and else does what `script` says.
  std::string compiler(const std::string& script) const {
    const fs::path file = root_ / "nvcc";
    static_cast<void>(write_text(
        file, "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'release 13.0'; exit 0; fi\n" + script));
    fs::permissions(file, fs::perms::owner_all);
    return file.string();
  }
  // Three processes, one of them in another session, one whose parent has ended; files here and in $TMPDIR.
  std::string busy_compiler() const {
    return compiler(
        "echo part > half_done.ptx\necho more > \"$TMPDIR/tmpxft_1\"\nmkdir deep && echo x > deep/x\n"
        "setsid sleep 1000 &\n(sleep 1000 &)\nsleep 1000 &\n: > '" +
        started().string() + "'\nexec >&- 2>&-\nwait\nsleep 1000\n");
  }
  CompileOptions options() const {
    CompileOptions o;
    o.file = (root_ / "kernel.cu").string();
    o.text = "__global__ void k(int* p) { p[0] = 1; }\n";
    o.compiler = Compiler::Nvcc;
    return o;
  }
  static Toolchain only(const std::string& nvcc) {
    Toolchain tools;
    tools.nvcc = {.path = nvcc, .version = "nvcc of a test"};
    return tools;
  }

  // Processes that work in our folder for temporary files, or did before it was removed.
  std::vector<pid_t> processes() const {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::error_code ignored;
      const std::string where = fs::read_symlink(entry.path() / "cwd", ignored).string();
      if (where.starts_with(temporary().string()))
        found.push_back(static_cast<pid_t>(std::atoi(entry.path().filename().c_str())));
    }
    return found;
  }
  template <typename Condition>
  static bool comes_true(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(5ms);
    }
    return true;
  }
  void expect_nothing_left() const {
    EXPECT_TRUE(comes_true([&] { return processes().empty(); })) << testing::PrintToString(processes());
    EXPECT_TRUE(comes_true([&] { return fs::is_empty(temporary()); }));
  }

  // Another process compiles, until it is killed.
  pid_t program(const std::string& nvcc) const {
    const pid_t child = ::fork();
    if (child == 0) {
      static_cast<void>(compile_with(options(), only(nvcc)));
      ::_exit(0);
    }
    return child;
  }

  fs::path root_;
};

TEST_F(Keeper, NothingIsLeftWhenTheProgramIsKilledWhileACompilerRuns) {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGKILL}) {
    SCOPED_TRACE(signal);
    fs::remove(started());
    const pid_t child = program(busy_compiler());
    ASSERT_TRUE(comes_true([&] { return fs::exists(started()); }));
    EXPECT_GE(processes().size(), 4u);
    EXPECT_FALSE(fs::is_empty(temporary()));
    ::kill(child, signal);
    ::waitpid(child, nullptr, 0);
    expect_nothing_left();
  }
}

TEST_F(Keeper, NothingIsLeftAtWhateverMomentTheProgramIsKilled) {
  const std::string nvcc = busy_compiler();
  for (int i = 0; i < 24; ++i) {
    const pid_t child = program(nvcc);
    std::this_thread::sleep_for(std::chrono::microseconds(i * i * 100));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  expect_nothing_left();
}

TEST_F(Keeper, NothingIsLeftWhenTheWholeGroupIsKilled) {
  const pid_t leader = ::fork();
  if (leader == 0) {
    ::setpgid(0, 0);
    static_cast<void>(compile_with(options(), only(busy_compiler())));
    ::_exit(0);
  }
  ASSERT_TRUE(comes_true([&] { return fs::exists(started()); }));
  ::kill(-leader, SIGKILL);
  ::waitpid(leader, nullptr, 0);
  expect_nothing_left();
}

TEST_F(Keeper, ASignalToTheKeeperEndsTheCompilation) {
  const std::string nvcc = busy_compiler();
  std::thread user([&] {
    if (!comes_true([&] { return fs::exists(started()); })) return;
    for (const pid_t process : processes()) {
      const auto name = read_text("/proc/" + std::to_string(process) + "/comm");
      if (name && *name == "compile-keeper\n") ::kill(process, SIGTERM);
    }
  });
  const auto ptx = compile_with(options(), only(nvcc));
  user.join();
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().kind, ErrorKind::System);
  expect_nothing_left();
}

// It has closed its streams, so that only the clock tells.
TEST_F(Keeper, NothingIsLeftWhenTheKeeperOrItsGuardIsKilled) {
  for (const char* victim : {"compile-keeper\n", "compile-guard\n"}) {
    SCOPED_TRACE(victim);
    fs::remove(started());
    const std::string nvcc = busy_compiler();
    std::thread user([&] {
      if (!comes_true([&] { return fs::exists(started()); })) return;
      for (const pid_t process : processes()) {
        const auto name = read_text("/proc/" + std::to_string(process) + "/comm");
        if (name && *name == victim) ::kill(process, SIGKILL);
      }
    });
    const auto ptx = compile_with(options(), only(nvcc));
    user.join();
    ASSERT_FALSE(ptx);
    EXPECT_EQ(ptx.error().kind, ErrorKind::System);
    expect_nothing_left();
  }
}

TEST_F(Keeper, ACompilerThatSleepsWithoutStreamsIsStoppedInTime) {
  auto o = options();
  o.limits.seconds = 0.5;
  const auto ptx = compile_with(o, only(busy_compiler()));
  ASSERT_FALSE(ptx);
  EXPECT_THAT(ptx.error().message, testing::HasSubstr("took longer than 0.5 seconds"));
  expect_nothing_left();
}

TEST_F(Keeper, WhatACompilerLeavesRunningEndsWithIt) {
  const auto result = run_process({"/bin/sh", "-c", "(setsid sleep 1000 &) ; sleep 1000 & echo done"}, {});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->out, "done\n");
  EXPECT_EQ(result->status, 0);
  expect_nothing_left();
}

TEST_F(Keeper, AFloodOfOutputDoesNotOutliveTheLimit) {
  const auto result = run_process({"/bin/sh", "-c", "exec yes"}, {.limits = {.seconds = 0.5}});
  ASSERT_FALSE(result);
  expect_nothing_left();
}

TEST_F(Keeper, FoldersOfDeadKeepersAreRemovedAndNoOthers) {
  const fs::path dead = temporary() / "warplens-compile-abc123",
                 alive = temporary() / "warplens-compile-def456", other = temporary() / "warplens-notes",
                 link = temporary() / "warplens-compile-ghi789";
  for (const fs::path& folder : {dead, alive, other}) {
    fs::create_directories(folder / "deep");
    ASSERT_TRUE(write_text(folder / "deep" / "x", "x"));
  }
  fs::create_directory_symlink(other, link);
  const int lock = ::open(alive.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  remove_abandoned_folders();
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alive / "deep" / "x"));
  EXPECT_TRUE(fs::exists(other / "deep" / "x"));
  ::close(lock);
  remove_abandoned_folders();
  EXPECT_FALSE(fs::exists(alive));
}

// An error on a line of the text is one every time; a header that is missing may be there tomorrow.
TEST_F(Keeper, ATextThatDoesNotCompileIsTriedOnce) {
  const auto runs = [&] {
    const auto text = read_text(root_ / "runs");
    return text ? std::count(text->begin(), text->end(), '\n') : 0;
  };
  const auto failing = [&](const std::string& message) {
    return only(compiler("echo >> '" + (root_ / "runs").string() + "'\necho '" + message + "'\nexit 2\n"));
  };
  auto o = options();
  const auto first = compile_with(o, failing(o.file + "(1): error: no such thing"));
  const auto again = compile_with(o, failing(o.file + "(1): error: no such thing"));
  ASSERT_FALSE(first);
  ASSERT_FALSE(again);
  EXPECT_EQ(runs(), 1);
  EXPECT_EQ(first.error().text(), again.error().text());
  EXPECT_EQ(again.error().place, (Place{o.file, 1, 0}));
  o.text = "#include <may_come.h>\n" + o.text;
  for (int i = 0; i < 2; ++i)
    EXPECT_FALSE(compile_with(o, failing(o.file + ":1:10: fatal error: may_come.h")));
  EXPECT_EQ(runs(), 3);
  o.text += "\n";
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(compile_with(o, failing("nvcc fatal   : no host compiler")));
  EXPECT_EQ(runs(), 5);
}

TEST_F(Keeper, ADamagedEntryOfTheCacheHeals) {
  const Toolchain tools = only(compiler("for last; do :; done\necho '.entry k' > \"$last\"\n"));
  ASSERT_TRUE(compile_with(options(), tools));
  ASSERT_TRUE(compile_with(options(), tools)->from_cache);
  for (const std::string damage :
       {"", "{\"ptx\":\"\",\"compiler\":1,\"version\":\"\",\"warnings\":[]}", "x\n{}"}) {
    for (const auto& entry : fs::directory_iterator(root_ / "cache" / "ptx"))
      ASSERT_TRUE(write_text(entry.path(), damage));
    const auto ptx = compile_with(options(), tools);
    ASSERT_TRUE(ptx) << ptx.error().text();
    EXPECT_FALSE(ptx->from_cache);
    EXPECT_EQ(ptx->text, ".entry k\n");
  }
}

}  // namespace
}  // namespace warplens::source
