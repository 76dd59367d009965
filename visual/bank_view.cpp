// Who waits for whom at the banks? 32 banks side by side; each row is one pass, and holds what that pass
// serves. Below, the words of shared memory in rows of 32, so that the reason stands under the consequence.
// An array of two extents stands beside it as the kernel counts it, so that padding and swizzles are seen at
// work.
//
// Small panes lose, in this order: the tile as the kernel counts it, the words of memory, the lanes with
// their paths, the sentence.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "engine/analysis/explanations.h"
#include "engine/analysis/shared_banks.h"
#include "engine/base/typography.h"
#include "visual/access_list.h"
#include "visual/lane_cells.h"
#include "visual/layout.h"
#include "visual/pick.h"
#include "visual/tile_layout.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

constexpr std::array kBanked{trace::Space::Shared};

// Cells that one lane, or several lanes on the same words, take in a row: neighbouring banks are one group.
struct Group {
  LaneMask lanes = 0;
  int first_bank = 0, banks = 1;
  std::uint64_t word = 0;
};

struct PassRow {
  int phase = 0;
  bool extra = false;  // not the first pass of its phase: somebody waited
  std::vector<Group> groups;
};

int lowest_lane(LaneMask lanes) {
  return lanes ? std::countr_zero(lanes) : 0;
}

// Lanes on the same words become one group; then a lane's neighbouring words join.
std::vector<Group> group_hits(const std::vector<analysis::BankHit>& hits) {
  std::map<std::uint64_t, Group> words;  // by word: banks repeat every 32
  for (const analysis::BankHit& hit : hits) {
    Group& g = words[hit.word];
    g.lanes |= LaneMask{1} << hit.lane;
    g.first_bank = hit.bank;
    g.word = hit.word;
  }
  std::vector<Group> out;
  for (const auto& [word, group] : words) {
    Group* last = out.empty() ? nullptr : &out.back();
    if (last && last->lanes == group.lanes && last->word + static_cast<std::uint64_t>(last->banks) == word &&
        last->first_bank + last->banks == group.first_bank)
      ++last->banks;
    else
      out.push_back(group);
  }
  return out;
}

class BankView {
 public:
  BankView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    const auto picked = pick_access(draft_.context(), input_, kBanked);
    if (!picked) return empty();
    picked_ = *picked;
    analyse();
    Rect rest = header();
    place(rest);
    return draft_.finish(transcript());
  }

 private:
  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.bank_view.title")});
    const EmptyWords words = words_of_no_access(input_, "view.bank_view.none");
    draft_.empty(rest, draft_.say(words.headline), draft_.say(words.advice));
    return draft_.finish(draft_.say(words.headline));
  }

  void analyse() {
    const auto& a = picked_.access;
    const auto& offsets = a.kind == trace::SiteKind::AsyncCopy ? a.shared_addresses : a.addresses;
    const bool floating = picked_.site && picked_.site->floating_shared_atomic;
    detail_ = analysis::explain_shared(picked_.served_kind(), a.bytes, a.active, offsets.data(), floating);
    int last_phase = -1;
    for (const analysis::BankPass& pass : detail_.passes) {
      rows_.push_back({pass.phase, pass.phase == last_phase, group_hits(pass.hits)});
      last_phase = pass.phase;
    }
    for (const PassRow& row : rows_)
      for (const Group& g : row.groups) {
        if (row.extra)
          for (int b = 0; b < g.banks; ++b) contested_ |= 1u << ((g.first_bank + b) & 31);
        words_[g.word / kBanks].push_back(g);
      }
    tile_ = tile_of(input_, a.active, offsets.data(), a.bytes);
    focus_ = focus();
    const float phase = draft_.context().reduce_motion && input_.cursor.phase < 1
                            ? std::floor(input_.cursor.phase * passes()) / passes()
                            : input_.cursor.phase;
    now_ = phase * passes();
    said_ = analysis::explain_access(*input_.trace, picked_.written);
    sentence_ = shown_ = sentences(draft_.context().text, said_);
  }

  LaneMask focus() const {
    if (const LaneMask lanes = focused_lanes(input_)) return lanes;
    LaneMask lanes = 0;
    for (const Selection* s : {&input_.hover, &input_.selection})
      if (s->bank && !lanes)
        for (const PassRow& row : rows_)
          for (const Group& g : row.groups)
            if (*s->bank >= g.first_bank && *s->bank < g.first_bank + g.banks) lanes |= g.lanes;
    return lanes;
  }
  bool faded(LaneMask lanes) const { return focus_ != 0 && (lanes & focus_) == 0; }
  float passes() const { return static_cast<float>(std::max<std::size_t>(1, rows_.size())); }
  bool still() const { return input_.cursor.phase >= 1; }

  Rect header() {
    const auto& c = detail_.counts;
    std::string sub;
    if (c.bank_conflicts > 0)
      sub = draft_.say("view.bank_view.degree", {{"n", value_of(detail_.degree)}});
    else if (is_broadcast())
      sub = draft_.say("view.bank_view.broadcast");
    else
      sub = draft_.say("view.bank_view.no_conflict");
    if (detail_.phases.size() > 1)
      sub += " · " + draft_.say("view.bank_view.phases", {{"n", value_of(detail_.phases.size())},
                                                          {"bytes", value_of(picked_.access.bytes)}});
    else if (c.bank_conflicts > 0)
      sub += " · " +
             draft_.say("view.bank_view.would_do", {{"n", group_digits(c.wavefronts - c.bank_conflicts)}});
    return draft_.header({.title = draft_.say("view.bank_view.title"),
                          .about = describe_picked(draft_, picked_),
                          .answer = draft_.say_count("view.bank_view.passes", c.wavefronts),
                          .sub = sub,
                          .worse = c.bank_conflicts > 0,
                          .evidence = counted(picked_.known)});
  }

  bool is_broadcast() const {
    return std::any_of(rows_.begin(), rows_.end(), [](const PassRow& row) {
      return std::any_of(row.groups.begin(), row.groups.end(),
                         [](const Group& g) { return active_lanes(g.lanes) > 1; });
    });
  }

  std::string transcript() const {
    const auto& c = detail_.counts;
    return draft_.say("view.bank_view.transcript", {{"what", describe_picked(draft_, picked_)},
                                                    {"lanes", value_of(active_lanes(picked_.access.active))},
                                                    {"passes", value_of(c.wavefronts)},
                                                    {"conflicts", value_of(c.bank_conflicts)},
                                                    {"why", sentence_}});
  }

  // How the height is dealt out.
  struct Plan {
    bool sentence = false, lanes = false, memory = false;
    float sentence_height = 0, chip = 0, path = 0, pass_pitch = 0, word_pitch = 0;
    int passes = 0, words = 0, accesses = 0;  // rows that are drawn
  };

  bool shows_tile(const Rect& rest) const { return tile_ && rest.width >= 860 && rest.height >= 300; }

  std::size_t lines_said(const Rect& rest) const { return rest.height >= 420 ? 3 : passes() > 8 ? 4 : 2; }

  // Where there is no room for all of it, what the header and the picture say as well is left out, and not
  // the reason and the way out, which stand behind it.
  void say_what_fits(const Rect& rest) {
    constexpr std::size_t kAll = 40;
    const float room = draft_.sentence_height(sentence_, rest.width, lines_said(rest));
    if (said_.size() < 2 || draft_.sentence_height(sentence_, rest.width, kAll) <= room) return;
    shown_ = sentences(draft_.context().text, {said_.begin() + 1, said_.end()});
  }

  Plan plan(const Rect& rest) const {
    Plan p;
    const bool tile = shows_tile(rest);
    const float n = passes();
    float spare = rest.height - 36;  // captions and bank numbers
    p.sentence_height = draft_.sentence_height(shown_, rest.width, lines_said(rest));
    // In a low pane passes are thin, so that the sentence has room.
    const float thin = rest.height < 420 ? 4.0f : 6.0f;
    const float least = std::min(n, 32.0f) * (n > 8 ? thin : 22.0f);
    const float numbered = std::min(n, 32.0f) * (n > 8 ? 15.0f : 22.0f);  // lanes keep their numbers
    const auto afford = [&](float wanted, float keep) {
      if (wanted <= 0 || spare - wanted < keep) return false;
      spare -= wanted;
      return true;
    };
    p.sentence = afford(p.sentence_height + 12, least);
    p.accesses = rest.height > 640 ? std::clamp(static_cast<int>((rest.height - 520) / 80), 2, 8) : 0;
    p.accesses = count_accesses(input_, picked_, kBanked, p.accesses);
    if (p.accesses > 0 && !afford(access_list_height(p.accesses) + 12, numbered + 190)) p.accesses = 0;
    const auto words = static_cast<float>(tile ? tile_->physical_rows() : static_cast<int>(words_.size()));
    const float word_min = tile ? 5.0f : words > 4 ? 14.0f : 20.0f;
    const float memory_min = 26 + std::min(words, tile ? 40.0f : 4.0f) * word_min;
    // A tile says more than the paths do: there it keeps its room first.
    if (tile) p.memory = afford(memory_min, least);
    p.lanes = afford(28 + 16 + 64, n > 8 ? numbered : least);
    if (!tile) p.memory = (p.lanes || rest.height > 340) && afford(memory_min, numbered);
    const float memory_height =
        p.memory
            ? std::clamp(26 + words * (tile ? std::clamp(rest.height / 60, 12.0f, 24.0f) : 30.0f), memory_min,
                         std::max(memory_min, memory_min + (spare - least) * (tile ? 0.8f : 0.5f)))
            : 0;
    spare -= p.memory ? memory_height - memory_min : 0;
    p.words = p.memory ? static_cast<int>(std::min(words, std::floor((memory_height - 26) / word_min))) : 0;
    p.word_pitch = p.words ? std::min(44.0f, (memory_height - 26) / static_cast<float>(p.words)) : 0;
    spare = std::max(spare, 6.0f);  // a pane this small shows little, but it must not fail
    p.passes = static_cast<int>(std::min(n, std::max(1.0f, std::floor(spare / 4))));
    p.pass_pitch = std::min(p.memory ? 56.0f : 96.0f, spare / static_cast<float>(p.passes));
    const float left = spare - p.pass_pitch * static_cast<float>(p.passes);
    p.chip = p.lanes ? std::clamp(rest.height * 0.06f, 24.0f, 40.0f) : 0;
    p.path = p.lanes ? 64 + 28 - p.chip + std::max(0.0f, left) : 0;
    return p;
  }

  void place(Rect rest) {
    const Rect full = rest;
    say_what_fits(rest);
    const Plan p = plan(rest);
    if (p.sentence) draft_.sentence("why", take_bottom(rest, p.sentence_height, 12), shown_);
    if (p.accesses > 0)
      draw_access_list(draft_, take_bottom(rest, access_list_height(p.accesses), 12), input_, picked_,
                       kBanked);
    if (shows_tile(full) && p.memory) {
      const Rect left = take_left(rest, std::min(rest.width * 0.36f, rest.height * 1.1f), 28);
      draw_logical_tile(draft_, left, *tile_, tile_look());
    }
    const float gutter = std::max(draft_.width(draft_.say("view.bank_view.pass", {{"n", value_of(99)}})),
                                  p.memory ? draft_.width("+0000", kTiny, Face::Mono) : 0.0f) +
                         12;
    gutter_ = gutter;
    columns_ = {rest.x + gutter, rest.y, rest.width - gutter, rest.height};
    gap_ = columns_.width > 900 ? 4.0f : columns_.width > 600 ? 3.0f : 2.0f;

    Rect chips{}, path{};
    if (p.lanes) {
      const Rect caption = take_top(rest, 16, 2);
      draft_.caption("caption.lanes", caption, draft_.say("view.caption.lanes"));
      chips = row_of(take_top(rest, p.chip));
      path = row_of(take_top(rest, p.path));
    }
    const Rect caption = take_top(rest, 16, 2);
    const Rect cells = take_top(rest, p.pass_pitch * static_cast<float>(p.passes), 8);
    if (p.lanes) paths(chips, cells, p);
    numbers(caption);
    pass_rows(cells, p);
    if (p.lanes) lanes(chips);
    if (p.memory && shows_tile(full))
      draw_physical_tile(draft_, row_of(rest), gutter_, *tile_, tile_look());
    else if (p.memory)
      memory(rest, p);
  }

  TileLook tile_look() const {
    TileLook look;
    look.alpha = [this](LaneMask lanes) {
      if (faded(lanes)) return 0.22f;
      return !still() && now_ < static_cast<float>(pass_of(lowest_lane(lanes))) ? 0.3f : 1.0f;
    };
    look.tip = [this](LaneMask lanes, std::uint64_t word) {
      return draft_.say(
          "view.bank_view.word",
          {{"word", value_of(word)}, {"bank", value_of(word % kBanks)}, {"lanes", lanes_text(lanes)}});
    };
    look.bank = bank_in_question();
    return look;
  }

  // The bank that is pointed at, else that of the lane in focus, else one where somebody waits.
  int bank_in_question() const {
    for (const Selection* s : {&input_.hover, &input_.selection})
      if (s->bank && *s->bank >= 0 && *s->bank < kBanks) return *s->bank;
    const LaneMask wanted = focus_ ? focus_ : 0;
    for (const PassRow& row : rows_)
      for (const Group& g : row.groups)
        if (wanted ? (g.lanes & wanted) != 0 : row.extra) return g.first_bank;
    return rows_.empty() || rows_.front().groups.empty() ? -1 : rows_.front().groups.front().first_bank;
  }

  Rect row_of(const Rect& r) const { return {columns_.x, r.y, columns_.width, r.height}; }
  Rect cell(const Rect& row, int bank, int banks) const {
    const Rect first = cell_of(row, bank, kBanks, gap_), last = cell_of(row, bank + banks - 1, kBanks, gap_);
    return {first.x, row.y, last.right() - first.x, row.height};
  }

  void numbers(const Rect& r) {
    draft_.caption("caption.banks", {r.x, r.y, gutter_ - 4, r.height}, draft_.say("view.caption.banks"));
    const bool all = draft_.fits("28", (r.width - gutter_) / kBanks - 2, kTiny, Face::MonoBold);
    for (int bank = 0; bank < kBanks; bank += all ? 1 : 4) {
      const bool hot = contested_ >> bank & 1u;
      Rect ground = cell_of(row_of(r), bank, kBanks, gap_ - 1);  // the paths run behind the numbers
      ground = {ground.x + ground.width / 2 - 8, ground.y + 1, 16, 14};
      draft_.box(fmt::format("bank.{}.ground", bank), ground, Ink::of(Role::Ground, 0.92f));
      Rect place = cell_of(row_of(r), bank, kBanks, gap_ - 1);
      if (!all)
        place = {place.x + place.width / 2 - 8, place.y, 16, place.height};  // its neighbours have none
      Shape& s = draft_.text(
          fmt::format("bank.{}", bank), place, std::to_string(bank),
          {kTiny, hot ? Face::MonoBold : Face::Mono, Ink::of(hot ? Role::Warn : Role::Dim), Align::Centre});
      s.target.bank = bank;
      s.tooltip = bank_tooltip(bank);
    }
  }

  std::string bank_tooltip(int bank) const {
    std::map<std::uint64_t, LaneMask> words;
    for (const PassRow& row : rows_)
      for (const Group& g : row.groups)
        if (bank >= g.first_bank && bank < g.first_bank + g.banks)
          words[g.word + static_cast<std::uint64_t>(bank - g.first_bank)] |= g.lanes;
    if (words.empty()) return draft_.say("view.bank_view.bank_idle", {{"bank", value_of(bank)}});
    LaneMask lanes = 0;
    for (const auto& [word, mask] : words) lanes |= mask;
    return draft_.say(
        "view.bank_view.bank",
        {{"bank", value_of(bank)}, {"words", value_of(words.size())}, {"lanes", lanes_text(lanes)}});
  }

  Rect pass_row(const Rect& area, int row, const Plan& p) const {
    const float gap = p.pass_pitch > 16 ? gap_ : p.pass_pitch > 8 ? 2.0f : 1.0f;
    return {columns_.x, area.y + p.pass_pitch * static_cast<float>(row), columns_.width, p.pass_pitch - gap};
  }

  void pass_rows(const Rect& area, const Plan& p) {
    const int hidden = static_cast<int>(rows_.size()) - p.passes;
    for (int i = 0; i < p.passes; ++i) {
      const Rect r = pass_row(area, i, p);
      const bool last_is_rest = hidden > 0 && i + 1 == p.passes;
      pass_label(r, i, p, last_is_rest ? hidden + 1 : 0);
      idle_cells(r, i, p);
      for (const Group& g : rows_[static_cast<std::size_t>(i)].groups) group(r, i, g);
    }
  }

  // "pass 3", and the lanes of its phase when a wide access has several.
  void pass_label(const Rect& r, int i, const Plan& p, int hidden) {
    const int every = p.pass_pitch >= 14 ? 1 : static_cast<int>(std::ceil(14 / std::max(1.0f, p.pass_pitch)));
    if (i % every != 0 || r.y + std::max(r.height, 13.0f) > draft_.context().size.height) return;
    const PassRow& row = rows_[static_cast<std::size_t>(i)];
    const bool serving = !still() && static_cast<int>(now_) == i;
    std::string words = hidden > 1 && every == 1
                            ? draft_.say("view.bank_view.more", {{"n", value_of(hidden)}})
                            : draft_.say("view.bank_view.pass", {{"n", value_of(i + 1)}});
    const Ink ink = Ink::of(serving ? Role::Accent : row.extra ? Role::Warn : Role::Text);
    Rect at{r.x - gutter_, r.y + (r.height - 14) / 2, gutter_ - 6, 14};
    if (i == 0) at.y = std::max(at.y, r.y - 2);  // over thin rows stands their caption
    const bool two = detail_.phases.size() > 1 && r.height >= 34 && !row.extra;
    if (two) at.y -= 8;
    Shape& s = draft_.text(fmt::format("pass.{}", i), at, words,
                           {kSmall, serving ? Face::SansBold : Face::Sans, ink});
    s.target.pass = i;
    s.tooltip = pass_tooltip(i);
    if (two) {
      at.y += 16;
      draft_.text(
          fmt::format("pass.{}.lanes", i), at,
          lanes_text(
              detail_.phases[static_cast<std::size_t>(std::max(0, row.phase)) % detail_.phases.size()]),
          {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Left});
    }
  }

  std::string pass_tooltip(int i) const {
    const PassRow& row = rows_[static_cast<std::size_t>(i)];
    LaneMask lanes = 0;
    for (const Group& g : row.groups) lanes |= g.lanes;
    return draft_.say(row.extra ? "view.bank_view.pass_extra" : "view.bank_view.pass_first",
                      {{"n", value_of(i + 1)}, {"lanes", lanes_text(lanes)}});
  }

  void idle_cells(const Rect& r, int i, const Plan& p) {
    if (p.pass_pitch < 10 || p.passes > 24) {  // many rows: one strip each says as much
      draft_.box(fmt::format("idle.{}", i), r, Ink::of(Role::Raised), 1);
      return;
    }
    std::uint32_t busy = 0;
    for (const Group& g : rows_[static_cast<std::size_t>(i)].groups)
      for (int b = 0; b < g.banks; ++b) busy |= 1u << ((g.first_bank + b) & 31);
    for (int bank = 0; bank < kBanks; ++bank)
      if (!(busy >> bank & 1u)) {
        Shape& s = draft_.box(fmt::format("idle.{}.{}", i, bank), cell(r, bank, 1), Ink::of(Role::Raised), 3);
        s.tooltip =
            draft_.say("view.bank_view.cell_idle", {{"bank", value_of(bank)}, {"pass", value_of(i + 1)}});
      }
  }

  std::string group_tooltip(const Group& g, int i) const {
    const std::string key = active_lanes(g.lanes) > 1 ? "view.bank_view.cell_shared" : "view.bank_view.cell";
    return draft_.say(key, {{"lanes", lanes_text(g.lanes)},
                            {"n", value_of(active_lanes(g.lanes))},
                            {"word", value_of(g.word)},
                            {"bank", value_of(g.first_bank)},
                            {"pass", value_of(i + 1)}});
  }

  // One lane's words in one pass, or the word that several lanes read at once, in slices of their colours.
  void group(const Rect& row, int i, const Group& g) {
    const Rect r = cell(row, g.first_bank, g.banks);
    const bool extra = rows_[static_cast<std::size_t>(i)].extra;
    const bool waiting = now_ < static_cast<float>(i) && !still();
    const float alpha = faded(g.lanes) ? 0.22f : waiting ? 0.28f : 1.0f;
    cell_of_lanes(fmt::format("hit.{}.{}", i, g.first_bank), r, g, alpha, group_tooltip(g, i), i);
    const bool marked = (extra || waiting) && r.height >= 5;
    const bool hero = focus_ & g.lanes;
    if (marked || hero) {
      Shape& s = draft_.frame(fmt::format("wait.{}.{}", i, g.first_bank), r,
                              Ink::of(hero ? Role::Text : Role::Warn), r.height > 14 ? 2.0f : 1.0f, 3);
      s.dashed = waiting;
    }
  }

  void cell_of_lanes(const std::string& id, const Rect& r, const Group& g, float alpha,
                     const std::string& tip, int pass) {
    Target target;
    target.bank = g.first_bank;
    if (pass >= 0) target.pass = pass;
    draw_lane_cell(draft_, {id, r, g.lanes, alpha, tip, target});
  }

  void lanes(const Rect& chips) {
    draw_lane_chips(draft_,
                    {chips, gap_, picked_.access.active, [this](LaneMask lanes) { return faded(lanes); },
                     [this](int lane) {
                       return draft_.say("view.bank_view.lane",
                                         {{"lane", value_of(lane)}, {"pass", value_of(pass_of(lane) + 1)}});
                     }});
  }

  // The last pass that serves a lane: only then does the lane go on.
  int pass_of(int lane) const {
    int pass = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (const Group& g : rows_[i].groups)
        if (g.lanes >> lane & 1u) pass = static_cast<int>(i);
    return pass;
  }

  void paths(const Rect& chips, const Rect& cells, const Plan& p) {
    for (int i = p.passes - 1; i >= 0; --i) {
      const float t =
          still() ? 1.0f : ease_between(now_, static_cast<float>(i), static_cast<float>(i) + 0.6f);
      if (t <= 0) continue;
      const Rect row = pass_row(cells, i, p);
      for (const Group& g : rows_[static_cast<std::size_t>(i)].groups)
        for (int lane = lowest_lane(g.lanes); lane < kWarpSize; ++lane) {
          const LaneMask bit = LaneMask{1} << lane;
          if (!(g.lanes & bit)) continue;
          const Rect chip = cell_of(chips, lane, kWarpSize, gap_), to = cell(row, g.first_bank, g.banks);
          const Point a{chip.x + chip.width / 2, chip.bottom() + 1}, d{to.x + to.width / 2, to.y};
          const float bend = (cells.y - a.y) * 0.55f;
          auto points = part_of_curve(a, {a.x, a.y + bend}, {d.x, cells.y - bend}, {d.x, cells.y}, t);
          if (points.empty()) continue;
          const bool extra = rows_[static_cast<std::size_t>(i)].extra;
          Shape& s = draft_.curve(fmt::format("path.{}", lane), std::move(points),
                                  Ink::of_lane(lane, faded(bit) ? 0.15f
                                                     : extra    ? 0.6f
                                                                : 0.85f),
                                  focus_ & bit ? 2.5f : 1.5f);
          s.dashed = extra;
          s.target.lane = lane;
          s.tooltip = group_tooltip(g, i);
        }
    }
  }

  // Words in rows of 32: the address decides the column, and only the column decides who collides.
  void memory(Rect rest, const Plan& p) {
    const Rect caption = take_top(rest, 16, 4);
    std::string words = draft_.say("view.caption.words");
    if (p.words < static_cast<int>(words_.size()))
      words += " · " + draft_.say("view.bank_view.rows_shown",
                                  {{"n", value_of(p.words)}, {"all", value_of(words_.size())}});
    draft_.caption("caption.words", caption, words);
    int drawn = 0;
    for (const auto& [index, groups] : words_) {
      if (drawn == p.words) break;
      const Rect r{columns_.x, rest.y + p.word_pitch * static_cast<float>(drawn), columns_.width,
                   p.word_pitch - 3};
      const std::string label = fmt::format("+{}", index * kBanks);
      Shape& name = draft_.text(fmt::format("words.{}", index),
                                {r.x - gutter_, r.y + (r.height - 14) / 2, gutter_ - 6, 14}, label,
                                {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Left});
      name.tooltip = draft_.say("view.bank_view.words", {{"first", value_of(index * kBanks)},
                                                         {"last", value_of(index * kBanks + 31)}});
      draft_.box(fmt::format("words.{}.row", index), r, Ink::of(Role::Panel), 3);
      for (const Group& g : groups)
        cell_of_lanes(fmt::format("word.{}", g.word), cell(r, g.first_bank, g.banks), g,
                      faded(g.lanes) ? 0.22f : 1.0f,
                      draft_.say("view.bank_view.word", {{"word", value_of(g.word)},
                                                         {"bank", value_of(g.first_bank)},
                                                         {"lanes", lanes_text(g.lanes)}}),
                      -1);
      ++drawn;
    }
  }

  Draft draft_;
  const ViewInput& input_;
  Picked picked_;
  analysis::BankDetail detail_;
  std::vector<PassRow> rows_;
  std::map<std::uint64_t, std::vector<Group>> words_;  // by row of 32 words
  std::uint32_t contested_ = 0;                        // banks that more than one word is wanted of
  std::optional<Tile> tile_;
  LaneMask focus_ = 0;
  float now_ = 0;  // in passes
  std::vector<Message> said_;
  std::string sentence_, shown_;  // all of it, and what there is room for
  Rect columns_;
  float gutter_ = 0, gap_ = 3;
};

}  // namespace

Scene bank_view(const ViewContext& context, const ViewInput& input) {
  return BankView(context, input).run();
}

bool bank_view_applies(const ViewInput& input) {
  return input.trace && nearest_step(input, 0, kBanked) < input.trace->size();
}

}  // namespace warplens::visual
