// What a kernel is called and what it takes, as its author wrote it: names from the source text, types from
// the demangled symbol.
//
//   __global__ void scale(float* data, const int n)   ->  name "scale", parameters {data: float*}, {n: int}
#pragma once

#include <string>
#include <vector>

#include "app/model/pipeline.h"

namespace warplens::model {

struct Parameter {
  std::string name;  // "data"; "argument 0" where the source does not tell
  std::string type;  // "float*"; the PTX type where the symbol does not tell
};

struct Signature {
  std::string name;     // "scale", "scale<int, 4>"
  std::string mangled;  // as in the PTX
  std::vector<Parameter> parameters;
};

Signature signature_of(const Program& program, const ptx::Function& entry);

// The entries of a program in the order of the PTX.
std::vector<const ptx::Function*> entries_of(const Program& program);

}  // namespace warplens::model
