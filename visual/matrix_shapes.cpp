#include "visual/matrix_shapes.h"

#include <algorithm>
#include <bit>
#include <map>

namespace warplens::visual {
namespace {

constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 22;  // elements of a matrix
constexpr std::size_t kMostAccesses = std::size_t{1} << 20;     // to matrices that are looked at

class Collector {
 public:
  Collector(const trace::Trace& trace, std::vector<MatrixShape> shapes) : trace_(trace) {
    out_.all = std::move(shapes);
    for (MatrixShape& shape : out_.all)
      if (shape.elements() <= kMostCounted) shape.touches.assign(shape.elements(), 0);
  }

  MatrixShapes run() {
    for (const trace::BlockSteps& block : trace_.blocks()) {
      if (out_.partial) break;
      walk(block);
    }
    for (MatrixShape& shape : out_.all)
      if (!shape.touches.empty()) shape.most = *std::max_element(shape.touches.begin(), shape.touches.end());
    return std::move(out_);
  }

 private:
  void walk(const trace::BlockSteps& block) {
    std::map<std::uint32_t, std::uint32_t> phase;  // of a warp
    MatrixBlock here{block.block, out_.accesses.size(), 0, 1};
    for (std::size_t i = block.first; i < block.last && !out_.partial; ++i) {
      const trace::Step& step = trace_.steps()[i];
      if (step.kind == trace::StepKind::Barrier) {
        if (trace_.barrier(i).phase == trace::Barrier::Phase::Arrive)
          here.phases = std::max(here.phases, ++phase[step.warp] + 1);
      } else if (step.kind == trace::StepKind::Access && step.active != 0) {
        access(i, phase[step.warp]);
      }
    }
    here.last = out_.accesses.size();
    out_.blocks.push_back(here);
  }

  void access(std::size_t step, std::uint32_t phase) {
    const trace::AccessView view = trace_.access(step);
    if (view.space != trace::Space::Global) return;
    const std::uint64_t first = view.addresses[static_cast<std::size_t>(std::countr_zero(view.active))];
    const auto shape =
        std::find_if(out_.all.begin(), out_.all.end(), [&](const MatrixShape& s) { return s.holds(first); });
    if (shape == out_.all.end()) return;
    out_.accesses.push_back({static_cast<std::uint32_t>(step), phase,
                             static_cast<std::uint32_t>(shape - out_.all.begin()), view.warp});
    out_.partial = out_.accesses.size() >= kMostAccesses;
    if (shape->touches.empty()) return;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((view.active >> lane & 1u) == 0) continue;
      const std::uint64_t at = view.addresses[static_cast<std::size_t>(lane)];
      for (int byte = 0; byte < view.bytes; byte += shape->element_bytes)
        if (const std::uint64_t a = at + static_cast<std::uint64_t>(byte); shape->holds(a))
          ++shape->touches[shape->element(a)];
    }
  }

  const trace::Trace& trace_;
  MatrixShapes out_;
};

}  // namespace

MatrixShapes collect_matrices(const trace::Trace& trace, std::vector<MatrixShape> shapes) {
  if (shapes.empty()) return {};
  return Collector(trace, std::move(shapes)).run();
}

}  // namespace warplens::visual
