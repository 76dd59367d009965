// Hardware counters of one launch, through CUPTI's range profiler when it is installed and the system permits
// it.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/ptx/module.h"
#include "engine/trace/launch.h"

namespace warplens::gpu {

struct Counter {
  std::string name;  // the profiler's own: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
  double value = 0;
};

// The error says which permission is missing and how to grant it.
Result<std::vector<Counter>> read_counters(const ptx::Module& module, const trace::Launch& launch, int device,
                                           const std::vector<std::string>& names);

}  // namespace warplens::gpu
