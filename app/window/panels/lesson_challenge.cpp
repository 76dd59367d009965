// The pages of challenges (goals, hints, stars, the reference) and of claims on trial.
#include <fmt/format.h>

#include <algorithm>

#include "app/window/panels/lesson_panels.h"
#include "engine/analysis/fault_text.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr int kStars = 3;

// Five points, by hand: no font of ours has a star in both weights.
void star(Pen& pen, visual::Point c, float radius, bool full) {
  constexpr float kX[] = {0, 0.22f, 0.95f, 0.36f, 0.59f, 0, -0.59f, -0.36f, -0.95f, -0.22f};
  constexpr float kY[] = {-1, -0.31f, -0.31f, 0.12f, 0.81f, 0.38f, 0.81f, 0.12f, -0.31f, -0.31f};
  for (int i = 0; i < 10; ++i) {
    const int j = (i + 1) % 10;
    const ImVec2 a = pen.at(c.x + kX[i] * radius, c.y + kY[i] * radius);
    const ImVec2 b = pen.at(c.x + kX[j] * radius, c.y + kY[j] * radius);
    if (full)
      pen.list().AddTriangleFilled(pen.at(c.x, c.y), a, b, pen.colour(Role::Warn));
    else
      pen.list().AddLine(a, b, pen.colour(Role::Dim), std::max(1.0f, pen.scale()));
  }
}

void goal_row(const LessonUi& l, Pen& pen, const lesson::Goal& goal, const lesson::GoalResult* result,
              float width, float& y) {
  const bool met = result != nullptr && result->met;
  const float mark = 26;
  pen.text({0, y, 20, 22}, met ? "✓" : "○",
           {.size = 14, .face = Face::SansBold, .role = met ? Role::Good : Role::Dim});
  const auto text = goal.text.find(l.ui.bench.settings.language);
  y += draw_markdown(l, pen, {mark, y, width - mark, 0}, text == goal.text.end() ? goal.value : text->second);
  std::string now = "…";
  if (result != nullptr) now = result->value ? lesson::number_text(*result->value) : "?";
  const std::string line =
      l.ui.say({"lesson.goal_now", {{"now", value_of(now)}, {"wanted", value_of(goal.wanted)}}});
  pen.text({mark, y, width - mark, 20}, line, {.role = met ? Role::Good : Role::Dim});
  y += 28;
}

void draw_goals(const LessonUi& l, Pen& pen, float width, float& y) {
  const lesson::Lesson& challenge = *l.session.lesson();
  const lesson::Grade* grade = l.session.grade();
  caption(l, pen, "lesson.goals", width, y, Role::Accent);
  for (std::size_t i = 0; i < challenge.goals.size(); ++i)
    goal_row(l, pen, challenge.goals[i],
             grade != nullptr && i < grade->goals.size() ? &grade->goals[i] : nullptr, width, y);
  const bool same = grade != nullptr && grade->output_matches;
  pen.text({0, y, 20, 22}, same ? "✓" : "○",
           {.size = 14, .face = Face::SansBold, .role = same ? Role::Good : Role::Dim});
  const char* output = grade == nullptr   ? "lesson.output"
                       : !grade->compiles ? "lesson.does_not_compile"
                       : same             ? "lesson.output_right"
                                          : "lesson.output_wrong";
  pen.text({26, y, width - 26, 22}, l.ui.say(output), {.role = same ? Role::Good : Role::Dim});
  y += 30;
  if (grade != nullptr && grade->run != nullptr && !grade->run->report.faults.empty())
    y += draw_markdown(l, pen, {26, y, width - 26, 0},
                       l.ui.say(analysis::fault_message(grade->run->report.faults.front())), 13, Role::Bad) +
         10;
  y += 10;
}

void draw_help(const LessonUi& l, Pen& pen, float width, float& y) {
  for (int i = 1; i <= l.session.hints(); ++i) {
    const float top = y;
    caption(l, pen, "lesson.hint_caption", width, y);
    y += draw_markdown(l, pen, {0, y, width, 0}, l.session.section(fmt::format("hint {}", i))) + 14;
    bring_to_sight(l, pen, fmt::format("hint {}", i), top, y);
  }
  float x = 0;
  const std::string hint = l.ui.say("lesson.hint");
  const float hint_width = pen.width(hint) + 24;
  if (!l.session.section(fmt::format("hint {}", l.session.hints() + 1)).empty()) {
    if (text_button(l.ui, pen, "hint", hint, {x, y, hint_width, 30}, false)) l.session.hint();
    x += hint_width + 8;
  }
  if (!l.session.reference_shown()) {
    // Asked twice: what was seen cannot be unseen.
    const bool asked = l.state.confirm == l.session.visit();
    const std::string label = l.ui.say(asked ? "lesson.reference_sure" : "lesson.reference");
    if (text_button(l.ui, pen, "reference", label, {x, y, pen.width(label, 13, Face::SansBold) + 24, 30},
                    asked)) {
      if (asked) l.session.show_reference();
      l.state.confirm = asked ? 0 : l.session.visit();
    }
    y += 44;
    return;
  }
  y += 40;
  const float top = y;
  caption(l, pen, "lesson.solution", width, y);
  y += draw_markdown(l, pen, {0, y, width, 0}, l.session.section("solution")) + 16;
  bring_to_sight(l, pen, "solution", top, y);
}

// A mark for each goal and for the output, at the right end of the row: their words are further up, often out
// of sight while one types. Returns where they begin.
float draw_marks(const LessonUi& l, Pen& pen, const Rect& area, const lesson::Grade* grade) {
  const std::vector<lesson::Goal>& goals = l.session.lesson()->goals;
  constexpr float kMark = 17;
  float x = area.width - kMark * static_cast<float>(goals.size() + 1);
  const float begin = x;
  for (std::size_t i = 0; i <= goals.size(); ++i, x += kMark) {
    const bool output = i == goals.size();
    const bool met =
        grade != nullptr && (output ? grade->output_matches : i < grade->goals.size() && grade->goals[i].met);
    const Rect box{x, 0, kMark, area.height};
    pen.text(box, met ? "✓" : "○",
             {.size = 14,
              .face = Face::SansBold,
              .role = met ? Role::Good : Role::Dim,
              .align = visual::Align::Centre});
    if (!hit(pen, fmt::format("mark{}", i).c_str(), box).hovered) continue;
    const std::string& language = l.ui.bench.settings.language;
    tooltip(l.ui, output ? l.ui.say("lesson.output") : localized(goals[i].text, language, goals[i].value));
  }
  return begin;
}

}  // namespace

void draw_stars(const LessonUi& l, const Rect& area) {
  const Area child(l.ui, "lesson.stars", area);
  Pen pen = l.ui.pen();
  pen.line({0, 0.5f}, {area.width, 0.5f}, Role::Line);
  const lesson::Grade* grade = l.session.grade();
  for (int i = 0; i < kStars; ++i)
    star(pen, {10 + 25 * static_cast<float>(i), area.height / 2 + 1}, 9,
         grade != nullptr && i < grade->stars);
  constexpr float kWords = 80, kLine = 15;
  const Rect words{kWords, 0, draw_marks(l, pen, area, grade) - kWords - 4, area.height};
  if (grade == nullptr) return;
  // Why it did not run: its line may be out of sight, or it has none.
  if (!grade->problems.empty()) {
    const std::string why = l.ui.say(grade->problems.front());
    const std::size_t lines =
        std::clamp<std::size_t>(pen.wrapped(why, words.width, {.size = 11}).size(), 1, 2);
    const float top = (area.height - kLine * static_cast<float>(lines)) / 2;
    pen.paragraph({words.x, top, words.width, 0}, why, {.size = 11, .role = Role::Bad}, kLine, 2);
    if (hit(pen, "problem", words).hovered) tooltip(l.ui, why);
    return;
  }
  if (!grade->by || !grade->reference_by) return;
  const std::string both = l.ui.say({"lesson.stars_by",
                                     {{"mine", value_of(lesson::number_text(*grade->by))},
                                      {"reference", value_of(lesson::number_text(*grade->reference_by))}}});
  const bool fits = pen.width(both) <= words.width;
  pen.text(words, both, {.size = fits ? 13.0f : 11.0f, .role = Role::Dim});
}

void draw_challenge(const LessonUi& l, Pen& pen, float width, float& y) {
  if (l.session.trouble())
    y += draw_markdown(l, pen, {0, y, width, 0}, l.session.trouble()->text(), 13, Role::Bad) + 12;
  draw_goals(l, pen, width, y);
  draw_help(l, pen, width, y);
}

void draw_claim(const LessonUi& l, Pen& pen, float width, float& y) {
  caption(l, pen, l.session.told() ? "lesson.verdict" : "lesson.your_verdict", width, y, Role::Accent);
  const lesson::Judged* judged = l.session.judged();
  for (const lesson::Verdict verdict : LessonSession::kVerdicts) {
    const std::string id(lesson::name(verdict));
    const bool mine = l.session.guess().option == id;
    const bool right = l.session.told() && judged != nullptr && judged->verdict == verdict;
    const Role role = right ? Role::Good : l.session.told() && mine ? Role::Warn : Role::None;
    if (choice_row(l, pen, "verdict." + id, l.ui.say("lesson.claim_" + id), width, y, mine || right, role,
                   right                      ? "✓"
                   : l.session.told() && mine ? "×"
                                              : ""))
      l.session.guess_option(id);
  }
  y += 8;
  if (l.session.nudged()) {
    const float top = y;
    y += draw_markdown(l, pen, {0, y, width, 0}, l.ui.say("lesson.nudge"), 14, Role::Warn) + 12;
    bring_to_sight(l, pen, "nudge", top, y);
  }
  if (!l.session.told()) return;
  if (judged == nullptr) {
    const std::string text = l.session.trouble() ? l.session.trouble()->text() : l.ui.say("lesson.working");
    y += draw_markdown(l, pen, {0, y, width, 0}, text, 14, l.session.trouble() ? Role::Bad : Role::Dim) + 12;
    return;
  }
  bring_to_sight(l, pen, y);
  const lesson::Words& words = l.session.lesson()->text(l.ui.bench.settings.language);
  for (std::size_t i = 0; i < judged->evidence.size(); ++i) {
    const std::string* label = lesson::show_label(words, i + 1);
    const std::string value = lesson::number_text(judged->evidence[i].value);
    const float number = pen.width(value, 22, Face::SansBold) + 16;
    pen.text({0, y, number, 30}, value, {.size = 22, .face = Face::SansBold});
    const float height =
        draw_markdown(l, pen, {std::max(110.0f, number), y + 4, width - std::max(110.0f, number), 0},
                      label == nullptr ? judged->evidence[i].expression : *label, 13, Role::Dim);
    y += std::max(36.0f, height + 12);
  }
  y +=
      draw_markdown(l, pen, {0, y, width, 0}, l.session.section(std::string(lesson::name(judged->verdict)))) +
      14;
  const std::string remember = l.session.section("remember");
  if (remember.empty()) return;
  caption(l, pen, "lesson.remember", width, y);
  y += draw_markdown(l, pen, {0, y, width, 0}, remember) + 12;
}

}  // namespace warplens::window
