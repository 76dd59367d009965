// Where in its source the program has called in, for messages: "main.cu:12". Empty where nobody knows: the
// program has no table of lines, or this machine no addr2line.
#pragma once

#include <cstdint>
#include <string>

namespace warplens::runtime {

std::string calling_line();
// The same in two steps, for who may never ask: the second takes long.
std::string calling_place();
std::string calling_place(std::uint64_t returns_to);
std::string line_of_place(const std::string& place);
// Of one instruction of the program's own.
std::string line_of(std::uint64_t instruction);

}  // namespace warplens::runtime
