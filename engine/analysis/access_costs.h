// What each access in the source costs over the whole launch: load, store and atomic apart, never averaged
// with each other; and which of them a kernel is about.
//
//   out[i] = in[i * stride];   // stride 8: the load 32.0 sectors a request, the store 4.0
//
//   const Focus focus = focus_of(report);
//   focus.first()->per_request();   // 32.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/report.h"

namespace warplens::analysis {

// One access in the source. What unrolling or a structure made of it is one, as long as the copies cost
// within a factor of two of each other. Both sides of a kernel's memory are kept apart as well: one with
// `shared` requests has no `global` ones.
struct AccessCost {
  enum class Kind : std::uint8_t { Load, Store, Atomic };
  Kind kind = Kind::Load;
  bool in_shared = false;
  bool local = false;  // sectors of local memory
  std::string op;      // "ld.global.f32"
  std::string text;    // of the source line, trimmed
  int line = 0;        // 0 unknown
  std::uint64_t executions = 0;
  GlobalCounts global;
  SharedCounts shared;
  Known known = Known::AsWritten;  // how its counts are known, of the least known of its instructions

  Evidence evidence() const { return counted(known); }
  std::uint64_t requests() const { return in_shared ? shared.requests : global.requests; }
  std::uint64_t cost() const { return in_shared ? shared.wavefronts : global.sectors; }  // passes or sectors
  std::uint64_t cost_ideal() const { return in_shared ? shared.wavefronts_ideal : global.sectors_ideal; }
  std::uint64_t waste() const { return cost() > cost_ideal() ? cost() - cost_ideal() : 0; }
  double per_request() const;  // 0 without requests
  double ideal() const;        // of the same
  bool same_place(const AccessCost& other) const {
    return line == other.line && kind == other.kind && in_shared == other.in_shared && op == other.op;
  }
  // Whether an instruction is one of those that make this access; which memory it goes to only the run tells.
  bool holds(const trace::Site& site) const;
};
std::string_view name(AccessCost::Kind kind);  // "load"

// Accesses with requests, in the order of the source lines; of one line loads before stores before atomics.
std::vector<AccessCost> access_costs(const Report& report);

// The access that the kernel names (Report::about), else the one that wastes most, else the one that costs
// most; for each of the two memories.
struct Focus {
  std::optional<AccessCost> global, shared;
  bool shared_first = false;  // the kernel is about shared memory
  const AccessCost* first() const {
    const auto& wanted = shared_first ? shared : global;
    return wanted ? &*wanted : nullptr;
  }
};
// The access that the kernel names, or null: of several the first that was executed.
const AccessCost* named_access(const std::vector<AccessCost>& costs, const std::vector<About>& about);
Focus focus_of(const Report& report);
Focus focus_of(const std::vector<AccessCost>& costs, const std::vector<About>& about);

}  // namespace warplens::analysis
