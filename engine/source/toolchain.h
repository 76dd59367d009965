// Where the compilers are. Nothing here is fixed at build time: a toolkit that is installed later is found at
// the next start.
//
//   Toolchain tools = find_toolchain(SearchPlaces::from_environment());
//   if (tools.nvrtc) ... else if (!tools.nvcc.path.empty()) ...
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/source/compile.h"

namespace warplens::source {

struct SearchPlaces {
  std::vector<std::string> program_folders;      // $PATH
  std::vector<std::string> toolkits;             // $CUDA_HOME, $CUDA_PATH, /usr/local/cuda*, /opt/cuda
  std::vector<std::string> nvrtc_library_names;  // what the loader finds by itself; tests pass none
  static SearchPlaces from_environment();
};

class Nvrtc;

struct Tool {
  std::string path;     // empty: not found
  std::string version;  // "nvcc 13.0", as shown to people
  Error reason = {};    // why it was not found, and what to install
};

struct Toolchain {
  std::shared_ptr<const Nvrtc> nvrtc;  // null: nvrtc_tool.reason says why
  Tool nvrtc_tool, nvcc, clang, ptxas;
  int clang_major = 0;
  std::string toolkit_include;  // folder of cuda_runtime.h, empty without a toolkit
};

Toolchain find_toolchain(const SearchPlaces& places);
// compile() with these tools only.
Result<Ptx> compile_with(const CompileOptions& options, const Toolchain& tools);

// The first executable of that name, empty when there is none.
std::string find_program(const std::string& name, const std::vector<std::string>& folders);

}  // namespace warplens::source
