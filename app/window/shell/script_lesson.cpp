// What a script does in a lesson:
//
//   lesson coalescing         opens it; then `wait settled`
//   next, back, page 3        turns pages; `next` reveals what was guessed
//   guess 8                   a number, an option, or options in order
//   paint 0 1 2 3             cells of the board, counted from the first that is offered
//   curve 1:4 2:8 32:32       points, value of the slider : height
//   answer right              whatever is asked for; or wrong, on purpose
//   skip                      the guess
//   why span                  an answer to the question why; or `why right`
//   reach                     moves the sliders to where the goal of this page is met
//   hint, reference           of a challenge; `edit FILE` is `type FILE`
//   place lessons             explore, lessons or challenges
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/window/shell/script.h"

namespace warplens::window {
namespace {

using Problem = std::optional<Message>;  // none: it went well

Problem guess(LessonSession& lessons, const std::vector<std::string>& words) {
  const lesson::Step* step = lessons.step();
  if (step == nullptr || !step->predict) {
    lessons.guess_option(words[0]);
    if (lessons.asks()) return {};
    return Message{"script.no_guess", {}};
  }
  using lesson::PredictKind;
  const PredictKind kind = step->predict->kind;
  if (kind == PredictKind::Number) {
    const auto value = script_number(words[0]);
    lessons.guess_number(value);
    if (value) return {};
    return Message{"script.number", {{"text", value_of(words[0])}}};
  }
  const auto& options = step->predict->options;
  for (const std::string& word : words)
    if (std::find(options.begin(), options.end(), word) == options.end())
      return Message{
          "script.no_option",
          {{"text", value_of(word)}, {"options", value_of(fmt::format("{}", fmt::join(options, ", ")))}}};
  if (kind == PredictKind::Choice) lessons.guess_option(words[0]);
  if (kind == PredictKind::Order)
    for (const std::string& word : words) lessons.guess_order(word);
  if (kind == PredictKind::Choice || kind == PredictKind::Order) return {};
  return Message{"script.painted", {}};
}

Problem paint(LessonSession& lessons, const std::vector<std::string>& words) {
  if (lessons.answer() == nullptr) return Message{"script.nothing_to_paint", {}};
  const auto& offered = lessons.answer()->paint.offered;
  for (const std::string& word : words) {
    const auto index = script_number(word);
    if (!index || *index < 0 || *index >= static_cast<double>(offered.size()))
      return Message{"script.no_cell", {{"text", value_of(word)}, {"cells", value_of(offered.size())}}};
    lessons.toggle(offered[static_cast<std::size_t>(*index)]);
  }
  return {};
}

Problem curve(LessonSession& lessons, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t colon = word.find(':');
    const auto x = script_number(word.substr(0, colon));
    const auto y = colon == std::string::npos ? std::nullopt : script_number(word.substr(colon + 1));
    if (!x || !y) return Message{"script.no_point", {{"text", value_of(word)}}};
    lessons.draw(static_cast<std::int64_t>(*x), *y);
  }
  return {};
}

Problem answer(LessonSession& lessons, const std::string& word) {
  if (word != "right" && word != "wrong") return Message{"script.answer", {}};
  if (lessons.answer_for_me(word == "right")) return {};
  return Message{"script.no_answer", {}};
}

Problem why(LessonSession& lessons, const std::string& word) {
  const lesson::Step* step = lessons.step();
  const std::string option = word == "right" && step != nullptr && step->why ? step->why->right : word;
  lessons.choose_why(option);
  if (lessons.chosen_why() == option) return {};
  return Message{"script.no_why", {{"text", value_of(word)}}};
}

Problem reach(LessonSession& lessons, Workbench& bench) {
  const lesson::Step* step = lessons.step();
  if (step == nullptr || step->goal.empty()) return Message{"script.no_goal", {}};
  for (const auto& [name, value] : step->goal_reached.values)
    if (bench.value(name) != value) bench.set_value(name, value);
  return {};
}

Problem place(LessonSession& lessons, const std::string& word) {
  using Mode = LessonSession::Mode;
  if (word == "explore")
    lessons.show(Mode::Explore);
  else if (word == "lessons" || word == "challenges") {
    lessons.close();
    lessons.show(word == "lessons" ? Mode::Lessons : Mode::Challenges);
  } else {
    return Message{"script.place", {}};
  }
  return {};
}

}  // namespace

Result<bool> ScriptPlayer::lesson(Workbench& bench, const ScriptAction& action, double) {
  if (lessons_ == nullptr) return wrong(action, {"script.no_lessons", {}});
  LessonSession& lessons = *lessons_;
  const std::string& verb = action.verb;
  Problem problem;
  if (verb == "lesson" && !lessons.open(action.words[0]))
    return wrong(action, lessons.shelf().without(action.words[0]));
  if (verb == "place") problem = place(lessons, action.words[0]);
  if (verb != "lesson" && verb != "place" && lessons.lesson() == nullptr)
    problem = Message{"script.no_open_lesson", {}};
  if (problem) return wrong(action, *problem);
  if (verb == "next") lessons.next();
  if (verb == "back") lessons.back();
  if (verb == "page") lessons.go_to(static_cast<int>(script_number(action.words[0]).value_or(0)));
  if (verb == "guess") problem = guess(lessons, action.words);
  if (verb == "paint") problem = paint(lessons, action.words);
  if (verb == "curve") problem = curve(lessons, action.words);
  if (verb == "skip") lessons.skip();
  if (verb == "answer") problem = answer(lessons, action.words[0]);
  if (verb == "why") problem = why(lessons, action.words[0]);
  if (verb == "reach") problem = reach(lessons, bench);
  if (verb == "hint") lessons.hint();
  if (verb == "reference") lessons.show_reference();
  if (problem) return wrong(action, *problem);
  return true;
}

}  // namespace warplens::window
