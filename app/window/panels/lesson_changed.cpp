// Under a page whose reader changed the code or moved the sliders: what the text is about, and what the run
// that is shown says for itself.
#include "app/model/gallery/slider_values.h"
#include "app/window/panels/lesson_panels.h"
#include "engine/analysis/explanations.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kChangedLine = 19, kChangedPad = 12, kRestoreHeight = 28;
// As many lines as there is to say, within what leaves the page the larger part of the column.
constexpr int kMostNoteLines = 3, kMostWordLines = 7;

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
                     {{"slider", value_of(model::title_of(slider, language))},
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

// What the run says of what the page is about; finding it takes longer than a frame has.
const std::vector<Message>& said_of_page(const LessonUi& l) {
  const Picture* picture = l.ui.bench.picture();
  SaidOfRun& said = l.state.said;
  if (picture == nullptr || picture->run == nullptr) return said.words;
  std::vector<analysis::About> about = l.session.page_about();
  if (about.empty()) about = picture->run->report.about;
  if (said.run.lock() == picture->run && said.about == about) return said.words;
  said.words = analysis::explain_launch(picture->run->report, &picture->run->trace, about);
  said.run = picture->run;
  said.about = std::move(about);
  return said.words;
}

BenchWords words_of_page(const LessonUi& l) {
  return bench_words(l.ui, &said_of_page(l));
}

// Nothing that a question hides.
bool changed_speaks(const LessonUi& l) {
  return !(l.session.asks() && !l.session.told());
}

const TextStyle kNote{.size = 12, .role = Role::Dim}, kWords{.size = 13};

struct Strip {
  std::string back, note, words;
  float button = 0, note_width = 0, words_width = 0;
  int note_lines = 0, word_lines = 0;
};

int lines_of(const Pen& pen, const std::string& text, float width, const TextStyle& style, int most) {
  return std::min(most, static_cast<int>(pen.wrapped(text, width, style).size()));
}

Strip strip_of(const LessonUi& l, const Pen& pen, float width) {
  Strip out;
  out.back = l.ui.say("lesson.changed.restore");
  out.note = changed_note(l);
  out.button = pen.width(out.back, 13, Face::SansBold) + 20;
  out.note_width = width - out.button - kChangedPad - 24;
  out.note_lines = std::max(2, lines_of(pen, out.note, out.note_width, kNote, kMostNoteLines));
  if (!changed_speaks(l)) return out;
  out.words = words_of_page(l).text;
  out.words_width = width - 2 * kChangedPad - 20;
  out.word_lines = std::max(1, lines_of(pen, out.words, out.words_width, kWords, kMostWordLines));
  return out;
}

float height_of(int lines) {
  return static_cast<float>(lines) * kChangedLine;
}

}  // namespace

float changed_height(const LessonUi& l, float width) {
  if (l.session.strayed() == LessonSession::Strayed::No) return 0;
  const Strip strip = strip_of(l, l.ui.pen(), width);
  const float words = strip.word_lines > 0 ? height_of(strip.word_lines) + kChangedPad : 0;
  return 2 * kChangedPad + height_of(strip.note_lines) + words;
}

void draw_changed(const LessonUi& l, const Rect& area) {
  const Area child(l.ui, "lesson.changed", area);
  Pen pen = l.ui.pen();
  const Strip strip = strip_of(l, pen, area.width);
  pen.fill({0, 0, area.width, area.height - 6}, Role::Panel, 6);
  if (text_button(l.ui, pen, "restore", strip.back,
                  {area.width - strip.button - 6, 6, strip.button, kRestoreHeight}, true))
    l.session.restore();
  pen.paragraph({kChangedPad + 4, kChangedPad, strip.note_width, 0}, strip.note, kNote, kChangedLine,
                strip.note_lines);
  if (strip.word_lines == 0) return;
  const BenchWords words = words_of_page(l);
  const Role role = words.trouble ? Role::Bad : words.earlier ? Role::Dim : Role::Accent;
  const float y = kChangedPad + height_of(strip.note_lines) + kChangedPad / 2;
  pen.fill({kChangedPad + 4, y, 3, height_of(strip.word_lines)}, role, 1.5f);
  const Rect box{kChangedPad + 16, y, strip.words_width, height_of(strip.word_lines)};
  TextStyle style = kWords;
  style.alpha = words.earlier ? 0.5f : 1.0f;
  pen.paragraph(box, words.text, style, kChangedLine, strip.word_lines);
  if (pen.wrapped(words.text, box.width, kWords).size() > kMostWordLines && hit(pen, "words", box).hovered)
    tooltip(l.ui, words.text);
}

}  // namespace warplens::window
