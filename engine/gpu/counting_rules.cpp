#include "engine/gpu/counting_rules.h"

#include <algorithm>

#include "engine/gpu/fragment_code.h"
#include "engine/gpu/recorder_module.h"
#include "engine/trace/executed_as.h"
#include "engine/trace/matrix_rows.h"

namespace warplens::gpu {

using trace::Site;
using trace::SiteKind;

const char* global_recorder(std::uint32_t rule) {
  return (rule & ~0xffu) == 0 ? "global" : "atomic";
}

const char* shared_recorder(std::uint32_t rule) {
  if ((rule & (kRuleLoop | kRuleLoopLoads)) != 0) return "rounds";
  const std::uint32_t simple = 0xffu | kRuleNarrow | kRuleMerges | kRuleByLane;
  return (rule & 0xffu) <= 4 && (rule & ~simple) == 0 ? "words" : "shared";
}

std::uint32_t form_rule(const Site& site) {
  if (site.atomic_form == ptx::AtomicForm::OneLane) return kRuleOneLane;
  return site.atomic_form == ptx::AtomicForm::OneLaneIfFull ? kRuleOneIfFull : 0;
}

std::uint32_t global_rule(const Site& site) {
  switch (site.kind) {
    case SiteKind::Atomic:
    case SiteKind::Reduction:
      return kRuleAtomic;
    case SiteKind::CompareAndSwap:
      return kRuleAtomic | kRuleSwap;
    default:
      return 0;
  }
}

std::uint32_t shared_rule(const Site& site) {
  switch (site.kind) {
    case SiteKind::Load: {
      const auto fragment = fragment_of(site);
      const int bytes = fragment ? fragment->bytes() : executed_bytes_of(site);
      return bytes > 4 ? kRuleMerges : 0;
    }
    case SiteKind::Atomic:
    case SiteKind::Reduction:
      // ATOMS.POPC.INC serves lanes on the same word together, as a store does.
      return site.atomic_form == ptx::AtomicForm::CountLanes ? 0 : kRuleByLane;
    case SiteKind::AsyncCopy:
      return kRuleByLane;
    case SiteKind::CompareAndSwap:
      return kRuleByLane | kRuleSwap;
    case SiteKind::MatrixLoad:
    case SiteKind::MatrixStore: {
      const LaneMask naming = trace::naming_lanes(site);
      return kRuleMatrix | (naming == kFullMask ? 0 : naming == 0xffffu ? kRule16Lanes : kRule8Lanes);
    }
    default:
      return 0;
  }
}

std::int64_t granule_of(CounterFamily family, std::uint32_t rule) {
  const auto bytes = static_cast<std::int64_t>(rule & 0xffu);
  switch (family) {
    case CounterFamily::Global:
      return (rule & kRuleAtomic) != 0 ? 0 : 128;
    case CounterFamily::Shared:
      return (rule & (kRuleLoop | kRuleLoopLoads)) != 0 ? 0 : std::max<std::int64_t>(4, bytes);
    case CounterFamily::Local:
      return 4;
    case CounterFamily::Constant:
      return 1;
    default:
      return 0;
  }
}

// The tag banks of an atomic's lines repeat after 2 MiB.
std::int64_t distance_of(CounterFamily family, std::uint32_t rule) {
  return (rule & kRuleAtomic) != 0 ? std::int64_t{2} << 20 : granule_of(family, rule);
}

int registers_of(CounterFamily family) {
  switch (family) {
    case CounterFamily::Global:
    case CounterFamily::Local:
      return 10;
    case CounterFamily::Lanes:
      return 4;
    case CounterFamily::Branch:
      return 6;
    default:
      return 8;
  }
}

bool remembers(CounterFamily family, std::uint32_t rule) {
  return family != CounterFamily::Lanes && family != CounterFamily::Branch &&
         (rule & (kRuleLoop | kRuleLoopLoads)) == 0;
}

}  // namespace warplens::gpu
