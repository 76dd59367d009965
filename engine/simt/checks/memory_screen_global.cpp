// Global memory under the race screen.
#include <algorithm>
#include <bit>

#include "engine/simt/checks/memory_screen_marks.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace warplens::simt {

// The marks of a cell or of a whole line after this access; false: suspicious.
template <bool kReads>
inline bool RaceScreen::record(bool strong, Mark& write, Mark& read, Mark mine) const {
  const bool foreign_write = write != 0 && write < first_, foreign_read = read != 0 && read < first_;
  if (foreign_write && !(strong && (write & (kStrong | kPlainBefore)) == kStrong)) return false;
  if (write >= first_ && !write_ordered(write, mine, strong)) return false;
  if (!strong && (write & kSeveral) != 0) return false;
  if constexpr (kReads) {
    read = foreign_read ? kBlocksRead : with_reader(read, mine, strong);
    return true;
  }
  if (foreign_read || !reads_ordered(read, mine, strong)) return false;
  const bool plain_before = write != 0 && (write & (kStrong | kPlainBefore)) != kStrong;
  const bool several = strong && (foreign_write || (write & kSeveral) != 0);
  write = with_writer(write, mine, strong) | (plain_before ? kPlainBefore : 0) | (several ? kSeveral : 0);
  return true;
}

inline RaceScreen::Line& RaceScreen::line_at(std::size_t at) {
  Line& line = lines_[at];
  std::uint8_t& touched = touched_[at >> kPageShift];
  if (touched == 0) {
    touched = 1;
    line = Line{};
  }
  return line;
}

void RaceScreen::spell_out(std::size_t at) {
  Line& line = line_at(at);
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
    Line& line = line_at(c >> kLineShift);
    if (line.shape != kSpelledOut) spell_out(c >> kLineShift);
    Mark none = 0;
    if constexpr (kReads) {
      // As with pages of lines: the first touch is a write.
      if (line.read == 0) reads_[c] = 0;
      line.read = 1;
      if (!record<true>(access.strong, line.write != 0 ? writes_[c] : none, reads_[c], mine)) return false;
    } else {
      if (line.write == 0) writes_[c] = 0;
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
  Line& line = line_at(at >> kLineShift);
  if (line.shape != kSpelledOut) spell_out(at >> kLineShift);
  if (line.write != 0) return false;
  if (line.read == 0) reads_[at] = 0;
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
  const std::size_t first = (access.addresses[0] - origin_) >> granules_.global;
  const std::size_t cells = std::size_t{kWarpSize} << shape;
  done = false;
  if (first % kLineCells != 0 ||
      access.addresses[kWarpSize - 1] - access.addresses[0] != std::uint64_t{access.width} * (kWarpSize - 1))
    return true;
  for (std::size_t c = 0; c < cells; c += kLineCells) {
    const Line& line = line_at((first + c) >> kLineShift);
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
  if (access.region < watched_.size()) {
    if (access.what == Doing::Read && watched_[access.region] == 0) return true;
    if (access.what != Doing::Read && !writes(access.region)) return false;
  }
  const Mark mine = mark_of(access);
  const unsigned granules = access.width >> granules_.global;
  const auto shape = static_cast<unsigned>(std::countr_zero(granules));
  const bool reads = access.what == Doing::Read;
  const auto cell_of = [&](unsigned lane) { return (access.addresses[lane] - origin_) >> granules_.global; };
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

bool RaceScreen::conflicts(std::span<const RaceScreen* const> screens) {
  if (screens.size() < 2) return false;
  const WrittenRegions* regions = screens[0]->regions_;
  if (regions == nullptr) return conflicts(screens, 0, screens[0]->global_lines_);
  // Where nobody wrote there is nothing to look for, and memory that was never touched is best left so.
  const unsigned shift = screens[0]->granules_.global + kLineShift;
  const std::uint64_t origin = screens[0]->origin_;
  for (std::size_t r = 0; r < regions->size(); ++r) {
    if (!regions->holds(r)) continue;
    const auto& [begin, end] = regions->place(r);
    if (conflicts(screens, (begin - origin) >> shift, ((end - 1 - origin) >> shift) + 1)) return true;
  }
  return false;
}

bool RaceScreen::conflicts(std::span<const RaceScreen* const> screens, std::size_t first_line,
                           std::size_t last_line) {
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
  const auto touched_by = [&](std::size_t line) {
    return std::count_if(screens.begin(), screens.end(), [line](const RaceScreen* screen) {
      return screen->touched_[line >> kPageShift] != 0;
    });
  };
  for (std::size_t l = first_line; l < last_line; ++l) {
    const bool page_begins = l == first_line || l % (std::size_t{1} << kPageShift) == 0;
    if (page_begins && touched_by(l) < 2) {
      l |= (std::size_t{1} << kPageShift) - 1;
      continue;
    }
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
