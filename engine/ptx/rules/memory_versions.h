// Which accesses see the same memory: a number for each block's start that two blocks share only when nothing
// between them can have changed the memory or ordered accesses to it (a store, a barrier, a call).
//
//   ld.shared; @%p bra L; st.global; L: ld.shared;      both loads in one version of shared memory
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// Whether an instruction ends a version of shared (or else local) memory.
bool changes_shared(const Form& form);
bool changes_local(const Form& form);

// Version at the start of every block, for the accesses that `changes` ends.
std::vector<std::uint32_t> memory_versions(const Module& module, const Function& function,
                                           bool (*changes)(const Form&));

}  // namespace warplens::ptx
