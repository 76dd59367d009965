// Why a call answers with an error that its program may not look at: what it is given, and what would be
// right. Each text is told once, on standard error.
//
//   return refuse_free(all, "cudaFree", pointer);   // cudaErrorInvalidValue, and "... was freed before: ..."
#pragma once

#include <string>

#include "engine/runtime/launcher.h"

namespace warplens::runtime {

// `name`: of the call, as the program knows it.
cudaError_t refuse_free(Context& all, const char* name, const void* pointer);
// What of so many bytes at `pointer` a copy or a fill cannot have, which the device's memory must hold when
// `device`.
cudaError_t refuse_range(Context& all, const char* name, const void* pointer, std::uint64_t bytes,
                         bool device);

// The program has fewer devices.
cudaError_t refuse_device(Context& all, const char* name, int device);

// A variable of the device that the program has not: its name as text, as toolkits before CUDA 5 took it, or
// some other pointer.
cudaError_t refuse_symbol(Context& all, const void* symbol);

// More than the variable has.
cudaError_t refuse_symbol_size(Context& all, const std::string& name, std::uint64_t asked, std::uint64_t has);

// Sizes and shared memory of a launch.
cudaError_t refuse_launch(Context& all, const KernelLaunch& launch, cudaError_t error, Message why);

// "the address lay in allocation 3 of 400 bytes, which the program has freed": where that is so.
void tell_if_freed(Context& all, std::uint64_t address);

}  // namespace warplens::runtime
