// How far must the data travel? The levels of memory from the lanes to the host, with the bytes of this
// launch as the height of what joins them, on one linear scale. What came along for nothing is hatched; what
// is modelled has a dashed outline. Below, how long a request is under way to each level.
//
// Small panes lose, in this order: the round trips, the sentence, the host, facts inside the boxes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/analysis/known_counts.h"
#include "engine/base/typography.h"
#include "visual/layout.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

struct Level {
  std::string id;  // "lanes", "l1", "l2", "dram", "shared", "host"
  std::string size, latency, bandwidth;
  std::optional<double> hits = {};  // share of what asks here that ends here
  bool at_least = false;
  std::string asks = {};  // what asks, and how much of it misses
};

struct Link {
  std::string id;
  double bytes = -1;   // negative: unknown
  double useful = -1;  // of these; negative: not told apart
  bool modelled = false;
  bool once = false;       // not of the launch itself: what a program copies beforehand
  std::string split = {};  // what the bytes are made of
};

class HierarchyView {
 public:
  HierarchyView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.report) return empty();
    measure();
    Rect rest = header();
    const std::string why = reason();
    const float height = draft_.sentence_height(why, rest.width, 2);
    if (rest.height > 220 + height) draft_.sentence("why", take_bottom(rest, height, 16), why);
    if (rest.height > 330) round_trips(take_bottom(rest, 50, 20));
    if (rest.height > 200) scale_note(take_bottom(rest, 16, 6));
    place(rest);
    return draft_.finish(why);
  }

 private:
  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.hierarchy.title")});
    draft_.empty(rest, draft_.say("view.empty.headline"), draft_.say("view.empty.advice"));
    return draft_.finish(draft_.say("view.empty.headline"));
  }

  // Bytes over each link. Stores, atomics and reductions go through L1 to L2; loads only where they miss.
  void measure() {
    const analysis::Totals& t = input_.report->totals;
    const auto bytes = [](const analysis::GlobalCounts& c) { return 32.0 * static_cast<double>(c.sectors); };
    const double loads = bytes(t.global_load) + bytes(t.local_load);
    const double stores =
        bytes(t.global_store) + bytes(t.local_store) + bytes(t.global_atomic) + bytes(t.global_reduction);
    double useful = 0;
    for (const analysis::GlobalCounts* c : {&t.global_load, &t.global_store, &t.global_atomic,
                                            &t.global_reduction, &t.local_load, &t.local_store})
      useful += static_cast<double>(c->bytes_unique);
    links_[0] = {"lanes_l1", loads + stores, std::min(useful, loads + stores), false};
    links_[1] = {"l1_l2", -1, -1, true};
    links_[2] = {"l2_dram", -1, -1, true};
    links_[3] = {"dram_host", -1, -1, false, true};
    if (const LevelTraffic* traffic = input_.traffic) {
      links_[1].modelled = links_[2].modelled = traffic->evidence == Evidence::Modelled;
      links_[1].bytes = traffic->l2_bytes().value_or(-1);
      links_[2].bytes = traffic->dram_bytes().value_or(-1);
      if (traffic->l1_missed &&
          traffic->l2_read_least.value_or(*traffic->l1_missed) < 0.98 * *traffic->l1_missed)
        links_[1].split = draft_.say("view.hierarchy.l2_range", {{"least", amount(*traffic->l2_read_least)},
                                                                 {"most", amount(*traffic->l1_missed)}});
      if (links_[2].bytes >= 0)
        links_[2].split =
            draft_.say("view.hierarchy.dram_split",
                       {{"read", amount(*traffic->dram_read)}, {"written", amount(*traffic->dram_written)}});
      if (traffic->host_bytes) links_[3].bytes = *traffic->host_bytes;
    }
    shared_ = 128.0 * static_cast<double>(t.shared_load.wavefronts + t.shared_store.wavefronts +
                                          t.shared_atomic.wavefronts);
    for (const Link& link : links_)
      if (!link.once) most_ = std::max(most_, link.bytes);
    most_ = std::max(most_, shared_);
  }

  static std::string amount(double bytes) {
    return bytes_text(static_cast<std::uint64_t>(std::max(0.0, bytes)));
  }

  // On how much of the launch the model of the caches rests.
  std::string about() const {
    std::string out = input_.device ? input_.device->name : input_.report->device;
    if (input_.traffic && input_.traffic->blocks_modelled > 0 &&
        input_.traffic->blocks_modelled < input_.traffic->blocks_total)
      out += " · " +
             draft_.say("view.hierarchy.from_blocks", {{"n", group_digits(input_.traffic->blocks_modelled)},
                                                       {"all", group_digits(input_.traffic->blocks_total)}});
    return out;
  }

  Rect header() {
    const bool knows_dram = links_[2].bytes >= 0;
    const double answer = knows_dram ? links_[2].bytes : links_[0].bytes;
    return draft_.header(
        {.title = draft_.say("view.hierarchy.title"),
         .about = about(),
         .answer = amount(answer),
         .sub = draft_.say(knows_dram ? "view.hierarchy.from_dram" : "view.hierarchy.through_l1"),
         .evidence = knows_dram && links_[2].modelled ? Evidence::Modelled
                     : knows_dram                     ? Evidence::Measured
                                  : counted(analysis::known_counts(*input_.report).global())});
  }

  std::string reason() const {
    const double all = links_[0].bytes;
    if (all <= 0 && shared_ <= 0) return draft_.say("view.hierarchy.nothing_moves");
    std::string out =
        draft_.say("view.hierarchy.reason",
                   {{"all", amount(all)}, {"useful", amount(links_[0].useful)}, {"shared", amount(shared_)}});
    if (links_[2].bytes >= 0 && all > 0)
      append_sentence(
          out, draft_.say("view.hierarchy.reason_dram", {{"dram", amount(links_[2].bytes)},
                                                         {"share", percent_text(links_[2].bytes / all)}}));
    return out;
  }

  std::string asks(std::string_view key, double all, double missed) const {
    return draft_.say(key, {{"all", amount(all)}, {"hit", amount(all - missed)}, {"missed", amount(missed)}});
  }

  std::vector<Level> levels() const {
    const analysis::Device* d = input_.device;
    const auto cycles = [this](double n) {
      return n > 0 ? draft_.say("view.hierarchy.cycles", {{"n", plain_number(n)}}) : std::string();
    };
    const auto size = [](double bytes) {
      return bytes > 0 ? bytes_text(static_cast<std::uint64_t>(bytes)) : std::string();
    };
    const auto rate = [](double gbps) {
      if (!(gbps > 0)) return std::string();
      return gbps >= 1000 ? plain_number(gbps / 1000) + " TB/s" : plain_number(gbps) + " GB/s";
    };
    const double clock = d ? d->sms * d->boost_mhz * 1e-3 : 0;  // GB/s for each byte a clock of every SM
    const analysis::ComputeCapability* cc = input_.capability;
    const LevelTraffic none;
    const LevelTraffic& t = input_.traffic ? *input_.traffic : none;
    return {{"lanes", cc ? size(cc->registers_per_sm * 4.0) : "", "", ""},
            {"l1", d ? size(d->unified_l1_kb * 1024) : "", d ? cycles(d->l1_latency) : "",
             d ? rate(clock * d->l1_bytes_per_clock) : "", t.l1_hit_rate(), false,
             t.l1_missed ? asks("view.hierarchy.l1_asks", t.loaded, *t.l1_missed) : ""},
            {"l2", d ? size(d->l2_mb * 1048576) : "", d ? cycles(d->l2_latency) : "",
             d ? rate(d->l2_gbps) : "", t.l2_hit_rate(), t.l2_hits_at_least,
             t.dram_read ? asks("view.hierarchy.l2_asks", t.l2_bytes().value_or(0), *t.dram_read) : ""},
            {"dram", "", d ? cycles(d->dram_latency) : "", d ? rate(d->dram_gbps) : ""},
            {"shared", cc ? size(std::max(0, cc->shared_per_sm)) : "", d ? cycles(d->shared_latency) : "",
             d ? rate(clock * 128) : ""},
            {"host", "", "", d ? rate(d->host_gbps) : ""}};
  }

  // Boxes in a row; shared memory below L1, because both live in the SM and beside each other.
  void place(Rect r) {
    const auto all = levels();
    const int boxes = r.width > 860 ? 5 : 4;
    const auto n = static_cast<float>(boxes);
    const float box_width = std::clamp(r.width * (boxes == 5 ? 0.12f : 0.14f), 92.0f, 200.0f);
    const float link_width = (r.width - n * box_width) / (n - 1);
    const bool titled = r.height > 240;
    const auto column = [&](int i) { return r.x + static_cast<float>(i) * (box_width + link_width); };
    // The SM holds lanes, L1 and shared memory.
    const Rect sm{r.x - 8, r.y, column(1) + box_width - r.x + 16, r.height};
    draft_.box("sm", sm, Ink::of(Role::Panel), 8).tooltip = draft_.say("view.hierarchy.sm");
    if (titled) {
      const Rect names = take_top(r, 18, 4);
      draft_.caption("caption.sm", {column(0), names.y + 4, sm.width - 16, 14},
                     draft_.say("view.hierarchy.caption_sm"));
      draft_.caption("caption.device", {column(2), names.y + 4, column(3) + box_width - column(2), 14},
                     draft_.say("view.hierarchy.caption_device"));
    } else {
      take_top(r, 8);
    }
    take_bottom(r, 8);
    const Rect top{r.x, r.y, r.width, r.height * 0.6f - 8};
    const Rect bottom{r.x, r.y + r.height * 0.6f + 4, r.width, r.height * 0.4f - 4};
    for (int i = 0; i + 1 < boxes; ++i)
      link({column(i) + box_width, top.y, link_width, top.height}, links_[static_cast<std::size_t>(i)]);
    level({column(0), top.y, box_width, r.height}, all[0]);
    level({column(1), top.y, box_width, top.height}, all[1]);
    level({column(2), top.y, box_width, r.height}, all[2]);
    level({column(3), top.y, box_width, r.height}, all[3]);
    if (boxes == 5) level({column(4), top.y, box_width, r.height}, all[5]);
    link({column(0) + box_width, bottom.y, link_width, bottom.height}, {"lanes_shared", shared_, -1, false});
    level({column(1), bottom.y, box_width, bottom.height}, all[4]);
  }

  void level(const Rect& r, const Level& level) {
    Shape& s = draft_.box("level." + level.id, r, Ink::of(Role::Raised), 6);
    s.stroke = Ink::of(Role::Line);
    s.stroke_width = 1;
    std::string tip = draft_.say("view.hierarchy.what_" + level.id);
    for (const std::string* words : {&level.size, &level.latency, &level.bandwidth})
      if (!words->empty()) tip += "\n" + *words;
    s.tooltip = tip;
    Rect inner = inset(r, 10, 8);
    const std::string name = draft_.say("view.hierarchy.name_" + level.id);
    int row = 0;
    for (const std::string& line : draft_.wrap(name, inner.width, kBody, Face::SansBold, 2))
      draft_.text(fmt::format("level.{}.name.{}", level.id, row++), take_top(inner, 18), line,
                  {kBody, Face::SansBold});
    take_top(inner, 2);
    for (const std::string* words : {&level.size, &level.latency, &level.bandwidth})
      if (!words->empty() && inner.height >= (level.hits ? 36.0f : 17.0f) &&
          draft_.fits(*words, inner.width, kSmall))
        draft_.text(fmt::format("level.{}.fact.{}", level.id, row++), take_top(inner, 17), *words,
                    dim(kSmall));
    if (level.hits) hits(inner, level);
  }

  // The share of what asks this level that ends at it, as a number over a bar; modelled, and drawn as such.
  void hits(Rect r, const Level& level) {
    if (r.height < 18) return;
    Rect words = take_bottom(r, 18);
    const Rect bar{words.x, words.y - 10, words.width, 6};
    const std::string share = percent_text(std::round(*level.hits * 1000) / 1000);
    const std::string short_share = (level.at_least ? "≥ " : "") + share;
    const std::string text = draft_.say(
        level.at_least ? "view.hierarchy.hits_at_least" : "view.hierarchy.hits", {{"share", share}});
    const std::string tip =
        text + "\n" + level.asks + "\n" +
        (level.at_least ? draft_.say("view.hierarchy.at_least_means") + "\n" : "") +
        draft_.say(std::string("view.evidence.") + std::string(name(evidence())) + "_means");
    draft_
        .text("level." + level.id + ".hits", words,
              draft_.fits(text, words.width, kSmall) ? text : short_share,
              {kSmall, Face::SansBold, ink_of(evidence()), Align::Left})
        .tooltip = tip;
    if (r.height < 12) return;
    Shape& whole = draft_.frame("level." + level.id + ".hits.all", bar, ink_of(evidence()), 1, 3);
    whole.dashed = evidence() == Evidence::Modelled;
    whole.tooltip = tip;
    const auto part = static_cast<float>(std::clamp(*level.hits, 0.0, 1.0));
    if (part > 0)
      draft_
          .box("level." + level.id + ".hits.part", {bar.x, bar.y, bar.width * part, bar.height},
               Ink::of(ink_of(evidence()).role, 0.6f), 3)
          .tooltip = tip;
  }
  Evidence evidence() const { return input_.traffic ? input_.traffic->evidence : Evidence::Modelled; }

  void scale_note(const Rect& r) {
    if (most_ > 0)
      draft_.text("scale", r, draft_.say("view.hierarchy.scale", {{"most", amount(most_)}}), dim(kTiny));
  }

  // How long a request is under way: one scale for all levels, so that near and far are seen.
  void round_trips(Rect r) {
    const analysis::Device* d = input_.device;
    if (!d || !(d->dram_latency > 0)) return;
    draft_.caption("caption.trips", take_top(r, 16, 6), draft_.say("view.hierarchy.caption_trips"));
    const Rect line{r.x, r.y + 10, r.width - 8, 2};
    draft_.box("trips.line", line, Ink::of(Role::Line), 1);
    const double most = d->dram_latency * 1.06;
    const struct {
      const char* id;
      double cycles;
    } stops[] = {{"lanes", 1},
                 {"shared", d->shared_latency},
                 {"l1", d->l1_latency},
                 {"l2", d->l2_latency},
                 {"dram", d->dram_latency}};
    // Near neighbours share a name, so that none is lost.
    std::string shared_words;
    float words_at = 0, free_from = -1e9f;
    const std::size_t count = std::size(stops);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& stop = stops[i];
      if (!(stop.cycles > 0)) continue;
      const float x = line.x + line.width * static_cast<float>(stop.cycles / most);
      const std::string words = draft_.say(std::string("view.hierarchy.name_") + stop.id) +
                                (stop.cycles > 1 ? " " + plain_number(stop.cycles) : "");
      Shape& s = draft_.disc(std::string("trip.") + stop.id, {x, line.y + 1}, 4, Ink::of(Role::Accent));
      s.tooltip = draft_.say(std::string("view.hierarchy.what_") + stop.id) + "\n" +
                  draft_.say("view.hierarchy.cycles", {{"n", plain_number(stop.cycles)}});
      if (shared_words.empty()) words_at = x - 4;
      shared_words += (shared_words.empty() ? "" : " · ") + words;
      const float next =
          i + 1 < count ? line.x + line.width * static_cast<float>(stops[i + 1].cycles / most) : 1e9f;
      if (next - x < 40) continue;
      const float wide = draft_.width(shared_words, kTiny) + 4;
      const float at = std::max(free_from, std::clamp(words_at, r.x, std::max(r.x, r.right() - wide)));
      if (at + wide <= r.right())
        draft_.text(std::string("trip.") + stop.id + ".name", {at, line.y + 8, wide, 14}, shared_words,
                    dim(kTiny));
      free_from = at + wide + 8;
      shared_words.clear();
    }
  }

  // A ribbon as high as its bytes, the useless part of it hatched.
  void link(const Rect& r, const Link& link) {
    const float middle = r.y + r.height / 2;
    const std::string name = draft_.say("view.hierarchy.link_" + link.id);
    if (link.bytes < 0) {
      Shape& s = draft_.line("link." + link.id, {{r.x, middle}, {r.right(), middle}}, Ink::of(Role::Line), 2);
      s.dashed = true;
      s.tooltip = name + "\n" + draft_.say("view.hierarchy.unknown");
      label(r, middle - 4, draft_.say("view.hierarchy.unknown"), link.id);
      return;
    }
    const float room = std::max(8.0f, r.height - 52);
    const float share = most_ > 0 ? static_cast<float>(std::min(1.0, link.bytes / most_)) : 0.0f;
    const float high = link.bytes > 0 && most_ > 0 ? std::max(2.0f, room * share) : 0.0f;
    std::string tip = name + "\n" + amount(link.bytes);
    if (!link.split.empty()) tip += "\n" + link.split;
    if (link.modelled) tip += "\n" + draft_.say("view.evidence.modelled_means");
    if (high <= 0) {
      draft_.line("link." + link.id, {{r.x, middle}, {r.right(), middle}}, Ink::of(Role::Line), 1).tooltip =
          tip;
      label(r, middle - 4, amount(0), link.id);
      return;
    }
    const Rect ribbon{r.x, middle - high / 2, r.width, high};
    const float good =
        link.useful >= 0 && link.bytes > 0 ? high * static_cast<float>(link.useful / link.bytes) : high;
    const Ink ink = link.once
                        ? Ink::of(Role::Dim, 0.25f)
                        : Ink::of(link.modelled ? Role::Modelled : Role::Good, link.modelled ? 0.45f : 0.85f);
    Shape& used = draft_.box("link." + link.id, {ribbon.x, ribbon.y, ribbon.width, good}, ink);
    used.tooltip = tip;
    if (link.modelled || link.once) {
      used.stroke = Ink::of(link.once ? Role::Dim : Role::Modelled);
      used.stroke_width = 1;
      used.dashed = true;
    }
    if (high - good > 0.5f) {
      Shape& waste =
          draft_.box("link." + link.id + ".waste", {ribbon.x, ribbon.y + good, ribbon.width, high - good},
                     Ink::of(Role::Dim, 0.6f));
      waste.pattern = Pattern::Hatched;
      waste.tooltip = draft_.say("view.address_map.wasted", {{"bytes", amount(link.bytes - link.useful)}});
    }
    label(r, ribbon.y - 3, amount(link.bytes), link.id);
    if (link.once && ribbon.bottom() + 18 < r.bottom())
      draft_.text("link." + link.id + ".once", {r.x + 2, ribbon.bottom() + 3, r.width - 4, 14},
                  draft_.say("view.hierarchy.once"), dim(kTiny, Align::Centre));
  }

  void label(const Rect& r, float bottom, const std::string& words, const std::string& id) {
    const float tall = r.width > 200 ? 28.0f : 20.0f;
    draft_.text(
        "link." + id + ".bytes", {r.x + 2, std::max(r.y, bottom - tall), r.width - 4, tall}, words,
        {draft_.largest_size(words, r.width - 4, tall + 4, r.width > 200 ? kLarge : kHeading, Face::SansBold),
         Face::SansBold, Ink::of(Role::Text), Align::Centre});
  }

  Draft draft_;
  const ViewInput& input_;
  std::array<Link, 4> links_;
  double shared_ = 0, most_ = 0;
};

}  // namespace

Scene hierarchy_view(const ViewContext& context, const ViewInput& input) {
  return HierarchyView(context, input).run();
}

bool hierarchy_applies(const ViewInput& input) {
  return input.report != nullptr;
}

}  // namespace warplens::visual
