// Runs the real program in a virtual display, for the tests that look at the whole window.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/places.h"

namespace warplens::window::testing {

inline bool has_program(const char* name) {
  return std::system((std::string("command -v ") + name + " > /dev/null 2>&1").c_str()) == 0;
}

struct Finished {
  int code = -1;
  std::string error;
};

inline std::filesystem::path beside(const char* ending) {
  return std::filesystem::temp_directory_path() / ("warplens_screen_" + std::to_string(::getpid()) + ending);
}

inline std::string taken(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  std::filesystem::remove(file);
  return text.str();
}

// The code of what runs in a virtual display is that of the program, as it wrote it down: xvfb-run puts its
// own in its place when it cannot tidy up (5), which happens on a busy machine.
inline Finished run_shell(const std::string& command) {
  const int status = std::system(("(" + command + ") > /dev/null 2> " + beside(".log").string()).c_str());
  const std::string code = taken(beside(".code"));
  const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return {code.empty() ? ended : std::stoi(code), taken(beside(".log"))};
}

class ScreenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_program("xvfb-run")) GTEST_SKIP() << "xvfb-run is not installed";
    folder_ = beside("");
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string binary(const std::string& arguments, int most_seconds = 100) const {
    return "LIBGL_ALWAYS_SOFTWARE=1 timeout " + std::to_string(most_seconds) +
           " xvfb-run -a -s '-screen 0 1920x1200x24' sh -c '\"$@\"; code=$?; echo $code > " +
           beside(".code").string() + "; exit $code' sh " + tests::program() + " app --forget " + arguments;
  }
  std::string shot(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

}  // namespace warplens::window::testing
