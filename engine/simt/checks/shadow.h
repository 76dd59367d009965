// What the exact check of races (Checks::All, Races::Judged) remembers about memory: which bytes were ever
// written, and who touched each word last.
//
// Two accesses to one word race when one of them writes, they are by different threads, not both atomic or
// volatile, and nothing orders them. What orders: within a block, a barrier; within a warp, __syncwarp for
// the lanes of its mask (running in lock step does not count); between warps and blocks, a fence and a write
// to a flag by one, and a volatile or atomic look at that flag by the other. An atomic is ordered behind the
// atomics whose result it has seen, without any fence. Where this is coarser than the memory model it finds
// fewer races, never false ones.
//
// Time. A block counts everything that orders: each of its barriers, each __syncwarp and each arrival of one
// of its warps begins another time. Of each barrier it is enough to know when it was: what was done before
// that time is ordered.
//
//   s[t] = x;  y = s[t + 1];      write mark of word t: {thread t, time 1}; the read by thread t - 1 is a
//                                 race, but none behind a __syncthreads() at time 2
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/simt/buffers/global_memory.h"
#include "engine/simt/checks/memory_screen.h"
#include "engine/simt/checks/sync_clocks.h"
#include "engine/simt/exec/cta.h"
#include "engine/simt/memory/memory.h"

namespace warplens::simt {

// One access to a word, in 64 bits: time 32, thread 10, instruction 17, bytes 4, strong 1.
class Mark {
 public:
  static constexpr unsigned kThreadShift = 22, kTimeShift = 32;
  Mark() = default;
  Mark(std::uint32_t time, std::uint32_t thread, std::uint32_t instruction, bool strong)
      : bits_(std::uint64_t{time} << kTimeShift | std::uint64_t{thread & 1023} << kThreadShift |
              std::uint64_t{instruction < 0x1ffff ? instruction : 0x1ffff} << 5 | (strong ? 1 : 0)) {}
  Mark with_bytes(std::uint32_t mask) const {
    Mark mark = *this;
    mark.bits_ |= std::uint64_t{mask & 15} << 1;
    return mark;
  }
  bool used() const { return bytes() != 0; }
  std::uint32_t time() const { return static_cast<std::uint32_t>(bits_ >> kTimeShift); }
  std::uint32_t thread() const { return static_cast<std::uint32_t>(bits_ >> kThreadShift) & 1023; }
  std::uint32_t instruction() const { return static_cast<std::uint32_t>(bits_ >> 5) & 0x1ffff; }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(bits_ >> 1) & 15; }
  bool strong() const { return (bits_ & 1) != 0; }

 private:
  std::uint64_t bits_ = 0;
};

template <typename Access>
struct LastTwo {
  Access last, other;
};

// The last atomic and volatile accesses to some places, of each warp: what it told others by, or looked at.
// For advice only: of two that come to one slot the later stays.
struct FlagUse {
  std::uint64_t address = 0;  // of global memory, or an offset in the block's shared memory
  Mark by;                    // unused: an empty slot
};
class FlagUses {
 public:
  void add(std::uint64_t address, const Mark& by) {
    uses_[(address / 4 + by.thread() / kWarpSize) % kMost] = {address, by.with_bytes(15)};
    empty_ = false;
  }
  void clear() {
    if (!empty_) uses_ = {};
    empty_ = true;
  }
  std::span<const FlagUse> all() const { return uses_; }

 private:
  static constexpr std::size_t kMost = 32;
  std::array<FlagUse, kMost> uses_;
  bool empty_ = true;
};

// Shared memory of one block.
class SharedShadow {
 public:
  struct Word {
    LastTwo<Mark> write, read;
  };
  SharedShadow(std::uint32_t bytes, std::uint32_t warps);
  void reset(std::uint32_t rank, std::uint32_t blocks);  // of the block's cluster
  static constexpr std::uint64_t bytes_needed(std::uint64_t shared_bytes) { return shared_bytes * 9; }

  // What other blocks of the cluster did to a word, and between which two of the cluster's barriers.
  struct Foreign {
    Mark mark;
    std::uint32_t rank = 0, phase = 0;
  };
  struct ForeignWord {
    Foreign write, read;
  };
  std::unordered_map<std::uint64_t, ForeignWord> foreign;

  std::vector<Word> words;
  std::vector<std::uint8_t> written;  // a byte: 0 when nothing was ever stored there
  // The block's time: now, at its last barrier, and at the last one of its cluster. Accesses before such a
  // time are ordered before those that come. A mark of time 0 is none.
  std::uint32_t now = 1, barrier = 1, cluster_barrier = 1;
  struct Warp {
    std::uint32_t barrier = 1;  // the last __syncwarp of all its lanes
    // Of those of some lanes: lane l knows lane k up to [l * 32 + k]. Empty since the last one of all.
    std::vector<std::uint32_t> lanes;
  };
  std::vector<Warp> warps;
  SyncClocks clocks;
  // Begins another time. There are 2^32 - 1 of them; in the last one nothing is judged any more.
  std::uint32_t tick() { return now += now < kLastTime ? 1 : 0; }
  static constexpr std::uint32_t kLastTime = 0xffffffffu;
  // The time that began with the last fence of a thread of the block, of any scope and of one wider than the
  // block; 0: there was none. A write to a flag behind it publishes what was done before it.
  std::uint32_t fence = 0, wide_fence = 0;
  std::uint32_t releases = 0;  // of the block so far
  FlagUses told, looked;
  FlagUses* told_others = nullptr;  // GlobalShadow's of this block, once there is any
  std::uint64_t acquired = 0;       // the latest stamp that the block had seen at its last barrier
};

// Global memory of the launch. Blocks run one after another or in turns on one worker, so it needs no lock.
//
// Kept by lines of 128 bytes: as long as only whole warps touch a line, lane l its word l, one record (that
// of lane 0) stands for all 32 words. Any other access spells the line out.
class GlobalShadow {
 public:
  struct Entry {
    Mark mark;
    std::uint32_t block = 0;     // linear index, truncated
    std::uint32_t releases = 0;  // how many releases the block had made: the next one orders this access
  };
  struct Word {
    LastTwo<Entry> write, read;
  };
  struct Line {
    Word whole;                // unless spelled out
    std::uint64_t detail = 0;  // 1 + index of the words
  };
  static constexpr unsigned kWordsOfLine = 32;
  // At worst, every line spelled out.
  static constexpr std::uint64_t kBytesPerByte = sizeof(Word) / 4 + 1;

  GlobalShadow(std::uint64_t bytes, const GlobalMemory& memory);
  Line& line(std::uint64_t address) { return lines_[(address - origin) / (4 * kWordsOfLine)]; }
  // The record of one word; spells its line out.
  Word& word(std::uint64_t address);

  // A new allocation: nobody has touched it yet.
  void forget(std::uint64_t address, std::uint64_t bytes);

  std::uint64_t origin = 0;  // the lowest address
  // Flags: the stamp and the block of the last release at an address.
  struct Flag {
    std::uint64_t stamp = 0;
    std::uint32_t block = 0;
    bool for_other_blocks = false;  // its scope is wider than the block
  };
  std::unordered_map<std::uint64_t, Flag> flags;
  std::uint64_t stamp = 0;
  // A release publishes what its thread did before the fence, and what others of its block did that is
  // ordered before it.
  struct Release {
    std::uint64_t stamp = 0;
    Mark by;
    std::uint32_t until = 0;  // the time that began with the fence
    std::uint32_t block_barrier = 0, warp_barrier = 0;
    std::vector<std::uint32_t> lanes;  // of its warp; empty: nothing but barriers of all
    std::vector<std::uint64_t> warps;  // of its block; the same
    bool covers(const Mark& access) const;
  };
  // The latest of a block, in order. A kernel may make them in a loop for as long as it runs.
  class Releases {
   public:
    void add(Release release) {
      latest_.push_back(std::move(release));
      if (latest_.size() <= kKept) return;
      latest_.pop_front();
      ++forgotten_;
    }
    std::size_t size() const { return forgotten_ + latest_.size(); }
    bool remembers(std::size_t index) const { return index >= forgotten_; }
    const Release& operator[](std::size_t index) const { return latest_[index - forgotten_]; }

   private:
    static constexpr std::size_t kKept = 1024;
    std::deque<Release> latest_;
    std::size_t forgotten_ = 0;
  };
  std::unordered_map<std::uint32_t, Releases> releases;  // of blocks that have made any
  std::unordered_map<std::uint32_t, FlagUses> told;      // by each block; of the first ones in large grids
  static constexpr std::size_t kMostTold = 65536;
  std::vector<std::uint8_t> heap_written;
  std::uint64_t heap_begin = 0;

 private:
  struct Free {
    void operator()(Line* p) const;
  };
  std::unique_ptr<Line[], Free> lines_;
  std::deque<std::array<Word, kWordsOfLine>> details_;
};

// Two writes to one word that nothing orders: a race unless they write the same value, which shows only once
// the second is done.
struct DoubtfulWrite {
  unsigned lane = 0;
  Mark earlier;
  std::uint32_t earlier_block = 0;
  std::uintptr_t word = 0;  // host address of the word
  std::uint32_t before = 0;
  std::uint64_t address = 0;
  bool same_instruction = false;  // by another lane of this very store
};

// Called for every access before it is made when races are only screened: throws StopBlock when it might be
// one. The caller fills in addresses, lanes, pattern and region; the rest follows from the operation.
void screen_access(const Op& op, Warp& warp, trace::Space space, ScreenedAccess& access);
// Called for every checked access before it is made.
void shadow_access(const Op& op, Warp& warp, const Prepared& prepared);
// Called after a store: judges its doubtful writes. `equal(a, b)`: do lanes a and b store the same value?
void shadow_settle(const Op& op, Warp& warp, bool (*equal)(const Op&, Warp&, unsigned, unsigned));
// The shared side of a cp.async: a write by its thread when it starts, and again when it has landed; only
// then there is something to read.
void shadow_copy(Warp& warp, const AsyncCopy& copy, bool landed);
void shadow_written(Warp& warp, std::uint64_t offset, std::uint64_t bytes);
void shadow_warp_barrier(Warp& warp, LaneMask lanes);
void shadow_fence(Warp& warp, bool of_the_block_only);
// All threads of the block have met: accesses so far are ordered before those that come.
void shadow_block_barrier(Cta& block);
// The warp has arrived at a barrier that not all threads of its block wait for: tells it what it knows.
void shadow_tell(Warp& warp, Clock& barrier);

}  // namespace warplens::simt
