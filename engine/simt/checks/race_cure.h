// What would have ordered the two accesses of a race, or made them one.
#pragma once

#include "engine/simt/checks/race_report.h"

namespace warplens::simt {

// The access that goes on at this address, and an earlier one by that block.
Message cure_of(const Current& now, std::uint64_t address, const Mark& earlier, std::uint64_t earlier_block,
                bool earlier_wrote);

}  // namespace warplens::simt
