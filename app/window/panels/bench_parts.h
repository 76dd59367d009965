// Parts of the bench that the speaker's column in presenter mode is made of as well.
#pragma once

#include <string>
#include <vector>

#include "app/window/panels/ui.h"

namespace warplens::window {

// Of a comparison: side A is not yet what the sliders ask for.
bool pinned_is_earlier(const Ui& ui);

constexpr float kFigureHeight = 98;  // of a row of numbers
std::vector<Headline> figures_of_both(const Ui& ui);
// Three beside each other.
void draw_figures(Ui& ui, Pen& pen, const visual::Rect& area, int rows);

constexpr float kSentenceLine = 20, kCloseSentenceLine = 17;  // the second one where there is little room
struct Sentence {
  std::string text;
  visual::Role role = visual::Role::Accent;
  float line = kSentenceLine;
  int lines = 0;
  bool earlier = false;  // of what is shown and no longer asked for
  std::vector<std::string> shorter;

  float height() const { return lines == 0 ? 0 : static_cast<float>(lines) * line + 18; }
};
Sentence measure_sentence(const Ui& ui, const Pen& pen, float width, int most_lines, float line);
// While a kernel is open its sentence keeps the room that it once took: the sliders under it stay where the
// hand is.
void hold_still(const Ui& ui, float width, Sentence& sentence);
void draw_sentence(Ui& ui, Pen& pen, const Sentence& sentence, const visual::Rect& box);

void draw_speaker(Ui& ui);  // the column of presenter mode

void show_in_active_view(Ui& ui, const char* view);

}  // namespace warplens::window
