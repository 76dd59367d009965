#include "app/window/jobs/timeline.h"

#include <algorithm>

namespace warplens::window {
namespace {

StopKind kind_of(const trace::Site* site, trace::StepKind step) {
  if (step == trace::StepKind::Branch) return StopKind::Branch;
  if (step == trace::StepKind::Barrier) return StopKind::Barrier;
  if (!site) return StopKind::Load;
  switch (site->kind) {
    case trace::SiteKind::Store:
    case trace::SiteKind::MatrixStore:
      return StopKind::Store;
    case trace::SiteKind::Atomic:
    case trace::SiteKind::Reduction:
    case trace::SiteKind::CompareAndSwap:
      return StopKind::Atomic;
    case trace::SiteKind::AsyncCopy:
    case trace::SiteKind::BulkCopy:
      return StopKind::Copy;
    default:
      return StopKind::Load;
  }
}

}  // namespace

std::optional<StopKind> Column::main() const {
  const auto most = std::max_element(counts.begin(), counts.end());
  if (*most == 0) return std::nullopt;
  return static_cast<StopKind>(most - counts.begin());
}

Timeline::Timeline(const trace::Trace& trace, std::optional<std::uint32_t> warp) {
  const trace::StepList steps = trace.steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const trace::Step& step = steps[i];
    if (step.kind == trace::StepKind::Mask || (warp && step.warp != *warp)) continue;
    if (step.kind == trace::StepKind::Access && step.active == 0) continue;
    // Lanes leaving a barrier are its second half, shown with it.
    if (step.kind == trace::StepKind::Barrier && trace.barrier(i).phase == trace::Barrier::Phase::Release)
      continue;
    const trace::Site* site = step.site < trace.sites.size() ? &trace.sites[step.site] : nullptr;
    steps_.push_back(static_cast<std::uint32_t>(i));
    kinds_.push_back(kind_of(site, step.kind));
  }
}

std::size_t Timeline::stop_at(std::size_t step) const {
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), step);
  return after == steps_.begin() ? 0 : static_cast<std::size_t>(after - steps_.begin()) - 1;
}

std::vector<Column> Timeline::columns(std::size_t count, std::size_t first, std::size_t last) const {
  last = std::min(last, size());
  first = std::min(first, last);
  count = std::min(count, last - first);
  std::vector<Column> columns(count);
  for (std::size_t c = 0; c < count; ++c) {
    Column& column = columns[c];
    column.first = first + (last - first) * c / count;
    column.last = first + (last - first) * (c + 1) / count;
    for (std::size_t i = column.first; i < column.last; ++i) {
      ++column.counts[static_cast<std::size_t>(kinds_[i])];
    }
  }
  return columns;
}

}  // namespace warplens::window
