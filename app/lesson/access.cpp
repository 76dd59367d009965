// Where the cursor of a lesson stands in a trace.

#include <fmt/format.h>

#include "app/lesson/complaint.h"
#include "app/lesson/runs.h"
#include "app/lesson/sites.h"
#include "app/model/picture/picture.h"

namespace warplens::lesson {
namespace {

Error not_there(const At& at, Message what) {
  return told(ErrorKind::Usage, std::move(what), at.place);
}

}  // namespace

Subject standing(Subject subject, const std::optional<At>& at) {
  subject.block = at ? at->block : 0;
  return subject;
}

Result<std::size_t> find_step(const trace::Trace& trace, const At& at, std::string_view view) {
  if (at.text.empty() && at.op.empty()) {
    if (trace.size() == 0) return not_there(at, complaint("no_place"));
    return model::telling_step(trace, view);
  }
  const SiteQuery query{at.text, at.op, at.space};
  const trace::BlockSteps* block = nullptr;
  for (const trace::BlockSteps& one : trace.blocks())
    if (one.block == at.block) block = &one;
  if (block == nullptr)
    return not_there(at, complaint("no_block", "block", at.block, "blocks", trace.blocks_total));
  std::uint64_t seen = 0;
  for (std::size_t step = block->first; step < block->last; ++step) {
    const auto kind = trace.steps()[step].kind;
    if (kind != trace::StepKind::Access && kind != trace::StepKind::Branch) continue;
    if (trace.steps()[step].warp != at.warp) continue;
    const trace::SiteId site =
        kind == trace::StepKind::Access ? trace.access(step).site : trace.branch(step).site;
    if (site >= trace.sites.size() || !matches(trace.sites[site], query)) continue;
    if (kind == trace::StepKind::Access && trace.access(step).active == 0) continue;
    if (seen++ == at.execution) return step;
  }
  bool any = false;
  for (const trace::Site& site : trace.sites) any = any || matches(site, query);
  if (!any) return not_there(at, message_of(no_site(trace.sites, query)));
  return not_there(at, complaint("no_execution", "warp", at.warp, "block", at.block, "text", at.text, "seen",
                                 seen, "execution", at.execution));
}

}  // namespace warplens::lesson
