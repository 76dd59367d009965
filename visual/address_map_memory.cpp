#include "visual/address_map_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/base/typography.h"

namespace warplens::visual {
namespace {

class MemoryDrawing {
 public:
  MemoryDrawing(Draft& draft, const MapFacts& facts, const MemoryPlaces& places)
      : draft_(draft), facts_(facts), places_(places) {}

  void draw() {
    const float sectors = ease_between(facts_.phase, kArrived, kGrouped);
    for (const SectorPlace& s : places_.rows.sectors) sector(s, sectors);
    for (const MemoryPlaces::Piece& p : places_.pieces) piece(p);
    labels();
  }

 private:
  void sector(const SectorPlace& s, float seen) {
    const std::string id = fmt::format("sector.{:#x}", s.address);
    if (!s.sector) {
      Shape& shape = draft_.frame(id, s.box, Ink::of(Role::Line), 1, 3);
      shape.dashed = true;
      shape.tooltip = draft_.say("view.address_map.not_fetched",
                                 {{"address", fmt::format("{:#x}", facts_.shown(s.address))}});
      return;
    }
    if (places_.rows.rows > 1)
      draft_.box(id + ".ground", s.box, Ink::of(Role::Ground), 3);  // hides paths to lower rows
    // Where every byte is asked for, nothing is left to hatch.
    const bool full = s.sector->used == 0xffffffffu;
    Shape& shape = draft_.box(id, s.box, full ? Ink::of(Role::Panel) : Ink::of(Role::Dim, 0.55f * seen), 3);
    if (!full) shape.pattern = Pattern::Hatched;
    const bool hero = facts_.focus && !facts_.faded(s.sector->lanes);
    shape.stroke = hero ? Ink::of(Role::Text) : Ink::of(seen >= 1 ? Role::Dim : Role::Line, 0.8f);
    shape.stroke_width = hero ? 2.0f : 1.0f;
    shape.target.sector = s.address;
    const int used = std::popcount(s.sector->used), others = std::popcount(bytes_of_others(s));
    shape.tooltip = draft_.say(others == 0 ? "view.address_map.sector" : "view.address_map.sector_others",
                               {{"address", fmt::format("{:#x}", facts_.shown(s.address))},
                                {"used", value_of(used)},
                                {"others", value_of(others)},
                                {"wasted", value_of(32 - used - others)},
                                {"lanes", lanes_text(s.sector->lanes)}});
    other_bytes(s);
  }

  std::uint32_t bytes_of_others(const SectorPlace& s) const {
    if (facts_.others.extra == 0 || facts_.phase < kFetched) return 0;
    return facts_.others.bytes[static_cast<std::size_t>(s.sector - facts_.detail.sectors.data())];
  }

  // Runs of bytes in this sector that other accesses of the warp use.
  void other_bytes(const SectorPlace& s) {
    const std::uint32_t bytes = bytes_of_others(s);
    const float scale = s.box.width / 32;
    for (int first = 0; first < 32;) {
      if (!(bytes >> first & 1u)) {
        ++first;
        continue;
      }
      const int run = std::countr_one(bytes >> first);
      const Rect box{s.box.x + static_cast<float>(first) * scale, s.box.y, static_cast<float>(run) * scale,
                     s.box.height};
      const Rect r = inset(box, box.width > 6 ? 1.0f : 0.0f, box.height > 30 ? 3.0f : 2.0f);
      const std::string id = fmt::format("others.{:#x}", s.address + static_cast<std::uint64_t>(first));
      draft_.box(id + ".ground", r, Ink::of(Role::Ground), 2);
      Shape& shape = draft_.box(id, r, Ink::of(Role::Good, 0.22f), 2);
      shape.stroke = Ink::of(Role::Good, 0.8f);
      shape.stroke_width = 1;
      shape.target.sector = s.address;
      shape.tooltip = draft_.say("view.address_map.others_here", {{"n", value_of(run)}});
      first += run;
    }
  }

  void piece(const MemoryPlaces::Piece& p) {
    const float gap = p.box.width > 6 ? 1.0f : 0.0f;
    const Rect r = inset(p.box, gap, p.box.height > 30 ? 3.0f : 2.0f);
    // Several lanes on the same bytes share the cell; more than eight slices would be a blur.
    std::vector<int> lanes;
    for (int lane = 0; lane < kWarpSize; ++lane)
      if (p.lanes >> lane & 1u) lanes.push_back(lane);
    const auto slices = static_cast<int>(std::min<std::size_t>(lanes.size(), 8));
    const float seen = 0.35f + 0.65f * ease_between(facts_.phase, kArrived - 0.08f, kArrived);
    for (int i = 0; i < slices; ++i) {
      const int lane = lanes[static_cast<std::size_t>(i) * lanes.size() / static_cast<std::size_t>(slices)];
      Shape& s =
          draft_.box(fmt::format("bytes.{}", lane), cell_of(r, i, slices, 0),
                     Ink::of_lane(lane, facts_.faded(p.lanes) ? 0.3f : seen), slices == 1 ? 2.0f : 0.0f);
      s.target.lane = lane;
      s.target.sector = p.address / 32 * 32;
      s.tooltip = lanes.size() == 1
                      ? facts_.tooltip(draft_, lane)
                      : draft_.say("view.address_map.shared_bytes",
                                   {{"lanes", lanes_text(p.lanes)}, {"place", facts_.place_name(p.address)}});
    }
    piece_label(p, r, lanes);
  }

  void piece_label(const MemoryPlaces::Piece& p, const Rect& r, const std::vector<int>& lanes) {
    if (r.height < 16 || facts_.faded(p.lanes) || facts_.phase < kArrived) return;
    const std::string word = lanes.size() == 1 ? std::to_string(lanes[0]) : fmt::format("×{}", lanes.size());
    if (!draft_.fits("28", r.width - 3, kTiny, Face::SansBold)) return;  // all or none
    const int lane = lanes[lanes.size() / 2];
    Rect number = r;
    Ink ink{Role::OnLane, 1, static_cast<std::uint8_t>(lane)};
    if (lanes.size() > 1) {  // the slices below have many colours: the words need a ground of their own
      const float wide = std::min(r.width, draft_.width(word, kSmall, Face::SansBold) + 8);
      draft_.box(fmt::format("bytes.{}.ground", lane),
                 {r.x + (r.width - wide) / 2, r.y + r.height / 2 - 8, wide, 16}, Ink::of(Role::Ground, 0.85f),
                 3);
      ink = Ink::of(Role::Text);
    }
    const std::string name = facts_.index_text(draft_, p.address);
    if (lanes.size() == 1 && r.height > 52 && draft_.fits(name, r.width - 4, kTiny, Face::Mono)) {
      Rect below = number;
      number = {r.x, r.y + r.height / 2 - 17, r.width, 16};
      below = {r.x, r.y + r.height / 2 + 1, r.width, 16};
      draft_.text(fmt::format("bytes.{}.index", lane), below, name, {kTiny, Face::Mono, ink, Align::Centre});
    }
    draft_.text(fmt::format("bytes.{}.lane", lane), number, word,
                {draft_.largest_size(word, r.width - 3, number.height, kSmall, Face::SansBold),
                 Face::SansBold, ink, Align::Centre});
  }

  // A small address under the memory; paths to lower rows run behind it.
  void label(std::string id, const Rect& r, const std::string& words) {
    if (places_.rows.rows > 1) {
      const float wide = std::min(r.width, draft_.width(words, kTiny, Face::Mono) + 6);
      draft_.box(id + ".ground", {r.x + (r.width - wide) / 2, r.y, wide, r.height},
                 Ink::of(Role::Ground, 0.9f));
    }
    draft_.text(std::move(id), r, words, {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Centre});
  }

  void labels() {
    const float seen = ease_between(facts_.phase, kGrouped, kFetched);
    if (places_.rows.sector_width >= 36)
      for (const SectorPlace& s : places_.rows.sectors)
        if (s.box.width >= 36)
          label(fmt::format("offset.{:#x}", s.address), {s.box.x, s.box.bottom() + 1, s.box.width, 14},
                fmt::format("+{}", s.address % 128));
    for (std::size_t i = 0; i < places_.rows.lines.size(); ++i) {
      const LinePlace& line = places_.rows.lines[i];
      const float top = places_.top + places_.pitch * static_cast<float>(line.row) + places_.bar_height;
      const float y = top + 16;
      const float middle = (line.left + line.right) / 2, half = (line.right - line.left) / 2 * seen;
      if (line.after_gap && i > 0 && places_.rows.lines[i - 1].row == line.row)
        gap_mark(places_.rows.lines[i - 1], line, top - places_.bar_height / 2);
      if (half <= 0) continue;
      Shape& s = draft_.line(fmt::format("line.{:#x}", line.address),
                             {{middle - half, y}, {middle + half, y}}, Ink::of(Role::Dim), 1.5f);
      s.tooltip = draft_.say("view.address_map.line_means",
                             {{"line", fmt::format("{:#x}", facts_.shown(line.address))}});
      line_name(line, y);
    }
  }

  // Names stand apart: where they are longer than their lines, one is left out after each.
  void line_name(const LinePlace& line, float y) {
    const std::string full =
        draft_.say("view.address_map.line", {{"line", fmt::format("{:#x}", facts_.shown(line.address))}});
    const std::string brief = fmt::format("{:#x}", facts_.shown(line.address));
    const float length = line.right - line.left, middle = (line.left + line.right) / 2;
    const std::string& words = draft_.fits(full, length, kTiny, Face::Mono) ? full : brief;
    const float width = draft_.width(words, kTiny, Face::Mono);
    if (named_row_ != line.row) named_to_ = 0;
    named_row_ = line.row;
    if (width > 2 * length || middle - width / 2 < named_to_ + 6) return;
    named_to_ = middle + width / 2;
    label(fmt::format("line.{:#x}.name", line.address), {middle - width / 2 - 2, y + 2, width + 4, 15},
          words);
  }

  // Three dots between lines that are not neighbours in memory.
  void gap_mark(const LinePlace& before, const LinePlace& line, float y) {
    const float gap = line.left - before.right;
    if (gap < 14) return;
    for (int i = -1; i <= 1; ++i)
      draft_.disc(fmt::format("gap.{:#x}.{}", line.address, i + 1),
                  {before.right + gap / 2 + static_cast<float>(i) * 5, y}, 1.3f, Ink::of(Role::Dim));
  }

  int named_row_ = -1;  // of the line that was named last, and where its name ends
  float named_to_ = 0;
  Draft& draft_;
  const MapFacts& facts_;
  const MemoryPlaces& places_;
};

}  // namespace

std::string MapFacts::index_text(const Draft& draft, std::uint64_t where) const {
  const bool global = picked.access.space == trace::Space::Global;
  const trace::BufferPlacement* const of = global ? buffer_at(*trace, where) : nullptr;
  if (of == nullptr) return draft.word(place_name(where));
  return fmt::format("[{}]", (where - of->base) / static_cast<std::uint64_t>(trace::size_of(of->type)));
}

std::string MapFacts::tooltip(const Draft& draft, int lane) const {
  const std::uint64_t where = address(lane);
  return lane_tooltip(draft, picked.access.kind, lane, place_name(where)) + "\n" +
         draft.say("view.address_map.byte_of_line", {{"byte", value_of(where % 128)},
                                                     {"line", fmt::format("{:#x}", shown(where / 128 * 128))},
                                                     {"sector", value_of(where % 128 / 32)}});
}

void draw_memory(Draft& draft, const MapFacts& facts, const MemoryPlaces& places) {
  MemoryDrawing(draft, facts, places).draw();
}

}  // namespace warplens::visual
