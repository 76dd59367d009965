// The compilers' messages as data.
//
//   "k.cu(8): error: identifier \"x\" is undefined"   nvcc, NVRTC
//   "k.cu:8:13: error: use of undeclared identifier"  clang, and g++ behind nvcc
#pragma once

#include <string>
#include <vector>

#include "engine/source/compile.h"

namespace warplens::source {

// With the source text, columns of nvcc and NVRTC are read off their caret line; without, they may be short
// by the indentation.
std::vector<Diagnostic> parse_diagnostics(const std::string& log, const std::string& source_text);

// The Error that a failed compilation is.
Error compile_error(const std::string& compiler, const std::string& file, const std::string& log,
                    const std::vector<Diagnostic>& diagnostics);

std::string text(const Diagnostic& diagnostic);

}  // namespace warplens::source
