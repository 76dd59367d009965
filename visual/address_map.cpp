// Which sectors does this warp touch? 32 lanes above, the lines and sectors they ask for below, a path from
// each lane to its bytes. Bytes that come along unused are hatched.
//
// Small panes lose, in this order: the strip of the whole array, the sentence, the bar of fetched bytes.
// Large ones gain element indexes under the lanes and inside the bytes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "engine/analysis/coalescing.h"
#include "engine/analysis/explanations.h"
#include "visual/access_list.h"
#include "visual/address_map_overlay.h"
#include "visual/address_map_parts.h"
#include "visual/layout.h"
#include "visual/memory_rows.h"
#include "visual/pick.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

constexpr std::array kSpaces{trace::Space::Global};

// When what happens inside one step; the stops of the transport are the ends of these.
constexpr float kIssued = 0.10f, kArrived = 0.42f, kGrouped = 0.62f, kFetched = 0.76f;

bool is_write(trace::SiteKind kind) {
  return kind == trace::SiteKind::Store || kind == trace::SiteKind::Reduction;
}

bool is_atomic(trace::SiteKind kind) {
  return kind == trace::SiteKind::Atomic || kind == trace::SiteKind::Reduction ||
         kind == trace::SiteKind::CompareAndSwap;
}

class AddressMap {
 public:
  AddressMap(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    const auto picked = pick_access(draft_.context(), input_, kSpaces);
    if (!picked) return empty();
    picked_ = *picked;
    const auto& a = picked_.access;
    detail_ = analysis::explain_global(a.kind, a.bytes, a.active, a.addresses.data());
    if (input_.overlay) others_ = used_by_others(input_, picked_, detail_.sectors);
    find_buffer();
    focus_ = focus();
    phase_ = draft_.context().reduce_motion ? snapped(input_.cursor.phase) : input_.cursor.phase;
    Rect rest = header();
    sentence_ = explain();
    place(rest);
    return draft_.finish(transcript());
  }

 private:
  struct Piece {  // bytes of one address that lie in one sector
    LaneMask lanes = 0;
    Rect box;
    std::uint64_t address = 0;
  };

  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.address_map.title")});
    const bool nothing = !input_.trace || input_.trace->size() == 0;
    draft_.empty(rest, draft_.say(nothing ? "view.empty.headline" : "view.address_map.none"),
                 draft_.say(nothing ? "view.empty.advice" : "view.address_map.none_advice"));
    return draft_.finish(draft_.say(nothing ? "view.empty.headline" : "view.address_map.none"));
  }

  static float snapped(float phase) {
    for (const float stop : {kFetched, kGrouped, kArrived})
      if (phase >= stop) return phase >= 1 ? 1 : stop;
    return phase >= 1 ? 1 : 0;
  }

  void find_buffer() {
    for (int lane = 0; lane < kWarpSize && !buffer_; ++lane)
      if (active(lane)) buffer_ = buffer_at(*input_.trace, address(lane));
  }

  bool active(int lane) const { return picked_.access.active >> lane & 1u; }
  std::uint64_t address(int lane) const { return picked_.access.addresses[static_cast<std::size_t>(lane)]; }
  std::string place_name(std::uint64_t where) const {
    return input_.trace->describe(picked_.access.space, where);
  }
  // Addresses are shown from the start of their buffer: the base differs from run to run.
  std::uint64_t shown(std::uint64_t where) const {
    return buffer_ && where >= buffer_->base && where - buffer_->base <= buffer_->bytes + 128
               ? where - buffer_->base
               : where;
  }

  LaneMask focus() const {
    if (const LaneMask lanes = focused_lanes(input_)) return lanes;
    for (const Selection* s : {&input_.hover, &input_.selection})
      if (s->sector)
        for (const analysis::Sector& sector : detail_.sectors)
          if (sector.address == *s->sector) return sector.lanes;
    return 0;
  }
  bool faded(LaneMask lanes) const { return focus_ != 0 && (lanes & focus_) == 0; }

  std::uint64_t fetched_bytes() const { return detail_.sectors.size() * 32; }

  Rect header() {
    const auto& c = detail_.counts;
    std::string sub = c.sectors > c.sectors_ideal
                          ? draft_.say("view.address_map.would_do", {{"n", group_digits(c.sectors_ideal)}})
                          : draft_.say("view.address_map.ideal");
    sub += " · " + draft_.say_count("view.address_map.lines", detail_.lines.size());
    return draft_.header({.title = draft_.say("view.address_map.title"),
                          .about = describe_picked(draft_, picked_),
                          .answer = draft_.say_count("view.address_map.sectors", c.sectors),
                          .sub = sub,
                          .worse = c.sectors > c.sectors_ideal,
                          .evidence = Evidence::Counted});
  }

  std::string explain() const {
    std::string out;
    for (const Message& message : analysis::explain_access(*input_.trace, picked_.written)) {
      if (!out.empty() && draft_.context().text.language() != "zh") out += " ";
      out += draft_.context().text.text(message);
    }
    return out;
  }

  std::string transcript() const {
    const auto& c = detail_.counts;
    return draft_.say("view.address_map.transcript",
                      {{"what", describe_picked(draft_, picked_)},
                       {"lanes", value_of(active_lanes(picked_.access.active))},
                       {"sectors", value_of(c.sectors)},
                       {"ideal", value_of(c.sectors_ideal)},
                       {"lines", value_of(detail_.lines.size())},
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
    const bool has_bar = afford(20 + kUnit);
    const bool has_sentence = afford(sentence + kUnit);
    const bool has_strip = buffer_ && height > 380 && afford(34 + kUnit);
    const int accesses = height > 680 ? std::clamp(static_cast<int>((height - 560) / 70), 2, 10) : 0;
    const int rows = count_accesses(input_, picked_, kSpaces, accesses);
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
    memory();
    captions(title);
    lanes(chips);
    if (has_indexes) lane_indexes(indexes);
    pulses(chips, has_indexes ? 16.0f : 0.0f);
    if (has_bar)
      draw_used_bar(
          draft_, bar,
          {.total = fetched_bytes(),
           .used = std::min(fetched_bytes(), detail_.counts.bytes_unique),
           .others = std::min(others_.extra,
                              fetched_bytes() - std::min(fetched_bytes(), detail_.counts.bytes_unique)),
           .writes = is_write(picked_.access.kind) || is_atomic(picked_.access.kind),
           .seen = ease_between(phase_, kGrouped, kFetched)});
    if (has_strip)
      draw_array_strip(draft_, strip, *buffer_, detail_.lines,
                       input_.overlay ? lines_of_block(input_, picked_) : std::vector<std::uint64_t>{});
    if (has_list) draw_access_list(draft_, list, input_, picked_, kSpaces);
  }

  // Gives the memory its rows at the bottom of `rest`; what remains above is for the paths.
  void arrange(Rect rest) {
    const float label = 34;  // offsets and the name of the line, under each row
    const float caption = 20;
    const float bar_min = 24;
    const float room = rest.height - caption;
    const int max_rows = std::clamp(static_cast<int>(room * 0.66f / (bar_min + label)), 1, 8);
    const float wanted = std::clamp(rest.height * 0.1f, 30.0f, 100.0f);
    rows_ = arrange_memory(detail_, rest.x, rest.width, wanted, max_rows);
    const auto rows = static_cast<float>(rows_.rows);
    const float share = rows_.rows == 1 ? 0.34f : 0.62f;
    const float pitch = std::clamp(room * share / rows, std::min(room / rows, bar_min + label),
                                   std::max(150.0f, room * 0.26f));
    bar_height_ = std::max(12.0f, pitch - label);
    const float used = pitch * rows + caption;
    Rect block = take_bottom(rest, used);
    memory_caption_ = take_top(block, caption - 4, 4);
    for (SectorPlace& s : rows_.sectors) {
      s.box.y = block.y + pitch * static_cast<float>(s.row);
      s.box.height = bar_height_;
    }
    pitch_ = pitch;
    memory_top_ = block.y;
    find_pieces();
  }

  const SectorPlace* place_of(std::uint64_t where) const {
    for (const SectorPlace& s : rows_.sectors)
      if (where >= s.address && where - s.address < 32) return &s;
    return nullptr;
  }

  void find_pieces() {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (!active(lane)) continue;
      const std::uint64_t first = address(lane);
      const auto same =
          std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& p) { return p.address == first; });
      if (same != pieces_.end()) {
        for (Piece& p : pieces_)
          if (p.address == first) p.lanes |= LaneMask{1} << lane;
        continue;
      }
      const std::uint64_t end = first + static_cast<std::uint64_t>(picked_.access.bytes);
      for (std::uint64_t at = first; at < end;) {
        const std::uint64_t stop = std::min(end, at / 32 * 32 + 32);
        if (const SectorPlace* s = place_of(at)) {
          const float scale = s->box.width / 32;
          const Rect box{s->box.x + static_cast<float>(at - s->address) * scale, s->box.y,
                         static_cast<float>(stop - at) * scale, s->box.height};
          pieces_.push_back({LaneMask{1} << lane, box, first});
        }
        at = stop;
      }
    }
  }

  const Piece* piece_of(int lane) const {
    for (const Piece& p : pieces_)
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
    const float t = ease_between(phase_, kIssued, kArrived);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (!active(lane) || !piece_of(lane)) continue;
      const Path p = path_of(lane, chips, below);
      std::vector<Point> points = part_of_curve(p.a, p.b, p.c, p.d, t);
      if (points.empty()) continue;
      const LaneMask bit = LaneMask{1} << lane;
      const bool hero = focus_ & bit;
      Shape& s = draft_.curve(fmt::format("path.{}", lane), std::move(points),
                              Ink::of_lane(lane, faded(bit) ? 0.18f
                                                 : hero     ? 1.0f
                                                            : 0.75f),
                              hero ? 2.5f : 1.5f);
      s.target.lane = lane;
      s.tooltip = tooltip(lane);
    }
  }

  // Bytes on their way: back up for a load, down for a store.
  void pulses(const Rect& chips, float below) {
    const float t = ease_between(phase_, kFetched, 0.98f);
    if (t <= 0 || t >= 1) return;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (!active(lane) || !piece_of(lane)) continue;
      const Path p = path_of(lane, chips, below);
      const float along = is_write(picked_.access.kind) ? t : 1 - t;
      const Point at = point_on_curve(p.a, p.b, p.c, p.d, along);
      draft_.disc(fmt::format("pulse.{}", lane), at, 4, Ink::of_lane(lane));
    }
  }

  std::string tooltip(int lane) const {
    const std::uint64_t where = address(lane);
    return lane_tooltip(draft_, picked_.access.kind, lane, place_name(where)) + "\n" +
           draft_.say("view.address_map.byte_of_line",
                      {{"byte", value_of(where % 128)},
                       {"line", fmt::format("{:#x}", shown(where / 128 * 128))},
                       {"sector", value_of(where % 128 / 32)}});
  }

  void lanes(const Rect& chips) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const Rect r = cell_of(chips, lane, kWarpSize, 3);
      const std::string id = fmt::format("lane.{}", lane);
      const std::string number = std::to_string(lane);
      const float size = draft_.largest_size("28", r.width - 4, r.height - 4, kHeading, Face::SansBold);
      const bool on = active(lane);
      const LaneMask bit = LaneMask{1} << lane;
      const bool helped = picked_.combined() & bit;  // another lane does it for this one
      const bool lit = on && ease_between(phase_, 0, kIssued) >= static_cast<float>(lane) / 64;
      Shape& s = lit ? draft_.box(id, r, Ink::of_lane(lane, faded(bit) ? 0.35f : 1.0f), 4)
                     : draft_.frame(id, r, Ink::of(Role::Line), 1, 4);
      s.target.lane = lane;
      s.tooltip = on ? tooltip(lane)
                     : draft_.say(helped ? "view.access.lane_combined" : "view.access.lane_off",
                                  {{"lane", value_of(lane)}});
      if (!on) s.dashed = true;
      if (helped) {
        s.fill = Ink::of_lane(lane, 0.3f);
        s.stroke = Ink::of_lane(lane);
      }
      if (focus_ & bit && on) {
        s.stroke = Ink::of(Role::Text);
        s.stroke_width = 2;
      }
      Ink ink = lit && !faded(bit) ? Ink{Role::OnLane, 1, static_cast<std::uint8_t>(lane)}
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
      if (!active(lane)) continue;
      const std::string name = place_name(address(lane));
      const std::size_t bracket = name.find('[');
      words[static_cast<std::size_t>(lane)] = bracket == std::string::npos ? name : name.substr(bracket);
      if (!draft_.fits(words[static_cast<std::size_t>(lane)], row.width / kWarpSize - 2, kTiny, Face::Mono))
        return;
    }
    for (int lane = 0; lane < kWarpSize; ++lane)
      if (active(lane))
        draft_.text(fmt::format("index.{}", lane), cell_of(row, lane, kWarpSize, 0),
                    words[static_cast<std::size_t>(lane)],
                    {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Centre});
  }

  void captions(const Rect& title) {
    const int count = active_lanes(picked_.access.active);
    std::string words = draft_.say("view.caption.lanes");
    if (count < kWarpSize) words += " · " + draft_.say("view.caption.active", {{"n", value_of(count)}});
    Rect left = title;
    if (phase_ < 1) steps(take_right(left, left.width * 0.76f, kUnit));
    draft_.caption("caption.lanes", left, words);
    std::string memory = draft_.say("view.caption.memory");
    if (buffer_) {
      const int element = trace::size_of(buffer_->type);
      memory +=
          " · " + draft_.say("view.caption.elements", {{"name", buffer_->name},
                                                       {"n", value_of(32 / element)},
                                                       {"type", std::string(trace::name(buffer_->type))}});
    }
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
    if (stop == 3 && is_write(picked_.access.kind)) key += "_write";
    return draft_.say(key, {{"lanes", value_of(active_lanes(picked_.access.active))},
                            {"sectors", value_of(detail_.sectors.size())},
                            {"lines", value_of(detail_.lines.size())},
                            {"used", bytes_text(detail_.counts.bytes_unique)},
                            {"fetched", bytes_text(fetched_bytes())}});
  }

  // The words of the stops, the present one lit and told in full where there is room.
  void steps(Rect row) {
    constexpr std::array<std::string_view, 4> keys{"view.stop.issue", "view.stop.coalesce", "view.stop.fetch",
                                                   "view.stop.use"};
    constexpr std::array<float, 4> ends{kArrived, kGrouped, kFetched, 1.0f};
    for (std::size_t i = keys.size(); i-- > 0;) {
      const bool now = phase_ <= ends[i] && (i == 0 || phase_ > ends[i - 1]);
      std::string word = fmt::format("{} {}", i + 1, draft_.say(keys[i]));
      const std::string full = word + ": " + now_words(i);
      if (now && draft_.fits(full, row.width - 200, kTiny, Face::SansBold)) word = full;
      const float wide = draft_.width(word, kTiny, Face::SansBold) + 2;
      if (wide > row.width) return;
      draft_.text(fmt::format("stop.{}", i), take_right(row, wide, 12), word,
                  {kTiny, Face::SansBold, Ink::of(now ? Role::Accent : Role::Dim), Align::Right});
    }
  }

  void memory() {
    const float sectors = ease_between(phase_, kArrived, kGrouped);
    for (const SectorPlace& s : rows_.sectors) sector(s, sectors);
    for (const Piece& p : pieces_) piece(p);
    labels();
  }

  void sector(const SectorPlace& s, float seen) {
    const std::string id = fmt::format("sector.{:#x}", s.address);
    if (!s.sector) {
      Shape& shape = draft_.frame(id, s.box, Ink::of(Role::Line), 1, 3);
      shape.dashed = true;
      shape.tooltip =
          draft_.say("view.address_map.not_fetched", {{"address", fmt::format("{:#x}", shown(s.address))}});
      return;
    }
    if (rows_.rows > 1)
      draft_.box(id + ".ground", s.box, Ink::of(Role::Ground), 3);  // hides paths to lower rows
    // Where every byte is asked for, nothing is left to hatch.
    const bool full = s.sector->used == 0xffffffffu;
    Shape& shape = draft_.box(id, s.box, full ? Ink::of(Role::Panel) : Ink::of(Role::Dim, 0.55f * seen), 3);
    if (!full) shape.pattern = Pattern::Hatched;
    const bool hero = focus_ && !faded(s.sector->lanes);
    shape.stroke = hero ? Ink::of(Role::Text) : Ink::of(seen >= 1 ? Role::Dim : Role::Line, 0.8f);
    shape.stroke_width = hero ? 2.0f : 1.0f;
    shape.target.sector = s.address;
    const int used = std::popcount(s.sector->used);
    shape.tooltip =
        draft_.say("view.address_map.sector", {{"address", fmt::format("{:#x}", shown(s.address))},
                                               {"used", value_of(used)},
                                               {"wasted", value_of(32 - used)},
                                               {"lanes", lanes_text(s.sector->lanes)}});
    other_bytes(s);
  }

  // Runs of bytes in this sector that other accesses of the warp use.
  void other_bytes(const SectorPlace& s) {
    if (others_.extra == 0 || phase_ < kFetched) return;
    const std::uint32_t bytes = others_.bytes[static_cast<std::size_t>(s.sector - detail_.sectors.data())];
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

  void piece(const Piece& p) {
    const float gap = p.box.width > 6 ? 1.0f : 0.0f;
    const Rect r = inset(p.box, gap, p.box.height > 30 ? 3.0f : 2.0f);
    // Several lanes on the same bytes share the cell; more than eight slices would be a blur.
    std::vector<int> lanes;
    for (int lane = 0; lane < kWarpSize; ++lane)
      if (p.lanes >> lane & 1u) lanes.push_back(lane);
    const auto slices = static_cast<int>(std::min<std::size_t>(lanes.size(), 8));
    const float seen = 0.35f + 0.65f * ease_between(phase_, kArrived - 0.08f, kArrived);
    for (int i = 0; i < slices; ++i) {
      const int lane = lanes[static_cast<std::size_t>(i) * lanes.size() / static_cast<std::size_t>(slices)];
      Shape& s = draft_.box(fmt::format("bytes.{}", lane), cell_of(r, i, slices, 0),
                            Ink::of_lane(lane, faded(p.lanes) ? 0.3f : seen), slices == 1 ? 2.0f : 0.0f);
      s.target.lane = lane;
      s.target.sector = p.address / 32 * 32;
      s.tooltip = lanes.size() == 1
                      ? tooltip(lane)
                      : draft_.say("view.address_map.shared_bytes",
                                   {{"lanes", lanes_text(p.lanes)}, {"place", place_name(p.address)}});
    }
    piece_label(p, r, lanes);
  }

  void piece_label(const Piece& p, const Rect& r, const std::vector<int>& lanes) {
    if (r.height < 16 || faded(p.lanes) || phase_ < kArrived) return;
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
    std::string name = place_name(p.address);
    const std::size_t bracket = name.find('[');
    if (bracket != std::string::npos) name = name.substr(bracket);
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
    if (rows_.rows > 1) {
      const float wide = std::min(r.width, draft_.width(words, kTiny, Face::Mono) + 6);
      draft_.box(id + ".ground", {r.x + (r.width - wide) / 2, r.y, wide, r.height},
                 Ink::of(Role::Ground, 0.9f));
    }
    draft_.text(std::move(id), r, words, {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Centre});
  }

  void labels() {
    const float seen = ease_between(phase_, kGrouped, kFetched);
    if (rows_.sector_width >= 36)
      for (const SectorPlace& s : rows_.sectors)
        if (s.box.width >= 36)
          label(fmt::format("offset.{:#x}", s.address), {s.box.x, s.box.bottom() + 1, s.box.width, 14},
                fmt::format("+{}", s.address % 128));
    for (std::size_t i = 0; i < rows_.lines.size(); ++i) {
      const LinePlace& line = rows_.lines[i];
      const float top = memory_top_ + pitch_ * static_cast<float>(line.row) + bar_height_;
      const float y = top + 16;
      const float middle = (line.left + line.right) / 2, half = (line.right - line.left) / 2 * seen;
      if (line.after_gap && i > 0 && rows_.lines[i - 1].row == line.row)
        gap_mark(rows_.lines[i - 1], line, top - bar_height_ / 2);
      if (half <= 0) continue;
      Shape& s = draft_.line(fmt::format("line.{:#x}", line.address),
                             {{middle - half, y}, {middle + half, y}}, Ink::of(Role::Dim), 1.5f);
      s.tooltip =
          draft_.say("view.address_map.line_means", {{"line", fmt::format("{:#x}", shown(line.address))}});
      line_name(line, y);
    }
  }

  void line_name(const LinePlace& line, float y) {
    const std::string full =
        draft_.say("view.address_map.line", {{"line", fmt::format("{:#x}", shown(line.address))}});
    const std::string brief = fmt::format("{:#x}", shown(line.address));
    const float room = line.right - line.left + 8;
    for (const std::string& words : {full, brief})
      if (draft_.fits(words, room, kTiny, Face::Mono)) {
        label(fmt::format("line.{:#x}.name", line.address), {line.left - 4, y + 2, room, 15}, words);
        return;
      }
  }

  // Three dots between lines that are not neighbours in memory.
  void gap_mark(const LinePlace& before, const LinePlace& line, float y) {
    const float gap = line.left - before.right;
    if (gap < 14) return;
    for (int i = -1; i <= 1; ++i)
      draft_.disc(fmt::format("gap.{:#x}.{}", line.address, i + 1),
                  {before.right + gap / 2 + static_cast<float>(i) * 5, y}, 1.3f, Ink::of(Role::Dim));
  }

  Draft draft_;
  const ViewInput& input_;
  Picked picked_;
  analysis::CoalescingDetail detail_;
  OtherUse others_;
  const trace::BufferPlacement* buffer_ = nullptr;
  LaneMask focus_ = 0;
  float phase_ = 1;
  std::string sentence_;
  MemoryRows rows_;
  std::vector<Piece> pieces_;
  Rect memory_caption_;
  float bar_height_ = 0, pitch_ = 0, memory_top_ = 0;
};

}  // namespace

Scene address_map(const ViewContext& context, const ViewInput& input) {
  return AddressMap(context, input).run();
}

bool address_map_applies(const ViewInput& input) {
  return input.trace && nearest_step(input, 0, kSpaces) < input.trace->size();
}

}  // namespace warplens::visual
