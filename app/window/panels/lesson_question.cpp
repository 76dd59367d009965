// A step's question on the page: the prediction, what came of it, why, and what to try.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/lesson/boards.h"
#include "app/window/panels/lesson_panels.h"
#include "app/window/panels/text_field.h"

namespace warplens::window {
namespace {

using lesson::PredictKind;
using visual::Face;
using visual::Rect;
using visual::Role;

void paragraph(const LessonUi& l, Pen& pen, const std::string& text, float width, float& y,
               Role role = Role::Text) {
  if (!text.empty()) y += draw_markdown(l, pen, {0, y, width, 0}, text, 14, role) + 12;
}

// Beside an accent bar, as the sentences on the bench are.
void told_sentence(const LessonUi& l, Pen& pen, const std::string& text, float width, float& y, Role bar) {
  if (text.empty()) return;
  const float height = draw_markdown(l, pen, {14, y, width - 14, 0}, text);
  pen.fill({0, y, 3, height}, bar, 1.5f);
  y += height + 14;
}

std::string guess_text(const LessonUi& l, const lesson::Step& step) {
  const lesson::Guess& guess = l.session.guess();
  if (guess.skipped) return l.ui.say("lesson.skipped");
  const lesson::Judgement told = l.session.judgement();
  switch (step.predict->kind) {
    case PredictKind::Number:
      return guess.number ? lesson::number_text(*guess.number) : "";
    case PredictKind::Choice:
      return l.session.text("choose", guess.option);
    case PredictKind::Order: {
      std::string out;
      for (const std::string& option : guess.order)
        out += (out.empty() ? "" : " < ") + l.session.text("choose", option);
      return out;
    }
    case PredictKind::Paint:
      return l.ui.say({"lesson.painted", {{"hit", value_of(told.hit)}, {"extra", value_of(told.extra)}}});
    case PredictKind::Curve:
      return l.ui.say(
          {"lesson.drawn", {{"near", value_of(told.hit)}, {"all", value_of(told.hit + told.missing)}}});
  }
  return {};
}

std::string answer_text(const LessonUi& l, const lesson::Step& step) {
  const lesson::Answer& answer = *l.session.answer();
  switch (step.predict->kind) {
    case PredictKind::Number:
      return lesson::number_text(answer.number);
    case PredictKind::Choice:
      return l.session.text("choose", answer.option);
    case PredictKind::Order: {
      std::string out;
      for (const std::string& option : answer.order)
        out += (out.empty() ? "" : " < ") + l.session.text("choose", option);
      return out;
    }
    case PredictKind::Paint:
      return l.ui.say({"lesson.touched", {{"right", value_of(answer.paint.right.size())}}});
    case PredictKind::Curve:
      return l.ui.say("lesson.in_the_picture");
  }
  return {};
}

void ask_number(const LessonUi& l, Pen& pen, const lesson::Predict& predict, float width, float& y) {
  if (l.state.visit_of_number != l.session.visit()) {
    l.state.number.clear();
    l.state.visit_of_number = l.session.visit();
  }
  float x = 0;
  for (const double guess : predict.guesses) {
    const std::string text = lesson::number_text(guess);
    const float w = std::max(52.0f, pen.width(text, 14, Face::SansBold) + 28);
    if (x + w > width) {
      x = 0;
      y += 42;
    }
    const Rect box{x, y, w, 34};
    const bool chosen = l.session.guess().number && *l.session.guess().number == guess;
    const Hit h = hit(pen, ("guess." + text).c_str(), box);
    pen.fill(box, chosen ? Role::Accent : Role::Raised, 6, h.hovered || chosen ? 1.0f : 0.7f);
    pen.text(box, text,
             {.size = 14,
              .face = Face::SansBold,
              .role = chosen ? Role::OnAccent : Role::Text,
              .align = visual::Align::Centre});
    if (h.clicked) {
      l.session.guess_number(guess);
      l.state.number.clear();
    }
    x += w + 8;
  }
  if (x + 150 > width) {
    x = 0;
    y += 42;
  }
  const std::string label = l.ui.say(predict.guesses.empty() ? "lesson.your_number" : "lesson.other_number");
  x += pen.text({x, y, 0, 34}, label, {.role = Role::Dim}) + 8;
  pen.frame({x, y, 92, 34}, Role::Line, 6);
  ImGui::SetCursorScreenPos(pen.at(x + 6, y + 5));
  ImGui::SetNextItemWidth(80 * pen.scale());
  if (edit_line("##number", l.state.number, ImGuiInputTextFlags_CharsDecimal)) {
    double value = 0;
    const std::string& text = l.state.number;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool read = failed == std::errc{} && end == text.data() + text.size();
    l.session.guess_number(read ? std::optional(value) : std::nullopt);
  }
  y += 46;
}

void ask_options(const LessonUi& l, Pen& pen, const lesson::Predict& predict, float width, float& y) {
  for (const std::string& option : predict.options) {
    const std::string text = l.session.text("choose", option);
    if (choice_row(l, pen, "choose." + option, text.empty() ? option : text, width, y,
                   l.session.guess().option == option, Role::None))
      l.session.guess_option(option);
  }
  y += 6;
}

void draw_ask(const LessonUi& l, Pen& pen, const lesson::Step& step, float width, float& y) {
  const lesson::Predict& predict = *step.predict;
  caption(l, pen, "lesson.predict", width, y, Role::Accent);
  const std::string ask = l.session.text("ask");
  if (!ask.empty()) y += draw_markdown(l, pen, {0, y, width, 0}, ask, 16) + 14;
  if (l.session.trouble()) return paragraph(l, pen, l.session.trouble()->text(), width, y, Role::Bad);
  if (predict.kind == PredictKind::Number) ask_number(l, pen, predict, width, y);
  if (predict.kind == PredictKind::Choice) ask_options(l, pen, predict, width, y);
  if (lesson::has_board(predict.kind))
    paragraph(l, pen, l.ui.say(fmt::format("lesson.{}_tip", lesson::name(predict.kind))), width, y,
              Role::Dim);
  if (!l.session.nudged() || l.session.guessed()) return;
  const bool order = predict.kind == PredictKind::Order;
  const float top = y;
  paragraph(l, pen, l.ui.say(order ? "lesson.nudge_order" : "lesson.nudge"), width, y, Role::Warn);
  bring_to_sight(l, pen, "nudge", top, y);
}

void draw_told(const LessonUi& l, Pen& pen, const lesson::Step& step, float width, float& y) {
  if (l.session.answer() == nullptr) {
    const std::string text = l.session.trouble() ? l.session.trouble()->text() : l.ui.say("lesson.working");
    return paragraph(l, pen, text, width, y, l.session.trouble() ? Role::Bad : Role::Dim);
  }
  bring_to_sight(l, pen, y);
  const bool skipped = l.session.guess().skipped, right = l.session.judgement().right;
  const Role role = skipped ? Role::Dim : right ? Role::Good : Role::Warn;
  const float half = (width - 12) / 2;
  const float top = y;
  float left_y = y, right_y = y;
  pen.text({0, y, half, 20}, l.ui.say("lesson.your_guess"),
           {.size = 11, .face = Face::SansBold, .role = Role::Dim});
  pen.text({half + 12, y, half, 20}, l.ui.say("lesson.outcome"),
           {.size = 11, .face = Face::SansBold, .role = Role::Dim});
  left_y += 24 + draw_markdown(l, pen, {0, y + 24, half, 0}, guess_text(l, step), 16, role);
  right_y += 24 + draw_markdown(l, pen, {half + 12, y + 24, half, 0}, answer_text(l, step), 16);
  y = std::max(left_y, right_y) + 10;
  pen.line({half + 4, top + 2}, {half + 4, y - 8}, Role::Line);
  const char* verdict = skipped ? "lesson.was_skipped" : right ? "lesson.was_right" : "lesson.was_wrong";
  pen.text({0, y, width, 20}, l.ui.say(verdict), {.face = Face::SansBold, .role = role});
  y += 28;
  if (lesson::has_board(step.predict->kind)) {
    const std::string label = l.ui.say(l.session.shows_board() ? "lesson.to_picture" : "lesson.to_board");
    if (text_button(l.ui, pen, "board", label, {0, y, pen.width(label, 13, Face::SansBold) + 24, 28}, true))
      l.session.show_board(!l.session.shows_board());
    y += 40;
  }
  told_sentence(l, pen, l.session.text("reveal"), width, y, Role::Accent);
  told_sentence(l, pen, l.session.wrong_text(), width, y, Role::Warn);
}

void draw_why(const LessonUi& l, Pen& pen, const lesson::Step& step, float width, float& y) {
  const std::string why = l.session.text("why");
  y += 6;
  caption(l, pen, "lesson.why", width, y, Role::Accent);
  if (!why.empty()) y += draw_markdown(l, pen, {0, y, width, 0}, why, 16) + 12;
  const std::string& chosen = l.session.chosen_why();
  for (const std::string& option : step.why->options) {
    const bool mine = option == chosen, right = option == step.why->right;
    const Role role = !mine ? Role::None : right ? Role::Good : Role::Warn;
    if (choice_row(l, pen, "why." + option, l.session.text("option", option), width, y, mine, role,
                   !mine   ? ""
                   : right ? "✓"
                           : "×"))
      l.session.choose_why(option);
    if (mine) {
      y += 4;
      const float top = y;
      told_sentence(l, pen, l.session.text("answer", option), width, y, right ? Role::Good : Role::Warn);
      bring_to_sight(l, pen, "why." + option, top, y);
    }
  }
  y += 6;
}

void draw_goal(const LessonUi& l, Pen& pen, float width, float& y) {
  y += 6;
  const bool reached = l.session.goal_reached();
  caption(l, pen, reached ? "lesson.reached" : "lesson.try", width, y, reached ? Role::Good : Role::Accent);
  paragraph(l, pen, l.session.text("goal"), width, y);
  const float top = y;
  if (!reached) return;
  told_sentence(l, pen, l.session.text("done"), width, y, Role::Good);
  bring_to_sight(l, pen, "done", top, y);
}

}  // namespace

void caption(const LessonUi& l, Pen& pen, const char* key, float width, float& y, Role role) {
  pen.text({0, y, width, 20}, l.ui.say(key), {.size = 11, .face = Face::SansBold, .role = role});
  y += 24;
}

void draw_lesson_question(const LessonUi& l, Pen& pen, float width, float& y) {
  const lesson::Step& step = *l.session.step();
  const bool told = l.session.told();
  if (step.predict && !told) {
    draw_ask(l, pen, step, width, y);
    return;
  }
  if (step.predict) {
    const std::string ask = l.session.text("ask");
    paragraph(l, pen, ask, width, y, Role::Dim);
    draw_told(l, pen, step, width, y);
  }
  if (step.why) draw_why(l, pen, step, width, y);
  if (!step.goal.empty()) draw_goal(l, pen, width, y);
}

}  // namespace warplens::window
