// Shared memory under the race screen.
#include <algorithm>
#include <bit>

#include "engine/simt/checks/memory_screen_marks.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace warplens::simt {

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
  write = with_writer(write, mine, access.strong);
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
  __m256i wrong = _mm256_andnot_si256(same_thread(write, kSeveral), at_least(write, base));
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

// Lanes at places with nothing in common, all of them active: the marks are compared eight at a time. False:
// a closer look is needed, at marks which may be those of another lane of this access by then.
bool RaceScreen::shared_scatter(const ScreenedAccess& access, Mark mine, unsigned granules) {
  for (unsigned k = 0; k < granules; ++k) {
    alignas(64) std::uint32_t cells[kWarpSize];
    alignas(64) Mark write[kWarpSize], read[kWarpSize], here[kWarpSize];
    for (unsigned l = 0; l < kWarpSize; ++l) {
      cells[l] = static_cast<std::uint32_t>(access.addresses[l] >> granules_.shared) + k;
      write[l] = shared_write_[cells[l]];
      read[l] = shared_read_[cells[l]];
    }
    Mark wrong = 0;
    for (unsigned l = 0; l < kWarpSize; ++l) {
      here[l] = mine + (l << kThreadShift);
      const bool another_wrote = write[l] >= base_ && ((write[l] ^ here[l]) & (kThreadBits | kSeveral)) != 0;
      const bool another_read = read[l] >= base_ && ((read[l] ^ here[l]) & (kThreadBits | kReaders)) != 0;
      wrong |= another_wrote || another_read ? 1 : 0;
    }
    if (wrong != 0) return false;
    for (unsigned l = 0; l < kWarpSize; ++l) shared_write_[cells[l]] = here[l];
    // Two lanes at one place: one of them finds the other's mark.
    for (unsigned l = 0; l < kWarpSize; ++l) wrong |= shared_write_[cells[l]] ^ here[l];
    if (wrong != 0) return false;
  }
  return true;
}

// ---- reads that are not marked yet

void RaceScreen::begin_phase() {
  phase_writes_ = phase_reads_ = Range{};
  log_.clear();
  log_offsets_.clear();
}

// Granules between the lowest and the highest that the access may touch.
inline RaceScreen::Range RaceScreen::shared_range(const ScreenedAccess& access) const {
  const std::uint64_t* const a = access.addresses;
  std::uint64_t low = 0, last = 0;
  if (access.contiguous || access.uniform) {
    const std::uint64_t reach =
        access.contiguous ? std::uint64_t{access.width} * (kWarpSize / 2) : access.width;
    low = std::min(a[0], a[kWarpSize / 2]);
    last = std::max(a[0], a[kWarpSize / 2]) + reach;
  } else if (access.strided) {
    low = std::min(a[0], a[kWarpSize - 1]);
    last = std::max(a[0], a[kWarpSize - 1]) + access.width;
  } else {
    auto least = static_cast<std::int64_t>(a[0]), most = least;
    for (unsigned l = 0; l < kWarpSize; ++l) {
      const auto here = static_cast<std::int64_t>(a[l]);
      least = here < least ? here : least;
      most = here > most ? here : most;
    }
    low = static_cast<std::uint64_t>(least);
    last = static_cast<std::uint64_t>(most) + access.width;
  }
  return {static_cast<std::size_t>(low >> granules_.shared),
          static_cast<std::size_t>(last >> granules_.shared)};
}

// Did somebody of this block write all that the access reads?
inline bool RaceScreen::shared_written(const ScreenedAccess& access) const {
  const unsigned granules = access.width >> granules_.shared;
  Mark least = ~Mark{0};
  const Mark* const marks = shared_write_.data();
  if (access.contiguous || access.uniform) {
    const std::size_t n = access.contiguous ? granules * kWarpSize / 2 : granules;
    for (unsigned h = 0; h < 2; ++h) {
      const Mark* const from = marks + (access.addresses[h * kWarpSize / 2] >> granules_.shared);
      for (std::size_t c = 0; c < n; ++c) least = std::min(least, from[c]);
    }
    return least >= first_;
  }
  if (access.lanes == kFullMask && granules == 1) {
    for (unsigned l = 0; l < kWarpSize; ++l)
      least = std::min(least, marks[access.addresses[l] >> granules_.shared]);
    return least >= first_;
  }
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const Mark* const from = marks + (access.addresses[std::countr_zero(left)] >> granules_.shared);
    for (unsigned c = 0; c < granules; ++c) least = std::min(least, from[c]);
  }
  return least >= first_;
}

void RaceScreen::log_read(const ScreenedAccess& access, Mark mine, const Range& cells) {
  using Form = LoggedRead::Form;
  LoggedRead& read = log_.emplace_back();
  read.strong = access.strong;
  read.width = static_cast<std::uint8_t>(access.width);
  read.mine = mine;
  read.lanes = access.lanes;
  phase_reads_.add(cells);
  read.half[0] = static_cast<std::uint32_t>(access.addresses[0]);
  read.half[1] = static_cast<std::uint32_t>(access.addresses[kWarpSize / 2]);
  if (access.contiguous || access.uniform) {
    read.form = access.contiguous ? Form::Contiguous : Form::Uniform;
    return;
  }
  if (access.strided) {
    read.form = Form::Strided;
    read.stride = static_cast<std::int32_t>(access.stride);
    return;
  }
  read.form = Form::Listed;
  read.half[0] = static_cast<std::uint32_t>(log_offsets_.size());
  for (unsigned l = 0; l < kWarpSize; ++l)
    log_offsets_.push_back(static_cast<std::uint32_t>(access.addresses[l]));
}

// What was logged becomes marks, in the order in which it happened.
bool RaceScreen::mark_logged() {
  using Form = LoggedRead::Form;
  bool fine = true;
  for (const LoggedRead& read : log_) {
    alignas(64) std::uint64_t addresses[kWarpSize];
    for (unsigned l = 0; l < kWarpSize; ++l) {
      const std::uint64_t half = read.half[l / (kWarpSize / 2)];
      const std::uint64_t in_half = l % (kWarpSize / 2);
      addresses[l] = read.form == Form::Contiguous ? half + in_half * read.width
                     : read.form == Form::Uniform  ? half
                     : read.form == Form::Listed
                         ? log_offsets_[read.half[0] + l]
                         : read.half[0] + static_cast<std::uint64_t>(std::int64_t{read.stride} * l);
    }
    ScreenedAccess access;
    access.strong = read.strong;
    access.contiguous = read.form == Form::Contiguous;
    access.uniform = read.form == Form::Uniform;
    access.lanes = read.lanes;
    access.width = read.width;
    access.addresses = addresses;
    fine = fine && shared_marks(access, read.mine);
  }
  phase_reads_ = Range{};
  log_.clear();
  log_offsets_.clear();
  return fine;
}

bool RaceScreen::shared_access(const ScreenedAccess& access) {
  const Mark mine = mark_of(access);
  const Range cells = shared_range(access);
  if (access.what == ScreenedAccess::Doing::Read && !cells.overlaps(phase_writes_)) {
    if (!shared_written(access)) return false;
    if (log_.size() == kLongestLog && !mark_logged()) return false;
    log_read(access, mine, cells);
    return true;
  }
  if (cells.overlaps(phase_reads_) && !mark_logged()) return false;
  if (access.what != ScreenedAccess::Doing::Read) phase_writes_.add(cells);
  return shared_marks(access, mine);
}

// Compares with the marks of others, and leaves its own.
bool RaceScreen::shared_marks(const ScreenedAccess& access, Mark mine) {
  using Doing = ScreenedAccess::Doing;
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
        const bool synced = (differ & kWarpBits) == 0 && differ >> kTimeShift != 0 && (write & kSeveral) == 0;
        const bool both_strong = access.strong && (write & kStrong) != 0;
        if (write < first_ || (write >= base_ && !synced && !both_strong)) return false;
        Mark& read = shared_read_[c];
        read = with_reader(read, thread, access.strong);
        if ((read & kReaders) == 0) read |= kWarpReads;
      }
    }
    return true;
  }
  if (access.what == Doing::Write && !access.strong && access.lanes == kFullMask &&
      shared_scatter(access, mine, granules))
    return true;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::size_t at = access.addresses[lane] >> granules_.shared;
    const Mark thread = mine + (lane << kThreadShift);
    for (std::size_t c = at; c < at + granules; ++c)
      if (!shared_cell(access, c, thread)) return false;
  }
  return true;
}

}  // namespace warplens::simt
