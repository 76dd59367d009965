#include "engine/analysis/explain_parts.h"

#include <bit>

namespace warplens::analysis {
namespace {

// Traces from files may hold whatever addresses they like: a distance that no memory has is no pattern.
bool is_near(std::int64_t distance) {
  constexpr std::int64_t kFarthest = std::int64_t{1} << 48;
  return distance >= -kFarthest && distance <= kFarthest;
}

// The constant distance between successive active lanes, allowing for lanes that are off in between.
std::optional<std::int64_t> stride_of(const std::vector<std::pair<int, std::uint64_t>>& lanes) {
  if (lanes.size() < 2) return std::nullopt;
  const auto distance = [&](std::size_t i) {
    return static_cast<std::int64_t>(lanes[i].second - lanes[0].second);
  };
  const std::int64_t gap = lanes[1].first - lanes[0].first;
  if (distance(1) % gap != 0) return std::nullopt;
  const std::int64_t stride = distance(1) / gap;
  if (!is_near(stride)) return std::nullopt;
  for (std::size_t i = 2; i < lanes.size(); ++i)
    if (distance(i) != stride * (lanes[i].first - lanes[0].first)) return std::nullopt;
  return stride;
}

std::optional<Form> groups_of(const std::vector<std::pair<int, std::uint64_t>>& lanes) {
  const std::uint64_t stride = lanes[1].second - lanes[0].second;
  std::size_t group = 2;
  while (group < lanes.size() && lanes[group].second == lanes[group - 1].second + stride) ++group;
  if (group == lanes.size() || lanes.size() % group != 0) return std::nullopt;
  const std::uint64_t group_stride = lanes[group].second - lanes[0].second;
  for (std::size_t i = 0; i < lanes.size(); ++i)
    if (lanes[i].second != lanes[0].second + (i / group) * group_stride + (i % group) * stride)
      return std::nullopt;
  const auto inside = static_cast<std::int64_t>(stride), between = static_cast<std::int64_t>(group_stride);
  if (!is_near(inside) || !is_near(between)) return std::nullopt;
  return Form{Shape::Groups, inside, static_cast<int>(group), between};
}

}  // namespace

Form form_of(int bytes, LaneMask active, const std::uint64_t* addresses) {
  std::vector<std::pair<int, std::uint64_t>> lanes;
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    lanes.emplace_back(lane, addresses[lane]);
  }
  if (lanes.size() == 1) return {Shape::Contiguous, bytes, 0, 0};
  if (const auto stride = stride_of(lanes)) {
    const Shape shape = *stride == 0        ? Shape::Uniform
                        : *stride == bytes  ? Shape::Contiguous
                        : *stride == -bytes ? Shape::Reversed
                                            : Shape::Strided;
    return {shape, *stride, 0, 0};
  }
  if (const auto groups = groups_of(lanes)) return *groups;
  return {};
}

}  // namespace warplens::analysis
