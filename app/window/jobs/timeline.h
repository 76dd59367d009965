// The transport's view of a trace: which steps time stops on, and what a strip of so many columns shows.
//
//   load load store | stops {0, 1, 3}      columns(2) -> {2 loads}, {1 store}
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/trace/trace.h"

namespace warplens::window {

enum class StopKind : std::uint8_t { Load, Store, Atomic, Copy, Branch, Barrier };
inline constexpr std::size_t kStopKinds = 6;

struct Column {
  std::array<std::uint32_t, kStopKinds> counts{};
  std::size_t first = 0, last = 0;  // half-open range of stops
  std::optional<StopKind> main() const;
};

class Timeline {
 public:
  Timeline() = default;
  // Accesses, branches and barriers; of one warp when `warp` is set. A change of the active lanes alone is no
  // stop: it always belongs to the branch or barrier beside it.
  Timeline(const trace::Trace& trace, std::optional<std::uint32_t> warp);

  std::size_t size() const { return steps_.size(); }
  bool empty() const { return steps_.empty(); }
  std::size_t step(std::size_t stop) const { return steps_[stop]; }
  StopKind kind(std::size_t stop) const { return kinds_[stop]; }
  // The last stop at or before a step (the first one when there is none).
  std::size_t stop_at(std::size_t step) const;
  std::vector<Column> columns(std::size_t count, std::size_t first, std::size_t last) const;

 private:
  std::vector<std::uint32_t> steps_;
  std::vector<StopKind> kinds_;
};

}  // namespace warplens::window
