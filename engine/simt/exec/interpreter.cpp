// The loop that runs the segments of a warp, and the order in which warps get their turns.
#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/simt/checks/shadow.h"
#include "engine/simt/exec/cta.h"
#include "engine/simt/exec/rows.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

namespace {

// Warp instructions after which the next warp gets its turn (Schedule::RoundRobin).
constexpr std::uint64_t kQuantum = 2048;
// Such turns of all warps after which the next block gets its own, where blocks wait for each other.
constexpr int kTurnsOfBlock = 4;
// Warps give way at back edges; so many instructions later also elsewhere.
constexpr std::uint64_t kOverrun = 64 * kQuantum;
// Warp instructions of the first turn behind a barrier. The warps of a GPU go on together there, so what each
// reads at once it reads before any other warp has come far, also where no second barrier says so; how many
// instructions that is was chosen and not read. With every check such mistakes are looked for, and long turns
// show more of them.
constexpr std::uint64_t kFirstStep = 12;
// Turns that polling lanes get before the lanes which wait for them at a join go on without them.
constexpr std::uint32_t kPatience = 8;

}  // namespace

Cta::Cta(Worker& worker, std::uint32_t index)
    : worker_(worker), program_(*worker.program), index_(index), threads_(worker.state->threads_per_block) {
  const LaunchState& state = *worker.state;
  shared_bytes_ = state.shared_bytes;
  shared_.resize(shared_bytes_ + kRowBytes);
  warps_.resize(state.warps_per_block);
  if (state.races == Races::Judged)
    shadow_ = std::make_unique<SharedShadow>(shared_bytes_, state.warps_per_block);
  for (std::uint32_t i = 0; i < state.warps_per_block; ++i) {
    WarpControl& w = warps_[i];
    w.storage.resize(program_.register_bytes + 2 * kRowBytes);
    const auto at = reinterpret_cast<std::uintptr_t>(w.storage.data());
    w.warp.registers = w.storage.data() + (kRowBytes - at % kRowBytes) % kRowBytes;
    w.warp.lists = program_.lists.data();
    w.warp.index = i;
    w.warp.cta = this;
    w.warp.worker = &worker;
    w.warp.check_all = state.options->checks == Checks::All;
    w.warp.judged = state.races == Races::Judged;
    w.local.resize(std::size_t{program_.lane_local_bytes} * kWarpSize);
    if (w.warp.check_all && program_.uses_local) w.local_written.resize(w.local.size());
    write_launch_rows(w);
  }
}

Cta::~Cta() = default;

Dim3 Cta::thread_index(const Warp& warp, unsigned lane) const {
  return unflatten(std::uint64_t{warp.index} * kWarpSize + lane, worker_.state->launch->block);
}

void Cta::write_launch_rows(WarpControl& w) {
  RowWriter writer(*worker_.state, w.warp);
  for (const ConstantRow& constant : program_.constants) {
    if (!constant.per_block) writer.write(constant, block_index_, block_);
  }
  for (const Op& op : program_.setup) op.handlers.full(op, w.warp, kFullMask);
}

void Cta::write_block_rows(WarpControl& w) {
  RowWriter writer(*worker_.state, w.warp);
  for (const ConstantRow& constant : program_.constants) {
    if (constant.per_block) writer.write(constant, block_index_, block_);
  }
}

void Cta::start(std::uint64_t block, const std::shared_ptr<Cluster>& cluster, std::uint32_t rank) {
  block_ = block;
  join_cluster(cluster, rank);
  block_index_ = unflatten(block, worker_.state->launch->grid);
  alive_ = threads_;
  parted_ = false;
  barriers_ = {};
  if (shared_bytes_ != 0) std::memset(shared_.data(), 0xff, shared_bytes_);
  if (shadow_ != nullptr) shadow_->reset(rank, cluster_blocks());
  if (worker_.state->reserves_shared) {  // in use by the library already, and so no uninitialised memory
    const auto from = static_cast<std::ptrdiff_t>(shared_bytes_ - kReservedShared);
    std::fill_n(shared_.begin() + from, kReservedShared, std::byte{0});
    if (shadow_ != nullptr) std::fill_n(shadow_->written.begin() + from, kReservedShared, std::uint8_t{1});
  }
  if (worker_.screen != nullptr) worker_.screen->begin_block();
  for (WarpControl& w : warps_) {
    write_block_rows(w);
    for (const auto& [offset, bytes] : program_.cleared) std::memset(w.warp.registers + offset, 0, bytes);
    if (program_.uses_local) std::memset(w.local.data(), 0xff, w.local.size());
    std::fill(w.local_written.begin(), w.local_written.end(), std::uint8_t{0});
    const std::uint32_t first = w.warp.index * kWarpSize;
    const std::uint32_t lanes = std::min<std::uint32_t>(kWarpSize, threads_ - first);
    const LaneMask mask = lanes == kWarpSize ? kFullMask : (1u << lanes) - 1;
    w.warp.exited = ~mask;
    w.warp.issued = 0;
    w.warp.wait = {};
    w.warp.frame = 0;
    w.last_mask = 0;
    w.spins = w.switches = 0;
    w.watch.look_at = kFirstLook;
    w.watch.until = 0;
    w.copies.clear();
    w.groups.fill(0);
    if (cluster_blocks() > 1) w.cluster_phase.fill(0);
    if (program_.alloca_begin != 0) w.stack_top.fill(0);
    w.free_joins.clear();
    w.joins.clear();
    Join end;
    end.expected = mask;
    end.is_call = true;
    end.in_use = true;
    w.joins.push_back(end);
    Split all;
    all.segment = program_.routines[0].entry;
    all.mask = mask;
    all.join = 0;
    w.splits.assign(1, all);
  }
}

void Cta::order_accesses() {
  if (shadow_ != nullptr) shadow_block_barrier(*this);
  if (worker_.screen != nullptr) worker_.screen->barrier();
}

Cta::Outcome Cta::run(bool takes_turns) {
  const bool reversed = worker_.state->options->schedule == Options::Schedule::Reversed;
  const std::size_t n = warps_.size();
  for (int turns = 1;; ++turns) {
    const std::uint64_t before = progress_;
    bool done = true, spinning = false, more = false;
    for (std::size_t k = 0; k < n; ++k) {
      WarpControl& w = warps_[reversed ? n - 1 - k : k];
      if (w.splits.empty()) continue;
      const Stop stop = run_warp(w, takes_turns);
      done = done && stop == Stop::Done;
      spinning = spinning || stop == Stop::Spinning;
      more = more || stop == Stop::Quantum;
    }
    if (done) return Outcome::Done;
    if (more && takes_turns && turns >= kTurnsOfBlock) return Outcome::Turn;
    if (more || progress_ != before) continue;
    if (!spinning && (cluster_->blocks.size() == 1 || !waits_for_cluster())) stuck();
    return Outcome::Spinning;
  }
}

Cta::Stop Cta::run_warp(WarpControl& w, bool takes_turns) {
  const bool others = warps_.size() > 1 || takes_turns;
  const bool in_turns = worker_.state->options->schedule == Options::Schedule::RoundRobin && others;
  quantum_end_ = in_turns ? w.warp.issued + kQuantum : ~std::uint64_t{0};
  step_end_ = ~std::uint64_t{0};
  for (;;) {
    if (w.splits.empty()) return Stop::Done;
    if (w.barrier_passed) {
      w.barrier_passed = false;
      if (in_turns && !w.warp.check_all) step_end_ = w.warp.issued + kFirstStep;
    }
    // A loop may go round by a jump table, or by the place where its lanes meet, and pass no back edge.
    if (worker_.thread_instructions >= worker_.instruction_limit) worker_.refill();
    if (w.warp.issued > quantum_end_ && w.warp.issued - quantum_end_ > kOverrun) return Stop::Quantum;
    if (!pick(w)) return Stop::Blocked;
    if (!run_split(w)) return w.switches != 0 ? Stop::Spinning : Stop::Quantum;
  }
}

// Brings a split that can run to the back. False: none can.
bool Cta::pick(WarpControl& w) {
  for (;;) {
    for (std::size_t i = w.splits.size(); i-- > 0;) {
      if (w.splits[i].state != Split::State::Ready) continue;
      if (i + 1 != w.splits.size()) std::swap(w.splits[i], w.splits.back());
      return true;
    }
    if (sync_waiting(w)) {
      if (w.splits.empty()) return false;
      continue;
    }
    const bool at_sync = std::any_of(w.splits.begin(), w.splits.end(),
                                     [](const Split& s) { return s.state == Split::State::AtSync; });
    if (!at_sync || !release_waiting(w)) return false;
  }
}

void Cta::run_ops(Warp& warp, const Segment& segment, LaneMask mask) {
  const Op* op = program_.ops.data() + segment.first_op;
  const Op* const end = op + segment.op_count;
  if (!segment.has_guards) {
    if (mask == kFullMask) {
      for (; op != end; ++op) op->handlers.full(*op, warp, kFullMask);
    } else {
      for (; op != end; ++op) op->handlers.masked(*op, warp, mask);
    }
    return;
  }
  for (; op != end; ++op) {
    const LaneMask active = op->guard == kNoRow ? mask : mask & read_predicate(warp, op->guard);
    if (active == 0) continue;
    (active == kFullMask ? op->handlers.full : op->handlers.masked)(*op, warp, active);
  }
}

void Cta::emit_constant_loads(Warp& warp, const Segment& segment, LaneMask mask) {
  std::uint64_t addresses[kWarpSize];
  for (std::uint32_t i = 0; i < segment.constant_count; ++i) {
    const ConstantLoad& load = program_.constant_loads[segment.first_constant + i];
    for (std::uint64_t& address : addresses) address = load.offset;
    trace::Access access;
    access.site = program_.instructions[load.instruction].site;
    access.warp = {block_, warp.index};
    access.space = trace::Space::Parameter;
    access.bytes = load.bytes;
    access.active = mask;
    access.addresses = addresses;
    access.affine = true;
    for (trace::Listener* listener : worker_.events.constants) listener->on_access(access);
  }
}

void Cta::emit_branch(WarpControl& w, const Segment& segment, LaneMask mask, LaneMask taken) {
  auto instruction = [&](std::uint32_t at) {
    return at == kNoSegment ? ptx::kNone
                            : program_.instructions[program_.segments[at].first_instruction].index;
  };
  trace::Branch event;
  event.site = segment.site;
  event.warp = {block_, w.warp.index};
  event.active = mask;
  event.taken = taken;
  event.target = instruction(segment.target);
  event.fallthrough = instruction(segment.next);
  event.reconvergence = instruction(segment.reconverge);
  for (trace::Listener* listener : worker_.events.branches) listener->on_branch(event);
}

void Cta::emit_mask(WarpControl& w, const Split& split) {
  if (split.mask == w.last_mask) return;
  tell_mask(w, split.mask, program_.instructions[program_.segments[split.segment].first_instruction].index);
}

void Cta::tell_mask(WarpControl& w, LaneMask active, std::uint32_t instruction) {
  w.last_mask = active;
  trace::MaskChange event;
  event.warp = {block_, w.warp.index};
  event.active = active;
  event.exited = w.warp.exited;
  event.instruction = instruction;
  event.warp_instruction = w.warp.issued;
  for (trace::Listener* listener : worker_.events.masks) listener->on_mask(event);
}

bool Cta::run_split(WarpControl& w) {
  const std::size_t index = w.splits.size() - 1;
  Warp& warp = w.warp;
  const LaneMask mask = w.splits[index].mask;
  std::uint32_t at = w.splits[index].segment;
  const Join& join = w.joins[w.splits[index].join];
  const std::uint32_t meet = join.is_call ? kNoSegment - 1 : join.segment;
  const auto lanes = static_cast<std::uint64_t>(std::popcount(mask)), parts = eights_of(mask);
  const bool siblings = std::any_of(w.splits.begin(), w.splits.end() - 1, [&](const Split& other) {
    return waits_within(w, other.join, w.splits[index].join);
  });
  bool passed = w.splits[index].guard_passed;
  // Lanes that met may stand where others of the join around it are still to come. Not after a turn of
  // polling, which was given up for these lanes.
  if (siblings && !passed && w.switches == 0 && yields_to_sibling(w, at)) return true;
  warp.frame = w.splits[index].frame;
  if (!worker_.events.masks.empty()) emit_mask(w, w.splits[index]);
  for (;;) {
    const Segment& segment = program_.segments[at];
    if (!passed) {
      SegmentCount& count = worker_.counts[at];
      ++count.executions;
      count.lanes += lanes;
      count.parts += parts;
      warp.issued += segment.instruction_count;
      worker_.thread_instructions += segment.instruction_count * lanes;
      if (segment.constant_count != 0 && !worker_.events.constants.empty()) {
        emit_constant_loads(warp, segment, mask);
      }
      run_ops(warp, segment, mask);
    }
    std::uint32_t next = segment.next;
    LaneMask active = mask;
    if (segment.guard != kNoRow && !passed) active &= read_predicate(warp, segment.guard);
    if (segment.flow == Flow::Branch) {
      if (segment.site != trace::kNoSite && !worker_.events.branches.empty()) {
        emit_branch(w, segment, mask, active);
      }
      if (active == mask) {
        next = segment.target;
      } else if (active != 0) {
        diverge(w, index, segment, active);
        return true;
      }
    } else if (segment.flow != Flow::Next && active != 0) {
      w.splits[index].segment = at;
      if (!leave_segment(w, segment, active)) return true;
    }
    passed = false;
    if (next == meet) {
      advance(w, index, next);
      return true;
    }
    if (siblings && segment.flow != Flow::Sleep && yields_to_sibling(w, next)) return true;
    if (segment.flow == Flow::Sleep && active != 0) {
      w.splits[index].segment = next;
      if (worker_.thread_instructions >= worker_.instruction_limit) worker_.refill();
      return give_way(w, true);
    }
    if (next <= at) {
      if (next == at && segment.op_count == 0 && active == mask) report_endless(w, segment, mask);
      // Loops are where time goes by: the budget, and other warps' turns.
      if (worker_.thread_instructions >= worker_.instruction_limit) worker_.refill(line_of_turn(at, next));
      if (warp.issued >= w.watch.look_at) look_at_turn(w, at, next, mask);
      const bool turn = segment.may_spin && spin(w);
      if (turn || warp.issued >= quantum_end_) {
        w.splits[index].segment = next;
        return give_way(w, turn);
      }
    }
    if (warp.issued >= step_end_) {
      w.splits[index].segment = next;
      return give_way(w, false);
    }
    at = next;
  }
}

// The split at the back gives way. True: another split of this warp runs next.
bool Cta::give_way(WarpControl& w, bool spinning) {
  if (!spinning) {
    w.switches = 0;
    return false;
  }
  const bool alone = std::none_of(w.splits.begin(), w.splits.end() - 1,
                                  [](const Split& s) { return s.state == Split::State::Ready; });
  if (alone) {
    // Lanes that wait for these are let go only when others have had their turns in vain.
    if (++w.switches > kPatience && release_waiting(w)) return true;
    return false;
  }
  std::rotate(w.splits.begin(), w.splits.end() - 1, w.splits.end());
  if (++w.switches > w.splits.size()) {
    w.switches = 1;
    return false;
  }
  return true;
}

// A terminator other than a branch, for `active` lanes. True: the same split goes on behind it.
bool Cta::leave_segment(WarpControl& w, const Segment& segment, LaneMask active) {
  const std::size_t index = w.splits.size() - 1;
  if (active != w.splits[index].mask) {
    if (segment.flow == Flow::Sleep) return true;
    if (segment.flow == Flow::Exit || segment.flow == Flow::Return) {
      leave_rest(w, index, segment, active);
    } else {
      step_around(w, index, segment, active);
    }
    return false;
  }
  switch (segment.flow) {
    case Flow::Exit:
      end_lanes(w, index, active);
      return false;
    case Flow::Return:
      if (segment.routine == 0) {
        end_lanes(w, index, active);
      } else {
        return_lanes(w, index, segment);
      }
      return false;
    case Flow::Trap:
      report_fault(w.warp, program_.ops[segment.op], trace::FaultKind::Trap, active,
                   {program_.uses_grid_workspace && worker_.state->grid_workspace == 0 ? "fault.trap_grid"
                                                                                       : "fault.trap",
                    {}});
      throw StopBlock{StopBlock::Why::Fault};
    case Flow::Converge:
      return converge(w, index, segment);
    case Flow::Barrier:
      arrive(w, index, segment);
      return false;
    case Flow::Call:
      call(w, index, segment);
      return false;
    case Flow::BranchTable:
      branch_table(w, index, segment);
      return false;
    case Flow::Sleep:
    case Flow::Next:
    case Flow::Branch:
      break;
  }
  return true;
}

}  // namespace warplens::simt
