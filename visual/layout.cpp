#include "visual/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/typography.h"

namespace warplens::visual {

Rect take_top(Rect& rest, float height, float gap) {
  const float h = std::clamp(height, 0.0f, std::max(0.0f, rest.height));
  const Rect out{rest.x, rest.y, rest.width, h};
  const float used = std::min(rest.height, h + gap);
  rest.y += used;
  rest.height -= used;
  return out;
}

Rect take_bottom(Rect& rest, float height, float gap) {
  const float h = std::clamp(height, 0.0f, std::max(0.0f, rest.height));
  const Rect out{rest.x, rest.bottom() - h, rest.width, h};
  rest.height -= std::min(rest.height, h + gap);
  return out;
}

Rect take_left(Rect& rest, float width, float gap) {
  const float w = std::clamp(width, 0.0f, std::max(0.0f, rest.width));
  const Rect out{rest.x, rest.y, w, rest.height};
  const float used = std::min(rest.width, w + gap);
  rest.x += used;
  rest.width -= used;
  return out;
}

Rect take_right(Rect& rest, float width, float gap) {
  const float w = std::clamp(width, 0.0f, std::max(0.0f, rest.width));
  const Rect out{rest.right() - w, rest.y, w, rest.height};
  rest.width -= std::min(rest.width, w + gap);
  return out;
}

Rect inset(Rect r, float x, float y) {
  return {r.x + x, r.y + y, std::max(0.0f, r.width - 2 * x), std::max(0.0f, r.height - 2 * y)};
}

Rect cell_of(const Rect& r, int index, int count, float gap) {
  const float pitch = (r.width + gap) / static_cast<float>(std::max(1, count));
  return {r.x + pitch * static_cast<float>(index), r.y, std::max(0.0f, pitch - gap), r.height};
}

float ease_between(float phase, float from, float to) {
  const float t = std::clamp((phase - from) / std::max(1e-6f, to - from), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

Point point_on_curve(Point a, Point b, Point c, Point d, float t) {
  const auto mix = [t](Point p, Point q) { return Point{p.x + (q.x - p.x) * t, p.y + (q.y - p.y) * t}; };
  const Point ab = mix(a, b), bc = mix(b, c), cd = mix(c, d);
  return mix(mix(ab, bc), mix(bc, cd));
}

std::vector<Point> part_of_curve(Point a, Point b, Point c, Point d, float t) {
  if (t <= 0) return {};
  if (t >= 1) return {a, b, c, d};
  const auto mix = [t](Point p, Point q) { return Point{p.x + (q.x - p.x) * t, p.y + (q.y - p.y) * t}; };
  const Point ab = mix(a, b), bc = mix(b, c), cd = mix(c, d);
  const Point abc = mix(ab, bc), bcd = mix(bc, cd);
  return {a, ab, abc, mix(abc, bcd)};
}

std::string percent_text(double fraction) {
  const double percent = fraction * 100;
  // None and all are said of none and all only; a sum of shares may miss either by a rounding.
  constexpr double kRounding = 1e-9, kTenth = 0.1;
  if (percent > kRounding && percent < kTenth / 2) return "<0.1 %";
  if (percent >= 100 - kTenth / 2 && percent < 100 - kRounding) return "99.9 %";
  const bool whole = std::abs(percent - std::round(percent)) < kTenth / 2 || percent >= 100;
  return fmt::format("{:.{}f} %", percent, whole ? 0 : 1);
}

Ink ink_of(Evidence evidence) {
  switch (evidence) {
    case Evidence::Measured:
      return Ink::of(Role::Accent);
    case Evidence::Counted:
    case Evidence::CountedInMachineCode:
    case Evidence::CountedByRule:
    case Evidence::CountedAsWritten:
      return Ink::of(Role::Good);
    case Evidence::Modelled:
      return Ink::of(Role::Modelled);
  }
  return Ink::of(Role::Modelled);
}

Draft::Draft(const ViewContext& context) : context_(context) {
  scene_.size = context.size;
  scene_.shapes.reserve(512);
}

std::string Draft::say(std::string_view key,
                       std::initializer_list<std::pair<std::string, MessageValue>> values) const {
  return context_.text.text(Message{std::string(key), values});
}

std::string Draft::word(const MessageValue& value) const {
  return say("place.itself", {{"place", value}});
}

std::string Draft::say_count(std::string_view key, std::uint64_t n) const {
  return say(key, {{"n", value_of(n)}});
}

Shape& Draft::box(std::string id, const Rect& r, Ink fill, float radius) {
  Shape& s = scene_.shapes.emplace_back();
  s.kind = ShapeKind::Box;
  s.id = std::move(id);
  s.box = {r.x, r.y, std::max(0.0f, r.width), std::max(0.0f, r.height)};
  s.fill = fill;
  s.radius = radius;
  return s;
}

Shape& Draft::frame(std::string id, const Rect& r, Ink stroke, float width, float radius) {
  // Inside its rectangle, so that frames of neighbours do not overlap.
  Shape& s = box(std::move(id), inset(r, width / 2, width / 2), {}, radius);
  s.stroke = stroke;
  s.stroke_width = width;
  return s;
}

Shape& Draft::disc(std::string id, Point centre, float radius, Ink fill) {
  Shape& s = box(std::move(id), {centre.x - radius, centre.y - radius, 2 * radius, 2 * radius}, fill);
  s.kind = ShapeKind::Disc;
  return s;
}

namespace {

Rect bounds_of(const std::vector<Point>& points) {
  if (points.empty()) return {};
  float left = points[0].x, right = left, top = points[0].y, bottom = top;
  for (const Point p : points) {
    left = std::min(left, p.x);
    right = std::max(right, p.x);
    top = std::min(top, p.y);
    bottom = std::max(bottom, p.y);
  }
  return {left, top, right - left, bottom - top};
}

}  // namespace

Shape& Draft::line(std::string id, std::vector<Point> points, Ink stroke, float width) {
  Shape& s = scene_.shapes.emplace_back();
  s.kind = ShapeKind::Line;
  s.id = std::move(id);
  s.box = bounds_of(points);
  s.points = std::move(points);
  s.stroke = stroke;
  s.stroke_width = width;
  return s;
}

Shape& Draft::curve(std::string id, std::vector<Point> points, Ink stroke, float width) {
  Shape& s = line(std::move(id), std::move(points), stroke, width);
  s.kind = ShapeKind::Curve;
  return s;
}

Shape& Draft::polygon(std::string id, std::vector<Point> points, Ink fill) {
  Shape& s = line(std::move(id), std::move(points), {}, 0);
  s.kind = ShapeKind::Polygon;
  s.fill = fill;
  return s;
}

Shape& Draft::text(std::string id, const Rect& r, std::string_view text, const TextStyle& style) {
  Shape& s = scene_.shapes.emplace_back();
  s.kind = ShapeKind::Text;
  s.id = std::move(id);
  s.box = {r.x, r.y, std::max(0.0f, r.width), std::max(0.0f, r.height)};
  s.face = style.face;
  s.font_size = style.size;
  s.align = style.align;
  s.fill = style.ink;
  s.is_label = true;
  s.text = shorten(text, r.width, style.size, style.face);
  if (s.text.size() != text.size()) s.tooltip = text;
  return s;
}

float Draft::width(std::string_view text, float size, Face face) const {
  return context_.measure.measure(text, face, size).width;
}

bool Draft::fits(std::string_view text, float available, float size, Face face) const {
  return width(text, size, face) <= available;
}

std::string Draft::shorten(std::string_view text, float available, float size, Face face) const {
  if (fits(text, available, size, face)) return std::string(text);
  std::vector<std::size_t> ends{0};
  for (std::size_t i = 0; i < text.size();) ends.push_back(i += character_length(text.substr(i)));
  std::size_t low = 0, high = ends.size() - 1;  // characters that certainly fit, and certainly do not
  while (low + 1 < high) {
    const std::size_t middle = (low + high) / 2;
    (fits(std::string(text.substr(0, ends[middle])) + "…", available, size, face) ? low : high) = middle;
  }
  if (low == 0) return fits("…", available, size, face) ? "…" : "";
  std::string out(text.substr(0, ends[low]));
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out + "…";
}

std::vector<std::string> Draft::wrap(std::string_view text, float available, float size, Face face,
                                     std::size_t lines) const {
  std::vector<std::string> out;
  std::string current;
  const auto without_blanks = [](std::string line) {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
  };
  const std::vector<std::string_view> pieces = line_pieces(text);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::string longer = current + std::string(pieces[i]);
    if (current.empty() || fits(without_blanks(longer), available, size, face)) {
      current = std::move(longer);
      continue;
    }
    if (out.size() + 1 == lines) {  // the last line takes the rest, cut
      for (; i < pieces.size(); ++i) current += pieces[i];
      break;
    }
    out.push_back(without_blanks(current));
    current = pieces[i];
  }
  if (!current.empty()) out.push_back(shorten(without_blanks(current), available, size, face));
  return out;
}

float Draft::largest_size(std::string_view text, float available, float height, float largest,
                          Face face) const {
  for (const float size : {kHuge, kLarge, kHeading, kBody, kSmall})
    if (size <= largest && size * 1.2f <= height && fits(text, available, size, face)) return size;
  return kTiny;
}

std::string Draft::badge_word(Evidence evidence, std::string_view of, float most) const {
  const std::string key = std::string("view.evidence.") + std::string(name(evidence));
  const auto with = [&](const std::string& word) {
    return of.empty() ? word : word + " · " + std::string(of);
  };
  const std::string word = with(say(key));
  const bool shorter = most > 0 && badge_width(word) > most && context_.text.has(key + "_short");
  return shorter ? with(say(key + "_short")) : word;
}

float Draft::badge_width(std::string_view word) const {
  return width(word, kTiny, Face::SansBold) + 12;
}

float Draft::badge(std::string id, Point top_right, Evidence evidence, std::string_view of, float most) {
  const std::string word = badge_word(evidence, of, most);
  const Ink ink = of.empty() ? ink_of(evidence) : Ink::of(Role::Warn);
  const float wide = badge_width(word);
  const Rect r{top_right.x - wide, top_right.y, wide, 16};
  Shape& outline = frame(id, r, ink, 1, 3);
  outline.tooltip = say(std::string("view.evidence.") + std::string(name(evidence)) + "_means");
  text(id + ".word", r, word, {kTiny, Face::SansBold, ink, Align::Centre});
  return wide;
}

constexpr std::string_view kBetweenParts = " · ";  // parts of a heading

Rect Draft::header(const Heading& heading) {
  scene_.title = heading.title;
  scene_.answer = heading.answer;
  scene_.answer_is_worse = heading.worse;
  scene_.evidence = heading.evidence;
  scene_.evidence_of = heading.evidence_of;
  const bool tiny = is_tiny();
  Rect rest = inset({0, 0, context_.size.width, context_.size.height}, kMargin, tiny ? kUnit : 12);
  const float answer_size = tiny ? kLarge : kHuge;
  const Rect first = take_top(rest, tiny ? 26 : 32, tiny ? 0 : 2);
  Rect second = take_top(rest, kTextRow, tiny ? 4 : kUnit);

  Rect title = first;
  if (!heading.answer.empty()) {
    const float wide = std::min(first.width, width(heading.answer, answer_size, Face::SansBold) + 1);
    const Rect answer = take_right(title, wide, 2 * kUnit);
    text("answer", answer, heading.answer,
         {answer_size, Face::SansBold, Ink::of(heading.worse ? Role::Warn : Role::Text), Align::Right});
  }
  const float title_size = fits(heading.title, title.width, kHeading, Face::SansBold) ? kHeading : kBody;
  text("title", title, heading.title, {title_size, Face::SansBold});

  if (heading.evidence) {
    const float wide = badge("evidence", {second.right(), second.y + 2}, *heading.evidence,
                             heading.evidence_of, second.width * 0.2f);
    take_right(second, wide, kUnit);
  }
  if (!heading.sub.empty()) {
    // What has no room loses whole parts before it is cut.
    const float room = second.width * (heading.about.empty() ? 1.0f : 0.6f);
    std::string said = heading.sub;
    for (std::size_t end; width(said) + 1 > room && (end = said.rfind(kBetweenParts)) != std::string::npos;)
      said.resize(end);
    const Rect sub = take_right(second, std::min(width(said) + 1, room), 2 * kUnit);
    Shape& shown = text("sub", sub, said, dim(kSmall, Align::Right));
    if (said != heading.sub) shown.tooltip = heading.sub;
  }
  if (heading.about.empty()) return rest;
  if (!heading.about_in_full || tiny || fits(heading.about, second.width)) {
    text("about", second, heading.about, dim());
    return rest;
  }
  // It breaks between its parts where it can.
  const auto rows = wrap(heading.about, second.width, kSmall, Face::Sans, ~std::size_t{0});
  std::string_view first_row = rows.front();
  if (const std::size_t end = first_row.rfind(kBetweenParts); end != std::string_view::npos && end > 0)
    first_row = first_row.substr(0, end);
  text("about", second, first_row, dim());
  std::string_view more = std::string_view(heading.about).substr(first_row.size());
  if (more.starts_with(kBetweenParts)) more.remove_prefix(kBetweenParts.size());
  const std::size_t begin = more.find_first_not_of(' ');
  if (begin != std::string_view::npos)
    text("about.more", take_top(rest, kTextRow - 2, 2), more.substr(begin), dim());
  return rest;
}

void Draft::caption(std::string id, const Rect& r, std::string_view words) {
  text(std::move(id), r, words, {kTiny, Face::SansBold, Ink::of(Role::Dim), Align::Left});
}

namespace {
constexpr float kSentencePad = 12, kSentenceRow = 20;
}

// An argument that breaks off in its middle is none.
std::string Draft::said_in(std::string_view words, float width, std::size_t lines) const {
  return whole_sentences(words, lines, [&](std::string_view some) {
    return wrap(some, width, kBody, Face::Sans, ~std::size_t{0}).size();
  });
}

float Draft::sentence_height(std::string_view words, float available, std::size_t lines) const {
  if (words.empty() || lines == 0) return 0;
  // A high pane has room for what a narrow one takes.
  if (context_.size.height >= 480) lines += 2;
  const float inner = available - 2 * kSentencePad - 4;
  const auto rows = wrap(said_in(words, inner, lines), inner, kBody, Face::Sans, lines).size();
  return static_cast<float>(rows) * kSentenceRow + kSentencePad;
}

void Draft::sentence(std::string id, const Rect& r, std::string_view words) {
  if (r.height < kSentenceRow + kSentencePad) return;
  box(id, r, Ink::of(Role::Raised), 4);
  box(id + ".bar", {r.x, r.y, 3, r.height}, Ink::of(Role::Accent), 1.5f);
  Rect inner{r.x + kSentencePad + 4, r.y + kSentencePad / 2, r.width - 2 * kSentencePad - 4,
             r.height - kSentencePad};
  const auto room = static_cast<std::size_t>(inner.height / kSentenceRow + 0.01f);
  int row = 0;
  for (const std::string& line :
       wrap(said_in(words, inner.width, room), inner.width, kBody, Face::Sans, room))
    text(fmt::format("{}.{}", id, row++), take_top(inner, kSentenceRow), line, {kBody}).tooltip = words;
}

void Draft::empty(const Rect& r, std::string_view headline, std::string_view advice) {
  const auto lines = wrap(advice, std::min(r.width - 2 * kMargin, 560.0f), kBody, Face::Sans, 3);
  const float chip = std::clamp(r.height * 0.08f, 12.0f, 32.0f);
  const float height = chip + 24 + 28 + static_cast<float>(lines.size()) * 22;
  Rect rest{r.x, r.y + std::max(0.0f, (r.height - height) * 0.42f), r.width, height};
  Rect row = take_top(rest, chip, 24);
  row = inset(row, std::max(0.0f, (row.width - 720) / 2), 0);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    Shape& ghost =
        frame(fmt::format("ghost.{}", lane), cell_of(row, lane, kWarpSize, 3), Ink::of(Role::Line), 1, 3);
    ghost.dashed = true;
  }
  text("empty.headline", take_top(rest, 28), headline,
       {kHeading, Face::SansBold, Ink::of(Role::Text), Align::Centre});
  int index = 0;
  for (const std::string& line : lines)
    text(fmt::format("empty.advice.{}", index++), take_top(rest, 22), line, dim(kBody, Align::Centre));
}

Scene Draft::finish(std::string transcript) {
  scene_.transcript = std::move(transcript);
  return std::move(scene_);
}

}  // namespace warplens::visual
