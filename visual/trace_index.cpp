#include "visual/trace_index.h"

#include <algorithm>
#include <bit>

#include "engine/trace/executed_as.h"
#include "visual/view.h"

namespace warplens::visual {
namespace {

// Spans between two stored sums: a sum over any stretch of time walks at most two such chunks.
constexpr std::size_t kChunk = 128;
constexpr std::size_t kBits = 64;

void add(std::vector<std::uint64_t>& bits, std::size_t i, std::size_t size) {
  if (bits.empty()) bits.resize((size + kBits - 1) / kBits);
  bits[i / kBits] |= std::uint64_t{1} << (i % kBits);
}

void add_span(LaneTime& sum, LaneMask active, LaneMask waiting, std::uint64_t length) {
  for (LaneMask m = active; m; m &= m - 1)
    sum.active[static_cast<std::size_t>(std::countr_zero(m))] += length;
  for (LaneMask m = waiting; m; m &= m - 1)
    sum.waiting[static_cast<std::size_t>(std::countr_zero(m))] += length;
}

// What a person sees running at an instruction: the line of the first site at or after it, in layout order.
// Sites of the kernel come before those of called functions, whose instructions count from zero again.
std::vector<std::pair<std::uint32_t, int>> lines_of(const std::vector<trace::Site>& sites) {
  std::vector<std::pair<std::uint32_t, int>> out;
  int line = 0;
  for (const trace::Site& site : sites) {
    if (site.function != sites.front().function) break;
    if (site.line != 0) line = site.line;
    if (line != 0) out.emplace_back(site.instruction, line);
  }
  return out;
}

}  // namespace

LaneTime& LaneTime::operator+=(const LaneTime& o) {
  for (std::size_t i = 0; i < active.size(); ++i) {
    active[i] += o.active[i];
    waiting[i] += o.waiting[i];
  }
  return *this;
}

LaneTime& LaneTime::operator-=(const LaneTime& o) {
  for (std::size_t i = 0; i < active.size(); ++i) {
    active[i] -= std::min(active[i], o.active[i]);
    waiting[i] -= std::min(waiting[i], o.waiting[i]);
  }
  return *this;
}

TraceIndex::TraceIndex(const trace::Trace& trace) : trace_(trace), lines_(lines_of(trace.sites)) {
  mark_spaces();
  order_.resize(trace.size());
  std::vector<std::uint32_t> counts;
  for (const trace::BlockSteps& block : trace.blocks()) {
    first_range_.push_back(static_cast<std::uint32_t>(ranges_.size()));
    order_block(block, counts);
  }
  first_range_.push_back(static_cast<std::uint32_t>(ranges_.size()));
  for (WarpRange& range : ranges_) sum_up(range);
}

void TraceIndex::mark_spaces() {
  const auto& steps = trace_.steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const trace::Step& s = steps[i];
    if (s.kind != trace::StepKind::Access || s.active == 0) continue;
    trace::Space space = s.space;
    if (s.site < trace_.sites.size()) {
      const trace::Site& site = trace_.sites[s.site];
      if (site.kind == trace::SiteKind::AsyncCopy) {
        add(fits_[static_cast<std::size_t>(trace::Space::Global)], i, steps.size());
        space = trace::Space::Shared;
      } else if (trace::executed_as(site) == trace::ExecutedAs::Operand) {
        continue;
      } else if (site.space != trace::Space::Generic) {
        space = site.space;
      }
    }
    if (const auto k = static_cast<std::size_t>(space); k < fits_.size()) add(fits_[k], i, steps.size());
  }
}

// Sorts the steps of a block by warp, keeping their order, by counting.
void TraceIndex::order_block(const trace::BlockSteps& block, std::vector<std::uint32_t>& counts) {
  const auto& steps = trace_.steps();
  counts.clear();
  for (std::size_t i = block.first; i < block.last; ++i) {
    if (steps[i].warp >= counts.size()) counts.resize(std::size_t{steps[i].warp} + 1);
    ++counts[steps[i].warp];
  }
  auto next = static_cast<std::uint32_t>(block.first);
  for (std::uint32_t warp = 0; warp < counts.size(); ++warp) {
    if (counts[warp] == 0) continue;
    ranges_.push_back({.warp = warp, .first = next, .count = counts[warp]});
    next += counts[warp];
    counts[warp] = ranges_.back().first;  // from here on: where the warp's next step goes
  }
  for (std::size_t i = block.first; i < block.last; ++i)
    order_[counts[steps[i].warp]++] = static_cast<std::uint32_t>(i);
}

// Finds the changes of lanes of a warp and sums over them. What it leaves out and how the last span ends are
// the rules that its test walks a trace by.
void TraceIndex::sum_up(WarpRange& range) {
  range.first_change = static_cast<std::uint32_t>(changes_.size());
  range.first_sum = static_cast<std::uint32_t>(sums_.size());
  std::uint64_t after_last = 0;  // steps of the warp after its last change
  for (const std::uint32_t step : std::span(order_).subspan(range.first, range.count)) {
    if (trace_.steps()[step].kind == trace::StepKind::Mask) {
      changes_.push_back(step);
      after_last = 0;
    } else {
      ++after_last;
    }
  }
  range.changes = static_cast<std::uint32_t>(changes_.size()) - range.first_change;
  if (range.changes == 0) return;
  const trace::MaskView last = trace_.mask(changes_.back());
  range.begin = trace_.mask(changes_[range.first_change]).warp_instruction;
  range.end = last.warp_instruction + (last.active != 0 ? std::max<std::uint64_t>(1, after_last) : 0);
  const WarpTime time = view_of(range);
  LaneTime sum;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < range.changes; ++i) {
    if (i % kChunk == 0) sums_.push_back(sum);
    const analysis::ActiveSpan span = time.span(i);
    const std::uint64_t length = span.end - span.begin;
    add_span(sum, span.active, span.waiting, length);
    range.lasting += length > 0;
    const std::uint64_t lost = length * static_cast<std::uint64_t>(active_lanes(span.waiting));
    if (lost <= most) continue;
    most = lost;
    range.worst = static_cast<std::uint32_t>(i + 1);
  }
  sums_.push_back(sum);
  range.sums = static_cast<std::uint32_t>(sums_.size()) - range.first_sum;
}

WarpTime TraceIndex::view_of(const WarpRange& range) const {
  WarpTime out;
  out.trace_ = &trace_;
  out.changes_ = std::span(changes_).subspan(range.first_change, range.changes);
  out.sums_ = std::span(sums_).subspan(range.first_sum, range.sums);
  out.lines_ = &lines_;
  out.launched_ = trace::launched_lanes(trace_.launch, range.warp);
  out.begin_ = range.begin;
  out.end_ = std::max(range.begin, range.end);
  out.lasting_ = range.lasting;
  if (range.worst > 0) out.worst_ = range.worst - 1;
  return out;
}

const TraceIndex::WarpRange* TraceIndex::range_of(std::uint64_t block, std::uint32_t warp) const {
  const auto& blocks = trace_.blocks();
  const auto found = std::lower_bound(
      blocks.begin(), blocks.end(), block,
      [](const trace::BlockSteps& steps, std::uint64_t wanted) { return steps.block < wanted; });
  if (found == blocks.end() || found->block != block) return nullptr;
  const auto at = static_cast<std::size_t>(found - blocks.begin());
  const auto ranges = std::span(ranges_).subspan(first_range_[at], first_range_[at + 1] - first_range_[at]);
  const auto range =
      std::lower_bound(ranges.begin(), ranges.end(), warp,
                       [](const WarpRange& r, std::uint32_t wanted) { return r.warp < wanted; });
  return range == ranges.end() || range->warp != warp ? nullptr : &*range;
}

bool TraceIndex::fits(std::size_t step, std::span<const trace::Space> spaces) const {
  if (step >= trace_.size()) return false;
  return std::any_of(spaces.begin(), spaces.end(), [&](trace::Space space) {
    const auto& bits = fits_[static_cast<std::size_t>(space) % fits_.size()];
    return !bits.empty() && (bits[step / kBits] >> (step % kBits) & 1u);
  });
}

std::size_t TraceIndex::nearest(std::size_t step, std::span<const trace::Space> spaces) const {
  const std::size_t size = trace_.size();
  if (size == 0) return size;
  const auto word = [&](std::size_t i) {
    std::uint64_t all = 0;
    for (const trace::Space space : spaces)
      if (const auto& bits = fits_[static_cast<std::size_t>(space) % fits_.size()]; !bits.empty())
        all |= bits[i];
    return all;
  };
  const bool none = std::none_of(spaces.begin(), spaces.end(), [&](trace::Space space) {
    return !fits_[static_cast<std::size_t>(space) % fits_.size()].empty();
  });
  if (none) return size;
  step = std::min(step, size - 1);
  const std::size_t here = step / kBits, shift = kBits - 1 - step % kBits;
  std::uint64_t bits = word(here) << shift >> shift;  // at or before the step
  for (std::size_t i = here + 1; i-- > 0; bits = i > 0 ? word(i - 1) : 0)
    if (bits) return i * kBits + kBits - 1 - static_cast<std::size_t>(std::countl_zero(bits));
  const std::size_t words = (size + kBits - 1) / kBits;
  bits = step % kBits == kBits - 1 ? 0 : word(here) >> (step % kBits + 1) << (step % kBits + 1);
  for (std::size_t i = here; i < words; bits = ++i < words ? word(i) : 0)
    if (bits) return i * kBits + static_cast<std::size_t>(std::countr_zero(bits));
  return size;
}

std::span<const std::uint32_t> TraceIndex::steps_of(std::uint64_t block, std::uint32_t warp) const {
  const WarpRange* range = range_of(block, warp);
  return range ? std::span(order_).subspan(range->first, range->count) : std::span<const std::uint32_t>();
}

std::vector<std::uint32_t> TraceIndex::warps_of(std::uint64_t block) const {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < trace_.blocks().size(); ++i)
    if (trace_.blocks()[i].block == block)
      for (std::uint32_t r = first_range_[i]; r < first_range_[i + 1]; ++r) out.push_back(ranges_[r].warp);
  return out;
}

std::optional<WarpTime> TraceIndex::time_of(std::uint64_t block, std::uint32_t warp) const {
  const WarpRange* range = range_of(block, warp);
  if (!range || range->lasting == 0) return std::nullopt;
  return view_of(*range);
}

std::size_t TraceIndex::memory_bytes() const {
  std::size_t bytes = (order_.size() + changes_.size() + first_range_.size()) * sizeof(std::uint32_t) +
                      sums_.size() * sizeof(LaneTime) + ranges_.size() * sizeof(WarpRange);
  for (const auto& bits : fits_) bytes += bits.size() * sizeof(std::uint64_t);
  return bytes;
}

analysis::ActiveSpan WarpTime::span(std::size_t i) const {
  analysis::ActiveSpan out;
  const trace::MaskView mask = trace_->mask(changes_[i]);
  out.begin = mask.warp_instruction;
  const std::uint64_t next = i + 1 < changes_.size() ? trace_->mask(changes_[i + 1]).warp_instruction : end_;
  out.end = std::max(out.begin, next);
  out.active = mask.active;
  out.exited = mask.exited;
  out.waiting = launched_ & ~mask.active & ~mask.exited;
  out.instruction = mask.instruction;
  const auto line =
      std::lower_bound(lines_->begin(), lines_->end(), mask.instruction,
                       [](const auto& entry, std::uint32_t wanted) { return entry.first < wanted; });
  if (line != lines_->end())
    out.line = line->second;
  else if (!lines_->empty())
    out.line = lines_->back().second;
  return out;
}

std::size_t WarpTime::span_at(std::uint64_t time) const {
  const auto after = std::upper_bound(
      changes_.begin(), changes_.end(), time,
      [this](std::uint64_t t, std::uint32_t step) { return t < trace_->mask(step).warp_instruction; });
  return after == changes_.begin() ? 0 : static_cast<std::size_t>(after - changes_.begin()) - 1;
}

LaneTime WarpTime::until(std::uint64_t time) const {
  time = std::clamp(time, begin_, end_);
  // The nearest stored sum before it, and the spans since.
  const std::size_t last = span_at(time);
  LaneTime sum = sums_[last / kChunk];
  for (std::size_t i = last / kChunk * kChunk; i <= last; ++i) {
    const trace::MaskView mask = trace_->mask(changes_[i]);
    const std::uint64_t end = i + 1 < changes_.size() ? trace_->mask(changes_[i + 1]).warp_instruction : end_;
    const std::uint64_t from = std::min(mask.warp_instruction, time),
                        to = std::min(std::max(end, from), time);
    if (to > from) add_span(sum, mask.active, launched_ & ~mask.active & ~mask.exited, to - from);
  }
  return sum;
}

LaneTime WarpTime::between(std::uint64_t from, std::uint64_t to) const {
  LaneTime out = until(to);
  out -= until(std::min(from, to));
  return out;
}

std::optional<std::uint64_t> WarpTime::time_of_step(std::size_t step) const {
  const auto after = std::upper_bound(changes_.begin(), changes_.end(), step);
  if (after == changes_.begin()) return std::nullopt;
  return trace_->mask(*std::prev(after)).warp_instruction;
}

IndexRef::IndexRef(const ViewInput& input) {
  if (!input.index || &input.index->trace() != input.trace) own_ = std::make_unique<TraceIndex>(*input.trace);
  index_ = own_ ? own_.get() : input.index;
}

}  // namespace warplens::visual
