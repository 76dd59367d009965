// The screen for races against every pair of accesses compared with each other.
#include "engine/simt/checks/memory_screen.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "tests/simt/core_machine.h"
#include "tests/told.h"

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

struct Random {
  unsigned seed = 0;
  bool strong = false, warp_barriers = false;
  unsigned granule = 2;
  std::uint32_t blocks = 4;
  bool in_regions = false;  // reads of buffers that nobody writes are not marked
};

// One launch of a few blocks that do random things, screened on two workers.
class RandomLaunch {
 public:
  explicit RandomLaunch(const Random& how)
      : random_(how.seed),
        strong_(how.strong),
        warp_barriers_(how.warp_barriers),
        granule_(how.granule),
        blocks_(how.blocks) {
    if (!how.in_regions) return;
    std::vector<WrittenRegions::Place> places;
    for (std::uint64_t r = 0; r < kRegions; ++r)
      places.push_back({kGlobalBase + r * kRegionBytes, kGlobalBase + (r + 1) * kRegionBytes});
    regions_ = std::make_unique<WrittenRegions>(std::move(places));
  }

  struct Verdict {
    bool content = true;  // of the screen
    bool missed = false;  // it does not know: not every read was marked
    bool raced = false;   // the truth, of what ran
  };
  Verdict run() {
    const RaceScreen::Granules granules{granule_, granule_};
    RaceScreen first(kGlobalBase, kGlobalBytes, kSharedBytes, kWarps, granules, regions_.get()),
        second(kGlobalBase, kGlobalBytes, kSharedBytes, kWarps, granules, regions_.get());
    const std::array<RaceScreen*, 2> workers{&first, &second};
    Verdict verdict;
    for (std::uint32_t block = 0; block < blocks_ && verdict.content; ++block) {
      verdict.content = run_block(block, *workers[pick(2)]);
    }
    const std::array<const RaceScreen*, 2> all{&first, &second};
    verdict.missed = first.reads_missed() || second.reads_missed();
    verdict.content = verdict.content && !verdict.missed && !RaceScreen::conflicts(all);
    verdict.raced = raced_;
    return verdict;
  }

 private:
  static constexpr std::uint64_t kRegions = 4, kRegionBytes = kGlobalBytes / kRegions;

  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }

  bool run_block(std::uint32_t block, RaceScreen& screen) {
    screen.begin_block();
    screen.written(0, kSharedBytes);
    shared_.clear();
    epoch_ = 0;
    warp_epochs_ = {};
    const unsigned steps = pick(8);
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
    if (strong_) {
      access.strong = pick(4) != 0;
      if (access.strong && pick(2) == 0) access.what = Doing::Both;
    }
    access.warp = pick(kWarps);
    access.width = 1u << (granule_ + pick(3));
    access.lanes = kFullMask;
    access.addresses = addresses.data();
    const std::uint64_t base = access.global ? kGlobalBase : 0;
    const std::uint64_t room = (access.global ? kGlobalBytes : kSharedBytes) / access.width;
    const unsigned pattern = pick(5);
    std::uint64_t start = pick(12) * 32 * 4 / access.width;
    // Most writes go to the first region: the others are what need not be watched.
    if (regions_ != nullptr && access.global && (access.what == Doing::Read || pick(20) == 0))
      start += pick(kRegions) * room / kRegions;
    const std::uint64_t stride = std::array{2u, 8u, 32u, 33u}[pick(4)];
    for (unsigned l = 0; l < kWarpSize; ++l) {
      std::uint64_t at = start + l;                                      // neighbours
      if (pattern == 1) at = start + l % 16 + (l / 16) * 64;             // neighbours by halves
      if (pattern == 2) at = start + l / 16;                             // one place for each half
      if (pattern == 3) at = (std::uint64_t{access.warp} * 32 + l) * 5;  // scattered
      if (pattern == 4) at = start + l * stride;
      addresses[l] = base + at % room * access.width;
    }
    access.contiguous = pattern < 2 && start + 96 < room;
    access.uniform = pattern == 2 && start + 2 < room;
    access.strided = pattern == 4 && start + 31 * stride < room;
    access.stride = static_cast<std::int64_t>(stride * access.width);
    if (pattern == 3 && pick(2) != 0) access.lanes = static_cast<LaneMask>(random_()) | 1;
    if (access.global && !find_region(access, screen)) return false;
    remember(block, access);
    return screen.accept(access);
  }

  // As the emulator does: one region for all lanes, or, when they lie apart, each write tells its own.
  bool find_region(ScreenedAccess& access, RaceScreen& screen) const {
    if (regions_ == nullptr) return true;
    const auto region_of = [&](unsigned lane) {
      return static_cast<std::uint32_t>((access.addresses[lane] - kGlobalBase) / kRegionBytes);
    };
    access.region = region_of(0);
    for (unsigned l = 0; l < kWarpSize; ++l)
      if (region_of(l) != access.region) access.region = kNoRegion;
    bool fine = true;
    for (unsigned l = 0; l < kWarpSize && access.region == kNoRegion && access.what != Doing::Read; ++l)
      if ((access.lanes >> l & 1) != 0) fine = fine && screen.writes(region_of(l));
    return fine;
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
  std::uint32_t blocks_;
  std::unique_ptr<WrittenRegions> regions_;
  std::map<std::uint64_t, std::vector<Touch>> global_, shared_;
  std::uint32_t epoch_ = 0;
  std::array<std::uint32_t, kWarps> warp_epochs_{};
  bool raced_ = false;
};

TEST(RaceScreen, NeverMissesARace) {
  int races = 0, quiet = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    RandomLaunch launch({seed, seed % 2 == 0, seed % 3 == 0, seed % 5 == 0 ? 0u : 2u});
    const auto [content, missed, raced] = launch.run();
    EXPECT_FALSE(content && raced) << "seed " << seed;
    EXPECT_FALSE(missed);
    races += raced ? 1 : 0;
    quiet += content ? 1 : 0;
  }
  EXPECT_GT(races, 500);
  EXPECT_GT(quiet, 300);
}

TEST(RaceScreen, SuspectsNothingElseOfPlainAccesses) {
  int quiet = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    const auto [content, missed, raced] = RandomLaunch({seed}).run();
    EXPECT_TRUE(content || raced) << "seed " << seed;
    quiet += content ? 1 : 0;
  }
  EXPECT_GT(quiet, 300);
}

// Where reads of unwritten buffers are not marked, the screen still misses no race, and says so when a buffer
// was written after all.
TEST(RaceScreen, KnowsWhichReadsItDidNotMark) {
  int quiet = 0, missed_some = 0, races = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    RandomLaunch launch({seed, seed % 2 == 0, seed % 3 == 0, seed % 5 == 0 ? 0u : 2u, 12, true});
    const auto [content, missed, raced] = launch.run();
    EXPECT_FALSE(content && raced) << "seed " << seed;
    quiet += content ? 1 : 0;
    missed_some += missed ? 1 : 0;
    races += raced ? 1 : 0;
  }
  EXPECT_GT(quiet, 30);
  EXPECT_GT(missed_some, 30);
  EXPECT_GT(races, 500);
}

TEST(RaceScreen, ReadsOfUnwrittenSharedMemoryAreSuspicious) {
  RaceScreen screen(kGlobalBase, 256, 256, 1, {});
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
  RaceScreen screen(kGlobalBase, 256, 256, 2, {});
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
    for (const trace::Fault& fault : run.outcome.faults) text += "\n" + told(fault);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << threads;
  }
}

// One buffer is read by every block and written only by block 20: out[i * stride] = in[i], and there also
// in[i + shift] = in[i] + 1.
constexpr const char* kLateWriter = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry late_writer(.param .u64 in, .param .u64 out, .param .u32 stride, .param .u32 shift)
{
  .reg .pred %p<2>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r1, [stride];
  ld.param.u32 %r2, [shift];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  mul.wide.s32 %rd3, %r6, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r7, [%rd4];
  mul.lo.s32 %r8, %r6, %r1;
  mul.wide.s32 %rd5, %r8, 4;
  add.s64 %rd6, %rd2, %rd5;
  st.global.u32 [%rd6], %r7;
  setp.ne.s32 %p1, %r3, 20;
  @%p1 bra DONE;
  add.s32 %r9, %r6, %r2;
  mul.wide.s32 %rd3, %r9, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s32 %r10, %r7, 1;
  st.global.u32 [%rd4], %r10;
DONE:
  ret;
}
)";

Finished late_writer(const char* in, int stride, int shift, int threads) {
  auto module = ptx::parse(kLateWriter);
  EXPECT_TRUE(module);
  Options options = all_checks();
  options.threads = threads;
  return run_module(
      std::make_shared<const ptx::Module>(std::move(*module)), "late_writer", {50}, {64},
      {in, "buf:i32:105600:zero", "i32:" + std::to_string(stride), "i32:" + std::to_string(shift)}, options);
}

// The reads of the first blocks were not marked: the run is repeated, and only what is a race is one.
TEST(RaceScreen, ABufferThatIsWrittenLate) {
  for (const int threads : {1, 2, 8}) {
    for (const int stride : {1, 8, 32, 33}) {
      const Finished own = late_writer("buf:i32:3200:iota", stride, 0, threads);
      EXPECT_TRUE(own.completed()) << stride;
      EXPECT_EQ(own.buffer<std::int32_t>(0)[20 * 64 + 5], 20 * 64 + 6);
      EXPECT_EQ(own.buffer<std::int32_t>(1)[static_cast<std::size_t>(77 * stride)], 77);
      const Finished others = late_writer("buf:i32:3200:iota", stride, -64, threads);
      const trace::Fault race = others.fault(trace::FaultKind::Race);
      EXPECT_TRUE(race.block.x == 20 || race.other_block.x == 20) << told(race);
    }
    // All blocks write one place, each another value; or all the same one.
    EXPECT_EQ(late_writer("buf:i32:3200:iota", 0, 0, threads).fault(trace::FaultKind::Race).other_line,
              late_writer("buf:i32:3200:iota", 0, 0, 1).fault(trace::FaultKind::Race).other_line);
    const Finished same = late_writer("buf:i32:3200:const:7", 0, 0, threads);
    EXPECT_TRUE(same.completed());
    EXPECT_FALSE(same.outcome.notes.empty());
  }
}

}  // namespace
}  // namespace warplens::simt::core
