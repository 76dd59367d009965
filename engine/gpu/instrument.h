// The instrumenting rewrite: PTX in, PTX out, in which every memory access, branch and barrier also records
// what its warp did. The kernel's own registers, memory and results stay as they are.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/ptx/module.h"
#include "engine/trace/site.h"

namespace warplens::gpu {

struct Instrumented {
  ptx::Module module;  // entry takes one more parameter: the address of the recorder's control block
  std::vector<trace::Site> sites;  // same numbers as trace::collect_sites
  std::string entry;
};

enum class Detail { Totals, Records };

Result<Instrumented> instrument(const ptx::Module& module, const std::string& entry, Detail detail);

}  // namespace warplens::gpu
