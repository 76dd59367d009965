#include "engine/trace/executed_as.h"

#include <algorithm>
#include <array>

namespace warplens::trace {

std::string_view name(ExecutedAs what) {
  static constexpr std::array<std::string_view, 13> kNames{
      "access",   "widened",       "narrowed", "merged", "register",  "operand", "reduction",
      "one_lane", "counted_lanes", "loop",     "branch", "no_branch", "barrier"};
  return kNames[static_cast<std::size_t>(what)];
}

ExecutedAs executed_as(const Site& site) {
  if (site.kind == SiteKind::Branch) return site.leaves ? ExecutedAs::NoBranch : ExecutedAs::Branch;
  if (site.kind == SiteKind::Barrier) return ExecutedAs::Barrier;
  if (is_merged(site)) return ExecutedAs::Merged;
  if (site.in_registers) return site.space == Space::Constant ? ExecutedAs::Operand : ExecutedAs::Register;
  if (site.kind != SiteKind::Atomic && site.kind != SiteKind::Reduction)
    return !is_resized(site)  ? ExecutedAs::Access
           : is_widened(site) ? ExecutedAs::Widened
                              : ExecutedAs::Narrowed;
  if (site.floating_shared_atomic && site.space == Space::Shared) return ExecutedAs::Loop;
  switch (site.atomic_form) {
    case ptx::AtomicForm::OneLane:
    case ptx::AtomicForm::OneLaneIfFull:
      return ExecutedAs::OneLane;
    case ptx::AtomicForm::CountLanes:
      return ExecutedAs::CountedLanes;
    default:
      return site.reduction ? ExecutedAs::Reduction : ExecutedAs::Access;
  }
}

bool bypasses_l1(const Site& site) {
  using enum ptx::Modifier;
  const ptx::Form form = ptx::make_form(site.op);
  return std::ranges::any_of(std::array{Cg, Cv, Volatile, Relaxed, Acquire},
                             [&](ptx::Modifier modifier) { return form.has(modifier); });
}

}  // namespace warplens::trace
