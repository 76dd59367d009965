// Scripts: what they refuse, and that they do what a user would.
#include "app/window/shell/script.h"

#include <gmock/gmock.h>

#include <array>
#include <set>

#include "tests/support/places.h"
#include "tests/window/workbench_fixture.h"

namespace warplens::window {
namespace {

using ::testing::HasSubstr;

TEST(Script, SkipsCommentsAndEmptyLinesAndKeepsPlaces) {
  const auto actions = parse_script("# first\n\nopen strided\n  drag stride 1 8 0.5  # slowly\n", "demo");
  ASSERT_TRUE(actions);
  ASSERT_EQ(actions->size(), 2u);
  EXPECT_EQ((*actions)[0].line, 3);
  EXPECT_EQ((*actions)[1].words, (std::vector<std::string>{"stride", "1", "8", "0.5"}));
}

TEST(Script, NamesWhatItDoesNotKnow) {
  const auto verb = parse_script("report\nfly away\n", "demo");
  ASSERT_FALSE(verb);
  EXPECT_EQ(verb.error().place.line, 2);
  EXPECT_THAT(verb.error().message, HasSubstr("there is no action 'fly'"));
  EXPECT_THAT(Catalogue::load("zh")->text(verb.error()), HasSubstr("没有名为“fly”的动作"));
  const auto words = parse_script("drag stride 1\n", "demo");
  ASSERT_FALSE(words);
  EXPECT_THAT(words.error().message, HasSubstr("takes 4 to 4 words"));
}

TEST(Script, TheOneThatIsThereForGpusCanBePlayed) {
  const std::string file = tests::source_dir() + "/tools/gpu/window/tour.txt";
  const auto text = read_text(file);
  ASSERT_TRUE(text);
  const auto actions = parse_script(*text, file);
  ASSERT_TRUE(actions) << actions.error().text();
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(gallery);
  for (const ScriptAction& action : *actions)
    if (action.verb == "open") {
      EXPECT_NE(gallery->find(action.words[0]), nullptr) << "line " << action.line;
    }
}

class ScriptTest : public testing::WorkbenchTest {
 protected:
  Engine make_engine() override { return testing::engine_with_gpu(calls_); }

  // Plays it with a clock of its own, a frame of it each millisecond.
  Status play(const std::string& text) {
    const auto actions = parse_script(text, "demo");
    if (!actions) return actions.error();
    ScriptPlayer player(*actions, "demo");
    for (double now = 0; !player.done(); now += 0.02) {
      bench_->tick(now);
      if (const Status ok = player.advance(*bench_, now); !ok) return ok;
      for (std::string& report : player.take_reports()) reports_.push_back(std::move(report));
      if (auto shot = player.take_screenshot()) shots_.push_back(*shot);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return Done{};
  }
  std::vector<std::string> reports_, shots_;
};

TEST_F(ScriptTest, OpensDragsMeasuresAndSays) {
  const Status played = play(
      "open strided\nwait settled\nreport\ndrag stride 1 16 0.4\nwait settled\nreport\nview counters stalls\n"
      "screenshot a.png\ndevice emulator\nwait picture\nreport\n");
  ASSERT_TRUE(played) << played.error().text();
  ASSERT_EQ(reports_.size(), 3u);
  EXPECT_THAT(reports_[0], HasSubstr("\"median_ms\":0.002"));
  EXPECT_THAT(reports_[0], HasSubstr("\"backend\":\"gpu\""));
  EXPECT_THAT(reports_[1], HasSubstr("\"stride\":16"));
  EXPECT_THAT(reports_[1], HasSubstr("\"points\":16"));
  EXPECT_THAT(reports_[2], HasSubstr("\"median_ms\":null"));
  EXPECT_EQ(shots_, std::vector<std::string>{"a.png"});
  EXPECT_EQ(bench_->settings.views[1], "stalls");
}

TEST_F(ScriptTest, SetsAChoiceByItsName) {
  ASSERT_TRUE(play("open chosen\nset form second\nwait settled\n"));
  EXPECT_EQ(bench_->value("form"), 1);
  ASSERT_TRUE(play("set form 0\nwait settled\n"));
  EXPECT_EQ(bench_->value("form"), 0);
  const Status third = play("set form third\n");
  ASSERT_FALSE(third);
  EXPECT_THAT(third.error().message, HasSubstr("there are first, second"));
}

TEST_F(ScriptTest, EndsWithThePlaceOfWhatCannotBeDone) {
  const auto fails = [this](const std::string& text, const char* why) {
    const Status played = play(text);
    ASSERT_FALSE(played) << text;
    EXPECT_THAT(played.error().message, HasSubstr(why));
    EXPECT_TRUE(played.error().said != nullptr) << "in English only: " << text;
    EXPECT_EQ(played.error().place.line, 2) << text;
  };
  fails("open strided\nopen nothing\n", "no kernel 'nothing'");
  fails("open strided\nset height 3\n", "no slider 'height'");
  fails("open strided\nset stride 1e300\n", "no number '1e300'");
  fails("open strided\ndrag stride 1 inf 2\n", "drag takes");
  fails("open strided\npress alt+s\n", "'alt' cannot be held");
  fails("open strided\npress f13\n", "no key 'f13'");
  fails("open strided\npoint here 3\n", "point takes");
  fails("open strided\npull 10 20 here 40 1\n", "pull takes");
  fails("open strided\npull 10 20 30 40 0\n", "pull takes");
  fails("open strided\nview nowhere\n", "no view 'nowhere'");
  fails("open strided\ndevice recording\n", "not to be had here");
  fails("open strided\nwait sunshine\n", "wait takes");
  fails("open strided\nterm sectro\n", "no term 'sectro'");
  calls_.timing_ms = 400;
  fails("open other\nwait curve 0.1\n", "did not come within");
}

TEST_F(ScriptTest, KeysAreHeldAndCharactersWritten) {
  auto actions = parse_script(
      "press ctrl+shift+s\npress f11\npress .\nwrite int  i = 0;\npoint 3 4\nclick 5 6\n", "demo");
  ASSERT_TRUE(actions) << actions.error().text();
  ScriptPlayer player(std::move(*actions), "demo");
  std::vector<ScriptInput> given;
  for (int i = 0; i < 100 && !player.done(); ++i) {
    ASSERT_TRUE(player.advance(*bench_, i));
    if (const auto input = player.take_input()) given.push_back(*input);
  }
  ASSERT_EQ(given.size(), 6u);
  EXPECT_EQ(given[0].key, 'S');
  EXPECT_TRUE(given[0].ctrl && given[0].shift);
  EXPECT_EQ(given[1].key, 300);  // GLFW's F11
  EXPECT_FALSE(given[1].ctrl || given[1].shift);
  EXPECT_EQ(given[2].key, '.');
  EXPECT_EQ(given[3].typed, "int i = 0;");
  EXPECT_FALSE(given[3].key);
  EXPECT_EQ(given[4].at->x, 3);
  EXPECT_FALSE(given[4].clicks);
  EXPECT_EQ(given[5].at->y, 6);
  EXPECT_TRUE(given[5].clicks);
}

// The same seed is the same input; nothing stays pressed behind a gesture, and all of it is in the window.
TEST(Script, AMonkeyIsTheSameForItsSeed) {
  Monkey one(7, {"mine.cu"}), again(7, {"mine.cu"}), another(8, {"mine.cu"});
  std::set<std::string> kinds;
  bool differs = false, let_go = true;
  for (int i = 0; i < 20000; ++i) {
    const Hands hands = one.next(1280, 720), same = again.next(1280, 720);
    ASSERT_EQ(hands.begins, same.begins);
    ASSERT_EQ(hands.keys, same.keys);
    differs = differs || hands.begins != another.next(1280, 720).begins;
    const bool pressed = hands.buttons != std::array<bool, 3>{} || !hands.keys.empty();
    if (!hands.begins.empty()) {
      EXPECT_TRUE(let_go) << hands.begins;
      kinds.insert(hands.begins.substr(0, hands.begins.find(' ')));
    }
    let_go = !pressed;
    EXPECT_TRUE(hands.at.x >= 0 && hands.at.x <= 1280 && hands.at.y >= 0 && hands.at.y <= 720);
  }
  EXPECT_TRUE(differs);
  EXPECT_EQ(kinds, (std::set<std::string>{"click", "drag", "drop", "key", "rest", "size", "type", "wheel"}));
}

}  // namespace
}  // namespace warplens::window
