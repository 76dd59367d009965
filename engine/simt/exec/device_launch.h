// What kernels ask of the runtime. Launches (dynamic parallelism), as the calls that nvcc makes of <<<...>>>
// there: a buffer for the child's parameters, which the thread fills, and the launch. Children, copies and
// fills are done when their parent has ended, which is when a thread may first count on them; whoever runs
// the parent finds them in LastingMemory::launched. Streams and events of a kernel's own keep no more order
// than that does. The value of a graph's condition lies in memory, at the address that is its handle.
#pragma once

#include <string_view>

#include "engine/simt/exec/builtins.h"

namespace warplens::simt {

// Builtin::None: none of them.
Builtin device_launch_named(std::string_view name);
// What the call gives back to one lane.
std::uint64_t run_device_launch(const BuiltinCall& call, Builtin builtin, unsigned lane);

// The address by which kernels know another kernel of their module.
std::uint64_t kernel_address(std::size_t index_in_module);

}  // namespace warplens::simt
