// What a user does with the keyboard and the mouse, in the real window: a file is opened, changed, saved and
// followed, its launch is filled in, and a speaker's clicker works.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/base/assets.h"
#include "tests/window/screen.h"

namespace warplens::window::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSaxpy = R"cu(__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
)cu";

class ByHand : public ScreenTest {
 protected:
  void SetUp() override {
    ScreenTest::SetUp();
    if (IsSkipped()) return;
    file_ = shot("saxpy.cu");
    ASSERT_TRUE(write_text(file_, kSaxpy));
  }
  // The reports of a script, which begins with the mouse out of the way.
  std::vector<nlohmann::json> play(const std::string& script) {
    const std::string at = shot("hands.txt"), out = shot("hands.json");
    EXPECT_TRUE(write_text(at, "pull 1270 3 1271 3 0.1\n" + script));
    const Finished done =
        run_shell(binary("--size 1280x720 --language en --script " + at, 300) + " > " + out);
    EXPECT_EQ(done.code, 0) << done.error;
    std::vector<nlohmann::json> reports;
    std::ifstream lines(out);
    for (std::string line; std::getline(lines, line);) reports.push_back(nlohmann::json::parse(line));
    return reports;
  }
  std::string text_on_disk() const {
    const auto text = read_text(file_);
    return text ? *text : std::string();
  }
  std::string file_;
};

TEST_F(ByHand, AFileIsOpenedSavedAndFollowed) {
  // Another editor writes the file once the window has saved it.
  std::atomic<bool> ended = false;
  std::thread editor([&] {
    while (!ended && !text_on_disk().starts_with("// mine"))
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::string other = kSaxpy;
    for (std::size_t at = 0; (at = other.find("int n", at)) != std::string::npos;)
      other.replace(at, 5, "int count");
    for (std::size_t at = 0; (at = other.find("< n", at)) != std::string::npos;)
      other.replace(at, 3, "< count");
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    EXPECT_TRUE(ended || write_text(file_, other));
  });
  const auto reports = play(
      "open copy\nwait settled 60\npress ctrl+o\nwait 0.3\nwrite nowhere.cu\npress enter\nwait 0.3\nwrite " +
      file_ +
      "\npress enter\nwait settled 60\nreport\npress e\nwait 0.3\npress home\nwrite // mine\n"
      "press enter\nwait 0.2\nreport\npress ctrl+s\nwait 0.3\nreport\n"
      "wait 6\nwait settled 60\nreport\n");
  ended = true;
  editor.join();
  ASSERT_EQ(reports.size(), 4u);
  EXPECT_EQ(reports[0].at("kernel"), "saxpy.cu") << "a path that is refused can be written again";
  EXPECT_TRUE(reports[0].at("values").contains("n"));
  EXPECT_TRUE(reports[1].at("edited").get<bool>());
  EXPECT_FALSE(reports[2].at("edited").get<bool>());
  EXPECT_THAT(reports[2].at("note").get<std::string>(), HasSubstr("saxpy.cu"));
  EXPECT_TRUE(reports[3].at("values").contains("count")) << "an editor that is open follows: " << reports[3];
  EXPECT_FALSE(reports[3].at("edited").get<bool>());
}

TEST_F(ByHand, ALaunchOfTwoDimensionsAndABufferAreFilledIn) {
  const auto reports =
      play("file " + file_ +
           "\nwait settled 60\nclick 380 96\nwait 0.3\nclick 290 172\nwrite 8,2\npress enter\nwait 0.5\n"
           "click 290 316\nwait 0.2\nwrite buf:f32:2 * n:zero\npress enter\nwait settled 60\nreport\n"
           "click 290 316\nwait 0.2\nwrite buf:i32:2 * n:iota\npress enter\nwait settled 60\nreport\n"
           "click 290 316\nwait 0.2\nwrite buf:float:n:zero\npress enter\nwait 0.5\nreport\n");
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[0].at("assumed").at("grid"), "8,2");
  EXPECT_EQ(reports[0].at("assumed").at("x"), "buf:f32:{2 * n}:zero");
  EXPECT_EQ(reports[0].at("faults"), 0);
  EXPECT_EQ(reports[1].at("assumed").at("x"), "buf:i32:{2 * n}:iota") << "another type of its elements";
  EXPECT_EQ(reports[2].at("assumed").at("x"), "buf:i32:{2 * n}:iota")
      << "no type of that name: nothing changed";
}

TEST_F(ByHand, AClickerPresentsStepsAndDarkens) {
  const auto reports = play(
      "open copy_strided\nwait settled 60\npress f5\nwait 0.3\nreport\npress pagedown\nwait 0.3\nreport\n"
      "press pageup\nwait 0.3\nreport\npress b\nwait 0.2\nreport\npress b\nwait 0.2\nreport\npress .\nwait "
      "0.2\nreport\n"
      "press .\npress f11\nwait 0.5\nreport\npress f11\nwait 0.5\npress f5\nwait 0.3\nreport\n");
  ASSERT_EQ(reports.size(), 8u);
  EXPECT_TRUE(reports[0].at("presents").get<bool>());
  EXPECT_GT(reports[1].at("step").get<int>(), reports[0].at("step").get<int>());
  EXPECT_EQ(reports[2].at("step"), reports[0].at("step"));
  EXPECT_TRUE(reports[3].at("dark").get<bool>());
  EXPECT_FALSE(reports[4].at("dark").get<bool>());
  EXPECT_TRUE(reports[5].at("dark").get<bool>());
  EXPECT_TRUE(reports[6].at("fills_screen").get<bool>());
  EXPECT_TRUE(reports[6].at("presents").get<bool>());
  EXPECT_FALSE(reports[7].at("fills_screen").get<bool>());
  EXPECT_FALSE(reports[7].at("presents").get<bool>());
}

}  // namespace
}  // namespace warplens::window::testing
