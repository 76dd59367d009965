// Every lesson of the shelf: by its own check, and whether a class has in it what it needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/lesson/check.h"
#include "app/lesson/lesson.h"
#include "app/lesson/shelf.h"
#include "tests/app/lesson_runs.h"

namespace warplens::lesson {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> folders() {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(lessons_folder(), ignored))
    if (entry.is_directory()) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

struct LessonFolder : testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LessonFolder);

TEST_P(LessonFolder, IsGood) {
  const Checked checked = check_lesson(LessonRuns::runs(), lessons_folder() / GetParam());
  for (const Error& problem : checked.problems) ADD_FAILURE() << problem.text();
}

// What a class of 10, 20 or 45 minutes needs is there, in both languages.
TEST_P(LessonFolder, HasWhatAClassNeeds) {
  const Reading reading = read_lesson(lessons_folder() / GetParam(), LessonRuns::gallery());
  ASSERT_TRUE(reading.lesson);
  const Lesson& lesson = *reading.lesson;
  if (lesson.kind != Kind::Lesson || lesson.name == "first_minute") return;  // nothing for a class
  int asked = 0, drawn = 0, tried = 0;
  for (const Step& step : lesson.steps) {
    asked += step.predict ? 1 : 0;
    drawn += step.predict &&
             (step.predict->kind == PredictKind::Paint || step.predict->kind == PredictKind::Curve);
    tried += step.goal.empty() ? 0 : 1;
  }
  EXPECT_GE(asked, 3);
  EXPECT_GE(drawn, 1) << "one prediction is painted or drawn";
  EXPECT_GE(tried, 1) << "something is to be tried";
  std::set<int> plans;
  for (const Plan& plan : lesson.plans) plans.insert(plan.minutes);
  EXPECT_EQ(plans, (std::set<int>{10, 20})) << "beside the whole of it";
  for (const char* language : kLanguages) {
    const Words& words = lesson.text(language);
    int misconceptions = 0;
    for (const Section& section : words.sections)
      for (const Part& part : section.parts) misconceptions += part.kind == "wrong";
    EXPECT_GE(misconceptions, 1) << language;
    const auto lines = [&](const char* id) {
      const Section* section = words.section(id);
      const std::string text = section == nullptr ? "" : "\n" + section->body;
      int count = 0;
      for (std::size_t at = text.find("\n- "); at != std::string::npos; at = text.find("\n- ", at + 1))
        ++count;
      return count;
    };
    EXPECT_EQ(lines("remember"), 3) << language;
    EXPECT_GE(lines("teacher"), 3) << language << ": questions for the class";
    EXPECT_GE(lines("sources"), 1) << language;
  }
}

INSTANTIATE_TEST_SUITE_P(Shelf, LessonFolder, testing::ValuesIn(folders()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace warplens::lesson
