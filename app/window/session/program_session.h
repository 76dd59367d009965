// A whole program in the window, without the window: whether it may run, the run, what its launches did, and
// the way from a launch to the bench and back.
//
//   ProgramSession program(bench, ProgramEngine::real(), wake);
//   bench.open_file("main.cu", "");      // program.offers()
//   program.agree();
//   program.run();                       // in the background
//   while (program.busy()) program.tick(now);
//   program.open_launch(12);             // in all views, with the data it had
//
// Which launches are kept: the first of each kernel, while the program runs. A click on another one runs the
// program again, as it was compiled, and keeps that one; it opens as soon as it is there.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/window/jobs/background.h"
#include "app/window/jobs/program_run.h"
#include "app/window/session/terminal_text.h"
#include "app/window/session/workbench.h"
#include "engine/source/private_folder.h"

namespace warplens::window {

// As somebody types it.
struct ProgramChoices {
  std::string arguments;      // words as a shell takes them; nothing is expanded
  std::string folder;         // that it works in
  std::string more;           // for the compiler: further files, -I, -D, -l, -L and nvcc's plain options
  std::string every, budget;  // numbers; empty: each launch, no end
  bool all_checks = false;    // races, uninitialised reads, ...
  bool strict = false;        // a launch ends also at accesses out of bounds that a GPU lets pass
  bool keep_first = true;     // the first launch of each kernel
  bool on_gpu = false;        // instead of the emulator; checks, strict, every and budget are the emulator's
  bool operator==(const ProgramChoices&) const = default;
};

class ProgramSession {
 public:
  enum class State { None, Ready, Compiling, Running, Ended };
  enum class Column {
    Worst,
    Kernel,
    Launches,
    Share,
    Lost,
    Sectors,
    Ratio,
    Conflicts,
    Divergence,
    Faults,
    Time,  // what follows is of runs on a GPU
    Mean,
    Shortest,
    Longest
  };

  ProgramSession(Workbench& bench, ProgramEngine engine, std::function<void()> wake);

  // The place of the program instead of the bench.
  bool shown() const { return shown_; }
  void show(bool on) { shown_ = on; }

  // The last file with a main() that was opened; empty: none was.
  const std::string& file() const { return file_; }
  std::string name() const;  // of it, without its folder
  // The bench shows it, it has not run, and nobody has said no.
  bool offers() const;
  void decline() { declined_.insert(file_); }
  // A program is code that runs with all rights of the user: nothing runs before somebody has said yes to
  // this file.
  bool agreed() const { return agreed_.contains(file_); }
  void agree() { agreed_.insert(file_); }
  ProgramChoices choices;
  // The GPU of this machine that it can run on, or why there is none; nothing: nobody has looked yet.
  const std::optional<Result<model::MeasuredProgram>>& gpu() const { return gpu_; }
  bool has_gpu() const { return gpu_ && gpu_->has_value(); }
  void run_on(bool gpu) { choices.on_gpu = gpu && has_gpu(); }
  Message no_gpu() const;  // why there is none
  // Where what is shown runs or ran, if that is a GPU.
  const std::optional<model::MeasuredProgram>& measured() const { return measured_; }
  // What is wrong with the choices; nothing: they can be used.
  std::optional<Message> wrong() const;

  // Does nothing without agree(), with choices that are wrong, and while it runs.
  void run();
  void stop();
  State state() const { return state_; }
  bool busy() const { return run_.running(); }
  double seconds() const { return run_.seconds(); }  // that it runs
  // Its standard input: a line, or the end of it.
  void type(const std::string& line);
  void end_input();
  bool input_ended() const { return input_ended_; }

  const TerminalText& output() const { return output_; }
  // How it is going or went, in one line; what is to be known and done about it.
  Message state_line() const;
  std::vector<Message> notices() const;
  bool failed() const;  // it did not compile or start, or ended badly by itself
  const std::vector<std::string>& compiler_lines() const { return compiler_lines_; }

  // Kernels, in the order that was chosen.
  const std::vector<model::KernelSum>& kernels() const { return kernels_; }
  std::uint64_t instructions() const { return instructions_; }  // of all of them
  void sort(Column column);                                     // again: the other way round
  Column sorted_by() const { return column_; }
  bool reversed() const { return reversed_; }

  // Launches in the order they ended; those of one kernel alone, if one is chosen.
  const std::vector<ProgramLaunch>& launches() const { return launches_; }
  const std::vector<std::size_t>& listed() const { return listed_; }
  void choose_kernel(const std::string& name);  // the same again: all of them
  const std::string& chosen_kernel() const { return chosen_; }
  const std::vector<ProgramSpan>& spans() const { return spans_; }
  double last_second() const { return last_second_; }
  std::uint64_t serial() const { return serial_; }  // another one, other launches

  // A place in launches(); nothing: the program has no such launch.
  std::optional<std::size_t> find(const std::string& kernel, std::uint64_t number) const;
  void open_launch(std::size_t at);
  // A folder of its own, to keep, to edit and to send.
  void take(std::size_t at, const std::string& to);
  std::string take_folder(std::size_t at) const;  // where that could be
  bool is_kept(std::size_t at) const { return kept_.contains(launches_[at].index); }
  // The launch that waits for the program to keep it; and why the last one that did has not come.
  std::optional<std::size_t> awaited() const;
  const std::optional<Message>& refusal() const { return refusal_; }
  // The launch that the bench shows.
  std::optional<std::size_t> open() const;
  const Background& taking() const { return background_; }
  // The run as a page that needs no other file; once it has ended.
  bool has_page() const { return state_ == State::Ended && end_ && !launches_.empty() && !busy(); }
  std::string page_file() const;  // where that could be
  void write_page(const std::string& to);
  // For scripts and tests: what is shown, as JSON.
  nlohmann::ordered_json report() const;

  bool tick(double now);
  double next_wake() const;

 private:
  struct Awaited {
    std::uint64_t index = 0, number = 0;
    std::string kernel;
    std::size_t at = 0;
    std::string take_to;  // empty: it is opened
  };
  void follow_bench();
  void begin();
  void forget_run();
  void start(ProgramWish wish);
  // What is asked for, as it is typed; `wrong` says what cannot be used.
  std::optional<ProgramWish> wish(Message* wrong) const;
  Message ended_line() const;
  void say_error(std::vector<Message>& out) const;
  void say_end(std::vector<Message>& out) const;
  void say_running(std::vector<Message>& out) const;
  bool take_news(ProgramNews news);
  void add(ProgramLaunch launch);
  void finish(const Result<model::ProgramEnd>& end);
  void finish_again(const Result<model::ProgramEnd>& end);
  void came(const ProgramLaunch& launch);
  void await(Awaited awaited);
  void run_again();
  void show_launch(std::size_t at);
  void take_now(std::size_t at, const std::string& to);
  void order_kernels();
  void list();

  Workbench& bench_;
  ProgramEngine engine_;
  bool shown_ = false;
  std::string file_, bench_file_;  // bench_file_: what the bench showed when it was last looked at
  std::set<std::string> agreed_, declined_;

  State state_ = State::None;
  ProgramWish wish_;  // of what ran last
  std::string ran_;   // the file that it was of
  std::optional<model::ProgramEnd> end_;
  std::optional<Error> error_;
  std::vector<std::string> compiler_lines_;
  TerminalText output_;
  std::string typed_;  // all that it was given, for another run
  bool input_ended_ = false;
  double idle_ = 0;
  std::optional<Result<model::MeasuredProgram>> gpu_;
  std::optional<model::MeasuredProgram> measured_;
  std::uint64_t asked_ = 0;  // launches on a GPU of a run that has not ended
  std::vector<std::pair<std::string, std::string>> faults_;
  std::vector<Message> older_;  // what was put back of older toolkits

  std::vector<ProgramLaunch> launches_;
  std::vector<ProgramSpan> spans_;
  std::vector<std::string> not_supported_, not_emulated_;
  std::map<std::string, model::KernelSum> sums_;
  std::vector<model::KernelSum> kernels_;
  std::vector<std::size_t> listed_;
  std::string chosen_;
  Column column_ = Column::Worst;
  bool reversed_ = false;
  std::uint64_t instructions_ = 0, serial_ = 0;
  double last_second_ = 0;

  std::optional<source::PrivateFolder> room_;  // where launches are kept
  int runs_ = 0;
  std::map<std::uint64_t, std::filesystem::path> kept_;  // by the launch's index
  std::optional<Awaited> awaited_;
  bool again_ = false;  // what runs keeps a launch, and its news are not shown
  TerminalText again_output_;
  std::optional<Message> refusal_;
  std::optional<std::pair<std::size_t, std::string>> opened_;  // the launch, and the file that the bench has
  // Last: they end before what they write to.
  Background background_;
  ProgramRun run_;
};

// Words as a shell takes them: spaces part, quotes and backslashes hold together. Nothing: a quote is open.
std::optional<std::vector<std::string>> split_words(const std::string& text);
// A kernel without its parameters: "scale<float>" of "void scale<float>(float*, int)".
std::string plain_kernel(const std::string& name);

}  // namespace warplens::window
