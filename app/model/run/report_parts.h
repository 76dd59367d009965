// The pieces of a report that do not depend on which back end ran the kernel.
#pragma once

#include <span>
#include <vector>

#include "app/model/run/pipeline.h"
#include "app/model/run/signature.h"

namespace warplens::model {

// Kernel, source, launch, sites with their source lines, registers and occupancy.
Status begin_report(const RunRequest& request, const ptx::Function& entry, std::vector<trace::Site> sites,
                    analysis::Report& report);
// Branches that stand in no PTX (engine/ptx/rules/added_branches.h), from the emulator's count of every
// instruction.
void count_added_branches(const ptx::Module& module, std::span<const simt::InstructionCount> counts,
                          analysis::Report& report);
// What the machine executes, as far as its code is known (engine/ptx/machine/machine_weights.h), from the
// same.
void count_machine_instructions(const ptx::Module& module, std::span<const simt::InstructionCount> counts,
                                analysis::Report& report);
// Local memory in which functions that call themselves save registers (engine/ptx/rules/saved_registers.h).
void count_saved_registers(const ptx::Module& module, std::span<const simt::CallCount> calls,
                           analysis::Report& report);
// Local memory in which a kernel keeps values that no register has room for (engine/ptx/rules/spills.h), from
// the emulator's count of every instruction.
void count_spills(const ptx::Module& module, std::span<const simt::InstructionCount> counts,
                  analysis::Report& report);
// Executed floating-point operations, from the same.
void count_flop(const ptx::Module& module, std::span<const simt::InstructionCount> counts,
                analysis::Report& report);
// Gives buffers the names of the parameters they were passed for, and those that were declared as bytes the
// type that the kernel takes them for: of float4 a float.
void name_buffers(const Signature& signature, std::vector<trace::BufferPlacement>& placements);
std::vector<analysis::BufferReport> buffer_reports(const trace::Launch& launch,
                                                   const std::vector<std::vector<std::uint8_t>>& buffers,
                                                   const std::vector<trace::BufferPlacement>& placements);

}  // namespace warplens::model
