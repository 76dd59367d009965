#include "app/window/jobs/counted_points.h"

#include <utility>

namespace warplens::window {
namespace {

// A point is some hundred bytes an access: this is a few megabytes.
constexpr std::size_t kMostPoints = 4096;

}  // namespace

const SweptPoint* CountedPoints::find(const Key& key) const {
  const auto found = points_.find(key);
  return found == points_.end() ? nullptr : &found->second;
}

void CountedPoints::keep(Key key, SweptPoint point) {
  if (points_.size() >= kMostPoints) points_.clear();
  points_.insert_or_assign(std::move(key), std::move(point));
}

void CountedPoints::forget(const model::Program* program) {
  std::erase_if(points_, [program](const auto& one) { return one.first.program == program; });
}

}  // namespace warplens::window
