// The screen for races against every pair of accesses compared with each other.
#include "engine/simt/memory_screen.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "tests/simt/core_machine.h"

namespace warplens::simt::core {
namespace {

using Doing = ScreenedAccess::Doing;

constexpr std::uint64_t kGlobalBytes = 32768;
constexpr std::uint32_t kSharedBytes = 8192, kWarps = 2;

// What was done to one byte, by whom and when.
struct Touch {
  std::uint32_t block, thread, epoch, warp_epoch;
  bool write, strong;
};

bool race(const Touch& a, const Touch& b) {
  if ((!a.write && !b.write) || (a.strong && b.strong)) return false;
  if (a.block != b.block) return true;
  if (a.thread == b.thread || a.epoch != b.epoch) return false;
  return a.thread / kWarpSize != b.thread / kWarpSize || a.warp_epoch == b.warp_epoch;
}

// One launch of a few blocks that do random things, screened on two workers.
class RandomLaunch {
 public:
  RandomLaunch(unsigned seed, bool strong, bool warp_barriers, unsigned granule)
      : random_(seed), strong_(strong), warp_barriers_(warp_barriers), granule_(granule) {}

  // Returns whether the screen was content; `raced` is the truth.
  bool run(bool& raced) {
    const RaceScreen::Granules granules{granule_, granule_};
    RaceScreen first(kGlobalBytes, kSharedBytes, kWarps, granules),
        second(kGlobalBytes, kSharedBytes, kWarps, granules);
    const std::array<RaceScreen*, 2> workers{&first, &second};
    bool content = true;
    for (std::uint32_t block = 0; block < 4 && content; ++block) {
      content = run_block(block, *workers[pick(2)]);
    }
    const std::array<const RaceScreen*, 2> all{&first, &second};
    content = content && !RaceScreen::conflicts(all);
    raced = raced_;
    return content;
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }

  bool run_block(std::uint32_t block, RaceScreen& screen) {
    screen.begin_block();
    screen.written(0, kSharedBytes);
    shared_.clear();
    epoch_ = 0;
    warp_epochs_ = {};
    const unsigned steps = pick(6);
    for (unsigned step = 0; step < steps; ++step) {
      const unsigned what = pick(4);
      if (what == 0) {
        screen.barrier();
        ++epoch_;
      } else if (what == 1 && warp_barriers_) {
        const unsigned warp = pick(kWarps);
        screen.warp_barrier(warp);
        ++warp_epochs_[warp];
      } else if (!access(block, screen)) {
        return false;
      }
    }
    return true;
  }

  bool access(std::uint32_t block, RaceScreen& screen) {
    std::array<std::uint64_t, kWarpSize> addresses;
    ScreenedAccess access;
    access.global = pick(2) != 0;
    access.what = pick(4) == 0 ? Doing::Write : Doing::Read;
    // Of the writes of a block to one place only the last is remembered, by the exact check as well: blocks
    // write either all atomically or not at all so.
    if (strong_ && block >= 2) {
      access.strong = pick(3) == 0;
      access.what = access.strong && pick(2) == 0 ? Doing::Both : Doing::Read;
    }
    access.warp = pick(kWarps);
    access.width = 1u << (granule_ + pick(3));
    access.lanes = kFullMask;
    access.addresses = addresses.data();
    const std::uint64_t base = access.global ? kGlobalBase : 0;
    const std::uint64_t room = (access.global ? kGlobalBytes : kSharedBytes) / access.width;
    const unsigned pattern = pick(4);
    const std::uint64_t start = pick(12) * 32 * 4 / access.width;
    for (unsigned l = 0; l < kWarpSize; ++l) {
      std::uint64_t at = start + l;                                      // neighbours
      if (pattern == 1) at = start + l % 16 + (l / 16) * 64;             // neighbours by halves
      if (pattern == 2) at = start + l / 16;                             // one place for each half
      if (pattern == 3) at = (std::uint64_t{access.warp} * 32 + l) * 5;  // scattered
      addresses[l] = base + at % room * access.width;
    }
    access.contiguous = pattern < 2 && start + 96 < room;
    access.uniform = pattern == 2 && start + 2 < room;
    if (pattern == 3 && pick(2) != 0) access.lanes = static_cast<LaneMask>(random_()) | 1;
    remember(block, access);
    return screen.accept(access);
  }

  void remember(std::uint32_t block, const ScreenedAccess& access) {
    auto& memory = access.global ? global_ : shared_;
    for (unsigned l = 0; l < kWarpSize; ++l) {
      if ((access.lanes >> l & 1) == 0) continue;
      Touch now{
          block,        access.warp * 32 + l, epoch_, warp_epochs_[access.warp], access.what != Doing::Read,
          access.strong};
      for (unsigned i = 0; i < access.width; ++i) {
        std::vector<Touch>& before = memory[access.addresses[l] + i];
        for (const Touch& touch : before) raced_ = raced_ || race(touch, now);
        before.push_back(now);
      }
    }
  }

  std::mt19937 random_;
  bool strong_, warp_barriers_;
  unsigned granule_;
  std::map<std::uint64_t, std::vector<Touch>> global_, shared_;
  std::uint32_t epoch_ = 0;
  std::array<std::uint32_t, kWarps> warp_epochs_{};
  bool raced_ = false;
};

TEST(RaceScreen, NeverMissesARace) {
  int races = 0, quiet = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    RandomLaunch launch(seed, seed % 2 == 0, seed % 3 == 0, seed % 5 == 0 ? 0 : 2);
    bool raced = false;
    const bool content = launch.run(raced);
    EXPECT_FALSE(content && raced) << "seed " << seed;
    races += raced ? 1 : 0;
    quiet += content ? 1 : 0;
  }
  EXPECT_GT(races, 500);
  EXPECT_GT(quiet, 300);
}

TEST(RaceScreen, SuspectsNothingElseOfPlainAccesses) {
  int quiet = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    RandomLaunch launch(seed, false, false, 2);
    bool raced = false;
    const bool content = launch.run(raced);
    EXPECT_TRUE(content || raced) << "seed " << seed;
    quiet += content ? 1 : 0;
  }
  EXPECT_GT(quiet, 300);
}

TEST(RaceScreen, ReadsOfUnwrittenSharedMemoryAreSuspicious) {
  RaceScreen screen(256, 256, 1, {});
  std::array<std::uint64_t, kWarpSize> addresses;
  for (unsigned l = 0; l < kWarpSize; ++l) addresses[l] = l * 4;
  ScreenedAccess access;
  access.lanes = kFullMask;
  access.contiguous = true;
  access.addresses = addresses.data();
  screen.begin_block();
  EXPECT_FALSE(screen.accept(access));
  access.what = Doing::Write;
  EXPECT_TRUE(screen.accept(access));
  access.what = Doing::Read;
  EXPECT_TRUE(screen.accept(access));
  screen.begin_block();  // what the last block wrote is gone
  EXPECT_FALSE(screen.accept(access));
}

// Times wrap after half a million barriers: what is ordered stays so, what is not is still found.
TEST(RaceScreen, OutlivesItsClock) {
  RaceScreen screen(256, 256, 2, {});
  std::array<std::uint64_t, kWarpSize> addresses;
  for (unsigned l = 0; l < kWarpSize; ++l) addresses[l] = l * 4;
  ScreenedAccess access;
  access.lanes = kFullMask;
  access.contiguous = true;
  access.addresses = addresses.data();
  screen.begin_block();
  for (int i = 0; i < 1'200'000; ++i) {
    access.what = Doing::Write;
    access.warp = static_cast<std::uint32_t>(i % 2);
    ASSERT_TRUE(screen.accept(access)) << i;
    screen.barrier();
    if (i % 1000 != 0) continue;
    access.what = Doing::Read;
    access.warp ^= 1;
    ASSERT_TRUE(screen.accept(access)) << i;
    screen.barrier();
  }
  EXPECT_TRUE(screen.accept(access));
  access.what = Doing::Write;
  access.warp ^= 1;
  EXPECT_FALSE(screen.accept(access));
}

// A suspicion leads to the same report on any number of workers.
TEST(RaceScreen, ReportsDoNotDependOnTheNumberOfWorkers) {
  std::string first;
  for (const int threads : {1, 2, 8}) {
    Options options = all_checks();
    options.threads = threads;
    const Finished run = launch("missing_barrier", {50}, {64}, {"buf:i32:64:zero"}, options);
    ASSERT_FALSE(run.outcome.faults.empty());
    std::string text = std::to_string(run.outcome.faults_total);
    for (const trace::Fault& fault : run.outcome.faults) text += "\n" + fault.message;
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << threads;
  }
}

}  // namespace
}  // namespace warplens::simt::core
