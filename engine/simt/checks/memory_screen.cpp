#include "engine/simt/checks/memory_screen.h"

#include <algorithm>
#include <bit>

#include "engine/simt/checks/memory_screen_marks.h"

namespace warplens::simt {

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

RaceScreen::RaceScreen(std::uint64_t origin, std::uint64_t global_bytes, std::uint32_t shared_bytes,
                       std::uint32_t warps, Granules granules, WrittenRegions* regions)
    : origin_(origin), granules_(granules), warp_times_(warps), regions_(regions) {
  shared_cells_ = (std::size_t{shared_bytes} >> granules.shared) + 1;
  // Eight at a time may reach beyond the last.
  shared_write_.resize(shared_cells_ + 8);
  shared_read_.resize(shared_cells_ + 8);
  global_lines_ = (global_bytes >> granules.global) / kLineCells + 1;
  touched_.assign((global_lines_ >> kPageShift) + 1, 0);
  line_memory_ = std::make_unique<ZeroedMemory>(global_lines_ * sizeof(Line));
  write_memory_ = std::make_unique<ZeroedMemory>(global_lines_ * kLineCells * sizeof(Mark));
  read_memory_ = std::make_unique<ZeroedMemory>(global_lines_ * kLineCells * sizeof(Mark));
  lines_ = static_cast<Line*>(line_memory_->data());
  writes_ = static_cast<Mark*>(write_memory_->data());
  reads_ = static_cast<Mark*>(read_memory_->data());
  const std::size_t known = regions != nullptr ? regions->size() : 0;
  watched_.assign(known, 1);
  written_.assign(known, 0);
}

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
    if (touched_[l >> kPageShift] == 0) {
      l |= (std::size_t{1} << kPageShift) - 1;
      continue;
    }
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
  begin_phase();
  look_at_regions();
  if (time_ + 4 >= kMostTime) renumber(false);
  first_ = at_time(tick());
  base_ = at_time(tick());
  std::fill(warp_times_.begin(), warp_times_.end(), time_);
}

void RaceScreen::barrier() {
  begin_phase();
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

// What the first block of each worker taught: reads of buffers that nobody writes need no marks.
void RaceScreen::look_at_regions() {
  if (regions_ == nullptr) return;
  if (blocks_ < 3) ++blocks_;
  const std::uint32_t changes = regions_->changes();
  if (blocks_ == 1 || (blocks_ == 3 && changes == seen_changes_)) return;
  for (std::size_t r = 0; r < watched_.size(); ++r) {
    const bool written = regions_->holds(r);
    if (blocks_ == 2) watched_[r] = written ? 1 : 0;
    if (written && watched_[r] == 0) reads_missed_ = true;
  }
  seen_changes_ = changes;
}

bool RaceScreen::writes(std::uint32_t region) {
  if (region >= written_.size() || written_[region] != 0) return true;
  written_[region] = 1;
  regions_->add(region);
  reads_missed_ = reads_missed_ || watched_[region] == 0;
  return !reads_missed_;
}

bool RaceScreen::reads_missed() const {
  if (reads_missed_) return true;
  for (std::size_t r = 0; r < watched_.size(); ++r)
    if (watched_[r] == 0 && regions_->holds(r)) return true;
  return false;
}

bool RaceScreen::accept(const ScreenedAccess& access) {
  const unsigned shift = access.global ? granules_.global : granules_.shared;
  const unsigned granules = access.width >> shift;
  if (reads_missed_ || !std::has_single_bit(granules) || granules << shift != access.width) return false;
  return access.global ? global_access(access) : shared_access(access);
}

}  // namespace warplens::simt
