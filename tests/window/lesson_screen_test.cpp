// Every lesson, claim and challenge in the real window: answered wrongly on purpose, then rightly, goals
// reached, to the end. One run of the program plays them all, the languages in turns, at 1280x720.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "app/lesson/shelf.h"
#include "engine/base/assets.h"
#include "tests/window/screen.h"

namespace warplens::window {
namespace {

using lesson::Kind;

// What the window must say when a script has come to a report.
struct Expected {
  std::string what;  // for who reads the failure
  std::optional<bool> right, goal, solved;
};

class Play {
 public:
  explicit Play(const lesson::Shelf& shelf) {
    for (const lesson::Lesson* one : shelf.of(Kind::Lesson)) lesson(*one);
    for (const lesson::Lesson* one : shelf.of(Kind::Claim)) claim(*one);
    for (const lesson::Lesson* one : shelf.of(Kind::Challenge)) challenge(*one);
  }
  const std::string& script() const { return script_; }
  const std::vector<Expected>& reports() const { return reports_; }

 private:
  void say(const std::string& line) { script_ += line + "\n"; }
  void settle() { say("wait settled 200"); }
  void report(Expected expected) {
    settle();
    say("report");
    reports_.push_back(std::move(expected));
  }
  void open(const lesson::Lesson& one) {
    say(chinese_ ? "look zh" : "look en");
    chinese_ = !chinese_;
    say("lesson " + one.name);
  }
  void answer(const std::string& where, bool right) {
    say(right ? "answer right" : "answer wrong");
    say("next");
    report({where + (right ? ", right" : ", wrong"), right, {}, {}});
  }

  void lesson(const lesson::Lesson& one) {
    open(one);
    for (std::size_t i = 0; i < one.steps.size(); ++i) {
      const lesson::Step& step = one.steps[i];
      const std::string page = "page " + std::to_string(i + 1), where = one.name + " " + step.id;
      for (const bool right : {false, true}) {
        say(page);
        report({where, {}, {}, {}});
        if (!step.predict) break;
        answer(where, right);
      }
      if (step.why) say("why right");
      if (step.goal.empty()) continue;
      say("reach");
      report({where + ", goal", {}, true, {}});
    }
    say("page " + std::to_string(one.steps.size() + 1));
    report({one.name + ", its end", {}, {}, {}});
  }
  void claim(const lesson::Lesson& one) {
    open(one);
    settle();
    answer(one.name, false);
  }
  // Its own start solves nothing, its reference does: where that can be typed, the launch being the same.
  void challenge(const lesson::Lesson& one) {
    open(one);
    report({one.name, {}, {}, false});
    const model::GalleryKernel& start = one.kernels.front();
    if (start.kernel != one.reference->kernel || start.grid != one.reference->grid ||
        start.block != one.reference->block || start.shared != one.reference->shared ||
        model::default_values(start) != model::default_values(*one.reference))
      return;
    say("edit " + one.reference->file.string());
    report({one.name + ", solved", {}, {}, true});
  }

  std::string script_;
  std::vector<Expected> reports_;
  bool chinese_ = false;
};

class LessonScreenTest : public testing::ScreenTest {};

TEST_F(LessonScreenTest, EverythingOnTheShelfIsPlayedToItsEnd) {
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(gallery);
  const lesson::Shelf shelf = lesson::load_shelf(*gallery);
  ASSERT_TRUE(shelf.problems.empty());
  const Play play(shelf);
  const std::string script = (folder_ / "play.txt").string(), out = (folder_ / "reports.txt").string();
  ASSERT_TRUE(write_text(script, play.script()));
  const testing::Finished done =
      testing::run_shell(binary("--size 1280x720 --script " + script, 1500) + " > " + out);
  EXPECT_EQ(done.code, 0) << done.error;
  const auto text = read_text(out);
  ASSERT_TRUE(text);
  std::istringstream lines(*text);
  std::size_t at = 0;
  for (std::string line; std::getline(lines, line) && at < play.reports().size(); ++at) {
    const Expected& expected = play.reports()[at];
    const auto window = nlohmann::json::parse(line);
    const auto& said = window.at("lesson");
    EXPECT_FALSE(said.contains("trouble")) << expected.what << ": " << said.value("trouble", "");
    if (expected.right) {
      EXPECT_TRUE(said.at("told").get<bool>()) << expected.what;
      EXPECT_EQ(said.at("right").get<bool>(), *expected.right) << expected.what;
    }
    if (expected.goal) {
      EXPECT_TRUE(said.at("goal_reached").get<bool>()) << expected.what;
    }
    if (expected.solved) {
      EXPECT_EQ(said.value("stars", 0) > 0, *expected.solved) << expected.what;
    }
    // Between braces stand numbers that nobody filled in.
    for (const char* key : {"body", "reveal", "wrong_text"})
      EXPECT_EQ(said.value(key, "").find("{{"), std::string::npos) << expected.what;
    for (const auto& cut : window.at("cut"))
      EXPECT_EQ(said.value("body", "").find(cut.get<std::string>()), std::string::npos)
          << expected.what << " has no room for: " << cut;
  }
  EXPECT_EQ(at, play.reports().size());
}

}  // namespace
}  // namespace warplens::window
