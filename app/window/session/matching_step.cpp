#include "app/window/session/matching_step.h"

#include <algorithm>
#include <optional>

namespace warplens::window {
namespace {

// What makes two steps the same occasion, but for how often it has happened.
struct Occasion {
  trace::StepKind kind = trace::StepKind::Access;
  std::uint32_t warp = 0, site = 0;
  bool by_site = true;
  trace::SiteKind access = trace::SiteKind::Load;
  trace::Space space = trace::Space::Global;

  static Occasion of(const trace::Trace& trace, const trace::Step& step, bool by_site) {
    Occasion o{step.kind, step.warp, step.site, by_site};
    if (step.site < trace.sites.size()) {
      o.access = trace.sites[step.site].kind;
      o.space = trace.sites[step.site].space;
    }
    return o;
  }
  bool operator==(const Occasion& o) const {
    if (kind != o.kind || warp != o.warp) return false;
    return by_site ? site == o.site : access == o.access && space == o.space;
  }
};

const trace::BlockSteps* block_at(const trace::Trace& trace, std::size_t step) {
  const auto& blocks = trace.blocks();
  const auto it = std::find_if(blocks.begin(), blocks.end(),
                               [&](const trace::BlockSteps& b) { return step >= b.first && step < b.last; });
  return it == blocks.end() ? nullptr : &*it;
}

}  // namespace

std::size_t matching_step(const trace::Trace& from, std::size_t step, const trace::Trace& to,
                          bool same_program) {
  if (to.size() == 0 || from.size() == 0) return 0;
  step = std::min(step, from.size() - 1);
  const trace::BlockSteps* here = block_at(from, step);
  if (here && !to.blocks().empty()) {
    const auto& blocks = to.blocks();
    const auto same = std::find_if(blocks.begin(), blocks.end(),
                                   [&](const trace::BlockSteps& b) { return b.block == here->block; });
    const trace::BlockSteps& there = same == blocks.end() ? blocks.front() : *same;
    const Occasion wanted = Occasion::of(from, from.steps()[step], same_program);
    std::size_t times = 0;
    for (std::size_t i = here->first; i <= step; ++i)
      times += Occasion::of(from, from.steps()[i], same_program) == wanted;
    std::optional<std::size_t> found;
    for (std::size_t i = there.first; i < there.last && times > 0; ++i) {
      if (!(Occasion::of(to, to.steps()[i], same_program) == wanted)) continue;
      found = i;
      --times;
    }
    if (found) return *found;
  }
  const double share = static_cast<double>(step) / static_cast<double>(from.size());
  return std::min(to.size() - 1, static_cast<std::size_t>(share * static_cast<double>(to.size())));
}

}  // namespace warplens::window
