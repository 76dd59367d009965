// What is shown belongs to what is asked for, or looks earlier and says to what it belongs.
#include <gmock/gmock.h>

#include "engine/base/assets.h"
#include "tests/window/workbench_fixture.h"
#include "visual/export.h"

namespace warplens::window {
namespace {

using ::testing::HasSubstr;
using testing::WorkbenchTest;
using visual::Basis;

class EarlierTest : public WorkbenchTest {
 protected:
  const Catalogue& text() const {
    static const Catalogue catalogue = Catalogue::load("en").value();
    return catalogue;
  }
  std::string line(Basis basis = Basis::Run) const { return bench_->earlier_line(basis, text()); }
  bool numbers_are_earlier() const {
    const auto figures = bench_->figures();
    return !figures.empty() && std::ranges::all_of(figures, &Headline::earlier);
  }
  // As an export draws it.
  std::string transcript(const char* view) const {
    return bench_->composition(text())
        .lay_out(*visual::find_view(view), {900, 500}, text(), visual::cairo_text_measure())
        .transcript;
  }
  void expect_current() {
    EXPECT_FALSE(bench_->looks_earlier());
    for (const Basis basis : {Basis::Run, Basis::Curve, Basis::Hardware, Basis::Machine})
      EXPECT_EQ(line(basis), "");
    EXPECT_FALSE(bench_->totals_are_earlier());
    for (const Headline& figure : bench_->figures()) EXPECT_FALSE(figure.earlier);
    EXPECT_FALSE(transcript("address-map").starts_with("Shown"));
  }
  void open() {
    bench_->open_kernel("strided");
    settle();
    expect_current();
  }
};

// Seen: a lone brace in a broken text "costs 32.0 sectors".
TEST_F(EarlierTest, AfterASyntaxErrorEverythingIsOfTheTextBefore) {
  open();
  const std::string before = bench_->text();
  bench_->set_text("__global__ void strided() {\n  // text\n  broken\n  }\n  store;\n}\n", 1.0);
  bench_->tick(1.0);
  EXPECT_TRUE(bench_->looks_earlier()) << "at once: the lines are no longer those of the numbers";
  EXPECT_THAT(line(), HasSubstr("has not run yet"));
  settle(2.0);
  ASSERT_TRUE(bench_->error());
  EXPECT_TRUE(bench_->looks_earlier());
  EXPECT_THAT(line(), HasSubstr("the text before the edit"));
  EXPECT_THAT(line(), HasSubstr("does not compile"));
  EXPECT_THAT(line(Basis::Curve), HasSubstr("does not compile"));
  EXPECT_TRUE(numbers_are_earlier());
  EXPECT_THAT(transcript("address-map"), HasSubstr("does not compile")) << "an export says it as well";
  EXPECT_THAT(transcript("timing"), HasSubstr("does not compile"));
  // Line 3 was a load and is gone; line 4 was a store, which is line 5 now.
  const LineMap lines = bench_->lines();
  EXPECT_EQ(lines.then(3), 0);
  EXPECT_EQ(lines.then(4), 0) << "a new line has no costs";
  EXPECT_EQ(lines.then(5), 4);
  EXPECT_EQ(lines.now(4), 5);
  EXPECT_EQ(lines.now(3), 0);
  // What is wrong is of that text too: while one that may be right is typed and compiled it is no longer said
  // in full colour.
  EXPECT_FALSE(bench_->error_is_earlier());
  bench_->set_text(before, 3.0);
  bench_->tick(3.0);
  EXPECT_TRUE(bench_->error_is_earlier());
  settle(4.0);
  EXPECT_FALSE(bench_->error_is_earlier());
  expect_current();
}

// Seen: a change of the language compiled the kernel anew and dimmed the picture for seconds, whose text was
// then one "before the edit".
TEST_F(EarlierTest, AnotherLanguageRunsNothingAndMakesNoEdit) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("warplens_spoken_" + std::to_string(::getpid()));
  const auto file = folder / "strided.cu";
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(write_text(file, "__global__ void strided() {\n  // moves apart\n  load;\n  store;\n}\n"));
  ASSERT_TRUE(write_text(folder / "comments.zh.toml", "[strided]\n\"moves apart\" = \"彼此远离\"\n"));
  bench_.emplace(testing::gallery(file), analysis::DeviceCatalogue::load().value(), make_engine(), [] {});
  bench_->settings.language = "en";
  open();
  bench_->compare();
  settle();
  const int loads = calls_.loads, runs = calls_.runs;
  bench_->settings.language = "zh";
  bench_->tick(1.0);
  EXPECT_TRUE(bench_->settled());
  EXPECT_THAT(bench_->text(), HasSubstr("彼此远离"));
  EXPECT_FALSE(bench_->edited());
  expect_current();
  EXPECT_EQ(bench_->lines().then(3), 3);
  const Composition both = bench_->composition(text());
  EXPECT_THAT(both.input(both.b).source->lines.at(1), HasSubstr("彼此远离"));
  EXPECT_THAT(both.input(*both.a).source->lines.at(1), HasSubstr("彼此远离"));
  settle(2.0);
  EXPECT_EQ(calls_.loads, loads);
  EXPECT_EQ(calls_.runs, runs);

  // An edit is one in any language, and is kept through another one.
  std::string mine = bench_->text();
  mine.insert(mine.rfind('}'), "  more;\n");
  bench_->set_text(mine, 3.0);
  settle(4.0);
  EXPECT_TRUE(bench_->edited());
  EXPECT_EQ(bench_->text(), mine);
  EXPECT_THAT(bench_->picture()->program->text, HasSubstr("// moves apart"))
      << "what is compiled is one text";
  bench_->settings.language = "en";
  bench_->tick(5.0);
  EXPECT_THAT(bench_->text(), HasSubstr("moves apart\n  load;\n  store;\n  more;"));
  bench_->settings.language = "zh";
  bench_->undo();
  bench_->tick(6.0);
  EXPECT_FALSE(bench_->edited());
  EXPECT_THAT(bench_->text(), HasSubstr("彼此远离"));
  std::filesystem::remove_all(folder);
}

TEST_F(EarlierTest, AfterARevertItIsDimUntilTheTextOfTheFileRan) {
  open();
  bench_->set_text("__global__ void strided() {\n  // other\n  load;\n  store;\n}\n", 1.0);
  settle(2.0);
  expect_current();
  calls_.delay_ms = 200;
  bench_->revert_text();
  bench_->tick(2.1);
  EXPECT_TRUE(bench_->looks_earlier());
  EXPECT_THAT(bench_->totals_line(text()), HasSubstr("the text before the edit"));
  EXPECT_THAT(bench_->totals_line(text()), HasSubstr("is running"));
  settle(3.0);
  expect_current();
}

TEST_F(EarlierTest, AfterAStopItSaysWhichValuesAreShown) {
  open();
  calls_.delay_ms = 3000;
  bench_->set_value("stride", 8);
  for (int i = 0; i < 400 && bench_->picture()->of.values.at("stride") != 8; ++i) {
    bench_->tick(1.0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  bench_->tick(1.0);
  EXPECT_TRUE(bench_->totals_are_earlier()) << "the preview is there, the exact numbers are the old ones";
  EXPECT_EQ(line(), "");
  EXPECT_THAT(bench_->totals_line(text()), HasSubstr("stride 2"));
  EXPECT_FALSE(bench_->looks_earlier()) << "what follows the hand closely does not flicker";
  bench_->tick(1.5);
  EXPECT_TRUE(bench_->looks_earlier());
  bench_->cancel();
  settle(2.0);
  EXPECT_TRUE(bench_->looks_earlier());
  EXPECT_THAT(bench_->totals_line(text()), HasSubstr("was stopped"));
  EXPECT_TRUE(numbers_are_earlier());
  calls_.delay_ms = 0;
  bench_->set_value("stride", 2);
  settle(3.0);
  expect_current();
}

TEST_F(EarlierTest, AFailedRunLeavesThePictureOfTheValuesBefore) {
  open();
  calls_.throws = true;
  bench_->set_value("stride", 5);
  settle(1.0);
  ASSERT_TRUE(bench_->error());
  EXPECT_THAT(line(), HasSubstr("stride 2"));
  EXPECT_THAT(line(), HasSubstr("did not run"));
  EXPECT_TRUE(numbers_are_earlier());
  calls_.throws = false;
  bench_->set_value("stride", 6);
  settle(2.0);
  expect_current();
}

TEST_F(EarlierTest, UntilAnotherDeviceIsModelledThePictureIsOfTheOneBefore) {
  open();
  calls_.throws = true;
  bench_->choose_device("A100 40 SXM");
  settle(1.0);
  EXPECT_THAT(line(), HasSubstr("H200 SXM"));
  EXPECT_EQ(bench_->composition(text()).b.device->name, "H200 SXM")
      << "its own device stands beside its numbers";
  calls_.throws = false;
  bench_->choose_device("A100 80 SXM");
  settle(2.0);
  expect_current();
  EXPECT_EQ(bench_->composition(text()).b.device->name, "A100 80 SXM");
}

TEST_F(EarlierTest, OfTwoSidesOnlyTheOpenOneBecomesEarlier) {
  open();
  bench_->compare();
  bench_->set_value("stride", 8);
  settle(1.0);
  bench_->set_text("broken", 2.0);
  settle(3.0);
  const visual::Scene scene = bench_->composition(text()).lay_out(
      *visual::find_view("address-map"), {1200, 600}, text(), visual::cairo_text_measure());
  const auto has = [&](std::string_view id) {
    return std::ranges::any_of(scene.shapes, [&](const visual::Shape& s) { return s.id == id; });
  };
  EXPECT_TRUE(has("b.earlier.veil"));
  EXPECT_FALSE(has("a.earlier.veil"));
}

TEST_F(EarlierTest, WhenAUsersFileWasAdoptedItIsWhatWasAskedFor) {
  bench_->open_file(file_.string(), "", {{"stride", 4}});
  settle();
  expect_current();
}

TEST_F(EarlierTest, TheCurveIsOfTheOtherSlidersAsTheyStand) {
  open();
  calls_.throws = true;
  bench_->set_value("blocks", 7);
  settle(1.0);
  EXPECT_THAT(line(Basis::Curve), HasSubstr("blocks 32"));
  calls_.throws = false;
  bench_->set_value("blocks", 8);
  settle(2.0);
  expect_current();
  bench_->set_value("stride", 9);
  settle(3.0);
  expect_current();
}

class EarlierTimeTest : public EarlierTest {
 protected:
  Engine make_engine() override { return testing::engine_with_gpu(calls_); }
};

TEST_F(EarlierTimeTest, ATimeAndCountersOfTheTextBeforeAreEarlierToo) {
  open();
  ASSERT_TRUE(bench_->picture()->time);
  EXPECT_EQ(bench_->picture()->time->on, (MeasuredOn{"NVIDIA H200", "H200 SXM"}));
  bench_->set_text("broken", 1.0);
  bench_->tick(1.0);
  EXPECT_TRUE(numbers_are_earlier()) << "the time as well";
  EXPECT_THAT(line(Basis::Hardware), HasSubstr("has not run yet"));
  settle(2.0);
  EXPECT_FALSE(bench_->measurement().timing);
}

// Seen: 2.09 TB/s of an H200 under the name of an A100.
TEST_F(EarlierTimeTest, ANumberOfAnotherGpuBearsItsName) {
  open();
  EXPECT_EQ(bench_->device_name(), "H200 SXM");
  bench_->choose_device("A100 40 SXM");
  settle(1.0);
  bool timed = false;
  for (const Headline& figure : bench_->figures()) {
    EXPECT_EQ(figure.evidence == Evidence::Measured, bench_->is_of_other_device(figure.on))
        << figure.name_key;
    if (figure.evidence == Evidence::Measured) {
      EXPECT_EQ(figure.on.short_name(), "H200");
      timed = true;
    }
  }
  EXPECT_TRUE(timed);
  const Composition now = bench_->composition(text());
  ASSERT_TRUE(now.sweep);
  EXPECT_EQ(now.sweep->on.hardware, "NVIDIA H200");
  for (const char* view : {"timing", "counters", "stalls"}) {
    const visual::Scene scene =
        now.lay_out(*visual::find_view(view), {1280, 720}, text(), visual::cairo_text_measure());
    EXPECT_EQ(scene.evidence_of, "H200") << view;
  }
  bench_->choose_device("H200 SXM");
  settle(2.0);
  for (const Headline& figure : bench_->figures()) EXPECT_FALSE(bench_->is_of_other_device(figure.on));
}

}  // namespace
}  // namespace warplens::window
