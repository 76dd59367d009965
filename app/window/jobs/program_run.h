// Compiles a whole program and runs it, on a thread and in a process of its own; what it prints and what its
// launches did is collected until the window takes it.
//
//   ProgramRun run(ProgramEngine::real(), wake);
//   run.start({.sources = {.files = {"main.cu"}}, .folder = "."});
//   ProgramNews news = run.take();        // each frame
//   if (auto ended = run.take_end()) ...
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/model/program/gpu_program.h"
#include "app/model/program/program_process.h"
#include "app/model/program/take_launch.h"
#include "engine/base/lanes.h"
#include "engine/base/progress.h"

namespace warplens::window {

struct ProgramWish {
  model::ProgramSources sources;  // on_gpu: it runs on this machine's GPU
  std::vector<std::string> arguments;
  std::filesystem::path folder;  // that it works in
  runtime::Settings settings;
  std::string typed;          // what it is given to read before anything else
  bool same_program = false;  // as it was compiled last
};

struct ProgramLaunch {
  std::uint64_t index = 0, number = 0;  // of the program's launches, of the kernel's; from 0
  model::KernelSum counts;              // of this launch alone; its name is the kernel's
  Dim3 grid, block;
  std::string ending;   // "completed", "faulted", "skipped", "refused", "cancelled", "budget", "not_measured"
  std::string trouble;  // its first fault, or why it was refused
  std::string kept, not_kept;     // the folder it is kept in; why it is not, although it was asked for
  std::uint64_t stream = 0;       // 0: the default one
  double begin = 0, seconds = 0;  // of the emulation, or measured on a GPU; since the program's start
  double modelled_us = 0;         // on the GPU that is emulated; 0: the model says nothing
  std::uint64_t registers = 0;    // of a thread; of launches that a GPU ran
  const std::string& kernel() const { return counts.name; }
};
ProgramLaunch launch_of(const model::RunEvents::Json& launch);

// A copy, a fill, or a wait of the host.
struct ProgramSpan {
  std::string what;  // "host to device", "cudaDeviceSynchronize"
  bool waits = false;
  std::uint64_t bytes = 0, stream = 0;
  double begin = 0, seconds = 0;
};

// What came since it was taken last.
struct ProgramNews {
  bool compiled = false;
  std::string warnings;        // of the compiler
  std::vector<Message> notes;  // what was put back of older toolkits
  std::string output;
  std::uint64_t output_lost = 0;  // bytes that were more than anybody could read
  std::vector<ProgramLaunch> launches;
  std::vector<ProgramSpan> spans;
  std::vector<std::string> not_supported, not_emulated;
  std::uint64_t asked = 0;                                  // launches on a GPU whose times come at the end
  std::vector<std::pair<std::string, std::string>> faults;  // of a GPU: the call that answered, and its error
  std::optional<double> idle;  // seconds without a word and without processor time
};

// Between the thread that watches the program and the window.
class ProgramDesk : public model::ProgramWatcher {
 public:
  explicit ProgramDesk(std::function<void()> wake) : wake_(std::move(wake)) {}

  // The program's side.
  Progress& compiling() { return compiling_; }
  void on_compiled(const std::string& warnings, const std::vector<Message>& notes = {});
  void on_output(std::string_view bytes) override;
  void on_event(const model::RunEvents::Json& line) override;
  void on_turn(double idle) override;
  Wish wish() override;
  std::string typed() override;

  // The window's.
  ProgramNews take();
  void ask(Wish wish);
  void type(std::string_view bytes);

 private:
  std::function<void()> wake_;
  Progress compiling_;
  std::mutex mutex_;
  ProgramNews news_;
  Wish wish_ = Wish::GoOn;
  std::string typed_;
  bool told_ = false;  // something is there that nobody was woken for
};

// Tests put their own in its place.
struct ProgramEngine {
  std::function<Result<model::ProgramEnd>(const ProgramWish&, ProgramDesk&)> run;
  std::function<Result<model::Taken>(const std::filesystem::path& launch, const std::filesystem::path& to)>
      take;
  // The GPU that programs can run on, or why there is none. It is asked when somebody has looked for GPUs.
  std::function<Result<model::MeasuredProgram>()> gpu = model::gpu_for_programs;
  static ProgramEngine real();
};

class ProgramRun {
 public:
  ProgramRun(ProgramEngine engine, std::function<void()> wake);
  ~ProgramRun();  // ends the program
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  void start(ProgramWish wish);  // nothing runs
  bool running() const { return desk_ != nullptr; }
  double seconds() const;  // that it runs
  void stop();
  void type(std::string_view bytes);
  ProgramNews take();
  // Once, when it has ended: nothing runs any more.
  struct Ended {
    Result<model::ProgramEnd> end;
    ProgramNews rest;  // what nobody has taken
  };
  std::optional<Ended> take_end();

 private:
  ProgramEngine engine_;
  std::function<void()> wake_;
  std::unique_ptr<ProgramDesk> desk_;
  std::thread thread_;
  std::mutex mutex_;
  std::optional<Result<model::ProgramEnd>> end_;
  double started_ = 0;
};

}  // namespace warplens::window
