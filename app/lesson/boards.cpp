#include "app/lesson/boards.h"

#include <algorithm>
#include <set>

#include "app/lesson/markdown.h"
#include "engine/base/typography.h"

namespace warplens::lesson {
namespace {

std::string without_marks(const std::string& markdown) {
  std::string out;
  for (const Block& block : parse_markdown(markdown))
    for (const Span& span : block.spans) out += span.text;
  while (out.ends_with('.') || out.ends_with('\n')) out.pop_back();
  return out;
}

std::size_t index_of(const std::vector<std::string>& options, const std::string& option) {
  return static_cast<std::size_t>(std::find(options.begin(), options.end(), option) - options.begin());
}

// Recorded on which GPU, and on the days of these kernels' own points: parts of a recording are taken later.
std::string note_of(const BoardText& text, const std::vector<std::string>& kernels) {
  if (text.recording == nullptr) return {};
  std::set<std::string> days;
  for (const std::string& kernel : kernels) days.insert(text.recording->day_of(kernel));
  Message note = text.recording->evidence();
  for (auto& [name, value] : note.values)
    if (name == "date" && !days.empty())
      value = warplens::value_of(listed({days.begin(), days.end()}, text.language));
  return text.catalogue.text(note);
}

}  // namespace

bool has_board(PredictKind kind) {
  return kind == PredictKind::Paint || kind == PredictKind::Curve || kind == PredictKind::Order;
}

visual::PaintBoard paint_board_of(const Predict& predict, const Answer& answer, const Guess& guess,
                                  bool told) {
  using Of = visual::PaintBoard::Of;
  visual::PaintBoard board;
  board.of = predict.of == Painted::Sectors ? Of::Sectors
             : predict.of == Painted::Banks ? Of::Banks
                                            : Of::Lanes;
  board.offered = answer.paint.offered;
  board.mine = guess.marks;
  if (told) {
    board.right = answer.paint.right;
    board.lanes = answer.paint.lanes;
  }
  // The whole line: what a lesson finds it by may be a piece of it.
  board.access = answer.paint.line.empty() ? predict.at.text : answer.paint.line;
  return board;
}

void name_lines(visual::PaintBoard& board, const trace::Trace& trace) {
  for (std::size_t i = 0; i < board.offered.size(); i += 4)
    board.row_names.push_back(trace.describe(trace::Space::Global, board.offered[i]));
}

visual::CurveBoard curve_board_of(const Predict& predict, const model::GalleryKernel* kernel,
                                  const Answer& answer, const Guess& guess, bool told,
                                  const BoardText& text) {
  visual::CurveBoard board;
  board.x_name = predict.over;
  if (kernel != nullptr)
    for (const model::Slider& slider : kernel->sliders)
      if (slider.name == predict.over) {
        board.x_name = model::title_of(slider, text.language);
        board.log_x = slider.powers_of_two && slider.min > 0;
      }
  // What is counted is said in words beside the board.
  board.y_name = text.catalogue.text(answer.in_time    ? "lesson.curve.time"
                                     : answer.computed ? "lesson.curve.computed"
                                                       : "lesson.curve.counted");
  board.computed = answer.computed;
  board.asks_time = answer.in_time;
  double highest = 0;
  for (const auto& [x, y] : answer.curve) {
    board.values.push_back(static_cast<double>(x));
    highest = std::max(highest, y);
  }
  board.y_max = visual::roomy_axis(highest);
  for (const auto& [x, y] : guess.curve) board.guess.emplace_back(static_cast<double>(x), y);
  if (!told) return board;
  for (const auto& [x, y] : answer.curve) board.counted.emplace_back(static_cast<double>(x), y);
  for (const auto& [x, y] : answer.measured) board.measured.emplace_back(static_cast<double>(x), y);
  if (answer.in_time || !answer.measured.empty()) board.measured_note = note_of(text, answer.timed);
  return board;
}

visual::OrderBoard order_board_of(const Predict& predict, const std::vector<std::string>& names,
                                  const Answer& answer, const Guess& guess, bool told,
                                  const BoardText& text) {
  visual::OrderBoard board;
  for (std::size_t i = 0; i < predict.options.size(); ++i) {
    const std::string name = i < names.size() ? without_marks(names[i]) : std::string();
    board.cards.push_back({name.empty() ? predict.options[i] : name, 0, {}});
  }
  for (const std::string& option : guess.order) board.mine.push_back(index_of(predict.options, option));
  board.in_time = answer.in_time;
  if (!told) return board;
  for (const auto& [option, value] : answer.measures)
    if (const std::size_t at = index_of(predict.options, option); at < board.cards.size()) {
      board.cards[at].value = value;
      const auto written = formatted(value, answer.in_time ? "time" : "");
      board.cards[at].shown = written ? *written : number_text(value);
    }
  for (const std::string& option : answer.order) board.right.push_back(index_of(predict.options, option));
  if (answer.in_time) board.measured_note = note_of(text, answer.timed);
  return board;
}

}  // namespace warplens::lesson
