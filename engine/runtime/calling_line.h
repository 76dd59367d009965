// Where in its source the program has called in, for messages: "main.cu:12". Empty where nobody knows: the
// program has no table of lines, or this machine no addr2line.
#pragma once

#include <cstdint>
#include <string>

namespace warplens::runtime {

std::string calling_line();
// Of one instruction of the program's own.
std::string line_of(std::uint64_t instruction);

}  // namespace warplens::runtime
