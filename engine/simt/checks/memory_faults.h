// Sentences about accesses that went wrong: "element 1024 of out, which has 1024 elements".
#pragma once

#include <vector>

#include "engine/simt/memory/memory.h"

namespace warplens::simt {

// What the kernel's author calls a variable: "tile" for "_ZZ9transposePfE4tile".
std::string source_name(const ptx::Variable& variable);

// "element 5 of out", "byte 64 of the shared array tile": a place that the operation touches.
Message place_message(const Op& op, Warp& warp, trace::Space space, std::uint64_t address);

// Out of bounds or misaligned lanes of an access; does nothing under Checks::None (they are left out).
void report_access_fault(const Op& op, Warp& warp, const Prepared& prepared, LaneMask bad);
// Lanes out of bounds whose access a GPU lets pass: told once a line, and the launch goes on.
void report_strays(const Op& op, Warp& warp, const Prepared& prepared, LaneMask strays);

// What an operation that polls looks at, and what it finds there now: one sentence, or none.
std::vector<Message> watched_place(const Op& op, Warp& warp, unsigned lane);

// "line 12"; where the source line is not known, "PTX line 40 (near line 12)" or "PTX line 40".
Message line_message(const Kernel::Program& program, std::uint32_t instruction);

}  // namespace warplens::simt
