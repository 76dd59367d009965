// Which unit of an SM executes an instruction of the PTX, and for how long: what the model of an SM
// (sm_code.h) knows of opcodes. Cycles are of the SM's clock.
//
//   const SmKind kind = kind_of(module.form(instruction), device);  // {Fma, 4, 1} for an fma.rn.f32
#pragma once

#include "engine/analysis/device.h"
#include "engine/analysis/sm_code.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::analysis {

// Of special registers, which come the way of shared memory: cycles until the value is there, and of the SM
// (tools/golden/aside.cu).
inline constexpr int kSpecialRegister = 25;
inline constexpr float kSpecialRegisterBusy = 2;
// IMAD.HI: a warp's next instruction comes eight cycles later, the unit takes one in four to five (a kernel
// of nothing else on an H200, stall_math_pipe of tests/models).
inline constexpr int kUpperHalfPause = 7;

struct SmKind {
  SmUnit unit = SmUnit::Alu;
  int latency = 4;  // from issue to issue of what needs its result
  float busy = 1;   // of a scheduler's part of the unit: 32 lanes over the lanes that it has
  float hold = 0;   // as in SmInstruction
};
SmKind kind_of(const ptx::Form& form, const Device& device);

// A product of which the upper half is wanted: its warp pauses behind it.
bool is_upper_half(const ptx::Form& form);

}  // namespace warplens::analysis
