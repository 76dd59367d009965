#include "engine/analysis/executed.h"

#include <bit>

#include "engine/analysis/patterns.h"

namespace warplens::analysis {

bool is_joined_load(const trace::Site& site) {
  return site.kind == trace::SiteKind::Load && site.executed_bytes > site.bytes;
}

Executed executed(const trace::Trace& trace, const trace::AccessView& access) {
  Executed out{access, false, false, false};
  if (access.site >= trace.sites.size()) return out;
  const trace::Site& site = trace.sites[access.site];
  if (site.leader != trace::kNoSite && site.leader != site.index) {
    out.merged_away = true;
    return out;
  }
  out.access.active = executing_lanes(site.atomic_form, access.active);
  out.combined = out.access.active != access.active;
  if (site.executed_bytes == 0 || site.executed_bytes == site.bytes) return out;
  const LaneMask lanes = out.access.active;
  if (lanes != 0 && is_joined_load(site) &&
      !starts_wide_load(out.access.addresses[static_cast<std::size_t>(std::countr_zero(lanes))],
                        site.executed_bytes, site.executed_offset)) {
    out.merged_away = true;
    return out;
  }
  out.widened = true;
  out.access.bytes = site.executed_bytes;
  for (std::uint64_t& address : out.access.addresses)
    address += static_cast<std::uint64_t>(site.executed_offset);
  return out;
}

}  // namespace warplens::analysis
