// In presenter mode, beside the picture: the lines that are spoken about with what they cost, the numbers and
// the sentence, to be read from the back row. The sliders stand in their bar under it.
#include <algorithm>
#include <cmath>

#include "app/window/panels/bench_parts.h"

namespace warplens::window {
namespace {

using visual::Rect;
using visual::Role;

constexpr float kColumnPad = 14, kColumnGap = 10;
constexpr float kSpokenLine = 21, kSpokenPad = 12;  // of the source pane, as it is written here
constexpr int kLeastSpoken = 3;
constexpr int kMostSaid = 5;  // lines of the sentence

}  // namespace

void draw_speaker(Ui& ui) {
  const Rect& column = ui.layout.bench;
  const Rect content{column.x + kColumnPad, column.y + kColumnGap, column.width - 2 * kColumnPad,
                     column.height - 2 * kColumnGap};
  float code = 0;
  {
    const Area area(ui, "speaker", column);
    Pen pen = ui.pen();
    pen.line({column.width - 0.5f, 0}, {column.width - 0.5f, column.height}, Role::Line);
    // First three lines of code, then the numbers, the sentence, and what is left is code again.
    const float least = kLeastSpoken * kSpokenLine + kSpokenPad;
    float rest = content.height - least;
    const float figures = rest >= kFigureHeight ? kFigureHeight : 0;
    rest -= figures + kColumnGap;
    Sentence sentence = measure_sentence(ui, pen, content.width, kMostSaid, kCloseSentenceLine);
    hold_still(ui, content.width, sentence);
    while (sentence.lines > 0 && sentence.height() + kColumnGap > rest) --sentence.lines;
    if (sentence.lines == 0) sentence = {};
    rest -= sentence.lines > 0 ? sentence.height() + kColumnGap : 0;
    // Whole lines.
    code = least + std::max(0.0f, std::floor(rest / kSpokenLine)) * kSpokenLine;
    const float spare = std::max(0.0f, content.height - code - figures - sentence.height() - 2 * kColumnGap);
    float y = kColumnGap + code + kColumnGap + spare / 2;
    if (figures > 0) draw_figures(ui, pen, {kColumnPad, y, content.width, figures}, 1);
    y += figures + spare / 2;
    if (!sentence.text.empty())
      draw_sentence(ui, pen, sentence, {kColumnPad, y, content.width, sentence.height()});
  }
  draw_source(ui, {content.x, content.y, content.width, code});
}

}  // namespace warplens::window
