// What the exact check of races (Checks::All, Races::Judged) remembers about memory: which bytes were ever
// written, and who touched each word last.
//
// Two accesses to one word race when one of them writes, they are by different threads, not both atomic or
// volatile, and nothing orders them. What orders: within a block, a barrier (an epoch of the block); within a
// warp, __syncwarp (an epoch of the warp; running in lock step does not count); between blocks, a fence
// and a write to a flag by one, and a volatile or atomic look at that flag by the other. Where this is
// coarser than the memory model it finds fewer races, never false ones.
//
//   s[t] = x;  y = s[t + 1];      write mark of word t: {thread t, epoch 0}; the read by thread t - 1 in the
//                                 same epoch is a race, after a __syncthreads() (epoch 1) it is none
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/simt/cta.h"
#include "engine/simt/global_memory.h"
#include "engine/simt/memory.h"
#include "engine/simt/memory_screen.h"
#include "engine/simt/sync_clocks.h"

namespace warplens::simt {

// One access to a word, in 64 bits: block epoch 22, thread 10, instruction 17, warp epoch 10, bytes 4,
// strong 1.
class Mark {
 public:
  Mark() = default;
  Mark(std::uint32_t epoch, std::uint32_t thread, std::uint32_t instruction, std::uint32_t warp_epoch,
       bool strong)
      : bits_(std::uint64_t{epoch & 0x3fffff} << 42 | std::uint64_t{thread & 1023} << 32 |
              std::uint64_t{instruction < 0x1ffff ? instruction : 0x1ffff} << 15 |
              std::uint64_t{warp_epoch & 1023} << 5 | (strong ? 1 : 0)) {}
  Mark with_bytes(std::uint32_t mask) const {
    Mark mark = *this;
    mark.bits_ |= std::uint64_t{mask & 15} << 1;
    return mark;
  }
  bool used() const { return bytes() != 0; }
  std::uint32_t epoch() const { return static_cast<std::uint32_t>(bits_ >> 42); }
  std::uint32_t thread() const { return static_cast<std::uint32_t>(bits_ >> 32) & 1023; }
  std::uint32_t instruction() const { return static_cast<std::uint32_t>(bits_ >> 15) & 0x1ffff; }
  std::uint32_t warp_epoch() const { return static_cast<std::uint32_t>(bits_ >> 5) & 1023; }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(bits_ >> 1) & 15; }
  bool strong() const { return (bits_ & 1) != 0; }
  // Same block epoch and thread: nothing to compare.
  std::uint32_t who() const { return static_cast<std::uint32_t>(bits_ >> 32); }

 private:
  std::uint64_t bits_ = 0;
};

template <typename Access>
struct LastTwo {
  Access last, other;
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
  std::vector<std::uint8_t> written;       // a byte: 0 when nothing was ever stored there
  std::vector<std::uint32_t> warp_epochs;  // a warp: counts its __syncwarp
  SyncClocks clocks;
  enum class Fence : std::uint8_t { None, Block, Device } fenced = Fence::None;  // the widest it executed
  std::uint32_t releases = 0;                                                    // of the block so far
  std::uint64_t acquired = 0;  // the latest stamp that the block had seen at its last barrier
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

  GlobalShadow(std::uint64_t bytes, const GlobalMemory& memory, std::uint64_t blocks);
  Line& line(std::uint64_t address) { return lines_[(address - kGlobalBase) / (4 * kWordsOfLine)]; }
  // The record of one word; spells its line out.
  Word& word(std::uint64_t address);

  // A new allocation: nobody has touched it yet.
  void forget(std::uint64_t address, std::uint64_t bytes);

  // Flags: the stamp and the block of the last release at an address.
  struct Flag {
    std::uint64_t stamp = 0;
    std::uint32_t block = 0;
    bool for_other_blocks = false;  // its scope is wider than the block
  };
  std::unordered_map<std::uint64_t, Flag> flags;
  std::uint64_t stamp = 0;
  // A release publishes what its thread did, and what others of its block had done before a barrier.
  struct Release {
    std::uint64_t stamp = 0;
    Mark by;
  };
  // Those of blocks that have made any, in order.
  std::unordered_map<std::uint32_t, std::vector<Release>> releases;
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
// The warp has arrived at a barrier that not all threads of its block wait for. Returns what to tell it.
void shadow_tell(Warp& warp, Clock& barrier);

}  // namespace warplens::simt
