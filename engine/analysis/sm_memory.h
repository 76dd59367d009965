// The memory behind the model of an SM (sm_simulation.h): what takes an access, and when it answers.
//
//   SmMemory memory(code, setup);
//   const SmMemory::Answer answer = memory.global(access, at);
//
// L1's data array serves shared memory and the caches; L2 and DRAM hand out sectors at this SM's share of
// their bandwidth; what is stored goes through two buffers, of which tools/golden/stores.cu read the room.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "engine/analysis/sm_constants.h"
#include "engine/analysis/sm_units.h"

namespace warplens::analysis {

// Memory that hands out sectors one after the other.
struct Channel {
  double a_cycle = 1, free = 0;
  Cycle serve(Cycle from, double sectors) {
    if (sectors <= 0 || a_cycle <= 0) return from;
    free = std::max(free, static_cast<double>(from)) + sectors / a_cycle;
    return static_cast<Cycle>(std::ceil(free));
  }
};

// An SM's share of DRAM. The more it has to do, the longer a read waits, above all for what is written: DRAM
// turns to one or the other for a while (tools/golden/loaded.cu).
class DramShare {
 public:
  double a_cycle = 1;  // sectors
  // SMs do not ask at the same moment: what this one has left of its share in so many cycles, it may take at
  // once.
  double spare = 0;
  double dirty = 0;                      // sectors that leave L2 for each that is read
  double read_wait = 0, write_wait = 0;  // cycles, at half of its bandwidth; the latter if all were written

  Cycle read(Cycle from, double sectors) {
    if (sectors <= 0 || a_cycle <= 0) return from;
    const double waits = wait(from);
    return serve(from, sectors, sectors * dirty) + static_cast<Cycle>(waits);
  }
  void write(Cycle from, double sectors) {
    if (sectors > 0 && a_cycle > 0) serve(from, 0, sectors);
  }

 private:
  // Cycles over which its load is averaged, and the load beyond which a read waits no longer: it queues then.
  static constexpr double kWindow = 2000, kMostLoad = 0.9;

  void fade(Cycle now) {
    if (now <= last_) return;
    const double left = std::exp(static_cast<double>(last_ - now) / kWindow);
    read_ *= left;
    written_ *= left;
    last_ = now;
  }
  double wait(Cycle now) {
    fade(now);
    const double all = read_ + written_;
    if (all <= 0) return 0;
    const double load = std::min(kMostLoad, all / (a_cycle * kWindow));
    return (read_wait + write_wait * written_ / all) * load / (1 - load);
  }
  Cycle serve(Cycle from, double read, double written) {
    fade(from);
    read_ += read;
    written_ += written;
    free_ = std::max(free_, static_cast<double>(from) - spare) + (read + written) / a_cycle;
    return std::max(from, static_cast<Cycle>(std::ceil(free_)));
  }

  double free_ = 0, read_ = 0, written_ = 0;
  Cycle last_ = 0;
};

// What L1's data array serves: shared memory and the caches have queues of their own and share its cycles.
struct Pipe {
  Cycle free = 0;
  Cycle take(Cycle from, Cycle cycles, Pipe& other) {
    const Cycle begin = std::max(free, from);
    if (other.free > begin) other.free += cycles;
    free = begin + cycles;
    return begin;
  }
};

class SmMemory {
 public:
  struct Answer {
    Cycle taken = 0, sent = 0;  // by the load/store unit; from there on
    Cycle at = 0;               // when a load has its value
    Cycle passed_on = 0;        // when L1 has handed a store on to L2; 0: nothing is stored
    Cycle left = 0;             // when nobody waits for that any more: its last lines are in a buffer
    Cycle stored = 0;           // when L2 has it
  };

  SmMemory(const SmCode& code, const SmSetup& setup)
      : code_(code), setup_(setup), tables_(setup), arrivals_(code.line_count, 0) {
    l2_.a_cycle = setup.l2_sectors_a_cycle;
    stores_a_cycle_ = setup.l2_sectors_a_cycle * setup.l2_store_share;
    if (setup.stored_a_cycle > 0) stores_a_cycle_ = std::min(stores_a_cycle_, setup.stored_a_cycle);
    dram_.a_cycle = setup.dram_sectors_a_cycle;
    dram_.spare = setup.dram_spare;
    dram_.dirty = setup.dram_dirty;
    dram_.read_wait = setup.free.results ? 0 : setup.dram_read_wait;
    dram_.write_wait = setup.free.results ? 0 : setup.dram_write_wait;
    requests_.a_cycle = setup.request_cycles > 0 ? 1 / setup.request_cycles : 0;
  }

  // Of no lane: the load/store unit passes it all the same (scan_blelloch on an H100: a wavefront for each of
  // 34 million instructions, 21 million of them off). When it has.
  Cycle pass_by(bool shared, Cycle at) {
    if (setup_.free.lsu) return at;
    return shared ? shared_.take(at, 1, global_) : global_.take(at, 1, shared_);
  }

  // aside: parameters, tables and what S2UR reads, on a way of their own. Else in order behind
  // what is stored; special registers of lanes leave L1's data to loads (tools/golden/mixed.cu).
  Answer shared(std::size_t scheduler, const SmInstruction& i, const SmAccess& a, Cycle at) {
    Pipe nobody;
    Answer out;
    // Where what is stored holds it up, it is behind all that came before it.
    if (!i.aside && held_.free(setup_.store_buffer) > at) shared_.free = std::max(shared_.free, global_.free);
    out.taken = i.aside ? aside_.take(at, a.cycles, nobody)
                        : shared_.take(at, a.cycles, i.special ? nobody : global_);
    out.sent = out.taken + a.cycles;
    const Cycle latency = setup_.free.results ? 1 : a.latency > 0 ? a.latency : i.latency;
    // Latencies are from issue to issue. Each further pass delays the answer by two cycles.
    out.at = (i.aside   ? out.taken + 1
              : i.store ? out.taken - 1
                        : back(scheduler, out.taken, a.cycles) - 1) +
             latency + kWay * (std::max<Cycle>(1, a.cycles) - 1);
    if (i.table && !setup_.free.results)
      for (std::uint32_t k = 0; k < a.requests; ++k)
        out.at = std::max(out.at, tables_.there(code_.table_lines[a.line + k], out.at));
    return out;
  }

  Answer global(std::size_t scheduler, const SmAccess& a, Cycle at) {
    Answer out;
    // What is stored goes on in order; where there is no more room, whatever comes behind waits.
    global_.free = std::max(global_.free, held_.free(setup_.store_buffer));
    const bool loads = a.stored == 0 && a.atomics == 0;
    // A load that misses passes the data when they are there; until then it holds nobody up.
    const bool known = a.line < arrivals_.size();
    const bool misses =
        loads && (a.from_l2 > 0 || (known && (arrivals_[a.line] == 0 || arrivals_[a.line] > at)));
    const Cycle cycles = misses ? std::min(a.tags, a.cycles) : a.cycles;
    pass_what_came(at);
    out.taken = global_.take(at, cycles, shared_);
    out.sent = out.taken + cycles;
    // It goes the same way as they do, behind all of what is stored that is on its way (read on an H200:
    // tools/golden/behind.cu).
    if (misses) out.sent = std::max({out.sent, reductions_passed_, static_cast<Cycle>(stores_free_)});
    out.at = requests_.serve(out.sent, a.requests);
    if (a.stored > 0) {
      pass_on(a, out);
      out.at = out.stored = std::max(out.at, out.stored);
      // Nobody waits for that, but what is read comes behind it.
      dram_.write(out.sent, a.changed * setup_.dram_changed);
      held_.add(out.passed_on, setup_.store_buffer);
    }
    if (a.atomics > 0 && setup_.atomic_turn > 0) {
      atomics_free_ = std::max(atomics_free_, static_cast<double>(out.sent)) + a.atomics * setup_.atomic_turn;
      out.at = std::max(out.at, static_cast<Cycle>(atomics_free_));
      if (!a.answered) {  // a reduction: it goes the way of a store
        const auto room = static_cast<Cycle>(atomics_free_ - setup_.store_entries * setup_.atomic_turn);
        passed_on_ = std::max({passed_on_, static_cast<double>(out.sent), static_cast<double>(room)});
        out.passed_on = out.left = static_cast<Cycle>(passed_on_);
        out.stored = out.at;
        reductions_passed_ = out.passed_on;
        held_.add(out.passed_on, setup_.store_buffer);
      }
    }
    out.at = std::max(out.at, l2_.serve(out.sent, a.from_l2));
    out.at = std::max(out.at, dram_.read(out.sent, a.from_dram));
    out.at += latency_of(a);
    if (loads && !setup_.free.results)
      out.at += (a.from_l2 == 0 ? back(scheduler, out.taken, a.cycles) - out.taken : 0) +
                (kWay - 1) * (a.cycles - 1);
    if (misses && !setup_.free.lsu) {
      filled_free_ = std::max(filled_free_, out.at - kApart) + a.cycles;
      out.at = std::max(out.at, filled_free_);
      if (a.cycles > cycles) coming_.emplace(out.at, a.cycles - cycles);
    }
    // A load that finds its line in L1 still waits for those who asked for it, and then for the others that
    // do: their data leave L1 one after the other.
    if (a.line >= arrivals_.size()) return out;
    for (std::uint32_t k = 0; k < a.other_count; ++k)
      if (Cycle& other = arrivals_[code_.other_lines[a.others + k]]; other == 0)
        other = loads ? out.at : out.sent;
    Cycle& there = arrivals_[a.line];
    if (!loads) {
      if (there == 0) there = out.sent;
      return out;
    }
    if (a.from_l2 > 0)
      there = out.at;
    else if (there == 0 && !setup_.free.results)  // a block that is not run here has brought it
      there = out.at = std::max(out.at, out.sent + setup_.first_latency);
    else if (!setup_.free.results && there > out.at)
      out.at = there = there + a.cycles;
    return out;
  }

 private:
  // What loads bring comes back to a scheduler on a way of its own, at half the rate at which L1 serves all
  // four: felt where a few warps load what takes many passes (read on an H200: tools/golden/lonely.cu).
  static constexpr Cycle kWay = 2;  // cycles of a pass
  // What misses have brought by now passes L1's data before what comes.
  void pass_what_came(Cycle at) {
    for (; !coming_.empty() && coming_.top().first <= std::max(global_.free, at); coming_.pop())
      global_.free = std::max(global_.free, coming_.top().first) + coming_.top().second;
  }
  // As far apart as first loads from DRAM were read to lie (tools/golden/first_loads.cu): what misses bring
  // is passed one after the other, but who is late by no more than that keeps nobody waiting.
  static constexpr Cycle kApart = 300;
  // From when it is free for what L1 serves from `at` on.
  Cycle back(std::size_t scheduler, Cycle at, Cycle passes) {
    if (setup_.free.lsu) return at;
    const Cycle from = std::max(at, ways_[scheduler]);
    ways_[scheduler] = from + kWay * passes;
    return from;
  }

  // L1 hands stores on to L2 one after the other, line by line, while there is room on the way: a sector
  // takes it some 0.87 cycles, a line 0.85 more. Of those that wait 32 lines stand in a buffer, into which
  // one gets a cycle; whoever has stored them may leave (read on an H200: tools/golden/first_lines.cu,
  // stored_rows.cu). What comes behind waits for no more than 32 stores, of however many lines.
  void pass_on(const SmAccess& a, Answer& out) {
    constexpr double kSector = 0.87, kLine = 0.85, kBuffer = 32;
    const double on_the_way = cycles_to_l2(a);
    const auto room = static_cast<Cycle>(stores_free_ - setup_.store_entries * on_the_way / a.stored);
    const double from = std::max(passed_on_, static_cast<double>(out.sent));
    passed_on_ = std::max(from, static_cast<double>(room)) + kSector * a.stored + kLine * a.lines;
    out.passed_on = static_cast<Cycle>(passed_on_);
    const double a_line = (passed_on_ - from) / a.lines;
    out.left = std::max(out.sent + a.lines, static_cast<Cycle>(passed_on_ - kBuffer * a_line));
    stores_free_ = std::max(stores_free_, passed_on_) + on_the_way;
    out.stored = static_cast<Cycle>(std::ceil(stores_free_));
  }

  // From one store to the next: the SM's share of what L2 takes; alone a sector a cycle, and one more for
  // each line where no sector has two words.
  double cycles_to_l2(const SmAccess& a) const {
    const double alone = a.stored + (a.sparse ? a.lines : 0);
    return stores_a_cycle_ > 0 ? std::max(a.stored / stores_a_cycle_, alone) : alone;
  }

  // The furthest of several lines is in the other half of L2, or at another channel (tools/golden/lonely.cu).
  // What DRAM takes longer differs from one load to the next: evenly up to the most, in the golden ratio's
  // order. The last of many answers is as late as that, the mean half of it.
  Cycle latency_of(const SmAccess& a) {
    if (setup_.free.results) return 0;
    double latency = a.latency;
    constexpr double kDram = 1.5;  // times as far apart
    if (a.requests > 1) latency += setup_.far_cycles * (a.cold ? kDram : 1) * (1 - 1.0 / a.requests);
    if (a.cold) {
      cold_share_ += 0.6180339887;
      cold_share_ -= std::floor(cold_share_);
      latency += setup_.cold_nearest + setup_.cold_cycles * cold_share_;
    }
    return static_cast<Cycle>(latency * setup_.memory_latency);
  }

  const SmCode& code_;
  const SmSetup& setup_;
  TableCache tables_;
  std::vector<Cycle> arrivals_;  // in L1, by SmAccess::line
  Channel l2_, requests_;
  DramShare dram_;
  Queue held_;  // stores, until L1 has handed them on
  Pipe shared_, global_, aside_;
  std::array<Cycle, 8> ways_{};  // by scheduler
  double atomics_free_ = 0;      // when L2 has done them
  double cold_share_ = 0;
  double passed_on_ = 0;
  double stores_a_cycle_ = 1, stores_free_ = 0;  // sectors on their way to L2; when the last is there
  std::priority_queue<std::pair<Cycle, Cycle>, std::vector<std::pair<Cycle, Cycle>>, std::greater<>>
      coming_;                   // to L1 for loads that missed: when, and for how many cycles of its data
  Cycle reductions_passed_ = 0;  // when L2 has been given all that came so far
  Cycle filled_free_ = 0;
};

}  // namespace warplens::analysis
