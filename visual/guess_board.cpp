#include "visual/guess_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visual/layout.h"
#include "visual/plot.h"

namespace warplens::visual {
namespace {

enum class Mark { Open, Mine, Hit, Missing, Extra };

constexpr std::size_t kSectorsALine = 4;
constexpr float kTallest = 0.7f;  // of a sector's cell, of its width

Mark mark_of(const PaintBoard& board, std::uint64_t cell) {
  const bool mine = board.mine.contains(cell);
  if (!board.right) return mine ? Mark::Mine : Mark::Open;
  const bool right = board.right->contains(cell);
  return right ? (mine ? Mark::Hit : Mark::Missing) : (mine ? Mark::Extra : Mark::Open);
}

// Never by hue alone: what was right is full, what was missed is hatched, what was too much is a frame with a
// cross.
void draw_cell(Draft& draft, const std::string& id, const Rect& r, Mark mark, const Target& target,
               const std::string& tooltip) {
  Shape& cell =
      draft.box(id, r, Ink::of(mark == Mark::Open || mark == Mark::Extra ? Role::Raised : Role::Good), 4);
  if (mark == Mark::Mine) cell.fill = Ink::of(Role::Accent);
  if (mark == Mark::Missing) cell.pattern = Pattern::Hatched;
  cell.target = target;
  cell.tooltip = tooltip;
  if (mark == Mark::Extra) {
    draft.frame(id + ".frame", r, Ink::of(Role::Bad), 1.5f, 4).dashed = true;
    const float d = std::min(r.width, r.height) * 0.22f;
    const Point c{r.x + r.width / 2, r.y + r.height / 2};
    draft.line(id + ".cross1", {{c.x - d, c.y - d}, {c.x + d, c.y + d}}, Ink::of(Role::Bad), 1.5f);
    draft.line(id + ".cross2", {{c.x - d, c.y + d}, {c.x + d, c.y - d}}, Ink::of(Role::Bad), 1.5f);
  }
}

class PaintLayout {
 public:
  PaintLayout(const ViewContext& context, const PaintBoard& board) : draft_(context), board_(board) {}

  Scene run() {
    static constexpr const char* kKinds[] = {"sectors", "banks", "lanes"};
    kind_ = kKinds[static_cast<int>(board_.of)];
    Rect rest = draft_.header(heading());
    legend(take_bottom(rest, kTextRow, kUnit));
    if (board_.of == PaintBoard::Of::Sectors)
      sectors(rest);
    else
      lanes_or_banks(rest);
    return draft_.finish(transcript());
  }

 private:
  Heading heading() const {
    Heading out;
    out.title = draft_.say(fmt::format("board.{}.title", kind_));
    out.about = board_.access;
    if (!board_.right) {
      out.answer = std::to_string(board_.mine.size());
      out.sub = draft_.say("board.painted");
      return out;
    }
    const std::size_t hit = count(Mark::Hit);
    out.answer = fmt::format("{} / {}", hit, board_.right->size());
    out.sub = draft_.say("board.found");
    out.worse = hit != board_.right->size() || count(Mark::Extra) > 0;
    return out;
  }

  std::size_t count(Mark mark) const {
    return static_cast<std::size_t>(
        std::count_if(board_.offered.begin(), board_.offered.end(),
                      [&](std::uint64_t c) { return mark_of(board_, c) == mark; }));
  }

  void legend(Rect row) {
    const std::vector<std::pair<Mark, const char*>> shown =
        board_.right ? std::vector<std::pair<Mark, const char*>>{{Mark::Hit, "board.hit"},
                                                                 {Mark::Missing, "board.missing"},
                                                                 {Mark::Extra, "board.extra"}}
                     : std::vector<std::pair<Mark, const char*>>{{Mark::Mine, "board.mine"}};
    for (const auto& [mark, key] : shown) {
      const std::string text =
          board_.right ? fmt::format("{}: {}", draft_.say(key), count(mark)) : draft_.say(key);
      const float width = draft_.width(text, kSmall) + 6;
      if (row.width < width + 26) return;
      Rect sign = take_left(row, 16, kUnit);
      sign.y += 2;
      sign.height = 16;
      draw_cell(draft_, fmt::format("legend.{}", key), sign, mark, {}, {});
      draft_.text(fmt::format("legend.{}.text", key), take_left(row, width, 2 * kUnit), text, dim());
    }
  }

  // Few rows share the stage: what is left over lies above and below, as little as there can be.
  void sectors(Rect rest) {
    const std::size_t rows = (board_.offered.size() + kSectorsALine - 1) / kSectorsALine;
    const std::size_t columns = rows <= 8 ? 1 : rows <= 16 ? 2 : 4;
    const std::size_t each = std::max<std::size_t>(1, (rows + columns - 1) / columns);
    const float width = std::min(columns == 1 ? std::max(760.0f, rest.width * 0.75f) : 1e9f, rest.width);
    rest.x += (rest.width - width) / 2;
    rest.width = width;
    const float height =
        std::min(std::max(56.0f, width * kTallest / kSectorsALine), rest.height / static_cast<float>(each));
    const float top = middle_of(rest, height * static_cast<float>(each));
    for (std::size_t row = 0; row < rows; ++row) {
      Rect column = cell_of(rest, static_cast<int>(row / each), static_cast<int>(columns), 2 * kUnit);
      Rect line{column.x, top + static_cast<float>(row % each) * height, column.width, height - 6};
      const float label = std::min(96.0f, line.width * 0.25f);
      const std::string row_name =
          row < board_.row_names.size() ? draft_.word(board_.row_names[row]) : fmt::format("+{}", row * 128);
      draft_.text(fmt::format("line.{}", row), take_left(line, label, kUnit), row_name,
                  {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Right});
      for (std::size_t i = 0; i < kSectorsALine && row * kSectorsALine + i < board_.offered.size(); ++i)
        sector(row * kSectorsALine + i, cell_of(line, static_cast<int>(i), kSectorsALine, 4));
    }
  }

  struct Chips {
    float width, height, text;
    int columns, rows;
  };
  static constexpr float kChipInset = 3;
  static Chips chips_for(const Rect& r, int count) {
    Chips out{};
    for (const float text : {kLarge, kHeading, kTiny}) {
      const float of_tiny = text / kTiny;
      out = {24 * of_tiny, 17 * of_tiny, text, 0, 0};
      out.columns = static_cast<int>((r.width - 2 * kChipInset) / out.width);
      out.rows = static_cast<int>((r.height - 2 * kChipInset) / out.height);
      if (out.columns * out.rows >= count) return out;
    }
    return out;
  }

  static float middle_of(const Rect& rest, float used) {
    return rest.y + std::max(0.0f, (rest.height - used) * 0.4f);
  }

  // Once told: the lanes that a cell served, in their colours, as large as all of them have room; where there
  // is none for all, as many as there is, and how many more.
  void lanes_of(const std::string& id, std::uint64_t cell, const Rect& r) {
    const auto found = board_.lanes.find(cell);
    if (!board_.right || found == board_.lanes.end()) return;
    int left = __builtin_popcount(found->second), place = 0;
    const Chips chips = chips_for(r, left);
    const int columns = chips.columns, room = chips.columns * chips.rows;
    if (room < 1) return;
    const float x = r.x + (r.width - static_cast<float>(std::min(columns, left)) * chips.width) / 2;
    for (int lane = 0; lane < static_cast<int>(kWarpSize); ++lane) {
      if ((found->second >> lane & 1u) == 0) continue;
      const Rect chip{x + static_cast<float>(place % columns) * chips.width,
                      r.y + kChipInset + static_cast<float>(place / columns) * chips.height, chips.width - 2,
                      chips.height - 2};
      if (place + 1 == room && left > 1) {
        draft_.text(id + ".more", chip, fmt::format("+{}", left),
                    {chips.text, Face::SansBold, Ink::of(Role::OnAccent), Align::Centre});
        return;
      }
      draft_.box(fmt::format("{}.lane.{}", id, lane), chip, Ink::of_lane(lane), 3);
      draft_.text(
          fmt::format("{}.name.{}", id, lane), chip, std::to_string(lane),
          {chips.text, Face::Mono, Ink{Role::OnLane, 1, static_cast<std::uint8_t>(lane)}, Align::Centre});
      ++place;
      --left;
    }
  }

  void sector(std::size_t index, const Rect& r) {
    const std::uint64_t address = board_.offered[index];
    Target target;
    target.sector = address;
    const Mark mark = mark_of(board_, address);
    const std::string name = draft_.say("board.sectors.cell", {{"number", value_of(index)}});
    const std::string id = fmt::format("cell.{}", index);
    draw_cell(draft_, id, r, mark, target, name + "\n" + meaning(mark));
    lanes_of(id, address, r);
  }

  void lanes_or_banks(const Rect& rest) {
    const bool banks = board_.of == PaintBoard::Of::Banks;
    // One row where it is wide and low, else two: the cells are what the stage is for.
    const int columns = rest.width >= 900 && rest.height < 260 ? 32 : rest.width >= 420 ? 16 : 8;
    const int rows = 32 / columns;
    // A bank is a column of words; a lane is a square.
    const float cell = rest.width / static_cast<float>(columns);
    const float height =
        std::min(std::max(72.0f, 22 + cell * (banks ? 4.0f : 2.0f)), rest.height / static_cast<float>(rows));
    const float top = middle_of(rest, height * static_cast<float>(rows));
    for (std::size_t i = 0; i < board_.offered.size(); ++i) {
      const int number = static_cast<int>(board_.offered[i]);
      const Rect line{rest.x, top + static_cast<float>(number / columns) * height, rest.width, height - 6};
      Rect r = cell_of(line, number % columns, columns, 4);
      const Rect label = take_top(r, 18, 2);
      draft_.text(fmt::format("name.{}", number), label, std::to_string(number),
                  {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Centre});
      Target target;
      if (banks)
        target.bank = number;
      else
        target.lane = number;
      const Mark mark = mark_of(board_, board_.offered[i]);
      const std::string name =
          draft_.say(fmt::format("board.{}.cell", kind_), {{"number", value_of(number)}});
      const std::string id = fmt::format("cell.{}", number);
      draw_cell(draft_, id, r, mark, target, name + "\n" + meaning(mark));
      lanes_of(id, board_.offered[i], r);
    }
  }

  std::string meaning(Mark mark) const {
    static constexpr const char* kKeys[] = {"board.open", "board.mine", "board.hit", "board.missing",
                                            "board.extra"};
    return draft_.say(mark == Mark::Open && board_.right ? "board.untouched" : kKeys[static_cast<int>(mark)]);
  }

  std::string transcript() const {
    if (!board_.right) return draft_.say("board.transcript", {{"painted", value_of(board_.mine.size())}});
    return draft_.say("board.transcript_told", {{"hit", value_of(count(Mark::Hit))},
                                                {"missing", value_of(count(Mark::Missing))},
                                                {"extra", value_of(count(Mark::Extra))}});
  }

  Draft draft_;
  const PaintBoard& board_;
  std::string kind_;
};

double place_of(const CurveBoard& board, double x) {
  return board.log_x ? std::log2(std::max(x, 1e-9)) : x;
}

// A curve is drawn at the values that the slider takes: where they are few or double from one to the next
// they are the numbers on its axis, as many as there is room for; else powers of two apart.
constexpr std::size_t kFewValues = 12;
std::vector<std::pair<double, std::string>> ticks_of(const Draft& draft, const CurveBoard& board,
                                                     float width) {
  std::vector<std::pair<double, std::string>> out;
  if (board.values.size() < 2) return out;
  if (!board.log_x && board.values.size() > kFewValues) {
    for (const double t : binary_ticks(board.values.front(), board.values.back(),
                                       static_cast<int>(std::clamp(width / 56, 2.0f, 9.0f))))
      out.emplace_back(t, plain_number(t));
    return out;
  }
  const double low = place_of(board, board.values.front()), high = place_of(board, board.values.back());
  float room = 0;
  for (const double value : board.values)
    room = std::max(room, draft.width(plain_number(value), kTiny, Face::Mono) + kUnit);
  double last = -1e9;
  for (const double value : board.values) {
    const double x = width * (place_of(board, value) - low) / (high - low);
    if (x < last + room) continue;
    last = x;
    out.emplace_back(value, plain_number(value));
  }
  return out;
}

std::vector<PlotPoint> points_of(const std::vector<std::pair<double, double>>& list, double factor = 1) {
  std::vector<PlotPoint> out;
  for (const auto& [x, y] : list) out.push_back({x, y * factor});
  return out;
}

double highest_of(const std::vector<std::pair<double, double>>& list) {
  double out = 0;
  for (const auto& [x, y] : list) out = std::max(out, y);
  return out;
}

}  // namespace

Scene paint_board(const ViewContext& context, const PaintBoard& board) {
  return PaintLayout(context, board).run();
}

DrawnCurve curve_board(const ViewContext& context, const CurveBoard& board) {
  Draft draft(context);
  const bool told = !board.counted.empty();
  Heading heading;
  heading.title = draft.say(told ? "board.curve.told" : "board.curve.title");
  heading.about =
      draft.say("board.curve.about", {{"y", value_of(board.y_name)}, {"x", value_of(board.x_name)}});
  if (told && board.asks_time && !board.measured_note.empty()) heading.about += " · " + board.measured_note;
  Rect rest = draft.header(heading);
  Rect legend = take_bottom(rest, kTextRow, kUnit);
  PlotRange range;
  range.x_min = board.values.empty() ? 0 : board.values.front();
  range.x_max = board.values.empty() ? 1 : board.values.back();
  range.y_max = board.y_max;
  range.log_x = board.log_x;
  range.x_ticks = ticks_of(draft, board, rest.width);
  Plot plot(draft, "curve", rest, range, board.x_name, board.y_name);
  // `more` is said as far as there is room, its last first left out; a line is never without its name.
  const auto entry = [&](const char* key, Ink ink, bool dashed, std::vector<std::string> more) {
    const auto written = [&] {
      std::string text = draft.say(key);
      for (const std::string& one : more) text += (one.empty() ? "" : " · ") + one;
      return text;
    };
    while (!more.empty() && legend.width < draft.width(written(), kSmall) + 38) more.pop_back();
    const std::string text = written();
    const float width = draft.width(text, kSmall) + 6;
    const Rect sign = take_left(legend, 24, kUnit);
    Shape& stroke =
        draft.line(fmt::format("legend.{}", key),
                   {{sign.x, sign.y + kTextRow / 2}, {sign.right(), sign.y + kTextRow / 2}}, ink, 2.5f);
    stroke.dashed = dashed;
    draft.text(fmt::format("legend.{}.text", key), take_left(legend, width, 2 * kUnit), text, dim());
  };
  entry("board.curve.mine", Ink::of(Role::Accent), true, {});
  if (board.guess.size() > 1)
    plot.line(points_of(board.guess), Ink::of(Role::Accent), true, draft.say("board.curve.mine"));
  for (const auto& [x, y] : board.guess) plot.dot({x, y}, Ink::of(Role::Accent), 3, {});
  if (told) {
    const char* name = board.asks_time  ? "board.curve.measured"
                       : board.computed ? "board.curve.computed"
                                        : "board.curve.counted";
    const Ink ink = Ink::of(board.asks_time ? Role::Warn : Role::Good);
    entry(name, ink, false, {});
    plot.line(points_of(board.counted), ink, false, draft.say(name));
    for (const auto& [x, y] : board.counted) plot.dot({x, y}, ink, 2.5f, plain_number(y));
  }
  if (board.measured.size() > 1) {
    // Its own scale: only the shapes are compared.
    const double top = highest_of(board.measured), counted = highest_of(board.counted);
    const double factor = top > 0 ? std::max(counted, board.y_max * 0.1) / top : 1;
    entry("board.curve.measured", Ink::of(Role::Warn), false,
          {draft.say("board.curve.scale", {{"most", value_of(plain_number(top))}}), board.measured_note});
    plot.line(points_of(board.measured, factor), Ink::of(Role::Warn), false,
              draft.say("board.curve.measured"));
  }
  DrawnCurve out;
  out.inner = plot.inner();
  out.scene = draft.finish(draft.say(told ? "board.curve.told" : "board.curve.title"));
  return out;
}

std::pair<double, double> curve_point(const CurveBoard& board, const Rect& inner, Point at) {
  if (board.values.empty() || inner.width <= 0 || inner.height <= 0) return {0, 0};
  const double low = place_of(board, board.values.front()), high = place_of(board, board.values.back());
  const double wanted = low + (high - low) * std::clamp((at.x - inner.x) / inner.width, 0.0f, 1.0f);
  const double x = *std::min_element(board.values.begin(), board.values.end(), [&](double a, double b) {
    return std::fabs(place_of(board, a) - wanted) < std::fabs(place_of(board, b) - wanted);
  });
  const double y = board.y_max * std::clamp(1 - (at.y - inner.y) / inner.height, 0.0f, 1.0f);
  return {x, y};
}

double roomy_axis(double highest) {
  if (!(highest > 0)) return 1;
  const double wanted = highest * 1.5, unit = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 4.0, 5.0, 8.0})
    if (factor * unit >= wanted) return factor * unit;
  return 10 * unit;
}

Scene covered_view(const ViewContext& context) {
  Draft draft(context);
  const Rect rest = draft.header({.title = draft.say("board.covered.title")});
  draft.empty(rest, draft.say("board.covered.headline"), draft.say("board.covered.advice"));
  return draft.finish(draft.say("board.covered.headline"));
}

}  // namespace warplens::visual
