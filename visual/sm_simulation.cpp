#include "visual/sm_simulation.h"

#include <algorithm>
#include <limits>

namespace warplens::visual {
namespace {

struct Warp {
  const std::vector<SmOp>* program = nullptr;
  std::size_t next = 0;
  int ready_at = 0;     // cycle from which the next instruction may issue
  int recorded_to = 0;  // segments cover the cycles before this one
  bool done() const { return next >= program->size(); }
};

SmSegment::State waiting_for(SmOp op) {
  switch (op) {
    case SmOp::Shared:
      return SmSegment::State::WaitShared;
    case SmOp::Global:
      return SmSegment::State::WaitGlobal;
    default:
      return SmSegment::State::WaitArithmetic;
  }
}

void record(std::vector<SmSegment>* segments_wanted, Warp& warp, SmSegment::State state, int end) {
  if (end <= warp.recorded_to) return;
  if (!segments_wanted) {
    warp.recorded_to = end;
    return;
  }
  std::vector<SmSegment>& segments = *segments_wanted;
  if (!segments.empty() && segments.back().state == state && segments.back().end == warp.recorded_to)
    segments.back().end = end;
  else
    segments.push_back({state, warp.recorded_to, end});
  warp.recorded_to = end;
}

class Sm {
 public:
  Sm(const std::vector<std::vector<SmOp>>& programs, const SmSetup& setup) : setup_(setup) {
    warps_.resize(static_cast<std::size_t>(setup.warps));
    run_.warps.resize(warps_.size());
    run_.issued.resize(static_cast<std::size_t>(setup.schedulers));
    for (std::size_t w = 0; w < warps_.size(); ++w) warps_[w].program = &programs[w % programs.size()];
  }

  SmRun run() {
    int cycle = 0;
    while (cycle < setup_.max_cycles && !all_done()) {
      for (int s = 0; s < setup_.schedulers; ++s) step(s, cycle);
      if (all_done()) break;
      // Nothing can happen before the next warp is ready: skip to it.
      cycle = std::max(cycle + 1, std::min(next_event(), setup_.max_cycles));
    }
    run_.finished = all_done();
    run_.cycles = cycle;
    for (std::size_t w = 0; w < warps_.size(); ++w) {  // the last results are still under way
      Warp& warp = warps_[w];
      if (warp.next > 0)
        record(segments_of(w), warp, waiting_for((*warp.program)[warp.next - 1]),
               std::min(warp.ready_at, setup_.max_cycles));
      run_.cycles = std::max(run_.cycles, warp.recorded_to);
    }
    return std::move(run_);
  }

 private:
  std::vector<SmSegment>* segments_of(std::size_t w) { return setup_.record ? &run_.warps[w] : nullptr; }
  bool all_done() const {
    return std::all_of(warps_.begin(), warps_.end(), [](const Warp& w) { return w.done(); });
  }
  int next_event() const {
    int at = std::numeric_limits<int>::max();
    for (const Warp& w : warps_)
      if (!w.done()) at = std::min(at, w.ready_at);
    return at;
  }

  // Greedy, then oldest: the warp that issued last goes on while it can, else the first one that is ready.
  void step(int scheduler, int cycle) {
    const auto stride = static_cast<std::size_t>(setup_.schedulers);
    for (std::size_t w = static_cast<std::size_t>(scheduler); w < warps_.size(); w += stride) {
      Warp& warp = warps_[w];
      if (warp.done()) continue;
      if (warp.ready_at <= cycle) {
        issue(w, scheduler, cycle);
        return;
      }
      if (!setup_.hide_latency) return;  // the warp has the scheduler for itself until it ends
    }
  }

  void issue(std::size_t w, int scheduler, int cycle) {
    Warp& warp = warps_[w];
    if (warp.next > 0)
      record(segments_of(w), warp, waiting_for((*warp.program)[warp.next - 1]), warp.ready_at);
    record(segments_of(w), warp, SmSegment::State::Ready, cycle);
    record(segments_of(w), warp, SmSegment::State::Issue, cycle + 1);
    const SmOp op = (*warp.program)[warp.next++];
    warp.ready_at = cycle + std::max(1, setup_.latency[static_cast<std::size_t>(op)]);
    ++run_.issued[static_cast<std::size_t>(scheduler)];
  }

  SmSetup setup_;
  std::vector<Warp> warps_;
  SmRun run_;
};

}  // namespace

double SmRun::utilisation() const {
  int sum = 0;
  for (const int n : issued) sum += n;
  const double slots = static_cast<double>(cycles) * static_cast<double>(issued.size());
  return slots > 0 ? sum / slots : 0;
}

std::vector<int> loads_in_flight(const SmRun& run) {
  std::vector<int> out(static_cast<std::size_t>(std::max(0, run.cycles)) + 1, 0);
  const auto at = [&](int cycle) { return static_cast<std::size_t>(std::clamp(cycle, 0, run.cycles)); };
  for (const auto& warp : run.warps)
    for (const SmSegment& s : warp)
      if (s.state == SmSegment::State::WaitGlobal) ++out[at(s.begin)], --out[at(s.end)];
  for (std::size_t cycle = 1; cycle < out.size(); ++cycle) out[cycle] += out[cycle - 1];
  return out;
}

SmRun simulate_sm(const std::vector<std::vector<SmOp>>& programs, const SmSetup& setup) {
  SmSetup safe = setup;
  safe.warps = std::clamp(setup.warps, 1, 64);
  safe.schedulers = std::clamp(setup.schedulers, 1, 8);
  safe.max_cycles = std::clamp(setup.max_cycles, 1, 1 << 20);
  if (programs.empty()) return {};
  return Sm(programs, safe).run();
}

}  // namespace warplens::visual
