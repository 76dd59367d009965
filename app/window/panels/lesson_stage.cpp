// Boards to predict on, on the stage.
#include <cmath>

#include "app/lesson/boards.h"
#include "app/window/panels/lesson_panels.h"

namespace warplens::window {
namespace {

using lesson::PredictKind;

const lesson::Predict* predict_of(const LessonSession& session) {
  const lesson::Step* step = session.step();
  return step != nullptr && step->predict ? &*step->predict : nullptr;
}

// While one thinks the board stands in the first slot, and once told for as long as it is wanted.
bool shows_board(const LessonSession& session, int slot) {
  const lesson::Predict* predict = predict_of(session);
  if (predict == nullptr || session.answer() == nullptr || !lesson::has_board(predict->kind)) return false;
  if (session.told() && !session.shows_board()) return false;
  return slot == 0;
}

lesson::BoardText board_text(const Ui& ui) {
  return {ui.catalogue, ui.bench.settings.language, ui.bench.recording()};
}

visual::PaintBoard paint_of(const Ui& ui, const LessonSession& session) {
  const lesson::Predict& predict = *predict_of(session);
  visual::PaintBoard board =
      lesson::paint_board_of(predict, *session.answer(), session.guess(), session.told());
  const Picture* picture = ui.bench.picture();
  if (predict.of == lesson::Painted::Sectors && picture != nullptr)
    lesson::name_lines(board, picture->run->trace);
  return board;
}

visual::CurveBoard curve_of(const Ui& ui, const LessonSession& session) {
  const lesson::Predict& predict = *predict_of(session);
  // Of the kernel that the step asks about, whichever the reader has on the bench by then.
  const model::GalleryKernel* kernel = lesson::kernel_of(*session.lesson(), ui.bench.gallery(), predict.then);
  return lesson::curve_board_of(predict, kernel, *session.answer(), session.guess(), session.told(),
                                board_text(ui));
}

visual::OrderBoard order_of(const Ui& ui, const LessonSession& session) {
  const lesson::Predict& predict = *predict_of(session);
  std::vector<std::string> names;
  for (const std::string& option : predict.options) names.push_back(session.text("choose", option));
  visual::OrderBoard board = lesson::order_board_of(predict, names, *session.answer(), session.guess(),
                                                    session.told(), board_text(ui));
  for (std::size_t i = 0; i < predict.options.size(); ++i)
    if (predict.options[i] == session.marked()) board.marked = i;
  return board;
}

}  // namespace

const visual::Scene* LessonStage::scene(const Ui& ui, int slot, const visual::View& view, visual::Size size) {
  if (!session_.takes_bench() || session_.lesson() == nullptr || slot < 0 || slot > 1) return nullptr;
  const visual::ViewContext context{size, ui.catalogue, ui.measure};
  // A view that fills the stage alone stands in the slot that it came from.
  if (ui.layout.view_count == 1) slot = 0;
  visual::Scene& out = scenes_[slot];
  if (shows_board(session_, slot)) {
    draw_board(ui, context, out);
    return &out;
  }
  // The plot of times goes through all values of a slider: also through the one of the reveal.
  const bool tells = view.basis == visual::Basis::Curve && session_.asks() && !session_.told();
  if (!tells && !(session_.covers() && view.gives_away)) return nullptr;
  out = visual::covered_view(context);
  return &out;
}

void LessonStage::draw_board(const Ui& ui, const visual::ViewContext& context, visual::Scene& out) {
  const PredictKind kind = predict_of(session_)->kind;
  if (kind == PredictKind::Paint) {
    out = visual::paint_board(context, paint_of(ui, session_));
  } else if (kind == PredictKind::Curve) {
    visual::DrawnCurve drawn = visual::curve_board(context, curve_of(ui, session_));
    inner_ = drawn.inner;
    out = std::move(drawn.scene);
  } else {
    visual::OrderBoard board = order_of(ui, session_);
    if (carried_ && carried_->moved) {
      board.held = carried_->card;
      board.hand = carried_->at;
    }
    order_ = visual::order_board(context, board);
    out = std::move(order_.scene);
  }
}

void LessonStage::mouse(const Ui& ui, int slot, const visual::Target& target, visual::Point at, bool clicked,
                        bool held) {
  (void)clicked;
  const bool pressed = held && !held_;
  held_ = held;
  if (!held) stroke_.clear();
  if (ui.layout.view_count == 1) slot = 0;
  if (session_.told() || !shows_board(session_, slot)) {
    carried_.reset();
    return;
  }
  const lesson::Predict& predict = *predict_of(session_);
  if (predict.kind == PredictKind::Order) return carry(predict, at, pressed, held);
  if (!held) return;
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

// A card that is clicked goes to the next free place, or back; one that is dragged, where it is let go.
void LessonStage::carry(const lesson::Predict& predict, visual::Point at, bool pressed, bool held) {
  constexpr float kClick = 5;
  if (pressed)
    if (const auto card = order_.card_at(at)) carried_ = {*card, at, at, false};
  if (!carried_) return;
  if (held) {
    carried_->at = at;
    carried_->moved =
        carried_->moved || std::hypot(at.x - carried_->from.x, at.y - carried_->from.y) > kClick;
    return;
  }
  const Carried let_go = *carried_;
  carried_.reset();
  if (let_go.card >= predict.options.size()) return;
  const std::string& option = predict.options[let_go.card];
  if (!let_go.moved) return session_.guess_order(option);
  session_.place(option, order_.place_at(let_go.at));
}

}  // namespace warplens::window
