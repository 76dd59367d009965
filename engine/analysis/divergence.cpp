#include "engine/analysis/divergence.h"

#include <algorithm>

namespace warplens::analysis {
namespace {

// The line of the first site at or after an instruction, in layout order: what a person sees running there.
// Sites of the kernel come before those of called functions, whose instructions count from zero again.
int line_of(const std::vector<trace::Site>& sites, std::uint32_t instruction) {
  int line = 0;
  for (const trace::Site& site : sites) {
    if (site.function != sites.front().function) break;
    if (site.line != 0) line = site.line;
    if (site.instruction >= instruction && line != 0) break;
  }
  return line;
}

}  // namespace

double ExecutionCounts::average_active_lanes() const {
  if (of_machine()) return machine_thread_instructions / machine_warp_instructions;
  return warp_instructions == 0
             ? 0.0
             : static_cast<double>(thread_instructions) / static_cast<double>(warp_instructions);
}

double ExecutionCounts::efficiency() const {
  return average_active_lanes() / kWarpSize;
}

std::vector<ActiveSpan> active_lanes_over_time(const trace::Trace& trace, std::uint64_t block,
                                               std::uint32_t warp) {
  std::vector<ActiveSpan> out;
  const auto found = std::find_if(trace.blocks().begin(), trace.blocks().end(),
                                  [&](const trace::BlockSteps& steps) { return steps.block == block; });
  if (found == trace.blocks().end()) return out;
  const LaneMask launched = trace::launched_lanes(trace.launch, warp);
  std::uint64_t steps_since = 0;  // of this warp since its last change of lanes
  for (std::size_t step = found->first; step < found->last; ++step) {
    if (trace.steps()[step].warp != warp) continue;
    if (trace.steps()[step].kind != trace::StepKind::Mask) {
      ++steps_since;
      continue;
    }
    const trace::MaskView mask = trace.mask(step);
    if (!out.empty()) out.back().end = std::max(out.back().begin, mask.warp_instruction);
    steps_since = 0;
    ActiveSpan span;
    span.begin = span.end = mask.warp_instruction;
    span.active = mask.active;
    span.exited = mask.exited;
    span.waiting = launched & ~mask.active & ~mask.exited;
    span.instruction = mask.instruction;
    span.line = line_of(trace.sites, mask.instruction);
    out.push_back(span);
  }
  // The warp's last change says nothing about how long it went on, unless it says that no lane is left: what
  // was recorded after it is the least that ran.
  if (!out.empty() && out.back().active != 0)
    out.back().end = out.back().begin + std::max<std::uint64_t>(1, steps_since);
  std::erase_if(out, [](const ActiveSpan& span) { return span.begin == span.end; });
  return out;
}

}  // namespace warplens::analysis
