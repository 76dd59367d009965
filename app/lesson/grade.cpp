#include "app/lesson/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "app/lesson/complaint.h"
#include "app/lesson/formula.h"
#include "app/lesson/outputs.h"

namespace warplens::lesson {
namespace {

// What the outputs of a solution are held against.
Result<Subject> wanted_output(const Lesson& challenge, const model::SliderValues& values) {
  Subject out;
  if (challenge.reference_decides) {
    if (!challenge.reference) return told(ErrorKind::Usage, complaint("no_reference"));
    out.kernel = &*challenge.reference;
    out.values = model::default_values(*challenge.reference);
  } else {
    out.kernel = &challenge.kernels.front();
    out.values = values;
  }
  return out;
}

Result<double> stars_value(Runs& runs, const Lesson& challenge, const Subject& subject) {
  const RunScope scope(runs, subject, {});
  return value_of(challenge.stars_by, scope);
}

Subject reference_subject(const Lesson& challenge) {
  Subject out;
  out.kernel = &*challenge.reference;
  out.values = model::default_values(*challenge.reference);
  out.checks = simt::Checks::All;
  return out;
}

Status measure_goals(Runs& runs, const Lesson& challenge, const Subject& subject, Grade& out) {
  const RunScope scope(runs, subject, {});
  for (GoalResult& goal : out.goals) {
    const auto value = value_of(goal.goal->value, scope);
    if (!value) {
      // A line that the goal speaks of may be gone from a solution; that meets no goal and breaks nothing.
      out.problems.push_back(at_place(value.error(), goal.goal->place));
      continue;
    }
    goal.value = *value;
    const auto formula = Formula::parse(goal.goal->statement());
    const auto met = formula ? formula->holds(scope) : Result<bool>(formula.error());
    if (!met) return at_place(met.error(), goal.goal->place);
    goal.met = *met;
  }
  if (challenge.stars_by.empty() || !challenge.reference) return Done{};
  if (const auto by = stars_value(runs, challenge, subject)) out.by = *by;
  const auto reference = stars_value(runs, challenge, reference_subject(challenge));
  if (!reference) return reference.error();
  out.reference_by = *reference;
  return Done{};
}

// Buffers of the same size and range with other contents; what is no fill of many values stays.
std::string other_data(const std::string& argument) {
  std::size_t fill = 0;
  for (int colons = 0; colons < 3 && fill != std::string::npos; ++colons) fill = argument.find(':', fill) + 1;
  if (!argument.starts_with("buf:") || fill == 0) return argument;
  const std::string kind = argument.substr(fill), front = argument.substr(0, fill);
  if (kind == "iota" || kind == "hash") return front + "mod:509";
  if (kind == "mod:2") return front + "const:1";
  unsigned modulus = 0;
  const char* const end = kind.data() + kind.size();
  if (!kind.starts_with("mod:") || std::from_chars(kind.data() + 4, end, modulus).ptr != end || modulus < 3)
    return argument;
  return front + fmt::format("mod:{}", modulus - 1);
}

model::GalleryKernel with_other_data(const model::GalleryKernel& kernel) {
  model::GalleryKernel out = kernel;
  out.id += "+other data";
  std::ranges::transform(kernel.arguments, out.arguments.begin(), other_data);
  return out;
}

// A result that was worked out beforehand is right for the challenge's input alone.
Status try_other_data(Runs& runs, const Subject& subject, const Subject& wanted, Grade& out) {
  const model::GalleryKernel mine = with_other_data(*subject.kernel),
                             theirs = with_other_data(*wanted.kernel);
  if (mine.arguments == subject.kernel->arguments) return Done{};
  Subject again = subject, reference = wanted;
  again.kernel = &mine;
  reference.kernel = &theirs;
  again.reference = std::make_shared<const Subject>(reference);
  const auto facts = runs.facts(again);
  if (!facts) return facts.error();
  const auto same = runs.output_matches(again, reference);
  if (!same) return same.error();
  if (*same && facts->run->report.faults.empty()) return Done{};
  out.output_matches = false;
  out.problems.push_back(told(ErrorKind::Usage, {"lesson.other_data", {}}));
  return Done{};
}

// "out[3] is 7, not 8"; nothing where luck decided what is there.
std::optional<Message> difference(Runs& runs, const Subject& wanted, const Subject& subject,
                                  const model::Run& run) {
  const auto facts = runs.facts(wanted);
  if (!facts || !run.report.faults.empty() || run.report.ending != analysis::Ending::Completed) return {};
  const auto first = first_difference(run, *facts->run, subject.kernel->outputs);
  if (!first || !first->element) return {};
  for (const analysis::BufferReport& buffer : run.report.buffers)
    if (buffer.argument == first->argument)
      return Message{"lesson.output_differs",
                     {{"array", warplens::value_of(buffer.name)},
                      {"index", static_cast<std::int64_t>(first->element->index)},
                      {"mine", warplens::value_of(number_text(first->element->mine))},
                      {"wanted", warplens::value_of(number_text(first->element->wanted))}}};
  return {};
}

int stars_of(const Grade& grade) {
  if (!grade.all_met()) return 0;
  if (!grade.by || !grade.reference_by) return 1;
  return *grade.by < *grade.reference_by ? 3 : *grade.by <= *grade.reference_by ? 2 : 1;
}

// A solution may work far more than the challenge's own kernel; what works a thousand times as much has no
// end.
std::uint64_t enough_for(Runs& runs, const Subject& wanted) {
  constexpr std::uint64_t kTimes = 1000, kLeast = 100'000'000;
  const auto facts = runs.facts(wanted);
  return facts ? std::max(kLeast, kTimes * facts->run->report.execution.thread_instructions) : 0;
}

Result<Grade> grade_subject(Runs& runs, const Lesson& challenge, Subject subject,
                            const model::SliderValues& values) {
  Grade out;
  for (const Goal& goal : challenge.goals) out.goals.push_back({&goal, {}, false});
  const auto wanted = wanted_output(challenge, values);
  if (!wanted) return wanted.error();
  // Races and memory that was never written make a result a matter of luck.
  subject.checks = simt::Checks::All;
  subject.reference = std::make_shared<const Subject>(*wanted);
  subject.budget = enough_for(runs, *wanted);
  const auto facts = runs.facts(subject);
  if (!facts) {
    if (facts.error().kind == ErrorKind::Cancelled) return facts.error();
    out.compiles = facts.error().kind != ErrorKind::Compile && facts.error().kind != ErrorKind::Unsupported;
    out.problems.push_back(facts.error());
    return out;
  }
  out.compiles = true;
  const model::Run& run = *facts->run;
  if (run.report.ending == analysis::Ending::Cancelled)
    return told(ErrorKind::Cancelled, {"lesson.stopped", {}});
  out.run = facts->run;
  if (run.report.ending == analysis::Ending::Budget)
    out.problems.push_back(told(ErrorKind::Usage, {"lesson.no_end", {}}));
  const auto same = runs.output_matches(subject, *wanted);
  if (!same) return same.error();
  out.output_matches = *same && run.report.faults.empty();
  if (!*same) out.differs = difference(runs, *wanted, subject, run);
  if (const Status measured = measure_goals(runs, challenge, subject, out); !measured)
    return measured.error();
  if (out.all_met())
    if (const Status tried = try_other_data(runs, subject, *wanted, out); !tried) return tried.error();
  out.stars = stars_of(out);
  return out;
}

}  // namespace

std::string_view name(Verdict verdict) {
  static constexpr std::string_view kNames[] = {"holds", "depends", "refuted"};
  return kNames[static_cast<int>(verdict)];
}

Result<Judged> judge_claim(Runs& runs, const Lesson& claim) {
  const auto scope = scope_of(runs, claim, nullptr, {});
  if (!scope) return scope.error();
  const auto holds = [&](const std::string& expression) -> Result<bool> {
    if (expression.empty()) return false;
    const auto formula = Formula::parse(expression);
    auto result = formula ? formula->holds(*scope) : Result<bool>(formula.error());
    return result ? result : Result<bool>(at_place(result.error(), claim.claim.place));
  };
  Judged out;
  const auto whole = holds(claim.claim.holds), part = holds(claim.claim.depends);
  if (!whole) return whole.error();
  if (!part) return part.error();
  out.verdict = *whole ? Verdict::Holds : *part ? Verdict::Depends : Verdict::Refuted;
  for (const std::string& shown : claim.claim.show) {
    const auto value = value_of(shown, *scope);
    if (!value) return at_place(value.error(), claim.claim.place);
    const bool time = shown.ends_with(".time") || shown.ends_with(".time_flushed");
    // Times stand below each other, as the text quotes them.
    out.evidence.push_back(
        {shown, *value, time ? number_text(*value, *value < 10 ? 2 : 1) + " µs" : number_text(*value)});
  }
  return out;
}

bool Grade::all_met() const {
  return compiles && output_matches &&
         std::all_of(goals.begin(), goals.end(), [](const GoalResult& g) { return g.met; });
}

Result<Grade> grade(Runs& runs, const Lesson& challenge, const std::string& text,
                    const model::SliderValues& values) {
  Subject subject;
  subject.kernel = &challenge.kernels.front();
  subject.values = model::default_values(*subject.kernel);
  for (const auto& [name, value] : values) subject.values[name] = value;
  subject.text = text;
  const model::SliderValues all = subject.values;
  return grade_subject(runs, challenge, std::move(subject), all);
}

Result<Grade> grade_reference(Runs& runs, const Lesson& challenge) {
  if (!challenge.reference) return told(ErrorKind::Usage, complaint("no_reference"));
  return grade_subject(runs, challenge, reference_subject(challenge),
                       model::default_values(challenge.kernels.front()));
}

}  // namespace warplens::lesson
