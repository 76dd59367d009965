// The emulator: runs a kernel of a PTX module warp by warp on the CPU.
//
//   Result<Kernel> kernel = Kernel::load(module, "scale");
//   Outcome outcome = run(*kernel, launch, {}, {&counter, &recorder});
//
// Knows no analysis: it emits events to listeners. Results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/ptx/syntax/module.h"
#include "engine/trace/block_work.h"
#include "engine/trace/event.h"
#include "engine/trace/launch.h"
#include "engine/trace/trace.h"

namespace warplens::simt {

struct UnsupportedOp {
  std::string op;  // "wgmma.mma_async..."
  int line = 0;    // source line when known, else the PTX line
  int ptx_line = 0;
};

// A kernel decoded for execution; immutable, may be run many times and from several threads at once.
class Kernel {
 public:
  // Fails with ErrorKind::Unsupported (first unsupported op and its line) or Usage (no such kernel).
  static Result<Kernel> load(std::shared_ptr<const ptx::Module> module, std::string_view name,
                             int sm_version = 90);
  // What keeps a kernel from running, without failing: empty when it is supported.
  static std::vector<UnsupportedOp> unsupported(const ptx::Module& module, const ptx::Function& entry);

  const ptx::Module& module() const;
  const ptx::Function& entry() const;
  const std::vector<trace::Site>& sites() const;
  std::uint64_t static_shared_bytes() const;

  struct Program;
  const Program& program() const { return *program_; }

 private:
  std::shared_ptr<const Program> program_;
};

enum class Checks : std::uint8_t {
  None,    // host memory is still never touched outside the buffers
  Memory,  // bounds and alignment
  All,     // also uninitialised reads, races, barriers, shuffles
};

struct Options {
  Checks checks = Checks::Memory;
  int threads = 0;  // 0: all cores
  std::uint64_t budget =
      2'000'000'000'000;  // thread instructions; the run ends with Budget when they are used up
  // The run also ends with Budget when none of its blocks has ended for so many seconds: for whoever waits in
  // front of a kernel that may never end. 0: no such bound.
  double block_seconds = 0;
  std::uint64_t memory_cap = std::uint64_t{8}
                             << 30;        // bytes of buffers, shared, local and shadow memory together
  std::size_t max_faults = 100;            // further ones are counted, not stored
  std::vector<std::uint64_t> only_blocks;  // run just these linear blocks; empty: the whole grid
  Progress* progress = nullptr;
  bool keep_buffers = true;  // false: only what is counted is wanted, and Outcome::buffers stays empty
  // Which warp of a block gets its turn next: a result that changes with it is a mistake of the kernel.
  enum class Schedule : std::uint8_t { RoundRobin, Sequential, Reversed } schedule = Schedule::RoundRobin;
};

enum class Ending : std::uint8_t { Completed, Faulted, Budget, Cancelled };

// How often each instruction ran; index = instruction of the function that the site list names.
struct InstructionCount {
  std::uint32_t function = 0, instruction = 0;
  std::uint64_t executions = 0;  // warp level
  std::uint64_t lanes = 0;       // sum of active lanes, guard ignored
  std::uint64_t parts = 0;       // groups of eight lanes with an active one, as of CallCount
};

// How often a function was called and left again, by how many lanes. `parts` are the groups of eight lanes
// (0-7, 8-15, ...) with an active one: a word of each active lane's local memory is so many sectors.
struct CallCount {
  std::uint32_t function = 0;  // index in the module
  struct Side {
    std::uint64_t executions = 0, lanes = 0, parts = 0;
    std::uint64_t least_parts = 0;  // of as many lanes, were they neighbours
    void add(std::uint32_t mask);
    void add(const Side& other);
  } calls, returns;
};

struct Outcome {
  Ending ending = Ending::Completed;
  std::uint64_t blocks_run = 0, blocks_total = 0;
  std::uint64_t warp_instructions = 0;           // PTX instructions issued, warp level
  std::uint64_t thread_instructions = 0;         // sum of active lanes
  std::shared_ptr<const trace::BlockWork> work;  // warp_instructions by block
  std::vector<InstructionCount> counts;
  std::vector<CallCount> calls;                    // of functions that were called
  std::vector<std::vector<std::uint8_t>> buffers;  // final bytes, one an argument (empty for scalars)
  std::vector<trace::BufferPlacement> placements;
  std::vector<trace::Fault> faults;
  std::uint64_t faults_total = 0;
  std::string output;          // what printf wrote
  std::vector<Message> notes;  // e.g. that a kernel relies on independent thread scheduling
  double seconds = 0;          // host time of the execution itself
  // For how long blocks waited for a clock, all of them together, which no count of instructions tells.
  std::uint64_t waited_clocks = 0, waited_ns = 0;
};

// Errors: arguments that do not fit the parameters, block too large, memory cap exceeded (Usage).
// A fault of the kernel is not an Error: it is in the Outcome.
Result<Outcome> run(const Kernel& kernel, const trace::Launch& launch, const Options& options,
                    std::span<trace::Listener* const> listeners);

}  // namespace warplens::simt
