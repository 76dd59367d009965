// A whole program of the user's: compiled for the stand-in of the CUDA runtime (engine/runtime), started in a
// process of its own, and what its launches did.
//
//   Result<BuiltProgram> built = build_program({.files = {"main.cu"}});
//   Result<ProgramEnd> end = run_program({built->file, "1024"}, settings, built->room->folder());
//   run_json(*end, ...)   // "warplens.run/1"
//
// A program is native code of the user's: it has the user's rights, no more and no less.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/run/older_programs.h"
#include "engine/base/message.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/runtime/settings.h"
#include "engine/source/compile.h"
#include "engine/source/workroom.h"

namespace warplens::model {

struct ProgramSources {
  std::vector<std::string> files;  // .cu, .cpp, .c, .o, .a
  std::vector<std::string> include_paths, defines, libraries, library_paths;
  std::vector<std::string> nvcc_options;  // plain words, as nvcc takes them
  std::string standard;                   // "c++17"; empty: nvcc's own
  std::string arch = "sm_90";
  bool on_gpu = false;                      // against the vendor's runtime and libraries, for a real GPU
  source::CompileLimits limits{600, 8192};  // whole programs take longer than a kernel
};

struct BuiltProgram {
  std::unique_ptr<source::Workroom> room;  // the file is gone with it
  std::string file;
  std::string warnings;
  std::vector<Message> notes;  // what was put back of older toolkits so that it compiles
};

// Errors: no nvcc, a compiler's diagnostics (ErrorKind::Compile), an option that is no plain word (Usage).
Result<BuiltProgram> build_program(const ProgramSources& sources, Progress* progress = nullptr);

// What programs are linked with in the place of the CUDA runtime; an error where this build has none.
Result<std::vector<std::string>> runtime_libraries();
// What goes into a program that runs on a GPU (engine/witness); empty where this build has none.
std::string witness_library();
// What keeps a program from running here: it is linked with the vendor's runtime.
Status can_run(const std::string& program);
// Is this file a program with our stand-in of the runtime in it? A script is none, whatever it says.
bool holds_our_runtime(const std::string& program);

// Where the launches of a program were measured.
struct MeasuredProgram {
  std::string device, driver;  // "NVIDIA H200", "580.159.04 (CUDA 13.0)"
  std::string date;            // "2026-11-23"
  double overhead = 0;         // seconds that watching it took, in its own threads
};

struct ProgramEnd {
  int exit_code = 0;  // of the program; 128 + the signal that ended it
  double seconds = 0;
  std::string log;  // lines of JSON (engine/runtime/run_log.h)
  // "signalled", "interrupted" (Ctrl-C, a request to terminate), "budget", "refused"
  std::string ending = "exited";
  std::optional<Error> refused;          // why nothing was emulated or measured
  std::optional<int> program_exit_code;  // of a program that ran all the same; exit_code is the refusal's
  // What was asked for.
  std::string command, checks;
  std::uint64_t every = 1;
  std::filesystem::path folder;             // of kept launches; empty: none were asked for
  std::optional<MeasuredProgram> measured;  // nothing: its launches were emulated
};
// Runs it with this process's streams, folder and environment until it ends. Ctrl-C is the program's; a
// request to terminate is passed on. `private_folder`: where its log may be.
Result<ProgramEnd> run_program(const std::vector<std::string>& command, runtime::Settings settings,
                               const std::filesystem::path& private_folder);
// What both ways to run it share (the other is program_process.h): its environment, and how it ended, of
// waitpid()'s status.
std::vector<std::string> program_environment(const std::string& program, const runtime::Settings& settings);
ProgramEnd program_end(int status, double seconds, const std::vector<std::string>& command,
                       const runtime::Settings& settings);

// "scale", "scale:3", "scale:3-5", "a::scale<int>:0": launches of a kernel, which count from 0; without a
// number its first.
Result<runtime::KeptLaunches> parse_kept(const std::string& text);

std::string run_json(const ProgramEnd& end);
// Kernels by what they lose: launches, instructions, sectors, conflicts, divergence, faults.
std::string run_text(const ProgramEnd& end, const Catalogue& catalogue);
// Where the launches are that were kept, a line each, and why others are not; where none was asked for, which
// kernels were launched.
std::string kept_text(const ProgramEnd& end, const Catalogue& catalogue);

// nvcc's options with ours in the place of what would not run here: architectures and the static runtime.
// `back`: what is put back of older toolkits, besides what the options ask for (--older-cuda).
std::vector<std::string> compiler_options(const std::vector<std::string>& options,
                                          const std::vector<std::string>& libraries, PutBack back = {});

}  // namespace warplens::model
