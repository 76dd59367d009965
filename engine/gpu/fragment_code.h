// wmma loads and stores in the rewrite: an instruction that is several accesses (trace/fragments.h), none of
// whose addresses stands in a register.
#pragma once

#include <optional>
#include <string>

#include "engine/gpu/instrument_parts.h"
#include "engine/trace/fragments.h"

namespace warplens::gpu {

// How the site's matrix is moved; nothing for sites that are no wmma load or store.
std::optional<trace::FragmentMovement> fragment_of(const Site& site);

// Code that puts into %wld6 what the lane names in this access, in the operand's own space. Changes %wlr0 to
// %wlr3 and %wld7.
std::string fragment_address(const Function& function, const Instruction& instruction,
                             const trace::FragmentMovement& movement, int access);

}  // namespace warplens::gpu
