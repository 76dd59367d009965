// The boards of predictions: what is marked, where a hand puts a card, and that nothing tells before its
// time.
#include "visual/guess_board.h"

#include <gtest/gtest.h>

#include "visual/export.h"

namespace warplens::visual {
namespace {

struct GuessBoard : testing::Test {
  Catalogue english = Catalogue::load("en").value(), chinese = Catalogue::load("zh").value();

  static const Shape* find(const Scene& scene, const std::string& id) {
    for (const Shape& shape : scene.shapes)
      if (shape.id == id) return &shape;
    return nullptr;
  }
  static OrderBoard order(bool told) {
    OrderBoard board;
    board.cards = {{"modulo", 40.6, "40.6 µs"},
                   {"strided index", 31, "31 µs"},
                   {"sequential", 24, "24 µs"},
                   {"a name that is far longer than any card of a narrow stage is wide", 12.5, "12.5 µs"}};
    board.mine = {3, 1, 2};
    board.in_time = true;
    board.measured_note = "recorded on NVIDIA H200";
    if (told) {
      board.mine = {3, 1, 2, 0};
      board.right = {3, 2, 1, 0};
    } else {
      for (OrderBoard::Card& card : board.cards) card.value = 0, card.shown.clear();
    }
    return board;
  }
};

TEST_F(GuessBoard, AnOrderTellsNothingBeforeItsTime) {
  const ViewContext context{{800, 500}, english, cairo_text_measure()};
  const DrawnOrder drawn = order_board(context, order(false));
  EXPECT_EQ(drawn.scene.answer, "3 / 4");
  for (const Shape& shape : drawn.scene.shapes) {
    EXPECT_EQ(shape.text.find("µs"), std::string::npos) << shape.id;
    EXPECT_EQ(shape.id.find("right."), std::string::npos) << shape.id;
  }
  ASSERT_NE(find(drawn.scene, "place.3"), nullptr);
  EXPECT_TRUE(find(drawn.scene, "place.3")->dashed) << "a place that is free";
  EXPECT_EQ(drawn.scene.transcript.find("12.5"), std::string::npos);
}

// Two of four stand in their place: their frames are whole, the others dashed, and so are the lines across.
TEST_F(GuessBoard, AnOrderIsLaidBesideThatOfTheRuns) {
  const ViewContext context{{800, 500}, english, cairo_text_measure()};
  const DrawnOrder drawn = order_board(context, order(true));
  EXPECT_EQ(drawn.scene.answer, "2 / 4");
  EXPECT_TRUE(drawn.scene.answer_is_worse);
  const bool wrong[] = {false, true, true, false};
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(find(drawn.scene, "place." + std::to_string(i) + ".frame")->dashed, wrong[i]) << i;
  for (int card = 0; card < 4; ++card) {
    const Shape* path = find(drawn.scene, "path." + std::to_string(card));
    ASSERT_NE(path, nullptr);
    const bool level = std::abs(path->points.front().y - path->points.back().y) < 0.5f;
    EXPECT_EQ(level, !path->dashed) << card;
  }
  // Bars as long as what was measured.
  const auto length = [&](int at) {
    return find(drawn.scene, "right." + std::to_string(at) + ".bar")->box.width;
  };
  EXPECT_NEAR(length(0) / length(3), 12.5 / 40.6, 0.01);
  EXPECT_NEAR(length(1) / length(3), 24 / 40.6, 0.01);
  EXPECT_EQ(find(drawn.scene, "right.0.value")->text, "12.5 µs");
  EXPECT_NE(find(drawn.scene, "other.caption")->text.find("H200"), std::string::npos);
  EXPECT_NE(drawn.scene.transcript.find("sequential (24 µs) < strided index (31 µs)"), std::string::npos)
      << drawn.scene.transcript;
}

TEST_F(GuessBoard, WhoSkippedSeesTheRunsAlone) {
  const ViewContext context{{800, 500}, english, cairo_text_measure()};
  OrderBoard board = order(true);
  board.mine.clear();
  const DrawnOrder drawn = order_board(context, board);
  EXPECT_TRUE(drawn.places.empty());
  EXPECT_EQ(find(drawn.scene, "mine.caption"), nullptr);
  EXPECT_NE(find(drawn.scene, "right.3.bar"), nullptr);
  EXPECT_TRUE(drawn.scene.answer.empty());
}

TEST_F(GuessBoard, AHandFindsCardsAndPlaces) {
  const ViewContext context{{800, 500}, english, cairo_text_measure()};
  const DrawnOrder drawn = order_board(context, order(false));
  const auto middle = [](const Rect& r) { return Point{r.x + r.width / 2, r.y + r.height / 2}; };
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(drawn.card_at(middle(drawn.cards[i])), i);
  EXPECT_GT(drawn.cards[0].x, drawn.places[0].right()) << "what is not placed lies beside the order";
  EXPECT_LT(drawn.cards[3].x, drawn.places[0].right());
  EXPECT_FALSE(drawn.card_at({1, 1}));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(drawn.place_at(middle(drawn.places[i])), i);
  EXPECT_EQ(drawn.place_at({middle(drawn.places[0]).x, 499}), 3u) << "below the last is the last";
  EXPECT_FALSE(drawn.place_at(middle(drawn.cards[0]))) << "back among the others";
}

// In any size and both languages every text has its room, and what is carried stays on the stage.
TEST_F(GuessBoard, BoardsHaveRoomForTheirTexts) {
  for (const Size size : {Size{420, 230}, Size{640, 260}, Size{800, 560}, Size{1400, 900}})
    for (const Catalogue* text : {&english, &chinese})
      for (const bool told : {false, true}) {
        const ViewContext context{size, *text, cairo_text_measure()};
        OrderBoard board = order(told);
        if (!told) {
          board.marked = 0;
          board.held = 1;
          board.hand = {size.width - 1, size.height - 1};
        }
        const DrawnOrder drawn = order_board(context, board);
        Scene still = drawn.scene;
        // What is under the hand lies over others.
        if (!told)
          still = order_board(context,
                              [&] {
                                board.held.reset();
                                return board;
                              }())
                      .scene;
        for (const std::string& problem : find_layout_problems(still, cairo_text_measure()))
          ADD_FAILURE() << size.width << " x " << size.height << (told ? ", told: " : ": ") << problem;
        if (!told) {
          const Shape* held = find(drawn.scene, "held");
          ASSERT_NE(held, nullptr);
          EXPECT_LE(held->box.right(), size.width + 0.5f);
          EXPECT_LE(held->box.bottom(), size.height + 0.5f);
        }
        for (const Rect& place : drawn.places) EXPECT_LE(place.bottom(), size.height);
      }
}

TEST_F(GuessBoard, PaintedCellsAreMarkedByMoreThanHue) {
  const ViewContext context{{800, 500}, english, cairo_text_measure()};
  PaintBoard board;
  for (std::uint64_t i = 0; i < 8; ++i) board.offered.push_back(4096 + 32 * i);
  board.mine = {4096, 4128};
  const Scene asked = paint_board(context, board);
  EXPECT_EQ(asked.answer, "2");
  EXPECT_EQ(find(asked, "cell.2")->target.sector, 4160u);
  EXPECT_EQ(find(asked, "cell.2")->pattern, Pattern::Solid);
  board.right = {4096, 4160};
  const Scene told = paint_board(context, board);
  EXPECT_EQ(told.answer, "1 / 2");
  EXPECT_EQ(find(told, "cell.2")->pattern, Pattern::Hatched) << "touched, and not painted";
  ASSERT_NE(find(told, "cell.1.frame"), nullptr) << "painted, and not touched";
  EXPECT_TRUE(find(told, "cell.1.frame")->dashed);
  EXPECT_EQ(find(told, "cell.0.frame"), nullptr);
}

PaintBoard painted(PaintBoard::Of of, std::size_t cells, bool told) {
  PaintBoard board;
  board.of = of;
  board.access = "out[i] = in[i + offset];";
  for (std::uint64_t i = 0; i < cells; ++i)
    board.offered.push_back(of == PaintBoard::Of::Sectors ? 4096 + 32 * i : i);
  board.mine = {board.offered[0], board.offered[1]};
  if (!told) return board;
  board.right = {board.offered[0], board.offered[2]};
  if (of == PaintBoard::Of::Lanes) return board;
  board.lanes = {{board.offered[0], 0xffu}, {board.offered[2], 0xffffff00u}};
  return board;
}

// However few rows there are, they are what the stage shows; and every text of it has its room.
TEST_F(GuessBoard, AFewCellsFillTheStage) {
  using Of = PaintBoard::Of;
  const std::pair<Of, std::size_t> boards[] = {{Of::Sectors, 4},   {Of::Sectors, 8}, {Of::Sectors, 32},
                                               {Of::Sectors, 128}, {Of::Banks, 32},  {Of::Lanes, 32}};
  for (const Size size : {Size{420, 230}, Size{640, 520}, Size{840, 520}, Size{1400, 900}})
    for (const Catalogue* text : {&english, &chinese})
      for (const auto& [of, cells] : boards)
        for (const bool told : {false, true}) {
          const ViewContext context{size, *text, cairo_text_measure()};
          const Scene scene = paint_board(context, painted(of, cells, told));
          const std::string what = std::to_string(static_cast<int>(size.width)) + " wide, " +
                                   std::to_string(cells) + (told ? " told" : " asked");
          for (const std::string& problem : find_layout_problems(scene, cairo_text_measure()))
            ADD_FAILURE() << what << ": " << problem;
          const Shape* first = find(scene, "cell.0");
          ASSERT_NE(first, nullptr) << what;
          if (size.height < 300) continue;
          const Shape* last = find(scene, "cell." + std::to_string(cells - 1));
          ASSERT_NE(last, nullptr) << what;
          EXPECT_GT(first->box.height, of == Of::Sectors && cells > 32 ? 20.0f : 40.0f) << what;
          if (cells > 4) {
            EXPECT_GT(last->box.bottom() - first->box.y, 0.2f * size.height) << what;
          }
        }
}

TEST_F(GuessBoard, ARightCellShowsWhomItServes) {
  const ViewContext context{{840, 520}, english, cairo_text_measure()};
  const Scene asked = paint_board(context, painted(PaintBoard::Of::Banks, 32, false));
  EXPECT_EQ(find(asked, "cell.0.lane.0"), nullptr);
  const Scene told = paint_board(context, painted(PaintBoard::Of::Banks, 32, true));
  EXPECT_NE(find(told, "cell.0.lane.0"), nullptr);
  const Shape* more = find(told, "cell.2.more");
  ASSERT_NE(more, nullptr) << "24 lanes have no room in one bank";
  int drawn = 0;
  for (int lane = 0; lane < 32; ++lane)
    drawn += find(told, "cell.2.lane." + std::to_string(lane)) != nullptr ? 1 : 0;
  EXPECT_EQ(more->text, "+" + std::to_string(24 - drawn));
  EXPECT_EQ(find(told, "cell.1.lane.8"), nullptr) << "painted, and serves nobody";
}

// Where a cell is large, so are the lanes in it: read from the last row of a lecture hall.
TEST_F(GuessBoard, LanesAreAsLargeAsTheirCellHasRoomFor) {
  const auto lane = [&](Size size) {
    const ViewContext context{size, english, cairo_text_measure()};
    PaintBoard board = painted(PaintBoard::Of::Sectors, 8, true);
    board.lanes.clear();
    board.lanes[board.offered.front()] = 0x1fu;
    const Scene scene = paint_board(context, board);
    const Shape* cell = find(scene, "cell.0");
    const Shape* first = find(scene, "cell.0.lane.0");
    const Shape* last = find(scene, "cell.0.lane.4");
    EXPECT_TRUE(cell != nullptr && first != nullptr && last != nullptr);
    if (cell == nullptr || first == nullptr || last == nullptr) return Rect{};
    EXPECT_GE(first->box.x, cell->box.x);
    EXPECT_LE(last->box.right(), cell->box.right());
    EXPECT_LE(last->box.bottom(), cell->box.bottom());
    return first->box;
  };
  const Rect small = lane({420, 220}), large = lane({1500, 850});
  EXPECT_GT(large.height, 1.5f * small.height);
  EXPECT_GE(small.height, 15);
}

// A point of the axes means a value of the slider and a height, and the other way round.
TEST_F(GuessBoard, ACurveIsDrawnWhereTheHandIs) {
  const ViewContext context{{800, 500}, english, cairo_text_measure()};
  CurveBoard board;
  board.values = {1, 2, 4, 8, 16};
  board.y_max = 40;
  board.log_x = true;
  const DrawnCurve drawn = curve_board(context, board);
  const Rect& r = drawn.inner;
  EXPECT_EQ(curve_point(board, r, {r.x, r.bottom()}), (std::pair<double, double>{1, 0}));
  EXPECT_EQ(curve_point(board, r, {r.x + r.width / 2, r.y}), (std::pair<double, double>{4, 40}));
  EXPECT_EQ(curve_point(board, r, {r.right() + 50, r.y - 50}), (std::pair<double, double>{16, 40}));
  EXPECT_GT(roomy_axis(32), 32 * 1.2) << "an axis that ended at the highest point would give it away";
}

}  // namespace
}  // namespace warplens::visual
