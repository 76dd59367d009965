// Whether the PTX says how an instruction of floating point rounds.
//
//   mul.f32: open, so that ptxas may make one instruction of it and a sum;   mul.rn.f32: not
#pragma once

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// Of a single floating-point type, with nothing else written than .ftz and .sat (PTX ISA, add, sub and mul).
bool leaves_rounding_open(const Form& form);

}  // namespace warplens::ptx
