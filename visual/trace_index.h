// Where things are in a trace, so that a frame costs the same for ten accesses and for ten million.
//
//   const TraceIndex index(trace);                    // once a trace, off the frame; the trace must outlive
//   it index.nearest(cursor, spaces);                    // what nearest_step() answers, without walking for
//   (std::uint32_t step : index.steps_of(0, 3))   // all steps of warp 3 of block 0, ascending
//   index.time_of(0, 3)                               // its lanes over time
//
// Immutable once built, so threads may share it. Takes about 5 bytes a step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/analysis/divergence.h"
#include "engine/trace/trace.h"

namespace warplens::visual {

struct ViewInput;

// Lane-time of a warp: how many of its instructions each lane spent working and waiting.
struct LaneTime {
  std::array<std::uint64_t, kWarpSize> active{}, waiting{};
  LaneTime& operator+=(const LaneTime& o);
  LaneTime& operator-=(const LaneTime& o);
};

// The lanes of one warp over time. Spans are numbered from 0; spans in which no time passes are left out of
// every answer but keep their number.
class WarpTime {
 public:
  std::size_t spans() const { return changes_.size(); }
  analysis::ActiveSpan span(std::size_t i) const;
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }                       // in warp instructions
  std::size_t span_at(std::uint64_t time) const;                   // the one that holds this moment
  LaneTime until(std::uint64_t time) const;                        // sums over [begin, time)
  LaneTime between(std::uint64_t from, std::uint64_t to) const;    // sums over [from, to)
  std::optional<std::size_t> costliest() const { return worst_; }  // most lane-slots spent waiting
  std::size_t lasting() const { return lasting_; }                 // spans in which time passes
  // The moment at which a step of this warp happened, as far as changes of lanes tell.
  std::optional<std::uint64_t> time_of_step(std::size_t step) const;

 private:
  friend class TraceIndex;
  const trace::Trace* trace_ = nullptr;
  std::span<const std::uint32_t> changes_;  // Mask steps
  std::span<const LaneTime> sums_;          // before span 0, kChunk, 2 kChunk ...
  const std::vector<std::pair<std::uint32_t, int>>* lines_ = nullptr;
  LaneMask launched_ = 0;
  std::uint64_t begin_ = 0, end_ = 0;
  std::optional<std::size_t> worst_;
  std::size_t lasting_ = 0;
};

class TraceIndex {
 public:
  explicit TraceIndex(const trace::Trace& trace);
  TraceIndex(const TraceIndex&) = delete;
  TraceIndex& operator=(const TraceIndex&) = delete;

  const trace::Trace& trace() const { return trace_; }
  // Is this step an access of an active lane to one of the spaces? An asynchronous copy is one to global and
  // to shared memory.
  bool fits(std::size_t step, std::span<const trace::Space> spaces) const;
  // The last step at or before this one that fits, else the first after it, else trace.size().
  std::size_t nearest(std::size_t step, std::span<const trace::Space> spaces) const;
  // Empty for a warp that was not traced.
  std::span<const std::uint32_t> steps_of(std::uint64_t block, std::uint32_t warp) const;
  std::vector<std::uint32_t> warps_of(std::uint64_t block) const;  // ascending
  // Nothing for a warp without a recorded change of lanes.
  std::optional<WarpTime> time_of(std::uint64_t block, std::uint32_t warp) const;
  std::size_t memory_bytes() const;

 private:
  struct WarpRange {  // of one warp of one block, in order_ and changes_
    std::uint32_t warp = 0;
    std::uint32_t first = 0, count = 0;
    std::uint32_t first_change = 0, changes = 0;
    std::uint32_t first_sum = 0, sums = 0;
    std::uint32_t worst = 0, lasting = 0;
    std::uint64_t begin = 0, end = 0;
  };
  void mark_spaces();
  void order_block(const trace::BlockSteps& block, std::vector<std::uint32_t>& counts);
  void sum_up(WarpRange& range);
  const WarpRange* range_of(std::uint64_t block, std::uint32_t warp) const;
  WarpTime view_of(const WarpRange& range) const;

  const trace::Trace& trace_;
  std::array<std::vector<std::uint64_t>, 8> fits_;  // by Space: bit i is step i; empty when none fits
  std::vector<std::uint32_t> order_;                // steps, by block and warp
  std::vector<std::uint32_t> changes_;              // Mask steps, likewise
  std::vector<LaneTime> sums_;
  std::vector<WarpRange> ranges_;
  std::vector<std::uint32_t> first_range_;  // of each block of the trace, and one behind the last
  // Source lines: that of an instruction is the first entry's at or after it, else the last one's.
  std::vector<std::pair<std::uint32_t, int>> lines_;
};

// The index that a view uses: the caller's, or, when there is none, one made for this one picture.
class IndexRef {
 public:
  explicit IndexRef(const ViewInput& input);  // input.trace must not be null
  const TraceIndex& operator*() const { return *index_; }
  const TraceIndex* operator->() const { return index_; }

 private:
  std::unique_ptr<TraceIndex> own_;
  const TraceIndex* index_ = nullptr;
};

}  // namespace warplens::visual
