// Boards to predict on, on the stage.
#include <algorithm>

#include "app/window/panels/lesson_panels.h"
#include "visual/guess_board.h"

namespace warplens::window {
namespace {

using lesson::Painted;
using lesson::PredictKind;

const lesson::Predict* predict_of(const LessonSession& session) {
  const lesson::Step* step = session.step();
  return step != nullptr && step->predict ? &*step->predict : nullptr;
}

// While one thinks the board stands in the first slot, and once told for as long as it is wanted.
bool has_board(const LessonSession& session, int slot) {
  const lesson::Predict* predict = predict_of(session);
  if (predict == nullptr || session.answer() == nullptr) return false;
  if (predict->kind != PredictKind::Paint && predict->kind != PredictKind::Curve) return false;
  if (session.told() && !session.shows_board()) return false;
  return slot == 0;
}

visual::PaintBoard paint_of(const Ui& ui, const LessonSession& session) {
  const lesson::Predict& predict = *predict_of(session);
  visual::PaintBoard board;
  using Of = visual::PaintBoard::Of;
  board.of = predict.of == Painted::Sectors ? Of::Sectors
             : predict.of == Painted::Banks ? Of::Banks
                                            : Of::Lanes;
  board.offered = session.answer()->paint.offered;
  board.mine = session.guess().marks;
  if (session.told()) board.right = session.answer()->paint.right;
  board.access = predict.at.text;
  const Picture* picture = ui.bench.picture();
  if (board.of == Of::Sectors && picture != nullptr)
    for (std::size_t i = 0; i < board.offered.size(); i += 4)
      board.row_names.push_back(picture->run->trace.describe(trace::Space::Global, board.offered[i]));
  return board;
}

visual::CurveBoard curve_of(const Ui& ui, const LessonSession& session) {
  const lesson::Predict& predict = *predict_of(session);
  const lesson::Answer& answer = *session.answer();
  visual::CurveBoard board;
  board.x_name = predict.over;
  if (ui.bench.kernel() != nullptr)
    for (const model::Slider& slider : ui.bench.kernel()->sliders)
      if (slider.name == predict.over) {
        board.x_name = localized(slider.title, ui.bench.settings.language, slider.name);
        board.log_x = slider.powers_of_two && slider.min > 0;
      }
  // What is counted is said in words on the page.
  board.y_name = ui.say(answer.in_time ? "lesson.curve.time" : "lesson.curve.counted");
  board.asks_time = answer.in_time;
  double highest = 0;
  for (const auto& [x, y] : answer.curve) {
    board.values.push_back(static_cast<double>(x));
    highest = std::max(highest, y);
  }
  board.y_max = visual::roomy_axis(highest);
  for (const auto& [x, y] : session.guess().curve) board.guess.emplace_back(static_cast<double>(x), y);
  if (!session.told()) return board;
  for (const auto& [x, y] : answer.curve) board.counted.emplace_back(static_cast<double>(x), y);
  for (const auto& [x, y] : answer.measured) board.measured.emplace_back(static_cast<double>(x), y);
  if ((answer.in_time || !answer.measured.empty()) && ui.bench.recording() != nullptr)
    board.measured_note = ui.say(ui.bench.recording()->evidence());
  return board;
}

}  // namespace

const visual::Scene* LessonStage::scene(const Ui& ui, int slot, const std::string& view, visual::Size size) {
  if (!session_.takes_bench() || session_.lesson() == nullptr || slot < 0 || slot > 1) return nullptr;
  const visual::ViewContext context{size, ui.catalogue, ui.measure};
  // A view that fills the stage alone stands in the slot that it came from.
  if (ui.layout.view_count == 1) slot = 0;
  visual::Scene& out = scenes_[slot];
  if (has_board(session_, slot)) {
    if (predict_of(session_)->kind == PredictKind::Paint) {
      out = visual::paint_board(context, paint_of(ui, session_));
    } else {
      visual::DrawnCurve drawn = visual::curve_board(context, curve_of(ui, session_));
      inner_ = drawn.inner;
      out = std::move(drawn.scene);
    }
    return &out;
  }
  // The plot of times goes through all values of a slider: also through the one of the reveal.
  const bool tells = view == "timing" && session_.asks() && !session_.told();
  if (!tells && (!session_.covers() || view == "source" || view == "hierarchy")) return nullptr;
  out = visual::covered_view(context);
  return &out;
}

void LessonStage::mouse(const Ui& ui, int slot, const visual::Target& target, visual::Point at, bool clicked,
                        bool held) {
  (void)clicked;
  if (!held) {
    stroke_.clear();
    return;
  }
  if (ui.layout.view_count == 1) slot = 0;
  if (session_.told() || !has_board(session_, slot)) return;
  const lesson::Predict& predict = *predict_of(session_);
  if (predict.kind == PredictKind::Curve) {
    const auto [x, y] = visual::curve_point(curve_of(ui, session_), inner_, at);
    session_.draw(static_cast<std::int64_t>(x), y);
    return;
  }
  std::optional<std::uint64_t> cell = target.sector;
  if (target.bank) cell = static_cast<std::uint64_t>(*target.bank);
  if (target.lane) cell = static_cast<std::uint64_t>(*target.lane);
  // A stroke of the brush changes each cell once.
  if (cell && stroke_.insert(*cell).second) session_.toggle(*cell);
}

}  // namespace warplens::window
