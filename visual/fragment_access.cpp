#include "visual/fragment_access.h"

#include <fmt/format.h>

#include <bit>

#include "engine/base/typography.h"
#include "visual/matrix_shapes.h"
#include "visual/pick.h"

namespace warplens::visual {

using analysis::FragmentCell;
using analysis::FragmentRow;
using trace::Fragment;

FragmentAccess::FragmentAccess(const ViewInput& input) : trace_(input.trace) {
  if (!input.trace || !input.matrices || !input.matrices->fragments) return;
  auto at = analysis::move_at(*input.matrices->fragments, *input.trace, input.cursor.step);
  if (!at) return;
  move = std::move(*at);
  const trace::AccessView& a = move.access;
  if (a.space == trace::Space::Shared) {
    banks = analysis::explain_shared(a.kind, a.bytes, a.active, a.addresses.data());
    int last = -1, pass = 0;
    for (const analysis::BankPass& p : banks->passes) {
      for (const analysis::BankHit& hit : p.hits) {
        pass_of[hit.lane] = pass;
        if (p.phase == last) waits |= LaneMask{1} << hit.lane;
      }
      last = p.phase;
      ++pass;
    }
  }
  for (const FragmentRow& row : move.rows)
    for (const FragmentCell& cell : row.cells) moved.insert({cell.tile, cell.lane, cell.reg});
  focus = focused_lanes(input);
  if (focus != 0) lane = std::countr_zero(focus);
}

std::string FragmentAccess::tile_name(const Draft& draft, int tile) const {
  if (move.loose) return draft.say("view.fragments.matrix", {{"n", value_of(tile)}});
  return std::string(1, letter_of(tile));
}
char FragmentAccess::letter_of(int tile) const {
  const Fragment::Use use = move.tiles[static_cast<std::size_t>(tile)].use;
  return use == Fragment::Use::A ? 'A' : use == Fragment::Use::B ? 'B' : 'C';
}
std::string FragmentAccess::register_name(int tile, int reg) const {
  if (move.loose) return fmt::format("r{}", tile);
  return fmt::format("{}{}", static_cast<char>(letter_of(tile) - 'A' + 'a'), reg);
}

std::string FragmentAccess::place_text(const Draft& draft, std::uint64_t address) const {
  return move.access.space == trace::Space::Shared
             ? draft.say("view.fragments.byte", {{"n", value_of(address)}})
             : draft.word(trace_->describe(move.access.space, address));
}

std::string FragmentAccess::elements_text(const Draft& draft, int tile, int holder, int reg) const {
  if (tile < 0) return draft.say("view.fragments.other");
  const Fragment& f = move.tiles[static_cast<std::size_t>(tile)];
  const int per = f.per_register();
  const trace::MatrixPlace a = f.place(holder, reg * per), b = f.place(holder, reg * per + per - 1);
  const auto span = [](int low, int high) {
    return low == high ? std::to_string(low) : fmt::format("{}–{}", low, high);
  };
  return fmt::format("{}[{}][{}]", tile_name(draft, tile), span(a.row, b.row), span(a.column, b.column));
}

std::string FragmentAccess::sentence(const Draft& draft) const {
  std::string out;
  const auto add = [&](const std::string& words) { append_sentence(out, words); };
  LaneMask named_by = 0, holders = 0;
  const FragmentRow* own = nullptr;
  std::set<Register> mine;
  for (const FragmentRow& row : move.rows) {
    for (const FragmentCell& cell : row.cells)
      if (cell.lane == lane) {
        named_by |= LaneMask{1} << row.lane;
        mine.insert({cell.tile, cell.lane, cell.reg});
      }
    if (row.lane == lane && !own) own = &row;
  }
  if (own)
    for (const FragmentCell& cell : own->cells) holders |= LaneMask{1} << cell.lane;
  constexpr std::size_t kMostNamed = 8;
  std::vector<std::string> named;
  for (const Register& r : mine)
    if (named.size() < kMostNamed) named.push_back(elements_text(draft, r.tile, r.lane, r.reg));
  const std::string elements =
      listed(named, draft.context().text.language()) + (mine.size() > kMostNamed ? "…" : "");
  if (move.rows_named) {
    if (own)
      add(draft.say(stores() ? "view.fragments.names_store" : "view.fragments.names",
                    {{"lane", value_of(lane)},
                     {"place", place_text(draft, own->address)},
                     {"lanes", lanes_text(holders)}}));
    if (!mine.empty())
      add(draft.say(stores() ? "view.fragments.gives" : "view.fragments.gets",
                    {{"lane", value_of(lane)}, {"elements", elements}, {"lanes", lanes_text(named_by)}}));
    if (move.transposed) add(draft.say("view.fragments.turned"));
  } else if (!mine.empty()) {
    add(draft.say(stores() ? "view.fragments.stores" : "view.fragments.loads",
                  {{"lane", value_of(lane)}, {"elements", elements}}));
  }
  if (banks && banks->counts.bank_conflicts > 0)
    add(draft.say(move.rows_named ? "view.fragments.conflict_rows" : "view.fragments.conflict",
                  {{"n", value_of(banks->degree)},
                   {"passes", value_of(banks->counts.wavefronts)},
                   {"ideal", value_of(banks->counts.wavefronts - banks->counts.bank_conflicts)}}));
  else if (banks && move.rows_named)
    add(draft.say("view.fragments.no_conflict"));
  if (move.parts > 1)
    add(draft.say("view.fragments.part", {{"n", value_of(move.part + 1)}, {"all", value_of(move.parts)}}));
  if (move.elsewhere > 0) add(draft.say("view.fragments.elsewhere", {{"n", value_of(move.elsewhere)}}));
  if (move.loose) add(draft.say("view.fragments.no_product"));
  return out;
}

}  // namespace warplens::visual
