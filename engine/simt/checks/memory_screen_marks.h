// Marks of the race screen: their bits, and when one access is ordered before another (memory_screen.h).
#pragma once

#include "engine/simt/checks/memory_screen.h"

namespace warplens::simt {

// A mark: time 19 bits, thread 10, flags 3; 0 is nobody.
constexpr unsigned kTimeShift = 13, kThreadShift = 3, kWarpShift = 8;
constexpr std::uint32_t kMostTime = (1u << 19) - 1;
constexpr std::uint32_t kThreadBits = 1023u << kThreadShift;
constexpr std::uint32_t kWarpBits = 31u << kWarpShift;
// Flags of a write: it was atomic or volatile, and so were all since the barrier; an earlier one by the same
// block was not; it was, and other threads wrote so before it.
constexpr std::uint32_t kStrong = 1, kPlainBefore = 2, kSeveral = 4;
// Flags of a read: others of the warp read too, other warps too, other blocks too.
constexpr std::uint32_t kReaders = 3, kWarpReads = 1, kBlockReads = 2;
constexpr std::uint32_t kStrongReads = 4;  // all of them atomic or volatile
constexpr std::uint32_t kBlocksRead = 7;   // its time is 0: before every block

constexpr std::uint32_t at_time(std::uint32_t time) {
  return time << kTimeShift;
}

inline RaceScreen::Mark RaceScreen::mark_of(const ScreenedAccess& access) const {
  return at_time(warp_times_[access.warp]) | access.warp << kWarpShift;
}

// Marks of this block: is that write before this access, or the same thread's?
inline bool RaceScreen::write_ordered(Mark mark, Mark mine, bool strong) const {
  if (mark < base_ || (strong && (mark & kStrong) != 0)) return true;
  const Mark differ = mark ^ mine;
  if ((mark & kSeveral) != 0) return false;
  if ((differ & kThreadBits) == 0) return true;
  return (differ & kWarpBits) == 0 && differ >> kTimeShift != 0;
}

// The mark of a write after the write of `mark`.
inline RaceScreen::Mark RaceScreen::with_writer(Mark mark, Mark mine, bool strong) const {
  if (!strong || (mark >= base_ && (mark & kStrong) == 0)) return mine;
  if (mark < base_) return mine | kStrong;
  const bool another = ((mark ^ mine) & kThreadBits) != 0;
  return mine | kStrong | (another ? kSeveral : mark & kSeveral);
}

// Marks of this block: are all reads that it stands for before this access, or the same thread's?
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

}  // namespace warplens::simt
