// Every lesson, claim and challenge in the real window: answered wrongly on purpose, then rightly, goals
// reached, to the end. A run of the program plays a part of the shelf, at 1280x720, and says everything in
// both languages.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/lesson/shelf.h"
#include "engine/base/assets.h"
#include "tests/window/screen.h"

namespace warplens::window {
namespace {

using lesson::Kind;

// What the window must say when a script has come to a report.
struct Expected {
  std::string what;  // for who reads the failure
  const lesson::Lesson* of = nullptr;
  std::string language;
  std::optional<bool> right, goal, solved;
};

constexpr std::size_t kParts = 4;

class Play {
 public:
  // Of each kind a kParts-th: neighbours, which share kernels.
  Play(const lesson::Shelf& shelf, std::size_t part) {
    for (const Kind kind : {Kind::Lesson, Kind::Claim, Kind::Challenge}) {
      const auto all = shelf.of(kind);
      for (std::size_t i = part * all.size() / kParts; i < (part + 1) * all.size() / kParts; ++i)
        play(kind, *all[i]);
    }
  }
  const std::string& script() const { return script_; }
  const std::vector<Expected>& reports() const { return reports_; }

 private:
  void say(const std::string& line) { script_ += line + "\n"; }
  void settle() { say("wait settled 200"); }
  void report_once(Expected expected) {
    expected.of = open_;
    expected.language = chinese_ ? "zh" : "en";
    settle();
    say("report");
    reports_.push_back(std::move(expected));
  }
  // What stands there, in one language and then in the other.
  void report(const Expected& expected) {
    report_once(expected);
    chinese_ = !chinese_;
    say(chinese_ ? "look zh" : "look en");
    report_once(expected);
  }
  void open(const lesson::Lesson& one) {
    open_ = &one;
    say("lesson " + one.name);
  }
  // After a wrong answer stands all that stands after a right one, and what the wrong one is told.
  void answer(const std::string& where, bool right) {
    say(right ? "answer right" : "answer wrong");
    say("next");
    const Expected expected{where + (right ? ", right" : ", wrong"), {}, {}, right, {}, {}};
    right ? report_once(expected) : report(expected);
  }

  void play(Kind kind, const lesson::Lesson& one) {
    switch (kind) {
      case Kind::Lesson:
        return lesson(one);
      case Kind::Claim:
        return claim(one);
      case Kind::Challenge:
        return challenge(one);
    }
  }
  void lesson(const lesson::Lesson& one) {
    open(one);
    for (std::size_t i = 0; i < one.steps.size(); ++i) {
      const lesson::Step& step = one.steps[i];
      const std::string page = "page " + std::to_string(i + 1), where = one.name + " " + step.id;
      for (const bool right : {false, true}) {
        say(page);
        right ? settle() : report({where, {}, {}, {}, {}, {}});
        if (!step.predict) break;
        answer(where, right);
      }
      if (step.why) say("why right");
      if (step.goal.empty()) continue;
      say("reach");
      report({where + ", goal", {}, {}, {}, true, {}});
    }
    say("page " + std::to_string(one.steps.size() + 1));
    report({one.name + ", its end", {}, {}, {}, {}, {}});
  }
  void claim(const lesson::Lesson& one) {
    for (const bool right : {false, true}) {
      open(one);
      right ? settle() : report({one.name + ", before", {}, {}, {}, {}, {}});
      answer(one.name, right);
    }
  }
  // Its own start solves nothing, its reference does: where that can be typed, the launch being the same.
  void challenge(const lesson::Lesson& one) {
    open(one);
    report({one.name, {}, {}, {}, {}, false});
    const model::GalleryKernel& start = one.kernels.front();
    if (start.kernel != one.reference->kernel || start.grid != one.reference->grid ||
        start.block != one.reference->block || start.shared != one.reference->shared ||
        model::default_values(start) != model::default_values(*one.reference))
      return;
    say("edit " + one.reference->file.string());
    report({one.name + ", solved", {}, {}, {}, {}, true});
  }

  std::string script_;
  std::vector<Expected> reports_;
  const lesson::Lesson* open_ = nullptr;
  bool chinese_ = false;  // it starts in English
};

// The texts of a lesson without blanks, marks and numbers that are filled in: what is drawn is a piece of
// them.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '`' && c != '*' && c != '_') out += c;
  return out;
}

class LessonScreenTest : public testing::ScreenTest {};

class ShelfScreenTest : public LessonScreenTest, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(ShelfScreenTest, EverythingIsPlayedToItsEnd) {
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(gallery);
  const lesson::Shelf shelf = lesson::load_shelf(*gallery);
  ASSERT_TRUE(shelf.problems.empty());
  const Play play(shelf, GetParam());
  const std::string script = (folder_ / "play.txt").string(), out = (folder_ / "reports.txt").string();
  ASSERT_TRUE(write_text(script, play.script()));
  const testing::Finished done =
      testing::run_shell(binary("--size 1280x720 --language en --script " + script, 3000) + " > " + out);
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
    // Nothing that the lesson says is cut, but for its title over the page, which stands there in full as
    // well.
    const auto words = read_text(expected.of->folder / (expected.language + ".md"));
    ASSERT_TRUE(words);
    const std::string all = plain(*words);
    const std::string title = expected.of->text(expected.language).title;
    for (const auto& cut : window.at("cut"))
      if (const auto piece = cut.get<std::string>(); piece != title) {
        EXPECT_EQ(all.find(plain(piece)), std::string::npos)
            << expected.what << " in " << expected.language << " has no room for: " << piece;
      }
  }
  EXPECT_GT(at, 0u);
  EXPECT_EQ(at, play.reports().size());
}

INSTANTIATE_TEST_SUITE_P(Parts, ShelfScreenTest, ::testing::Range<std::size_t>(0, kParts));

// What the window says at each `report` of a script, at 1280x720.
std::vector<nlohmann::json> reports_of(const std::string& out) {
  std::vector<nlohmann::json> all;
  const auto text = read_text(out);
  std::istringstream lines(text ? *text : std::string());
  for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

// A mouse that is held and moved, as a reader's: cards go where they are let go, a curve follows the hand,
// and a stroke paints.
TEST_F(LessonScreenTest, AHandDragsCardsDrawsACurveAndPaints) {
  const std::string script = (folder_ / "hand.txt").string(), out = (folder_ / "reports.txt").string();
  ASSERT_TRUE(write_text(script,
                         "lesson reductions_in_six_steps\nwait settled 100\npage 7\nwait settled 100\n"
                         "pull 1100 440 620 220 0.5\nreport\n"  // the third card to the first place
                         "pull 1100 230 620 560 0.5\nreport\n"  // the first one behind it
                         "pull 620 230 620 330 0.5\nreport\n"   // places are changed
                         "pull 620 230 1100 560 0.5\nreport\n"  // and one is put back
                         "lesson coalescing\nwait settled 100\npage 3\nwait settled 100\n"
                         "pull 500 460 1200 140 1.5\nreport\n"
                         "page 4\nwait settled 100\n"
                         "pull 600 280 1200 280 0.7\nreport\n"));
  const testing::Finished done =
      testing::run_shell(binary("--size 1280x720 --language en --script " + script, 200) + " > " + out);
  EXPECT_EQ(done.code, 0) << done.error;
  const auto said = reports_of(out);
  ASSERT_EQ(said.size(), 6u);
  const auto order = [&](std::size_t i) {
    return said[i].at("lesson").at("guess").at("order").get<std::vector<std::string>>();
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(order(0), (Names{"sequential"}));
  EXPECT_EQ(order(1), (Names{"sequential", "modulo"}));
  EXPECT_EQ(order(2), (Names{"modulo", "sequential"}));
  EXPECT_EQ(order(3), (Names{"sequential"}));
  const auto curve = said[4].at("lesson").at("guess").at("curve");
  EXPECT_GT(curve.size(), 10u);
  EXPECT_LT(curve.front().at(0), curve.back().at(0));
  EXPECT_LT(curve.front().at(1), curve.back().at(1)) << "drawn from below to above";
  EXPECT_TRUE(said[4].at("lesson").at("guessed").get<bool>());
  EXPECT_EQ(said[5].at("lesson").at("guess").at("marks"), 4);
}

// A lesson of one's own, wherever its folder lies: it opens by its folder and stands on the shelf with how
// far one is; the strip under its page says what the reader changed, and takes it back.
TEST_F(LessonScreenTest, AFolderAnywhereIsOpenedAndOnTheShelf) {
  const std::filesystem::path mine = folder_ / "of_my_own";
  std::filesystem::copy(std::filesystem::path(tests::source_dir()) / "tests" / "app" / "lesson" / "strides",
                        mine);
  const std::string script = (folder_ / "mine.txt").string(), out = (folder_ / "reports.txt").string();
  ASSERT_TRUE(write_text(script,
                         "wait settled 100\npage 1\nwait settled 100\nreport\n"
                         "set stride 3\nwait settled 100\nwait 1\nreport\n"
                         "click 352 447\nwait settled 100\nwait 0.5\nreport\n"  // "Put it back", of the strip
                         "place lessons\nwait 0.5\nreport\n"
                         "click 126 469\nwait settled 100\nreport\n"));  // its row, the last of its topic
  const testing::Finished done = testing::run_shell(
      binary("--lesson " + mine.string() + " --size 1280x720 --language en --script " + script, 200) + " > " +
      out);
  EXPECT_EQ(done.code, 0) << done.error;
  const auto said = reports_of(out);
  ASSERT_EQ(said.size(), 5u);
  const auto lesson = [&](std::size_t i) { return said[i].at("lesson"); };
  EXPECT_EQ(lesson(0).at("lesson"), "of_my_own");
  EXPECT_EQ(lesson(0).at("strayed"), "");
  EXPECT_EQ(lesson(1).at("strayed"), "values");
  EXPECT_EQ(lesson(2).at("strayed"), "");
  EXPECT_EQ(said[2].at("values").at("stride"), 1);
  EXPECT_FALSE(lesson(3).contains("lesson")) << "the shelf";
  EXPECT_EQ(lesson(4).at("lesson"), "of_my_own");
  EXPECT_EQ(lesson(4).at("page"), 1) << "where one was";
}

// However long the task is: help is offered under the code, and the reference is asked for twice.
TEST_F(LessonScreenTest, HelpWithAChallengeIsInSight) {
  const std::string script = (folder_ / "help.txt").string(), out = (folder_ / "reports.txt").string();
  const std::string hint = "click 95 626\nwait settled 100\nwait 0.5\nreport\n",
                    reference = "click 200 626\nwait settled 100\nwait 0.5\nreport\n";
  ASSERT_TRUE(write_text(script, "lesson challenge_constant\nwait settled 100\nreport\n" + hint + reference +
                                     "click 100 626\nwait settled 100\nwait 0.5\nreport\n"));
  const testing::Finished done =
      testing::run_shell(binary("--size 1280x720 --language en --script " + script, 200) + " > " + out);
  EXPECT_EQ(done.code, 0) << done.error;
  const auto said = reports_of(out);
  ASSERT_EQ(said.size(), 4u);
  const auto lesson = [&](std::size_t i) { return said[i].at("lesson"); };
  EXPECT_EQ(lesson(1).at("hints"), 1);
  EXPECT_FALSE(lesson(2).at("reference_shown").get<bool>()) << "one is asked whether one means it";
  EXPECT_TRUE(lesson(3).at("reference_shown").get<bool>()) << "where the question stands";
}

// A solution that faults says so beside its stars, whatever the page is scrolled to, and leads to the
// picture.
TEST_F(LessonScreenTest, AFaultOfASolutionIsInSight) {
  const std::string script = (folder_ / "fault.txt").string(), out = (folder_ / "reports.txt").string();
  const std::string solution = (folder_ / "solution.cu").string();
  ASSERT_TRUE(write_text(solution,
                         "__global__ void copy(const float* in, float* out, int n) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  for (int k = 0; k < 8; ++k) out[8 * i + k] = in[8 * i + k + 1];\n}\n"));
  ASSERT_TRUE(write_text(script,
                         "lesson challenge_neighbours\nwait settled 100\nclick 400 66\nwait 0.5\n"
                         "click 200 105\nwait 0.5\nreport\n"
                         "edit " +
                             solution +
                             "\nwait settled 100\nwait 0.5\n"
                             "click 200 105\nwait settled 100\nwait 0.5\nreport\n"));
  const testing::Finished done =
      testing::run_shell(binary("--size 1280x720 --language en --script " + script, 200) + " > " + out);
  EXPECT_EQ(done.code, 0) << done.error;
  const auto said = reports_of(out);
  ASSERT_EQ(said.size(), 2u);
  EXPECT_NE(said[0].at("views").at(0), "faults") << "there is none to lead to";
  EXPECT_GT(said[1].at("faults").get<int>(), 0);
  EXPECT_EQ(said[1].at("views").at(0), "faults");
}

// A kernel of the gallery may be called as one's folder is: the folder is what was asked for.
TEST_F(LessonScreenTest, AFolderIsOpenedThoughAKernelHasItsName) {
  const std::filesystem::path mine = folder_ / "copy_strided";
  std::filesystem::copy(std::filesystem::path(tests::source_dir()) / "tests" / "app" / "lesson" / "strides",
                        mine);
  const std::string script = (folder_ / "mine.txt").string(), out = (folder_ / "reports.txt").string();
  ASSERT_TRUE(write_text(script, "wait settled 100\nreport\n"));
  const testing::Finished done = testing::run_shell(
      binary("--lesson " + mine.string() + " --size 1280x720 --language en --script " + script, 200) + " > " +
      out);
  EXPECT_EQ(done.code, 0) << done.error;
  const auto said = reports_of(out);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].at("lesson").value("lesson", ""), "copy_strided");
}

// Before a class: a page that is longer than the window is shown to its end before forward turns it, and what
// has come into being on it is in sight.
TEST_F(LessonScreenTest, AClickerShowsAllOfAPageBeforeItTurns) {
  const std::string script = (folder_ / "clicker.txt").string(), out = (folder_ / "reports.txt").string();
  std::string text =
      "lesson coalescing\nwait settled 100\npress p\nwait 1\npage 2\nwait settled 100\nwait 0.5\n";
  // Asked; nudged; told; the question why, until there is no more of it; back to what was told.
  for (const char* key : {"pagedown", "1", "pagedown", "pagedown", "2", "pageup", "down"})
    text += std::string("press ") + key + "\nwait settled 100\nwait 0.5\nreport\n";
  for (int i = 0; i < 3; ++i) text += "press pagedown\nwait settled 100\nwait 0.5\nreport\n";
  ASSERT_TRUE(write_text(script, text));
  const testing::Finished done =
      testing::run_shell(binary("--size 1280x720 --language en --script " + script, 200) + " > " + out);
  EXPECT_EQ(done.code, 0) << done.error;
  const auto said = reports_of(out);
  ASSERT_EQ(said.size(), 10u);
  const auto page = [&](std::size_t i) { return said[i].at("lesson").at("page").get<int>(); };
  const auto below = [&](std::size_t i) { return said[i].at("hidden_below").get<double>(); };
  EXPECT_TRUE(said[0].at("lesson").at("nudged").get<bool>());
  EXPECT_LT(below(0), 1) << "what it says to who did not guess";
  EXPECT_TRUE(said[2].at("lesson").at("told").get<bool>());
  EXPECT_GT(below(2), 50) << "the question why has no room; else this tests nothing";
  EXPECT_EQ(page(3), 2);
  EXPECT_LT(below(3), below(2));
  EXPECT_EQ(said[4].at("lesson").at("why"), "twice");
  EXPECT_EQ(page(5), 2) << "back shows what was told";
  EXPECT_GT(below(5), below(4));
  EXPECT_LT(below(6), below(5)) << "an arrow is the wheel";
  EXPECT_TRUE(said[6].at("lesson").at("told").get<bool>());
  EXPECT_EQ(page(9), 3) << "and then it turns";
}

}  // namespace
}  // namespace warplens::window
