// The shelf of lessons, or of challenges and claims, and the three places that the top bar leads to.
#include <fmt/format.h>

#include <algorithm>

#include "app/model/text/in_language.h"
#include "app/window/panels/lesson_panels.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;
using Mode = LessonSession::Mode;

constexpr float kShelfPad = 20, kLessonRow = 34;

std::string about(const LessonUi& l, const lesson::Lesson& one) {
  if (one.kind == lesson::Kind::Claim) return l.ui.say("lesson.a_claim");
  if (one.kind == lesson::Kind::Challenge) return l.ui.say("lesson.a_challenge");
  return one.minutes > 0 ? l.ui.say({"lesson.minutes", {{"minutes", value_of(one.minutes)}}}) : std::string();
}

void lesson_row(const LessonUi& l, Pen& pen, const lesson::Lesson& one, float width, float& y) {
  const Rect box{8, y, width - 16, kLessonRow - 4};
  const Hit h = hit(pen, ("lesson." + one.name).c_str(), box);
  if (h.hovered) pen.fill(box, Role::Raised, 6, 0.8f);
  const auto been = l.session.progress().find(one.name);
  const bool begun = been != l.session.progress().end(), done = begun && been->second.done;
  pen.disc({22, y + kLessonRow / 2 - 2}, 4, done ? Role::Good : begun ? Role::Accent : Role::Line);
  std::string state = about(l, one);
  if (done && one.kind == lesson::Kind::Challenge)
    state = l.ui.say({"lesson.stars", {{"stars", value_of(been->second.stars)}}});
  else if (done)
    state = l.ui.say("lesson.done");
  else if (begun && one.kind == lesson::Kind::Lesson && been->second.page > 0)
    state =
        l.ui.say({"lesson.at_page",
                  {{"page", value_of(been->second.page + 1)}, {"pages", value_of(one.steps.size() + 2)}}});
  const float side = pen.width(state, 12) + 12;
  pen.text({36, y, width - 52 - side, kLessonRow - 4}, one.text(l.ui.bench.settings.language).title,
           {.size = 14, .role = Role::Text});
  pen.text({width - 16 - side, y, side, kLessonRow - 4}, state,
           {.size = 12, .role = Role::Dim, .align = visual::Align::Right});
  if (h.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (h.clicked) l.session.open(one.name);
  y += kLessonRow;
}

}  // namespace

void draw_lesson_shelf(const LessonUi& l, const Rect& area) {
  const bool lessons = l.session.mode() == Mode::Lessons;
  const Area child(l.ui, lessons ? "lesson.shelf" : "challenge.shelf", area, true);
  Pen pen = l.ui.pen();
  const float width = area.width - 8;
  pen.text({kShelfPad, 12, width - 2 * kShelfPad, 32},
           l.ui.say(lessons ? "lesson.lessons" : "lesson.challenges"), {.size = 22, .face = Face::SansBold});
  float y = 52;
  y += draw_markdown(l, pen, {kShelfPad, y, width - 2 * kShelfPad, 0},
                     l.ui.say(lessons ? "lesson.lessons_about" : "lesson.challenges_about"), 13, Role::Dim) +
       16;
  bool any = false;
  for (const lesson::ShelfTopic& topic : l.session.shelf().topics) {
    bool first = true;
    for (const lesson::Lesson& one : l.session.shelf().lessons) {
      const bool here = std::find(topic.names.begin(), topic.names.end(), one.name) != topic.names.end() ||
                        (one.topic == topic.id);
      if (!here || (one.kind == lesson::Kind::Lesson) != lessons) continue;
      if (first) {
        y += 6;
        pen.text({kShelfPad, y, width - 2 * kShelfPad, 24},
                 model::in_language(topic.title, l.ui.bench.settings.language, topic.id),
                 {.size = 11, .face = Face::SansBold, .role = Role::Dim});
        y += 26;
      }
      first = false;
      any = true;
      lesson_row(l, pen, one, width, y);
    }
  }
  if (!any)
    y += draw_markdown(l, pen, {kShelfPad, y, width - 2 * kShelfPad, 0}, l.ui.say("lesson.none"), 14,
                       Role::Dim);
  ImGui::SetCursorScreenPos(pen.at(0, y + 24));
  ImGui::Dummy({1, 1});
}

void draw_lesson_modes(const LessonUi& l) {
  static constexpr std::pair<Mode, const char*> kModes[] = {{Mode::Explore, "lesson.explore"},
                                                            {Mode::Lessons, "lesson.lessons"},
                                                            {Mode::Challenges, "lesson.challenges"}};
  const Area area(l.ui, "modes", {kModesLeft, 0, modes_width(l.ui), kTopBarHeight - 2});
  Pen pen = l.ui.pen();
  float x = 0;
  for (const auto& [mode, key] : kModes) {
    const std::string name = l.ui.say(key);
    const float width = pen.width(name, 13, Face::SansBold) + 20;
    if (text_button(l.ui, pen, key, name, {x, 8, width, kTopBarHeight - 16},
                    l.session.mode() == mode && !l.ui.state.program)) {
      l.ui.state.program = false;
      const bool other_kind = l.session.lesson() != nullptr &&
                              (l.session.lesson()->kind == lesson::Kind::Lesson) != (mode == Mode::Lessons);
      if (mode != Mode::Explore && other_kind) l.session.close();
      l.session.show(mode);
    }
    x += width + 2;
  }
}

float modes_width(const Ui& ui) {
  const Pen pen = ui.pen();
  float width = 0;
  for (const char* key : {"lesson.explore", "lesson.lessons", "lesson.challenges"})
    width += pen.width(ui.say(key), 13, Face::SansBold) + 22;
  if (has_room_for_program(ui)) width += pen.width(ui.say("program.mode"), 13, Face::SansBold) + 22;
  return width;
}

}  // namespace warplens::window
