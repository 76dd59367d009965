// A whole program on a real GPU: compiled against the vendor's runtime, run as it is, with a witness of ours
// in its process (engine/witness) that writes down what each launch was and how long it took.
//
//   const auto gpu = gpu_for_programs();            // or why there is none
//   auto built = build_program({.files = {"main.cu"}, .arch = architecture_of_gpu(), .on_gpu = true});
//   auto end = run_on_gpu({built->file}, settings, folder, *gpu);   // end->measured
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/model/program/program_process.h"
#include "app/model/program/program_ptx.h"
#include "app/model/program/whole_program.h"
#include "engine/base/result.h"

namespace warplens::model {

// The GPU of this machine that programs run on first. Errors say what is missing and what would help.
Result<MeasuredProgram> gpu_for_programs();
// "sm_90": what a program is compiled for there.
std::string architecture_of_gpu();

// A program of the user's for the GPU: not one that was linked with our stand-in.
Status can_run_on_gpu(const std::string& program);
// What the witness must know to keep launches: the variables of the modules whose kernels are asked for.
void ask_for_variables(const std::filesystem::path& program, runtime::Settings& settings);

// As run_program(), on this GPU; the end's log is what measured_log() makes of the witness's, and standard
// error says what became of a program that ended in a signal or whose kernels faulted.
Result<ProgramEnd> run_on_gpu(const std::vector<std::string>& command, runtime::Settings settings,
                              const std::filesystem::path& private_folder, MeasuredProgram gpu);

// The same for somebody who watches it (program_process.h). What it prints is told at once, and that a launch
// was asked for ("asked", as the witness writes it); launches, copies and waits with their times when it has
// ended.
Result<ProgramEnd> run_on_gpu_watched(const std::vector<std::string>& command,
                                      const std::filesystem::path& folder, runtime::Settings settings,
                                      const std::filesystem::path& private_folder, MeasuredProgram gpu,
                                      ProgramWatcher& watcher);

// The witness's lines as those of an emulated run: launches in the order in which they were asked for, with
// their measured durations; launches that were to be kept are folders when this returns, and memory that was
// copied for others is gone. `language`: of the reasons why a launch is not kept.
struct MeasuredLog {
  std::string log;
  double overhead = 0;  // seconds in the witness's own code
  bool blind = false;   // the witness could not watch the program; `reason`
  std::string reason;
};
MeasuredLog measured_log(const std::string& witnessed, const std::filesystem::path& program,
                         const std::filesystem::path& folder, const MeasuredProgram& gpu,
                         const std::string& language = "en");

}  // namespace warplens::model
