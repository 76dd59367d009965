// The real window in a virtual display: what it draws, what it says without a display, and that it sleeps.
#include "tests/window/screen.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "engine/base/assets.h"
#include "tests/support/places.h"

namespace {

namespace fs = std::filesystem;

using warplens::window::testing::Finished;
using warplens::window::testing::run_shell;
using warplens::window::testing::ScreenTest;

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < 4; ++i) n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
  return n;
}

struct PngFacts {
  std::uint32_t width = 0, height = 0;
  std::size_t bytes = 0;
};
PngFacts png_facts(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  const std::string bytes = text.str();
  if (bytes.size() < 33 || bytes.compare(1, 3, "PNG") != 0) return {};
  return {number_at(bytes, 16), number_at(bytes, 20), bytes.size()};
}

TEST_F(ScreenTest, ScreenshotHasTheAskedSizeAndIsNotBlank) {
  const Finished done =
      run_shell(binary("--lesson copy_strided --set stride=4 --theme light --language zh --size 1280x720 "
                       "--screenshot " +
                       shot("a.png") + " --after-frames 4"));
  ASSERT_EQ(done.code, 0) << done.error;
  const PngFacts facts = png_facts(shot("a.png"));
  EXPECT_EQ(facts.width, 1280u);
  EXPECT_EQ(facts.height, 720u);
  // One flat colour of this size compresses to a few kilobytes; panels, text and a view do not.
  EXPECT_GT(facts.bytes, 40000u);
}

TEST_F(ScreenTest, TheSameScreenshotTwiceIsTheSamePicture) {
  for (const char* name : {"b.png", "c.png"}) {
    const Finished done =
        run_shell(binary("--lesson copy --size 1280x720 --screenshot " + shot(name) + " --after-frames 4"));
    ASSERT_EQ(done.code, 0) << done.error;
  }
  const auto first = warplens::read_text(shot("b.png")), second = warplens::read_text(shot("c.png"));
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(*first == *second);
}

// The fonts of the first seconds are known: their atlas is not made again for each size as it is met.
TEST_F(ScreenTest, AWindowThatOpensMakesItsFontsOnce) {
  const std::string file = shot("opens.txt"), out = shot("opens.json");
  ASSERT_TRUE(warplens::write_text(file, "wait settled 60\nwait 0.3\nreport\n"));
  for (const char* language : {"en", "zh"}) {
    const Finished done =
        run_shell(binary(std::string("--language ") + language + " --script " + file) + " > " + out);
    ASSERT_EQ(done.code, 0) << done.error;
    const auto report = warplens::read_text(out);
    ASSERT_TRUE(report);
    EXPECT_EQ(nlohmann::json::parse(*report).at("atlases"), 1) << language;
  }
}

// Code that a hand makes lower still shows the line that everything else is about.
TEST_F(ScreenTest, TheLineUnderTheCursorStaysInSightOfLowerCode) {
  const std::string file = shot("lower.txt"), out = shot("lower.json");
  ASSERT_TRUE(warplens::write_text(file,
                                   "pull 1270 3 1271 3 0.1\nopen transpose_tile\nwait settled 60\nreport\n"
                                   "pull 500 600 500 260 0.5\nwait 0.3\nreport\n"));
  const Finished done = run_shell(binary("--size 1920x1080 --view bank-view --script " + file) + " > " + out);
  ASSERT_EQ(done.code, 0) << done.error;
  std::ifstream lines(out);
  std::string before, after;
  ASSERT_TRUE(std::getline(lines, before) && std::getline(lines, after));
  EXPECT_TRUE(nlohmann::json::parse(before).at("line_in_sight").get<bool>());
  const auto lower = nlohmann::json::parse(after);
  EXPECT_GT(lower.at("code_height").get<double>(), 0)
      << "the hand did not get hold of the line under the code";
  EXPECT_LT(lower.at("code_height").get<double>(), 260);
  EXPECT_TRUE(lower.at("line_in_sight").get<bool>());
}

TEST_F(ScreenTest, AComparisonIsDrawnAndItsFlawsAreNamed) {
  const std::string two = "--lesson copy_strided --set stride=8 --size 1280x720 ";
  const Finished done =
      run_shell(binary(two + "--compare stride=2 --view address-map --screenshot " + shot("e.png")));
  ASSERT_EQ(done.code, 0) << done.error;
  EXPECT_GT(png_facts(shot("e.png")).bytes, 40000u);
  const Finished kernel = run_shell(binary(two + "--compare no_such_kernel --screenshot " + shot("f.png")));
  EXPECT_EQ(kernel.code, 2);
  EXPECT_THAT(kernel.error, ::testing::HasSubstr("no_such_kernel"));
  const Finished view = run_shell(binary(two + "--view no_such_view --screenshot " + shot("f.png")));
  EXPECT_EQ(view.code, 2);
  EXPECT_THAT(view.error, ::testing::HasSubstr("no_such_view"));
}

// Software OpenGL draws only what has changed; a change of the theme draws everything.
TEST_F(ScreenTest, WhatIsDrawnInPartsIsWhatIsDrawnWhole) {
  const std::string file = (folder_ / "parts.txt").string();
  ASSERT_TRUE(warplens::write_text(
      file,
      "open copy_strided\nwait settled 60\nview address-map bank-view\ndrag stride 1 9 0.5\n"
      "wait picture 60\nview occupancy counters\ndrag stride 9 4 0.5\nwait settled 60\nwait "
      "0.3\nscreenshot " +
          shot("parts.png") + "\nlook light\nwait 0.2\nlook dark\nscreenshot " + shot("whole.png") + "\n"));
  const Finished done = run_shell(binary("--size 1280x720 --script " + file));
  ASSERT_EQ(done.code, 0) << done.error;
  const auto parts = warplens::read_text(shot("parts.png")), whole = warplens::read_text(shot("whole.png"));
  ASSERT_TRUE(parts && whole);
  EXPECT_GT(parts->size(), 30000u);
  EXPECT_TRUE(*parts == *whole);
}

TEST_F(ScreenTest, AScriptDrivesTheWindow) {
  const std::string file = (folder_ / "demo.txt").string(), out = (folder_ / "reports.txt").string();
  ASSERT_TRUE(
      warplens::write_text(file,
                           "open copy_strided\nwait settled 60\nset stride 8\nwait picture 60\nreport\n"
                           "view counters stalls\nscreenshot " +
                               shot("g.png") + "\n"));
  const Finished done = run_shell(binary("--size 1280x720 --script " + file) + " > " + out);
  ASSERT_EQ(done.code, 0) << done.error;
  const auto reports = warplens::read_text(out);
  ASSERT_TRUE(reports);
  EXPECT_THAT(*reports, ::testing::HasSubstr("\"stride\":8"));
  EXPECT_EQ(png_facts(shot("g.png")).width, 1280u);
  EXPECT_GT(png_facts(shot("g.png")).bytes, 30000u);
  ASSERT_TRUE(warplens::write_text(file, "open copy\nopen no_such_kernel\n"));
  const Finished wrong = run_shell(binary("--size 1280x720 --script " + file));
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.error, ::testing::HasSubstr("no_such_kernel"));
}

// What the shelf and the menu of devices are for the mouse; L unlinks the sides of a comparison.
TEST_F(ScreenTest, KernelsDevicesAndTheLinkHaveKeys) {
  const std::string file = (folder_ / "keys.txt").string(), out = (folder_ / "keys.json").string();
  ASSERT_TRUE(warplens::write_text(
      file,
      "open copy\nwait settled 60\npress n\nwait settled 60\nreport\npress d\nwait settled 60\nreport\n"
      "press c\nset offset 3\nset block 128\npress l\nset n 4096\nwait settled 60\nscreenshot " +
          shot("keys.png") + "\n"));
  const Finished done = run_shell(binary("--size 1600x1000 --script " + file, 300) + " > " + out);
  ASSERT_EQ(done.code, 0) << done.error;
  const auto said = warplens::read_text(out);
  ASSERT_TRUE(said);
  const std::size_t second = said->find('\n') + 1;
  EXPECT_THAT(said->substr(0, second), ::testing::HasSubstr("\"kernel\":\"copy_offset\""));
  EXPECT_THAT(said->substr(0, second), ::testing::HasSubstr("\"modelled_for\":\"H200 SXM\""));
  EXPECT_THAT(said->substr(second), ::testing::Not(::testing::HasSubstr("\"modelled_for\":\"H200 SXM\"")));
}

TEST_F(ScreenTest, TheOtherKernelsOfAFileAreBehindItsName) {
  const std::string source = (folder_ / "two.cu").string(), script = (folder_ / "two.txt").string();
  const std::string out = (folder_ / "two.json").string();
  ASSERT_TRUE(
      warplens::write_text(source,
                           "__global__ void first_one(float* a) { a[threadIdx.x] = 1.0f; }\n"
                           "__global__ void second_one(float* other) { other[threadIdx.x * 2] = 2.0f; }\n"));
  // The name stands in the bar at the top, its menu opens below it: a row of 22 for each kernel.
  ASSERT_TRUE(warplens::write_text(script, "file " + source +
                                               "\nwait settled 60\nreport\nclick 560 22\nwait 0.3\n"
                                               "click 552 82\nwait settled 60\nreport\n"));
  const Finished done = run_shell(binary("--size 1280x720 --script " + script) + " > " + out);
  ASSERT_EQ(done.code, 0) << done.error;
  const auto said = warplens::read_text(out);
  ASSERT_TRUE(said);
  const std::size_t second = said->find('\n') + 1;
  EXPECT_THAT(said->substr(0, second), ::testing::HasSubstr("\"a\":\"buf"));
  EXPECT_THAT(said->substr(second), ::testing::HasSubstr("\"other\":\"buf"));
}

// A text that no compiler comes to an end with: what takes long says so, and the cross on it and the key stop
// it.
TEST_F(ScreenTest, EscapeAndTheCrossStopACompiler) {
  const std::string source = (folder_ / "endless.cu").string(), script = (folder_ / "stop.txt").string();
  ASSERT_TRUE(warplens::write_text(
      source,
      "template <int N, int B> struct S { int v = S<N - 1, 2 * B>().v + S<N - 1, 2 * B + 1>().v; };\n"
      "template <int B> struct S<0, B> { int v = B; };\n__global__ void f(int* x) { *x = S<30, 1>().v; }\n"));
  // The pill stands in the middle above the transport, 420 wide, its cross 24 from its right end.
  const std::string begin = "file " + source + " f\nwait task 60\n";
  const auto ends_with = [&](const std::string& stop, int seconds) {
    EXPECT_TRUE(
        warplens::write_text(script, begin + stop + "\nwait settled " + std::to_string(seconds) + "\n"));
    return run_shell(binary("--size 1280x720 --script " + script));
  };
  const Finished cross = ends_with("screenshot " + shot("pill.png") + "\nclick 826 554", 10);
  EXPECT_EQ(cross.code, 0) << cross.error;
  const Finished key = ends_with("press escape", 10);
  EXPECT_EQ(key.code, 0) << key.error;
  // Beside the cross nothing is stopped: the wait fails, with its line. A short one, because on a quick
  // machine the compiler comes to its limit of memory within seconds.
  const Finished missed = ends_with("click 600 300", 1);
  EXPECT_EQ(missed.code, 2);
  EXPECT_THAT(missed.error, ::testing::HasSubstr("'settled' did not come within 1 s"));
}

// Whatever hands do, in both languages and on a small and a large window: afterwards a kernel opens as ever.
// The long run of this is described in docs/VERIFICATION.md.
TEST_F(ScreenTest, RandomInputLeavesAWindowThatWorks) {
  const fs::path files = folder_ / "files";
  fs::create_directories(files);
  ASSERT_TRUE(warplens::write_text(files / "no text \xff.cu", std::string("\x00\xff\xfe", 3)));
  ASSERT_TRUE(warplens::write_text(files / "mine.cu",
                                   "__global__ void k(float* a, int n) {\n  a[threadIdx.x] += n;\n}\n"
                                   "int main() { k<<<2, 64>>>(0, 3); }\n"));
  const std::string script = (folder_ / "monkey.txt").string(), out = (folder_ / "monkey.json").string();
  const char* sides[] = {"--size 1280x720 --language en", "--size 1900x1000 --language zh --theme light"};
  for (int seed = 1; seed <= 2; ++seed) {
    ASSERT_TRUE(warplens::write_text(script, "open copy_strided\nmonkey " + std::to_string(seed) + " 5 " +
                                                 files.string() + "\nopen copy\nwait picture 60\nreport\n"));
    // What is saved goes into a home of its own.
    const Finished done =
        run_shell("HOME=" + folder_.string() + " " +
                  binary(std::string(sides[seed - 1]) + " --script " + script) + " > " + out);
    ASSERT_EQ(done.code, 0) << done.error;
    const auto report = warplens::read_text(out);
    ASSERT_TRUE(report);
    EXPECT_THAT(*report, ::testing::HasSubstr("\"kernel\":\"copy\""));
    EXPECT_THAT(*report, ::testing::HasSubstr("\"faults\":0"));
    EXPECT_THAT(done.error, ::testing::ContainsRegex("click|drag|drop|key|rest|size|type|wheel"));
  }
}

TEST_F(ScreenTest, ScrubbingIsMeasured) {
  const std::string out = (folder_ / "scrub.json").string();
  const Finished done =
      run_shell(binary("--lesson copy --size 1280x720 --bench-scrub 6 --scrub-accesses 20000") + " > " + out);
  ASSERT_EQ(done.code, 0) << done.error;
  const auto json = warplens::read_text(out);
  ASSERT_TRUE(json);
  EXPECT_THAT(*json, ::testing::HasSubstr("\"frames\": 6"));
  EXPECT_THAT(*json, ::testing::HasSubstr("\"frames_per_second_median\""));
}

TEST_F(ScreenTest, UnknownKernelsAndSlidersAreNamed) {
  const Finished kernel = run_shell(binary("--lesson no_such_kernel --screenshot " + shot("d.png")));
  EXPECT_EQ(kernel.code, 2);
  EXPECT_THAT(kernel.error, ::testing::HasSubstr("no_such_kernel"));
  const Finished slider =
      run_shell(binary("--lesson copy_strided --set nothing=1 --screenshot " + shot("d.png")));
  EXPECT_EQ(slider.code, 2);
  EXPECT_THAT(slider.error, ::testing::HasSubstr("nothing"));
}

TEST(NoScreenTest, WithoutADisplayTheErrorSaysWhatToDo) {
  const Finished done =
      run_shell("env -u DISPLAY -u WAYLAND_DISPLAY " + warplens::tests::program() + " app --forget");
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.error, ::testing::HasSubstr("warplens render"));
}

// User and system time of a process and of nothing else, in clock ticks.
long ticks_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string skipped;
  long user = 0, system = 0;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  fields >> user >> system;
  return user + system;
}

pid_t child_named(const std::string& name, const std::string& marker) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream comm(entry.path() / "comm"), environ(entry.path() / "environ");
    std::string program, text((std::istreambuf_iterator<char>(environ)), {});
    std::getline(comm, program);
    if (program == name && text.find(marker) != std::string::npos) return std::stoi(pid);
  }
  return 0;
}

TEST_F(ScreenTest, AnIdleWindowUsesNoProcessorTime) {
  const std::string marker = "WARPLENS_IDLE_TEST=" + std::to_string(::getpid());
  const pid_t shell = ::fork();
  ASSERT_GE(shell, 0);
  if (shell == 0) {
    ::setpgid(0, 0);
    const std::string command = marker + " " + binary("--lesson copy --size 1280x720");
    ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  pid_t window = 0;
  for (int i = 0; i < 200 && window == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    window = child_named("warplens", marker);
  }
  long spent = 1000000;
  if (window != 0) {
    // Busy at first (compile, run, sweep); then it must come to rest.
    for (int i = 0; i < 20 && spent > 10; ++i) {
      const long before = ticks_of(window);
      std::this_thread::sleep_for(std::chrono::seconds(2));
      spent = ticks_of(window) - before;
    }
  }
  ::kill(-shell, SIGTERM);
  if (window != 0) ::kill(window, SIGTERM);
  ::waitpid(shell, nullptr, 0);
  ASSERT_NE(window, 0) << "the window did not start";
  // Ticks are hundredths of a second: at most 5 % of one core over two seconds.
  EXPECT_LE(spent, 10);
}

}  // namespace
