// Options that a program reads from a file (`gcc @options`), one a line: no shell and no option list of
// nvcc's ever sees them.
//
//   response_file({"-DX=$(date)", "-Imy files"})  ->  -DX=\$\(date\)
//                                                     -Imy\ files
#pragma once

#include <string>
#include <vector>

namespace warplens::source {

// As gcc and clang read it. No option may hold a line break.
std::string response_file(const std::vector<std::string>& options);

}  // namespace warplens::source
