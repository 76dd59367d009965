// Runs a compiler as a child process: no shell, its output captured, stopped when the user cancels or it
// takes too long.
//
//   Result<ProcessResult> r = run_process({"/usr/bin/clang", "--version"}, {});
//   if (r && r->status == 0) use(r->out);
#pragma once

#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"

namespace warplens::source {

struct ProcessOptions {
  double time_limit = 120.0;  // seconds; the child and its children are killed afterwards
  Progress* progress = nullptr;
};

struct ProcessResult {
  int status = 0;  // exit code; 128 + signal when it was killed by one
  std::string out, err;
};

// Fails when the program cannot be started, was cancelled (ErrorKind::Cancelled) or ran past its time limit.
// A non-zero exit status is not a failure: it is in the result.
Result<ProcessResult> run_process(const std::vector<std::string>& command, const ProcessOptions& options);

}  // namespace warplens::source
