// Which sectors does this warp touch? 32 lanes above, the lines and sectors they ask for below, a path from
// each lane to its bytes. Bytes that come along unused are hatched.
//
// Small panes lose, in this order: the strip of the whole array, the bar of fetched bytes, the sentence.
// Large ones gain element indexes under the lanes and inside the bytes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "engine/analysis/coalescing.h"
#include "engine/analysis/explanations.h"
#include "engine/analysis/local_places.h"
#include "engine/base/told_name.h"
#include "engine/base/typography.h"
#include "visual/access_list.h"
#include "visual/address_map_memory.h"
#include "visual/address_map_overlay.h"
#include "visual/address_map_parts.h"
#include "visual/layout.h"
#include "visual/pick.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

constexpr std::array kSpaces{trace::Space::Global, trace::Space::Local};

bool is_write(trace::SiteKind kind) {
  return kind == trace::SiteKind::Store || kind == trace::SiteKind::Reduction;
}

class AddressMap {
  using Piece = MemoryPlaces::Piece;

 public:
  AddressMap(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    const auto picked = pick_access(draft_.context(), input_, kSpaces);
    if (!picked) return empty();
    facts_.trace = input_.trace;
    facts_.picked = *picked;
    if (is_local())
      lay_out_local();
    else
      explain_global();
    if (input_.overlay && !is_local())
      facts_.others = used_by_others(input_, facts_.picked, facts_.detail.sectors);
    find_buffer();
    facts_.focus = focus();
    facts_.phase = draft_.context().reduce_motion ? snapped(input_.cursor.phase) : input_.cursor.phase;
    Rect rest = header();
    sentence_ = explain();
    place(rest);
    return draft_.finish(transcript());
  }

 private:
  bool is_local() const { return facts_.picked.access.space == trace::Space::Local; }

  void explain_global() {
    const auto& a = facts_.picked.access;
    facts_.detail = analysis::explain_global(a.kind, a.bytes, a.active, a.addresses.data());
  }

  // A thread's offsets become the places of its words in its warp's part of local memory.
  void lay_out_local() {
    auto& a = facts_.picked.access;
    facts_.detail = analysis::explain_local(a.kind, a.bytes, a.active, a.addresses.data());
    for (int lane = 0; lane < kWarpSize; ++lane)
      a.addresses[static_cast<std::size_t>(lane)] =
          analysis::local_place(a.addresses[static_cast<std::size_t>(lane)], lane);
  }

  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.address_map.title")});
    const EmptyWords words = words_of_no_access(input_, "view.address_map.none");
    draft_.empty(rest, draft_.say(words.headline), draft_.say(words.advice));
    return draft_.finish(draft_.say(words.headline));
  }

  static float snapped(float phase) {
    for (const float stop : {kFetched, kGrouped, kArrived})
      if (phase >= stop) return phase >= 1 ? 1 : stop;
    return phase >= 1 ? 1 : 0;
  }

  void find_buffer() {
    for (int lane = 0; lane < kWarpSize && !facts_.buffer && !is_local(); ++lane)
      if (facts_.active(lane)) facts_.buffer = buffer_at(*input_.trace, facts_.address(lane));
  }

  LaneMask focus() const {
    if (const LaneMask lanes = focused_lanes(input_)) return lanes;
    for (const Selection* s : {&input_.hover, &input_.selection})
      if (s->sector)
        for (const analysis::Sector& sector : facts_.detail.sectors)
          if (sector.address == *s->sector) return sector.lanes;
    return 0;
  }

  std::uint64_t fetched_bytes() const { return facts_.detail.sectors.size() * 32; }

  Rect header() {
    const auto& c = facts_.detail.counts;
    // Lanes that share addresses use less than as many sectors hold as lanes of their own would need.
    const bool waste = c.bytes_unique + 32 <= fetched_bytes();
    std::string sub =
        c.sectors > c.sectors_ideal
            ? draft_.say("view.address_map.would_do", {{"n", group_digits(c.sectors_ideal)}})
        : waste ? draft_.say("view.address_map.of_bytes",
                             {{"used", bytes_text(c.bytes_unique)}, {"all", bytes_text(fetched_bytes())}})
                : draft_.say("view.address_map.ideal");
    sub += " · " + draft_.say_count("view.address_map.lines", facts_.detail.lines.size());
    return draft_.header({.title = draft_.say("view.address_map.title"),
                          .about = describe_picked(draft_, facts_.picked),
                          .answer = draft_.say_count("view.address_map.sectors", c.sectors),
                          .sub = sub,
                          .worse = c.sectors > c.sectors_ideal,
                          .evidence = counted(facts_.picked.known)});
  }

  std::string explain() const {
    return sentences(draft_.context().text, analysis::explain_access(*input_.trace, facts_.picked.written));
  }

  std::string transcript() const {
    const auto& c = facts_.detail.counts;
    return draft_.say("view.address_map.transcript",
                      {{"what", describe_picked(draft_, facts_.picked)},
                       {"lanes", value_of(active_lanes(facts_.picked.access.active))},
                       {"sectors", value_of(c.sectors)},
                       {"ideal", value_of(c.sectors_ideal)},
                       {"lines", value_of(facts_.detail.lines.size())},
                       {"used", value_of(c.bytes_unique)},
                       {"fetched", value_of(fetched_bytes())},
                       {"why", sentence_}});
  }

  // Deals out the height, then draws from back to front.
  void place(Rect rest) {
    const float height = rest.height;
    const float chip = std::clamp(height * 0.06f, 20.0f, 44.0f);
    const std::size_t sentence_lines = height < 420 ? 2 : 3;
    const float sentence = draft_.sentence_height(sentence_, rest.width, sentence_lines);
    float spare = height - (18 + chip + 56 + 20 + 48);  // lanes, paths, memory at their smallest
    const auto afford = [&spare](float wanted) {
      if (wanted <= 0 || spare < wanted) return false;
      spare -= wanted;
      return true;
    };
    const bool has_sentence = afford(sentence + kUnit);
    const bool has_bar = afford(20 + kUnit);
    const bool has_strip = facts_.buffer && height > 380 && afford(34 + kUnit);
    const int accesses = height > 680 ? std::clamp(static_cast<int>((height - 560) / 70), 2, 10) : 0;
    const int rows = count_accesses(input_, facts_.picked, kSpaces, accesses);
    const bool has_list = rows > 0 && afford(access_list_height(rows) + 12);
    if (has_sentence) draft_.sentence("why", take_bottom(rest, sentence, 12), sentence_);
    const Rect list = has_list ? take_bottom(rest, access_list_height(rows), 12) : Rect{};
    const Rect strip = has_strip ? take_bottom(rest, 34, kUnit) : Rect{};
    const Rect bar = has_bar ? take_bottom(rest, 20, 12) : Rect{};

    const Rect title = take_top(rest, 16, 2);
    const Rect chips = take_top(rest, chip);
    const bool has_indexes = rest.height > 420 && rest.width / kWarpSize >= 40;
    const Rect indexes = has_indexes ? take_top(rest, 16) : Rect{};
    arrange(rest);
    paths(chips, has_indexes ? 16.0f : 0.0f);
    draw_memory(draft_, facts_, places_);
    captions(title);
    lanes(chips);
    if (has_indexes) lane_indexes(indexes);
    pulses(chips, has_indexes ? 16.0f : 0.0f);
    if (has_bar)
      draw_used_bar(
          draft_, bar,
          {.total = fetched_bytes(),
           .used = std::min(fetched_bytes(), facts_.detail.counts.bytes_unique),
           .others = std::min(facts_.others.extra,
                              fetched_bytes() - std::min(fetched_bytes(), facts_.detail.counts.bytes_unique)),
           .writes = is_write(facts_.picked.access.kind) || is_atomic(facts_.picked.access.kind),
           .seen = ease_between(facts_.phase, kGrouped, kFetched)});
    if (has_strip)
      draw_array_strip(draft_, strip, *facts_.buffer, facts_.detail.lines,
                       input_.overlay ? lines_of_block(input_, facts_.picked) : std::vector<std::uint64_t>{});
    if (has_list) draw_access_list(draft_, list, input_, facts_.picked, kSpaces);
  }

  // Gives the memory its rows at the bottom of `rest`; what remains above is for the paths.
  void arrange(Rect rest) {
    const float label = 34;  // offsets and the name of the line, under each row
    const float caption = 20;
    const float bar_min = 24;
    const float room = rest.height - caption;
    const int max_rows = std::clamp(static_cast<int>(room * 0.66f / (bar_min + label)), 1, 8);
    const float wanted = std::clamp(rest.height * 0.1f, 30.0f, 100.0f);
    places_.rows = arrange_memory(facts_.detail, rest.x, rest.width, wanted, max_rows);
    const auto rows = static_cast<float>(places_.rows.rows);
    const float share = places_.rows.rows == 1 ? 0.34f : 0.62f;
    const float pitch = std::clamp(room * share / rows, std::min(room / rows, bar_min + label),
                                   std::max(150.0f, room * 0.26f));
    places_.bar_height = std::max(12.0f, pitch - label);
    const float used = pitch * rows + caption;
    Rect block = take_bottom(rest, used);
    memory_caption_ = take_top(block, caption - 4, 4);
    for (SectorPlace& s : places_.rows.sectors) {
      s.box.y = block.y + pitch * static_cast<float>(s.row);
      s.box.height = places_.bar_height;
    }
    places_.pitch = pitch;
    places_.top = block.y;
    find_pieces();
  }

  const SectorPlace* place_of(std::uint64_t where) const {
    for (const SectorPlace& s : places_.rows.sectors)
      if (where >= s.address && where - s.address < 32) return &s;
    return nullptr;
  }

  void find_pieces() {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (!facts_.active(lane)) continue;
      const std::uint64_t first = facts_.address(lane);
      const auto same = std::find_if(places_.pieces.begin(), places_.pieces.end(),
                                     [&](const Piece& p) { return p.address == first; });
      if (same != places_.pieces.end()) {
        for (Piece& p : places_.pieces)
          if (p.address == first) p.lanes |= LaneMask{1} << lane;
        continue;
      }
      const auto bytes = static_cast<std::uint64_t>(facts_.picked.access.bytes);
      if (!is_local()) {
        add_pieces(lane, first, first + bytes);
        continue;
      }
      // Words that follow each other in the thread are a line apart.
      for (std::uint64_t at = 0; at < bytes; at += 4)
        add_pieces(lane, first + 32 * at, first + 32 * at + std::min<std::uint64_t>(4, bytes - at));
    }
  }

  void add_pieces(int lane, std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t at = first; at < end;) {
      const std::uint64_t stop = std::min(end, at / 32 * 32 + 32);
      if (const SectorPlace* s = place_of(at)) {
        const float scale = s->box.width / 32;
        const Rect box{s->box.x + static_cast<float>(at - s->address) * scale, s->box.y,
                       static_cast<float>(stop - at) * scale, s->box.height};
        places_.pieces.push_back({LaneMask{1} << lane, box, first});
      }
      at = stop;
    }
  }

  const Piece* piece_of(int lane) const {
    for (const Piece& p : places_.pieces)
      if (p.lanes >> lane & 1u) return &p;
    return nullptr;
  }

  struct Path {
    Point a, b, c, d;
  };
  Path path_of(int lane, const Rect& chips, float below) const {
    const Rect chip = cell_of(chips, lane, kWarpSize, 3);
    const Piece* piece = piece_of(lane);
    const Point from{chip.x + chip.width / 2, chip.bottom() + below + 1};
    const Point to{piece->box.x + piece->box.width / 2, piece->box.y};
    const float bend = (to.y - from.y) * 0.5f;
    return {from, {from.x, from.y + bend}, {to.x, to.y - bend}, to};
  }

  void paths(const Rect& chips, float below) {
    const float t = ease_between(facts_.phase, kIssued, kArrived);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (!facts_.active(lane) || !piece_of(lane)) continue;
      const Path p = path_of(lane, chips, below);
      std::vector<Point> points = part_of_curve(p.a, p.b, p.c, p.d, t);
      if (points.empty()) continue;
      const LaneMask bit = LaneMask{1} << lane;
      const bool hero = facts_.focus & bit;
      Shape& s = draft_.curve(fmt::format("path.{}", lane), std::move(points),
                              Ink::of_lane(lane, facts_.faded(bit) ? 0.18f
                                                 : hero            ? 1.0f
                                                                   : 0.75f),
                              hero ? 2.5f : 1.5f);
      s.target.lane = lane;
      s.tooltip = facts_.tooltip(draft_, lane);
    }
  }

  // Bytes on their way: back up for a load, down for a store.
  void pulses(const Rect& chips, float below) {
    const float t = ease_between(facts_.phase, kFetched, 0.98f);
    if (t <= 0 || t >= 1) return;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (!facts_.active(lane) || !piece_of(lane)) continue;
      const Path p = path_of(lane, chips, below);
      const float along = is_write(facts_.picked.access.kind) ? t : 1 - t;
      const Point at = point_on_curve(p.a, p.b, p.c, p.d, along);
      draft_.disc(fmt::format("pulse.{}", lane), at, 4, Ink::of_lane(lane));
    }
  }

  void lanes(const Rect& chips) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const Rect r = cell_of(chips, lane, kWarpSize, 3);
      const std::string id = fmt::format("lane.{}", lane);
      const std::string number = std::to_string(lane);
      const float size = draft_.largest_size("28", r.width - 4, r.height - 4, kHeading, Face::SansBold);
      const bool on = facts_.active(lane);
      const LaneMask bit = LaneMask{1} << lane;
      const bool helped = facts_.picked.combined() & bit;  // another lane does it for this one
      const bool lit = on && ease_between(facts_.phase, 0, kIssued) >= static_cast<float>(lane) / 64;
      Shape& s = lit ? draft_.box(id, r, Ink::of_lane(lane, facts_.faded(bit) ? 0.35f : 1.0f), 4)
                     : draft_.frame(id, r, Ink::of(Role::Line), 1, 4);
      s.target.lane = lane;
      s.tooltip = on ? facts_.tooltip(draft_, lane)
                     : draft_.say(helped ? "view.access.lane_combined" : "view.access.lane_off",
                                  {{"lane", value_of(lane)}});
      if (!on) s.dashed = true;
      if (helped) {
        s.fill = Ink::of_lane(lane, 0.3f);
        s.stroke = Ink::of_lane(lane);
      }
      if (facts_.focus & bit && on) {
        s.stroke = Ink::of(Role::Text);
        s.stroke_width = 2;
      }
      Ink ink = lit && !facts_.faded(bit) ? Ink{Role::OnLane, 1, static_cast<std::uint8_t>(lane)}
                                          : Ink::of(lit ? Role::Text : Role::Dim);
      // Narrow chips: every fourth number, over the edges of its own chip.
      const bool narrow = !draft_.fits("28", r.width - 1, kTiny, Face::SansBold);
      if (narrow && lane % 4 != 0) continue;
      draft_.text(id + ".number", narrow ? inset(r, -3, 0) : r, number,
                  {size, Face::SansBold, ink, Align::Centre});
    }
  }

  // "[214]" under the lane, where there is room for all of them.
  void lane_indexes(const Rect& row) {
    std::array<std::string, kWarpSize> words;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (!facts_.active(lane)) continue;
      words[static_cast<std::size_t>(lane)] = facts_.index_text(draft_, facts_.address(lane));
      if (!draft_.fits(words[static_cast<std::size_t>(lane)], row.width / kWarpSize - 2, kTiny, Face::Mono))
        return;
    }
    for (int lane = 0; lane < kWarpSize; ++lane)
      if (facts_.active(lane))
        draft_.text(fmt::format("index.{}", lane), cell_of(row, lane, kWarpSize, 0),
                    words[static_cast<std::size_t>(lane)],
                    {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Centre});
  }

  void captions(const Rect& title) {
    const int count = active_lanes(facts_.picked.access.active);
    std::string words = draft_.say("view.caption.lanes");
    if (count < kWarpSize) words += " · " + draft_.say("view.caption.active", {{"n", value_of(count)}});
    Rect left = title;
    if (facts_.phase < 1) steps(take_right(left, left.width * 0.76f, kUnit));
    draft_.caption("caption.lanes", left, words);
    std::string memory = draft_.say("view.caption.memory");
    if (facts_.buffer) {
      const trace::ElementType type = facts_.buffer->type;
      memory += " · " + draft_.say("view.caption.elements", {{"name", told_name(facts_.buffer->name)},
                                                             {"n", value_of(32 / trace::size_of(type))},
                                                             {"type", std::string(trace::name(type))}});
    }
    if (is_local()) memory = draft_.say("view.caption.local_memory");
    // The paths run behind it.
    const float wide = std::min(memory_caption_.width, draft_.width(memory, kTiny, Face::SansBold) + kUnit);
    draft_.box("caption.memory.ground", {memory_caption_.x, memory_caption_.y, wide, memory_caption_.height},
               Ink::of(Role::Ground, 0.9f));
    draft_.caption("caption.memory", memory_caption_, memory);
  }

  // What is happening now, in words, beside what moves.
  std::string now_words(std::size_t stop) const {
    constexpr std::array<std::string_view, 4> keys{"issue", "coalesce", "fetch", "use"};
    std::string key = "view.address_map.now_" + std::string(keys[stop]);
    if (stop == 3 && is_write(facts_.picked.access.kind)) key += "_write";
    return draft_.say(key, {{"lanes", value_of(active_lanes(facts_.picked.access.active))},
                            {"sectors", value_of(facts_.detail.sectors.size())},
                            {"lines", value_of(facts_.detail.lines.size())},
                            {"used", bytes_text(facts_.detail.counts.bytes_unique)},
                            {"fetched", bytes_text(fetched_bytes())}});
  }

  // The words of the stops, the present one lit and told in full where there is room.
  void steps(Rect row) {
    constexpr std::array<std::string_view, 4> keys{"view.stop.issue", "view.stop.coalesce", "view.stop.fetch",
                                                   "view.stop.use"};
    constexpr std::array<float, 4> ends{kArrived, kGrouped, kFetched, 1.0f};
    for (std::size_t i = keys.size(); i-- > 0;) {
      const bool now = facts_.phase <= ends[i] && (i == 0 || facts_.phase > ends[i - 1]);
      std::string word = fmt::format("{} {}", i + 1, draft_.say(keys[i]));
      const std::string full = word + ": " + now_words(i);
      if (now && draft_.fits(full, row.width - 200, kTiny, Face::SansBold)) word = full;
      const float wide = draft_.width(word, kTiny, Face::SansBold) + 2;
      if (wide > row.width) return;
      draft_.text(fmt::format("stop.{}", i), take_right(row, wide, 12), word,
                  {kTiny, Face::SansBold, Ink::of(now ? Role::Accent : Role::Dim), Align::Right});
    }
  }

  Draft draft_;
  const ViewInput& input_;
  MapFacts facts_;
  std::string sentence_;
  MemoryPlaces places_;
  Rect memory_caption_;
};

}  // namespace

Scene address_map(const ViewContext& context, const ViewInput& input) {
  return AddressMap(context, input).run();
}

bool address_map_applies(const ViewInput& input) {
  return input.trace && nearest_step(input, 0, kSpaces) < input.trace->size();
}

}  // namespace warplens::visual
