// Where in its source the program has called in, for messages: "main.cu:12". Empty where nobody knows: the
// program has no table of lines, or this machine no addr2line.
#pragma once

#include <string>

namespace warplens::runtime {

std::string calling_line();

}  // namespace warplens::runtime
