// How full is the SM? Its warp slots with the blocks that fill them, those that fit but for which the grid
// has no block faint; what the grid fills and what the hardware achieved, the waves of blocks and how full
// the last one is; what each resource holds and which one is full, and how occupancy would follow if the
// block size, the registers or the shared memory changed.
//
// Small panes lose, in this order: the curves, the waves, the sentence.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/analysis/explanations.h"
#include "engine/analysis/occupancy.h"
#include "engine/base/typography.h"
#include "visual/hardware.h"
#include "visual/layout.h"
#include "visual/occupancy_curves.h"
#include "visual/other_device.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

using analysis::SmResource;

// One resource of the SM, in its own unit.
struct Resource {
  SmResource resource = SmResource::Warps;
  std::int64_t total = 0;  // of the SM
  std::int64_t block = 0;  // what one block takes, after rounding up
  std::int64_t asked = 0;  // what it asked for, before rounding
  int fits = 0;            // blocks
  bool bytes = false;
  std::string id() const { return std::string(name(resource)); }  // also where its message keys end
};

class OccupancyView {
 public:
  OccupancyView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.report || !input_.capability) return empty();
    const analysis::Report& report = *input_.report;
    kernel_.threads_per_block =
        static_cast<int>(std::min<std::uint64_t>(report.launch.block.volume(), 1u << 20));
    kernel_.registers_per_thread = report.registers_per_thread;
    kernel_.dynamic_shared = report.launch.dynamic_shared_bytes;
    kernel_.static_shared =
        std::max<std::int64_t>(0, static_cast<std::int64_t>(report.shared_bytes) - kernel_.dynamic_shared);
    state_ = analysis::occupancy(*input_.capability, kernel_);
    list_resources();
    fill_grid();
    Rect rest = header();
    place(rest);
    return draft_.finish(transcript());
  }

 private:
  const analysis::ComputeCapability& cc() const { return *input_.capability; }

  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.occupancy.title")});
    draft_.empty(rest, draft_.say("view.empty.headline"), draft_.say("view.occupancy.none_advice"));
    return draft_.finish(draft_.say("view.empty.headline"));
  }

  void list_resources() {
    const std::int64_t warps = state_.warps_per_block;
    resources_ = {{SmResource::Warps, cc().warps_per_sm, warps, warps, state_.limit_warps, false},
                  {SmResource::Registers, cc().registers_per_sm, state_.allocated_registers_per_block,
                   std::int64_t{kernel_.registers_per_thread} * kernel_.threads_per_block,
                   state_.limit_registers, false},
                  {SmResource::Shared, cc().shared_per_sm, state_.allocated_shared_per_block,
                   kernel_.static_shared + kernel_.dynamic_shared, state_.limit_shared, true},
                  {SmResource::Blocks, cc().blocks_per_sm, 1, 1, state_.limit_blocks, false}};
  }

  // Blocks that the fullest SM is given at once, and the waves of the whole launch.
  void fill_grid() {
    const auto sms = static_cast<std::uint64_t>(input_.device ? std::max(1, input_.device->sms) : 0);
    blocks_ = input_.report->launch.grid.volume();
    if (sms == 0 || state_.blocks_per_sm <= 0 || blocks_ == 0) {
      given_ = state_.blocks_per_sm;
      return;
    }
    const std::uint64_t wave = sms * static_cast<std::uint64_t>(state_.blocks_per_sm);
    const std::uint64_t each = (std::min(blocks_, wave) + sms - 1) / sms;
    given_ =
        static_cast<int>(std::min<std::uint64_t>(each, static_cast<std::uint64_t>(state_.blocks_per_sm)));
    waves_ = static_cast<double>(blocks_) / static_cast<double>(wave);
    // Over all SMs, in its first wave.
    filled_ = state_.theoretical * std::min(1.0, waves_);
  }

  // sm__warps_active of the same kernel on the same device; unset where nobody has read it.
  std::optional<double> achieved() const {
    if (!input_.counters || !other_device(input_, input_.counters->on).empty()) return std::nullopt;
    for (const CounterLine& line : input_.counters->lines)
      if (line.metric.starts_with("sm__warps_active")) return line.measured / 100;
    return std::nullopt;
  }

  // What fits, what the grid fills, what was achieved: words and a bar each, in a row.
  void shares(Rect r) {
    struct Share {
      const char* id;
      std::string words;
      double share;
      Ink ink;
    };
    std::vector<Share> all{
        {"fits", draft_.say("view.occupancy.fits_share", {{"share", percent_text(state_.theoretical)}}),
         state_.theoretical, Ink::of(Role::Modelled, 0.8f)},
        {"filled", draft_.say("view.occupancy.filled_share", {{"share", percent_text(filled_)}}), filled_,
         Ink::of(Role::Modelled, 0.8f)}};
    if (const auto measured = achieved()) {
      const std::string& where = input_.counters->elsewhere;
      all.push_back({"achieved",
                     draft_.say(where.empty() ? "view.occupancy.achieved" : "view.occupancy.achieved_at",
                                {{"share", percent_text(*measured)}, {"where", where}}),
                     *measured, Ink::of(Role::Accent)});
    }
    // Words come first, bars share what they leave.
    float words = 0;
    const auto count = static_cast<float>(all.size());
    for (const Share& share : all) words += draft_.width(share.words) + 2;
    const float bar = std::min(180.0f, (r.width - words) / count - 34);
    for (const Share& share : all) {
      const std::string id = std::string("share.") + share.id;
      const float wide = std::min(draft_.width(share.words) + 2, r.width);
      if (wide < 40) return;
      draft_.text(id, take_left(r, wide, 10), share.words).tooltip = share.words;
      if (bar < 24) continue;
      Rect room = take_left(r, bar, 24);
      room = {room.x, room.y + room.height / 2 - 4, room.width, 8};
      draft_.box(id + ".room", room, Ink::of(Role::Raised), 2);
      const float filled = room.width * static_cast<float>(std::clamp(share.share, 0.0, 1.0));
      draft_.box(id + ".bar", {room.x, room.y, std::max(1.0f, filled), room.height}, share.ink, 2);
    }
  }

  // The shares, then the waves as boxes, the last one as full as it is.
  void waves(Rect r) {
    shares(take_top(r, kTextRow));
    const double whole = std::floor(waves_ + 1e-9), rest = waves_ - whole;
    const auto count = static_cast<std::uint64_t>(std::ceil(waves_ - 1e-9));
    const std::string line =
        rest > 1e-9 ? draft_.say(whole < 1 ? "view.occupancy.waves_part" : "view.occupancy.waves_last",
                                 {{"blocks", group_digits(blocks_)},
                                  {"waves", group_digits(count)},
                                  {"share", percent_text(rest)}})
                    : draft_.say("view.occupancy.waves_full",
                                 {{"blocks", group_digits(blocks_)}, {"waves", group_digits(count)}});
    const float wide = draft_.width(line, kSmall) + 2;
    const Rect text = take_right(r, std::min(wide, r.width * 0.7f), 16);
    draft_.text("waves.words", text, line, dim(kSmall, Align::Right));
    const auto shown = std::min<std::uint64_t>(count, 24);
    const float pitch = std::min(64.0f, r.width / static_cast<float>(std::max<std::uint64_t>(1, shown)));
    for (std::uint64_t w = 0; w < shown && pitch >= 5; ++w) {
      const Rect box{r.x + pitch * static_cast<float>(w), r.y + 3, pitch - 3, r.height - 6};
      const bool last = w + 1 == shown && rest > 1e-9;
      const std::string id = "wave." + std::to_string(w);
      Shape& idle = draft_.box(id + ".room", box, Ink::of(Role::Dim, last ? 0.5f : 0.2f), 2);
      if (last) idle.pattern = Pattern::Hatched;
      idle.tooltip = line;
      const float share = last ? static_cast<float>(rest) : 1.0f;
      draft_.box(id, {box.x, box.y, box.width * share, box.height}, Ink::of(Role::Accent, 0.8f), 2).tooltip =
          line;
    }
  }

  bool limits(const Resource& r) const { return state_.is_limited_by(r.resource); }

  std::string limiter_names() const {
    std::string out;
    for (const SmResource limiter : state_.limiters) {
      if (!out.empty()) out += draft_.say("view.occupancy.and");
      out += draft_.say("view.occupancy.name_" + std::string(name(limiter)));
    }
    return out;
  }

  Rect header() {
    const std::string device = input_.device ? input_.device->name : cc().name;
    std::string sub = draft_.say("view.occupancy.warps_of", {{"n", value_of(state_.warps_per_sm)},
                                                             {"all", value_of(cc().warps_per_sm)}});
    if (state_.theoretical < 1)
      sub += " · " + draft_.say("view.occupancy.limited", {{"what", limiter_names()}});
    return draft_.header(
        {.title = draft_.say("view.occupancy.title"),
         .about = draft_.say("view.occupancy.about",
                             {{"device", device},
                              {"threads", value_of(kernel_.threads_per_block)},
                              {"registers", value_of(kernel_.registers_per_thread)},
                              {"shared", bytes_text(static_cast<std::uint64_t>(kernel_.static_shared +
                                                                               kernel_.dynamic_shared))}}),
         .answer = state_.blocks_per_sm > 0 ? percent_text(state_.theoretical)
                                            : draft_.say("view.occupancy.does_not_fit"),
         .sub = sub,
         .worse = state_.theoretical < 1,
         .evidence =
             Evidence::Modelled});  // by the rules of allocation of the device: nobody has seen it run
  }

  std::string explain() const {
    return sentences(draft_.context().text, analysis::explain_occupancy(cc(), kernel_, state_));
  }

  std::string transcript() const {
    return draft_.say("view.occupancy.transcript", {{"blocks", value_of(state_.blocks_per_sm)},
                                                    {"warps", value_of(state_.warps_per_sm)},
                                                    {"all", value_of(cc().warps_per_sm)},
                                                    {"share", percent_text(state_.theoretical)},
                                                    {"what", limiter_names()},
                                                    {"why", explain()}});
  }

  void place(Rect rest) {
    const std::string why = explain();
    const float sentence = draft_.sentence_height(why, rest.width, 3);
    if (sentence > 0 && rest.height - sentence > 210)
      draft_.sentence("why", take_bottom(rest, sentence, 12), why);
    if (rest.height > 300 && waves_ > 0) waves(take_top(rest, 2 * kTextRow + 4, 12));
    if (rest.height > 320)
      draw_occupancy_curves(draft_, take_bottom(rest, std::clamp(rest.height * 0.5f, 168.0f, 620.0f), 16),
                            {cc(), kernel_, state_, input_.lab});
    Rect left = take_left(rest, rest.width * (rest.width > 900 ? 0.5f : 0.46f), 32);
    slots(left);
    bars(rest);
  }

  // 64 warp slots: a column is one slot of each of the four sub-partitions, which is how a block is spread.
  void slots(Rect r) {
    const int rows = std::max(1, cc().subpartitions), columns = std::max(1, cc().warps_per_sm / rows);
    draft_.caption("caption.slots", take_top(r, 16, 2),
                   draft_.say("view.caption.slots", {{"n", value_of(cc().warps_per_sm)}}));
    const float names =
        r.width > 420 ? draft_.width(draft_.say("view.occupancy.part", {{"n", value_of(9)}}), kTiny) + 12
                      : 0.0f;
    const Rect titles = take_top(r, 16, 2);
    const Rect gutter = take_left(r, names);
    const float pitch =
        std::min(r.height / static_cast<float>(rows), r.width / static_cast<float>(columns) * 3.5f);
    for (int row = 0; row < rows; ++row) {
      const Rect line{r.x, r.y + pitch * static_cast<float>(row), r.width, pitch - 4};
      if (names > 0)
        draft_.text(fmt::format("part.{}", row), {gutter.x, line.y, names - 8, line.height},
                    draft_.say("view.occupancy.part", {{"n", value_of(row)}}), dim(kTiny));
      for (int column = 0; column < columns; ++column)
        slot(cell_of(line, column, columns, 3), column * rows + row, row);
    }
    block_names({r.x, titles.y, r.width, titles.height}, rows, columns);
  }

  Ink block_ink(int block) const { return Ink::of(Role::Accent, block % 2 == 0 ? 0.95f : 0.6f); }

  void slot(const Rect& cell, int index, int part) {
    if (index >= state_.warps_per_sm) {
      Shape& s = draft_.frame(fmt::format("slot.{}", index), cell, Ink::of(Role::Dim, 0.6f), 1, 3);
      s.dashed = true;
      s.tooltip = draft_.say("view.occupancy.slot_empty", {{"what", limiter_names()}});
      return;
    }
    const int block = index / state_.warps_per_block, warp = index % state_.warps_per_block;
    if (block >= given_) {
      Shape& s = draft_.box(fmt::format("slot.{}", index), cell, Ink::of(Role::Accent, 0.14f), 3);
      s.stroke = Ink::of(Role::Accent, 0.5f);
      s.stroke_width = 1;
      s.tooltip = draft_.say("view.occupancy.slot_unfilled", {{"block", value_of(block)}});
      return;
    }
    Shape& s = draft_.box(fmt::format("slot.{}", index), cell, block_ink(block), 3);
    s.tooltip = draft_.say("view.occupancy.slot",
                           {{"block", value_of(block)}, {"warp", value_of(warp)}, {"part", value_of(part)}});
  }

  // "block 0" over the columns it fills, where each name has room.
  void block_names(const Rect& r, int rows, int columns) {
    const float pitch = (r.width + 3) / static_cast<float>(columns);
    float free_from = r.x;
    for (int block = 0; block < state_.blocks_per_sm; ++block) {
      const float first = static_cast<float>(block * state_.warps_per_block) / static_cast<float>(rows);
      const float wide = static_cast<float>(state_.warps_per_block) / static_cast<float>(rows) * pitch;
      const float x = r.x + first * pitch;
      const std::string full = draft_.say("view.occupancy.block", {{"n", value_of(block)}});
      const std::string brief = std::to_string(block);
      for (const std::string& words : {full, brief}) {
        const float need = draft_.width(words, kTiny) + 2;
        if (need > wide || x < free_from) continue;
        draft_.text(fmt::format("block.{}", block), {x, r.y, std::min(wide, r.right() - x), r.height}, words,
                    dim(kTiny));
        free_from = x + need + 4;
        break;
      }
    }
  }

  std::string amount(const Resource& r, std::int64_t value) const {
    const auto n = static_cast<std::uint64_t>(std::max<std::int64_t>(0, value));
    return r.bytes ? bytes_text(n) : group_digits(n);
  }

  void bars(Rect r) {
    draft_.caption("caption.limits", take_top(r, 16, 4), draft_.say("view.caption.limits"));
    const float pitch = std::min(168.0f, r.height / static_cast<float>(resources_.size()));
    for (const Resource& resource : resources_) bar(take_top(r, pitch), resource);
  }

  void bar(Rect r, const Resource& resource) {
    const bool full = limits(resource);
    Rect words = take_top(r, std::min(18.0f, r.height * 0.5f));
    const std::string verdict =
        resource.fits == analysis::Occupancy::kNoLimit
            ? draft_.say("view.occupancy.never")
            : draft_.say_count("view.occupancy.fits", static_cast<std::uint64_t>(std::max(0, resource.fits)));
    const float wide = draft_.width(verdict, kSmall, full ? Face::SansBold : Face::Sans) + 1;
    const Rect right = take_right(words, std::min(wide, words.width * 0.5f), kUnit);
    draft_.text("limit." + resource.id(), right, verdict,
                {kSmall, full ? Face::SansBold : Face::Sans,
                 Ink::of(!full                    ? Role::Dim
                         : state_.theoretical < 1 ? Role::Warn
                                                  : Role::Text),
                 Align::Right});
    const std::int64_t used = resource.block * state_.blocks_per_sm;
    const std::string name = draft_.say("view.occupancy.name_" + resource.id());
    const std::string detail = draft_.say(
        "view.occupancy.used",
        {{"name", name}, {"used", amount(resource, used)}, {"all", amount(resource, resource.total)}});
    Shape& title = draft_.text(
        "limit." + resource.id() + ".name", words, draft_.fits(detail, words.width) ? detail : name,
        {kSmall, full ? Face::SansBold : Face::Sans, Ink::of(Role::Text), Align::Left});
    title.tooltip = tooltip(resource);
    fill({r.x, r.y + 2, r.width, std::clamp(r.height - 14, 6.0f, 84.0f)}, resource, full);
  }

  std::string tooltip(const Resource& r) const {
    std::string out =
        draft_.say("view.occupancy.takes",
                   {{"name", draft_.say("view.occupancy.name_" + r.id())}, {"n", amount(r, r.block)}});
    if (r.block > r.asked)
      out += "\n" + draft_.say("view.occupancy.rounded", {{"asked", amount(r, r.asked)}});
    return out;
  }

  // A segment a block; hatched: what the next block would need and does not get.
  void fill(const Rect& r, const Resource& resource, bool full) {
    draft_.box("bar." + resource.id(), r, Ink::of(Role::Raised), 3).tooltip = tooltip(resource);
    if (resource.total <= 0) return;
    const float scale = r.width / static_cast<float>(resource.total);
    const float one = static_cast<float>(resource.block) * scale;
    for (int block = 0; block < state_.blocks_per_sm; ++block) {
      const float gap = one > 5 ? 1.5f : 0.0f;
      const float x = r.x + one * static_cast<float>(block);
      if (x >= r.right()) break;
      Shape& s = draft_.box(fmt::format("bar.{}.{}", resource.id(), block),
                            {x, r.y, std::max(0.5f, std::min(one, r.right() - x) - gap), r.height},
                            block_ink(block), 2);
      s.tooltip = tooltip(resource);
    }
    const float end = r.x + one * static_cast<float>(state_.blocks_per_sm);
    if (!full || r.right() - end < 1) return;
    Shape& rest = draft_.box("bar." + resource.id() + ".rest", {end, r.y, r.right() - end, r.height},
                             Ink::of(Role::Warn, 0.8f), 2);
    rest.pattern = Pattern::Hatched;
    rest.tooltip =
        draft_.say("view.occupancy.left",
                   {{"left", amount(resource, resource.total - resource.block * state_.blocks_per_sm)},
                    {"need", amount(resource, resource.block)}});
  }

  Draft draft_;
  const ViewInput& input_;
  analysis::KernelResources kernel_;
  analysis::Occupancy state_;
  std::vector<Resource> resources_;
  std::uint64_t blocks_ = 0;       // of the grid
  int given_ = 0;                  // of those that fit an SM: as many as the grid fills
  double waves_ = 0, filled_ = 0;  // 0 waves: the device is not known; share of all warp slots
};

}  // namespace

Scene occupancy_view(const ViewContext& context, const ViewInput& input) {
  return OccupancyView(context, input).run();
}

bool occupancy_applies(const ViewInput& input) {
  return input.report && input.capability;
}

}  // namespace warplens::visual
