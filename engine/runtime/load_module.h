// Modules that a program loads while it runs (cuModuleLoadData, cudaLibraryLoadData): PTX, or a fat binary.
//
//   Module* module = nullptr;
//   cudaError_t error = load_module(all, module, data);   // what is wrong with it is said
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/runtime/context.h"

namespace warplens::runtime {

// What a module is made of stays as long as the program runs: its images point into it.
std::vector<std::uint8_t>& kept(std::vector<std::uint8_t> bytes);

// nullptr: there is no such file. Stays as long as the program runs.
const void* read_module(const char* file);

// nullptr in `module` when it fails. `problem`: the sentence that is said.
cudaError_t load_module(Context& all, Module*& module, const void* data, std::string* problem = nullptr);

// What a program asks the compiler for. CUjit_option and cudaJitOption have the same numbers, and values are
// numbers or addresses by them.
struct JitOptions {
  std::vector<unsigned> options;
  void** values = nullptr;

  template <typename Option>
  static JitOptions of(unsigned count, const Option* options, void** values) {
    JitOptions out;
    if (options == nullptr || values == nullptr) return out;
    for (const Option option : std::span(options, count))
      out.options.push_back(static_cast<unsigned>(option));
    out.values = values;
    return out;
  }
};

// Fills the logs that were asked for: the one for errors with `problem`, the other with nothing, as there is
// nothing to inform of. Both end with a zero, and what was filled takes the place of their sizes.
void write_logs(const JitOptions& asked, const std::string& problem);

}  // namespace warplens::runtime
