#include "engine/analysis/sm_simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/analysis/sm_constants.h"
#include "engine/analysis/sm_jumps.h"
#include "engine/analysis/sm_launch.h"
#include "engine/analysis/sm_memory.h"
#include "engine/analysis/sm_text.h"
#include "engine/analysis/sm_turns.h"
#include "engine/analysis/sm_units.h"

namespace warplens::analysis {
namespace {

class SimulatedSm {
 public:
  SimulatedSm(const SmCode& code, const SmSetup& setup)
      : code_(code),
        setup_(setup),
        memory_(code, setup),
        constants_(setup),
        text_(code, setup),
        launch_(setup) {
    units_.resize(static_cast<std::size_t>(setup.schedulers));
    run_.issued.resize(static_cast<std::size_t>(setup.schedulers));
    resident_.resize(static_cast<std::size_t>(setup.schedulers));
    run_before_.resize(code.blocks.size());
  }

  SmRun run() {
    const std::size_t width = most_warps();
    blocks_.resize(static_cast<std::size_t>(setup_.resident_blocks));
    warps_.resize(blocks_.size() * width);
    for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].first = static_cast<std::uint32_t>(b * width);
    if (setup_.record > 0) run_.warps.resize(warps_.size());
    turns_ = deal(blocks_.size(), width, run_.issued.size());
    for (std::size_t slot = 0; slot < warps_.size(); ++slot)
      run_.slot_scheduler.push_back(scheduler_of(slot, width, run_.issued.size()));
    Cycle cycle = 0;
    while ((alive_ > 0 || filling()) && issues_ < setup_.most_issues && cycle < setup_.most_cycles) {
      while (filling() && launch_.due() <= cycle) fill();
      Cycle soon = filling() ? launch_.due() : std::numeric_limits<Cycle>::max();
      for (std::size_t s = 0; s < run_.issued.size(); ++s) {
        const std::uint64_t before = walked_;
        Cycle next = step(s, cycle);
        for (std::uint64_t was = before; setup_.free.issue && walked_ != was;) {
          was = walked_;
          next = step(s, cycle);
        }
        soon = std::min(soon, next);
      }
      if (alive_ == 0 && !filling()) break;
      cycle = std::max(cycle + 1, soon);
    }
    run_.finished = alive_ == 0 && launch_.over();
    run_.cycles = std::max(cycle, last_cycle_);
    run_.settled = std::max({run_.cycles, settled_, launch_.heard()});
    if (!run_.finished) run_.done = done();
    count_active();
    run_.recorded = setup_.record > 0 ? std::min(full_at_, run_.cycles) : 0;
    return std::move(run_);
  }

 private:
  std::size_t most_warps() const {
    std::size_t most = 1;
    for (const auto& block : code_.blocks) most = std::max(most, block.size());
    return most;
  }

  // Instructions issued of all that these blocks have.
  double done() const {
    double all = 0;
    for (std::size_t b = 0; b < code_.blocks.size(); ++b) all += code_.steps_of(b) * code_.share_of(b);
    all *= static_cast<double>(setup_.blocks);
    return all > 0 ? std::clamp(static_cast<double>(walked_) / all, 1e-9, 1.0) : 1;
  }

  // Places that have had no block yet are taken first, then those that were left meanwhile.
  bool filling() const { return filled_ < blocks_.size() && !launch_.over(); }
  void fill() {
    begin(filled_++, 0);
    if (filling()) return;
    for (const auto& [place, from] : left_) begin(place, from);
  }

  // In a place that is free from `from` on.
  void begin(std::size_t b, Cycle from) {
    if (launch_.over()) return;
    const std::uint64_t number = launch_.given();
    const std::size_t stored = code_.stands_for(number, setup_.blocks);
    const auto& steps = code_.blocks[stored];
    const BlockLaunch::Start start = launch_.next(from, steps.size());
    for (SchedulerTurns& turns : turns_) turns.put_last(static_cast<std::uint32_t>(b));
    Block& block = blocks_[b];
    block.warps = static_cast<std::uint32_t>(steps.size());
    block.live = block.waiting = 0;
    block.running = true;
    block.waited = start.waited;
    block.number = number;
    block.answer = run_before_[stored]++ % code_.answers;
    for (std::uint32_t w = 0; w < block.warps; ++w) {
      Warp& warp = warps_[block.first + w];
      warp.steps = &steps[w];
      warp.next = 0;
      warp.block = static_cast<std::uint32_t>(b);
      const Cycle in = start.at + static_cast<Cycle>(w) * kNextWarp;
      warp.began = warp.since = warp.ready = in;
      warp.stored = false;
      warp.counts_until = 0;
      warp.why = SmStall::Wait;
      warp.stores_done = warp.stores_held = in;
      warp.at_barrier = false;
      warp.due.assign(code_.register_count, {});
      warp.scoreboards = {};
      warp.fenced = in;
      warp.copied = in;
      warp.groups.clear();
      if (steps[w].empty()) {
        warp.steps = nullptr;
        continue;
      }
      ++block.live;
      ++alive_;
      prepare(block.first + w, in);
    }
    if (block.live == 0) block.running = false;
  }

  // When there is room for no more, whatever has begun by now is still kept: up to here the record is whole.
  void keep() {
    if (++kept_ == setup_.record) full_at_ = std::min(full_at_, now_);
  }
  bool keeps(Cycle from) const { return setup_.record > 0 && from < full_at_; }

  void account(std::size_t w, SmStall why, Cycle to) {
    Warp& warp = warps_[w];
    if (to <= warp.since) return;
    run_.stalls[static_cast<std::size_t>(why)] += static_cast<double>(to - warp.since);
    if (keeps(warp.since)) {
      auto& row = run_.warps[w];
      const std::uint32_t instruction =
          warp.next < warp.steps->size() ? (*warp.steps)[warp.next].instruction : 0;
      if (!row.empty() && row.back().state == why && row.back().end == warp.since &&
          row.back().instruction == instruction) {
        row.back().end = to;
      } else {
        row.push_back({why, instruction, warp.since, to});
        keep();
      }
    }
    warp.since = to;
  }

  // When the warp's next instruction may issue, and what it waits for until then.
  void prepare(std::size_t w, Cycle from) {
    Warp& warp = warps_[w];
    skip_free(warp, from);
    account(w, warp.why, from);  // until then it waits for nothing else
    warp.ready = from;
    if (warp.next >= warp.steps->size()) return;
    const SmInstruction& next = next_of(warp);
    if (const Cycle fetched = text_.there(next.place, from); fetched > warp.ready) {
      account(w, SmStall::NoInstruction, fetched);
      warp.ready = fetched;
      warp.why = SmStall::Wait;
    }
    if (next.constant || next.indexed) constants_.begin(warp.ready);
    if (next.constant) {
      if (const Cycle there = constants_.there(run_.slot_scheduler[w], next.constant_line, warp.ready);
          there > warp.ready) {
        warp.ready = there;
        warp.why = SmStall::ImcMiss;
      }
    }
    if (next.unit == SmUnit::Uniform && (next.named || next.table)) {
      const Cycle there = next.named ? constants_.named(warp.ready) : constants_.of_program(warp.ready);
      if (there > warp.ready) {
        warp.ready = there;
        warp.why = SmStall::ImcMiss;
      }
    }
    const bool scheduled = next.schedule.known();
    warp.long_until = 0;
    const auto wait_for = [&](const Due& due) {
      if (due.why == SmStall::LongScoreboard) warp.long_until = std::max(warp.long_until, due.at);
      if (due.at <= warp.ready) return;
      warp.ready = due.at;
      warp.why = due.why;
    };
    for (std::uint32_t i = 0; i < next.read_count; ++i) {
      Due due = warp.due[code_.registers[next.reads + i]];
      if (scheduled && due.scheduled) continue;
      if (next.steers && due.why == SmStall::Wait) due.at += setup_.guard_cycles;
      wait_for(due);
    }
    if (scheduled) {
      for (std::size_t b = 0; b < warp.scoreboards.size(); ++b)
        if ((next.schedule.waits >> b & 1) != 0) wait_for(warp.scoreboards[b]);
      wait_for({warp.fenced, SmStall::Membar});
    }
    if (next.waits_for_copies && warp.groups.size() > next.groups_left) {
      const Cycle done = warp.groups[warp.groups.size() - 1 - next.groups_left];
      if (done > warp.ready) {
        warp.ready = done;
        warp.why = SmStall::LongScoreboard;
      }
    }
    if (next.unit == SmUnit::Exit && warp.stores_held > warp.ready) {
      warp.ready = warp.stores_held;
      warp.why = SmStall::Drain;
    }
  }

  // Moves cost nothing, but what they move comes no earlier.
  void skip_free(Warp& warp, Cycle from) {
    while (warp.next < warp.steps->size()) {
      const SmInstruction& move = code_.instructions[(*warp.steps)[warp.next].instruction];
      if (move.unit != SmUnit::None) return;
      Due latest{from, SmStall::Wait};
      for (std::uint32_t i = 0; i < move.read_count; ++i)
        if (const Due& due = warp.due[code_.registers[move.reads + i]]; due.at > latest.at) latest = due;
      for (std::uint32_t i = 0; i < move.write_count; ++i)
        warp.due[code_.registers[move.writes + i]] = latest;
      ++warp.next;
      ++walked_;
    }
  }

  // One cycle of a scheduler; the cycle from which it has something to do again.
  Cycle step(std::size_t s, Cycle cycle) {
    now_ = cycle;
    Cycle soon = kNever;
    std::size_t chosen = kNobody;
    if (units_[s].issue > cycle) return units_[s].issue;
    if (const std::size_t w = that_stays(s, cycle); w != kNobody) {
      issue(s, w, cycle);
      return cycle + 1;
    }
    for (BlockTurns& turns : turns_[s].blocks) {
      for (std::size_t k = 0, at = turns.next; k < turns.slots.size();
           ++k, at = at + 1 == turns.slots.size() ? 0 : at + 1) {
        const std::size_t w = turns.slots[at];
        if (warps_[w].steps == nullptr || warps_[w].at_barrier) continue;
        Warp& warp = warps_[w];
        if (warp.next >= warp.steps->size()) {
          ended_.push_back(w);
          continue;
        }
        // Whatever its unit does: most warps of a turn wait for longer than another one.
        if (warp.ready > cycle && warp.ready >= soon && setup_.hide_latency) continue;
        const Cycle from = std::max(warp.ready, units_[s].free(next_of(warp), setup_));
        if (from <= cycle) {
          chosen = w;
          turns.next = !setup_.hide_latency ? at : at + 1 == turns.slots.size() ? 0 : at + 1;
          break;
        }
        soon = std::min(soon, from);
        if (!setup_.hide_latency) break;  // the warp has the scheduler for itself until it ends
      }
      if (chosen != kNobody || (!setup_.hide_latency && soon != kNever)) break;
    }
    for (const std::size_t w : ended_) {
      end_warp(w, std::max(cycle, warps_[w].ready));
      soon = cycle + 1;
    }
    ended_.clear();
    if (chosen == kNobody) return soon;
    issue(s, chosen, cycle);
    return cycle + 1;
  }

  // The latest of those that stay, if one of them may issue; nobody else.
  std::size_t that_stays(std::size_t s, Cycle cycle) {
    if (!setup_.hide_latency) return kNobody;
    std::vector<std::size_t>& stays = turns_[s].stays;
    for (std::size_t k = stays.size(); k-- > 0;) {
      const Warp& warp = warps_[stays[k]];
      if (warp.ready > cycle) continue;
      const SmInstruction& next = next_of(warp);
      if (units_[s].free(next, setup_) <= cycle) return stays[k];
      if (throttle_of(next.unit) != SmStall::MathPipeThrottle)
        stays.erase(stays.begin() + static_cast<std::ptrdiff_t>(k));
    }
    return kNobody;
  }

  const SmInstruction& next_of(const Warp& warp) const {
    return code_.instructions[(*warp.steps)[warp.next].instruction];
  }

  void issue(std::size_t s, std::size_t w, Cycle cycle) {
    Warp& warp = warps_[w];
    const SmStep step = (*warp.steps)[warp.next];
    const SmInstruction& i = code_.instructions[step.instruction];
    std::erase(turns_[s].stays, w);
    // Who waits for both waits for what is far first (constant_memory_0 of tests/models).
    if (warp.why == SmStall::ShortScoreboard)
      account(w, SmStall::LongScoreboard, std::min(warp.long_until, warp.ready));
    account(w, warp.why, warp.ready);
    const Cycle from = std::max(warp.since, warp.ready);
    const Throttled throttled = units_[s].throttled(i, from, cycle);
    account(w, throttle_of(i.unit), from + throttled.own);
    account(w, SmStall::MioThrottle, from + throttled.all);
    account(w, SmStall::DispatchStall, std::min(cycle, warp.since + units_[s].held.between(from, cycle)));
    account(w, SmStall::NotSelected, cycle);
    ++run_.issued[s];
    ++issues_;
    ++walked_;
    run_.stalls[static_cast<std::size_t>(SmStall::Selected)] += 1;
    const Cycle held = hold(s, w, i, cycle);
    execute(s, warp, step, i, cycle + 1);
    units_[s].note(i.unit, cycle + 1, setup_);
    if (i.unit == SmUnit::Fma)  // on the half of the other, perhaps
      units_[s].note(SmUnit::FmaHeavy, cycle + 1, setup_);
    if (keeps(warp.since)) {
      run_.warps[w].push_back({SmStall::Selected, step.instruction, warp.since, cycle + 1});
      keep();
    }
    warp.since = std::max(warp.since, cycle + 1);
    warp.why = SmStall::Wait;
    ++warp.next;
    last_cycle_ = std::max(last_cycle_, cycle + 1);
    if (i.unit == SmUnit::Barrier && i.site != trace::kNoSite) return arrive(w, cycle + 1);
    const bool scheduled = i.schedule.known();
    const Cycle stalled = cycle + (scheduled && !setup_.free.results ? i.schedule.stall + held : Cycle{1});
    Cycle goes_on = scheduled ? stalled : cycle + 1 + i.pause;
    warp.counts_until = scheduled ? stalled : 0;
    if (i.unit == SmUnit::Branch) {
      const JumpCycles jump = cycles_of_jump(i, next_place(warp), setup_);
      account(w, SmStall::Wait, cycle + jump.wait);
      account(w, SmStall::BranchResolving, cycle + jump.wait + jump.resolving);
      goes_on = cycle + jump.wait + jump.resolving + jump.no_instruction;
      account(w, SmStall::NoInstruction, goes_on);
    } else if (i.unit == SmUnit::Sleep) {
      goes_on += i.latency;
      account(w, SmStall::Sleeping, goes_on);
    } else if (!scheduled &&
               (i.unit == SmUnit::Global || i.unit == SmUnit::Shared || i.unit == SmUnit::Special)) {
      goes_on += setup_.queued_pause;
    }
    prepare(w, goes_on);
    if (scheduled && i.schedule.yields == 0 && warp.next < warp.steps->size() && warp.ready <= goes_on)
      turns_[s].stays.push_back(w);
  }

  // Behind some instructions a scheduler issues nothing for a while. Once there is a warp that could, none of
  // its warps counts its cycles until that is over (read on an H200: tools/golden/held.cu). For how long that
  // holds for the one that issued.
  Cycle hold(std::size_t s, std::size_t by, const SmInstruction& i, Cycle at) {
    if (i.hold <= 0 || setup_.free.issue) return 0;
    units_[s].hold(at, static_cast<double>(i.hold));
    const Cycle own = at + i.schedule.stall;
    Cycle from = own;
    for_each_other(s, by, [&](std::size_t, const Warp& warp) {
      if (warp.next < warp.steps->size())
        from = std::min(from, std::max(warp.ready, units_[s].free(next_of(warp), setup_)));
    });
    from = std::max(from, at + 1);
    const Cycle held = units_[s].issue - from;
    if (held <= 0) return 0;
    for_each_other(s, by, [&](std::size_t w, Warp& warp) {
      // What it waits for behind that it waits for all the same.
      if (warp.counts_until <= from || warp.since != warp.counts_until) return;
      warp.counts_until += held;
      account(w, SmStall::Wait, warp.counts_until);
      warp.ready = std::max(warp.ready, warp.counts_until);
    });
    return own > from ? held : 0;
  }
  template <typename F>
  void for_each_other(std::size_t s, std::size_t than, F each) {
    for (const BlockTurns& turns : turns_[s].blocks)
      for (const std::size_t w : turns.slots)
        if (w != than && warps_[w].steps != nullptr && !warps_[w].at_barrier) each(w, warps_[w]);
  }

  // Of the text, where the warp goes on; what costs nothing stands nowhere.
  std::uint32_t next_place(const Warp& warp) const {
    for (std::size_t n = warp.next; n < warp.steps->size(); ++n)
      if (const SmInstruction& i = code_.instructions[(*warp.steps)[n].instruction]; i.unit != SmUnit::None)
        return i.place;
    return SmInstruction::kNowhere;
  }

  void execute(std::size_t s, Warp& warp, const SmStep& step, const SmInstruction& i, Cycle at) {
    Due due{setup_.free.results ? at : at + i.latency - 1, SmStall::Wait};
    Cycle read = at;  // when it has its operands
    if (i.commits || (i.waits_for_copies && warp.groups.empty())) warp.groups.push_back(warp.copied);
    if (i.unit == SmUnit::Global || i.unit == SmUnit::Shared) {
      if (step.access == SmStep::kPredicatedOff) return pass_by(s, warp, i, at);
      due = memory(s, warp, step, i, at, read);
    } else if (i.unit == SmUnit::Fence) {
      warp.ready = at;
      // Fences that have stores to wait for go one after the other, others only get in one after the other.
      fence_free_ = std::max(fence_free_, at) + setup_.fence_turn;
      due.at = warp.stores_done > at ? std::max(warp.stores_done, fence_free_) + setup_.fence_cycles
                                     : std::max(at + setup_.fence_cycles, fence_free_);
      for (Due& d : warp.due)
        if (d.at < due.at) d = {due.at, SmStall::Membar};
      warp.fenced = due.at;
    } else {
      double& busy = units_[s].busy[static_cast<std::size_t>(units_[s].taken_by(i.unit, at - 1))];
      if (!setup_.free.units)
        busy = std::max(busy, static_cast<double>(at - 1)) + static_cast<double>(i.busy);
      if (i.unit == SmUnit::Special) {
        due.why = SmStall::ShortScoreboard;
        const auto taken = static_cast<Cycle>(busy - static_cast<double>(i.busy)) + 1;
        units_[s].special.add(taken + setup_.special_hold, setup_.special_entries);
        if (!setup_.free.results) due.at += std::max<Cycle>(0, taken - at);
        read = std::max(read, taken);
      } else if (!setup_.free.results)
        due.at += setup_.result_cycles;
    }
    if (i.commits) due = {std::max(due.at, warp.copied), SmStall::LongScoreboard};
    hold(warp, i, due, read);
    for (std::uint32_t k = 0; k < i.write_count; ++k) warp.due[code_.registers[i.writes + k]] = due;
  }

  // Its scoreboards, of which several instructions may hold the same: the last of them frees it.
  void hold(Warp& warp, const SmInstruction& i, Due& due, Cycle read) const {
    if (!i.schedule.known()) return;
    due.scheduled = true;
    const auto until = [&](std::uint8_t scoreboard, const Due& then) {
      if (scoreboard < warp.scoreboards.size() && warp.scoreboards[scoreboard].at < then.at)
        warp.scoreboards[scoreboard] = then;
    };
    const SmStall short_or_long =
        i.unit == SmUnit::Global ? SmStall::LongScoreboard : SmStall::ShortScoreboard;
    until(i.schedule.holds, {due.at, due.why == SmStall::Wait ? SmStall::ShortScoreboard : due.why});
    until(i.schedule.reads, {read + kOperands, short_or_long});
  }

  // What it would have written stays as it is.
  void pass_by(std::size_t s, Warp& warp, const SmInstruction& i, Cycle at) {
    if (i.aside) return;
    const bool shared = i.unit == SmUnit::Shared;
    MemoryQueues& queues = units_[s].memory;
    const Cycle taken = memory_.pass_by(shared, shared ? queues.behind(at) : at);
    shared ? queues.shared(taken, setup_) : queues.global(at, taken, i.store, setup_);
    Due nothing{taken + kOperands, shared ? SmStall::ShortScoreboard : SmStall::LongScoreboard};
    hold(warp, i, nothing, taken);
  }

  Due memory(std::size_t s, Warp& warp, const SmStep& step, const SmInstruction& i, Cycle at, Cycle& read) {
    SmAccess a;
    a.latency = i.latency;
    if (i.unit == SmUnit::Shared) a.cycles = static_cast<std::uint16_t>(i.busy);
    if (step.access < code_.accesses.size()) a = code_.access(step.access, blocks_[warp.block].answer);
    if (setup_.free.lsu) a.cycles = 0;
    MemoryQueues& queues = units_[s].memory;
    if (i.unit == SmUnit::Shared) {
      if (!i.aside) at = queues.behind(at);
      const SmMemory::Answer answer = memory_.shared(s, i, a, at);
      read = answer.taken;
      const Cycle there = i.indexed ? constants_.loaded(i.constant_line, answer.at) : answer.at;
      const Due due{i.named ? constants_.named(there) : there, SmStall::ShortScoreboard};
      // What loads a constant holds its place until it has it.
      i.aside ? queues.aside(answer.taken, i.indexed || i.table ? due.at : answer.taken, setup_)
              : queues.shared(answer.taken, setup_);
      return due;
    }
    const SmMemory::Answer answer = memory_.global(s, a, at);
    read = answer.taken;
    queues.global(at, answer.taken, answer.passed_on > 0, setup_);
    if (answer.passed_on > 0) {
      warp.stores_done = std::max(warp.stores_done, answer.stored);
      warp.stores_held = std::max(warp.stores_held, answer.left);  // one that ends waits for no more
      warp.stored = true;
    }
    queues.held(i.store ? answer.sent : answer.at, setup_);
    if (i.copies) warp.copied = std::max(warp.copied, answer.at);
    if (!i.store && keeps(at)) {
      run_.flights.push_back({at, answer.at});
      if (run_.flights.size() == setup_.record) full_at_ = std::min(full_at_, now_);
    }
    return {answer.at, SmStall::LongScoreboard};
  }

  void arrive(std::size_t w, Cycle at) {
    Warp& warp = warps_[w];
    Block& block = blocks_[warp.block];
    warp.at_barrier = true;
    ++block.waiting;
    if (block.waiting == block.live) release(block, at);
  }

  void release(Block& block, Cycle at) {
    block.waiting = 0;
    for (std::uint32_t k = 0; k < block.warps; ++k) {
      const std::size_t w = block.first + k;
      Warp& warp = warps_[w];
      if (warp.steps == nullptr || !warp.at_barrier) continue;
      warp.at_barrier = false;
      account(w, SmStall::Barrier, at + kBarrier);
      warp.why = SmStall::Wait;
      prepare(w, at + kBarrier);
    }
  }

  void end_warp(std::size_t w, Cycle at) {
    Warp& warp = warps_[w];
    Cycle end = at + kExit;
    account(w, SmStall::BranchResolving, end);
    if (warp.stored) end = std::max(end, warp.stores_held) + kDrain;
    if (blocks_[warp.block].warps == 2 && !blocks_[warp.block].waited)
      end += pair_drain(blocks_[warp.block], end - warp.began);
    account(w, SmStall::Drain, end);
    resident_[run_.slot_scheduler[w]].emplace_back(warp.began, end);
    last_cycle_ = std::max(last_cycle_, end);
    settled_ = std::max(settled_, warp.stores_done);
    warp.steps = nullptr;
    --alive_;
    Block& block = blocks_[warp.block];
    if (--block.live > 0) {
      if (block.waiting == block.live) release(block, end);
      return;
    }
    block.running = false;
    launch_.ended(end, block.warps);
    if (filling())
      left_.emplace_back(warp.block, end + setup_.turnover_cycles);
    else
      begin(warp.block, end + setup_.turnover_cycles);
  }

  // Blocks of two warps, and no others, leave the later the more of them came before and the shorter they
  // were there (read on an H100 and an H200, and not understood: tools/golden/small_blocks.cu, busy.cu).
  // Nobody waits for it.
  Cycle pair_drain(const Block& block, Cycle stayed) const {
    const double most =
        std::min<double>(setup_.pair_drain_most, setup_.pair_drain_each * static_cast<double>(block.number));
    return static_cast<Cycle>(most * std::exp(-static_cast<double>(stayed) / kPairStays));
  }

  static constexpr std::size_t kNobody = ~std::size_t{0};
  static constexpr Cycle kNever = std::numeric_limits<Cycle>::max();
  // Of a barrier; from EXIT until it is known to be one, and until stores have left the SM at the least.
  static constexpr Cycle kBarrier = 8, kExit = 8, kDrain = 21;
  // Until memory or a special unit has read an instruction's registers: worked out (docs/TIME-MODEL.md).
  static constexpr Cycle kOperands = 18;
  // Between the warps of a block that begins: read on an H100, tools/golden/beginnings.cu.
  static constexpr Cycle kNextWarp = 2;
  static constexpr double kPairStays = 700;  // cycles

  // Cycles in which a scheduler had a warp.
  void count_active() {
    for (std::size_t w = 0; w < warps_.size(); ++w)
      if (warps_[w].steps != nullptr)
        resident_[run_.slot_scheduler[w]].emplace_back(warps_[w].began, run_.cycles);
    for (auto& stretches : resident_) {
      std::ranges::sort(stretches);
      Cycle sum = 0, until = 0;
      for (const auto& [from, to] : stretches) {
        sum += std::max<Cycle>(0, std::min(to, run_.cycles) - std::max(from, until));
        until = std::max(until, to);
      }
      run_.active.push_back(sum);
    }
  }

  const SmCode& code_;
  const SmSetup& setup_;
  SmMemory memory_;
  ConstantCaches constants_;
  SmText text_;
  BlockLaunch launch_;
  std::vector<Warp> warps_;
  std::vector<Block> blocks_;
  std::vector<SchedulerUnits> units_;
  std::vector<SchedulerTurns> turns_;                // by scheduler
  std::vector<std::size_t> ended_;                   // warps that a scheduler has found to be at their end
  std::size_t filled_ = 0;                           // places that have had a block
  std::vector<std::uint32_t> run_before_;            // how often, by stored block
  std::vector<std::pair<std::size_t, Cycle>> left_;  // by a block, and from when, before all have had one
  Cycle fence_free_ = 0, last_cycle_ = 0, settled_ = 0;
  std::vector<std::vector<std::pair<Cycle, Cycle>>> resident_;  // when each warp was there, by scheduler
  std::uint64_t alive_ = 0, issues_ = 0, walked_ = 0;
  std::size_t kept_ = 0;
  Cycle now_ = 0;
  Cycle full_at_ = std::numeric_limits<Cycle>::max();  // the record has no room from here on
  SmRun run_;
};

}  // namespace

SmRun simulate_sm(const SmCode& code, const SmSetup& setup) {
  SmSetup safe = setup;
  safe.schedulers = std::clamp(setup.schedulers, 1, 8);
  safe.resident_blocks = std::clamp(setup.resident_blocks, 1, 64);
  safe.memory_latency = std::clamp(setup.memory_latency, 0.0, 100.0);
  if (code.blocks.empty()) return {};
  return SimulatedSm(code, safe).run();
}

}  // namespace warplens::analysis
