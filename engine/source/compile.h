// CUDA C++ to PTX, with whichever compiler is there: nvcc, else NVRTC (opened at run time), else clang.
//
//   Result<Ptx> ptx = compile({.file = "scale.cu", .text = text, .arch = "sm_90"});
//
// A file as people have it (main, <iostream>, <<<...>>> launches) is accepted: with NVRTC and clang the host
// part is set aside, keeping every line number, and only what kernels need remains. Results are cached by
// content.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/message.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/base/work_limit.h"
#include "engine/ptx/syntax/machine_code.h"

namespace warplens::source {

enum class Compiler { Automatic, Nvrtc, Nvcc, Clang };
std::string_view name(Compiler compiler);
Result<Compiler> compiler_from(std::string_view name);

struct CompilerInfo {
  Compiler compiler = Compiler::Nvrtc;
  bool available = false;
  std::string version;  // "NVRTC 13.0"
  std::string path;
  std::string reason;  // why it is not available, and what to install
};
std::vector<CompilerInfo> find_compilers();

// What a compiler may take before it is stopped: a text can keep it busy for ever, or fill all memory.
struct CompileLimits {
  double seconds = 60;
  std::uint64_t memory_mib = 4096;  // of each of its processes
  // The same for our own passes over a text.
  WorkBounds reading() const { return {Work::ReadingCuda, seconds, memory_mib}; }
};

struct CompileOptions {
  std::string file =
      "kernel.cu";  // name used in diagnostics and .loc; also found relative includes beside it
  std::string text;
  Compiler compiler = Compiler::Automatic;
  std::string arch = "sm_90";
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> include_paths;
  std::vector<std::string> instances;  // template instances to compile: "scale<int, 4>"
  std::vector<std::string> included;  // files that nvcc reads before the text; other compilers leave them out
  bool use_cache = true;
  CompileLimits limits;
  Progress* progress = nullptr;
};

struct Diagnostic {
  enum class Severity { Error, Warning, Note } severity = Severity::Error;
  Place place;
  std::string message;
};

struct Ptx {
  std::string text;
  Compiler compiler = Compiler::Nvrtc;
  std::string compiler_version;
  std::vector<Message> remarks;  // what is to be said of how it was compiled (compile.made)
  std::vector<Diagnostic> warnings;
  bool from_cache = false;
  std::vector<std::string> refusal = {};  // what nvcc said, where another compiler took the file in its place
};

// A compile error is an Error of kind Compile: place of the first error, every diagnostic as a note. So is a
// compiler that was stopped at its limits.
Result<Ptx> compile(const CompileOptions& options);
// Diagnostics of the last kind of failure as data, for an editor.
std::vector<Diagnostic> parse_diagnostics(Compiler compiler, const std::string& log);

// Registers, shared and spills as ptxas reports them.
struct PtxasInfo {
  std::string kernel;  // mangled
  int registers = 0;
  int static_shared = 0, stack = 0, spill_stores = 0, spill_loads = 0;
};
struct Assembled {
  std::vector<PtxasInfo> kernels;
  // For compute capability 8.0 to 9.0, whose machine code the counts follow; else empty.
  ptx::MachineListing machine;
};
// What ptxas says of a module and makes of it; fails when ptxas is absent (the reason is in the error).
Result<Assembled> assemble(const std::string& ptx, const std::string& arch, const CompileLimits& limits = {},
                           Progress* progress = nullptr);

}  // namespace warplens::source
