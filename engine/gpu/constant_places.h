// Where the driver has put a module's constants. It says where they lie in global memory; an access to them
// names their place in the constant space, which only code of the same module can tell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/gpu/driver.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::gpu {

// The constants that the whole module sees, in its order.
std::vector<std::string> constants_of(const ptx::Module& module);

// A kernel to append to the text of a module that has them: it tells where each lies.
std::string constant_places_kernel(const std::vector<std::string>& constants);

// Runs that kernel, in a module that was loaded with it: the place of each of `count` constants. It fails as
// a launch does.
Result<std::vector<std::uint64_t>> constant_places(const Driver& driver, ModuleHandle module,
                                                   std::size_t count);

}  // namespace warplens::gpu
