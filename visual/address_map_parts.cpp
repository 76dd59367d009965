#include "visual/address_map_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace warplens::visual {

void draw_used_bar(Draft& draft, const Rect& r, const UsedBytes& bytes) {
  const std::string name = draft.say(bytes.writes ? "view.address_map.moved" : "view.address_map.fetched",
                                     {{"bytes", bytes_text(bytes.total)}});
  Rect rest = r;
  const Rect label = take_left(rest, draft.width(name) + 1, 12);
  draft.text("fetched.name", label, name, dim());
  const float share = bytes.total ? static_cast<float>(bytes.used) / static_cast<float>(bytes.total) : 0.0f;
  Rect bar = inset(rest, 0, 2);
  if (bytes.seen < 1) draft.box("fetched.ground", bar, Ink::of(Role::Panel), 3);
  bar.width *= bytes.seen;
  const Rect left{bar.x, bar.y, bar.width * share, bar.height};
  const Rect right{left.right(), bar.y, bar.width - left.width, bar.height};
  const std::string used = draft.say("view.address_map.used", {{"bytes", bytes_text(bytes.used)}});
  const std::string waste = draft.say(bytes.writes ? "view.address_map.beside" : "view.address_map.wasted",
                                      {{"bytes", bytes_text(bytes.total - bytes.used)}});
  if (left.width >= 1) draft.box("fetched.used", left, Ink::of(Role::Good), 3).tooltip = used;
  if (right.width >= 1) {
    Shape& s = draft.box("fetched.wasted", right, Ink::of(Role::Dim, 0.55f), 3);
    s.pattern = Pattern::Hatched;
    s.tooltip = waste;
  }
  if (draft.fits(used, left.width - 8, kSmall, Face::SansBold))
    draft.text("fetched.used.words", left, used,
               {kSmall, Face::SansBold, Ink::of(Role::OnAccent), Align::Centre});
  if (!draft.fits(waste, right.width - 24, kSmall)) return;
  const float wide = draft.width(waste) + 12;
  const Rect pill{right.x + (right.width - wide) / 2, right.y, wide, right.height};
  draft.box("fetched.wasted.ground", pill, Ink::of(Role::Ground), 3);
  draft.text("fetched.wasted.words", pill, waste, {kSmall, Face::Sans, Ink::of(Role::Text), Align::Centre});
}

void draw_array_strip(Draft& draft, Rect r, const trace::BufferPlacement& buffer,
                      std::span<const std::uint64_t> lines) {
  if (lines.empty()) return;
  Rect words = take_top(r, 18, 2);
  const std::string left =
      draft.say("view.address_map.array", {{"name", buffer.name}, {"bytes", bytes_text(buffer.bytes)}});
  const std::string right =
      draft.say("view.address_map.span", {{"bytes", bytes_text(lines.back() + 128 - lines.front())}});
  const Rect tail = take_right(words, std::min(words.width * 0.5f, draft.width(right) + 1), kUnit);
  draft.text("array.name", words, left, dim());
  draft.text("array.span", tail, right, dim(kSmall, Align::Right));
  const Rect bar = take_top(r, 10);
  draft.box("array.bar", bar, Ink::of(Role::Raised), 3).tooltip = left;
  const float scale = bar.width / static_cast<float>(std::max<std::uint64_t>(1, buffer.bytes));
  const float mark = std::min(bar.width, std::max(3.0f, 128 * scale));
  float drawn = -1;  // where the last mark ends: marks closer than a pixel are one
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint64_t offset = lines[i] - std::min(lines[i], buffer.base);
    const float x = bar.x + std::min(bar.width - mark, static_cast<float>(offset) * scale);
    if (x < drawn) continue;
    draft.box(fmt::format("array.mark.{}", i), {x, bar.y, mark, bar.height}, Ink::of(Role::Accent), 1);
    drawn = x + mark - 1;
  }
}

}  // namespace warplens::visual
