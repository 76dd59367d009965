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

// What an access costs is counted by the memory that serves it: sectors, passes over the banks, or different
// addresses of constant memory, which is read at one of them after another.
enum class Memory : std::uint8_t { Global, Shared, Constant };  // Global: local memory as well
std::string_view name(Memory memory);                           // "global"

// One access in the source. What unrolling or a structure made of it is one, as long as the copies cost
// within a factor of two of each other. The memories are kept apart as well: one with `shared` requests has
// no others.
struct AccessCost {
  enum class Kind : std::uint8_t { Load, Store, Atomic };
  Kind kind = Kind::Load;
  Memory memory = Memory::Global;
  bool local = false;  // sectors of local memory
  std::string op;      // "ld.global.f32"
  std::string text;    // of the source line, trimmed
  int line = 0;        // 0 unknown
  std::uint64_t executions = 0;
  GlobalCounts global;
  SharedCounts shared;
  ConstantCounts constant;
  Known known = Known::AsWritten;  // how its counts are known, of the least known of its instructions

  Evidence evidence() const { return counted(known); }
  std::uint64_t requests() const;
  std::uint64_t cost() const;        // sectors, passes or addresses
  std::uint64_t cost_ideal() const;  // of constant memory: one address a request
  std::uint64_t waste() const { return cost() > cost_ideal() ? cost() - cost_ideal() : 0; }
  double per_request() const;  // 0 without requests
  double ideal() const;        // of the same
  bool same_place(const AccessCost& other) const {
    return line == other.line && kind == other.kind && memory == other.memory && op == other.op;
  }
  // Whether an instruction is one of those that make this access; which memory it goes to only the run tells.
  bool holds(const trace::Site& site) const;
};
std::string_view name(AccessCost::Kind kind);  // "load"

// Accesses with requests, in the order of the source lines; of one line loads before stores before atomics.
std::vector<AccessCost> access_costs(const Report& report);

// The access that the kernel names (Report::about), else the one that wastes most, else the one that costs
// most; for each memory.
struct Focus {
  std::optional<AccessCost> global, shared, constant;
  Memory main = Memory::Global;  // what the kernel is about
  const std::optional<AccessCost>& of(Memory memory) const;
  const AccessCost* first() const { return of(main) ? &*of(main) : nullptr; }
};
// The access that the kernel names, or null: of several the first that was executed.
const AccessCost* named_access(const std::vector<AccessCost>& costs, const std::vector<About>& about);
Focus focus_of(const Report& report);
Focus focus_of(const std::vector<AccessCost>& costs, const std::vector<About>& about);

}  // namespace warplens::analysis
