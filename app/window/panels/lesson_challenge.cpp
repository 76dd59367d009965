// The pages of challenges (goals, hints, stars, the reference) and of claims on trial.
#include <fmt/format.h>

#include <algorithm>

#include "app/model/run/compile_advice.h"
#include "app/model/text/in_language.h"
#include "app/window/panels/bench_parts.h"
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

void draw_help(const LessonUi& l, Pen& pen, float width, float& y) {
  for (int i = 1; i <= l.session.hints(); ++i) {
    const float top = y;
    caption(l, pen, "lesson.hint_caption", width, y);
    y += draw_markdown(l, pen, {0, y, width, 0}, l.session.section(fmt::format("hint {}", i))) + 14;
    bring_to_sight(l, pen, fmt::format("hint {}", i), top, y);
  }
  if (!l.session.reference_shown()) return;
  const float top = y;
  caption(l, pen, "lesson.solution", width, y);
  y += draw_markdown(l, pen, {0, y, width, 0}, l.session.section("solution")) + 16;
  bring_to_sight(l, pen, "solution", top, y);
}

// ---- the scores: what was counted before the last change and now, and what the reference has
// ----

constexpr float kScoreLine = 17, kScoreGap = 5, kScoreColumn = 55, kMarkWidth = 20;
constexpr std::size_t kScoreColumns = 3, kLabelLines = 3;
constexpr TextStyle kScoreLabel{.size = 12};

struct Score {
  std::string label;
  std::string wanted;                // as the goal writes it
  std::string cells[kScoreColumns];  // before, now, of the reference
  bool met = false;
  bool differs = false;  // by the last change
};

std::string as_written(const std::string& wanted) {
  for (const auto& [typed, sign] : {std::pair{"<=", "≤"}, {">=", "≥"}, {"==", "="}, {"!=", "≠"}})
    if (wanted.starts_with(typed)) return sign + wanted.substr(2);
  return wanted;
}

std::string number_or(const std::optional<double>& value, const char* otherwise) {
  return value ? lesson::number_text(*value) : otherwise;
}

std::vector<Score> scores_of(const LessonUi& l) {
  const lesson::Grade* grades[] = {l.session.former(), l.session.grade(), l.session.of_reference()};
  const lesson::Grade *before = grades[0], *now = grades[1];
  std::vector<Score> out;
  const auto add = [&](std::string label, std::string wanted, bool met, const auto& cell) {
    Score& score = out.emplace_back();
    score.label = std::move(label);
    score.wanted = std::move(wanted);
    for (std::size_t i = 0; i < std::size(grades); ++i)
      score.cells[i] = grades[i] == nullptr ? (i == 0 ? "" : "…") : cell(*grades[i]);
    score.met = met;
    score.differs = before != nullptr && now->run != nullptr && score.cells[0] != score.cells[1];
  };
  const auto& goals = l.session.lesson()->goals;
  for (std::size_t i = 0; i < goals.size(); ++i)
    add(model::in_language(goals[i].text, l.ui.bench.settings.language, goals[i].value),
        as_written(goals[i].wanted), now != nullptr && i < now->goals.size() && now->goals[i].met,
        [i](const lesson::Grade& of) {
          return i < of.goals.size() ? number_or(of.goals[i].value, "–") : std::string("–");
        });
  add(now != nullptr && now->differs ? l.ui.say(*now->differs)
                                     : l.ui.say(now == nullptr        ? "lesson.output"
                                                : !now->compiles      ? "lesson.does_not_compile"
                                                : now->output_matches ? "lesson.output_right"
                                                                      : "lesson.output_wrong"),
      {}, now != nullptr && now->output_matches, [](const lesson::Grade& of) {
        return std::string(of.run == nullptr ? "–" : of.output_matches ? "✓" : "×");
      });
  const lesson::Lesson& challenge = *l.session.lesson();
  if (!challenge.stars_by.empty()) {
    const std::string what = model::in_language(challenge.stars_text, l.ui.bench.settings.language);
    add(what.empty() ? l.ui.say("lesson.stars_count") : l.ui.say({"lesson.stars_of", {{"what", what}}}), "",
        now != nullptr && now->stars > 1, [](const lesson::Grade& of) { return number_or(of.by, "–"); });
  }
  return out;
}

float label_width(float width) {
  return width - kMarkWidth - kScoreColumn * static_cast<float>(kScoreColumns);
}
float score_height(const Pen& pen, const Score& score, float width) {
  const std::size_t lines = pen.wrapped(score.label, label_width(width), kScoreLabel).size();
  return kScoreLine * static_cast<float>(std::clamp<std::size_t>(lines, 1, kLabelLines)) + kScoreGap;
}

// Why it does not run, or what is wrong with how it runs; empty where nothing is.
std::string trouble_of(const LessonUi& l) {
  const lesson::Grade* grade = l.session.grade();
  if (grade == nullptr) return {};
  if (grade->problems.empty()) {
    const bool faulted = grade->run != nullptr && !grade->run->report.faults.empty();
    return faulted ? l.ui.say(analysis::fault_message(grade->run->report.faults.front())) : std::string();
  }
  const Error& problem = grade->problems.front();
  std::string out = l.ui.say(problem);
  if (problem.kind == ErrorKind::Compile && problem.place.line > 0)
    out = l.ui.say(
        {"window.bench.error_line", {{"line", value_of(problem.place.line)}, {"message", value_of(out)}}});
  if (const auto advice = model::compile_advice(problem, l.ui.bench.text())) out += " " + l.ui.say(*advice);
  return out;
}

constexpr float kStarsWidth = 80, kTroubleLine = 15;
constexpr std::size_t kTroubleLines = 5;
constexpr TextStyle kTrouble{.size = 11, .role = Role::Bad};

float captions_height(const Pen& pen, const std::string& trouble, float width) {
  if (trouble.empty()) return kStarsHeight;
  const std::size_t lines = pen.wrapped(trouble, width - kStarsWidth, kTrouble).size();
  return std::max(kStarsHeight, kTroubleLine * static_cast<float>(std::min(lines, kTroubleLines)) + 8);
}

// What stands in which column; what is wrong takes its place.
void draw_captions(const LessonUi& l, Pen& pen, const std::string& trouble, const Rect& row) {
  if (!trouble.empty()) {
    const std::size_t all = pen.wrapped(trouble, row.width, kTrouble).size(),
                      lines = std::min(all, kTroubleLines);
    const float top = row.y + (row.height - kTroubleLine * static_cast<float>(lines)) / 2;
    pen.paragraph({row.x, top, row.width, 0}, trouble, kTrouble, kTroubleLine, static_cast<int>(lines));
    const Hit h = hit(pen, "trouble", row);
    if (h.hovered && all > lines) tooltip(l.ui, trouble);
    if (h.clicked && l.session.grade()->problems.empty()) show_in_active_view(l.ui, "faults");
    return;
  }
  static constexpr const char* kKeys[kScoreColumns] = {"lesson.scores.before", "lesson.scores.now",
                                                       "lesson.scores.reference"};
  for (std::size_t i = 0; i < kScoreColumns; ++i) {
    const Rect box{row.right() - kScoreColumn * static_cast<float>(kScoreColumns - i), row.y, kScoreColumn,
                   row.height};
    pen.text({box.x - 4, box.y, kScoreColumn + 2, box.height}, l.ui.say(kKeys[i]),
             {.size = 11, .role = Role::Dim, .align = visual::Align::Right});
    if (hit(pen, kKeys[i], box).hovered) tooltip(l.ui, l.ui.say(std::string(kKeys[i]) + "_tip"));
  }
}

void draw_score(const LessonUi& l, Pen& pen, const Score& score, const Rect& row) {
  const float height = row.height - kScoreGap;
  const auto column = [&](std::size_t i) {
    return Rect{row.right() - kScoreColumn * static_cast<float>(kScoreColumns - i), row.y, kScoreColumn,
                kScoreLine};
  };
  // Before and now, where the last change is seen.
  if (score.differs)
    pen.fill({column(0).x + 4, row.y - 1, 2 * kScoreColumn, kScoreLine + 2}, Role::Raised, 4);
  pen.text({0, row.y, kMarkWidth, kScoreLine}, score.met ? "✓" : "○",
           {.size = 13, .face = Face::SansBold, .role = score.met ? Role::Good : Role::Dim});
  pen.paragraph({kMarkWidth, row.y, label_width(row.width), height}, score.label, kScoreLabel, kScoreLine,
                kLabelLines);
  for (std::size_t i = 0; i < kScoreColumns; ++i) {
    const bool now = i == 1;
    const float room = kScoreColumn - 2;
    TextStyle style{.size = 13,
                    .face = now ? Face::SansBold : Face::Sans,
                    .role = !now        ? Role::Dim
                            : score.met ? Role::Good
                                        : Role::Text,
                    .align = visual::Align::Right};
    if (pen.width(score.cells[i], style.size, style.face) > room) style.size = 11;
    pen.text({column(i).right() - room, row.y, room, kScoreLine}, score.cells[i], style);
  }
  const bool cut = pen.wrapped(score.label, label_width(row.width), kScoreLabel).size() > kLabelLines;
  if ((score.wanted.empty() && !cut) || !hit(pen, score.label.c_str(), row).hovered) return;
  std::string more = cut ? score.label : "";
  if (!score.wanted.empty())
    more += (cut ? "\n" : "") + l.ui.say({"lesson.scores.wanted", {{"wanted", value_of(score.wanted)}}});
  tooltip(l.ui, more);
}

}  // namespace

float scores_height(const LessonUi& l, float width) {
  const Pen pen = l.ui.pen();
  float height = captions_height(pen, trouble_of(l), width);
  for (const Score& score : scores_of(l)) height += score_height(pen, score, width);
  return height + kScoreGap;
}

void draw_scores(const LessonUi& l, const Rect& area) {
  const Area child(l.ui, "lesson.scores", area);
  Pen pen = l.ui.pen();
  pen.line({0, 0.5f}, {area.width, 0.5f}, Role::Line);
  const lesson::Grade* grade = l.session.grade();
  for (int i = 0; i < kStars; ++i)
    star(pen, {10 + 25 * static_cast<float>(i), kStarsHeight / 2 + 1}, 9,
         grade != nullptr && i < grade->stars);
  const std::string trouble = trouble_of(l);
  float y = captions_height(pen, trouble, area.width);
  draw_captions(l, pen, trouble, {kStarsWidth, 0, area.width - kStarsWidth, y});
  for (const Score& score : scores_of(l)) {
    const float height = score_height(pen, score, area.width);
    draw_score(l, pen, score, {0, y, area.width, height});
    y += height;
  }
}

void draw_help_buttons(const LessonUi& l, Pen& pen, float x, float y) {
  const auto button = [&](const char* id, const std::string& label, bool asked) {
    const float width = pen.width(label, 13, asked ? Face::SansBold : Face::Sans) + 24;
    const bool pressed = text_button(l.ui, pen, id, label, {x, y, width, 32}, asked);
    x += width + 4;
    return pressed;
  };
  // The reference is asked for twice: what was seen cannot be unseen.
  const bool asked = l.state.confirm == l.session.visit() && !l.session.reference_shown();
  const bool more = !l.session.section(fmt::format("hint {}", l.session.hints() + 1)).empty();
  if (more && !asked && button("hint", l.ui.say("lesson.hint"), false)) l.session.hint();
  if (l.session.reference_shown()) return;
  if (!button("reference", l.ui.say(asked ? "lesson.reference_sure" : "lesson.reference"), asked)) return;
  if (asked) l.session.show_reference();
  l.state.confirm = asked ? 0 : l.session.visit();
}

void draw_challenge(const LessonUi& l, Pen& pen, float width, float& y) {
  if (l.session.trouble())
    y += draw_markdown(l, pen, {0, y, width, 0}, l.session.trouble()->text(), 13, Role::Bad) + 12;
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
  float column = 110;
  for (const lesson::Evidence& one : judged->evidence)
    column = std::max(column, pen.width(one.shown, 22, Face::SansBold) + 16);
  for (std::size_t i = 0; i < judged->evidence.size(); ++i) {
    const std::string* label = lesson::show_label(words, i + 1);
    pen.text({0, y, column, 30}, judged->evidence[i].shown, {.size = 22, .face = Face::SansBold});
    const float height =
        draw_markdown(l, pen, {column, y + 4, width - column, 0},
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
