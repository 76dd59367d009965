#include "engine/analysis/explain_parts.h"

#include <bit>

#include "engine/analysis/patterns.h"

namespace warplens::analysis {
namespace {

// The constant distance between successive active lanes, allowing for lanes that are off in between.
std::optional<std::int64_t> stride_of(const std::vector<std::pair<int, std::uint64_t>>& lanes) {
  if (lanes.size() < 2) return std::nullopt;
  const auto distance = [&](std::size_t i) {
    return static_cast<std::int64_t>(lanes[i].second - lanes[0].second);
  };
  const std::int64_t gap = lanes[1].first - lanes[0].first;
  if (distance(1) % gap != 0) return std::nullopt;
  const std::int64_t stride = distance(1) / gap;
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
  return Form{Shape::Groups, static_cast<std::int64_t>(stride), static_cast<int>(group),
              static_cast<std::int64_t>(group_stride)};
}

// The distance between successive set bits when it is the same throughout and there are many; else 0.
int regular_step(LaneMask lanes) {
  if (active_lanes(lanes) < 5) return 0;
  const int first = std::countr_zero(lanes), step = std::countr_zero(lanes & (lanes - 1)) - first;
  int last = first;
  for (LaneMask left = lanes & (lanes - 1); left != 0; left &= left - 1) {
    if (std::countr_zero(left) - last != step) return 0;
    last = std::countr_zero(left);
  }
  return step;
}

}  // namespace

std::string lanes_text(LaneMask lanes) {
  if (const int step = regular_step(lanes); step > 1) {
    const int first = std::countr_zero(lanes), last = 31 - std::countl_zero(lanes);
    return std::to_string(first) + ", " + std::to_string(first + step) + ", ... " + std::to_string(last);
  }
  std::string out;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((lanes >> lane & 1u) == 0) continue;
    int last = lane;
    while (last + 1 < kWarpSize && (lanes >> (last + 1) & 1u) != 0) ++last;
    if (!out.empty()) out += ", ";
    out += std::to_string(lane);
    if (last > lane) out += (last == lane + 1 ? ", " : "-") + std::to_string(last);
    lane = last;
  }
  return out;
}

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
  out.widened = true;
  out.access.bytes = site.executed_bytes;
  for (std::uint64_t& address : out.access.addresses)
    address += static_cast<std::uint64_t>(site.executed_offset);
  return out;
}

}  // namespace warplens::analysis
