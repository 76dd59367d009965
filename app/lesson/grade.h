// What decides a claim, and what a solution to a challenge is worth. Both execute runs: seconds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/lesson/lesson.h"
#include "app/lesson/runs.h"

namespace warplens::lesson {

enum class Verdict { Holds, Depends, Refuted };
std::string_view name(Verdict verdict);

struct Evidence {
  std::string expression;
  double value = 0;
  std::string shown;  // the value as it is written, a time with its unit
};
struct Judged {
  Verdict verdict = Verdict::Refuted;
  std::vector<Evidence> evidence;  // of Claim::show
};
Result<Judged> judge_claim(Runs& runs, const Lesson& claim);

struct GoalResult {
  const Goal* goal = nullptr;
  std::optional<double> value;  // nothing where the solution does not run
  bool met = false;
};
struct Grade {
  bool compiles = false, output_matches = false;
  std::optional<Message>
      differs;  // what is wrong with the output, of a run without faults that came to its end
  std::vector<GoalResult> goals;
  int stars = 0;  // 0: not all met; 2: as good as the reference; 3: better
  std::optional<double> by, reference_by;
  std::vector<Error> problems;            // why it does not compile or run
  std::shared_ptr<const model::Run> run;  // what it did, faults included; null where it did not run
  bool all_met() const;
};
// text: CUDA C++ of the solution. values: of the challenge's sliders; missing ones at their defaults. Errors
// are of the challenge itself; what is wrong with the solution is in the Grade.
Result<Grade> grade(Runs& runs, const Lesson& challenge, const std::string& text,
                    const model::SliderValues& values = {});
// The reference as a solution of its own, with its launch.
Result<Grade> grade_reference(Runs& runs, const Lesson& challenge);

}  // namespace warplens::lesson
