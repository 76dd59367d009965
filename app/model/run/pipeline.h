// One kernel, from text to numbers: compile, parse, emulate, count, explain. The command line and the window
// both go through here, so they can never disagree.
//
//   Request request{...};
//   Result<Run> run = execute(request, &progress);
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/analysis/report.h"
#include "engine/base/progress.h"
#include "engine/ptx/syntax/module.h"
#include "engine/simt/emulator.h"
#include "engine/source/compile.h"
#include "engine/source/launches.h"
#include "engine/trace/trace.h"

namespace warplens::visual {
struct WarpTotals;  // visual/warp_totals.h
}

namespace warplens::model {

struct Heard;  // app/model/run/heard.h

// The kernels of a program decoded for the emulator. What a slider changes is the launch: a kernel is
// decoded, and what ptxas makes of it worked out, when it first runs. Any number of threads may ask.
class DecodedKernels {
 public:
  // By name, as simt::Kernel::load takes it. Errors are not kept.
  Result<simt::Kernel> of(const std::shared_ptr<const ptx::Module>& module, const std::string& name,
                          int sm_version);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, int>, simt::Kernel> kernels_;
};

struct ProgramRequest {
  std::string file;
  std::optional<std::string> text;  // unsaved text of an editor; otherwise the file is read
  source::Compiler compiler = source::Compiler::Automatic;
  std::string arch = "sm_90";
  bool or_near = false;  // the nearest target that the compiler has, where it lacks that one; it is said
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> include_paths;
  std::vector<std::string> instances;
  // Blocks of a cluster that the launch asks for (cudaLaunchKernelEx); of kernels without __cluster_dims__.
  std::optional<Dim3> cluster;
  source::CompileLimits limits;
  std::vector<analysis::About> about;  // the accesses that reports of this program are about
  // Parameter -> how many elements a row of it has: a number, or the name of an integer parameter.
  std::vector<std::pair<std::string, std::string>> matrices;
};

// A source text that is compiled and parsed; shared by every run of its kernels.
struct Program {
  std::string file;  // as the user named it
  std::string text;  // CUDA C++ or PTX
  bool is_ptx = false;
  bool brings_ptx = false;     // a launch kept of a whole program: its PTX is the program's
  std::string arch = "sm_90";  // what it was compiled for
  std::vector<std::pair<std::string, std::string>> defines;
  source::Ptx ptx;
  std::shared_ptr<const ptx::Module> module;
  source::HostReading host;              // what the host code says; empty for PTX
  std::vector<source::PtxasInfo> ptxas;  // empty when ptxas is absent
  source::CompileLimits limits;          // what was asked for; holds for every later analysis
  std::vector<analysis::About> about;    // of the request, as are:
  std::vector<std::pair<std::string, std::string>> matrices;
  ProgramRequest asked;
  std::shared_ptr<DecodedKernels> decoded = std::make_shared<DecodedKernels>();

  CompiledBy compiled_by() const;
  // A kernel of the module, decoded once.
  Result<simt::Kernel> kernel(const std::string& name) const;
};

Result<std::shared_ptr<const Program>> load_program(const ProgramRequest& request,
                                                    Progress* progress = nullptr);
// The same text compiled for another target, as for the GPU that is about to run it; itself where it is that,
// or where its own was asked for and no other will do.
Result<std::shared_ptr<const Program>> for_target(const std::shared_ptr<const Program>& program,
                                                  const std::string& target, Progress* progress = nullptr);

struct RunRequest {
  std::shared_ptr<const Program> program;
  trace::Launch launch;
  std::string device = "H200 SXM";
  simt::Options options;
  trace::RecorderOptions recorder;
  // Count the loops and branches that the PTX has, as an instrumented run on a GPU does, instead of those
  // that ptxas makes of them.
  bool loops_as_written = false;
  // Not 0: listen for the models as well, with room for so many words of accesses (app/model/run/heard.h).
  std::size_t model_words = 0;
};

struct Run {
  std::shared_ptr<const Program> program;
  analysis::Report report;
  trace::Trace trace;
  std::vector<std::vector<std::uint8_t>> buffers;  // final bytes, one an argument
  std::unordered_map<std::string, std::uint64_t>
      constants;  // where the trace has each of the module's __constant__ variables
  std::shared_ptr<const visual::WarpTotals> warps;  // null: the launch has too many, or nobody counted
  std::shared_ptr<const Heard> heard;               // null: nobody listened, or the launch did not complete
};
Result<std::shared_ptr<const Run>> execute(const RunRequest& request, Progress* progress = nullptr);

}  // namespace warplens::model
