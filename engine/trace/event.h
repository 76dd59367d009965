// What a warp did, as it happens: the emulator's (and the GPU recorder's) typed events, and whoever listens.
//
// Events are valid only during the call. Workers call their own fork of a listener, so a listener needs no
// locks; forks are joined in ascending order of the first block they saw, which makes results independent of
// the number of threads as long as join() adds.
//
// Blocks of one worker may take turns: those of a cluster run together, and so do those that wait for each
// other (grid.sync(), flags). Between on_block_begin(7) and on_block_end(7) there may be events of block 8,
// its begin and its end among them. Every event says whose it is; a block begins once and ends once, blocks
// begin in ascending order but for those of a cluster, and may end in any.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/base/lanes.h"
#include "engine/base/message.h"
#include "engine/base/result.h"
#include "engine/trace/site.h"

namespace warplens::trace {

struct Launch;

// Which warp: block is the linear block index, warp the index inside the block.
struct WarpId {
  std::uint64_t block = 0;
  std::uint32_t warp = 0;
};

// One warp-level execution of a memory instruction. `active` holds the lanes whose guard is true.
struct Access {
  SiteId site = kNoSite;
  WarpId warp;
  SiteKind kind = SiteKind::Load;
  Space space = Space::Global;  // resolved: never Generic
  std::uint8_t bytes = 4;       // per lane, as written
  LaneMask active = 0;
  // Address of lane i (undefined for inactive lanes). Global: device address. Shared: offset in the block's
  // shared memory. Local: offset in the thread's own local memory. Constant: offset in the constant space.
  const std::uint64_t* addresses = nullptr;  // 32 values
  // Every active lane's address is addresses[first active lane] + (lane - first) * stride.
  bool affine = false;
  std::int64_t stride = 0;
  // AsyncCopy: shared destination offsets; addresses then hold the global source.
  const std::uint64_t* shared_addresses = nullptr;
};

struct Branch {
  SiteId site = kNoSite;
  WarpId warp;
  LaneMask active = 0;  // lanes that arrive
  LaneMask taken = 0;   // lanes that jump; divergent when neither 0 nor active
  std::uint32_t target = 0, fallthrough = 0, reconvergence = 0;  // instruction indexes (kNone: exit)
};

// Lanes waiting at, or released from, a block barrier or a warp barrier.
struct Barrier {
  enum class Phase : std::uint8_t { Arrive, Release, WarpSync };
  SiteId site = kNoSite;
  WarpId warp;
  LaneMask lanes = 0;
  Phase phase = Phase::Arrive;
  std::uint32_t id = 0;
};

// The set of active lanes changed: lanes now execute from this instruction on (split or merge).
struct MaskChange {
  WarpId warp;
  LaneMask active = 0;
  LaneMask exited = 0;
  std::uint32_t instruction = 0;
  std::uint64_t warp_instruction = 0;  // how many instructions this warp had issued: the time axis of a warp
};

enum class FaultKind : std::uint8_t {
  OutOfBounds,
  Misaligned,
  UninitialisedRead,
  Race,
  DivergentBarrier,
  Deadlock,
  InactiveLaneRead,
  Trap,
  Assertion,
  StackOverflow,
  InvalidAddress,
  IllegalInstruction,
};
std::string_view name(FaultKind kind);  // "out_of_bounds"
bool is_fatal(FaultKind kind);          // ends the launch; the others are reported and the run goes on

struct Fault {
  FaultKind kind = FaultKind::OutOfBounds;
  SiteId site = kNoSite;
  int line = 0;  // source line, 0 unknown
  int ptx_line = 0;
  Dim3 block, thread;  // indexes
  std::uint64_t address = 0;
  Message what;  // what the thread does, where, the nearest buffer, the cure: analysis/fault_text.h tells it
  // The other side of a race.
  int other_line = 0;
  Dim3 other_block, other_thread;
};

class Listener {
 public:
  virtual ~Listener() = default;
  // A fresh, empty listener of the same kind for another worker.
  virtual std::unique_ptr<Listener> fork() const = 0;
  virtual void join(Listener& other) = 0;

  // Which events the emulator must produce at all; asked once a launch.
  struct Wants {
    bool accesses = false, branches = false, barriers = false, masks = false;
    bool constants = false;  // also accesses to constant and parameter space
  };
  virtual Wants wants() const = 0;
  // What is about to run, and where the buffers lie: bases[i] is the address of argument i, 0 for one that is
  // no buffer. Told before any fork and any event; once more when the launch is run anew (what a run without
  // joining its forks leaves behind is nothing).
  virtual void on_launch(const Launch& /*launch*/, std::span<const std::uint64_t> /*bases*/) {}
  // Asked at the start of each block: false skips the events of this block for this listener.
  virtual bool wants_block(std::uint64_t /*block*/) { return true; }

  virtual void on_block_begin(std::uint64_t /*block*/) {}
  virtual void on_access(const Access&) {}
  virtual void on_branch(const Branch&) {}
  virtual void on_barrier(const Barrier&) {}
  virtual void on_mask(const MaskChange&) {}
  virtual void on_block_end(std::uint64_t /*block*/) {}
};

}  // namespace warplens::trace
