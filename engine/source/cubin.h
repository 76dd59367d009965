// Reads the machine code that ptxas writes: which instructions touch memory or steer control, and from which
// line of the PTX each was made.
//
//   ptxas -arch=sm_90 -lineinfo kernel.ptx -o kernel.cubin
//   auto listing = read_cubin(bytes);      listing->functions[0].instructions[12].line == 68
//
// A cubin is an ELF file. -lineinfo leaves the instructions as they are and adds a table from addresses to
// lines of the PTX (.nv_debug_line_sass, a DWARF line program of version 2). Opcodes, widths, guards and jump
// targets are read as compute capability 8.0 to 9.0 encodes them, 16 bytes an instruction: found from known
// code of 784 kernels, whose counts of every opcode agree with the disassembler's (9.0). The listing of any
// other target is empty.
//
// Fails with ErrorKind::System when the bytes are no such file; never reads beyond them.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/result.h"
#include "engine/ptx/syntax/machine_code.h"

namespace warplens::source {

Result<ptx::MachineListing> read_cubin(std::span<const std::uint8_t> bytes);

}  // namespace warplens::source
