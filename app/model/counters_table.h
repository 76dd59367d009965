// What the hardware counted beside what Warplens counted, row by row.
//
//   for (const CounterRow& row : counters_table(reading, &run->report)) show(catalogue.text(row.key), ...);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/report.h"
#include "engine/gpu/counters.h"

namespace warplens::model {

struct CounterRow {
  enum class Kind { Count, Bytes, Percent, Warps };
  std::string metric;  // the profiler's name
  std::string key;     // message key of a short name: "counter.global_load_sectors"
  Kind kind = Kind::Count;
  double measured = 0;
  std::optional<double> counted;  // by the emulator or the recorder over the whole launch; never modelled
  bool agrees() const { return !counted || *counted == measured; }
};

// Rows of zero on both sides are left out. `report` may be null; counts of a sampled launch are not shown.
std::vector<CounterRow> counters_table(const gpu::CounterReading& reading, const analysis::Report* report);

// What the warps waited for, largest first: warps a scheduler had waiting for this reason whenever it issued.
struct StallRow {
  std::string reason;  // the profiler's: "long_scoreboard"
  std::string key;     // "counter.stall.long_scoreboard"
  double warps = 0;
};
std::vector<StallRow> stall_table(const gpu::CounterReading& reading);

}  // namespace warplens::model
