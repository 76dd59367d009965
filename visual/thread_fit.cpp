#include "visual/thread_fit.h"

#include <algorithm>
#include <array>

namespace warplens::visual {
namespace {

using Index = std::array<std::int64_t, 3>;

Index index_of(Dim3 t) {
  return {t.x, t.y, t.z};
}

// Two known threads that differ in one dimension alone.
const ThreadPlace* neighbour(const std::vector<ThreadPlace>& known, const ThreadPlace& of,
                             std::size_t dimension) {
  for (const ThreadPlace& other : known) {
    const Index a = index_of(of.thread), b = index_of(other.thread);
    bool fits = a[dimension] != b[dimension];
    for (std::size_t d = 0; d < 3; ++d) fits = fits && (d == dimension || a[d] == b[d]);
    if (fits) return &other;
  }
  return nullptr;
}

}  // namespace

std::pair<std::int64_t, std::int64_t> ThreadFit::at(Dim3 thread) const {
  const Index t = index_of(thread);
  std::int64_t r = row[0], c = column[0];
  for (std::size_t d = 0; d < 3; ++d) {
    r += row[d + 1] * t[d];
    c += column[d + 1] * t[d];
  }
  return {r, c};
}

std::optional<ThreadFit> fit_threads(const std::vector<ThreadPlace>& known) {
  if (known.empty()) return std::nullopt;
  ThreadFit fit;
  for (std::size_t d = 0; d < 3; ++d) {
    for (const ThreadPlace& from : known) {
      const ThreadPlace* to = neighbour(known, from, d);
      if (to == nullptr) continue;
      const std::int64_t steps = index_of(to->thread)[d] - index_of(from.thread)[d];
      if ((to->row - from.row) % steps != 0 || (to->column - from.column) % steps != 0) return std::nullopt;
      fit.row[d + 1] = (to->row - from.row) / steps;
      fit.column[d + 1] = (to->column - from.column) / steps;
      break;
    }
  }
  const auto [row, column] = fit.at(known.front().thread);
  fit.row[0] = known.front().row - row;
  fit.column[0] = known.front().column - column;
  const bool holds = std::all_of(known.begin(), known.end(), [&](const ThreadPlace& p) {
    return fit.at(p.thread) == std::pair(p.row, p.column);
  });
  return holds ? std::optional(fit) : std::nullopt;
}

}  // namespace warplens::visual
