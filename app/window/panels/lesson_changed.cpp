// Under a page whose reader changed the code or moved the sliders: what the text is about, and what the run
// that is shown says for itself.
#include "app/window/panels/lesson_panels.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kChangedLine = 19, kChangedPad = 12, kRestoreHeight = 28;
constexpr int kNoteLines = 2, kWordLines = 4;

// "stride 2, elements 4,096": where the lesson had the sliders that were moved.
std::string values_of_lesson(const LessonUi& l) {
  const std::string& language = l.ui.bench.settings.language;
  std::string out;
  for (const model::Slider& slider : l.ui.bench.kernel()->sliders) {
    const auto value = l.session.spoken_of()->values.find(slider.name);
    if (value == l.session.spoken_of()->values.end() || l.ui.bench.value(slider.name) == value->second)
      continue;
    out += (out.empty() ? "" : l.ui.say("lesson.changed.and")) +
           l.ui.say({"lesson.changed.value",
                     {{"slider", value_of(localized(slider.title, language, slider.name))},
                      {"value", value_of(model::value_name(slider, value->second, language))}}});
  }
  return out;
}

std::string changed_note(const LessonUi& l) {
  switch (l.session.strayed()) {
    case LessonSession::Strayed::Code:
      return l.ui.say("lesson.changed.code");
    case LessonSession::Strayed::Kernel:
      return l.ui.say("lesson.changed.kernel");
    default:
      return l.ui.say({"lesson.changed.values", {{"values", value_of(values_of_lesson(l))}}});
  }
}

// Nothing that a question hides.
bool changed_speaks(const LessonUi& l) {
  return !(l.session.asks() && !l.session.told());
}

}  // namespace

float changed_height(const LessonUi& l) {
  if (l.session.strayed() == LessonSession::Strayed::No) return 0;
  const float words = changed_speaks(l) ? static_cast<float>(kWordLines) * kChangedLine + kChangedPad : 0;
  return 2 * kChangedPad + static_cast<float>(kNoteLines) * kChangedLine + words;
}

void draw_changed(const LessonUi& l, const Rect& area) {
  const Area child(l.ui, "lesson.changed", area);
  Pen pen = l.ui.pen();
  pen.fill({0, 0, area.width, area.height - 6}, Role::Panel, 6);
  const std::string back = l.ui.say("lesson.changed.restore");
  const float button = pen.width(back, 13, Face::SansBold) + 20;
  if (text_button(l.ui, pen, "restore", back, {area.width - button - 6, 6, button, kRestoreHeight}, true))
    l.session.restore();
  pen.paragraph({kChangedPad + 4, kChangedPad, area.width - button - kChangedPad - 24, 0}, changed_note(l),
                {.size = 12, .role = Role::Dim}, kChangedLine, kNoteLines);
  if (!changed_speaks(l)) return;
  const BenchWords words = bench_words(l.ui);
  const Role role = words.trouble ? Role::Bad : words.earlier ? Role::Dim : Role::Accent;
  const float y = kChangedPad + static_cast<float>(kNoteLines) * kChangedLine + kChangedPad / 2;
  pen.fill({kChangedPad + 4, y, 3, static_cast<float>(kWordLines) * kChangedLine}, role, 1.5f);
  const Rect box{kChangedPad + 16, y, area.width - 2 * kChangedPad - 20,
                 static_cast<float>(kWordLines) * kChangedLine};
  pen.paragraph(box, words.text, {.size = 13, .alpha = words.earlier ? 0.5f : 1.0f}, kChangedLine,
                kWordLines);
  if (pen.wrapped(words.text, box.width, {.size = 13}).size() > kWordLines && hit(pen, "words", box).hovered)
    tooltip(l.ui, words.text);
}

}  // namespace warplens::window
