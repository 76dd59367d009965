#include "visual/address_map_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/told_name.h"

namespace warplens::visual {

namespace {

void draw_others(Draft& draft, const Rect& r, std::uint64_t bytes) {
  if (r.width < 1) return;
  const std::string words = draft.say("view.address_map.others", {{"bytes", bytes_text(bytes)}});
  const std::string brief = draft.say("view.address_map.others_brief", {{"bytes", bytes_text(bytes)}});
  Shape& s = draft.box("fetched.others", r, Ink::of(Role::Good, 0.25f), 3);
  s.stroke = Ink::of(Role::Good);
  s.stroke_width = 1;
  s.tooltip = words;
  for (const std::string& text : {words, brief})
    if (draft.fits(text, r.width - 8, kSmall, Face::SansBold)) {
      draft.text("fetched.others.words", r, text,
                 {kSmall, Face::SansBold, Ink::of(Role::Text), Align::Centre});
      return;
    }
}

// Marks of lines on the bar of an array; marks closer than a pixel are one.
void draw_marks(Draft& draft, const std::string& id, const Rect& bar, const trace::BufferPlacement& buffer,
                std::span<const std::uint64_t> lines, Ink ink) {
  const float scale = bar.width / static_cast<float>(std::max<std::uint64_t>(1, buffer.bytes));
  const float least = std::min(bar.width, std::max(3.0f, 128 * scale));
  for (std::size_t i = 0; i < lines.size();) {
    const auto left = [&](std::size_t k) {
      return bar.x + std::min(bar.width - least,
                              static_cast<float>(lines[k] - std::min(lines[k], buffer.base)) * scale);
    };
    const float x = left(i);
    float end = x + least;
    std::size_t next = i + 1;
    while (next < lines.size() && left(next) < end + 1) end = left(next++) + least;
    draft.box(fmt::format("{}.{}", id, i), {x, bar.y, end - x, bar.height}, ink, 1);
    i = next;
  }
}

}  // namespace

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
  const float shared =
      bytes.total ? static_cast<float>(bytes.others) / static_cast<float>(bytes.total) : 0.0f;
  const Rect middle{left.right(), bar.y, bar.width * shared, bar.height};
  const Rect right{middle.right(), bar.y, bar.width - left.width - middle.width, bar.height};
  const std::string used = draft.say("view.address_map.used", {{"bytes", bytes_text(bytes.used)}});
  const std::string waste = draft.say(bytes.writes ? "view.address_map.beside" : "view.address_map.wasted",
                                      {{"bytes", bytes_text(bytes.total - bytes.used - bytes.others)}});
  if (left.width >= 1) draft.box("fetched.used", left, Ink::of(Role::Good), 3).tooltip = used;
  draw_others(draft, middle, bytes.others);
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
                      std::span<const std::uint64_t> lines, std::span<const std::uint64_t> block) {
  if (lines.empty()) return;
  Rect words = take_top(r, 18, 2);
  const std::string left = draft.say("view.address_map.array",
                                     {{"name", told_name(buffer.name)}, {"bytes", bytes_text(buffer.bytes)}});
  std::string right =
      draft.say("view.address_map.span", {{"bytes", bytes_text(lines.back() + 128 - lines.front())}});
  const auto inside = [&](std::uint64_t line) {
    return line + 128 > buffer.base && line < buffer.base + buffer.bytes;
  };
  if (!block.empty() && inside(block.front()) && inside(block.back())) {
    const std::uint64_t low = std::min(block.front(), lines.front()),
                        high = std::max(block.back(), lines.back());
    right += " · " + draft.say("view.address_map.span_block", {{"bytes", bytes_text(high + 128 - low)}});
  } else {
    block = {};
  }
  const Rect tail = take_right(words, std::min(words.width * 0.5f, draft.width(right) + 1), kUnit);
  draft.text("array.name", words, left, dim());
  draft.text("array.span", tail, right, dim(kSmall, Align::Right));
  const Rect bar = take_top(r, 10);
  draft.box("array.bar", bar, Ink::of(Role::Raised), 3).tooltip = left;
  const Rect lower{bar.x, bar.y + bar.height * 0.55f, bar.width, bar.height * 0.45f};
  draw_marks(draft, "array.block", lower, buffer, block, Ink::of(Role::Dim));
  draw_marks(draft, "array.mark", bar, buffer, lines, Ink::of(Role::Accent));
}

}  // namespace warplens::visual
