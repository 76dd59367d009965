// What a program's log says (engine/runtime/run_log.h), in order and added up: what the report, the table and
// the page of a run are made of.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace warplens::model {

struct RunEvents {
  using Json = nlohmann::ordered_json;
  std::vector<Json> launches;
  std::vector<Json> transfers;  // copies and fills; "kind" tells them apart
  std::vector<Json> waits, leaks, unordered;
  std::vector<Json> errors;  // of a GPU: the calls that first heard of a fault
  std::vector<std::string> not_supported, not_emulated;
};
// The lines of a log, in order. A program that crashed may have left half a line: that is left out.
void for_each_event(const std::string& log, const std::function<void(const RunEvents::Json&)>& take);
RunEvents events_of(const std::string& log);
// One line of it; what is no object is left out.
void add_event(const RunEvents::Json& line, RunEvents& to);

// All launches of a kernel together.
struct KernelSum {
  std::string name;
  std::uint64_t launches = 0, skipped = 0;
  std::uint64_t instructions = 0;  // warp level
  std::uint64_t sectors = 0, sectors_ideal = 0, conflicts = 0;
  std::uint64_t branches = 0, divergent = 0;
  std::uint64_t faults = 0;
  double seconds = 0;                // of emulation; on a GPU measured, all launches together
  std::uint64_t measured = 0;        // launches whose duration a GPU's clock gave
  double shortest = 0, longest = 0;  // of these
  // What memory moves too much: sectors beyond the ideal, and passes of shared memory that conflicts cost.
  std::uint64_t lost() const { return sectors - std::min(sectors, sectors_ideal) + conflicts; }
  void add(const KernelSum& other);
  // As tables show them: "1.50×" of the ideal, "12.5 %" of the branches; a dash where there was nothing.
  std::string over_ideal() const;
  std::string divergent_share() const;
};
KernelSum sum_of(const RunEvents::Json& launch);
// The order of kernels_of().
bool loses_more(const KernelSum& a, const KernelSum& b);
// Those with faults first, then what loses most, then what executes most, then what took longest: measured
// launches have nothing but their time.
std::vector<KernelSum> kernels_of(const std::vector<RunEvents::Json>& launches);

}  // namespace warplens::model
