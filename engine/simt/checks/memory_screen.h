// The first look for races and for reads of what nobody wrote (Checks::All): cheap, on every worker at once.
// It never judges. The moment an access might be part of either, the run is given up and repeated on one
// worker with the exact shadow memory (shadow.h), which names both sides; a launch without such an access
// never pays for it. So the screen may suspect too much, but misses nothing that the exact check would find.
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
//
// Two kinds of reads are not marked, because nothing can race with them:
//   - of a buffer that the launch never writes. A worker marks all reads of its first block; from then on
//     only those of buffers that some block has written. A later first write to another buffer gives the run
//     up: it is repeated with every read marked (reads_missed).
//   - of shared memory in a phase (between two barriers) before which nobody has written the place in that
//     phase. They are logged, and marked only when a write of the same phase comes near them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/lanes.h"
#include "engine/simt/buffers/zeroed_memory.h"
#include "engine/simt/load/program.h"

namespace warplens::simt {

inline constexpr std::uint32_t kNoRegion = 0xffffffffu;

// Which buffers and variables (GlobalMemory's intervals) the blocks of a launch have written so far. Shared
// by its workers.
class WrittenRegions {
 public:
  struct Place {
    std::uint64_t begin = 0, end = 0;  // global addresses
  };
  explicit WrittenRegions(std::vector<Place> places) : places_(std::move(places)), written_(places_.size()) {}
  std::size_t size() const { return written_.size(); }
  const Place& place(std::size_t region) const { return places_[region]; }
  void add(std::size_t region) {
    written_[region].store(true, std::memory_order_relaxed);
    changes_.fetch_add(1, std::memory_order_release);
  }
  bool holds(std::size_t region) const { return written_[region].load(std::memory_order_relaxed); }
  std::uint32_t changes() const { return changes_.load(std::memory_order_acquire); }

 private:
  std::vector<Place> places_;
  std::vector<std::atomic<bool>> written_;
  std::atomic<std::uint32_t> changes_{0};
};

// An access as the screen sees it: `addresses` of all 32 lanes (global addresses, or offsets in shared
// memory), those of `lanes` inside their buffers.
struct ScreenedAccess {
  enum class Doing : std::uint8_t { Read, Write, Both };
  Doing what = Doing::Read;
  bool global = false;
  bool strong = false;      // atomic or volatile, for all threads that may touch the place
  bool contiguous = false;  // all 32 lanes, each half of the warp at neighbouring addresses
  bool uniform = false;     // all 32 lanes, each half of the warp at one address
  bool strided = false;     // all 32 lanes, `stride` bytes from lane to lane
  std::int64_t stride = 0;
  std::uint32_t warp = 0;
  std::uint32_t region = kNoRegion;  // global: the one that all lanes lie in
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

  // `origin`: the lowest address of global memory. Without `regions` every read is marked. May throw
  // std::bad_alloc.
  RaceScreen(std::uint64_t origin, std::uint64_t global_bytes, std::uint32_t shared_bytes,
             std::uint32_t warps, Granules granules, WrittenRegions* regions = nullptr);

  void begin_block();
  void barrier();
  void warp_barrier(std::uint32_t warp);
  // Shared memory that a copy engine filled: nobody's write in particular.
  void written(std::uint64_t offset, std::uint64_t bytes);
  // A write to this region goes on. False: reads of it were not marked.
  [[nodiscard]] bool writes(std::uint32_t region);
  // Before the access is made. False: it might be a race or a read of what nobody wrote, or reads_missed().
  [[nodiscard]] bool accept(const ScreenedAccess& access);
  // Some worker wrote a buffer of which this one has not marked all reads: the run says nothing.
  bool reads_missed() const;

  // Whether blocks of two of these workers touched one granule and one of them wrote it.
  static bool conflicts(std::span<const RaceScreen* const> screens);

 private:
  using Mark = std::uint32_t;
  // Half-open, of granules.
  struct Range {
    std::size_t begin = ~std::size_t{0}, end = 0;
    bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
    void add(const Range& other) {
      begin = begin < other.begin ? begin : other.begin;
      end = end > other.end ? end : other.end;
    }
  };
  // A read of shared memory that is not marked yet.
  struct LoggedRead {
    enum class Form : std::uint8_t { Contiguous, Uniform, Strided, Listed } form = Form::Listed;
    bool strong = false;
    std::uint8_t width = 4;
    Mark mine = 0;
    LaneMask lanes = 0;
    std::uint32_t half[2] = {0, 0};  // offsets of lanes 0 and 16; Listed: where in log_offsets_
    std::int32_t stride = 0;
  };
  static constexpr std::size_t kLongestLog = 4096;
  // 32 cells. Whole: granule c was touched by the thread of the mark plus c >> shape, a warp at a time.
  // Spelled out: the marks only say whether any of the cells was written or read; where none was, the cells'
  // own marks are 0 and are not looked at.
  struct alignas(16) Line {
    Mark write = 0, read = 0;
    std::uint32_t shape = 0;
  };
  // Lines of one page of the system's. A page is written before it is read: otherwise the system would map a
  // page of zeros first, and replacing that later interrupts every other thread.
  static constexpr unsigned kPageShift = 8;
  static constexpr std::uint32_t kSpelledOut = 32;
  static constexpr unsigned kLineShift = 5, kLineCells = 32;

  // Shared memory (memory_screen_shared.cpp).
  bool shared_access(const ScreenedAccess& access);
  Range shared_range(const ScreenedAccess& access) const;
  bool shared_written(const ScreenedAccess& access) const;
  void log_read(const ScreenedAccess& access, Mark mine, const Range& cells);
  bool mark_logged();
  void begin_phase();
  bool shared_marks(const ScreenedAccess& access, Mark mine);
  bool shared_scatter(const ScreenedAccess& access, Mark mine, unsigned granules);
  bool shared_run(const ScreenedAccess& access, Mark mine, unsigned shape);
  bool shared_eight(const ScreenedAccess& access, std::size_t at, Mark first, unsigned shape);
  bool shared_cell(const ScreenedAccess& access, std::size_t cell, Mark mine);
  // Global memory (memory_screen_global.cpp).
  bool global_access(const ScreenedAccess& access);
  bool global_lines(const ScreenedAccess& access, Mark mine, unsigned shape, bool& done);
  bool global_read_eight(std::size_t at, Mark first, unsigned shape);
  template <bool kReads>
  bool global_cells(const ScreenedAccess& access, std::size_t first, std::size_t last, Mark mine);
  template <bool kReads>
  bool record(bool strong, Mark& write, Mark& read, Mark mine) const;
  Line& line_at(std::size_t line);
  void spell_out(std::size_t line);

  Mark mark_of(const ScreenedAccess& access) const;
  bool write_ordered(Mark mark, Mark mine, bool strong) const;
  Mark with_writer(Mark mark, Mark mine, bool strong) const;
  bool reads_ordered(Mark mark, Mark mine, bool strong) const;
  Mark with_reader(Mark mark, Mark mine, bool strong) const;
  void look_at_regions();
  static bool conflicts(std::span<const RaceScreen* const> screens, std::size_t first_line,
                        std::size_t last_line);
  std::uint32_t tick();
  void renumber(bool inside_block);

  std::uint64_t origin_;  // the lowest address of global memory
  Granules granules_;
  std::uint32_t time_ = 1;
  Mark first_ = 0;  // the least mark of the block that runs
  Mark base_ = 0;   // the least mark since its last barrier
  std::vector<std::uint32_t> warp_times_;
  std::size_t shared_cells_ = 0, global_lines_ = 0;
  std::vector<std::uint8_t> touched_;  // pages of lines
  std::vector<Mark> shared_write_, shared_read_;
  std::unique_ptr<ZeroedMemory> line_memory_, write_memory_, read_memory_;
  Line* lines_ = nullptr;
  Mark *writes_ = nullptr, *reads_ = nullptr;  // of spelled out lines, a granule

  // Reads that are not marked.
  Range phase_writes_, phase_reads_;  // of shared memory since the barrier: written, logged
  std::vector<LoggedRead> log_;
  std::vector<std::uint32_t> log_offsets_;
  WrittenRegions* regions_ = nullptr;
  std::vector<std::uint8_t> watched_, written_;  // a region: reads are marked; this worker wrote it
  std::uint32_t seen_changes_ = 0;
  unsigned blocks_ = 0;  // begun so far, 3 for more
  bool reads_missed_ = false;
};

}  // namespace warplens::simt
