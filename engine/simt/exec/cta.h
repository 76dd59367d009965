// One block as it runs: its warps, how their lanes part and meet again, its barriers and shared memory.
//
// Reconvergence. A warp is a list of splits (lanes at one place) and joins (places where lanes wait for each
// other). A divergent branch makes a join at its immediate post-dominator; a call makes one at its return:
//
//   if (a) X; else Y;  Z     split {X, lanes with a}   split {Y, others}   both -> join {Z, all}
//
// A split that reaches its join's segment arrives there; the join fires (becomes a split again, with the
// join's parent) when every lane it expects has arrived or ended. Lanes that poll memory in a loop while
// others wait at a join would wait for ever: after kSpinLimit turns the waiting lanes are let go
// (independent thread scheduling), and the run notes it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/simt/exec/cluster.h"
#include "engine/simt/exec/warp.h"
#include "engine/simt/load/program.h"

namespace warplens::simt {

struct Worker;

inline constexpr std::uint32_t kNoJoin = 0xffffffffu;
inline constexpr std::uint32_t kBarriers = 16;
inline constexpr std::uint32_t kClusterBarrier = kBarriers;  // behind the block's own

struct Split {
  enum class State : std::uint8_t { Ready, AtBarrier, AtSync };
  std::uint32_t segment = 0;
  LaneMask mask = 0;
  std::uint32_t join = kNoJoin;
  std::uint32_t frame = 0;
  State state = State::Ready;
  bool guard_passed = false;  // the terminator's guard was already applied: run it for all lanes
  std::uint32_t barrier = 0;  // AtBarrier
  LaneMask members = 0;       // AtSync: lanes it waits for
};

struct Join {
  std::uint32_t segment = kNoSegment;
  LaneMask expected = 0, arrived = 0;
  std::uint32_t parent = kNoJoin;
  std::uint32_t frame = 0;
  bool is_call = false, in_use = false;
  std::uint32_t call = 0;                 // index into Program::calls
  std::uint32_t routine = 0;              // the one called
  std::vector<std::byte> saved;           // registers of a recursive routine, slot after slot
  std::vector<std::uint32_t> stack_tops;  // a lane: what alloca() had taken when the call began
};

// Turns of a polling loop after which other lanes and warps get theirs.
inline constexpr std::uint32_t kSpinLimit = 100;
// Warp instructions of a warp after which its loops are looked at: an access that goes wrong comes first.
inline constexpr std::uint64_t kFirstLook = std::uint64_t{1} << 18;

// A pending cp.async of one lane: it lands when the lane waits for its group.
struct AsyncCopy {
  std::uint64_t source = 0;       // global address
  std::uint32_t destination = 0;  // shared offset
  std::uint32_t group = 0;
  std::uint8_t lane = 0, bytes = 0, source_bytes = 0;
  const Op* op = nullptr;  // for messages
};

// A loop that has gone on for long, while it is looked whether a turn is like one before (turns.cpp).
struct LoopWatch {
  std::uint64_t look_at = 0;        // warp instructions: back edges are looked at from there on
  std::uint64_t until = 0;          // and compared until then; 0: nothing is remembered
  std::uint32_t segment = 0;        // where the remembered turn began
  LaneMask lanes = 0;               // for whom
  std::vector<std::uint32_t> rows;  // with what in its steering rows
  // The back edge to the outermost place since: what goes round is the loop that it closes.
  std::uint32_t from = 0, to = 0;
};

struct WarpControl {
  Warp warp;
  std::vector<Split> splits;  // the last ready one runs next
  std::vector<Join> joins;    // 0 is the warp's end
  std::vector<std::uint32_t> free_joins;
  std::vector<AsyncCopy> copies;
  std::array<std::uint32_t, kWarpSize> groups{};         // cp.async groups committed, a lane
  std::array<std::uint32_t, kWarpSize> cluster_phase{};  // at which a lane arrived; 0: never
  std::array<std::uint32_t, kWarpSize> stack_top{};      // bytes that a lane's alloca() has taken
  std::uint32_t spins = 0, switches = 0;
  LoopWatch watch;
  LaneMask last_mask = 0;
  bool barrier_passed = false;  // and no turn had since
  std::vector<std::byte> storage;
  std::vector<std::byte> local;             // lane-major: lane * lane_local_bytes + offset
  std::vector<std::uint8_t> local_written;  // Checks::All: 1 for every byte of it that was written
};

struct BarrierState {
  std::uint32_t arrived = 0;   // threads
  std::uint32_t expected = 0;  // 0: every thread that has not ended
  std::uint32_t waiting = 0;   // of the arrived, those that wait (bar.arrive does not)
  std::uint32_t popc = 0;      // bar.red
  bool all_of = true, any_of = false;
};

class SharedShadow;

class Cta {
 public:
  // Spinning: or waits for its cluster. Turn: its time is up, others are to have theirs.
  enum class Outcome : std::uint8_t { Done, Spinning, Turn };

  Cta(Worker& worker, std::uint32_t index);
  ~Cta();
  Cta(const Cta&) = delete;
  Cta& operator=(const Cta&) = delete;

  // Without a cluster: the block is one of its own.
  void start(std::uint64_t block, const std::shared_ptr<Cluster>& cluster, std::uint32_t rank);
  void end();
  // Runs until every warp has ended, or until all that can run only poll memory. `takes_turns`: or until it
  // has run for long, as whoever waits for another block may do so around all of its work.
  Outcome run(bool takes_turns);

  std::uint64_t block() const { return block_; }
  Dim3 block_index() const { return block_index_; }
  std::byte* shared() { return shared_.data(); }
  std::uint32_t shared_bytes() const { return shared_bytes_; }
  std::vector<WarpControl>& warps() { return warps_; }
  SharedShadow* shadow() { return shadow_.get(); }
  WarpControl& control(const Warp& warp) { return warps_[warp.index]; }
  Dim3 thread_index(const Warp& warp, unsigned lane) const;
  std::uint64_t progress() const { return progress_; }
  std::uint64_t issued() const;  // PTX instructions of all its warps
  // Of everything that decides what its threads do next, but memory and how often they have polled.
  std::size_t state_hash() const;
  // A deadlock of threads that poll, or threads that wait for blocks which no one runs.
  struct Waiting {
    bool blocks_left_out = false;  // of this run
    std::uint64_t alive = 0,
                  to_come = 0;  // blocks that wait, and those that start when one of them has ended
  };
  void report_spinning(const Waiting& waiting);
  std::uint32_t rank() const { return rank_; }
  std::uint32_t cluster_blocks() const { return static_cast<std::uint32_t>(cluster_->blocks.size()); }
  // The block of the cluster that an address of shared memory names; nullptr: there is none, or it has ended.
  Cta* block_of(std::uint64_t shared_address);
  std::uint32_t cluster_phase() const { return cluster_->phase; }

 private:
  enum class Stop : std::uint8_t { Done, Blocked, Spinning, Quantum };

  void write_launch_rows(WarpControl& w);
  void write_block_rows(WarpControl& w);
  Stop run_warp(WarpControl& w, bool takes_turns);
  bool pick(WarpControl& w);  // brings a ready split to the back
  // Runs the split at the back until the list of splits changes. False: give way to other warps.
  bool run_split(WarpControl& w);
  bool give_way(WarpControl& w, bool spinning);
  bool leave_segment(WarpControl& w, const Segment& segment, LaneMask active);
  void run_ops(Warp& warp, const Segment& segment, LaneMask mask);
  void emit_constant_loads(Warp& warp, const Segment& segment, LaneMask mask);
  void emit_branch(WarpControl& w, const Segment& segment, LaneMask mask, LaneMask taken);
  void emit_mask(WarpControl& w, const Split& split);
  // The last change of a warp is to no lane at all, at the instruction that its last lanes executed.
  void tell_mask(WarpControl& w, LaneMask active, std::uint32_t instruction);
  void emit_barrier(WarpControl& w, const Segment& segment, LaneMask lanes, trace::Barrier::Phase phase,
                    std::uint32_t id);

  // Structure of a warp (control.cpp).
  std::uint32_t new_join(WarpControl& w, const Join& join);
  void advance(WarpControl& w, std::size_t split, std::uint32_t next);
  void meet_sibling(WarpControl& w, std::size_t split);
  static bool waits_within(const WarpControl& w, std::uint32_t from, std::uint32_t join);
  bool yields_to_sibling(WarpControl& w, std::uint32_t next);
  void meet_again_at(WarpControl& w, Split& here, std::uint32_t place);
  void diverge(WarpControl& w, std::size_t split, const Segment& segment, LaneMask taken);
  void step_around(WarpControl& w, std::size_t split, const Segment& segment, LaneMask active);
  void leave_rest(WarpControl& w, std::size_t split, const Segment& segment, LaneMask active);
  void branch_table(WarpControl& w, std::size_t split, const Segment& segment);
  void fire(WarpControl& w, std::uint32_t join, LaneMask lanes);
  void check_join(WarpControl& w, std::uint32_t join);
  void leave_joins(WarpControl& w, std::uint32_t from, std::uint32_t until, LaneMask lanes);
  void end_lanes(WarpControl& w, std::size_t split, LaneMask lanes);
  bool release_waiting(WarpControl& w);
  bool spin(WarpControl& w);
  bool sync_waiting(WarpControl& w);
  // Lanes at different instructions that wait for each other (several_places.cpp).
  bool wait_together(const Split& first, const Split& other) const;
  void run_at_several_places(WarpControl& w, const std::vector<std::uint32_t>& splits, LaneMask going);
  bool converge(WarpControl& w, std::size_t split, const Segment& segment);

  // Calls (calls.cpp).
  void call(WarpControl& w, std::size_t split, const Segment& segment);
  LaneMask callers_of_first(WarpControl& w, const CallInfo& info, LaneMask lanes, const Segment& segment,
                            std::uint32_t& routine);
  bool enter(WarpControl& w, const CallInfo& info, std::uint32_t routine, const Split& caller,
             const Segment& segment);
  void save_registers(WarpControl& w, const Routine& routine, std::vector<std::byte>& saved);
  void restore_registers(WarpControl& w, const Routine& routine, const std::vector<std::byte>& saved,
                         LaneMask lanes);
  void return_lanes(WarpControl& w, std::size_t split, const Segment& segment);

  // Barriers (barriers.cpp).
  void arrive(WarpControl& w, std::size_t split, const Segment& segment);
  void check_barriers();
  void release(std::uint32_t id);
  void judge_barrier(std::uint32_t id);
  MessageValue thread_value(WarpControl& w, LaneMask lanes);  // the first of them
  std::uint32_t behind(const Split& split, std::uint32_t place) const;
  Message not_all_came(const WarpControl& waits, const Split& split, Message what);
  void order_accesses();  // a barrier: accesses before it are ordered before those behind it
  [[noreturn]] void stuck();
  const Op* polling_op(const Split& split) const;
  [[noreturn]] void report_endless(WarpControl& w, const Segment& segment, LaneMask lanes);

  // Loops without an end (turns.cpp).
  void look_at_turn(WarpControl& w, std::uint32_t from, std::uint32_t to, LaneMask lanes);
  struct Lines {
    int from = 0, to = 0;  // of the source; 0: no instruction has one
    std::uint32_t instruction = 0;
  };
  Lines lines_between(std::uint32_t first, std::uint32_t back) const;
  int line_of_turn(std::uint32_t from, std::uint32_t to) const;  // of the back edge's loop; 0: it has none
  void remember_turn(WarpControl& w, const LoopTurn& turn, std::uint32_t place, LaneMask lanes);
  bool is_remembered(WarpControl& w, const LoopTurn& turn) const;
  void forget_turn(WarpControl& w, std::uint32_t routine, LaneMask lanes);
  [[noreturn]] void tell_loop(WarpControl& w, std::uint32_t first, std::uint32_t back, LaneMask lanes,
                              const char* why);

  // Clusters (cluster.cpp).
  void join_cluster(const std::shared_ptr<Cluster>& cluster, std::uint32_t rank);
  void arrive_at_cluster(WarpControl& w, std::size_t split, const Segment& segment);
  void wait_for_cluster(WarpControl& w, std::size_t split, const Segment& segment);
  void check_cluster();
  void leave_cluster_barrier();
  bool waits_for_cluster() const;
  void report_cluster_wait(WarpControl& w, const Split& split);

  Worker& worker_;
  const Kernel::Program& program_;
  std::uint32_t index_ = 0;  // among the blocks that this worker keeps alive together
  std::uint64_t block_ = 0;
  Dim3 block_index_;
  std::uint32_t threads_ = 0, alive_ = 0;
  std::shared_ptr<Cluster> cluster_, alone_;
  std::uint32_t rank_ = 0;
  std::uint32_t shared_bytes_ = 0;
  std::uint64_t quantum_end_ = 0;
  bool parted_ = false;         // its threads have waited at two barriers at once
  std::uint64_t step_end_ = 0;  // the end of the first turn behind a barrier
  std::vector<std::byte> shared_;
  std::vector<WarpControl> warps_;
  std::array<BarrierState, kBarriers> barriers_{};
  std::unique_ptr<SharedShadow> shadow_;
  std::uint64_t progress_ = 0;  // counts releases and endings: a round without any may be one of spinning
};

}  // namespace warplens::simt
