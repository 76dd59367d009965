// A Module back to PTX text that ptxas accepts; parse(print(m)) equals m up to names of scoped registers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct PrintOptions {
  bool source_lines = true;     // write .file and .loc
  bool lowest_version = false;  // the lowest PTX version that holds every form used, for older drivers
  // For the instrumenter: whole lines (each ended by a newline) that are put at the top of a function's body,
  // behind its declarations, and in front of an instruction (behind its label).
  std::function<std::string(const Function&)> prologue;
  std::function<std::string(const Function&, std::uint32_t instruction)> before;
  std::function<bool(const Function&)> leave_out;  // a kernel that nothing names
};

std::string print(const Module& module, const PrintOptions& options = {});
std::string print(const Module& module, const Function& function, const Instruction& instruction);

}  // namespace warplens::ptx
