// The boards of predictions with what a step asks, a reader guessed and the runs answered: the same in the
// window and in the book.
//
//   visual::paint_board(context, paint_board_of(*step.predict, answer, guess, told));
#pragma once

#include <string>
#include <vector>

#include "app/lesson/answers.h"
#include "app/model/recording/recording.h"
#include "engine/base/message.h"
#include "engine/trace/trace.h"
#include "visual/guess_board.h"

namespace warplens::lesson {

// What names on a board are written by.
struct BoardText {
  const Catalogue& catalogue;
  std::string language;
  const model::Recording* recording = nullptr;  // whose times are quoted; null: none
};

// told: the answer is laid beside the guess. Rows of sectors are left unnamed: a name is of a trace.
visual::PaintBoard paint_board_of(const Predict& predict, const Answer& answer, const Guess& guess,
                                  bool told);
// Names each 128-byte line of a board of sectors by the element that it begins with: "in[32]".
void name_lines(visual::PaintBoard& board, const trace::Trace& trace);
// kernel: whose slider the curve goes over; null: it is called by its name.
visual::CurveBoard curve_board_of(const Predict& predict, const model::GalleryKernel* kernel,
                                  const Answer& answer, const Guess& guess, bool told, const BoardText& text);
// names: what the options are called, in their order; Markdown.
visual::OrderBoard order_board_of(const Predict& predict, const std::vector<std::string>& names,
                                  const Answer& answer, const Guess& guess, bool told, const BoardText& text);

// A board stands on the stage while this is asked.
bool has_board(PredictKind kind);

}  // namespace warplens::lesson
