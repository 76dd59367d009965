// Cards to be put in order, and beside them the order that the runs gave.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visual/guess_board.h"
#include "visual/layout.h"

namespace warplens::visual {
namespace {

class OrderLayout {
 public:
  OrderLayout(const ViewContext& context, const OrderBoard& board) : draft_(context), board_(board) {}

  DrawnOrder run() {
    Rect rest = draft_.header(heading());
    rest = inset(rest, std::max(0.0f, (rest.width - kWidest) / 2), 0);
    const auto rows = static_cast<float>(std::max<std::size_t>(board_.cards.size(), 1));
    const float head = kTextRow + kUnit;
    row_ = std::clamp((rest.height - head) / rows, kLowest, kHighest);
    // What is left on a large stage lies around the board, most of it below.
    rest = inset(rest, 0, std::max(0.0f, (rest.height - head - rows * row_) * 0.35f));
    size_ = row_ >= 1.25f * kTwoLines * kLarge / kBody ? kLarge
            : row_ >= kTwoLines + kUnit                ? kHeading
                                                       : kBody;
    line_ = std::round(size_ * kTextRow / kBody);
    out_.cards.assign(board_.cards.size(), {});
    // Who did not guess sees the runs alone.
    if (!told() || !board_.mine.empty()) {
      const float gap = told() ? std::clamp(rest.width * 0.12f, 40.0f, 120.0f) : 3 * kUnit;
      Rect left = take_left(rest, told() ? rest.width * 0.36f : (rest.width - gap) / 2, gap);
      draft_.text("mine.caption", take_top(left, kTextRow, kUnit),
                  draft_.say(board_.in_time ? "board.order.mine_time" : "board.order.mine"), dim());
      for (std::size_t i = 0; i < board_.cards.size(); ++i) place(i, row_of(left, i));
    }
    draft_.text("other.caption", take_top(rest, kTextRow, kUnit), other_caption(), dim());
    if (told())
      outcome(rest);
    else
      tray(rest);
    if (board_.held && *board_.held < board_.cards.size()) carried();
    out_.scene = draft_.finish(transcript());
    return std::move(out_);
  }

 private:
  static constexpr float kWidest = 1300, kLowest = 26, kHighest = 132, kRowGap = 8, kRank = 26, kSign = 26,
                         kTwoLines = 50;

  bool told() const { return !board_.right.empty(); }
  bool is_mine(std::size_t card) const {
    return std::find(board_.mine.begin(), board_.mine.end(), card) != board_.mine.end();
  }
  // Of my order, from above: whether the run has the same card there.
  bool agrees(std::size_t at) const {
    return at < board_.mine.size() && at < board_.right.size() && board_.mine[at] == board_.right[at];
  }
  std::size_t agreeing() const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < board_.mine.size(); ++i) out += agrees(i) ? 1 : 0;
    return out;
  }

  Heading heading() const {
    Heading out;
    out.title = draft_.say(told() ? "board.order.told" : "board.order.title");
    const std::size_t all = board_.cards.size();
    out.answer = fmt::format("{} / {}", told() ? agreeing() : board_.mine.size(), all);
    out.sub = draft_.say(told() ? "board.order.in_place" : "board.order.placed");
    out.worse = told() && agreeing() != all;
    // Nothing was guessed: nothing is counted of it.
    if (told() && board_.mine.empty()) out.answer = out.sub = {};
    return out;
  }

  std::string other_caption() const {
    if (!told()) return draft_.say("board.order.tray");
    if (!board_.in_time) return draft_.say("board.order.counted");
    return board_.measured_note.empty() ? draft_.say("board.order.measured")
                                        : draft_.say("board.order.measured") + " · " + board_.measured_note;
  }

  Rect row_of(const Rect& column, std::size_t i) const {
    return {column.x, column.y + row_ * static_cast<float>(i), column.width, row_ - kRowGap};
  }

  // A place of my order, with what stands there.
  void place(std::size_t at, Rect r) {
    draft_.text(fmt::format("rank.{}", at), {r.x, r.y + (r.height - kTextRow) / 2, kRank, kTextRow},
                fmt::format("{}.", at + 1), dim());
    take_left(r, kRank);
    out_.places.push_back(r);
    if (at >= board_.mine.size()) {
      draft_.frame(fmt::format("place.{}", at), r, Ink::of(Role::Line), 1.5f, 6).dashed = true;
      return;
    }
    const std::size_t index = board_.mine[at];
    if (index >= board_.cards.size()) return;
    card(index, r);
    if (told()) verdict(at, r);
  }

  // Cards that are not in the order, where they were offered.
  void tray(const Rect& column) {
    for (std::size_t i = 0; i < board_.cards.size(); ++i)
      if (!is_mine(i)) card(i, row_of(column, i));
  }

  void card(std::size_t index, const Rect& r) {
    out_.cards[index] = r;
    const bool away = board_.held == index;
    Shape& box = draft_.box(fmt::format("card.{}", index), r, Ink::of(Role::Raised, away ? 0.35f : 1.0f), 6);
    if (!told()) box.tooltip = board_.cards[index].name + "\n" + draft_.say("board.order.card");
    if (away) return;
    if (board_.marked == index) draft_.frame("marked", r, Ink::of(Role::Accent), 2.5f, 6);
    face(index, r, Role::Text);
  }

  // The name, and the digit that puts it in place.
  void face(std::size_t index, Rect r, Role role) {
    r = inset(r, 12, 2);
    const Rect sign = take_right(r, kSign);
    if (!told())
      draft_.text(fmt::format("card.{}.key", index),
                  {sign.x, sign.y + (sign.height - 18) / 2, sign.width, 18}, std::to_string(index + 1),
                  {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Right});
    const auto lines =
        draft_.wrap(board_.cards[index].name, r.width, size_, Face::Sans, r.height >= 2 * line_ ? 2 : 1);
    float y = r.y + (r.height - line_ * static_cast<float>(lines.size())) / 2;
    for (std::size_t i = 0; i < lines.size(); ++i, y += line_)
      draft_.text(fmt::format("card.{}.{}", index, i), {r.x, y, r.width, line_}, lines[i],
                  {size_, Face::Sans, Ink::of(role), Align::Left});
  }

  // Never by hue alone: a frame with a tick, or a dashed one with a cross.
  void verdict(std::size_t at, const Rect& r) {
    const bool right = agrees(at);
    const Ink ink = Ink::of(right ? Role::Good : Role::Bad);
    draft_.frame(fmt::format("place.{}.frame", at), r, ink, 1.5f, 6).dashed = !right;
    const Point c{r.right() - 20, r.y + r.height / 2};
    constexpr float d = 5;
    const std::string id = fmt::format("place.{}.sign", at);
    if (right) {
      draft_.line(id, {{c.x - d, c.y}, {c.x - 1, c.y + d - 1}, {c.x + d, c.y - d}}, ink, 2);
    } else {
      draft_.line(id + "1", {{c.x - d, c.y - d}, {c.x + d, c.y + d}}, ink, 2);
      draft_.line(id + "2", {{c.x - d, c.y + d}, {c.x + d, c.y - d}}, ink, 2);
    }
  }

  // The order of the runs: a bar each, and a line from where I had put it.
  void outcome(const Rect& column) {
    double most = 0;
    float value = 0;
    for (const OrderBoard::Card& one : board_.cards) {
      most = std::max(most, one.value);
      value = std::max(value, draft_.width(one.shown, size_, Face::MonoBold) + kUnit);
    }
    for (std::size_t at = 0; at < board_.right.size(); ++at) {
      const std::size_t index = board_.right[at];
      if (index >= board_.cards.size()) continue;
      const OrderBoard::Card& one = board_.cards[index];
      const Rect row = row_of(column, at);
      connect(index, at, row);
      Rect r = row;
      draft_.text(fmt::format("right.{}.rank", at), {r.x, r.y + (r.height - kTextRow) / 2, kRank, kTextRow},
                  fmt::format("{}.", at + 1), dim());
      take_left(r, kRank);
      // Over its bar, or in front of it where rows are low.
      const bool over = row_ >= kTwoLines;
      const Rect name = over ? take_top(r, line_) : take_left(r, r.width * 0.45f, kUnit);
      draft_.text(fmt::format("right.{}.name", at),
                  {name.x, name.y + (name.height - line_) / 2, name.width, line_}, one.name,
                  {size_, Face::Sans, Ink::of(Role::Text), Align::Left});
      const float room = std::max(8.0f, r.width - value);
      const float length = most > 0 ? room * static_cast<float>(std::max(0.0, one.value) / most) : 0;
      const float thick = std::min(0.25f * row_, r.height);
      // Near its name, where there is room to spare.
      const float high = over ? std::min(r.height, 2 * thick) : r.height;
      const Rect bar{r.x, r.y + (high - thick) / 2, std::max(2.0f, length), thick};
      draft_
          .box(fmt::format("right.{}.bar", at), bar, Ink::of(board_.in_time ? Role::Warn : Role::Good, 0.85f),
               2)
          .tooltip = one.name + "\n" + one.shown;
      draft_.text(fmt::format("right.{}.value", at),
                  {bar.right() + 6, bar.y + (bar.height - line_) / 2, value, line_}, one.shown,
                  {size_, Face::MonoBold, Ink::of(Role::Text), Align::Left});
    }
  }

  void connect(std::size_t card, std::size_t at, const Rect& row) {
    const auto found = std::find(board_.mine.begin(), board_.mine.end(), card);
    if (found == board_.mine.end()) return;
    const auto from = static_cast<std::size_t>(found - board_.mine.begin());
    if (from >= out_.places.size()) return;
    const Rect& mine = out_.places[from];
    const bool same = from == at;
    Shape& line =
        draft_.line(fmt::format("path.{}", card),
                    {{mine.right() + 4, mine.y + mine.height / 2}, {row.x - 6, row.y + row.height / 2}},
                    Ink::of(same ? Role::Good : Role::Bad, 0.8f), 2);
    line.dashed = !same;
  }

  void carried() {
    const std::size_t index = *board_.held;
    Rect r = out_.cards[index];
    r.x = board_.hand.x - r.width / 2;
    r.y = board_.hand.y - r.height / 2;
    const Size size = draft_.context().size;
    r.x = std::clamp(r.x, 0.0f, std::max(0.0f, size.width - r.width));
    r.y = std::clamp(r.y, 0.0f, std::max(0.0f, size.height - r.height));
    draft_.box("held", r, Ink::of(Role::Raised), 6);
    draft_.frame("held.frame", r, Ink::of(Role::Accent), 2, 6);
    face(index, r, Role::Text);
  }

  std::string names(const std::vector<std::size_t>& order, bool values) const {
    std::string out;
    for (const std::size_t index : order) {
      if (index >= board_.cards.size()) continue;
      out += (out.empty() ? "" : " < ") + board_.cards[index].name;
      if (values) out += " (" + board_.cards[index].shown + ")";
    }
    return out;
  }

  std::string transcript() const {
    if (!told())
      return draft_.say("board.order.transcript",
                        {{"placed", value_of(board_.mine.size())}, {"all", value_of(board_.cards.size())}});
    return draft_.say(
        board_.mine.empty() ? "board.order.transcript_runs" : "board.order.transcript_told",
        {{"mine", value_of(names(board_.mine, false))}, {"right", value_of(names(board_.right, true))}});
  }

  Draft draft_;
  const OrderBoard& board_;
  DrawnOrder out_;
  float row_ = kLowest, size_ = kBody, line_ = kTextRow;  // of a card and of its text
};

}  // namespace

DrawnOrder order_board(const ViewContext& context, const OrderBoard& board) {
  return OrderLayout(context, board).run();
}

std::optional<std::size_t> DrawnOrder::card_at(Point at) const {
  for (std::size_t i = 0; i < cards.size(); ++i)
    if (cards[i].contains(at)) return i;
  return std::nullopt;
}

std::optional<std::size_t> DrawnOrder::place_at(Point at) const {
  if (places.empty() || at.x > places.front().right() + 2 * kUnit) return std::nullopt;
  std::size_t nearest = 0;
  const auto far = [&](std::size_t i) { return std::fabs(places[i].y + places[i].height / 2 - at.y); };
  for (std::size_t i = 1; i < places.size(); ++i)
    if (far(i) < far(nearest)) nearest = i;
  return nearest;
}

}  // namespace warplens::visual
