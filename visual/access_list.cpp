#include "visual/access_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/analysis/coalescing.h"
#include "engine/analysis/local_places.h"
#include "engine/analysis/shared_banks.h"
#include "visual/trace_index.h"

namespace warplens::visual {
namespace {

constexpr std::ptrdiff_t kLook = 4000;  // of the warp's steps to each side
constexpr float kCaption = 22;

// The steps of this warp's accesses near the shown one, in order.
std::vector<std::size_t> neighbours(const ViewInput& input, const Picked& picked,
                                    std::span<const trace::Space> spaces, std::size_t wanted) {
  const IndexRef index(input);
  const auto steps = index->steps_of(picked.block, picked.access.warp);
  const auto here = std::lower_bound(steps.begin(), steps.end(), picked.step);
  std::vector<std::size_t> before, after;
  for (auto i = here; i != steps.begin() && here - i < kLook && before.size() < wanted;)
    if (index->fits(*--i, spaces)) before.push_back(*i);
  for (auto i = here; i != steps.end() && i - here < kLook && after.size() < wanted; ++i)
    if (*i > picked.step && index->fits(*i, spaces)) after.push_back(*i);
  // The shown access stands a third down, as far as its neighbours allow.
  std::size_t above = std::min(before.size(), wanted / 3);
  const std::size_t below = std::min(after.size(), wanted - 1 - above);
  above = std::min(before.size(), wanted - 1 - below);
  std::vector<std::size_t> out(before.rend() - static_cast<std::ptrdiff_t>(above), before.rend());
  out.push_back(picked.step);
  out.insert(out.end(), after.begin(), after.begin() + static_cast<std::ptrdiff_t>(below));
  return out;
}

struct Unit {      // one sector or pass
  float good = 1;  // share that is needed
};

struct Cost {
  std::vector<Unit> units;
  std::uint64_t count = 0, ideal = 0;
};

Cost cost_of_access(const Picked& picked) {
  const trace::AccessView& access = picked.access;
  Cost out;
  if (access.space == trace::Space::Shared) {
    const bool floating = picked.site && picked.site->floating_shared_atomic;
    const auto detail = analysis::explain_shared(picked.served_kind(), access.bytes, access.active,
                                                 access.addresses.data(), floating);
    int last = -1;
    for (const analysis::BankPass& pass : detail.passes) {
      out.units.push_back({pass.phase == last ? 0.0f : 1.0f});
      last = pass.phase;
    }
    out.count = detail.counts.wavefronts;
    out.ideal = detail.counts.wavefronts - detail.counts.bank_conflicts;
    return out;
  }
  if (access.space == trace::Space::Constant) {
    const auto counts = analysis::count_constant(access.bytes, access.active, access.addresses.data());
    for (std::uint64_t i = 0; i < counts.addresses; ++i)
      out.units.push_back({i < counts.requests ? 1.0f : 0.0f});
    out.count = counts.addresses;
    out.ideal = counts.requests;
    return out;
  }
  const auto explain =
      access.space == trace::Space::Local ? analysis::explain_local : analysis::explain_global;
  const auto detail = explain(access.kind, access.bytes, access.active, access.addresses.data());
  for (const analysis::Sector& sector : detail.sectors)
    out.units.push_back({static_cast<float>(std::popcount(sector.used)) / 32});
  out.count = detail.counts.sectors;
  out.ideal = detail.counts.sectors_ideal;
  return out;
}

void draw_units(Draft& draft, const std::string& id, Rect r, const Cost& cost) {
  const float pitch =
      std::min(14.0f, r.width / static_cast<float>(std::max<std::size_t>(1, cost.units.size())));
  if (pitch < 2) return;
  for (std::size_t i = 0; i < cost.units.size(); ++i) {
    const Rect cell{r.x + pitch * static_cast<float>(i), r.y + 5, pitch - (pitch > 4 ? 2.0f : 1.0f),
                    r.height - 10};
    const float good = cell.height * cost.units[i].good;
    if (good < cell.height) {
      Shape& waste = draft.box(fmt::format("{}.waste.{}", id, i),
                               {cell.x, cell.y, cell.width, cell.height - good}, Ink::of(Role::Dim, 0.6f), 1);
      waste.pattern = Pattern::Hatched;
    }
    if (good > 0)
      draft.box(fmt::format("{}.used.{}", id, i), {cell.x, cell.bottom() - good, cell.width, good},
                Ink::of(Role::Good), 1);
  }
}

}  // namespace

int count_accesses(const ViewInput& input, const Picked& picked, std::span<const trace::Space> spaces,
                   int wanted) {
  if (!input.trace || wanted < 2) return 0;
  const auto steps = neighbours(input, picked, spaces, static_cast<std::size_t>(wanted));
  return steps.size() < 2 ? 0 : static_cast<int>(steps.size());
}

float access_list_height(int rows) {
  return kCaption + kAccessRow * static_cast<float>(rows);
}

void draw_access_list(Draft& draft, Rect r, const ViewInput& input, const Picked& picked,
                      std::span<const trace::Space> spaces) {
  if (!input.trace || r.height < kCaption + kAccessRow) return;
  const auto wanted = static_cast<std::size_t>((r.height - kCaption) / kAccessRow);
  const auto steps = neighbours(input, picked, spaces, wanted);
  draft.caption("caption.accesses", take_top(r, kCaption), draft.say("view.caption.accesses"));
  trace::SiteId last_leader = trace::kNoSite;
  for (const std::size_t step : steps) {
    ViewInput at = input;
    at.cursor.step = step;
    const auto access =
        step == picked.step ? std::optional(picked) : pick_access(draft.context(), at, spaces);
    if (!access || access->step != step) continue;  // merged into another row
    const Cost cost = cost_of_access(*access);
    const std::string id = fmt::format("access.{}", step);
    Rect row = take_top(r, kAccessRow);
    Shape& ground =
        draft.box(id, inset(row, 0, 1), Ink::of(step == picked.step ? Role::Raised : Role::Panel), 3);
    ground.target.step = step;
    ground.tooltip = describe_picked(draft, *access);
    if (step == picked.step)
      draft.box(id + ".now", {row.x, row.y + 1, 3, row.height - 2}, Ink::of(Role::Accent), 1.5f);
    // As written, what the machine joins into one access is tied together.
    const trace::SiteId leader = access->site ? access->site->leader : trace::kNoSite;
    if (!draft.context().as_executed && leader == last_leader && leader != trace::kNoSite &&
        access->site->index != leader)
      draft
          .line(id + ".tie", {{row.x + 6, row.y - kAccessRow / 2}, {row.x + 6, row.y + kAccessRow / 2}},
                Ink::of(Role::Accent), 2)
          .tooltip = draft.say("view.access.merged");
    last_leader = leader;
    row = inset(row, 10, 0);
    const bool worse = cost.count > cost.ideal;
    const std::string number = fmt::format("{} / {}", cost.count, cost.ideal);
    Shape& n = draft.text(id + ".n", take_right(row, 64, 12), number,
                          {kSmall, Face::Mono, Ink::of(worse ? Role::Warn : Role::Dim), Align::Right});
    n.tooltip = draft.say("view.access.cost", {{"n", value_of(cost.count)}, {"ideal", value_of(cost.ideal)}});
    const Rect name = take_left(row, row.width * 0.42f, 16);
    const std::string code =
        access->site ? (access->site->text.empty() ? access->site->op : access->site->text) : "";
    const std::string line =
        access->site && access->site->line > 0 ? fmt::format("{}  ", access->site->line) : "";
    draft.text(id + ".code", name, line + code,
               {kTiny, Face::Mono, Ink::of(step == picked.step ? Role::Text : Role::Dim), Align::Left});
    draw_units(draft, id, row, cost);
  }
}

}  // namespace warplens::visual
