// What one host thread of a launch owns, and what all of them share.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "engine/simt/buffers/global_memory.h"
#include "engine/simt/buffers/texture.h"
#include "engine/simt/checks/memory_screen.h"
#include "engine/simt/checks/shadow.h"
#include "engine/simt/exec/cta.h"
#include "engine/simt/lasting_memory.h"
#include "engine/trace/block_work.h"
#include "engine/trace/event.h"

namespace warplens::simt {

// What Checks::All does about races: looked for on all workers at once, and only when there might be one
// judged, on one worker (memory_screen.h, shadow.h).
enum class Races : std::uint8_t { Ignored, Screened, Judged };

// Shared by the workers of one launch.
struct LaunchState {
  const Kernel::Program* program = nullptr;
  const trace::Launch* launch = nullptr;
  const Options* options = nullptr;
  GlobalMemory* memory = nullptr;
  Races races = Races::Ignored;
  GlobalShadow* shadow = nullptr;       // Races::Judged
  std::atomic<bool> suspicious{false};  // Races::Screened: the run is given up
  WrittenRegions* regions = nullptr;    // Races::Screened, unless every read is to be marked
  std::vector<std::uint8_t> parameters;
  std::span<const std::uint8_t> constants;  // what the space of constants holds in this launch
  std::vector<BoundTexture> textures;       // in the order of their arguments
  std::mutex filling_textures;
  std::uint32_t threads_per_block = 0, warps_per_block = 0;
  std::uint32_t shared_bytes = 0;  // of a block, with what is reserved
  // The kernel asks for %reserved_smem_offset_0 or _1: kReservedShared bytes at the end.
  bool reserves_shared = false;
  ClusterShape clusters;
  std::uint64_t grid_workspace = 0;  // address in global memory; 0: the kernel does not ask for it
  bool concurrent = false;           // more than one worker: global atomics must be host atomics
  std::atomic<std::uint64_t> budget_left{0};
  std::atomic<bool> budget_spent{false};
  std::atomic<std::uint64_t> blocks_ended{0};
  std::atomic<std::uint64_t> stop_before{~std::uint64_t{0}};  // a fatal fault: later blocks are not started
  std::chrono::steady_clock::time_point begin;
};

// What the driver reserves of a block's shared memory for libraries. On the machine it lies in front of the
// kernel's own; here it lies behind, so that addresses do not depend on it.
inline constexpr std::uint32_t kReservedShared = 1024;

// Faults with equal keys are one mistake: kind, line (or PTX line), other line.
using FaultKey = std::tuple<int, int, int>;
FaultKey key_of(const trace::Fault& fault);
// Of an instruction without a source line, which the compiler has moved or made: the line of one of the next
// ones; 0: they have none.
int near_line(const Kernel::Program& program, std::uint32_t instruction);

struct SegmentCount {
  std::uint64_t executions = 0, lanes = 0, parts = 0;
};

struct WantedEvents {
  std::vector<trace::Listener*> accesses, branches, barriers, masks, constants;
};

// Thrown by a fatal fault, the end of the budget, a cancel, or an access that might be a race; caught by the
// worker's loop.
struct StopBlock {
  enum class Why : std::uint8_t { Fault, Budget, Cancelled, Suspicion } why = Why::Fault;
};

struct Worker {
  LaunchState* state = nullptr;
  const Kernel::Program* program = nullptr;
  std::vector<SegmentCount> counts;  // a segment
  std::vector<CallCount> calls;      // a routine
  // An operation: the interval of its last global access; what it may touch of shared memory.
  std::vector<Interval> last_hit;
  std::vector<std::uintptr_t> last_place;  // and the host address of that access when it was quick
  std::uint64_t thread_instructions = 0;
  trace::BlockWork work;
  std::uint64_t instruction_limit = 0;  // of thread_instructions: fetch more budget when it is reached
  std::uint64_t ended_seen = 0;         // of the launch's blocks, when more was fetched last
  std::chrono::steady_clock::time_point ended_at;  // since when it has been so many
  std::vector<std::unique_ptr<trace::Listener>> listeners;
  std::vector<trace::Listener::Wants> wants;
  std::uintptr_t global_base = 0;  // host address of device address 0
  bool quiet = false;   // nobody listens to the accesses of the block that runs, nothing is shadowed
  WantedEvents events;  // of the block that runs
  std::map<std::uint64_t, std::vector<trace::Fault>> faults;  // by block
  std::set<std::uint32_t> strays_told;                        // instructions with accesses that were let pass
  std::map<FaultKey, int> reported;                           // once a worker; the gravity of what was told
  std::map<std::uint64_t, std::uint64_t> faults_in;           // how many, those not kept among them; by block
  std::map<std::uint64_t, std::string> output;                // by block
  std::uint64_t output_bytes = 0;
  std::map<std::uint64_t, DeviceLaunch> opened;                 // by their buffers
  std::map<std::uint64_t, std::vector<DeviceLaunch>> launched;  // by block
  std::set<std::pair<std::string, int>> notes;  // message keys, with the line where one is meant
  std::uint64_t blocks_run = 0;
  std::unique_ptr<RaceScreen> screen;   // Races::Screened
  std::vector<DoubtfulWrite> doubtful;  // of the store that goes on (Races::Judged)
  // What value_flow.h says of an instruction: of loads whether they are compared by a swap, of atomics
  // whether they decide something.
  enum class Answer : std::uint8_t { Unknown, No, Yes };
  std::vector<Answer> value_flow;
  std::uint64_t clock = 0;       // of clock(): warp instructions of this worker, and what waits left out
  std::uint64_t skipped_ns = 0;  // that waits on the global timer left out
  std::uint64_t clock_reads = 0;

  // Takes more budget; throws StopBlock when there is none or the user cancelled. `line`: of the loop that
  // the warp is in, for whoever waits for it; 0: of none.
  void refill(int line = 0);

 private:
  bool out_of_time(int line);
};
std::unique_ptr<Worker> make_worker(LaunchState& state, std::span<trace::Listener* const> listeners);

}  // namespace warplens::simt
