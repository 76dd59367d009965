// The machine of lessons on a small one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "app/lesson/boards.h"
#include "app/lesson/check.h"
#include "app/lesson/grade.h"
#include "app/lesson/shelf.h"
#include "engine/base/assets.h"
#include "tests/app/lesson_runs.h"
#include "tests/support/places.h"

namespace warplens::lesson {
namespace {

namespace fs = std::filesystem;

fs::path test_folder(const std::string& name) {
  return fs::path(tests::source_dir()) / "tests" / "app" / "lesson" / name;
}

struct LessonMachine : LessonRuns {
  static const Lesson& strides() {
    static const Reading reading = read_lesson(test_folder("strides"), gallery());
    return *reading.lesson;
  }
  static Answer answer(std::size_t step) {
    const auto found = answer_of(runs(), strides(), strides().steps.at(step));
    EXPECT_TRUE(found) << (found ? "" : found.error().text());
    return found ? *found : Answer{};
  }
};

// A copy of the small lesson with one thing changed; says what the check finds.
struct Changed {
  fs::path folder;
  explicit Changed(const std::string& name)
      : folder(fs::path(testing::TempDir()) / (name + "_" + std::to_string(getpid()))) {
    fs::remove_all(folder);
    fs::copy(test_folder("strides"), folder);
  }
  ~Changed() { fs::remove_all(folder); }
  void replace(const std::string& file, const std::string& what, const std::string& with) const {
    std::string text = *read_text(folder / file);
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), with);
    ASSERT_TRUE(write_text(folder / file, text));
  }
};

TEST_F(LessonMachine, TheSmallLessonIsGood) {
  const Checked checked = check_lesson(runs(), test_folder("strides"));
  for (const Error& problem : checked.problems) ADD_FAILURE() << problem.text();
  EXPECT_EQ(checked.name, "strides");
}

TEST_F(LessonMachine, AnswersComeFromTheRunOfTheReveal) {
  EXPECT_EQ(answer(1).number, 8);
  EXPECT_EQ(answer(2).paint.right.size(), 8u);
  EXPECT_EQ(answer(2).paint.offered.size(), 16u);
  EXPECT_EQ(answer(2).paint.line, "out[i] = in[i * stride];") << "the board is headed by a whole line";
  EXPECT_EQ(answer(3).option, "eight");
  EXPECT_EQ(answer(4).order, (std::vector<std::string>{"a", "b", "c"}));
  const Answer curve = answer(5);
  ASSERT_GT(curve.curve.size(), 10u);
  EXPECT_EQ(curve.curve.front(), (std::pair<std::int64_t, double>{1, 4}));
  EXPECT_EQ(curve.curve.back(), (std::pair<std::int64_t, double>{64, 32}));
  EXPECT_EQ(answer(6).paint.right.size(), 32u);
}

TEST_F(LessonMachine, GuessesAreJudged) {
  const Step& number = strides().steps[1];
  Guess guess;
  guess.number = 8;
  EXPECT_TRUE(judge(*number.predict, answer(1), guess).right);
  guess.number = 4;
  EXPECT_FALSE(judge(*number.predict, answer(1), guess).right);
  EXPECT_EQ(guess_name(*number.predict, guess), "4");

  const Answer sectors = answer(2);
  Guess paint;
  paint.marks = sectors.paint.right;
  EXPECT_TRUE(judge(*strides().steps[2].predict, sectors, paint).right);
  paint.marks.erase(paint.marks.begin());
  paint.marks.insert(sectors.paint.offered.back());
  const Judgement told = judge(*strides().steps[2].predict, sectors, paint);
  EXPECT_FALSE(told.right);
  EXPECT_EQ(told.hit, 7u);
  EXPECT_EQ(told.missing, 1u);
  EXPECT_EQ(told.extra, 1u);

  const Answer sorted = answer(4);
  Guess order;
  order.order = {"a", "c", "b"};
  const Judgement swapped = judge(*strides().steps[4].predict, sorted, order);
  EXPECT_FALSE(swapped.right);
  EXPECT_EQ(swapped.hit, 1u);
  EXPECT_EQ(swapped.missing, 2u);
  order.order = {"a", "b", "c"};
  EXPECT_TRUE(judge(*strides().steps[4].predict, sorted, order).right);

  const Answer curve = answer(5);
  Guess drawn;
  for (const auto& [x, y] : curve.curve) drawn.curve.emplace_back(x, y + 3);  // 28 is the range
  EXPECT_TRUE(judge(*strides().steps[5].predict, curve, drawn).right);
  for (auto& [x, y] : drawn.curve) y = 4;
  EXPECT_FALSE(judge(*strides().steps[5].predict, curve, drawn).right);
  Guess skipped = guess;
  skipped.skipped = true;
  EXPECT_FALSE(judge(*number.predict, answer(1), skipped).right);
}

TEST_F(LessonMachine, NamesOfRunsSlidersSitesAndTimes) {
  const auto value = [&](const std::string& text) {
    const auto scope = scope_at(runs(), strides(), &strides().steps[1], strides().steps[1].state);
    const auto found = value_of(text, *scope);
    EXPECT_TRUE(found) << (found ? "" : found.error().text());
    return found ? *found : -1.0;
  };
  EXPECT_EQ(value("stride"), 1);
  EXPECT_EQ(value("wide.stride"), 8);
  EXPECT_EQ(value("global.load.sectors"), 128);
  EXPECT_EQ(value("wide.global.load.sectors"), 1024);
  EXPECT_EQ(value(R"(wide.site("in[i*stride]", load).sectors_per_request)"), 32);
  EXPECT_EQ(value(R"(site("out[i]", store).requests)"), 32);
  EXPECT_EQ(value("output.matches"), 1);
  EXPECT_EQ(value("faults"), 0);
  // The clock's size, whatever n the picture has.
  EXPECT_GT(value("wide.time_flushed / time_flushed"), 2);
}

// What the library takes is recorded for products of matrices, at the size that the kernel is timed at.
TEST_F(LessonMachine, TheLibrarysTimeIsThatOfTheRecording) {
  const model::GalleryKernel& ladder = *gallery().find("matmul_ladder");
  Subject subject{&ladder, model::default_values(ladder)};
  const auto time = runs().library_time(subject);
  ASSERT_TRUE(time) << time.error().text();
  const model::RecordedProduct* product = recordings().best()->product({2048, 2048, 2048});
  ASSERT_NE(product, nullptr);
  EXPECT_DOUBLE_EQ(*time, 1000 * product->time.median);
  const RunScope scope(runs(), subject, {});
  EXPECT_EQ(*value_of("library_time", scope), *time);
  EXPECT_EQ(scope.timed().size(), 1u) << "its size is said, as of any time";
  const model::GalleryKernel& copy = *gallery().find("copy");
  const auto none = runs().library_time({&copy, model::default_values(copy)});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("makes no product"), std::string::npos);
}

TEST_F(LessonMachine, MistakesAreSaidWithFileAndLine) {
  struct Case {
    const char *file, *what, *with, *said;
  };
  const Case cases[] = {
      {"lesson.toml", "topic = \"global_memory\"", "topic = \"globl_memory\"",
       "there is no topic 'globl_memory'; order.toml has threads, global_memory"},
      {"lesson.toml", "then = { stride = 2 }", "then = { strid = 2 }", "has no slider 'strid'"},
      {"lesson.toml", "then = { stride = 2 }", "then = { stride = 99 }", "cannot stand at 99"},
      {"lesson.toml", "guesses = [4, 8, 16]", "guesses = [4, 16]", "the answer is 8"},
      {"lesson.toml", "right = \"span\"", "right = \"spam\"", "'spam' is not one of the options"},
      {"lesson.toml", "value = 'site(\"in[i * stride]\", load).sectors_per_request'",
       "value = 'execution.average_active_lanes'", "is modelled from machine code, and is no count"},
      {"lesson.toml", "== 16 and stride > 2", "== 16 and stride > 2 and wide.execution.efficiency > 0.1",
       "wide.execution.efficiency is modelled"},
      {"lesson.toml", "play = \"once\"", "play = \"twice\"", "'play' is 'twice'"},
      {"lesson.toml", "play = \"once\"", "plai = \"once\"", "'plai' is not known here"},
      {"lesson.toml", "rows = 4", "rows = 4\ntolerance = 1", "'tolerance' is not known here"},
      {"lesson.toml", "text = \"in[i * stride]\", op = \"load\", lane = 3",
       "text = \"inn[i]\", op = \"load\"", "has no load in a line with 'inn[i]'"},
      {"lesson.toml", "op = \"load\", lane = 3", "op = \"read\"", "'op' is 'read'; it takes load, store"},
      {"lesson.toml", "play = \"once\"", "over = \"strid\"", "copy_strided has no slider 'strid'"},
      {"en.md", "{{ wide.global.load.sectors }}", "{{ strid }}", "there are wide, block, n, stride, "},
      {"lesson.toml", "op = \"load\", lane = 3", "op = \"load\", block = 4",
       "there is no block 4: the grid has 4"},
      {"lesson.toml", "text = \"in[i * stride]\", op = \"load\", lane = 3", "block = 1",
       "'block' chooses among accesses"},
      {"lesson.toml", "== 16 and stride > 2", "== 4", "met before anything was done"},
      {"lesson.toml", "reached = { stride = 4 }", "reached = { stride = 5 }", "not met at the values"},
      {"lesson.toml", "reached = { stride = 4 }", "", "'reached' is missing"},
      {"lesson.toml", "a = \"1\", b", "a = \"32\", b", "are the same"},
      {"lesson.toml", "views = [\"address-map\"]", "views = [\"map\"]", "there is no view 'map'"},
      {"lesson.toml", "views = [\"address-map\"]", "views = [\"memory\"]", "calls so is 'address-map'"},
      {"lesson.toml", "wide.global.load.sectors\" }", "wode.global.load.sectors\" }", "'wode"},
      {"lesson.toml", "rows = 4", "rows = 1", "spans 2 lines"},
      {"reverse.cu", "int i =", "in i =", "reverse"},
      {"en.md", "### reveal", "### reveel", "'### reveal' is missing"},
      {"zh.md", "### option twice", "### option once", "'### option twice' is missing"},
      {"zh.md", "{{ wide.global.load.sectors }}", "{{ wide.global.lode.sectors }}",
       "'global.lode.sectors' is no slider"},
      {"en.md", "### wrong 4", "### wrong 8", "'### wrong 8' is the right answer"},
      {"lesson.toml", "guesses = [4, 8, 16]", "guesses = [4, 8, 16]\ntolerance = 5",
       "'### wrong 4' is the right answer"},
      {"en.md", "### wrong one\nNeighbours share sectors there.\n", "", "nothing is said to who guesses one"},
      {"en.md", "### wrong one", "### wrong won", "'### wrong won' has nothing to stand for"},
      {"lesson.toml", "kind = \"choice\"", "kind = \"choice\"\nthen_run = \"wode\"",
       "there is no run 'wode'"},
      {"lesson.toml", "of = \"sectors\"", "of = \"lanes\"", "only painted sectors have 'rows'"},
      {"lesson.toml", "\"stride_two\", \"paint\"]", "\"stride_two\", \"painting\"]",
       "there is no step 'painting'; the steps are neighbours, stride_two"},
      {"lesson.toml", "\"stride_two\", \"paint\"]", "\"stride_two\"]",
       "the pages of the plan of 10 minutes take 6 together; 7 to 10 are meant"},
      {"lesson.toml", "10 = [", "ten = [", "'ten' in [plans] is no number of minutes between 1 and 45"},
      {"lesson.toml", "id = \"own\"\nminutes = 3", "id = \"own\"", "the step 'own' has no 'minutes'"},
      {"lesson.toml", "id = \"own\"\nminutes = 3", "id = \"own\"\nminutes = 33",
       "all pages together take 52 minutes; a class has 45"},
      {"en.md", "site(\"in[i * stride]\", load)", "site(\"in[i * stride]\", loads)",
       "'loads' is not expected here: it takes load, store"},
      {"en.md", "site(\"in[i * stride]\", load)", "site(\"in[i * stride]\", atomic)",
       "has no atomic in a line with 'in[i * stride]'; such lines have: load, store"},
      {"en.md", "site(\"in[i * stride]\", load).sectors_per_request",
       "site(\"in[i * stride]\").average_active_lanes", "have several kinds (load, store)"},
      {"en.md", "So.", "So \xf0\x9f\x9a\x80.", "no font has the character"},
      {"en.md", "[[sector|sectors]]", "[[sektor|sectors]]",
       "the glossary (assets/glossary.toml) has no term 'sektor'"},
      {"en.md", "## sources\n- None.", "", "'## sources' is missing"},
  };
  const auto chinese = Catalogue::load("zh");
  ASSERT_TRUE(chinese);
  for (const Case& one : cases) {
    const Changed changed("strides");
    changed.replace(one.file, one.what, one.with);
    Runs fresh(gallery(), recordings().best());  // what was compiled of another text must not stand in
    const Checked checked = check_lesson(fresh, changed.folder);
    bool said = false;
    std::string all;
    for (const Error& problem : checked.problems) {
      all += problem.text() + "\n";
      // What a compiler says is its own.
      if (problem.kind != ErrorKind::Compile) {
        EXPECT_TRUE(problem.said) << problem.text() << " has no Chinese";
        EXPECT_NE(chinese->text(problem), problem.message);
      }
      for (const std::string& note : problem.notes) all += note + "\n";
      said = said || (all.find(one.said) != std::string::npos && !problem.place.file.empty());
    }
    EXPECT_TRUE(said) << one.with << " should be answered with '" << one.said << "', not\n" << all;
  }
}

// One mistake is one complaint, whatever depends on it; and what an editor of another system leaves in a file
// is none.
TEST_F(LessonMachine, OneMistakeIsSaidOnce) {
  {
    const Changed changed("strides");
    changed.replace("lesson.toml", "kernel = \"copy_strided\"", "kernel = \"copystrided\"");
    Runs fresh(gallery(), recordings().best());
    const Checked checked = check_lesson(fresh, changed.folder);
    ASSERT_EQ(checked.problems.size(), 1u) << checked.problems[1].text();
    EXPECT_NE(checked.problems[0].message.find("copy_strided"), std::string::npos)
        << "those that begin alike: " << checked.problems[0].message;
  }
  {
    // Steps take views over from the step before.
    const Changed changed("strides");
    changed.replace("lesson.toml", "views = [\"address-map\"]", "views = [\"map\"]");
    Runs fresh(gallery(), recordings().best());
    EXPECT_EQ(check_lesson(fresh, changed.folder).problems.size(), 1u);
  }
  {
    // A kernel of one's own that cannot run: not once more at each step and each number.
    const Changed changed("strides");
    changed.replace("lesson.toml", ", \"i32:{n}\"]", "]");
    Runs fresh(gallery(), recordings().best());
    const Checked checked = check_lesson(fresh, changed.folder);
    ASSERT_EQ(checked.problems.size(), 1u) << checked.problems[1].text();
    EXPECT_EQ(checked.problems[0].place.line, 6) << "[[kernel]]";
  }
  const Changed changed("strides");
  for (const char* file : {"en.md", "zh.md", "lesson.toml"}) {
    std::string text = "\xef\xbb\xbf";
    const std::string before = *read_text(changed.folder / file);
    for (const char c : before) text += c == '\n' ? "\r\n" : std::string(1, c);
    ASSERT_TRUE(write_text(changed.folder / file, text));
  }
  Runs fresh(gallery(), recordings().best());
  for (const Error& problem : check_lesson(fresh, changed.folder).problems) ADD_FAILURE() << problem.text();
}

TEST_F(LessonMachine, AChoiceIsNoNumberToRead) {
  const Changed changed("strides");
  changed.replace("lesson.toml", "kernel = \"copy_strided\"\nset = { stride = 1, n = 1024 }",
                  "kernel = \"copy_permuted\"\nset = { n = 1024 }");
  changed.replace("lesson.toml", "id = \"stride_two\"", "id = \"stride_two\"\nkernel = \"copy_strided\"");
  changed.replace("en.md", "Stride {{ stride }}:", "In order {{ order }}:");
  Runs fresh(gallery(), recordings().best());
  std::string all;
  for (const Error& problem : check_lesson(fresh, changed.folder).problems) all += problem.text() + "\n";
  EXPECT_NE(all.find("'order' is a choice"), std::string::npos) << all;
}

// A plain number stands for itself where an expression may stand.
TEST_F(LessonMachine, ANumberIsAnExpression) {
  const Changed changed("strides");
  changed.replace("lesson.toml", "a = \"1\", b", "a = 1, b");
  Runs fresh(gallery(), recordings().best());
  for (const Error& problem : check_lesson(fresh, changed.folder).problems) ADD_FAILURE() << problem.text();
}

TEST_F(LessonMachine, AFolderAnywhereIsALesson) {
  const Changed changed("strides");
  Shelf shelf;
  const auto name = ask_for(shelf, gallery(), changed.folder.string() + "/");
  ASSERT_TRUE(name) << name.error().text();
  ASSERT_NE(shelf.find(*name), nullptr);
  EXPECT_EQ(shelf.topics.size(), 1u) << "its topic";
  EXPECT_EQ(*ask_for(shelf, gallery(), changed.folder.string()), *name);
  EXPECT_EQ(shelf.lessons.size(), 1u) << "asked for twice, it is there once";
  EXPECT_EQ(*ask_for(shelf, gallery(), "coalescing"), "coalescing") << "a name stays one";
  EXPECT_FALSE(ask_for(shelf, gallery(), "/nowhere/coalescing"));
  changed.replace("lesson.toml", "minutes = 5", "minuets = 5");
  Shelf other;
  EXPECT_FALSE(ask_for(other, gallery(), changed.folder.string()));
  EXPECT_EQ(names_like("coalesce", {"coalescing", "shuffles"}), "coalescing");
}

// What a reveal is about is what it shows: the run that ends with a fault, and the fault.
TEST_F(LessonMachine, ARevealShowsItsFault) {
  const Reading reading = read_lesson(lessons_folder() / "synchronisation_and_races", gallery());
  ASSERT_TRUE(reading.ok());
  const auto step = std::find_if(reading.lesson->steps.begin(), reading.lesson->steps.end(),
                                 [](const Step& one) { return one.id == "second"; });
  ASSERT_NE(step, reading.lesson->steps.end());
  const Predict& predict = *step->predict;
  EXPECT_EQ(predict.faults, "race");
  EXPECT_EQ(predict.views.front(), "faults");
  EXPECT_FALSE(predict.moves);  // so that views stay covered until it is told
  const auto subject = subject_of(*reading.lesson, gallery(), step->revealed());
  ASSERT_TRUE(subject);
  const auto facts = runs().facts(*subject);
  ASSERT_TRUE(facts);
  EXPECT_GT(facts->run->report.faults_total, 0u);
  EXPECT_GT(facts->run->report.faults.front().line, 0);
  // While one thinks nobody looks for races.
  const auto before = subject_of(*reading.lesson, gallery(), step->state);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->checks, simt::Checks::Memory);
}

// Names without their marks, values with their unit; nothing of the answer before it is told.
TEST_F(LessonMachine, ABoardOfAnOrderHasNamesAndWhatWasCounted) {
  const Predict& predict = *strides().steps[4].predict;
  const Answer sorted = answer(4);
  EXPECT_FALSE(sorted.in_time);
  const Catalogue english = Catalogue::load("en").value();
  const BoardText text{english, "en", recordings().best()};
  Guess guess;
  guess.order = {"c", "a", "b"};
  const std::vector<std::string> names{"Stride **8**.", "one", ""};
  const auto asked = order_board_of(predict, names, sorted, guess, false, text);
  EXPECT_EQ(asked.cards[0].name, "Stride 8");
  EXPECT_EQ(asked.cards[2].name, "b") << "what has no name is called as in the file";
  EXPECT_EQ(asked.mine, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(asked.right.empty());
  EXPECT_TRUE(asked.cards[0].shown.empty());
  const auto told = order_board_of(predict, names, sorted, guess, true, text);
  EXPECT_EQ(told.right, (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(told.cards[0].shown, "1,024");
  EXPECT_EQ(told.cards[0].value, 1024);
  EXPECT_TRUE(told.measured_note.empty()) << "counts are of no GPU";
  Answer in_time = sorted;
  in_time.in_time = true;
  const auto times = order_board_of(predict, names, in_time, guess, true, text);
  EXPECT_NE(times.measured_note.find("H200"), std::string::npos) << times.measured_note;
  EXPECT_NE(times.cards[0].shown.find("s"), std::string::npos) << times.cards[0].shown;
}

// Parts of a recording were taken on later days: a board bears the day of the times that are on it.
TEST_F(LessonMachine, ABoardOfTimesBearsTheDayOfItsKernels) {
  const model::Recording& recording = *recordings().best();
  const auto later = std::find_if(gallery().kernels.begin(), gallery().kernels.end(), [&](const auto& one) {
    return recording.kernel(one.id) != nullptr && recording.day_of(one.id) != recording.date;
  });
  ASSERT_NE(later, gallery().kernels.end());
  const auto first = std::find_if(gallery().kernels.begin(), gallery().kernels.end(), [&](const auto& one) {
    return recording.kernel(one.id) != nullptr && recording.day_of(one.id) == recording.date;
  });
  ASSERT_NE(first, gallery().kernels.end());
  const Predict& predict = *strides().steps[4].predict;
  Answer timed = answer(4);
  timed.in_time = true;
  timed.timed = {later->id};
  const Catalogue english = Catalogue::load("en").value();
  const BoardText text{english, "en", &recording};
  const std::string one = order_board_of(predict, {}, timed, {}, true, text).measured_note;
  EXPECT_NE(one.find(recording.day_of(later->id)), std::string::npos) << one;
  EXPECT_EQ(one.find(recording.date), std::string::npos) << one;
  timed.timed.push_back(first->id);
  const std::string both = order_board_of(predict, {}, timed, {}, true, text).measured_note;
  EXPECT_NE(both.find(recording.day_of(later->id)), std::string::npos) << both;
  EXPECT_NE(both.find(recording.date), std::string::npos) << both;
}

// A curve of the launch's own numbers is arithmetic, and is not said to be counted.
TEST_F(LessonMachine, ACurveThatIsArithmeticSaysSo) {
  Lesson lesson = strides();
  Step& step = lesson.steps[5];
  const Catalogue english = Catalogue::load("en").value();
  const auto board = [&] {
    const auto found = answer_of(runs(), lesson, step);
    EXPECT_TRUE(found);
    const model::GalleryKernel* kernel = kernel_of(lesson, gallery(), step.predict->then);
    return curve_board_of(*step.predict, kernel, found ? *found : Answer{}, {}, true, {english, "en"});
  };
  EXPECT_FALSE(board().computed);
  EXPECT_EQ(board().y_name, "counted");
  step.predict->value = "stride * 4 + min(n, 2)";
  EXPECT_TRUE(board().computed);
  EXPECT_EQ(board().y_name, "computed");
  step.predict->value = "stride + faults";
  EXPECT_FALSE(board().computed) << "whether a run faults is found by running it";
}

// What stands under a text that quotes a time: on what, on which day, and at which size where the picture has
// another.
TEST_F(LessonMachine, AQuotedTimeBearsItsDay) {
  const model::Recording& recording = *recordings().best();
  Subject shown;
  shown.kernel = gallery().find("copy_strided");
  ASSERT_NE(shown.kernel, nullptr);
  shown.values = model::default_values(*shown.kernel);
  EXPECT_FALSE(timed_note(&recording, {}, "en")) << "no time was asked for";
  for (const char* language : {"en", "zh"}) {
    const Catalogue words = Catalogue::load(language).value();
    const auto small = timed_note(&recording, {shown}, language);
    ASSERT_TRUE(small);
    Subject at_clock = shown;
    at_clock.values = model::measured_values(*shown.kernel, shown.values);
    const auto same = timed_note(&recording, {at_clock}, language);
    ASSERT_TRUE(same);
    for (const Message* note : {&*small, &*same}) {
      const std::string said = words.text(*note);
      EXPECT_NE(said.find(recording.device.name), std::string::npos) << said;
      EXPECT_NE(said.find(recording.day_of("copy_strided")), std::string::npos) << said;
    }
    EXPECT_NE(words.text(*small).find("4,194,304"), std::string::npos) << words.text(*small);
    EXPECT_EQ(words.text(*same).find("4,194,304"), std::string::npos) << words.text(*same);
  }
}

// A row of a board is called as the reader's code calls it, in the window and on paper.
TEST_F(LessonMachine, RowsOfABoardAreNamedByTheirElement) {
  const Predict& predict = *strides().steps[2].predict;
  visual::PaintBoard board = paint_board_of(predict, answer(2), {}, false);
  const auto subject = subject_of(strides(), gallery(), predict.then);
  ASSERT_TRUE(subject);
  const auto facts = runs().facts(*subject);
  ASSERT_TRUE(facts);
  name_lines(board, facts->run->trace);
  ASSERT_EQ(board.row_names.size(), board.offered.size() / 4);
  EXPECT_EQ(board.row_names[0], warplens::value_of("in[64]"));
  EXPECT_EQ(board.row_names[1], warplens::value_of("in[96]"));
}

// A curve with gaps draws a straight line over a value that lies elsewhere.
TEST_F(LessonMachine, ACurveIsCountedAtEveryValueOfItsSlider) {
  const model::GalleryKernel* banks = gallery().find("shared_stride");
  ASSERT_NE(banks, nullptr);
  EXPECT_EQ(curve_values(*banks, "stride", 32).size(), 34u) << "0 to 33";
  const model::GalleryKernel* copy = gallery().find("copy_strided");
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(curve_values(*copy, "stride", 8).size(), 64u);
  EXPECT_LE(curve_values(*copy, "n", 65536).size(), 34u) << "a wide range is there soon";
}

TEST_F(LessonMachine, ATextThatWasNotTranslatedIsFound) {
  const Changed changed("english");
  changed.replace("zh.md", "那是步长 1 的情况。", "That is what happens at a stride of `1`.");
  const Checked checked = check_lesson(runs(), changed.folder);
  ASSERT_EQ(checked.problems.size(), 1u);
  EXPECT_EQ(checked.problems[0].place.line, 18);
  EXPECT_NE(checked.problems[0].message.find("'### wrong 4' in section 'stride_two' is not in Chinese"),
            std::string::npos)
      << checked.problems[0].message;
  // Names, units and code are at home in both.
  const Changed named("named");
  named.replace("zh.md", "那是步长 1 的情况。",
                "`cudaMalloc`：Hillis、Steele 与 Blelloch 的 `copy<float4>`，H200 上。");
  for (const Error& problem : check_lesson(runs(), named.folder).problems) ADD_FAILURE() << problem.text();
  fs::copy_file(changed.folder / "en.md", changed.folder / "zh.md", fs::copy_options::overwrite_existing);
  EXPECT_GT(check_lesson(runs(), changed.folder).problems.size(), 5u);
}

TEST_F(LessonMachine, WhoPaintsDrawsOrSortsOtherwiseIsToldSomething) {
  const Changed changed("silent");
  changed.replace("en.md", "## sort: In order", "## sort: Sorted");
  std::string text = *read_text(changed.folder / "en.md");
  const std::size_t wrong = text.find("### wrong", text.find("## sort:"));
  text.erase(wrong, text.find("## curve:") - wrong);
  ASSERT_TRUE(write_text(changed.folder / "en.md", text));
  const Checked checked = check_lesson(runs(), changed.folder);
  ASSERT_EQ(checked.problems.size(), 1u);
  EXPECT_NE(checked.problems[0].message.find("'### wrong' is missing"), std::string::npos);
}

TEST_F(LessonMachine, PlaceholdersSayTheirLine) {
  const Changed changed("strides");
  changed.replace("en.md", "{{ stride }}: {{ site", "{{ strode }}: {{ site");
  const Checked checked = check_lesson(runs(), changed.folder);
  ASSERT_EQ(checked.problems.size(), 1u) << checked.problems.size();
  EXPECT_EQ(checked.problems[0].place.line, 6);
  EXPECT_EQ(checked.problems[0].place.column, 11);
}

// Times stand below each other as the text quotes them.
TEST_F(LessonMachine, TheEvidenceOfAClaimIsWrittenAlike) {
  const Shelf shelf = load_shelf(gallery());
  const auto judged = judge_claim(runs(), *shelf.find("claim_bigger_tile"));
  ASSERT_TRUE(judged) << judged.error().text();
  int times = 0;
  for (const Evidence& one : judged->evidence) {
    if (!one.shown.ends_with(" µs")) continue;
    ++times;
    EXPECT_EQ(one.shown.size() - one.shown.find('.'), std::string(".0 µs").size()) << one.shown;
  }
  EXPECT_EQ(times, 3);
}

// Each row of the course that a kernel of the gallery is for is led through by something on the shelf.
TEST_F(LessonMachine, NoRowOfTheCourseIsWithoutALesson) {
  std::set<std::string> led;
  for (const Lesson& one : load_shelf(gallery()).lessons)
    led.insert(one.catalogue.begin(), one.catalogue.end());
  for (const model::GalleryKernel& kernel : gallery().kernels)
    for (const std::string& row : kernel.catalogue)
      EXPECT_TRUE(led.contains(row)) << row << " of " << kernel.id;
}

}  // namespace
}  // namespace warplens::lesson
