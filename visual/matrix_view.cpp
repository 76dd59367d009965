// Which elements of the matrices does a block touch, and how often? Global arrays in two dimensions. What the
// block needs altogether is tinted, the stronger the more often; what it needs in this phase (from barrier to
// barrier) is its tile; of that this warp's part, and of that the lanes of the access at the cursor. Lanes
// that the guard keeps out stand where they would have read: beyond the edge.
//
// Three matrices that form a product stand as in a textbook: A left of C, B above it, at one scale, so that
// the band of rows, the band of columns and the tile meet. Others stand beside each other.
//
// Beside them, or below, where a pane has room: the part that the access is in, element by element
// (matrix_close_up.h). Small panes lose, in this order: that, the sentence, the legend.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "engine/base/typography.h"
#include "visual/layout.h"
#include "visual/matrix_close_up.h"
#include "visual/matrix_shapes.h"
#include "visual/pick.h"
#include "visual/thread_fit.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

using Place = MatrixPlace;

constexpr float kMatrixName = 20, kBetweenMatrices = 28, kLeastBin = 4;
constexpr float kReadable = 18;             // of an element, so large that its lane can be read
constexpr float kLarge = 240;               // of a matrix that can be read beside its close-up
constexpr float kSpeck = 2, kPlace = 140;   // of an element that says nothing, of a matrix that says where
constexpr std::size_t kMostOfPhase = 4096;  // accesses of a phase that are drawn
constexpr int kHeatShades = 5;

class MatrixView {
 public:
  MatrixView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.trace || input_.trace->size() == 0) return empty("view.empty.headline", "view.empty.advice");
    if (!input_.matrices || input_.matrices->all.empty())
      return empty("view.matrix.none", "view.matrix.none_advice");
    find_cursor();
    Rect rest = header();
    const std::string words = sentence();
    const float height = draft_.sentence_height(words, rest.width, 2);
    if (rest.height - height > 300) draft_.sentence("words", take_bottom(rest, height, 12), words);
    const Rect keys = rest.height > 200 ? take_bottom(rest, 18, 10) : Rect{};
    matrices(rest);
    if (keys.height > 0) legend(keys);
    return draft_.finish(words);
  }

 private:
  const std::vector<MatrixShape>& all() const { return input_.matrices->all; }

  Scene empty(const char* headline, const char* advice) {
    Rect rest = draft_.header({.title = draft_.say("view.matrix.title")});
    draft_.empty(rest, draft_.say(headline), draft_.say(advice));
    return draft_.finish(draft_.say(headline));
  }

  // The access at the cursor, or the nearest before it that touches a matrix; else the first.
  void find_cursor() {
    const auto& accesses = input_.matrices->accesses;
    if (accesses.empty()) return;
    auto at = std::upper_bound(accesses.begin(), accesses.end(), input_.cursor.step,
                               [](std::size_t step, const MatrixAccess& a) { return step < a.step; });
    if (at != accesses.begin()) --at;
    access_ = &*at;
    const auto index = static_cast<std::size_t>(at - accesses.begin());
    for (const MatrixBlock& block : input_.matrices->blocks)
      if (index >= block.first && index < block.last) block_ = &block;
    view_ = input_.trace->access(access_->step);
    if (block_) find_phase();
    find_beyond();
  }

  Place place_of(const MatrixShape& m, std::uint64_t address) const {
    const std::uint64_t e = m.element(address);
    return {static_cast<std::int64_t>(e / m.columns), static_cast<std::int64_t>(e % m.columns)};
  }

  template <typename Use>
  void each_lane(const trace::AccessView& view, const MatrixShape& m, Use use) const {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((view.active >> lane & 1u) == 0) continue;
      const std::uint64_t at = view.addresses[static_cast<std::size_t>(lane)];
      for (int byte = 0; byte < view.bytes; byte += m.element_bytes)
        if (m.holds(at + static_cast<std::uint64_t>(byte)))
          use(lane, place_of(m, at + static_cast<std::uint64_t>(byte)));
    }
  }

  // Everything that the block does to each matrix between the barriers around the cursor.
  void find_phase() {
    tile_.resize(all().size());
    warp_part_.resize(all().size());
    std::size_t looked = 0;
    for (std::size_t i = block_->first; i < block_->last; ++i) {
      const MatrixAccess& a = input_.matrices->accesses[i];
      if (a.phase != access_->phase) continue;
      if (++looked > kMostOfPhase) {
        phase_is_long_ = true;
        return;
      }
      each_lane(input_.trace->access(a.step), all()[a.matrix], [&](int, const Place& p) {
        tile_[a.matrix].insert(p);
        if (a.warp == access_->warp) warp_part_[a.matrix].insert(p);
      });
    }
  }

  // Where the lanes that are not active would have gone: as thread indexes lead to elements in the lanes that
  // are; drawn only outside the matrix.
  void find_beyond() {
    const MatrixShape& m = all()[access_->matrix];
    const Dim3 block = input_.trace->launch.block;
    std::vector<ThreadPlace> known;
    each_lane(view_, m, [&](int lane, const Place& p) {
      known.push_back(
          {unflatten(std::uint64_t{access_->warp} * kWarpSize + static_cast<std::uint64_t>(lane), block),
           p.first, p.second});
    });
    // A warp at the edge alone may not tell; the block's other accesses at the site in this phase do.
    if (block_)
      for (std::size_t i = block_->first; i < block_->last && known.size() < 256; ++i) {
        const MatrixAccess& a = input_.matrices->accesses[i];
        if (a.phase != access_->phase || a.matrix != access_->matrix || a.warp == access_->warp) continue;
        const trace::AccessView other = input_.trace->access(a.step);
        if (other.site != view_.site) continue;
        each_lane(other, m, [&](int lane, const Place& p) {
          known.push_back(
              {unflatten(std::uint64_t{a.warp} * kWarpSize + static_cast<std::uint64_t>(lane), block),
               p.first, p.second});
        });
      }
    const auto fit = fit_threads(known);
    if (!fit) return;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t number =
          std::uint64_t{access_->warp} * kWarpSize + static_cast<std::uint64_t>(lane);
      if ((view_.active >> lane & 1u) != 0 || number >= block.volume()) continue;
      const auto [row, column] = fit->at(unflatten(number, block));
      const bool outside = row < 0 || column < 0 || row >= static_cast<std::int64_t>(m.rows) ||
                           column >= static_cast<std::int64_t>(m.columns);
      if (outside && row >= 0 && column >= 0) beyond_.push_back({lane, {row, column}});
    }
  }

  // How often a touched element is touched.
  double reuse_of(const MatrixShape& m) const {
    std::uint64_t touches = 0, elements = 0;
    for (const std::uint32_t n : m.touches) {
      touches += n;
      elements += n > 0;
    }
    return elements > 0 ? static_cast<double>(touches) / static_cast<double>(elements) : 0;
  }

  Rect header() {
    Heading heading;
    heading.title = draft_.say("view.matrix.title");
    if (access_) {
      const MatrixShape& m = all()[access_->matrix];
      heading.about = draft_.say("view.matrix.about", {{"matrix", m.name},
                                                       {"block", value_of(block_ ? block_->block : 0)},
                                                       {"warp", value_of(access_->warp)},
                                                       {"phase", value_of(access_->phase + 1)},
                                                       {"phases", value_of(block_ ? block_->phases : 1)}});
      if (!m.touches.empty()) {
        heading.answer =
            draft_.say("view.matrix.answer", {{"times", plain_number(std::round(reuse_of(m) * 10) / 10)}});
        heading.sub = draft_.say("view.matrix.sub", {{"matrix", m.name}});
        heading.evidence = counted(Known::AsWritten);  // what threads access, whatever ptxas joins
      }
    }
    return draft_.header(heading);
  }

  static std::string range_text(std::int64_t low, std::int64_t high) {
    return low == high ? std::to_string(low) : fmt::format("{}–{}", low, high);
  }

  // "row 3", "rows 3–5"
  std::string counted_text(const std::string& what, std::int64_t low, std::int64_t high) const {
    return draft_.say("view.matrix." + what + (low == high ? ".one" : ".many"),
                      {{"n", range_text(low, high)}});
  }

  std::string sentence() const {
    if (!access_) return draft_.say("view.matrix.untouched");
    const MatrixShape& m = all()[access_->matrix];
    std::set<Place> here;
    each_lane(view_, m, [&](int, const Place& p) { here.insert(p); });
    if (here.empty()) return {};
    std::int64_t low_row = here.begin()->first, high_row = low_row, low = here.begin()->second, high = low;
    for (const auto& [row, column] : here) {
      low_row = std::min(low_row, row), high_row = std::max(high_row, row);
      low = std::min(low, column), high = std::max(high, column);
    }
    const char* verb = view_.kind == trace::SiteKind::Store ? "view.matrix.writes" : "view.matrix.reads";
    std::string out = draft_.say(verb, {{"warp", value_of(access_->warp)},
                                        {"n", value_of(here.size())},
                                        {"matrix", m.name},
                                        {"rows", counted_text("row", low_row, high_row)},
                                        {"columns", counted_text("column", low, high)}});
    if (!beyond_.empty())
      append_sentence(
          out, draft_.say("view.matrix.beyond", {{"n", value_of(beyond_.size())}, {"matrix", m.name}}));
    if (m.guessed) append_sentence(out, draft_.say("view.matrix.guessed", {{"matrix", m.name}}));
    if (input_.matrices->partial || phase_is_long_) append_sentence(out, draft_.say("view.matrix.partial"));
    return out;
  }

  void legend(Rect r) {
    const auto entry = [&](const char* id, Ink fill, Ink stroke, bool dashed, const std::string& words,
                           Pattern pattern = Pattern::Solid) {
      const float wide = draft_.width(words, kTiny) + 24;
      if (wide > r.width) return;
      Rect cell = take_left(r, wide, 18);
      const Rect key{cell.x, cell.y + 4, 11, 11};
      Shape& s = draft_.box(std::string("legend.") + id, key, fill, 2);
      s.stroke = stroke;
      s.stroke_width = stroke.role == Role::None ? 0.0f : 1.0f;
      s.dashed = dashed;
      s.pattern = pattern;
      draft_.text(std::string("legend.") + id + ".words", {cell.x + 17, cell.y, cell.width - 17, 18}, words,
                  dim(kTiny));
    };
    entry("lanes", Ink::of_lane(20), {}, false, draft_.say("view.matrix.key_lanes"));
    entry("warp", Ink::of(Role::Accent, 0.9f), {}, false, draft_.say("view.matrix.key_warp"));
    entry("tile", Ink::of(Role::Accent, 0.5f), {}, false, draft_.say("view.matrix.key_tile"));
    entry("block", Ink::of(Role::Good, 0.3f), {}, false,
          most() > 1 ? draft_.say("view.matrix.key_block", {{"n", value_of(most())}})
                     : draft_.say("view.matrix.key_block_once"));
    if (!beyond_.empty())
      entry("beyond", {}, Ink::of(Role::Warn), true, draft_.say("view.matrix.key_beyond"));
    if (shows_unused_)
      entry("unused", Ink::of(Role::Warn, 0.8f), {}, false, draft_.say("view.matrix.key_unused"),
            Pattern::Hatched);
  }

  std::uint32_t most() const {
    std::uint32_t out = 0;
    for (const MatrixShape& m : all()) out = std::max(out, m.most);
    return out;
  }

  // Columns and rows that are drawn: the matrix and what lies beyond its edge.
  std::pair<float, float> extents(std::size_t i) const {
    const MatrixShape& m = all()[i];
    std::int64_t columns = static_cast<std::int64_t>(m.columns), rows = static_cast<std::int64_t>(m.rows);
    if (access_ && access_->matrix == i)
      for (const auto& [lane, p] : beyond_) {
        rows = std::max(rows, p.first + 1);
        columns = std::max(columns, p.second + 1);
      }
    return {static_cast<float>(columns), static_cast<float>(rows)};
  }

  // A, B and C of a product: A has as many columns as B rows.
  bool is_product() const {
    if (all().size() != 3) return false;
    const auto &a = all()[0], &b = all()[1], &c = all()[2];
    return a.columns == b.rows && a.rows == c.rows && b.columns == c.columns;
  }

  struct Arrangement {
    float scale = 0;
    Size size;
    std::vector<std::pair<std::size_t, Rect>> at;  // relative to its top left
  };

  // In one row or one column, whichever leaves them larger; those of a product have their places.
  Arrangement arrange(float width, float height) const {
    if (is_product() && height > 160) return as_product(width, height);
    const Arrangement row = in_line(width, height, true), column = in_line(width, height, false);
    return column.scale > row.scale ? column : row;
  }

  Arrangement in_line(float width, float height, bool across) const {
    const std::size_t count = std::min<std::size_t>(all().size(), 4);
    float columns = 0, rows = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto [c, n] = extents(i);
      columns = across ? columns + c : std::max(columns, c);
      rows = across ? std::max(rows, n) : rows + n;
    }
    const float between = static_cast<float>(count - 1);
    const float gaps_x = across ? kBetweenMatrices * between : 0,
                gaps_y = across ? 0 : (kMatrixName + 8) * between;
    Arrangement out;
    out.scale = std::max(0.0f, std::min((width - gaps_x) / columns, (height - kMatrixName - gaps_y) / rows));
    float x = 0, y = kMatrixName;
    for (std::size_t i = 0; i < count; ++i) {
      const auto [c, n] = extents(i);
      out.at.push_back({i, {x, y, c * out.scale, n * out.scale}});
      if (across)
        x += c * out.scale + kBetweenMatrices;
      else
        y += n * out.scale + kMatrixName + 8;
    }
    out.size = {columns * out.scale + gaps_x, rows * out.scale + kMatrixName + gaps_y};
    return out;
  }

  Arrangement as_product(float width, float height) const {
    const auto [a_columns, a_rows] = extents(0);
    const auto [b_columns, b_rows] = extents(1);
    const auto [c_columns, c_rows] = extents(2);
    const float right = std::max(b_columns, c_columns), lower = std::max(a_rows, c_rows);
    Arrangement out;
    out.scale = std::max(0.0f, std::min((width - kBetweenMatrices) / (a_columns + right),
                                        (height - 2 * kMatrixName - 8) / (b_rows + lower)));
    const float x = a_columns * out.scale + kBetweenMatrices,
                y = kMatrixName + b_rows * out.scale + kMatrixName + 8;
    out.at = {{1, {x, kMatrixName, b_columns * out.scale, b_rows * out.scale}},
              {0, {0, y, a_columns * out.scale, a_rows * out.scale}},
              {2, {x, y, c_columns * out.scale, c_rows * out.scale}}};
    out.size = {x + right * out.scale, y + lower * out.scale};
    return out;
  }

  // The close-up takes what the matrices leave, or a third of the pane where that costs them little.
  void matrices(const Rect& r) {
    Arrangement chosen = arrange(r.width, r.height);
    Rect close{};
    if (access_ && block_ && chosen.scale < kReadable) {
      const auto beside = [&](const Arrangement& a) {
        return Rect{r.x + a.size.width + 32, r.y, r.width - a.size.width - 32, r.height};
      };
      const auto below = [&](const Arrangement& a) {
        return Rect{r.x, r.y + a.size.height + 20, r.width, r.height - a.size.height - 20};
      };
      // Of elements that are specks at any size a close-up says more than a larger matrix.
      const bool specks = chosen.scale < kSpeck;
      const Arrangement narrower = arrange(r.width * (specks ? 0.52f : 0.62f), r.height),
                        lower = arrange(r.width, r.height * 0.62f);
      const auto fits = [](const Rect& room) { return room.width >= 300 && room.height >= 200; };
      // Where a matrix is large on the screen still, its elements say more than its size.
      const auto costs_little = [&](const Arrangement& a) {
        const bool large = std::ranges::all_of(
            a.at, [](const auto& one) { return std::min(one.second.width, one.second.height) >= kLarge; });
        const bool places = specks && std::ranges::all_of(a.at, [](const auto& one) {
                              return std::min(one.second.width, one.second.height) >= kPlace;
                            });
        return large || places || a.scale >= 0.8f * chosen.scale;
      };
      if (fits(beside(chosen))) {
        close = beside(chosen);
      } else if (fits(below(chosen))) {
        close = below(chosen);
      } else if (costs_little(narrower) && fits(beside(narrower))) {
        close = beside(narrower);
        chosen = narrower;
      } else if (costs_little(lower) && fits(below(lower))) {
        close = below(lower);
        chosen = lower;
      }
    }
    if (chosen.scale <= 0) return;
    for (const auto& [i, box] : chosen.at)
      matrix(i, {r.x + box.x, r.y + box.y, box.width, box.height}, chosen.scale);
    if (close.width > 0) close_up(close);
  }

  void close_up(const Rect& r) {
    CloseUp of{all()[access_->matrix],      view_,  access_->step,
               focused_lanes(input_),       {},     tile_[access_->matrix],
               warp_part_[access_->matrix], beyond_};
    each_lane(view_, of.matrix, [&](int lane, const Place& p) { of.lanes[p] |= LaneMask{1} << lane; });
    shows_unused_ = fetches_unused(of);
    draw_close_up(draft_, r, of);
  }

  void matrix(std::size_t i, const Rect& r, float scale) {
    const MatrixShape& m = all()[i];
    const std::string id = "matrix." + m.name;
    const Rect inside{r.x, r.y, static_cast<float>(m.columns) * scale, static_cast<float>(m.rows) * scale};
    draft_.box(id, inside, Ink::of(Role::Panel));
    heat(i, inside, scale);
    if (i < tile_.size()) {
      cells(id + ".tile", tile_[i], inside, scale, Ink::of(Role::Accent, 0.45f));
      cells(id + ".warp", warp_part_[i], inside, scale, Ink::of(Role::Accent, 0.85f));
    }
    draft_.frame(id + ".edge", inside, Ink::of(Role::Line), 1);
    if (access_ && access_->matrix == i) lanes(m, inside, scale);
    const std::string name =
        draft_.say(m.guessed ? "view.matrix.name_guessed" : "view.matrix.name",
                   {{"name", m.name}, {"rows", value_of(m.rows)}, {"columns", value_of(m.columns)}});
    draft_.text(id + ".name",
                {r.x, r.y - kMatrixName,
                 std::min(r.width + kBetweenMatrices - 6, draft_.context().size.width - kMargin - r.x), 18},
                name, {kSmall, Face::SansBold, Ink::of(Role::Text), Align::Left});
  }

  // Elements that a box stands for, so that a box can be seen.
  static std::int64_t bin_of(float scale) {
    return std::max<std::int64_t>(1,
                                  static_cast<std::int64_t>(std::ceil(kLeastBin / std::max(scale, 1e-3f))));
  }

  // Boxes of one shade in a row become one.
  template <typename Shade>
  void runs(const std::string& id, const MatrixShape& m, const Rect& r, float scale, std::int64_t bin,
            Shade shade, Ink (*ink)(int)) {
    const auto rows = (static_cast<std::int64_t>(m.rows) + bin - 1) / bin,
               columns = (static_cast<std::int64_t>(m.columns) + bin - 1) / bin;
    const float side = static_cast<float>(bin) * scale;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns;) {
        const int level = shade(row, column);
        std::int64_t end = column + 1;
        while (end < columns && shade(row, end) == level) ++end;
        if (level > 0) {
          const float x = r.x + static_cast<float>(column) * side, y = r.y + static_cast<float>(row) * side;
          draft_.box(fmt::format("{}.{}.{}", id, row, column),
                     {x, y, std::min(static_cast<float>(end - column) * side, r.right() - x),
                      std::min(side, r.bottom() - y)},
                     ink(level));
        }
        column = end;
      }
  }

  static Ink heat_ink(int level) {
    return Ink::of(Role::Good, 0.10f + 0.30f * static_cast<float>(level) / kHeatShades);
  }

  void heat(std::size_t i, const Rect& r, float scale) {
    const MatrixShape& m = all()[i];
    const std::uint32_t top = most();
    if (m.touches.empty() || top == 0) return;
    const std::int64_t bin = bin_of(scale);
    runs(
        "heat." + m.name, m, r, scale, bin,
        [&](std::int64_t row, std::int64_t column) {
          std::uint32_t n = 0;
          const auto last_row = std::min<std::int64_t>((row + 1) * bin, static_cast<std::int64_t>(m.rows));
          const auto last = std::min<std::int64_t>((column + 1) * bin, static_cast<std::int64_t>(m.columns));
          for (std::int64_t y = row * bin; y < last_row; ++y)
            for (std::int64_t x = column * bin; x < last; ++x)
              n = std::max(n,
                           m.touches[static_cast<std::size_t>(y) * m.columns + static_cast<std::size_t>(x)]);
          return n == 0 ? 0 : 1 + static_cast<int>((kHeatShades - 1) * static_cast<double>(n) / top);
        },
        heat_ink);
  }

  // Elements in ascending rows: neighbours in a row become one box.
  void cells(const std::string& id, const std::set<Place>& places, const Rect& r, float scale, Ink ink) {
    for (auto it = places.begin(); it != places.end();) {
      const Place first = *it;
      std::int64_t end = first.second + 1;
      for (++it; it != places.end() && it->first == first.first && it->second == end; ++it) ++end;
      draft_.box(
          fmt::format("{}.{}.{}", id, first.first, first.second),
          {r.x + static_cast<float>(first.second) * scale, r.y + static_cast<float>(first.first) * scale,
           static_cast<float>(end - first.second) * scale, scale},
          ink);
    }
  }

  // A lane's element at least large enough to be seen.
  Rect cell(const Place& p, const Rect& r, float scale) const {
    const float side = std::max(scale, 3.0f), shift = (side - scale) / 2;
    return {r.x + static_cast<float>(p.second) * scale - shift,
            r.y + static_cast<float>(p.first) * scale - shift, side, side};
  }

  void lanes(const MatrixShape& m, const Rect& r, float scale) {
    std::set<Place> numbered;
    each_lane(view_, m, [&](int lane, const Place& p) {
      const Rect box = cell(p, r, scale);
      Shape& s = draft_.box(fmt::format("lane.{}.{}.{}", lane, p.first, p.second), box, Ink::of_lane(lane),
                            std::min(2.0f, box.width / 6));
      s.target.lane = lane;
      s.target.warp = access_->warp;
      s.target.step = access_->step;
      s.tooltip =
          lane_tooltip(draft_, view_.kind, lane, fmt::format("{}[{}][{}]", m.name, p.first, p.second));
      if (focused_lanes(input_) >> lane & 1u) {
        s.stroke = Ink::of(Role::Text);
        s.stroke_width = 2;
      }
      if (box.width < 13 || !numbered.insert(p).second) return;
      draft_.text(fmt::format("lane.{}.{}.{}.n", lane, p.first, p.second), box, std::to_string(lane),
                  {kTiny, Face::Mono, {Role::OnLane, 1, static_cast<std::uint8_t>(lane)}, Align::Centre});
    });
    for (const auto& [lane, p] : beyond_) {
      const Rect box = cell(p, r, scale);
      Shape& s = draft_.frame(fmt::format("beyond.{}", lane), box, Ink::of(Role::Warn), 1, 1);
      s.dashed = true;
      s.target.lane = lane;
      s.target.warp = access_->warp;
      s.tooltip = draft_.say(
          "view.matrix.lane_beyond",
          {{"lane", value_of(lane)}, {"place", fmt::format("{}[{}][{}]", m.name, p.first, p.second)}});
    }
  }

  Draft draft_;
  const ViewInput& input_;
  const MatrixAccess* access_ = nullptr;
  const MatrixBlock* block_ = nullptr;
  trace::AccessView view_;
  std::vector<std::set<Place>> tile_, warp_part_;  // of each matrix, in this phase
  std::vector<std::pair<int, Place>> beyond_;      // lane and where it would have gone
  bool phase_is_long_ = false, shows_unused_ = false;
};

}  // namespace

Scene matrix_view(const ViewContext& context, const ViewInput& input) {
  return MatrixView(context, input).run();
}

bool matrix_applies(const ViewInput& input) {
  return input.matrices && !input.matrices->all.empty() && !input.matrices->accesses.empty();
}

}  // namespace warplens::visual
