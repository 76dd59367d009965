// NVRTC in a process of its own, so that a text which it cannot cope with (endless template recursion, an
// #include of a device that never ends, gigabytes of constants) can be stopped: a library cannot.
//
//   auto result = compile_in_worker(*tools.nvrtc, request, limits);   // Error when it was stopped, and why
//
// The process is kept for the next compilation, so that only the first one pays for it; it ends with the
// program. A program that has one thread only forks; any other starts itself anew with an argument by which
// this part of it takes over before main() (nothing of it may need what main() sets up).
#pragma once

#include "engine/source/compile.h"
#include "engine/source/nvrtc.h"

namespace warplens::source {

// Safe from several threads: each compilation has a process to itself.
Result<NvrtcResult> compile_in_worker(const Nvrtc& nvrtc, const NvrtcRequest& request,
                                      const CompileLimits& limits);

}  // namespace warplens::source
