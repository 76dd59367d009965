// Lessons in the window, without a window: a reader who guesses right, one who guesses wrong, one who skips.
#include "app/window/session/lesson_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/window/shell/script.h"
#include "engine/base/assets.h"
#include "tests/support/places.h"

namespace warplens::window {
namespace {

namespace fs = std::filesystem;
using lesson::PredictKind;

// A workbench on the real engine, and the lessons of a folder.
struct Desk {
  std::optional<Workbench> bench;
  std::optional<LessonSession> session;
  double now = 0;

  explicit Desk(const fs::path& lessons, const fs::path& progress = {}) {
    auto gallery = model::load_gallery();
    auto devices = analysis::DeviceCatalogue::load();
    lesson::Shelf shelf = lesson::load_shelf(*gallery, lessons);
    add_lesson_kernels(shelf, *gallery);
    bench.emplace(std::move(*gallery), std::move(*devices), Engine::real(), [] {});
    bench->settings.language = "en";
    session.emplace(*bench, std::move(shelf), progress, [] {});
  }
  // Both give in when nothing has come for long; the machine may be busy.
  void settle() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    do {
      now += 0.05;
      bench->tick(now);
      session->tick(now);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while ((!bench->settled() || session->busy()) && std::chrono::steady_clock::now() < deadline);
    ASSERT_TRUE(bench->settled() && !session->busy());
  }
};

fs::path small_lessons() {
  return fs::path(tests::source_dir()) / "tests" / "app" / "lesson";
}

TEST(LessonSession, APageAsksBeforeItTells) {
  Desk desk(small_lessons());
  LessonSession& session = *desk.session;
  ASSERT_TRUE(session.open("strides"));
  desk.settle();
  EXPECT_EQ(session.page(), 0);
  EXPECT_EQ(session.pages(), 9);
  EXPECT_FALSE(session.body().empty());
  session.next();
  desk.settle();
  EXPECT_EQ(session.step()->id, "neighbours");
  EXPECT_EQ(session.body(), "Stride 1: 4 [[sector|sectors]] for a warp.");
  EXPECT_EQ(desk.bench->kernel()->id, "copy_strided");
  EXPECT_EQ(desk.bench->selection().lane, 3);
  session.next();
  EXPECT_EQ(session.text("ask"), "How many sectors at stride 2?") << "it waits for no run";
  EXPECT_EQ(session.text("reveal"), "") << "which has its numbers still to come";
  desk.settle();
  EXPECT_TRUE(session.asks());
  EXPECT_FALSE(session.covers());  // the sliders move with the reveal: what is seen tells nothing
  session.next();                  // not before there is a guess
  EXPECT_TRUE(session.nudged());
  EXPECT_EQ(session.page(), 2);
  session.guess_number(4);
  session.next();
  EXPECT_TRUE(session.told());
  EXPECT_EQ(desk.bench->value("stride"), 2);
  desk.settle();
  EXPECT_FALSE(session.judgement().right);
  EXPECT_EQ(session.wrong_text(), "That was stride 1.");
  EXPECT_EQ(session.text("reveal"), "8 sectors at stride 2.");
  session.choose_why("twice");
  EXPECT_EQ(session.chosen_why(), "twice");
  EXPECT_FALSE(session.goal_reached());
  desk.bench->set_value("stride", 4);
  desk.settle();
  EXPECT_TRUE(session.goal_reached());
  EXPECT_EQ(session.text("done"), "Found, at stride 4.");
}

TEST(LessonSession, PaintingIsCoveredUntilItIsTold) {
  Desk desk(small_lessons());
  LessonSession& session = *desk.session;
  ASSERT_TRUE(session.open("strides"));
  session.go_to(3);
  desk.settle();
  EXPECT_TRUE(session.covers());
  EXPECT_EQ(session.answer()->paint.offered.size(), 16u);
  session.toggle(session.answer()->paint.offered[0]);
  session.toggle(12345);  // nothing that is offered
  session.reveal();
  desk.settle();
  EXPECT_FALSE(session.covers());
  EXPECT_EQ(session.judgement().hit, 1u);
  EXPECT_EQ(session.judgement().missing, 7u);
  session.toggle(session.answer()->paint.offered[1]);  // too late
  EXPECT_EQ(session.guess().marks.size(), 1u);
}

// Two buttons are all that a clicker has, and digits answer where there is no mouse.
TEST(LessonSession, AClickerAndDigitsGoThroughAllOfIt) {
  Desk desk(small_lessons());
  LessonSession& session = *desk.session;
  ASSERT_TRUE(session.open("strides"));
  session.go_to(2);
  desk.settle();
  EXPECT_FALSE(session.pick(0));
  EXPECT_FALSE(session.pick(4)) << "three numbers are offered";
  EXPECT_TRUE(session.pick(2));
  EXPECT_EQ(session.guess().number, 8);
  session.next();
  EXPECT_TRUE(session.told());
  EXPECT_TRUE(session.pick(2));
  EXPECT_EQ(session.chosen_why(), "twice");
  session.next();
  desk.settle();
  EXPECT_EQ(session.page(), 3);
  EXPECT_FALSE(session.pick(1)) << "cells are painted";
  session.next();
  EXPECT_TRUE(session.nudged());
  EXPECT_FALSE(session.told());
  session.next();
  EXPECT_TRUE(session.told());
  EXPECT_TRUE(session.guess().skipped);
  session.go_to(5);
  desk.settle();
  for (const int number : {2, 3, 1}) EXPECT_TRUE(session.pick(number));
  EXPECT_EQ(session.guess().order, (std::vector<std::string>{"a", "b", "c"}));
}

// Forward puts the marked card in place, back marks another: two buttons make any order, skip and turn back.
TEST(LessonSession, AClickerPutsCardsInOrder) {
  Desk desk(small_lessons());
  LessonSession& session = *desk.session;
  ASSERT_TRUE(session.open("strides"));
  session.go_to(5);
  desk.settle();
  EXPECT_EQ(session.marked(), "") << "nobody has asked to go on";
  session.next();
  EXPECT_TRUE(session.nudged());
  EXPECT_EQ(session.marked(), "c");
  session.back();
  EXPECT_EQ(session.marked(), "a");
  session.next();
  EXPECT_EQ(session.guess().order, std::vector<std::string>{"a"});
  EXPECT_EQ(session.marked(), "c");
  session.back();
  session.back();
  EXPECT_TRUE(session.marks_skip());
  session.back();
  EXPECT_TRUE(session.guess().order.empty()) << "the last one is taken back";
  EXPECT_EQ(session.page(), 5);
  for (int i = 0; i < 3; ++i) session.next();
  EXPECT_EQ(session.guess().order, (std::vector<std::string>{"c", "a", "b"}));
  EXPECT_FALSE(session.told());
  session.next();
  EXPECT_TRUE(session.told());
  EXPECT_EQ(session.judgement().hit, 0u);
  session.back();
  EXPECT_EQ(session.page(), 4);

  session.go_to(5);
  desk.settle();
  session.next();
  for (int i = 0; i < 3; ++i) session.back();
  EXPECT_TRUE(session.marks_skip());
  session.next();
  EXPECT_TRUE(session.told());
  EXPECT_TRUE(session.guess().skipped);
  session.go_to(5);
  desk.settle();
  session.next();
  for (int i = 0; i < 4; ++i) session.back();
  EXPECT_EQ(session.page(), 4) << "behind the last there is the page before";
}

TEST(LessonSession, CardsAreInsertedMovedAndTakenOut) {
  Desk desk(small_lessons());
  LessonSession& session = *desk.session;
  ASSERT_TRUE(session.open("strides"));
  session.go_to(5);
  desk.settle();
  using Order = std::vector<std::string>;
  EXPECT_FALSE(session.move_last(1)) << "there is none";
  session.place("a", 2);
  EXPECT_EQ(session.guess().order, Order{"a"}) << "there are no gaps";
  session.place("b", 0);
  EXPECT_EQ(session.guess().order, (Order{"b", "a"}));
  session.place("nothing", 0);
  session.place("c", 1);
  EXPECT_EQ(session.guess().order, (Order{"b", "c", "a"}));
  EXPECT_TRUE(session.move_last(-1));
  EXPECT_EQ(session.guess().order, (Order{"c", "b", "a"}));
  EXPECT_TRUE(session.move_last(-1)) << "it stays at the end";
  EXPECT_EQ(session.guess().order, (Order{"c", "b", "a"}));
  session.place("b", std::nullopt);
  EXPECT_FALSE(session.guessed());
  session.place("b", 1);
  session.reveal();
  session.place("a", 0);
  EXPECT_EQ(session.guess().order, (Order{"c", "b", "a"})) << "too late";
}

// A text speaks of the lesson's own kernel at its own values; the window says so once either is another.
TEST(LessonSession, WhatTheReaderChangedIsKnown) {
  Desk desk(small_lessons());
  LessonSession& session = *desk.session;
  using Strayed = LessonSession::Strayed;
  ASSERT_TRUE(session.open("strides"));
  EXPECT_EQ(session.strayed(), Strayed::No);
  session.go_to(2);
  desk.settle();
  EXPECT_EQ(session.strayed(), Strayed::No);
  session.guess_number(8);
  session.reveal();
  desk.settle();
  EXPECT_EQ(session.strayed(), Strayed::No) << "the reveal moved the slider, not the reader";
  EXPECT_EQ(session.spoken_of()->values.at("stride"), 2);
  desk.bench->set_value("stride", 5);
  EXPECT_EQ(session.strayed(), Strayed::Values);
  desk.bench->set_text(desk.bench->text() + "// mine\n", desk.now);
  EXPECT_EQ(session.strayed(), Strayed::Code);
  session.restore();
  desk.settle();
  EXPECT_EQ(session.strayed(), Strayed::No);
  EXPECT_EQ(desk.bench->value("stride"), 2);
  EXPECT_TRUE(session.told()) << "what was told stays told";
  desk.bench->open_kernel("copy");
  EXPECT_EQ(session.strayed(), Strayed::Kernel);
}

TEST(LessonSession, TheCursorStandsInTheBlockThatALessonNames) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("lesson_block_" + std::to_string(::getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::copy(small_lessons() / "strides", folder / "strides");
  const fs::path file = folder / "strides" / "lesson.toml";
  std::string text = *read_text(file);
  const auto replace = [&](const std::string& what, const std::string& with) {
    ASSERT_NE(text.find(what), std::string::npos) << what;
    text.replace(text.find(what), what.size(), with);
  };
  replace("lane = 3", "block = 3, warp = 5, lane = 3");
  replace(
      "then = { stride = 2 }",
      "then = { stride = 2 }\nthen_at = { text = \"in[i * stride]\", op = \"load\", block = 1, warp = 2 }");
  ASSERT_TRUE(write_text(file, text));
  Desk desk(folder);
  ASSERT_TRUE(desk.session->open("strides"));
  const auto block = [&] { return desk.bench->picture()->run->trace.blocks().front().block; };
  desk.session->go_to(1);
  desk.settle();
  EXPECT_EQ(block(), 3u);
  EXPECT_EQ(desk.bench->picture()->run->trace.steps()[desk.bench->cursor().step].warp, 5u);
  EXPECT_EQ(desk.bench->selection().lane, 3);
  desk.session->go_to(2);
  desk.settle();
  EXPECT_EQ(block(), 0u) << "the next page names none";
  EXPECT_FALSE(desk.bench->selection().lane) << "nor a lane";
  desk.session->guess_number(8);
  desk.session->reveal();
  desk.settle();
  EXPECT_EQ(block(), 1u) << "what is told may be about another";
  EXPECT_EQ(desk.bench->picture()->run->trace.steps()[desk.bench->cursor().step].warp, 2u);
  desk.session->go_to(1);
  desk.settle();
  desk.session->go_to(1);
  desk.settle();
  EXPECT_EQ(desk.bench->selection().lane, 3) << "however often it is entered";
  fs::remove_all(folder);
}

// A text quotes times as `warplens time` measures the kernel; the plot beside it shows the same ones.
TEST(LessonSession, ThePlotOfTimesIsThatOfTheText) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("lesson_times_" + std::to_string(::getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::copy(small_lessons() / "strides", folder / "strides");
  const fs::path file = folder / "strides" / "lesson.toml";
  std::string text = *read_text(file);
  const std::string views = "views = [\"address-map\"]";
  text.replace(text.find(views), views.size(), "views = [\"timing\"]\nover = \"block\"");
  ASSERT_TRUE(write_text(file, text));
  Desk desk(folder);
  ASSERT_TRUE(desk.session->open("strides"));
  desk.session->go_to(1);
  desk.settle();
  EXPECT_TRUE(desk.bench->kernel()->measure_flushed);
  EXPECT_TRUE(desk.bench->view_options.cold);
  EXPECT_EQ(desk.bench->swept()->slider, "block");
  desk.session->go_to(2);
  desk.settle();
  EXPECT_EQ(desk.bench->swept()->slider, "stride");
  desk.session->close();
  EXPECT_FALSE(desk.bench->view_options.cold) << "as the user had it";
  fs::remove_all(folder);
}

// What the strip says of the reader's own run is about what the page is about.
TEST(LessonSession, APageIsAboutItsCursorOrItsView) {
  Desk desk(lesson::lessons_folder());
  LessonSession& session = *desk.session;
  const auto about = [&](const std::string& name, const std::string& step) {
    EXPECT_TRUE(session.open(name));
    for (int page = 1; page < session.pages(); ++page) {
      session.go_to(page);
      if (session.step() != nullptr && session.step()->id == step) break;
    }
    return session.page_about();
  };
  using Abouts = std::vector<analysis::About>;
  EXPECT_EQ(about("scans_and_compaction", "powers_of_two"), (Abouts{{"", "", "shared"}}));
  EXPECT_EQ(about("divergence", "loops"), (Abouts{{"", "branch", ""}}));
  EXPECT_EQ(about("stencils_and_halos", "try_it"), (Abouts{{"", "", "global"}}));
  EXPECT_EQ(about("stencils_and_halos", "four_to_the_left"), (Abouts{{"sum += in[j]", "load", ""}}));
  EXPECT_EQ(about("atomics_and_histograms", "how_many"), Abouts{}) << "times alone: what the kernel is about";
}

// Where and when a time was recorded stands under a page as soon as the time does, and not before.
TEST(LessonSession, ATimeThatDoesNotStandThereHasNoDate) {
  Desk desk(lesson::lessons_folder());
  LessonSession& session = *desk.session;
  ASSERT_TRUE(session.open("roofline_and_verdicts"));
  session.go_to(1);
  desk.settle();
  ASSERT_EQ(session.step()->id, "intensity");
  session.skip();
  desk.settle();
  EXPECT_FALSE(session.timed()) << "only what is said at the goal quotes times";
  desk.bench->set_value("tile", 32);
  desk.settle();
  ASSERT_TRUE(session.goal_reached());
  EXPECT_TRUE(session.timed());
  session.go_to(2);
  desk.settle();
  EXPECT_FALSE(session.timed());
  session.skip();
  desk.settle();
  EXPECT_TRUE(session.timed()) << "a curve of recorded times is one as well";
}

TEST(LessonSession, ProgressIsKeptAndGoesOn) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("lesson_progress_" + std::to_string(::getpid()));
  fs::remove_all(folder);
  {
    Desk desk(small_lessons(), folder / "progress.toml");
    ASSERT_TRUE(desk.session->open("strides"));
    desk.session->go_to(4);
    desk.session->close();
  }
  {
    Desk desk(small_lessons(), folder / "progress.toml");
    ASSERT_TRUE(desk.session->open("strides"));
    EXPECT_EQ(desk.session->page(), 4);
    desk.session->go_to(8);
    EXPECT_TRUE(desk.session->progress().at("strides").done);
  }
  ASSERT_TRUE(write_text(folder / "progress.toml", "strides = {page = \"x\", done = 3}\nbroken ["));
  Desk desk(small_lessons(), folder / "progress.toml");
  ASSERT_TRUE(desk.session->open("strides"));
  EXPECT_EQ(desk.session->page(), 0);
  EXPECT_TRUE(fs::exists(folder / "progress.toml.bad")) << "what cannot be read is kept beside";
  fs::remove_all(folder);
}

TEST(LessonSession, WhatIsTypedIntoAChallengeIsKeptAndNothingElse) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("lesson_solution_" + std::to_string(::getpid()));
  const fs::path kept = folder / "solutions" / "challenge_rows.cu";
  fs::remove_all(folder);
  Desk desk(fs::path(tests::source_dir()) / "assets/lessons", folder / "progress.toml");
  ASSERT_TRUE(desk.session->open("challenge_rows"));
  desk.settle();
  EXPECT_FALSE(fs::exists(kept));
  const std::string mine = desk.bench->text() + "// mine\n";
  desk.bench->set_text(mine, desk.now);
  desk.settle();
  ASSERT_TRUE(fs::exists(kept)) << "before it is left, whatever happens to the window";
  EXPECT_EQ(*read_text(kept), mine);
  desk.bench->open_kernel("copy");
  desk.bench->set_text(desk.bench->text() + "// another kernel\n", desk.now);
  desk.session->close();
  EXPECT_EQ(*read_text(kept), mine);
  fs::remove_all(folder);
}

// What the last edit moved, and mine beside the reference; a text that does not compile is no run between.
TEST(LessonSession, AChallengeSaysWhatTheLastChangeMoved) {
  Desk desk(fs::path(tests::source_dir()) / "assets/lessons");
  LessonSession& session = *desk.session;
  ASSERT_TRUE(session.open("challenge_rows"));
  desk.settle();
  ASSERT_NE(session.grade(), nullptr);
  EXPECT_EQ(session.former(), nullptr) << "nothing was changed yet";
  ASSERT_NE(session.of_reference(), nullptr);
  const double slow = *session.grade()->goals.front().value;
  desk.bench->set_text(desk.bench->text() + "\n}", desk.now);
  desk.settle();
  EXPECT_FALSE(session.grade()->compiles);
  ASSERT_NE(session.former(), nullptr);
  const auto solved = read_text(session.lesson()->reference->file);
  ASSERT_TRUE(solved);
  desk.bench->set_text(*solved, desk.now);
  desk.settle();
  ASSERT_TRUE(session.grade()->compiles);
  EXPECT_EQ(session.former()->goals.front().value, slow);
  EXPECT_LT(*session.grade()->goals.front().value, slow);
  EXPECT_EQ(session.grade()->goals.front().value, session.of_reference()->goals.front().value);
  EXPECT_EQ(session.grade()->by, session.of_reference()->by);
  const nlohmann::json said = session.report();
  EXPECT_EQ(said.at("counts_before").at(0).get<double>(), slow);
  EXPECT_EQ(said.at("counts"), said.at("counts_reference"));
  desk.bench->set_text(*solved + "// another word\n", desk.now);
  desk.settle();
  EXPECT_EQ(session.former()->goals.front().value, session.grade()->goals.front().value)
      << "and this change moved nothing";
  ASSERT_TRUE(session.open("challenge_rows"));
  EXPECT_EQ(session.former(), nullptr) << "of an earlier visit";
}

// The bench runs it until its budget is used up; the stars do not wait for that.
TEST(LessonSession, ASolutionWithoutAnEndIsToldWhileItRuns) {
  Desk desk(lesson::lessons_folder());
  LessonSession& session = *desk.session;
  ASSERT_TRUE(session.open("challenge_neighbours"));
  desk.settle();
  desk.bench->set_text(
      "__global__ void copy(const float* in, float* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  for (unsigned k = 1; i < n && k != 0; k += 2) "
      "out[i] = in[i] * k;\n}\n",
      desk.now);
  const auto told = [&] { return session.grade() != nullptr && !session.grade()->problems.empty(); };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!told() && std::chrono::steady_clock::now() < deadline) {
    desk.now += 0.01;
    desk.bench->tick(desk.now);
    session.tick(desk.now);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_TRUE(told());
  if (session.grade()->run == nullptr) GTEST_SKIP() << "no compiler here";
  EXPECT_EQ(session.grade()->problems[0].said->key, "lesson.no_end");
  EXPECT_FALSE(desk.bench->settled()) << "else this tests nothing";
}

TEST(LessonSession, AScriptPlaysALesson) {
  Desk desk(small_lessons());
  const auto actions = parse_script(
      "lesson strides\npage 2\nwait settled 100\nguess 8\nnext\nwait settled 100\nwhy span\nreport\n"
      "page 3\nwait settled 100\npaint 0 1 2\nnext\nreport\npage 6\nwait settled 100\ncurve 1:4 "
      "64:32\nskip\nreport\n",
      "script");
  ASSERT_TRUE(actions);
  ScriptPlayer player(*actions, "script");
  player.use(*desk.session);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(200);
  while (!player.done() && std::chrono::steady_clock::now() < deadline) {
    desk.now += 0.02;
    desk.bench->tick(desk.now);
    desk.session->tick(desk.now);
    const Status ok = player.advance(*desk.bench, desk.now);
    ASSERT_TRUE(ok) << ok.error().text();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const auto reports = player.take_reports();
  ASSERT_EQ(reports.size(), 3u);
  const auto first = nlohmann::json::parse(reports[0]).at("lesson");
  EXPECT_TRUE(first.at("right").get<bool>());
  EXPECT_EQ(first.at("why"), "span");
  EXPECT_EQ(nlohmann::json::parse(reports[1]).at("lesson").at("missing"), 5);
  EXPECT_TRUE(nlohmann::json::parse(reports[2]).at("lesson").at("skipped").get<bool>());
}

// ---- every lesson of the shelf ----

// From the files alone: every test of this program begins here, and a shelf takes longer to load than most of
// them run.
std::vector<std::string> names() {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(lesson::lessons_folder(), ignored)) {
    if (!std::filesystem::exists(entry.path() / "lesson.toml", ignored)) continue;
    const auto text = read_text(entry.path() / "lesson.toml");
    if (text && ("\n" + *text).find("\nkind = \"lesson\"\n") != std::string::npos)
      out.push_back(entry.path().filename());
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(LessonNames, AreThoseOfTheShelf) {
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(gallery);
  const lesson::Shelf shelf = lesson::load_shelf(*gallery);
  std::vector<std::string> out;
  for (const lesson::Lesson* one : shelf.of(lesson::Kind::Lesson)) out.push_back(one->name);
  std::sort(out.begin(), out.end());
  EXPECT_EQ(names(), out);
}

struct LessonPlay : ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LessonPlay);

// To its end, with wrong guesses and with right ones.
TEST_P(LessonPlay, ToItsEnd) {
  Desk desk(lesson::lessons_folder());
  LessonSession& session = *desk.session;
  ASSERT_TRUE(session.open(GetParam()));
  for (int page = 0; page < session.pages(); ++page) {
    for (const bool right : {false, true}) {
      session.go_to(page);
      desk.settle();
      ASSERT_FALSE(session.trouble()) << session.trouble()->text();
      const std::string where =
          session.step() == nullptr ? "page " + std::to_string(page) : session.step()->id;
      if (session.step() != nullptr) {
        EXPECT_FALSE(session.body().empty()) << where;
        EXPECT_EQ(session.body().find("{{"), std::string::npos) << where;
      }
      if (!session.asks()) break;
      ASSERT_TRUE(session.answer_for_me(right)) << where;
      ASSERT_TRUE(session.guessed()) << where;
      session.next();
      EXPECT_TRUE(session.told()) << where;
      desk.settle();
      EXPECT_EQ(session.judgement().right, right) << where;
      EXPECT_FALSE(session.text("reveal").empty()) << where;
    }
  }
  EXPECT_TRUE(session.progress().at(GetParam()).done);
}

INSTANTIATE_TEST_SUITE_P(Shelf, LessonPlay, ::testing::ValuesIn(names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace warplens::window
