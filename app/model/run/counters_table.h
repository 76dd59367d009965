// What the hardware counted beside what Warplens counted, row by row, and what its warps waited for.
//
//   for (const visual::CounterLine& row : counters_table(reading, &run->report)) show(text.text(row.key),
//   ...);
#pragma once

#include <vector>

#include "engine/analysis/report.h"
#include "engine/gpu/counters.h"
#include "visual/hardware.h"

namespace warplens::model {

// Rows of zero on both sides are left out. `report` may be null; counts of a sampled launch are not shown.
std::vector<visual::CounterLine> counters_table(const gpu::CounterReading& reading,
                                                const analysis::Report* report);

// What the warps waited for, largest first.
std::vector<visual::StallLine> stall_table(const gpu::CounterReading& reading);

// Both, for the views; `note` says where the counters were read, `on` on which GPU.
visual::HardwareCounters hardware_counters(const gpu::CounterReading& reading, const analysis::Report* report,
                                           std::string note, MeasuredOn on);

}  // namespace warplens::model
