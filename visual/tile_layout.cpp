#include "visual/tile_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace warplens::visual {
namespace {

constexpr int kRowBytes = 4 * kBanks;
constexpr int kMostColumns = 144;
constexpr float kMostPitch = 26;

// The elements of a use, as places in the tile.
struct Place {
  int row = 0, column = 0;  // as the kernel counts them
};
Place place_of(const Tile& tile, std::uint64_t offset) {
  const SharedArray& a = *tile.array;
  const auto element =
      static_cast<std::int64_t>((offset - a.offset) / static_cast<std::uint64_t>(a.element_bytes));
  Place p{static_cast<int>(element / tile.columns), static_cast<int>(element % tile.columns)};
  const std::uint32_t turned = (static_cast<std::uint32_t>(p.row) & a.swizzle_mask) << a.swizzle_shift;
  p.column = static_cast<int>(static_cast<std::uint32_t>(p.column) ^ turned);
  return p;
}

// Where the element that the kernel calls (row, column) lies.
std::uint64_t offset_of(const Tile& tile, Place p) {
  const SharedArray& a = *tile.array;
  const std::uint32_t turned = (static_cast<std::uint32_t>(p.row) & a.swizzle_mask) << a.swizzle_shift;
  const auto column = static_cast<std::uint32_t>(p.column) ^ turned;
  const auto element = static_cast<std::uint64_t>(p.row) * static_cast<std::uint64_t>(tile.columns) + column;
  return a.offset + element * static_cast<std::uint64_t>(a.element_bytes);
}

// The part of a long tile that is drawn: it starts where the lanes are.
struct Window {
  int first = 0, count = 0;
};
Window window_of(int wanted_first, int rows, int room) {
  const int count = std::min(rows, std::max(1, room));
  return {std::clamp(wanted_first, 0, rows - count), count};
}

// A use in its lanes' colours, with the number where it can be read.
void draw_use(Draft& draft, const std::string& id, const Rect& r, LaneMask lanes, const TileLook& look,
              std::uint64_t word) {
  const int count = active_lanes(lanes);
  const int slices = r.width > 10 ? std::min(count, 4) : 1;
  const float alpha = look.alpha(lanes);
  if (alpha < 1) draft.box(id + ".ground", r, Ink::of(Role::Ground), 2);
  std::vector<int> members;
  for (LaneMask m = lanes; m; m &= m - 1) members.push_back(std::countr_zero(m));
  for (int i = 0; i < slices; ++i) {
    const int lane = members[static_cast<std::size_t>(i * count / slices)];
    Shape& s = draft.box(fmt::format("{}.{}", id, lane), cell_of(r, i, slices, 0), Ink::of_lane(lane, alpha),
                         slices == 1 && r.height > 8 ? 2.0f : 0.0f);
    s.target.lane = lane;
    s.target.bank = static_cast<int>(word % kBanks);
    s.tooltip = look.tip(lanes, word);
  }
  if (count != 1 || alpha < 1 || r.height < 13 || !draft.fits("28", r.width - 1, kTiny, Face::SansBold))
    return;
  draft.text(
      id + ".number", r, std::to_string(members[0]),
      {kTiny, Face::SansBold, Ink{Role::OnLane, 1, static_cast<std::uint8_t>(members[0])}, Align::Centre});
}

void draw_dot(Draft& draft, const std::string& id, const Rect& r, bool on_lane, const std::string& tip) {
  const float size = std::clamp(std::min(r.width, r.height) * 0.16f, 1.2f, 3.0f);
  if (on_lane && r.height >= 13) return;  // the number stands there; the cell is marked by its lane
  Shape& s = draft.disc(id, {r.x + r.width / 2, r.y + r.height / 2}, size,
                        on_lane ? Ink::of(Role::Ground, 0.8f) : Ink::of(Role::Accent, 0.9f));
  s.tooltip = tip;
}

std::string rows_caption(const Draft& draft, const Window& window, int rows) {
  return window.count == rows ? ""
                              : " · " + draft.say("view.bank_view.tile_rows",
                                                  {{"first", value_of(window.first)},
                                                   {"last", value_of(window.first + window.count - 1)},
                                                   {"all", value_of(rows)}});
}

}  // namespace

int Tile::physical_rows() const {
  const std::uint64_t first = array->offset / kRowBytes, end = array->offset + array->bytes;
  return static_cast<int>((end + kRowBytes - 1) / kRowBytes - first);
}

std::optional<Tile> tile_of(const ViewInput& input, LaneMask active, const std::uint64_t* offsets,
                            int bytes) {
  if (!input.shared || !active) return std::nullopt;
  const std::uint64_t first = offsets[std::countr_zero(active)];
  Tile tile;
  for (const SharedArray& array : *input.shared)
    if (first >= array.offset && first - array.offset < array.bytes) tile.array = &array;
  if (!tile.array || tile.array->extents.size() < 2 || tile.array->element_bytes < 1) return std::nullopt;
  const SharedArray& a = *tile.array;
  tile.columns = a.extents.back();
  if (tile.columns < 2 || tile.columns > kMostColumns) return std::nullopt;
  tile.rows = static_cast<int>(a.bytes / static_cast<std::uint64_t>(a.element_bytes) /
                               static_cast<std::uint64_t>(tile.columns));
  tile.bytes = std::max(bytes, 1);
  if (tile.rows < 2) return std::nullopt;
  for (LaneMask m = active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    if (offsets[lane] < a.offset || offsets[lane] - a.offset >= a.bytes) return std::nullopt;
    tile.uses.push_back({LaneMask{1} << lane, offsets[lane]});
  }
  std::sort(tile.uses.begin(), tile.uses.end(),
            [](const Tile::Use& x, const Tile::Use& y) { return x.offset < y.offset; });
  std::vector<Tile::Use> merged;
  for (const Tile::Use& use : tile.uses)
    if (!merged.empty() && merged.back().offset == use.offset)
      merged.back().lanes |= use.lanes;
    else
      merged.push_back(use);
  tile.uses = std::move(merged);
  return tile;
}

std::string declaration_of(const Tile& tile) {
  std::string out = tile.array->type.empty() ? tile.array->name : tile.array->type + " " + tile.array->name;
  for (const int extent : tile.array->extents) out += fmt::format("[{}]", extent);
  return out;
}

std::string explain_tile(const Draft& draft, const Tile& tile) {
  const SharedArray& a = *tile.array;
  if (a.swizzle_mask != 0) {
    const std::string turned = a.swizzle_shift == 0
                                   ? fmt::format("(row & {})", a.swizzle_mask)
                                   : fmt::format("{} × (row & {})", 1 << a.swizzle_shift, a.swizzle_mask);
    return draft.say("view.bank_view.tile_swizzled", {{"turned", turned}});
  }
  const int words = tile.row_words(), shift = words % kBanks;
  const int padding = tile.columns - a.columns_used;
  if (shift == 0) return draft.say("view.bank_view.tile_same", {{"words", value_of(words)}});
  const bool padded = padding > 0 && padding < a.columns_used;
  const std::string key = !padded      ? "view.bank_view.tile_shift"
                          : shift == 1 ? "view.bank_view.tile_padded"
                                       : "view.bank_view.tile_padded_by";
  return draft.say(key,
                   {{"words", value_of(words)}, {"padding", value_of(padding)}, {"shift", value_of(shift)}});
}

namespace {

// The tile as the kernel counts it.
class Logical {
 public:
  Logical(Draft& draft, const Tile& tile, const TileLook& look) : draft_(draft), tile_(tile), look_(look) {}

  void draw(Rect r) {
    Rect head = take_top(r, 16, 4);
    const Rect axis = take_top(r, 14, 2);
    const Rect why = take_bottom(r, 40, 8);
    const float label = draft_.width("000", kTiny, Face::Mono) + 6;
    take_left(r, label);
    pitch_y_ = std::min(kMostPitch, std::max(5.0f, r.height / static_cast<float>(tile_.rows)));
    const int first_row = place_of(tile_, tile_.uses.front().offset).row;
    window_ = window_of(first_row, tile_.rows, static_cast<int>(r.height / pitch_y_));
    pitch_y_ = std::min(kMostPitch, r.height / static_cast<float>(window_.count));
    pitch_x_ = std::min(kMostPitch * 1.2f, r.width / static_cast<float>(tile_.columns));
    area_ = {r.x, r.y, pitch_x_ * static_cast<float>(tile_.columns),
             pitch_y_ * static_cast<float>(window_.count)};
    const std::string declared = declaration_of(tile_);
    if (const float wide = draft_.width(declared, kTiny, Face::Mono) + 1; wide < head.width * 0.5f)
      draft_.text("tile.declared", take_right(head, wide, 8), declared,
                  {kTiny, Face::Mono, Ink::of(Role::Text), Align::Right});
    draft_.caption("caption.tile", head,
                   draft_.say("view.caption.tile") + rows_caption(draft_, window_, tile_.rows));
    ground();
    labels(axis, label);
    bank();
    uses();
    sentence(why);
  }

 private:
  Rect cell(Place p) const {
    const float gap = pitch_y_ > 8 ? 1.0f : 0.5f;
    return {area_.x + pitch_x_ * static_cast<float>(p.column),
            area_.y + pitch_y_ * static_cast<float>(p.row - window_.first), pitch_x_ - gap, pitch_y_ - gap};
  }
  bool shown(int row) const { return row >= window_.first && row < window_.first + window_.count; }

  void ground() {
    const int used = std::clamp(tile_.array->columns_used, 1, tile_.columns);
    const float middle = area_.x + pitch_x_ * static_cast<float>(used);
    for (int row = window_.first; row < window_.first + window_.count; ++row) {
      const Rect c = cell({row, 0});
      draft_.box(fmt::format("tile.row.{}", row), {area_.x, c.y, middle - area_.x - 1, c.height},
                 Ink::of(Role::Raised), 1);
    }
    for (int column = 1; column < used && pitch_x_ > 4; ++column) {
      const float x = area_.x + pitch_x_ * static_cast<float>(column) - 0.5f;
      draft_.line(fmt::format("tile.rule.{}", column), {{x, area_.y}, {x, area_.bottom()}},
                  Ink::of(Role::Ground), 1);
    }
    if (used == tile_.columns) return;
    Shape& s = draft_.box("tile.padding", {middle, area_.y, area_.right() - middle, area_.height},
                          Ink::of(Role::Dim, 0.6f), 1);
    s.pattern = Pattern::Hatched;
    s.tooltip = draft_.say("view.bank_view.padding", {{"n", value_of(tile_.columns - used)}});
  }

  void labels(const Rect& axis, float label) {
    const auto every = [](float pitch, float needed) {
      int n = 1;
      while (pitch * static_cast<float>(n) < needed) n *= 2;
      return n;
    };
    const int rows = every(pitch_y_, 14),
              columns = every(pitch_x_, draft_.width("000", kTiny, Face::Mono) + 2);
    for (int row = window_.first; row < window_.first + window_.count; row += rows) {
      const Rect c = cell({row, 0});
      draft_.text(fmt::format("tile.row.{}.n", row),
                  {area_.x - label, c.y + (c.height - 14) / 2, label - 6, 14}, std::to_string(row),
                  {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Right});
    }
    for (int column = 0; column < tile_.columns; column += columns) {
      const Rect c = cell({window_.first, column});
      const float wide = std::max(c.width, draft_.width(std::to_string(column), kTiny, Face::Mono) + 1);
      draft_.text(fmt::format("tile.column.{}.n", column), {c.x + (c.width - wide) / 2, axis.y, wide, 14},
                  std::to_string(column), {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Centre});
    }
  }

  // Everything of the tile that lies in the bank that is pointed at.
  void bank() {
    if (look_.bank < 0 || tile_.array->element_bytes > 4) return;
    const std::string tip = draft_.say("view.bank_view.in_bank", {{"bank", value_of(look_.bank)}});
    int drawn = 0;
    for (int row = window_.first; row < window_.first + window_.count; ++row)
      for (int column = 0; column < tile_.array->columns_used && drawn < 1200; ++column)
        if (static_cast<int>(offset_of(tile_, {row, column}) / 4 % kBanks) == look_.bank) {
          draw_dot(draft_, fmt::format("tile.bank.{}.{}", row, column), cell({row, column}), false, tip);
          ++drawn;
        }
  }

  void uses() {
    const auto element = static_cast<std::uint64_t>(tile_.array->element_bytes);
    for (const Tile::Use& use : tile_.uses)
      for (std::uint64_t at = 0; at < static_cast<std::uint64_t>(tile_.bytes); at += element) {
        if (use.offset + at >= tile_.array->offset + tile_.array->bytes) break;
        const Place p = place_of(tile_, use.offset + at);
        if (!shown(p.row) || p.column >= tile_.columns) continue;
        draw_use(draft_, fmt::format("tile.{}.{}", p.row, p.column), cell(p), use.lanes, look_,
                 (use.offset + at) / 4);
      }
  }

  void sentence(const Rect& r) {
    int i = 0;
    Rect rest = r;
    rest.y = std::min(r.y, area_.bottom() + 8);
    for (const std::string& line :
         draft_.wrap(explain_tile(draft_, tile_), rest.width, kSmall, Face::Sans, 2))
      draft_.text(fmt::format("tile.why.{}", i++), take_top(rest, 20), line, {kSmall});
  }

  Draft& draft_;
  const Tile& tile_;
  const TileLook& look_;
  Rect area_;
  Window window_;
  float pitch_x_ = 0, pitch_y_ = 0;
};

// The same words in the banks.
class Physical {
 public:
  Physical(Draft& draft, const Tile& tile, const TileLook& look) : draft_(draft), tile_(tile), look_(look) {}

  void draw(Rect r, float gutter) {
    first_byte_ = tile_.array->offset / kRowBytes * kRowBytes;
    const int rows = tile_.physical_rows();
    const int wanted = static_cast<int>((tile_.uses.front().offset - first_byte_) / kRowBytes);
    Rect caption = take_top(r, 16, 4);
    window_ = window_of(wanted, rows, static_cast<int>(r.height / 5));
    pitch_ = std::min(kMostPitch, r.height / static_cast<float>(window_.count));
    area_ = {r.x, r.y, r.width, pitch_ * static_cast<float>(window_.count)};
    if (look_.bank >= 0) {
      const std::string words = draft_.say("view.bank_view.dots", {{"bank", value_of(look_.bank)}});
      const float wide = draft_.width(words, kTiny, Face::SansBold) + 1;
      draft_.text("caption.dots", take_right(caption, wide, 8), words,
                  {kTiny, Face::SansBold, Ink::of(Role::Accent), Align::Right});
    }
    draft_.caption("caption.words", {caption.x - gutter, caption.y, caption.width + gutter, caption.height},
                   draft_.say("view.caption.words") + rows_caption(draft_, window_, rows));
    ground(gutter);
    dots();
    for (const Tile::Use& use : tile_.uses)
      pieces(use.offset, static_cast<std::uint64_t>(tile_.bytes), [&](const Rect& box, std::uint64_t offset) {
        draw_use(draft_, fmt::format("word.{}", offset / 4), box, use.lanes, look_, offset / 4);
      });
    starts();
  }

 private:
  float gap() const { return pitch_ > 8 ? 1.0f : 0.5f; }
  // Cuts a stretch of bytes at the ends of rows; gives the boxes of what is shown.
  template <typename Draw>
  void pieces(std::uint64_t offset, std::uint64_t bytes, Draw draw) const {
    for (std::uint64_t end = offset + bytes; offset < end;) {
      const std::uint64_t at = offset - first_byte_,
                          stop = std::min(end, first_byte_ + (at / kRowBytes + 1) * kRowBytes);
      const int row = static_cast<int>(at / kRowBytes) - window_.first;
      const float scale = area_.width / kRowBytes;
      if (row >= 0 && row < window_.count)
        draw(Rect{area_.x + static_cast<float>(at % kRowBytes) * scale,
                  area_.y + pitch_ * static_cast<float>(row),
                  static_cast<float>(stop - offset) * scale - gap(), pitch_ - gap()},
             offset);
      offset = stop;
    }
  }

  void ground(float gutter) {
    const SharedArray& a = *tile_.array;
    pieces(a.offset, a.bytes, [&](const Rect& box, std::uint64_t offset) {
      draft_.box(fmt::format("words.{}.row", offset / 4), box, Ink::of(Role::Raised), 1);
    });
    for (int bank = 1; bank < kBanks; ++bank) {
      const float x = area_.x + area_.width * static_cast<float>(bank) / kBanks - 0.5f;
      draft_.line(fmt::format("words.rule.{}", bank), {{x, area_.y}, {x, area_.bottom()}},
                  Ink::of(Role::Ground), 1);
    }
    int every = 1;
    while (pitch_ * static_cast<float>(every) < 14) every *= 2;
    for (int row = 0; row < window_.count; row += every) {
      const std::uint64_t word = first_byte_ / 4 + static_cast<std::uint64_t>(window_.first + row) * kBanks;
      draft_.text(
          fmt::format("words.{}", word),
          {area_.x - gutter, area_.y + pitch_ * static_cast<float>(row) + (pitch_ - 14) / 2, gutter - 6, 14},
          fmt::format("+{}", word), {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Left});
    }
    padding();
  }

  void padding() {
    const SharedArray& a = *tile_.array;
    if (a.columns_used >= tile_.columns || a.columns_used < 1) return;
    const auto element = static_cast<std::uint64_t>(a.element_bytes);
    for (int row = 0; row < tile_.rows; ++row) {
      const std::uint64_t start =
          a.offset + (static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(tile_.columns) +
                      static_cast<std::uint64_t>(a.columns_used)) *
                         element;
      pieces(start, static_cast<std::uint64_t>(tile_.columns - a.columns_used) * element,
             [&](const Rect& box, std::uint64_t offset) {
               draft_.box(fmt::format("padding.{}.ground", offset), box, Ink::of(Role::Ground), 1);
               Shape& s = draft_.box(fmt::format("padding.{}", offset), box, Ink::of(Role::Dim, 0.6f), 1);
               s.pattern = Pattern::Hatched;
               s.tooltip =
                   draft_.say("view.bank_view.padding", {{"n", value_of(tile_.columns - a.columns_used)}});
             });
    }
  }

  // In the column of the bank that is pointed at.
  void dots() {
    if (look_.bank < 0) return;
    const std::string tip = draft_.say("view.bank_view.in_bank", {{"bank", value_of(look_.bank)}});
    const float wide = area_.width / kBanks;
    for (int row = 0; row < window_.count; ++row)
      draw_dot(draft_, fmt::format("words.bank.{}", row),
               {area_.x + wide * static_cast<float>(look_.bank), area_.y + pitch_ * static_cast<float>(row),
                wide - gap(), pitch_ - gap()},
               false, tip);
  }

  // Where each row of the tile begins: all in one bank, or further on row by row.
  void starts() {
    if (tile_.array->swizzle_mask != 0) return;
    const std::uint64_t length =
        static_cast<std::uint64_t>(tile_.columns) * static_cast<std::uint64_t>(tile_.array->element_bytes);
    for (int row = 0; row < tile_.rows; ++row)
      pieces(tile_.array->offset + static_cast<std::uint64_t>(row) * length, 1,
             [&](const Rect& box, std::uint64_t) {
               Shape& s = draft_.box(fmt::format("tile.start.{}", row), {box.x - 1, box.y, 2, box.height},
                                     Ink::of(Role::Text, 0.8f));
               s.tooltip = draft_.say("view.bank_view.row_starts", {{"row", value_of(row)}});
             });
  }

  Draft& draft_;
  const Tile& tile_;
  const TileLook& look_;
  std::uint64_t first_byte_ = 0;
  Rect area_;
  Window window_;
  float pitch_ = 0;
};

}  // namespace

void draw_logical_tile(Draft& draft, Rect r, const Tile& tile, const TileLook& look) {
  if (r.width < 120 || r.height < 110) return;
  Logical(draft, tile, look).draw(r);
}

void draw_physical_tile(Draft& draft, Rect r, float gutter, const Tile& tile, const TileLook& look) {
  if (r.height < 26) return;
  Physical(draft, tile, look).draw(r, gutter);
}

}  // namespace warplens::visual
