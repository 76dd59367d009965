// What the window says is said to its end: at the size of a small projector, in both languages, no view and
// no panel breaks a sentence off.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/base/assets.h"
#include "tests/window/screen.h"

namespace {

using warplens::window::testing::Finished;
using warplens::window::testing::run_shell;
using warplens::window::testing::ScreenTest;

struct Shown {
  const char* kernel;
  std::vector<const char*> views;
};
const std::vector<Shown>& shown() {
  static const std::vector<Shown> all = {
      {"copy_strided", {"address-map", "timing", "roofline", "counters", "time-parts", "devices"}},
      {"transpose_tile", {"bank-view", "matrix"}},
      {"block_reduction", {"active-lanes", "grid-overview"}},
      {"block_size", {"occupancy"}},
      {"matmul_tiled", {"hierarchy", "source"}},
      {"independent_work", {"sm-in-motion", "stalls"}},
      {"thread_mapping", {"threads"}},
      {"ldmatrix_tile", {"fragments"}},
      {"tile_barriers", {"faults"}},
      {"streams", {"streams"}},
      {"structures", {"address-map"}},
      {"switch_ways", {"active-lanes"}},
      {"host_transfer", {"transfers"}},
  };
  return all;
}

// A sentence ends, a name or a line of code does not.
bool is_sentence(const std::string& text) {
  return text.ends_with('.') || text.ends_with("。") || text.find(". ") != std::string::npos ||
         text.find("。") != std::string::npos;
}

class CutText : public ScreenTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(CutText, NoSentenceIsBrokenOff) {
  std::string script = "pull 1270 3 1271 3 0.1\n";
  std::vector<std::string> names;
  for (const Shown& one : shown()) {
    script += std::string("open ") + one.kernel + "\n";
    for (const char* view : one.views) {
      script += std::string("view ") + view + "\nwait settled 60\nwait 0.2\nreport\n";
      names.push_back(std::string(one.kernel) + ", " + view);
    }
  }
  const std::string file = (folder_ / "cut.txt").string(), out = (folder_ / "cut.json").string();
  ASSERT_TRUE(warplens::write_text(file, script));
  const Finished done =
      run_shell(binary(std::string("--size 1280x720 --language ") + GetParam() + " --script " + file, 400) +
                " > " + out);
  ASSERT_EQ(done.code, 0) << done.error;
  std::ifstream lines(out);
  std::size_t reports = 0;
  for (std::string line; std::getline(lines, line); ++reports) {
    ASSERT_LT(reports, names.size());
    for (const auto& cut : nlohmann::json::parse(line).at("cut"))
      EXPECT_FALSE(is_sentence(cut.get<std::string>())) << names[reports] << ": " << cut;
  }
  EXPECT_EQ(reports, names.size());
}

// Neither is what a speaker shows: the name of the kernel, its numbers' names, what stands beside them.
TEST_P(CutText, ASpeakersColumnIsWhole) {
  const std::string file = (folder_ / "speak.txt").string(), out = (folder_ / "speak.json").string();
  ASSERT_TRUE(
      warplens::write_text(file,
                           "pull 1270 3 1271 3 0.1\nopen transpose_tile\nwait settled 60\npress p\nwait 0.5\n"
                           "report\npress c\nset tile 1\nwait settled 60\nwait 0.3\nreport\n"));
  const Finished done = run_shell(
      binary(std::string("--size 1280x720 --language ") + GetParam() + " --view bank-view --script " + file) +
      " > " + out);
  ASSERT_EQ(done.code, 0) << done.error;
  std::ifstream lines(out);
  std::size_t reports = 0;
  for (std::string line; std::getline(lines, line); ++reports)
    for (const auto& cut : nlohmann::json::parse(line).at("cut")) {
      const std::string text = cut.get<std::string>();
      EXPECT_TRUE(text.find(" · ") != std::string::npos || text.find("…") != std::string::npos)
          << "where the access is may be shortened, a sentence ends before one that has no room: " << text;
    }
  EXPECT_EQ(reports, 2u);
}

INSTANTIATE_TEST_SUITE_P(InBothLanguages, CutText, ::testing::Values("en", "zh"));

}  // namespace
