// How far must the data travel? The levels of memory from the lanes to DRAM, with the bytes of this launch as
// the width of what joins them. What came along for nothing is hatched; what is modelled has a dashed
// outline.
//
// Small panes lose, in this order: the sentence, sizes and latencies inside the boxes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visual/layout.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

struct Level {
  std::string id;  // "lanes", "l1", "l2", "dram", "shared"
  std::string size, latency;
};

struct Link {
  std::string id;
  double bytes = -1;   // negative: unknown
  double useful = -1;  // of these; negative: not told apart
  bool modelled = false;
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
    if (input_.traffic && input_.traffic->l1_hit_rate) {
      links_[1].bytes = loads * (1 - *input_.traffic->l1_hit_rate) + stores;
      links_[1].modelled = input_.traffic->evidence == Evidence::Modelled;
      if (input_.traffic->l2_hit_rate) {
        links_[2].bytes = links_[1].bytes * (1 - *input_.traffic->l2_hit_rate);
        links_[2].modelled = links_[1].modelled;
      }
    }
    shared_ = 128.0 * static_cast<double>(t.shared_load.wavefronts + t.shared_store.wavefronts +
                                          t.shared_atomic.wavefronts);
    for (const Link& link : links_) most_ = std::max(most_, link.bytes);
    most_ = std::max(most_, shared_);
  }

  static std::string amount(double bytes) {
    return bytes_text(static_cast<std::uint64_t>(std::max(0.0, bytes)));
  }

  Rect header() {
    const bool knows_dram = links_[2].bytes >= 0;
    const double answer = knows_dram ? links_[2].bytes : links_[0].bytes;
    return draft_.header(
        {.title = draft_.say("view.hierarchy.title"),
         .about = input_.device ? input_.device->name : input_.report->device,
         .answer = amount(answer),
         .sub = draft_.say(knows_dram ? "view.hierarchy.from_dram" : "view.hierarchy.through_l1"),
         .evidence = knows_dram && links_[2].modelled ? Evidence::Modelled
                     : knows_dram                     ? Evidence::Measured
                                                      : Evidence::Counted});
  }

  std::string reason() const {
    const double all = links_[0].bytes;
    if (all <= 0 && shared_ <= 0) return draft_.say("view.hierarchy.nothing_moves");
    std::string out =
        draft_.say("view.hierarchy.reason",
                   {{"all", amount(all)}, {"useful", amount(links_[0].useful)}, {"shared", amount(shared_)}});
    if (links_[2].bytes >= 0 && all > 0)
      out += (draft_.context().text.language() == "zh" ? "" : " ") +
             draft_.say("view.hierarchy.reason_dram",
                        {{"dram", amount(links_[2].bytes)}, {"share", percent_text(links_[2].bytes / all)}});
    return out;
  }

  std::vector<Level> levels() const {
    const analysis::Device* d = input_.device;
    const auto cycles = [this](double n) {
      return n > 0 ? draft_.say("view.hierarchy.cycles", {{"n", plain_number(n)}}) : std::string();
    };
    const auto kilo = [](double kb) {
      return kb > 0 ? bytes_text(static_cast<std::uint64_t>(kb * 1024)) : std::string();
    };
    const int registers = input_.capability ? input_.capability->registers_per_sm : 0;
    return {{"lanes", registers ? bytes_text(static_cast<std::uint64_t>(registers) * 4) : "", ""},
            {"l1", d ? kilo(d->unified_l1_kb) : "", d ? cycles(d->l1_latency) : ""},
            {"l2", d ? kilo(d->l2_mb * 1024) : "", d ? cycles(d->l2_latency) : ""},
            {"dram", d && d->dram_gbps > 0 ? plain_number(d->dram_gbps) + " GB/s" : "",
             d ? cycles(d->dram_latency) : ""},
            {"shared",
             input_.capability
                 ? bytes_text(static_cast<std::uint64_t>(std::max(0, input_.capability->shared_per_sm)))
                 : "",
             d ? cycles(d->shared_latency) : ""}};
  }

  // Four boxes in a row; shared memory below L1, because both live in the SM and beside each other.
  void place(Rect r) {
    const auto all = levels();
    const float box_width = std::clamp(r.width * 0.14f, 92.0f, 220.0f);
    const float link_width = (r.width - 4 * box_width) / 3;
    const Rect top{r.x, r.y, r.width, r.height * 0.6f - 8};
    const Rect bottom{r.x, r.y + r.height * 0.6f + 8, r.width, r.height * 0.4f - 8};
    const auto column = [&](int i) { return r.x + static_cast<float>(i) * (box_width + link_width); };
    // The SM holds lanes, L1 and shared memory.
    const Rect sm{r.x - 6, r.y - 2, box_width * 2 + link_width + 12, r.height + 4};
    draft_.box("sm", sm, Ink::of(Role::Panel), 8).tooltip = draft_.say("view.hierarchy.sm");
    for (int i = 0; i < 3; ++i)
      link({column(i) + box_width, top.y, link_width, top.height}, links_[static_cast<std::size_t>(i)]);
    level({column(0), top.y, box_width, r.height - 4}, all[0]);
    level({column(1), top.y, box_width, top.height}, all[1]);
    level({column(2), top.y, box_width, r.height - 4}, all[2]);
    level({column(3), top.y, box_width, r.height - 4}, all[3]);
    link({column(0) + box_width, bottom.y, link_width, bottom.height - 4},
         {"lanes_shared", shared_, -1, false});
    level({column(1), bottom.y, box_width, bottom.height - 4}, all[4]);
  }

  void level(const Rect& r, const Level& level) {
    Shape& s = draft_.box("level." + level.id, r, Ink::of(Role::Raised), 6);
    s.stroke = Ink::of(Role::Line);
    s.stroke_width = 1;
    s.tooltip = draft_.say("view.hierarchy.what_" + level.id);
    Rect inner = inset(r, 8, 8);
    const std::string name = draft_.say("view.hierarchy.name_" + level.id);
    int row = 0;
    for (const std::string& line : draft_.wrap(name, inner.width, kBody, Face::SansBold, 2))
      draft_.text(fmt::format("level.{}.name.{}", level.id, row++), take_top(inner, 18), line,
                  {kBody, Face::SansBold});
    for (const std::string* words : {&level.size, &level.latency})
      if (!words->empty() && inner.height >= 17)
        draft_.text(fmt::format("level.{}.fact.{}", level.id, row++), take_top(inner, 17), *words,
                    dim(kSmall));
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
    const float high =
        link.bytes > 0 && most_ > 0 ? std::max(2.0f, room * static_cast<float>(link.bytes / most_)) : 0.0f;
    const std::string tip = name + "\n" + amount(link.bytes);
    if (high <= 0) {
      draft_.line("link." + link.id, {{r.x, middle}, {r.right(), middle}}, Ink::of(Role::Line), 1).tooltip =
          tip;
      label(r, middle - 4, amount(0), link.id);
      return;
    }
    const Rect ribbon{r.x, middle - high / 2, r.width, high};
    const float good =
        link.useful >= 0 && link.bytes > 0 ? high * static_cast<float>(link.useful / link.bytes) : high;
    const Ink ink = Ink::of(link.modelled ? Role::Modelled : Role::Good, link.modelled ? 0.45f : 0.85f);
    Shape& used = draft_.box("link." + link.id, {ribbon.x, ribbon.y, ribbon.width, good}, ink);
    used.tooltip = tip;
    if (link.modelled) {
      used.stroke = Ink::of(Role::Modelled);
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
    hit_rate(r, ribbon.bottom() + 2, link.id);
  }

  void label(const Rect& r, float bottom, const std::string& words, const std::string& id) {
    draft_.text("link." + id + ".bytes", {r.x + 2, std::max(r.y, bottom - 20), r.width - 4, 20}, words,
                {draft_.largest_size(words, r.width - 4, 24, kHeading, Face::SansBold), Face::SansBold,
                 Ink::of(Role::Text), Align::Centre});
  }

  void hit_rate(const Rect& r, float top, const std::string& id) {
    if (!input_.traffic) return;
    const auto& rate = id == "l1_l2"     ? input_.traffic->l1_hit_rate
                       : id == "l2_dram" ? input_.traffic->l2_hit_rate
                                         : std::optional<double>{};
    if (!rate || top + 16 > r.bottom()) return;
    const std::string words = draft_.say("view.hierarchy.hits", {{"share", percent_text(*rate)}});
    draft_.text("link." + id + ".hits", {r.x + 2, top, r.width - 4, 16}, words,
                {kTiny, Face::Sans, Ink::of(Role::Dim), Align::Centre});
  }

  Draft draft_;
  const ViewInput& input_;
  std::array<Link, 3> links_;
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
