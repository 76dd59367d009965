// Every table of operations there is. Decoders of one opcode are asked in the order of the tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/simt/ops/op.h"

namespace warplens::simt {

// Arithmetic, logic, comparison, conversion, moves, warp communication, matrices: ops_*.cpp, listed by
// ops_tables.cpp.
std::span<const std::span<const OpcodeEntry>> arithmetic_tables();
// Loads, stores, atomics, address conversion, asynchronous copies: memory_*.cpp, listed by memory_tables.cpp.
std::span<const std::span<const OpcodeEntry>> memory_tables();

// Every opcode of which some form runs, control flow included; sorted, without modifiers.
std::vector<std::string> known_opcodes();

// All decoders of an opcode, in order.
std::span<const Decode> decoders_of(ptx::Opcode opcode);

}  // namespace warplens::simt
