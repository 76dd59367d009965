// What is wrong with a lesson: everything that can be found without a person looking at it.
//
// Texts complete in both languages; every character has a glyph; kernels compile; every step reaches its
// state and its cursor its line; the right answer of every prediction follows from the runs and is the only
// one; goals are not met before anything was done; claims reach a verdict that has its words; the reference
// of a challenge solves it, and its start does not; every {{ number }} can be computed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/lesson/lesson.h"
#include "app/lesson/runs.h"

namespace warplens::lesson {

struct Checked {
  std::string name;
  std::vector<Error> problems;  // in the order of the files
  std::vector<Error> remarks;   // what may be meant so: fewer predictions than a lesson of ours has, ...
  bool ok() const { return problems.empty(); }
};
// folder: with lesson.toml, en.md and zh.md.
Checked check_lesson(Runs& runs, const std::filesystem::path& folder);

// The parts of it, each adds what it finds.
using Report = std::function<void(Error)>;
void check_words(const Lesson& lesson, const Report& problem, const Report& remark);
void check_runs(Runs& runs, const Lesson& lesson, const Report& problem);

// Every text in a lesson and the values that its {{ numbers }} have: what is seen before the reveal, or
// after.
struct TextPlace {
  const Step* step = nullptr;  // null: outside of steps
  bool revealed = false;
  const std::string* text = nullptr;
  const Words* words = nullptr;
  int line = 0;  // of the heading above the text; the text starts below it or further down
};
std::vector<TextPlace> texts_of(const Lesson& lesson, const Words& words);

}  // namespace warplens::lesson
