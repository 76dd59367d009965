// A kernel that faulted on the GPU, explained: the hardware says that something went wrong, the emulator's
// check of the same launch says what, where and in which thread.
#pragma once

#include <vector>

#include "app/model/run/pipeline.h"

namespace warplens::model {

struct FaultDiagnosis {
  Error error;                       // the driver's message, and what the check found
  std::vector<trace::Fault> faults;  // of the check, the first ones
};

// Runs the launch in the emulator with bounds checks and a bounded budget; `error` is of kind Fault.
FaultDiagnosis diagnose_fault(const Error& error, const RunRequest& request, Progress* progress);

}  // namespace warplens::model
