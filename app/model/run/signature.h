// What a kernel is called and what it takes, as its author wrote it: names from the declaration in the source
// (whatever macro or header it comes from), types from the demangled symbol.
//
//   __global__ void scale(float* data, size_t n)
//     ->  name "scale", parameters {data: float*}, {n: unsigned long, written size_t}
#pragma once

#include <string>
#include <vector>

#include "app/model/run/pipeline.h"

namespace warplens::model {

struct Parameter {
  std::string name;  // "data"; "argument 0" where the source does not tell
  // "float*", of the symbol; of extern "C", whose symbols do not tell, as declared; else the PTX type.
  std::string type;
  std::string written = type;  // as the source has it; of templates, and where that does not tell: `type`
};

struct Signature {
  std::string name;     // "scale", "scale<int, 4>"
  std::string mangled;  // as in the PTX
  std::vector<Parameter> parameters;
  // The declaration that the names are from, as long as the program lives; null: it was not found.
  const source::DeclaredKernel* declared = nullptr;
};

Signature signature_of(const Program& program, const ptx::Function& entry);

// The entries of a program in the order of the PTX.
std::vector<const ptx::Function*> entries_of(const Program& program);

}  // namespace warplens::model
