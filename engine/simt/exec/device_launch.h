// Launches in kernels (dynamic parallelism), as the calls that nvcc makes of <<<...>>> there: a buffer for
// the child's parameters, which the thread fills, and the launch. Children run when their parent has ended,
// which is when a thread may first count on them; whoever runs the parent finds them in
// LastingMemory::launched.
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
