// What all views share, so that they look like one program: one unit, one type scale, one header, one way to
// write, to fold and to be empty. See docs/DESIGN-LANGUAGE.md.
//
//   Scene bank_view(const ViewContext& context, const ViewInput& input) {
//     Draft draft(context);
//     Rect rest = draft.header({.title = draft.say("view.bank_view.title"), .answer = "2 passes"});
//     const Rect row = take_top(rest, 32);
//     draft.box("cell.0", row, Ink::of_lane(0), 3).tooltip = "lane 0";
//     return draft.finish("transcript");
//   }
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/evidence.h"
#include "engine/base/message.h"
#include "engine/base/number_text.h"
#include "visual/scene.h"
#include "visual/view.h"

namespace warplens::visual {

inline constexpr float kUnit = 8;  // every distance is a multiple or a half of it
inline constexpr float kMargin = 16;
// The type scale; nothing is drawn in another size.
inline constexpr float kTiny = 11, kSmall = 13, kBody = 14, kHeading = 16, kLarge = 22, kHuge = 28;
inline constexpr float kTextRow = 20;  // height of a row of kSmall or kBody

struct TextStyle {
  float size = kSmall;
  Face face = Face::Sans;
  Ink ink = Ink::of(Role::Text);
  Align align = Align::Left;
};
inline TextStyle dim(float size = kSmall, Align align = Align::Left) {
  return {size, Face::Sans, Ink::of(Role::Dim), align};
}

// Space is dealt out by cutting strips from what is left. Never negative.
Rect take_top(Rect& rest, float height, float gap = 0);
Rect take_bottom(Rect& rest, float height, float gap = 0);
Rect take_left(Rect& rest, float width, float gap = 0);
Rect take_right(Rect& rest, float width, float gap = 0);
Rect inset(Rect r, float x, float y);
Rect cell_of(const Rect& r, int index, int count, float gap);  // one of `count` equal columns

// Time inside a phase of an animation: 0 before `from`, 1 after `to`, eased between.
float ease_between(float phase, float from, float to);
// The first part of a cubic Bezier, up to t; empty for t <= 0.
std::vector<Point> part_of_curve(Point a, Point b, Point c, Point d, float t);
Point point_on_curve(Point a, Point b, Point c, Point d, float t);

using warplens::bytes_text;
using warplens::group_digits;
using warplens::plain_number;
std::string percent_text(double fraction);  // 50 %; 0 and 100 only where it is none and all

struct Heading {
  std::string title = {};      // the question
  std::string about = {};      // under it: what is looked at
  bool about_in_full = false;  // it stays the same while time runs: a second row, where one is too short
  std::string answer = {};     // one number with its unit
  std::string sub = {};        // under it: what it is compared with
  bool worse = false;          // than ideal
  std::optional<Evidence> evidence = {};
  std::string evidence_of = {};  // stands in the badge: the GPU that measured it, where it is another one
};

class Draft {
 public:
  explicit Draft(const ViewContext& context);

  const ViewContext& context() const { return context_; }
  bool is_tiny() const { return context_.size.width < 700 || context_.size.height < 420; }

  std::string say(std::string_view key) const { return context_.text.text(key); }
  std::string say(std::string_view key,
                  std::initializer_list<std::pair<std::string, MessageValue>> values) const;
  // key.one when n is 1, key.many otherwise, with {n} grouped in threes.
  // A value as it stands in a message.
  std::string word(const MessageValue& value) const;
  std::string say_count(std::string_view key, std::uint64_t n) const;

  // The references are valid until the next shape is added.
  Shape& box(std::string id, const Rect& r, Ink fill, float radius = 0);
  Shape& frame(std::string id, const Rect& r, Ink stroke, float width = 1, float radius = 0);
  Shape& disc(std::string id, Point centre, float radius, Ink fill);
  Shape& line(std::string id, std::vector<Point> points, Ink stroke, float width = 1);
  Shape& curve(std::string id, std::vector<Point> points, Ink stroke, float width = 1);
  Shape& polygon(std::string id, std::vector<Point> points, Ink fill);
  // Cut with an ellipsis where the box is too narrow, the whole then being the tooltip.
  Shape& text(std::string id, const Rect& r, std::string_view text, const TextStyle& style = {});

  float width(std::string_view text, float size = kSmall, Face face = Face::Sans) const;
  bool fits(std::string_view text, float width, float size = kSmall, Face face = Face::Sans) const;
  std::string shorten(std::string_view text, float width, float size, Face face) const;
  // Breaks at spaces, and between Chinese characters; at most `lines`, the last one cut with an ellipsis.
  std::vector<std::string> wrap(std::string_view text, float width, float size, Face face,
                                std::size_t lines) const;
  // The largest size of the type scale, from kTiny to `largest`, at which the text fits.
  float largest_size(std::string_view text, float width, float height, float largest, Face face) const;

  // Draws title, answer and what goes with them; returns the space below.
  Rect header(const Heading& heading);
  // A small outlined word: measured, counted, modelled. Returns its width.
  // `of`: the GPU that measured it, where the view is about another.
  float badge(std::string id, Point top_right, Evidence evidence, std::string_view of = {}, float most = 0);
  std::string badge_word(Evidence evidence, std::string_view of = {}, float most = 0) const;
  float badge_width(std::string_view word) const;
  void caption(std::string id, const Rect& r, std::string_view text);  // small capitals over a part

  // An explanation, beside an accent bar. Height for a given width, then the drawing.
  float sentence_height(std::string_view text, float width, std::size_t lines) const;
  void sentence(std::string id, const Rect& r, std::string_view text);

  // Nothing to show: says what is missing and what to do about it, over a faint row of lanes.
  void empty(const Rect& r, std::string_view headline, std::string_view advice);

  Scene finish(std::string transcript);

 private:
  std::string said_in(std::string_view words, float width, std::size_t lines) const;

  const ViewContext& context_;
  Scene scene_;
};

Ink ink_of(Evidence evidence);

}  // namespace warplens::visual
