// The first look for races and for reads of what nobody wrote (Checks::All): cheap, on every worker at once.
// It never judges. The moment an access might be part of either, the run is given up and repeated on one
// worker with the exact shadow memory (shadow.h), which names both sides; a launch without such an access
// never pays for it. So the screen may suspect too much, but misses nothing that the exact check would find
// (to both, the last write of a block stands for those before it).
//
// Memory is looked at in granules: the smallest width of any access in the kernel. A mark says who touched a
// granule last: the time of that access and the thread. Time counts block starts, barriers and __syncwarp of
// this worker, so that "before the last barrier of this block" is one comparison:
//
//   s[t] = x;  __syncthreads();  y = s[t + 1];    the write's time lies before the barrier's: ordered
//   s[t] = x;                    y = s[t + 1];    same time, another thread: suspicious
//
// Global memory keeps one mark for 32 granules as long as whole warps touch them lane by lane, and marks of
// the worker's own blocks only; what two workers touched is compared when all of them are done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/lanes.h"
#include "engine/simt/program.h"
#include "engine/simt/zeroed_memory.h"

namespace warplens::simt {

// An access as the screen sees it: `addresses` of all 32 lanes (global addresses, or offsets in shared
// memory), those of `lanes` inside their buffers.
struct ScreenedAccess {
  enum class Doing : std::uint8_t { Read, Write, Both };
  Doing what = Doing::Read;
  bool global = false;
  bool strong = false;      // atomic or volatile
  bool contiguous = false;  // all 32 lanes, each half of the warp at neighbouring addresses
  bool uniform = false;     // all 32 lanes, each half of the warp at one address
  std::uint32_t warp = 0;
  LaneMask lanes = 0;
  unsigned width = 4;
  const std::uint64_t* addresses = nullptr;
};

class RaceScreen {
 public:
  // Log2 of the granules, from the widths of a kernel's accesses.
  struct Granules {
    unsigned global = 2, shared = 2;
  };
  static Granules granules_of(const Kernel::Program& program);
  // Host bytes that one worker's screen needs at most.
  static std::uint64_t bytes_needed(std::uint64_t global_bytes, std::uint64_t shared_bytes,
                                    Granules granules);

  // May throw std::bad_alloc.
  RaceScreen(std::uint64_t global_bytes, std::uint32_t shared_bytes, std::uint32_t warps, Granules granules);

  void begin_block();
  void barrier();
  void warp_barrier(std::uint32_t warp);
  // Shared memory that a copy engine filled: nobody's write in particular.
  void written(std::uint64_t offset, std::uint64_t bytes);
  // Before the access is made. False: it might be a race or a read of what nobody wrote.
  [[nodiscard]] bool accept(const ScreenedAccess& access);

  // Whether blocks of two of these workers touched one granule and one of them wrote it.
  static bool conflicts(std::span<const RaceScreen* const> screens);

 private:
  using Mark = std::uint32_t;
  // 32 cells. Whole: granule c was touched by the thread of the mark plus c >> shape, a warp at a time.
  // Spelled out: the marks only say whether any of the cells was written or read; where none was, the cells'
  // own marks are 0 and are not looked at.
  struct Line {
    Mark write = 0, read = 0;
    std::uint32_t shape = 0;
  };
  static constexpr std::uint32_t kSpelledOut = 32;
  static constexpr unsigned kLineShift = 5, kLineCells = 32;

  // Shared memory.
  bool shared_access(const ScreenedAccess& access);
  bool shared_run(const ScreenedAccess& access, Mark mine, unsigned shape);
  bool shared_eight(const ScreenedAccess& access, std::size_t at, Mark first, unsigned shape);
  bool shared_cell(const ScreenedAccess& access, std::size_t cell, Mark mine);
  // Global memory.
  bool global_access(const ScreenedAccess& access);
  bool global_lines(const ScreenedAccess& access, Mark mine, unsigned shape, bool& done);
  bool global_read_eight(std::size_t at, Mark first, unsigned shape);
  template <bool kReads>
  bool global_cells(const ScreenedAccess& access, std::size_t first, std::size_t last, Mark mine);
  template <bool kReads>
  bool record(bool strong, Mark& write, Mark& read, Mark mine) const;
  void spell_out(std::size_t line);

  Mark mark_of(const ScreenedAccess& access) const;
  bool write_ordered(Mark mark, Mark mine, bool strong) const;
  bool reads_ordered(Mark mark, Mark mine, bool strong) const;
  Mark with_reader(Mark mark, Mark mine, bool strong) const;
  std::uint32_t tick();
  void renumber(bool inside_block);

  Granules granules_;
  std::uint32_t time_ = 1;
  Mark first_ = 0;  // the least mark of the block that runs
  Mark base_ = 0;   // the least mark since its last barrier
  std::vector<std::uint32_t> warp_times_;
  std::size_t shared_cells_ = 0, global_lines_ = 0;
  std::vector<Mark> shared_write_, shared_read_;
  std::unique_ptr<ZeroedMemory> line_memory_, write_memory_, read_memory_;
  Line* lines_ = nullptr;
  Mark *writes_ = nullptr, *reads_ = nullptr;  // of spelled out lines, a granule
};

}  // namespace warplens::simt
