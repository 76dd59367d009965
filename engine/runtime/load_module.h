// Modules that a program loads while it runs (cuModuleLoadData, cudaLibraryLoadData): PTX, or a fat binary.
//
//   Module* module = nullptr;
//   cudaError_t error = load_module(all, module, data);   // what is wrong with it is said
#pragma once

#include <cstdint>
#include <vector>

#include "engine/runtime/context.h"

namespace warplens::runtime {

// What a module is made of stays as long as the program runs: its images point into it.
std::vector<std::uint8_t>& kept(std::vector<std::uint8_t> bytes);

// nullptr: there is no such file. Stays as long as the program runs.
const void* read_module(const char* file);

// nullptr in `module` when it fails.
cudaError_t load_module(Context& all, Module*& module, const void* data);

}  // namespace warplens::runtime
