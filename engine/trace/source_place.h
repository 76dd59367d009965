// Where an instruction of the PTX stands in the text that its kernel was written in.
//
//   SourcePlaces places(function);
//   if (const ptx::SourceLine* at = places.of(instruction)) show(at->line);
#pragma once

#include "engine/ptx/syntax/module.h"

namespace warplens::trace {

class SourcePlaces {
 public:
  // The function must outlive this.
  explicit SourcePlaces(const ptx::Function& function);

  // The innermost frame inside the function's own file: a helper in the same file keeps its own lines, code
  // from a header (__ldg, __syncwarp, cooperative groups) is shown where the user wrote the call. Null: the
  // PTX does not say.
  const ptx::SourceLine* of(const ptx::Instruction& instruction) const;

 private:
  const ptx::Function& function_;
  int file_ = 0;  // that the function itself is written in
};

}  // namespace warplens::trace
