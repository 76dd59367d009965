// The page of a lesson: where one is, the text, the question, and the way on.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/window/panels/lesson_panels.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kPagePad = 20, kHead = 44, kFoot = 56;

// Empty, under the last line.
float page_end(const LessonUi& l) {
  return l.session.lesson()->kind == lesson::Kind::Challenge ? 1 : 25;
}

void draw_head(const LessonUi& l, Pen& pen, const Rect& page) {
  const Ui& ui = l.ui;
  float x = kPagePad - 8;
  const std::string shelf = "‹ " + ui.say("lesson.shelf");
  const float width = pen.width(shelf) + 16;
  if (text_button(ui, pen, "to_shelf", shelf, {x, 8, width, 28}, false, ui.say("lesson.shelf_tip")))
    l.session.close();
  x += width + 4;
  if (l.session.lesson() == nullptr) return;
  const std::string page_text = ui.say(l.state.code ? "lesson.to_page" : "lesson.to_code");
  const float code_width = pen.width(page_text, 13, Face::SansBold) + 20;
  if (text_button(ui, pen, "code", page_text, {page.width - kPagePad - code_width + 8, 8, code_width, 28},
                  false, ui.say("lesson.code_tip")))
    l.state.code = !l.state.code;
  const float room = page.width - kPagePad - code_width - x;
  if (room > 60)
    pen.text({x, 0, room, kHead}, l.session.lesson()->text(ui.bench.settings.language).title,
             {.role = Role::Dim});
}

// One dot a page: where I am, what I have seen; a click goes there.
void draw_dots(const LessonUi& l, Pen& pen, const Rect& row) {
  const int pages = l.session.pages();
  if (pages < 2) return;
  const auto been = l.session.progress().find(l.session.lesson()->name);
  const int furthest = been == l.session.progress().end() ? 0 : been->second.furthest;
  const float step = std::min(18.0f, row.width / static_cast<float>(pages));
  float x = row.x + (row.width - step * static_cast<float>(pages)) / 2;
  for (int i = 0; i < pages; ++i, x += step) {
    const Rect box{x, row.y, step, row.height};
    const Hit h = hit(pen, fmt::format("page{}", i).c_str(), box);
    const bool here = i == l.session.page();
    pen.disc({x + step / 2, row.y + row.height / 2},
             here        ? 5.0f
             : h.hovered ? 4.5f
                         : 3.0f,
             here || h.hovered ? Role::Accent : Role::Dim, here || i <= furthest ? 1.0f : 0.4f);
    if (h.hovered)
      tooltip(l.ui, l.ui.say({"lesson.page", {{"page", value_of(i + 1)}, {"pages", value_of(pages)}}}));
    if (h.clicked) l.session.go_to(i);
  }
}

void draw_foot(const LessonUi& l, Pen& pen, const Rect& page) {
  const Ui& ui = l.ui;
  const float y = page.height - kFoot;
  pen.line({0, y}, {page.width, y}, Role::Line);
  const std::string back = ui.say("lesson.back");
  const float back_width = pen.width(back) + 24;
  if (l.session.page() > 0 &&
      text_button(ui, pen, "back", back, {kPagePad - 8, y + 12, back_width, 32}, false))
    l.session.back();
  const bool last = l.session.page() + 1 >= l.session.pages();
  const bool waits = l.session.asks() && !l.session.told();
  const std::string next = ui.say(waits                   ? "lesson.reveal"
                                  : last                  ? "lesson.finish"
                                  : l.session.page() == 0 ? "lesson.begin"
                                                          : "lesson.next");
  const float width = pen.width(next, 13, Face::SansBold) + 36;
  const Rect box{page.width - kPagePad - width, y + 12, width, 32};
  if (filled_button(pen, "next", next, box, !waits || l.session.guessed())) {
    if (last && !waits)
      l.session.close();
    else
      l.session.next();
  }
  if (l.session.lesson() == nullptr) return;
  if (l.session.lesson()->kind == lesson::Kind::Challenge)
    return draw_help_buttons(l, pen, kPagePad - 8, y + 12);
  const float left = kPagePad + back_width;
  draw_dots(l, pen, {left, y + 12, box.x - left - 8, 32});
  if (!waits) return;
  const std::string skip = ui.say("lesson.skip");
  const float skip_width = pen.width(skip) + 20;
  const bool marked = l.session.marks_skip();
  // Over the line, so that nobody skips by mistake.
  if (text_button(ui, pen, "skip", skip, {page.width - kPagePad - skip_width + 8, y - 34, skip_width, 28},
                  marked, ui.say("lesson.skip_tip")))
    l.session.skip();
}

void draw_remember(const LessonUi& l, Pen& pen, float width, float& y) {
  pen.text({0, y, width, 30}, l.ui.say("lesson.remember"), {.size = 22, .face = Face::SansBold});
  y += 44;
  y += draw_markdown(l, pen, {0, y, width, 0}, l.session.section("remember"), 16) + 24;
  const std::string sources = l.session.section("sources");
  if (sources.empty()) return;
  pen.text({0, y, width, 20}, l.ui.say("lesson.sources"),
           {.size = 11, .face = Face::SansBold, .role = Role::Dim});
  y += 24;
  y += draw_markdown(l, pen, {0, y, width, 0}, sources, 13, Role::Dim) + 16;
}

void draw_step(const LessonUi& l, Pen& pen, float width, float& y) {
  // Of a challenge little more than the code and its scores has room.
  const bool challenge = l.session.lesson()->kind == lesson::Kind::Challenge;
  const TextStyle style{.size = challenge ? 16.0f : 22.0f, .face = Face::SansBold};
  const float height = challenge ? 23 : 30;
  for (const std::string& line : pen.wrapped(l.session.title(), width, style)) {
    pen.text({0, y, 0, height}, line, style);
    y += height;
  }
  y += challenge ? 6 : 10;
  const std::string body = l.session.body();
  if (!body.empty()) y += draw_markdown(l, pen, {0, y, width, 0}, body) + 16;
}

// Where the arrows change no slider they are the wheel, for who has no mouse at hand; a clicker turns
// screens.
void scroll_by_keys(const LessonUi& l) {
  constexpr float kStep = 60, kOverlap = 48;
  const Ui& ui = l.ui;
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); };
  const bool arrows =
      ui.state.focused_slider.empty() && !ImGui::GetIO().WantTextInput && !ImGui::GetIO().KeyShift;
  float down = 0;
  if (arrows && pressed(ImGuiKey_DownArrow)) down += kStep;
  if (arrows && pressed(ImGuiKey_UpArrow)) down -= kStep;
  down *= ui.scale();
  const float screen = std::max(kStep * ui.scale(), ImGui::GetWindowHeight() - kOverlap * ui.scale());
  down += static_cast<float>(std::exchange(l.state.turn, 0)) * screen;
  if (down != 0) ImGui::SetScrollY(std::clamp(ImGui::GetScrollY() + down, 0.0f, ImGui::GetScrollMaxY()));
  l.state.above = ImGui::GetScrollY() / ui.scale();
  l.state.below = std::max(0.0f, (ImGui::GetScrollMaxY() - ImGui::GetScrollY()) / ui.scale() - page_end(l));
}

void draw_content(const LessonUi& l, Pen& pen, float width) {
  float y = 4;
  if (!l.session.told()) l.state.told_of.clear();
  const lesson::Lesson& open = *l.session.lesson();
  const bool last = open.kind == lesson::Kind::Lesson && l.session.page() + 1 == l.session.pages();
  if (last) {
    draw_remember(l, pen, width, y);
  } else {
    draw_step(l, pen, width, y);
    if (l.session.step() != nullptr) draw_lesson_question(l, pen, width, y);
    if (open.kind == lesson::Kind::Challenge) draw_challenge(l, pen, width, y);
    if (open.kind == lesson::Kind::Claim) draw_claim(l, pen, width, y);
  }
  if (const auto timed = l.session.timed())
    y += 8 + pen.paragraph({0, y + 8, width, 0}, l.ui.say(*timed), {.size = 12, .role = Role::Dim}, 18);
  l.state.text_height = y + page_end(l);
  ImGui::SetCursorScreenPos(pen.at(0, l.state.text_height - 1));
  ImGui::Dummy({1, 1});
}

}  // namespace

void bring_to_sight(const LessonUi& l, const Pen& pen, float y) {
  const std::string page = fmt::format("{}.{}", l.session.lesson()->name, l.session.page());
  if (l.state.told_of == page) return;
  l.state.told_of = page;
  ImGui::SetScrollFromPosY(pen.at(0, y).y - ImGui::GetWindowPos().y, 0);
}

void bring_to_sight(const LessonUi& l, const Pen& pen, const std::string& what, float top, float bottom) {
  if (l.state.visit_of_shown != l.session.visit()) l.state.shown.clear();
  l.state.visit_of_shown = l.session.visit();
  if (!l.state.shown.insert(what).second) return;
  const float edge = ImGui::GetWindowPos().y;
  const float hidden = pen.at(0, bottom).y - (edge + ImGui::GetWindowHeight());
  // Its beginning stays in sight, however long it is.
  const float most = pen.at(0, top).y - edge;
  if (hidden > 0) ImGui::SetScrollY(ImGui::GetScrollY() + std::min(hidden, std::max(0.0f, most)));
}

bool scroll_page(LessonPanelState& state, const LessonSession& session, int by) {
  // What was answered is told, and marks of a clicker move, at once.
  if (!session.marked().empty() || session.marks_skip()) return false;
  if (by > 0 && session.asks() && !session.told() && session.guessed()) return false;
  if ((by > 0 ? state.below : state.above) < 1) return false;
  state.turn = by;
  return true;
}

bool choice_row(const LessonUi& l, Pen& pen, const std::string& id, std::string_view text, float width,
                float& y, bool chosen, Role role, std::string_view mark) {
  constexpr float kInset = 12;
  const float side = mark.empty() ? 0.0f : 28.0f;
  // Measured by drawing it where nobody looks: behind the clip of an empty rectangle.
  pen.list().PushClipRect({0, 0}, {0, 0});
  const float height = draw_markdown(l, pen, {kInset, y + 8, width - 2 * kInset - side, 0}, text) + 16;
  pen.list().PopClipRect();
  const Rect box{0, y, width, height};
  const Hit h = hit(pen, id.c_str(), box);
  pen.fill(box, Role::Raised, 6, chosen || h.hovered ? 1.0f : 0.55f);
  if (chosen || role != Role::None) pen.frame(box, role == Role::None ? Role::Accent : role, 6, 1.5f);
  draw_markdown(l, pen, {kInset, y + 8, width - 2 * kInset - side, 0}, text);
  if (!mark.empty())
    pen.text({width - 34, y, 24, height}, mark,
             {.size = 14,
              .face = Face::SansBold,
              .role = role == Role::None ? Role::Accent : role,
              .align = visual::Align::Centre});
  y += height + 6;
  return h.clicked;
}

void arrange_lesson(Arrangement& layout, std::size_t sliders) {
  layout.bench_shown = true;
  if (sliders == 0 || layout.sliders.height > 0) return;
  const float bottom = layout.transport.y;
  visual::Rect stage = layout.views[0];
  if (layout.view_count == 2) stage.height = layout.views[1].bottom() - stage.y;
  const std::size_t a_row = sliders_in_a_row(stage.width);
  const float bar = kSliderBarHeight * static_cast<float>((sliders + a_row - 1) / a_row);
  stage.height = bottom - stage.y - bar;
  layout.sliders = {stage.x, stage.bottom(), stage.width, bar};
  layout.views[0] = stage;
  if (layout.view_count != 2) return;
  layout.views[0].height = stage.height / 2;
  layout.views[1] = {stage.x, stage.y + stage.height / 2, stage.width, stage.height / 2};
}

void draw_lesson_page(const LessonUi& l) {
  const Rect& page = l.ui.layout.bench;
  {
    const Area area(l.ui, "lesson", page);
    Pen pen = l.ui.pen();
    pen.line({page.width - 0.5f, 0}, {page.width - 0.5f, page.height}, Role::Line);
    if (l.session.lesson() != nullptr) {
      draw_head(l, pen, page);
      if (l.session.lesson() != nullptr) draw_foot(l, pen, page);
    }
  }
  l.state.above = l.state.below = 0;
  if (l.session.lesson() == nullptr) return draw_lesson_shelf(l, page);
  const bool waits = l.session.asks() && !l.session.told();
  Rect content{page.x + kPagePad, page.y + kHead, page.width - kPagePad - 6,
               page.height - kHead - kFoot - (waits ? 36.0f : 0.0f)};
  const float changed = changed_height(l, content.width - kPagePad);
  if (changed > 0)
    draw_changed(l, {content.x, content.bottom() - changed, content.width - kPagePad, changed});
  content.height -= changed;
  // In a challenge the code is what one works on: it has the larger part of what the scores leave, all of it
  // in place of the text.
  const bool challenge = l.session.lesson()->kind == lesson::Kind::Challenge;
  const float width = content.width - kPagePad, scores = challenge ? scores_height(l, width) : 0;
  if (l.state.code) {
    if (challenge) draw_scores(l, {content.x, content.y, width, scores});
    const float top = challenge ? scores + 4 : 0;
    return draw_source(l.ui, {content.x, content.y + top, width, content.height - top});
  }
  float text_height = content.height;
  if (challenge) {
    const float most = (content.height - scores) * 0.42f;
    // One that is shorter needs no more; how long it is, the frame before has found.
    const bool known = l.state.text_height > 0 && l.state.text_of == l.session.visit();
    text_height = known ? std::min(most, l.state.text_height) : most;
    l.state.text_of = l.session.visit();
  }
  {
    const Area area(l.ui,
                    fmt::format("lesson.text.{}.{}", l.session.lesson()->name, l.session.page()).c_str(),
                    {content.x, content.y, content.width, text_height}, true);
    scroll_by_keys(l);
    Pen pen = l.ui.pen();
    draw_content(l, pen, width);
  }
  if (!challenge) return;
  const float top = content.y + text_height + 4;
  draw_scores(l, {content.x, top, width, scores});
  draw_source(l.ui, {content.x, top + scores + 4, width, content.bottom() - top - scores - 8});
}

}  // namespace warplens::window
