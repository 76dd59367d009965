// How a function's accesses are executed, told by its machine code instead of by the rules of as_executed.h:
//
//   an instruction with a machine access of its own      executed, as wide as that is
//   one without, beside a wider one of the same base     joined: the wider one is its leader
//   one without, alone                                   not executed: the value is in a register
//
// A wide access is made of whichever of its members ptxas names; where it starts follows from the members.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/rules/as_executed.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// What the machine code has of an instruction: nothing that was made of it or that it is known to have become
// part of, an access, or of an atom a reduction.
enum class MachineSays : std::uint8_t { Nothing, Access, Reduction };

// Changes what the rules said (one entry an instruction) where the machine code tells otherwise. Returns, for
// each instruction, whether it told: of the others the rules' answer stands.
std::vector<MachineSays> follow_machine_accesses(const Module& module, const Function& function,
                                                 std::vector<ExecutedAs>& out);

}  // namespace warplens::ptx
