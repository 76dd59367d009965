#include "engine/analysis/executed.h"

#include <bit>

#include "engine/analysis/patterns.h"
#include "engine/trace/executed_as.h"

namespace warplens::analysis {

ExecutedShape executed_shape(const trace::Site& site, int bytes, LaneMask active,
                             const std::uint64_t* addresses) {
  ExecutedShape out{active, bytes, 0, false, false, false};
  if (is_merged(site)) {
    out.merged_away = true;
    return out;
  }
  out.active = executing_lanes(site.atomic_form, active);
  out.combined = out.active != active;
  if (!is_resized(site)) return out;
  if (out.active != 0 && is_joined_load(site) &&
      !starts_wide_load(addresses[std::countr_zero(out.active)], site.executed_bytes, site.executed_offset)) {
    out.merged_away = true;
    return out;
  }
  out.widened = true;
  out.bytes = site.executed_bytes;
  out.offset = site.executed_offset;
  return out;
}

Executed executed(const trace::Trace& trace, const trace::AccessView& access) {
  Executed out{access, false, false, false};
  if (access.site >= trace.sites.size()) return out;
  const ExecutedShape shape =
      executed_shape(trace.sites[access.site], access.bytes, access.active, access.addresses.data());
  out.merged_away = shape.merged_away;
  out.widened = shape.widened;
  out.combined = shape.combined;
  out.access.active = shape.active;
  out.access.bytes = shape.bytes;
  for (std::uint64_t& address : out.access.addresses) address += static_cast<std::uint64_t>(shape.offset);
  return out;
}

}  // namespace warplens::analysis
