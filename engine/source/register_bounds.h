// What ptxas makes of a kernel that may not have all the registers it wants: under --maxrregcount, and under
// __launch_bounds__ as the compiler hands them on.
//
//   auto found = assemble_under(with_launch_bounds(ptx, "scale", 256, 4), "sm_90", 0);
//   (*found)[0].registers, (*found)[0].spill_stores
//
// Kept as every answer of ptxas is; a cancel ends it.
#pragma once

#include <string>
#include <vector>

#include "engine/source/compile.h"

namespace warplens::source {

// The PTX with .maxntid and .minnctapersm for this entry, in place of what it has of them and of .maxnreg; 0
// leaves one out. Empty where there is no such entry.
std::string with_launch_bounds(const std::string& ptx, const std::string& entry, int threads, int blocks);

// most_registers 0: as many as it wants.
Result<std::vector<PtxasInfo>> assemble_under(const std::string& ptx, const std::string& arch,
                                              int most_registers, const CompileLimits& limits = {},
                                              Progress* progress = nullptr);

}  // namespace warplens::source
