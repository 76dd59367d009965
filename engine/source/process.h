// Runs a compiler as a child process: no shell, its output captured, stopped when the user cancels or it
// takes too long, ended with all that it started when this program ends (workroom.h).
//
//   Result<ProcessResult> r = run_process({"/usr/bin/clang", "--version"}, {});
//   if (r && r->status == 0) use(r->out);
#pragma once

#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/source/compile.h"

namespace warplens::source {

struct ProcessOptions {
  CompileLimits limits;  // at the end of the time the child and all that it started are killed
  Progress* progress = nullptr;
};

struct ProcessResult {
  int status = 0;  // exit code; 128 + signal when it was killed by one
  std::string out, err;
};

// In an empty private folder, so that relative paths in the command mean nothing. Fails when the program
// cannot be started, was cancelled (ErrorKind::Cancelled) or ran past its time.
// A non-zero exit status is not a failure: it is in the result.
Result<ProcessResult> run_process(const std::vector<std::string>& command, const ProcessOptions& options);

// This process may map so many bytes more than it has now.
void limit_memory_of_this_process(std::uint64_t bytes);

// Compilers that this process starts from now on ask for huge pages: half of what nvcc's front end takes is
// memory that it touches for the first time.
void give_compilers_huge_pages();

// What to say of a compiler that was stopped, or that ended by itself without a word.
Error took_too_long(const std::string& compiler, const std::string& file, const CompileLimits& limits);
Error took_too_much(const std::string& compiler, const std::string& file, const CompileLimits& limits);

}  // namespace warplens::source
