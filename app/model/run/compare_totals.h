// Two reports of one launch, number by number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/analysis/report.h"

namespace warplens::model {

struct FieldDifference {
  std::string field;  // "global.load.sectors", "site 4.executions"
  std::uint64_t emulator = 0, gpu = 0;
};

// Every counter of the totals and of each site that is not the same on both.
std::vector<FieldDifference> compare_totals(const analysis::Totals& emulator, const analysis::Totals& gpu);

}  // namespace warplens::model
