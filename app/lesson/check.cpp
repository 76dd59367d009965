#include "app/lesson/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "app/lesson/answers.h"
#include "app/lesson/complaint.h"
#include "app/lesson/grade.h"
#include "app/lesson/shelf.h"
#include "app/model/picture/picture.h"
#include "engine/base/assets.h"

namespace warplens::lesson {
namespace {

using model::GalleryKernel;

class RunsCheck {
 public:
  RunsCheck(Runs& runs, const Lesson& lesson, const Report& problem)
      : runs_(runs), lesson_(lesson), problem_(problem), toml_((lesson.folder / "lesson.toml").string()) {}

  void run() {
    // What does not run at its defaults would be said again of each step and of each number.
    if (!check_kernels()) return;
    for (const NamedRun& one : lesson_.runs) check_run(one);
    for (const Step& step : lesson_.steps) check_step(step);
    if (lesson_.kind == Kind::Challenge) check_challenge();
    if (lesson_.kind == Kind::Claim) check_claim();
    for (const auto& [language, words] : lesson_.words) check_numbers(words);
  }

 private:
  void fail(Error error, const Place& place) const {
    // Columns of expressions count inside of them; the place that helps is the table they stand in.
    if (error.place.file.empty() || error.place.line == 0) error.place = place;
    if (error.place.file.empty()) error.place.file = toml_;
    if (of_broken_text(error)) return;
    // The state of a step and its reveal often are one.
    if (said_.insert(error.text()).second) problem_(std::move(error));
  }
  void fail(Message what, const Place& place) const { fail(told(ErrorKind::Usage, std::move(what)), place); }

  // A text that does not compile is said once, where it is wrong, and not for each number that it leaves
  // unknown.
  bool of_broken_text(const Error& error) const {
    if (error.kind != ErrorKind::Compile && error.kind != ErrorKind::Unsupported) return false;
    return !broken_.emplace(error.place.file, error.place.line).second;
  }

  void fail_once(Error error, const Place& place) {
    if (said_.insert(error.message).second) fail(std::move(error), place);
  }

  // The run of a state; null when it cannot be had, which is said.
  std::shared_ptr<const model::Run> run_of(const State& state, const std::string& faults, const Place& place,
                                           const std::optional<At>& at = {}) {
    const auto subject = subject_of(lesson_, runs_.gallery(), state);
    if (!subject) return fail(subject.error(), place), nullptr;
    const auto facts = runs_.facts(standing(*subject, at));
    // What is wrong with a kernel is said where it is met first, not at each of its runs.
    if (!facts) return fail_once(facts.error(), place), nullptr;
    const analysis::Report& report = facts->run->report;
    const std::string file = subject->kernel->file.filename().string();
    if (faults.empty() && report.ending != analysis::Ending::Completed)
      fail_once(told(ErrorKind::Usage,
                     complaint("run_ends", "kernel", state.kernel, "ending", std::string(name(report.ending)),
                               "fault", first_fault(*facts, file))),
                place);
    if (!faults.empty() && !has_fault(*facts, faults))
      fail(
          complaint("no_fault", "kernel", state.kernel, "wanted", faults, "fault", first_fault(*facts, file)),
          place);
    return facts->run;
  }
  static bool has_fault(const Facts& facts, const std::string& kind) {
    const auto& faults = facts.report->at("faults");
    return std::any_of(faults.begin(), faults.end(), [&](const auto& f) { return f.at("kind") == kind; });
  }
  static Message first_fault(const Facts& facts, const std::string& file) {
    const auto& faults = facts.report->at("faults");
    if (faults.empty()) return complaint("meets_none");
    return complaint("meets", "fault", faults[0].at("kind").template get<std::string>(), "line",
                     faults[0].at("line").template get<int>(), "file", file);
  }

  bool check_kernels() const {
    bool all = true;
    for (std::size_t i = 0; i < lesson_.kernels.size(); ++i) {
      Subject subject;
      subject.kernel = &lesson_.kernels[i];
      subject.values = model::default_values(*subject.kernel);
      if (const auto facts = runs_.facts(subject); !facts) {
        fail(facts.error(), lesson_.kernel_places[i]);
        all = false;
      }
    }
    return all;
  }

  void check_run(const NamedRun& run) { run_of(run.state, run.faults, run.place); }

  // A step without views has those of the step before: what is wrong with them is said once.
  void check_views(const std::vector<std::string>& views, const Place& place) {
    for (const std::string& view : views)
      if (const auto known = model::find_view(view); !known) fail_once(known.error(), place);
  }

  // What is seen with an answer. The window looks for races where the kernel's own views speak of faults.
  std::shared_ptr<const model::Run> check_shown(const State& state, const std::string& faults,
                                                const std::vector<std::string>& views, const Place& place,
                                                const std::optional<At>& at) {
    check_views(views, place);
    if (const GalleryKernel* kernel = kernel_of(lesson_, runs_.gallery(), state);
        kernel != nullptr && state.all_checks &&
        std::find(kernel->views.begin(), kernel->views.end(), "faults") == kernel->views.end())
      fail(complaint("no_race_search", "kernel", kernel->id), place);
    return run_of(state, faults, place, at);
  }

  void check_step(const Step& step) {
    check_views(step.views, step.place);
    const std::string view = step.views.empty() ? std::string() : step.views.front();
    const auto run = run_of(step.state, {}, step.place, step.at);
    if (run && step.at)
      if (const auto stands = find_step(run->trace, *step.at, view); !stands)
        fail(stands.error(), step.at->place);
    if (step.compare) run_of(*step.compare, {}, step.place);
    for (const NamedRun& one : step.runs) check_run(one);
    if (step.predict) check_prediction(step, view);
    if (!step.goal.empty()) check_goal(step);
  }

  // An answer is counted, or recorded where it is a time: what a model says depends on who compiles, and the
  // picture beside it shows another number.
  void check_counted(const std::string& expression, const Place& place) const {
    const auto formula = Formula::parse(expression);
    if (!formula) return;  // said by who uses it
    for (const Reference& one : formula->references()) {
      const std::string name = one.text();
      const auto ends = [&](std::string_view path) {
        return name == path || name.ends_with("." + std::string(path));
      };
      if (!one.site && (ends("execution.average_active_lanes") || ends("execution.efficiency")))
        fail(complaint("lanes_are_modelled", "name", name), place);
      else if (std::find(one.path.begin(), one.path.end(), "modelled") != one.path.end())
        fail(complaint("is_modelled", "name", name), place);
    }
  }

  void check_prediction(const Step& step, const std::string& view) {
    const Predict& predict = *step.predict;
    check_counted(predict.value, predict.place);
    check_counted(predict.check, predict.place);
    for (const auto& [option, measure] : predict.measures) check_counted(measure, predict.place);
    const auto revealed =
        check_shown(predict.then, predict.faults, predict.views, predict.place, predict.then_at);
    if (revealed && predict.then_at)
      if (const auto stands = find_step(revealed->trace, *predict.then_at, view); !stands)
        fail(stands.error(), predict.then_at->place);
    const auto answer = answer_of(runs_, lesson_, step);
    if (!answer) return fail(answer.error(), predict.place);
    if (predict.kind == PredictKind::Number && !predict.guesses.empty()) {
      const bool offered = std::any_of(predict.guesses.begin(), predict.guesses.end(), [&](double g) {
        Guess guess;
        guess.number = g;
        return judge(predict, *answer, guess).right;
      });
      if (!offered) fail(complaint("no_right_guess", "answer", number_text(answer->number)), predict.place);
    }
    for (const auto& [language, words] : lesson_.words) check_wrong(step, *answer, words);
  }

  // Whoever guesses wrong is told why. Words for a wrong guess that is the right one would be said to who was
  // right.
  void check_wrong(const Step& step, const Answer& answer, const Words& words) const {
    const Section* section = words.section(step.id);
    if (section == nullptr) return;
    const Predict& predict = *step.predict;
    if (section->part("wrong") == nullptr) {
      std::vector<Guess> offered;
      for (const double one : predict.guesses) offered.emplace_back().number = one;
      if (predict.kind == PredictKind::Choice)
        for (const std::string& option : predict.options) offered.emplace_back().option = option;
      for (const Guess& guess : offered)
        if (const std::string name = guess_name(predict, guess);
            !judge(predict, answer, guess).right && section->part("wrong", name) == nullptr)
          fail(complaint("no_reply", "guess", name), {words.file.string(), section->line, 1});
      // Of what is painted, drawn, sorted or typed there is no list of guesses.
      if (offered.empty()) fail(complaint("no_reply_at_all"), {words.file.string(), section->line, 1});
    }
    for (const Part& part : section->parts)
      if (part.kind == "wrong" && is_right(predict, answer, part.name))
        fail(complaint("wrong_is_right", "guess", part.name), {words.file.string(), part.line, 1});
  }

  // A guess as it is named in "### wrong NAME"; of a number what lies within the tolerance is right as well.
  static bool is_right(const Predict& predict, const Answer& answer, const std::string& name) {
    if (name.empty()) return false;
    Guess guess;
    guess.option = name;
    double number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc{})
      guess.number = number;
    const bool named = predict.kind == PredictKind::Choice || predict.kind == PredictKind::Number;
    return named && judge(predict, answer, guess).right;
  }

  void check_goal(const Step& step) {
    check_counted(step.goal, step.goal_place);
    const auto goal = Formula::parse(step.goal);
    if (!goal) return fail(goal.error(), step.goal_place);
    for (const State* state : {&step.state, &step.revealed()}) {
      const auto scope = scope_at(runs_, lesson_, &step, *state);
      if (!scope) return fail(scope.error(), step.goal_place);
      const auto met = goal->holds(*scope);
      if (!met) return fail(met.error(), step.goal_place);
      if (*met)
        return fail(complaint(state == &step.state ? "goal_met_before" : "goal_met_by_reveal", "values",
                              values_in(*goal, *scope)),
                    step.goal_place);
      if (!step.predict) break;
    }
    // The way that its author went must lead there.
    if (!run_of(step.goal_reached, {}, step.goal_place)) return;
    const auto scope = scope_at(runs_, lesson_, &step, step.goal_reached);
    if (!scope) return fail(scope.error(), step.goal_place);
    const auto met = goal->holds(*scope);
    if (!met) return fail(met.error(), step.goal_place);
    if (!*met) fail(complaint("goal_not_met", "values", values_in(*goal, *scope)), step.goal_place);
  }

  void check_challenge() {
    for (const Goal& goal : lesson_.goals) check_counted(goal.value, goal.place);
    check_counted(lesson_.stars_by, {});
    if (lesson_.kernels.empty() || !lesson_.reference) return;
    const auto reference = grade_reference(runs_, lesson_);
    if (!reference) return fail(reference.error(), {});
    if (!reference->all_met()) fail(complaint("reference_fails", "how", outcome(*reference)), {});
    const auto text = read_text(lesson_.kernels.front().file);
    if (!text) return fail(text.error(), {});
    const auto start = grade(runs_, lesson_, *text);
    if (!start) return fail(start.error(), {});
    if (start->all_met()) fail(complaint("start_solves"), {});
  }
  static std::vector<Message> outcome(const Grade& grade) {
    std::vector<Message> out{complaint(!grade.compiles        ? "does_not_compile"
                                       : grade.output_matches ? "output_right"
                                                              : "output_wrong")};
    for (const GoalResult& goal : grade.goals)
      out.push_back(complaint("goal_is", "goal", goal.goal->value, "value",
                              goal.value ? number_text(*goal.value) : "?", "wanted", goal.goal->wanted));
    for (const Error& problem : grade.problems) out.push_back(complaint("and", "what", problem));
    if (grade.run != nullptr && !grade.run->report.faults.empty())
      out.push_back(complaint("faults_in", "line", grade.run->report.faults.front().line));
    return out;
  }

  void check_claim() {
    const auto judged = judge_claim(runs_, lesson_);
    if (!judged) return fail(judged.error(), lesson_.claim.place);
    const Claim& claim = lesson_.claim;
    check_counted(claim.holds, claim.place);
    check_counted(claim.depends, claim.place);
    const auto shown = check_shown(claim.then, claim.faults, claim.views, claim.place, claim.at);
    if (shown && claim.at)
      if (const auto stands =
              find_step(shown->trace, *claim.at, claim.views.empty() ? std::string() : claim.views.front());
          !stands)
        fail(stands.error(), claim.at->place);
    const std::string verdict(name(judged->verdict));
    for (const auto& [language, words] : lesson_.words) {
      const Section* section = words.section(verdict);
      if (section == nullptr || section->body.empty())
        fail(complaint("no_words_for_verdict", "verdict", verdict), {words.file.string(), 0, 0});
    }
  }

  void check_numbers(const Words& words) const {
    for (const TextPlace& place : texts_of(lesson_, words)) {
      const auto filled = fill_in(*place.text, [&](const Placeholder& placeholder) -> Result<std::string> {
        const auto scope = scope_for(place);
        if (!scope && of_broken_text(scope.error())) return std::string();
        if (!scope) return scope.error();
        if (is_choice(place, placeholder.expression))
          return told(ErrorKind::Usage, complaint("choice_as_number", "name", placeholder.expression));
        const auto value = value_of(placeholder.expression, *scope);
        if (!value && of_broken_text(value.error())) return std::string();
        if (!value) return at_place_of_text(value.error());
        return formatted(*value, placeholder.format);
      });
      if (filled) continue;
      Error error = filled.error();
      error.place = {words.file.string(), line_in(place, error.place.line), error.place.column};
      problem_(std::move(error));
    }
  }
  // Where a choice stands is its place in a list, which tells a reader nothing.
  bool is_choice(const TextPlace& place, const std::string& expression) const {
    if (place.step == nullptr) return false;
    const State& state = place.revealed ? place.step->revealed() : place.step->state;
    const GalleryKernel* kernel = kernel_of(lesson_, runs_.gallery(), state);
    const model::Slider* slider = kernel == nullptr ? nullptr : kernel->slider(expression);
    return slider != nullptr && !slider->choices.empty();
  }
  // Of the text and not of the expression within it.
  static Error at_place_of_text(Error error) {
    error.place = {};
    return error;
  }
  // Blank lines between a heading and its text are not part of the text.
  static int line_in(const TextPlace& place, int line) {
    const auto text = read_text(place.words->file);
    if (!text) return place.line;
    std::size_t at = 0;
    for (int i = 1; i < place.line + 1 && at != std::string::npos; ++i) {
      at = text->find('\n', at);
      if (at != std::string::npos) ++at;
    }
    int blank = 0;
    for (; at != std::string::npos && at < text->size() && ((*text)[at] == '\n' || (*text)[at] == '\r'); ++at)
      blank += (*text)[at] == '\n' ? 1 : 0;
    return place.line + blank + line;
  }
  Result<RunScope> scope_for(const TextPlace& place) const {
    if (place.step != nullptr)
      return scope_at(runs_, lesson_, place.step,
                      place.revealed ? place.step->revealed() : place.step->state);
    if (lesson_.kind != Kind::Challenge || lesson_.kernels.empty())
      return scope_of(runs_, lesson_, nullptr, {});
    Subject start;
    start.kernel = place.revealed && lesson_.reference ? &*lesson_.reference : &lesson_.kernels.front();
    start.values = model::default_values(*start.kernel);
    return scope_of(runs_, lesson_, nullptr, std::move(start));
  }

  Runs& runs_;
  const Lesson& lesson_;
  const Report& problem_;
  std::string toml_;
  mutable std::set<std::string> said_;
  mutable std::set<std::pair<std::string, int>> broken_;  // where texts do not compile
};

}  // namespace

std::vector<TextPlace> texts_of(const Lesson& lesson, const Words& words) {
  std::vector<TextPlace> out{{nullptr, false, &words.body, &words, 1}};
  for (const Section& section : words.sections) {
    const auto step = std::find_if(lesson.steps.begin(), lesson.steps.end(),
                                   [&](const Step& s) { return s.id == section.id; });
    const Step* of = step == lesson.steps.end() ? nullptr : &*step;
    out.push_back({of, section.id == "solution", &section.body, &words, section.line});
    for (const Part& part : section.parts) {
      const bool before = part.kind == "note" || part.kind == "ask" || part.kind == "choose";
      out.push_back({of, !before, &part.body, &words, part.line});
    }
  }
  return out;
}

void check_runs(Runs& runs, const Lesson& lesson, const Report& problem) {
  RunsCheck(runs, lesson, problem).run();
}

namespace {

// A topic with a typing mistake would be a group of its own at the end of the shelf.
void check_topic(const Lesson& lesson, const Report& problem) {
  std::vector<Error> unreadable;
  const auto topics = shelf_topics(lessons_folder(), unreadable);
  std::string known;
  for (const ShelfTopic& topic : topics) {
    if (topic.id == lesson.topic) return;
    known += (known.empty() ? "" : ", ") + topic.id;
  }
  if (!lesson.topic.empty() && !topics.empty())
    problem(told(ErrorKind::Usage, complaint("no_topic", "name", lesson.topic, "known", known),
                 lesson.topic_place));
}

// Whoever holds the lesson in class trusts the minutes.
void check_plans(const Lesson& lesson, const Report& problem, const Report& remark) {
  if (lesson.kind != Kind::Lesson) return;
  constexpr int kLeft = 3;  // of a plan: what a question from the class may take
  const std::string file = (lesson.folder / "lesson.toml").string();
  const auto say = [](const Report& to, Message what, const Place& place) {
    to(told(ErrorKind::Usage, std::move(what), place));
  };
  if (lesson.plans.empty()) return say(remark, complaint("no_plans"), {file, 0, 0});
  int all = 0;
  for (const Step& step : lesson.steps) {
    if (step.minutes == 0) say(problem, complaint("no_minutes", "step", step.id), step.place);
    all += step.minutes;
  }
  if (all > kClassMinutes)
    say(problem, complaint("all_too_long", "sum", all, "most", kClassMinutes), {file, 0, 0});
  for (const Plan& plan : lesson.plans)
    if (const int sum = minutes_of(lesson, plan); sum > plan.minutes || sum < plan.minutes - kLeft)
      say(problem, complaint("plan_sum", "plan", plan.minutes, "sum", sum, "least", plan.minutes - kLeft),
          plan.place);
}

}  // namespace

Checked check_lesson(Runs& runs, const std::filesystem::path& folder) {
  Checked out;
  Reading reading = read_lesson(folder, runs.gallery());
  out.problems = std::move(reading.problems);
  out.name = reading.lesson ? reading.lesson->name : folder.filename().string();
  if (!reading.lesson) return out;
  const Report problem = [&](Error error) { out.problems.push_back(std::move(error)); };
  const Report remark = [&](Error error) { out.remarks.push_back(std::move(error)); };
  const bool readable = out.problems.empty();
  check_topic(*reading.lesson, problem);
  if (readable) check_plans(*reading.lesson, problem, remark);
  check_words(*reading.lesson, problem, remark);
  // What cannot be read has been said; its runs would only say it again in other words.
  if (readable) check_runs(runs, *reading.lesson, problem);
  return out;
}

}  // namespace warplens::lesson
