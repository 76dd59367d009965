// Which lane holds which element of a matrix product's tiles? A stands left of C and B above it, as in a
// textbook; each box is one register of one lane, in that lane's colour. Beside them lies the memory that the
// access at the cursor moves, 128 bytes a row: over each 16 bytes of ldmatrix the lane that names them, in
// them the lanes that hold them. The lane that is pointed at (else one as an example) is followed from memory
// to its place in the tile, and what it holds in all stands below.
//
// Small panes lose, in this order: the sentence, the registers of the lane, memory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/analysis/coalescing.h"
#include "engine/analysis/known_counts.h"
#include "visual/fragment_access.h"
#include "visual/layout.h"
#include "visual/matrix_shapes.h"
#include "visual/pick.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

using analysis::FragmentCell;
using analysis::FragmentRow;
using trace::Fragment;

constexpr float kName = 20, kBetween = 24, kMostSide = 52;
constexpr int kBankRowBytes = 128;
// Parts of the animation: lanes name, memory serves, registers have it.
constexpr float kNamed = 0.3f, kServed = 0.7f;

using Register = FragmentAccess::Register;

class FragmentsView {
 public:
  FragmentsView(const ViewContext& context, const ViewInput& input)
      : draft_(context), input_(input), access_(input) {}

  Scene run() {
    if (!input_.trace || input_.trace->size() == 0) return empty("view.empty.headline", "view.empty.advice");
    if (!access_.found()) return empty("view.fragments.none", "view.fragments.none_advice");
    Rect rest = header();
    const std::string words = access_.sentence(draft_);
    const float height = draft_.sentence_height(words, rest.width, 3);
    if (rest.height - height > 300) draft_.sentence("words", take_bottom(rest, height, 12), words);
    if (rest.height > 320) registers(take_bottom(rest, 66, 14));
    const bool beside = rest.width > 700 && rest.width > rest.height * 1.15f;
    Rect memory_box{};
    if (beside) {
      const Rect left = take_left(rest, placing(rest.width * 0.55f, rest.height).width + 0.5f, 32);
      tiles(left);
      memory_box = rest;
    } else if (rest.height > 300) {
      memory_box = take_bottom(rest, std::min(rest.height * 0.42f, memory_height()), 20);
      tiles(rest);
    } else {
      tiles(rest);
    }
    if (memory_box.width > 0) memory(memory_box);
    paths();
    return draft_.finish(words);
  }

 private:
  Scene empty(const char* headline, const char* advice) {
    Rect rest = draft_.header({.title = draft_.say("view.fragments.title")});
    draft_.empty(rest, draft_.say(headline), draft_.say(advice));
    return draft_.finish(draft_.say(headline));
  }

  bool stores() const { return access_.stores(); }
  float phase() const { return input_.cursor.phase; }
  // How far an element is on its way: a store starts at the registers.
  float at_registers() const { return stores() ? 1.0f : ease_between(phase(), kServed, 1.0f); }
  float at_memory(int lane) const {
    if (phase() >= 1) return 1;
    const auto passes =
        static_cast<float>(access_.banks ? std::max<std::size_t>(1, access_.banks->passes.size()) : 1);
    const auto found = access_.pass_of.find(lane);
    const float pass = found == access_.pass_of.end() ? 0.0f : static_cast<float>(found->second);
    const float from = stores() ? kServed : kNamed, to = stores() ? 1.0f : kServed;
    return ease_between(phase(), from + (to - from) * pass / passes,
                        from + (to - from) * (pass + 1) / passes);
  }
  bool faded(int lane) const { return access_.faded(lane); }

  Rect header() {
    const trace::AccessView& a = access_.move.access;
    Picked picked;
    picked.step = access_.move.step;
    picked.block = input_.trace->block_of(access_.move.step);
    picked.access = picked.written = a;
    if (a.site < input_.trace->sites.size()) picked.site = &input_.trace->sites[a.site];
    Heading heading;
    heading.title = draft_.say("view.fragments.title");
    heading.about = describe_picked(draft_, picked);
    heading.evidence = counted(analysis::known_of(input_.trace->sites, a.site));
    if (access_.banks) {
      const auto& c = access_.banks->counts;
      heading.answer = draft_.say_count("view.bank_view.passes", c.wavefronts);
      heading.worse = c.bank_conflicts > 0;
      heading.sub = heading.worse ? draft_.say("view.bank_view.would_do",
                                               {{"n", group_digits(c.wavefronts - c.bank_conflicts)}})
                                  : draft_.say("view.bank_view.no_conflict");
    } else if (a.space == trace::Space::Global) {
      const auto c = analysis::count_global(a.kind, a.bytes, a.active, a.addresses.data());
      heading.answer = draft_.say_count("view.address_map.sectors", c.sectors);
      heading.worse = c.sectors > c.sectors_ideal;
      heading.sub = draft_.say("view.address_map.would_do", {{"n", group_digits(c.sectors_ideal)}});
    }
    return draft_.header(heading);
  }

  // ---- tiles

  // Elements across and down that all tiles take, and their gaps.
  struct Extent {
    float columns = 0, rows = 0, gap_x = 0, gap_y = 0;
  };
  Extent extent() const {
    const auto& t = access_.move.tiles;
    if (access_.move.product)
      return {static_cast<float>(t[0].columns() + t[1].columns()),
              static_cast<float>(t[1].rows() + t[0].rows()), kBetween, 2 * kName + 12};
    const bool two = t.size() > 1;
    const auto columns = static_cast<float>(t[0].columns()), rows = static_cast<float>(t[0].rows());
    return {two ? 2 * columns : columns, t.size() > 2 ? 2 * rows : rows, two ? kBetween : 0,
            t.size() > 2 ? 2 * kName + 12 : kName};
  }
  // As in a textbook, or in a row where that makes the elements larger.
  struct Placing {
    bool in_row = false;
    float side = 0, width = 0;
  };
  Placing placing(float width, float height) const {
    const Extent e = extent();
    const float side = std::min({(width - e.gap_x) / e.columns, (height - e.gap_y) / e.rows, kMostSide});
    if (access_.move.product) {
      const auto& t = access_.move.tiles;
      const auto columns = static_cast<float>(t[0].columns() + t[1].columns() + t[2].columns());
      const auto rows = static_cast<float>(std::max(t[0].rows(), t[1].rows()));
      const float larger = std::min({(width - 2 * kBetween) / columns, (height - kName) / rows, kMostSide});
      if (larger > 1.15f * side) return {true, larger, columns * larger + 2 * kBetween};
    }
    return {false, side, e.columns * side + e.gap_x};
  }

  void tiles(const Rect& r) {
    const Placing placed = placing(r.width, r.height);
    const float side = placed.side;
    if (side < 2) return;
    const auto& t = access_.move.tiles;
    const auto put = [&](int i, float x, float y) {
      const Fragment& f = t[static_cast<std::size_t>(i)];
      tile(i, {x, y, static_cast<float>(f.columns()) * side, static_cast<float>(f.rows()) * side}, side);
    };
    if (placed.in_row) {
      float x = r.x;
      for (int i = 0; i < 3; ++i) {
        put(i, x, r.y + kName);
        x += static_cast<float>(t[static_cast<std::size_t>(i)].columns()) * side + kBetween;
      }
      const float below = r.y + kName + static_cast<float>(std::max(t[0].rows(), t[1].rows())) * side + 20;
      legend({r.x, below, r.width, r.bottom() - below});
      return;
    }
    if (access_.move.product) {
      const float x = r.x + static_cast<float>(t[0].columns()) * side + kBetween;
      const float y = r.y + kName + static_cast<float>(t[1].rows()) * side + kName + 12;
      put(0, r.x, y);
      put(1, x, r.y + kName);
      put(2, x, y);
      legend({r.x, r.y, x - kBetween - r.x, y - kName - 12 - r.y});
      return;
    }
    for (int i = 0; i < static_cast<int>(t.size()); ++i)
      put(i, r.x + static_cast<float>(i % 2) * (static_cast<float>(t[0].columns()) * side + kBetween),
          r.y + kName + static_cast<float>(i / 2) * (static_cast<float>(t[0].rows()) * side + kName + 12));
  }

  // In the corner that a product leaves free.
  void legend(Rect r) {
    if (r.width < 130 || r.height < 70) return;
    const auto entry = [&](const char* id, bool light, const std::string& words) {
      const auto lines = draft_.wrap(words, r.width - 26, kTiny, Face::Sans, 3);
      if (r.height < static_cast<float>(lines.size()) * 15 + 6) return;
      draft_.box(std::string("legend.") + id, {r.x, r.y + 3, 18, 12},
                 Ink::of_lane(FragmentAccess::kExample, light ? 1.0f : 0.3f), 2);
      int i = 0;
      for (const std::string& line : lines)
        draft_.text(fmt::format("legend.{}.{}", id, i++), take_at(r, 26), line, dim(kTiny));
      take_top(r, 6);
    };
    const std::string opcode = access_.move.product->op.substr(0, access_.move.product->op.find('.'));
    const Fragment& a = access_.move.product->shape.a;
    draft_.text("legend.op", take_top(r, 18, 6), fmt::format("{} m{}n{}k{}", opcode, a.m, a.n, a.k),
                {kSmall, Face::MonoBold, Ink::of(Role::Text), Align::Left});
    entry("moved", true, draft_.say(stores() ? "view.fragments.key_stored" : "view.fragments.key_moved"));
    entry("other", false, draft_.say("view.fragments.key_other"));
  }
  static Rect take_at(Rect& r, float indent) {
    Rect line = take_top(r, 15);
    take_left(line, indent);
    return line;
  }

  void tile(int index, const Rect& r, float side) {
    const Fragment& f = access_.move.tiles[static_cast<std::size_t>(index)];
    const std::string id = fmt::format("tile.{}", index);
    const std::string name =
        draft_.say("view.fragments.name", {{"name", access_.tile_name(draft_, index)},
                                           {"rows", value_of(f.rows())},
                                           {"columns", value_of(f.columns())},
                                           {"type", std::string(trace::name(f.element))}});
    const float room = std::max(r.width, std::min(r.width + kBetween - 4, 120.0f));
    const std::string shown =
        draft_.fits(name, room, kSmall, Face::SansBold) ? name : access_.tile_name(draft_, index);
    draft_.text(id + ".name", {r.x, r.y - kName, room, 18}, shown,
                {kSmall, Face::SansBold, Ink::of(Role::Text), Align::Left});
    draft_.box(id, r, Ink::of(Role::Panel));
    const int per = f.per_register();
    for (int lane = 0; lane < kWarpSize; ++lane)
      for (int reg = 0; reg < f.registers(); ++reg) {
        trace::MatrixPlace low = f.place(lane, reg * per), high = low;
        for (int e = 1; e < per; ++e) {
          const trace::MatrixPlace p = f.place(lane, reg * per + e);
          low = {std::min(low.row, p.row), std::min(low.column, p.column)};
          high = {std::max(high.row, p.row), std::max(high.column, p.column)};
        }
        holder({index, lane, reg},
               {r.x + static_cast<float>(low.column) * side, r.y + static_cast<float>(low.row) * side,
                static_cast<float>(high.column - low.column + 1) * side,
                static_cast<float>(high.row - low.row + 1) * side});
      }
    matrix_edges(index, r, side);
  }

  // One register of one lane.
  void holder(const Register& reg, const Rect& r) {
    const bool moved = access_.moved.contains(reg);
    const float gap = std::min(r.width, r.height) > 7 ? 1.0f : 0.0f;
    const float strong = moved ? 0.3f + 0.7f * at_registers() : 0.3f;
    const float alpha = faded(reg.lane) ? std::min(strong, 0.3f) * 0.6f : strong;
    const Rect box{r.x, r.y, r.width - gap, r.height - gap};
    Shape& s = draft_.box(fmt::format("{}.{}.{}", tile_id(reg.tile), reg.lane, reg.reg), box,
                          Ink::of_lane(reg.lane, alpha), std::min(r.width, r.height) > 12 ? 2.0f : 0.0f);
    s.target = target_of(reg.lane);
    s.tooltip = draft_.say("view.fragments.tip",
                           {{"lane", value_of(reg.lane)},
                            {"register", access_.register_name(reg.tile, reg.reg)},
                            {"elements", access_.elements_text(draft_, reg.tile, reg.lane, reg.reg)}});
    if (reg.lane == access_.lane) {
      s.stroke = Ink::of(Role::Text);
      s.stroke_width = moved ? 2.0f : 1.0f;
    }
    places_[reg] = box;
    const Ink ink = alpha > 0.75f ? Ink{Role::OnLane, 1, static_cast<std::uint8_t>(reg.lane)}
                                  : Ink::of(faded(reg.lane) ? Role::Dim : Role::Text);
    const std::string number = std::to_string(reg.lane);
    const std::string name = access_.register_name(reg.tile, reg.reg);
    const bool two = box.height >= 34 && box.width >= 22;
    if (box.height < 13 || !draft_.fits("28", box.width - 1, kTiny, Face::SansBold)) return;
    const bool both = !two && box.width >= 44 && draft_.fits("28 " + name, box.width - 10, kTiny, Face::Mono);
    Rect at = two ? Rect{box.x, box.y + box.height / 2 - 16, box.width, 17} : box;
    if (both) at = {box.x + 5, box.y, 18, box.height};
    draft_.text(fmt::format("{}.{}.{}.lane", tile_id(reg.tile), reg.lane, reg.reg), at, number,
                {!both && box.width > 30 && at.height >= 17 ? kSmall : kTiny, Face::SansBold, ink,
                 both ? Align::Left : Align::Centre});
    if (!two && !both) return;
    const Rect under = two ? Rect{box.x, at.bottom(), box.width, 15}
                           : Rect{at.right(), box.y, box.right() - at.right() - 4, box.height};
    draft_.text(fmt::format("{}.{}.{}.reg", tile_id(reg.tile), reg.lane, reg.reg), under, name,
                {kTiny, Face::Mono, ink, two ? Align::Centre : Align::Right});
  }

  static std::string tile_id(int tile) { return fmt::format("hold.{}", tile); }

  Target target_of(int lane) const {
    Target t;
    t.block = input_.trace->block_of(access_.move.step);
    t.warp = access_.move.access.warp;
    t.lane = lane;
    return t;
  }

  // Around what each register of ldmatrix fetches: the 8x8 matrices.
  void matrix_edges(int index, const Rect& r, float side) {
    if (!access_.move.rows_named || !access_.move.product) return;
    std::map<int, std::pair<trace::MatrixPlace, trace::MatrixPlace>> edges;  // by register
    for (const FragmentRow& row : access_.move.rows)
      for (const FragmentCell& c : row.cells) {
        if (c.tile != index) continue;
        auto& [low, high] = edges.try_emplace(c.reg, c.place, c.place).first->second;
        low = {std::min(low.row, c.place.row), std::min(low.column, c.place.column)};
        high = {std::max(high.row, c.place.row), std::max(high.column, c.place.column)};
      }
    for (const auto& [reg, edge] : edges)
      draft_.frame(fmt::format("matrix.{}.{}", index, reg),
                   {r.x + static_cast<float>(edge.first.column) * side - 0.5f,
                    r.y + static_cast<float>(edge.first.row) * side - 0.5f,
                    static_cast<float>(edge.second.column - edge.first.column + 1) * side,
                    static_cast<float>(edge.second.row - edge.first.row + 1) * side},
                   Ink::of(Role::Text, 0.65f), 1.5f);
  }

  // What the lane in the light holds in all its registers.
  void registers(Rect r) {
    draft_.caption("registers.caption", take_top(r, 16, 3),
                   draft_.say("view.fragments.holds", {{"lane", value_of(access_.lane)}}));
    std::vector<Register> all;
    for (int i = 0; i < static_cast<int>(access_.move.tiles.size()); ++i)
      for (int reg = 0; reg < access_.move.tiles[static_cast<std::size_t>(i)].registers(); ++reg)
        all.push_back({i, access_.lane, reg});
    const auto count = static_cast<int>(all.size());
    for (int i = 0; i < count; ++i) {
      const Register& reg = all[static_cast<std::size_t>(i)];
      Rect cell = cell_of(r, i, count, 3);
      cell.width = std::min(cell.width, 150.0f);
      cell.x = r.x + static_cast<float>(i) * (cell.width + 3);
      const bool moved = access_.moved.contains(reg);
      Shape& s = draft_.box(fmt::format("register.{}.{}", reg.tile, reg.reg), cell,
                            Ink::of_lane(access_.lane, moved ? 1.0f : 0.3f), 3);
      s.target = target_of(access_.lane);
      const std::string elements = access_.elements_text(draft_, reg.tile, access_.lane, reg.reg);
      s.tooltip = draft_.say("view.fragments.tip", {{"lane", value_of(access_.lane)},
                                                    {"register", access_.register_name(reg.tile, reg.reg)},
                                                    {"elements", elements}});
      const Ink ink =
          moved ? Ink{Role::OnLane, 1, static_cast<std::uint8_t>(access_.lane)} : Ink::of(Role::Text);
      const std::string name = access_.register_name(reg.tile, reg.reg);
      if (!draft_.fits(name, cell.width - 2, kTiny, Face::MonoBold)) continue;
      // The register's name says which matrix: in a narrow box the place alone does.
      const std::size_t place = elements.find('[');
      const bool whole = draft_.fits(elements, cell.width - 6, kTiny, Face::Mono);
      const std::string shown = whole || place == std::string::npos ? elements : elements.substr(place);
      const bool two = draft_.fits(shown, cell.width - 6, kTiny, Face::Mono);
      draft_.text(fmt::format("register.{}.{}.name", reg.tile, reg.reg),
                  {cell.x, cell.y + (two ? 4 : 0), cell.width, two ? 18 : cell.height}, name,
                  {kTiny, Face::MonoBold, ink, Align::Centre});
      if (two)
        draft_.text(fmt::format("register.{}.{}.elements", reg.tile, reg.reg),
                    {cell.x, cell.y + 22, cell.width, 16}, shown, {kTiny, Face::Mono, ink, Align::Centre});
    }
  }

  // ---- memory

  std::vector<std::uint64_t> lines() const {
    std::set<std::uint64_t> all;
    for (const FragmentRow& row : access_.move.rows) all.insert(row.address / kBankRowBytes);
    return {all.begin(), all.end()};
  }
  float memory_height() const { return 44 + static_cast<float>(lines().size()) * 38; }

  void memory(Rect r) {
    const bool shared = access_.move.access.space == trace::Space::Shared;
    const std::vector<std::uint64_t> all = lines();
    Rect caption = take_top(r, 16, 4);
    if (shared) bank_numbers(take_top(r, 14, 2));
    const float least = access_.move.rows_named ? 15.0f : 12.0f;
    const int fit = std::max(1, static_cast<int>(r.height / least));
    const int count = std::min(static_cast<int>(all.size()), fit);
    std::string words = draft_.say(shared ? "view.fragments.memory_shared" : "view.fragments.memory_global");
    if (count < static_cast<int>(all.size()))
      words += " · " + draft_.say("view.bank_view.rows_shown",
                                  {{"n", value_of(count)}, {"all", value_of(all.size())}});
    draft_.caption("memory.caption", caption, words);
    const float pitch = std::min(r.height / static_cast<float>(count), 46.0f);
    std::map<std::uint64_t, int> row_of;
    for (int i = 0; i < count; ++i) row_of[all[static_cast<std::size_t>(i)]] = i;
    const float gutter = gutter_of(all);
    for (int i = 0; i < count; ++i) {
      const Rect line{r.x + gutter, r.y + pitch * static_cast<float>(i), r.width - gutter, pitch - 4};
      draft_.box(fmt::format("line.{}", i), line, Ink::of(Role::Panel), 2);
      draft_.text(fmt::format("line.{}.name", i),
                  {r.x, line.y + (line.height - 14) / 2, gutter - 6, std::min(14.0f, pitch)},
                  line_name(all[static_cast<std::size_t>(i)]),
                  {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Left});
    }
    for (const FragmentRow& row : access_.move.rows) {
      const auto at = row_of.find(row.address / kBankRowBytes);
      if (at == row_of.end()) continue;
      const Rect line{r.x + gutter, r.y + pitch * static_cast<float>(at->second), r.width - gutter,
                      pitch - 4};
      memory_row(row, line);
    }
  }

  std::string line_name(std::uint64_t line) const {
    const std::uint64_t address = line * kBankRowBytes;
    if (access_.move.access.space == trace::Space::Shared) return fmt::format("+{}", address);
    // The first byte of the line may lie before its buffer.
    for (const FragmentRow& row : access_.move.rows)
      if (row.address / kBankRowBytes == line)
        return draft_.word(
            input_.trace->describe(access_.move.access.space, std::max(address, first_of(line))));
    return {};
  }
  std::uint64_t first_of(std::uint64_t line) const {
    std::uint64_t first = ~std::uint64_t{0};
    for (const FragmentRow& row : access_.move.rows)
      if (row.address / kBankRowBytes == line) first = std::min(first, row.address);
    const trace::BufferPlacement* buffer = buffer_at(*input_.trace, first);
    return buffer ? std::max(buffer->base, line * kBankRowBytes) : line * kBankRowBytes;
  }
  float gutter_of(const std::vector<std::uint64_t>& all) const {
    float widest = 0;
    for (const std::uint64_t line : all)
      widest = std::max(widest, draft_.width(line_name(line), kTiny, Face::Mono));
    return std::min(widest, 110.0f) + 12;
  }

  void bank_numbers(const Rect& r) {
    const float gutter = gutter_of(lines());
    const float width = (r.width - gutter) / 32;
    for (int bank = 0; bank < 32; bank += 4) {
      Shape& s = draft_.text(fmt::format("bank.{}", bank),
                             {r.x + gutter + width * static_cast<float>(bank), r.y, width * 4 - 2, 14},
                             std::to_string(bank), {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Left});
      s.tooltip =
          draft_.say("view.fragments.banks", {{"first", value_of(bank)}, {"last", value_of(bank + 3)}});
    }
  }

  void memory_row(const FragmentRow& row, const Rect& line) {
    const auto bits_across = static_cast<float>(8 * kBankRowBytes);
    const auto x_of = [&](std::uint64_t address, int bit) {
      return line.x + line.width *
                          (static_cast<float>(address % kBankRowBytes) * 8 + static_cast<float>(bit)) /
                          bits_across;
    };
    const bool labelled = access_.move.rows_named && line.height >= 30;
    const float top = labelled ? line.y + 15 : line.y;
    const float height = line.bottom() - top;
    const float strong = 0.3f + 0.7f * at_memory(row.lane);
    for (std::size_t i = 0; i < row.cells.size();) {
      std::size_t end = i + 1;  // neighbours in one register of one lane are one box
      while (end < row.cells.size() && row.cells[end].lane == row.cells[i].lane &&
             row.cells[end].reg == row.cells[i].reg)
        ++end;
      const FragmentCell& cell = row.cells[i];
      const float x = x_of(row.address, static_cast<int>(i) * row.element_bits);
      const float right = x_of(row.address, 0) + line.width * static_cast<float>(end) *
                                                     static_cast<float>(row.element_bits) / bits_across;
      const Rect box{x, top, std::min(right, line.right()) - x - (right - x > 6 ? 1.0f : 0.0f), height};
      const float alpha = faded(cell.lane) ? 0.2f : strong;
      Shape& s = draft_.box(fmt::format("word.{}.{}", row.address, i), box, Ink::of_lane(cell.lane, alpha),
                            box.width > 10 ? 2.0f : 0.0f);
      s.target = target_of(cell.lane);
      s.tooltip = draft_.say(
          access_.move.rows_named ? "view.fragments.tip_row" : "view.fragments.tip_own",
          {{"lane", value_of(cell.lane)},
           {"register", cell.tile < 0 ? "" : access_.register_name(cell.tile, cell.reg)},
           {"elements", access_.elements_text(draft_, cell.tile, cell.lane, cell.reg)},
           {"place",
            access_.place_text(draft_, row.address + i * static_cast<std::uint64_t>(row.element_bits) / 8)},
           {"namer", value_of(row.lane)}});
      if (cell.lane == access_.lane) {
        s.stroke = Ink::of(Role::Text);
        s.stroke_width = 1.5f;
        const Register reg{cell.tile, cell.lane, cell.reg};
        if (places_.contains(reg)) followed_.push_back({box, reg});
      }
      if (height >= 13 && draft_.fits("28", box.width - 1, kTiny, Face::SansBold))
        draft_.text(fmt::format("word.{}.{}.lane", row.address, i), box, std::to_string(cell.lane),
                    {kTiny, Face::SansBold,
                     alpha > 0.75f ? Ink{Role::OnLane, 1, static_cast<std::uint8_t>(cell.lane)}
                                   : Ink::of(faded(cell.lane) ? Role::Dim : Role::Text),
                     Align::Centre});
      i = end;
    }
    const float left = x_of(row.address, 0);
    const float wide = line.width * static_cast<float>(row.cells.size()) *
                       static_cast<float>(row.element_bits) / bits_across;
    const bool waits = access_.waits >> row.lane & 1u;
    if (waits) {
      Shape& s = draft_.frame(fmt::format("waits.{}.{}", row.lane, row.address),
                              {left - 0.5f, top, wide - 0.5f, height}, Ink::of(Role::Warn), 2, 2);
      s.dashed = phase() < 1;
    }
    if (labelled) namer(row, {left, line.y, wide, 14}, waits);
  }

  // Over 16 bytes: the lane that names them, and the pass that serves it.
  void namer(const FragmentRow& row, const Rect& r, bool waits) {
    const auto pass = access_.pass_of.find(row.lane);
    std::string words = draft_.say("view.fragments.namer", {{"lane", value_of(row.lane)}});
    if (waits && pass != access_.pass_of.end()) {
      const std::string more =
          words + " · " + draft_.say("view.bank_view.pass", {{"n", value_of(pass->second + 1)}});
      if (draft_.fits(more, r.width - 14, kTiny, Face::Sans)) words = more;
    }
    if (!draft_.fits(words, r.width - 14, kTiny, Face::Sans)) words = std::to_string(row.lane);
    const std::string id = fmt::format("namer.{}.{}", row.lane, row.address);
    Shape& key =
        draft_.box(id, {r.x, r.y + 2, 9, 9}, Ink::of_lane(row.lane, faded(row.lane) ? 0.3f : 1.0f), 2);
    key.target = target_of(row.lane);
    if (!draft_.fits(words, r.width - 13, kTiny, Face::Sans)) return;
    Shape& s = draft_.text(id + ".words", {r.x + 12, r.y, r.width - 12, 14}, words,
                           {kTiny, row.lane == access_.lane ? Face::SansBold : Face::Sans,
                            Ink::of(waits                      ? Role::Warn
                                    : row.lane == access_.lane ? Role::Text
                                                               : Role::Dim),
                            Align::Left});
    s.target = target_of(row.lane);
  }

  // From memory to the registers of the lane in the light.
  void paths() {
    const float t = stores() ? ease_between(phase(), 0, kServed) : ease_between(phase(), kNamed, 1.0f);
    const float shown = phase() >= 1 ? 1.0f : t;
    if (shown <= 0 || followed_.size() > 16) return;
    int i = 0;
    for (const auto& [from, reg] : followed_) {
      const Rect to = places_.at(reg);
      Point a{from.x + from.width / 2, from.y + from.height / 2},
          d{to.x + to.width / 2, to.y + to.height / 2};
      if (stores()) std::swap(a, d);
      const float bend = (d.x - a.x) * 0.4f;
      auto points = part_of_curve(a, {a.x + bend, a.y}, {d.x - bend, d.y}, d, shown);
      if (points.empty()) continue;
      Shape& s =
          draft_.curve(fmt::format("path.{}", i++), std::move(points), Ink::of(Role::Text, 0.55f), 1.5f);
      s.target = target_of(access_.lane);
    }
  }

  Draft draft_;
  const ViewInput& input_;
  const FragmentAccess access_;
  std::map<Register, Rect> places_;
  std::vector<std::pair<Rect, Register>> followed_;
};

}  // namespace

Scene fragments_view(const ViewContext& context, const ViewInput& input) {
  return FragmentsView(context, input).run();
}

bool fragments_applies(const ViewInput& input) {
  return input.matrices && input.matrices->fragments && !input.matrices->fragments->steps.empty();
}

}  // namespace warplens::visual
