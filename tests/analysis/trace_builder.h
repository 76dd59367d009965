// Traces for tests without an emulator: accesses written down by hand.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "engine/trace/trace.h"

namespace warplens::analysis {

// One access of 32 lanes at a site of the given kind, and a trace around it whose buffer "in" of f32 begins
// at 4096.
class TraceBuilder {
 public:
  trace::Site& site(trace::SiteKind kind, trace::Space space, int bytes, std::string text = {}) {
    trace::Site& s = sites_.emplace_back();
    s.index = s.leader = static_cast<trace::SiteId>(sites_.size() - 1);
    s.kind = kind;
    s.space = space;
    s.bytes = s.executed_bytes = bytes;
    s.line = 10 + static_cast<int>(s.index);
    s.op = std::string(kind == trace::SiteKind::Branch ? "bra" : trace::name(kind));
    s.text = std::move(text);
    return s;
  }

  // Adds an access at the newest site; `address` gives each lane's.
  trace::Access& access(const std::function<std::uint64_t(std::uint64_t)>& address,
                        LaneMask active = kFullMask) {
    auto& addresses = addresses_.emplace_back();
    for (std::uint64_t lane = 0; lane < 32; ++lane) addresses[lane] = address(lane);
    trace::Access& a = accesses_.emplace_back();
    a.site = sites_.back().index;
    a.kind = sites_.back().kind;
    a.space = sites_.back().space;
    a.bytes = static_cast<std::uint8_t>(sites_.back().bytes);
    a.active = active;
    a.addresses = addresses.data();
    return a;
  }

  void branch(LaneMask active, LaneMask taken) {
    branches_.push_back({sites_.back().index, {0, 0}, active, taken, 0, 0, 0});
  }

  trace::Trace build() const {
    trace::Recorder recorder({});
    feed(recorder);
    trace::Trace out = recorder.take();
    out.sites = sites();
    out.launch.block = {32, 1, 1};
    out.launch.arguments.push_back(*trace::parse_argument("buf:f32:262144:zero"));
    out.buffers.push_back({0, "in", 4096, 1 << 20, trace::ElementType::F32});
    return out;
  }

  // Hands everything to a listener, as the emulator would.
  void feed(trace::Listener& listener) const {
    listener.on_block_begin(0);
    for (const trace::Access& a : accesses_) listener.on_access(a);
    for (const trace::Branch& b : branches_) listener.on_branch(b);
    listener.on_block_end(0);
  }

  std::vector<trace::Site> sites() const { return {sites_.begin(), sites_.end()}; }

 private:
  std::deque<trace::Site> sites_;
  std::deque<trace::Access> accesses_;
  std::vector<trace::Branch> branches_;
  std::deque<std::array<std::uint64_t, 32>> addresses_;
};

}  // namespace warplens::analysis
