#include "engine/simt/memory_screen.h"

#include <algorithm>
#include <bit>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace warplens::simt {

namespace {

// A mark: time 19 bits, thread 10, flags 3; 0 is nobody.
constexpr unsigned kTimeShift = 13, kThreadShift = 3, kWarpShift = 8;
constexpr std::uint32_t kMostTime = (1u << 19) - 1;
constexpr std::uint32_t kThreadBits = 1023u << kThreadShift;
constexpr std::uint32_t kWarpBits = 31u << kWarpShift;
// Flags of a write: it was atomic or volatile; an earlier one by the same block was not.
constexpr std::uint32_t kStrong = 1, kPlainBefore = 2;
// Flags of a read: others of the warp read too, other warps too, other blocks too.
constexpr std::uint32_t kReaders = 3, kWarpReads = 1, kBlockReads = 2;
constexpr std::uint32_t kStrongReads = 4;  // all of them atomic or volatile
constexpr std::uint32_t kBlocksRead = 7;   // its time is 0: before every block

constexpr std::uint32_t at_time(std::uint32_t time) {
  return time << kTimeShift;
}

}  // namespace

RaceScreen::Granules RaceScreen::granules_of(const Kernel::Program& program) {
  unsigned global = 4, shared = 4;
  for (const trace::Site& site : program.sites) {
    if (site.bytes <= 0) continue;
    const auto least = 1u << std::countr_zero(static_cast<unsigned>(site.bytes));
    if (site.space == trace::Space::Global || site.space == trace::Space::Generic)
      global = std::min(global, least);
    if (site.space == trace::Space::Shared || site.space == trace::Space::Generic)
      shared = std::min(shared, least);
  }
  return {static_cast<unsigned>(std::countr_zero(global)), static_cast<unsigned>(std::countr_zero(shared))};
}

std::uint64_t RaceScreen::bytes_needed(std::uint64_t global_bytes, std::uint64_t shared_bytes,
                                       Granules granules) {
  const std::uint64_t cells = (global_bytes >> granules.global) + 2 * kLineCells;
  return cells * 2 * sizeof(Mark) + cells / kLineCells * sizeof(Line) +
         (shared_bytes >> granules.shared) * 2 * sizeof(Mark);
}

RaceScreen::RaceScreen(std::uint64_t global_bytes, std::uint32_t shared_bytes, std::uint32_t warps,
                       Granules granules)
    : granules_(granules), warp_times_(warps) {
  shared_cells_ = (std::size_t{shared_bytes} >> granules.shared) + 1;
  // Eight at a time may reach beyond the last.
  shared_write_.resize(shared_cells_ + 8);
  shared_read_.resize(shared_cells_ + 8);
  global_lines_ = (global_bytes >> granules.global) / kLineCells + 1;
  line_memory_ = std::make_unique<ZeroedMemory>(global_lines_ * sizeof(Line));
  write_memory_ = std::make_unique<ZeroedMemory>(global_lines_ * kLineCells * sizeof(Mark));
  read_memory_ = std::make_unique<ZeroedMemory>(global_lines_ * kLineCells * sizeof(Mark));
  lines_ = static_cast<Line*>(line_memory_->data());
  writes_ = static_cast<Mark*>(write_memory_->data());
  reads_ = static_cast<Mark*>(read_memory_->data());
}

// ---- time
// -------------------------------------------------------------------------------------------------

// Times have few bits. Everything that is over becomes "an earlier block", or inside a block "this block
// before its last barrier"; shared memory forgets earlier blocks altogether.
void RaceScreen::renumber(bool inside_block) {
  const Mark first = inside_block ? first_ : ~Mark{0};
  const auto renew = [first](Mark& mark) {
    if (mark != 0 && mark != kBlocksRead) mark = at_time(mark < first ? 1 : 2) | (mark & (at_time(1) - 1));
  };
  for (std::vector<Mark>* marks : {&shared_write_, &shared_read_})
    for (Mark& mark : *marks) {
      if (mark < first) mark = 0;
      renew(mark);
    }
  for (std::size_t l = 0; l < global_lines_; ++l) {
    Line& line = lines_[l];
    if (line.shape != kSpelledOut) {
      renew(line.write);
      renew(line.read);
      continue;
    }
    for (std::size_t c = l * kLineCells; c < (l + 1) * kLineCells; ++c) {
      if (line.write != 0) renew(writes_[c]);
      if (line.read != 0) renew(reads_[c]);
    }
  }
  first_ = at_time(2);
  time_ = 2;
}

std::uint32_t RaceScreen::tick() {
  return ++time_;
}

void RaceScreen::begin_block() {
  if (time_ + 4 >= kMostTime) renumber(false);
  first_ = at_time(tick());
  base_ = at_time(tick());
  std::fill(warp_times_.begin(), warp_times_.end(), time_);
}

void RaceScreen::barrier() {
  if (time_ + 4 >= kMostTime) renumber(true);
  base_ = at_time(tick());
  std::fill(warp_times_.begin(), warp_times_.end(), time_);
}

void RaceScreen::warp_barrier(std::uint32_t warp) {
  // Near the end of time warps stay unordered until the next barrier: more to suspect, nothing missed.
  if (time_ + 8 < kMostTime) warp_times_[warp] = tick();
}

void RaceScreen::written(std::uint64_t offset, std::uint64_t bytes) {
  const std::size_t last = std::min<std::size_t>(shared_cells_, (offset + bytes) >> granules_.shared);
  for (std::size_t c = offset >> granules_.shared; c < last; ++c)
    if (shared_write_[c] < first_) shared_write_[c] = first_;
}

// ---- marks
// -------------------------------------------------------------------------------------------------

inline RaceScreen::Mark RaceScreen::mark_of(const ScreenedAccess& access) const {
  return at_time(warp_times_[access.warp]) | access.warp << kWarpShift;
}

// Marks of this block: is that write before this access, or the same thread's?
inline bool RaceScreen::write_ordered(Mark mark, Mark mine, bool strong) const {
  if (mark < base_) return true;
  const Mark differ = mark ^ mine;
  if ((differ & kThreadBits) == 0 || (strong && (mark & kStrong) != 0)) return true;
  return (differ & kWarpBits) == 0 && differ >> kTimeShift != 0;
}

// The same for all reads that the mark stands for.
inline bool RaceScreen::reads_ordered(Mark mark, Mark mine, bool strong) const {
  if (mark < base_ || (strong && (mark & kStrongReads) != 0)) return true;
  const Mark differ = mark ^ mine, readers = mark & kReaders;
  if (readers == 0 && (differ & kThreadBits) == 0) return true;
  return readers < kBlockReads && (differ & kWarpBits) == 0 && differ >> kTimeShift != 0;
}

// The mark of a read after the reads of `mark`.
inline RaceScreen::Mark RaceScreen::with_reader(Mark mark, Mark mine, bool strong) const {
  const Mark strength = strong ? kStrongReads : 0;
  if (mark < base_) return mine | strength;
  const Mark readers = mark & kReaders, differ = mark ^ mine, all_strong = mark & strength;
  if (readers == 0 && (differ & kThreadBits) == 0) return mine | all_strong;
  return mine | all_strong | (readers < kBlockReads && (differ & kWarpBits) == 0 ? kWarpReads : kBlockReads);
}

// ---- shared memory
// -------------------------------------------------------------------------------------------------

inline bool RaceScreen::shared_cell(const ScreenedAccess& access, std::size_t cell, Mark mine) {
  using Doing = ScreenedAccess::Doing;
  Mark& write = shared_write_[cell];
  Mark& read = shared_read_[cell];
  if (!write_ordered(write, mine, access.strong)) return false;
  if (access.what != Doing::Write && write < first_) return false;  // nobody wrote it
  if (access.what == Doing::Read) {
    read = with_reader(read, mine, access.strong);
    return true;
  }
  if (!reads_ordered(read, mine, access.strong)) return false;
  write = mine | (access.strong ? kStrong : 0);
  return true;
}

#if defined(__AVX2__)
// Eight neighbouring granules from `at` on, lane by lane: the first thread's mark plus the granule >> shape.
// False: a closer look is needed, nothing is recorded.
inline bool RaceScreen::shared_eight(const ScreenedAccess& access, std::size_t at, Mark first,
                                     unsigned shape) {
  const auto load = [](const Mark* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  };
  const auto all = [](std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); };
  const auto at_least = [](__m256i x, __m256i bound) {
    return _mm256_cmpeq_epi32(_mm256_max_epu32(x, bound), x);
  };
  const __m256i lanes =
      _mm256_srl_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm_cvtsi32_si128(static_cast<int>(shape)));
  const __m256i mine = _mm256_add_epi32(all(first), _mm256_slli_epi32(lanes, kThreadShift));
  const __m256i base = all(base_), threads = all(kThreadBits);
  const __m256i write = load(&shared_write_[at]), read = load(&shared_read_[at]);
  const auto same_thread = [&](__m256i mark, std::uint32_t flags) {
    const __m256i differ =
        _mm256_and_si256(_mm256_xor_si256(mark, mine), _mm256_or_si256(threads, all(flags)));
    return _mm256_cmpeq_epi32(differ, _mm256_setzero_si256());
  };
  const auto store = [](Mark* to, __m256i x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x); };
  __m256i wrong = _mm256_andnot_si256(same_thread(write, 0), at_least(write, base));
  const __m256i read_since = at_least(read, base), read_alone = same_thread(read, kReaders);
  if (access.what == ScreenedAccess::Doing::Write) {
    wrong = _mm256_or_si256(wrong, _mm256_andnot_si256(read_alone, read_since));
    if (_mm256_testz_si256(wrong, wrong) == 0) return false;
    store(&shared_write_[at], mine);
    return true;
  }
  const __m256i known = at_least(write, all(first_));
  if (_mm256_testc_si256(known, all(~0u)) == 0 || _mm256_testz_si256(wrong, wrong) == 0) return false;
  // Reads since the barrier by others: of this warp alone, or of several.
  const __m256i warp_alone = _mm256_cmpeq_epi32(
      _mm256_and_si256(_mm256_xor_si256(read, mine), all(kWarpBits | kBlockReads)), _mm256_setzero_si256());
  const __m256i readers = _mm256_blendv_epi8(all(kBlockReads), all(kWarpReads), warp_alone);
  const __m256i others = _mm256_andnot_si256(read_alone, read_since);
  store(&shared_read_[at], _mm256_or_si256(mine, _mm256_and_si256(readers, others)));
  return true;
}
#else
inline bool RaceScreen::shared_eight(const ScreenedAccess&, std::size_t, Mark, unsigned) {
  return false;
}
#endif

// Each half of the warp at neighbouring addresses.
bool RaceScreen::shared_run(const ScreenedAccess& access, Mark mine, unsigned shape) {
  const unsigned half = (kWarpSize / 2) << shape;
  for (unsigned h = 0; h < 2; ++h) {
    const std::size_t at = access.addresses[h * kWarpSize / 2] >> granules_.shared;
    const Mark first = mine + (h * kWarpSize / 2 << kThreadShift);
    for (unsigned i = 0; i < half; i += 8) {
      const Mark here = first + ((i >> shape) << kThreadShift);
      if (shared_eight(access, at + i, here, shape)) continue;
      for (unsigned c = i; c < i + 8; ++c)
        if (!shared_cell(access, at + c, first + ((c >> shape) << kThreadShift))) return false;
    }
  }
  return true;
}

bool RaceScreen::shared_access(const ScreenedAccess& access) {
  using Doing = ScreenedAccess::Doing;
  const Mark mine = mark_of(access);
  const unsigned granules = access.width >> granules_.shared;
  const auto shape = static_cast<unsigned>(std::countr_zero(granules));
  if (access.contiguous && !access.strong && access.what != Doing::Both)
    return shared_run(access, mine, shape);
  if (access.uniform && access.what == Doing::Read) {
    for (unsigned h = 0; h < 2; ++h) {
      const std::size_t at = access.addresses[h * kWarpSize / 2] >> granules_.shared;
      const Mark thread = mine | h * kWarpSize / 2 << kThreadShift;
      for (std::size_t c = at; c < at + granules; ++c) {
        // One mark stands for the half: whoever wrote it since the barrier, another lane reads it.
        const Mark write = shared_write_[c], differ = write ^ mine;
        const bool synced = (differ & kWarpBits) == 0 && differ >> kTimeShift != 0;
        const bool both_strong = access.strong && (write & kStrong) != 0;
        if (write < first_ || (write >= base_ && !synced && !both_strong)) return false;
        Mark& read = shared_read_[c];
        read = with_reader(read, thread, access.strong);
        if ((read & kReaders) == 0) read |= kWarpReads;
      }
    }
    return true;
  }
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::size_t at = access.addresses[lane] >> granules_.shared;
    const Mark thread = mine + (lane << kThreadShift);
    for (std::size_t c = at; c < at + granules; ++c)
      if (!shared_cell(access, c, thread)) return false;
  }
  return true;
}

// ---- global memory
// -------------------------------------------------------------------------------------------------

// The marks of a cell or of a whole line after this access; false: suspicious.
template <bool kReads>
inline bool RaceScreen::record(bool strong, Mark& write, Mark& read, Mark mine) const {
  const bool foreign_write = write != 0 && write < first_, foreign_read = read != 0 && read < first_;
  if (foreign_write && !(strong && (write & (kStrong | kPlainBefore)) == kStrong)) return false;
  if (write >= first_ && !write_ordered(write, mine, strong)) return false;
  if constexpr (kReads) {
    read = foreign_read ? kBlocksRead : with_reader(read, mine, strong);
    return true;
  }
  if (foreign_read || !reads_ordered(read, mine, strong)) return false;
  const bool plain_before = write != 0 && (write & (kStrong | kPlainBefore)) != kStrong;
  write = mine | (strong ? kStrong : 0) | (plain_before ? kPlainBefore : 0);
  return true;
}

void RaceScreen::spell_out(std::size_t at) {
  Line& line = lines_[at];
  for (unsigned c = 0; c < kLineCells; ++c) {
    const Mark thread = (c >> line.shape) << kThreadShift;
    const std::size_t cell = at * kLineCells + c;
    if (line.write != 0) writes_[cell] = line.write + thread;
    if (line.read != 0) reads_[cell] = line.read == kBlocksRead ? kBlocksRead : line.read + thread;
  }
  line = {line.write != 0 ? Mark{1} : 0, line.read != 0 ? Mark{1} : 0, kSpelledOut};
}

// Cells of one thread.
template <bool kReads>
inline bool RaceScreen::global_cells(const ScreenedAccess& access, std::size_t first, std::size_t last,
                                     Mark mine) {
  for (std::size_t c = first; c < last; ++c) {
    Line& line = lines_[c >> kLineShift];
    if (line.shape != kSpelledOut) spell_out(c >> kLineShift);
    Mark none = 0;
    if constexpr (kReads) {
      line.read = 1;
      if (!record<true>(access.strong, line.write != 0 ? writes_[c] : none, reads_[c], mine)) return false;
    } else {
      line.write = 1;
      if (!record<false>(access.strong, writes_[c], line.read != 0 ? reads_[c] : none, mine)) return false;
    }
  }
  return true;
}

#if defined(__AVX2__)
// Eight neighbouring cells of one line are read, lane by lane. False: the line was written, a closer look is
// needed.
inline bool RaceScreen::global_read_eight(std::size_t at, Mark first, unsigned shape) {
  Line& line = lines_[at >> kLineShift];
  if (line.shape != kSpelledOut) spell_out(at >> kLineShift);
  if (line.write != 0) return false;
  line.read = 1;
  const auto all = [](std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); };
  auto* const to = reinterpret_cast<__m256i*>(reads_ + at);
  const __m256i read = _mm256_loadu_si256(to), blocks = all(kBlocksRead), zero = _mm256_setzero_si256();
  // What every block reads stays so.
  if (_mm256_testc_si256(_mm256_cmpeq_epi32(read, blocks), all(~0u)) != 0) return true;
  const auto at_least = [&](Mark bound) {
    return _mm256_cmpeq_epi32(_mm256_max_epu32(read, all(bound)), read);
  };
  const __m256i lanes =
      _mm256_srl_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm_cvtsi32_si128(static_cast<int>(shape)));
  const __m256i mine = _mm256_add_epi32(all(first), _mm256_slli_epi32(lanes, kThreadShift));
  const __m256i differ = _mm256_xor_si256(read, mine);
  const __m256i alone = _mm256_cmpeq_epi32(_mm256_and_si256(differ, all(kThreadBits | kReaders)), zero);
  const __m256i one_warp = _mm256_cmpeq_epi32(_mm256_and_si256(differ, all(kWarpBits | kBlockReads)), zero);
  const __m256i readers = _mm256_blendv_epi8(all(kBlockReads), all(kWarpReads), one_warp);
  const __m256i others = _mm256_andnot_si256(alone, at_least(base_));
  const __m256i here = _mm256_or_si256(mine, _mm256_and_si256(readers, others));
  const __m256i own = _mm256_or_si256(at_least(first_), _mm256_cmpeq_epi32(read, zero));
  _mm256_storeu_si256(to, _mm256_blendv_epi8(blocks, here, own));
  return true;
}
#else
inline bool RaceScreen::global_read_eight(std::size_t, Mark, unsigned) {
  return false;
}
#endif

// A whole warp on whole lines. `done` says whether it was that.
bool RaceScreen::global_lines(const ScreenedAccess& access, Mark mine, unsigned shape, bool& done) {
  const std::size_t first = (access.addresses[0] - kGlobalBase) >> granules_.global;
  const std::size_t cells = std::size_t{kWarpSize} << shape;
  done = false;
  if (first % kLineCells != 0 ||
      access.addresses[kWarpSize - 1] - access.addresses[0] != std::uint64_t{access.width} * (kWarpSize - 1))
    return true;
  for (std::size_t c = 0; c < cells; c += kLineCells) {
    const Line& line = lines_[(first + c) >> kLineShift];
    const bool untouched = line.write == 0 && line.read == 0;
    if (line.shape == kSpelledOut || (!untouched && line.shape != shape)) return true;
  }
  done = true;
  for (std::size_t c = 0; c < cells; c += kLineCells) {
    Line& line = lines_[(first + c) >> kLineShift];
    const Mark thread = mine + (static_cast<Mark>(c >> shape) << kThreadShift);
    const bool fine = access.what == ScreenedAccess::Doing::Read
                          ? record<true>(access.strong, line.write, line.read, thread)
                          : record<false>(access.strong, line.write, line.read, thread);
    if (!fine) return false;
    line.shape = shape;
  }
  return true;
}

bool RaceScreen::global_access(const ScreenedAccess& access) {
  using Doing = ScreenedAccess::Doing;
  const Mark mine = mark_of(access);
  const unsigned granules = access.width >> granules_.global;
  const auto shape = static_cast<unsigned>(std::countr_zero(granules));
  const bool reads = access.what == Doing::Read;
  const auto cell_of = [&](unsigned lane) {
    return (access.addresses[lane] - kGlobalBase) >> granules_.global;
  };
  if (access.contiguous && !access.strong && access.what != Doing::Both) {
    bool done = false;
    if (!global_lines(access, mine, shape, done)) return false;
    if (done) return true;
  }
  const bool by_eight = reads && access.contiguous && cell_of(0) % 8 == 0 && cell_of(kWarpSize / 2) % 8 == 0;
  if (by_eight) {
    const unsigned step =
        8 >> std::min(shape, 3u);  // lanes of eight cells; wider lanes take several times eight
    for (unsigned lane = 0; lane < kWarpSize; lane += std::max(step, 1u)) {
      const Mark thread = mine + (lane << kThreadShift);
      for (std::size_t c = cell_of(lane), last = c + std::max(granules, 8u); c < last; c += 8) {
        if (global_read_eight(c, thread, shape)) continue;
        for (unsigned i = 0; i < 8; ++i)
          if (!global_cells<true>(access, c + i, c + i + 1, thread + ((i >> shape) << kThreadShift)))
            return false;
      }
    }
    return true;
  }
  // Of the lanes of a half that read one place two are enough: the mark then says that several do.
  const LaneMask lanes = access.uniform && reads ? 0x80018001u : access.lanes;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::size_t at = cell_of(lane);
    const Mark thread = mine + (lane << kThreadShift);
    if (reads ? !global_cells<true>(access, at, at + granules, thread)
              : !global_cells<false>(access, at, at + granules, thread))
      return false;
  }
  return true;
}

bool RaceScreen::accept(const ScreenedAccess& access) {
  const unsigned shift = access.global ? granules_.global : granules_.shared;
  const unsigned granules = access.width >> shift;
  if (!std::has_single_bit(granules) || granules << shift != access.width) return false;
  return access.global ? global_access(access) : shared_access(access);
}

// ---- all workers
// -------------------------------------------------------------------------------------------------

bool RaceScreen::conflicts(std::span<const RaceScreen* const> screens) {
  if (screens.size() < 2) return false;
  // What workers did to one granule: workers that wrote it, that wrote it other than atomically, that
  // touched it, that read it.
  struct Users {
    unsigned writers = 0, plain = 0, readers_only = 0;
    void add(Mark write, Mark read) {
      writers += write != 0 ? 1 : 0;
      plain += write != 0 && (write & (kStrong | kPlainBefore)) != kStrong ? 1 : 0;
      readers_only += write == 0 && read != 0 ? 1 : 0;
    }
    // A worker that wrote atomically and read plainly counts with those that wrote plainly.
    bool conflict() const {
      return writers + readers_only > 1 && (plain != 0 || (writers != 0 && readers_only != 0));
    }
  };
  for (std::size_t l = 0; l < screens[0]->global_lines_; ++l) {
    unsigned touched = 0, spelled = 0;
    Mark written = 0;
    for (const RaceScreen* screen : screens) {
      const Line& line = screen->lines_[l];
      touched += line.write != 0 || line.read != 0 ? 1 : 0;
      spelled += line.shape == kSpelledOut ? 1 : 0;
      written |= line.write;
    }
    if (touched < 2 || written == 0) continue;
    for (std::size_t c = l * kLineCells; c < (l + 1) * kLineCells; ++c) {
      Users users;
      for (const RaceScreen* screen : screens) {
        const Line& line = screen->lines_[l];
        const bool whole = line.shape != kSpelledOut;
        const Mark write = whole || line.write == 0 ? line.write : screen->writes_[c];
        const Mark read = whole || line.read == 0 ? line.read : screen->reads_[c];
        users.add(write, read);
        // Strong writes of one worker beside plain reads of its own: a race with the others' writes.
        if (write != 0 && read != 0) users.plain += 1;
      }
      if (users.conflict()) return true;
      if (spelled == 0) break;  // all cells of the line are alike
    }
  }
  return false;
}

}  // namespace warplens::simt
