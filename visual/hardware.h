// What the hardware itself says: its counters for one launch, what its warps waited for, and how fast copies
// between host and device were. Plain data in the order in which it is drawn; the views that draw it are
// counters, stalls and transfers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/evidence.h"
#include "engine/base/measured_on.h"

namespace warplens::visual {

struct CounterLine {
  enum class Kind : std::uint8_t { Count, Bytes, Percent };
  enum class Part : std::uint8_t { Global, Local, Shared, Caches, Execution };
  std::string metric;  // the profiler's name
  std::string key;     // message key of a short name: "counter.global_load_sectors"
  Kind kind = Kind::Count;
  Part part = Part::Global;
  int rank = 0;  // small panes show the lowest first
  double measured = 0;
  std::optional<double> counted;  // by the emulator or the recorder over the whole launch; never modelled
  bool agrees() const { return !counted || *counted == measured; }
};

// Why the warps of a scheduler did not issue. `cycles`: how many cycles a warp spends so between two of its
// instructions, on average; the sum over all reasons is the time from one instruction of a warp to its next.
struct StallLine {
  std::string reason;  // the profiler's: "long_scoreboard"
  std::string key;     // "counter.stall.long_scoreboard"
  double cycles = 0;
  bool waits() const { return reason != "selected" && reason != "not_selected"; }
};

struct HardwareCounters {
  std::vector<CounterLine> lines;  // in the order of the parts
  std::vector<StallLine> stalls;   // the largest first
  std::string note = {};           // where they were read: "on NVIDIA H200, recorded on 2026-11-20"
  // Instead of them, in the user's language: why there are none, and what would help.
  std::string missing = {};
  bool coming = false;  // they are being read
  MeasuredOn on = {};
  // At which values they were read, in the user's language, where that is not this launch.
  std::string elsewhere = {};
};

// `count` copies of `bytes` each, one after another; times of all of them together.
struct TransferPoint {
  std::uint64_t bytes = 0;
  int count = 1;
  double median_ms = 0, low_ms = 0, high_ms = 0;
  double rate() const { return median_ms > 0 ? static_cast<double>(bytes) * count / median_ms / 1e6 : 0; }
};
struct TransferSeries {
  bool pinned = false, to_device = true;
  std::vector<TransferPoint> single;  // one copy each, ascending sizes
  std::vector<TransferPoint> pieces;  // the same total in so many pieces, the largest pieces first
};
struct TransferRates {
  std::vector<TransferSeries> series;
  bool to_device = true;  // the direction that is shown where there is room for one
  std::string note = {};
  Evidence evidence = Evidence::Measured;
  MeasuredOn on = {};
};

}  // namespace warplens::visual
