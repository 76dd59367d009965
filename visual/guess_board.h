// The boards on which a reader of a lesson predicts in the picture: sectors, banks or lanes to be painted, a
// curve to be drawn, cards to be put in order. Pure, as the views are; once revealed, what the run did lies
// beside the guess.
//
//   const Scene scene = paint_board(context, {.of = PaintBoard::Of::Sectors, .offered = ..., .mine = ...});
//   scene.hit(mouse)->target.sector        // what a click paints
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "visual/view.h"

namespace warplens::visual {

struct PaintBoard {
  enum class Of : std::uint8_t { Sectors, Banks, Lanes } of = Of::Sectors;
  std::vector<std::uint64_t> offered;  // sectors by the address of their first byte, banks, lanes; ascending
  std::set<std::uint64_t> mine;
  std::optional<std::set<std::uint64_t>> right;  // only once it was revealed
  std::map<std::uint64_t, LaneMask> lanes;       // that each right sector or bank served; drawn once revealed
  std::string access;                            // the source line
  std::vector<MessageValue> row_names;           // of each 128-byte line: "in[64]"; may be empty
};
// Cells carry the sector, bank or lane as their target.
Scene paint_board(const ViewContext& context, const PaintBoard& board);

struct CurveBoard {
  std::string x_name, y_name;
  std::vector<std::pair<double, double>> guess;              // ascending x
  std::vector<double> values;                                // of the slider, ascending
  double y_max = 1;                                          // of the axis
  std::vector<std::pair<double, double>> counted, measured;  // empty until it was revealed; measured in µs
  std::string measured_note;                                 // "recorded on NVIDIA H200"
  bool computed = false;   // `counted` is arithmetic over the launch, and says so
  bool asks_time = false;  // what is drawn and `counted` are times
  bool log_x = false;
};
struct DrawnCurve {
  Scene scene;
  Rect inner;  // of the axes: where a hand draws
};
DrawnCurve curve_board(const ViewContext& context, const CurveBoard& board);
// What a hand at this point of `inner` means: a value of the slider and a height.
std::pair<double, double> curve_point(const CurveBoard& board, const Rect& inner, Point at);
// A round number with room above: an axis that ended at the highest point would give it away.
double roomy_axis(double highest);

struct OrderBoard {
  struct Card {
    std::string name;
    double value = 0;   // what it is sorted by
    std::string shown;  // the same as written, with its unit
  };
  std::vector<Card> cards;            // as they are offered; values only once it was revealed
  std::vector<std::size_t> mine;      // indexes of cards, as the reader put them
  std::vector<std::size_t> right;     // ascending by value; empty until it was revealed
  std::optional<std::size_t> marked;  // the card that a clicker puts in place next
  std::optional<std::size_t> held;    // under the hand at `hand`
  Point hand;
  bool in_time = false;       // what it is sorted by is a time
  std::string measured_note;  // "recorded on NVIDIA H200"
};
struct DrawnOrder {
  Scene scene;
  std::vector<Rect> cards;   // where each one lies
  std::vector<Rect> places;  // of the order, from above
  std::optional<std::size_t> card_at(Point at) const;
  // Where a card is let go: a place of the order, the nearest one of that column; none outside of it.
  std::optional<std::size_t> place_at(Point at) const;
};
DrawnOrder order_board(const ViewContext& context, const OrderBoard& board);

// Stands where a view would show the answer, until it was predicted.
Scene covered_view(const ViewContext& context);

}  // namespace warplens::visual
