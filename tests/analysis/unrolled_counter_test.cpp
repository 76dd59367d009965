// Loops that ptxas unrolls again: who meets whom, and how many branches are left.
#include "engine/analysis/unrolled_counter.h"

#include <gtest/gtest.h>

#include <array>

#include "engine/ptx/syntax/parser.h"
#include "engine/trace/site.h"

namespace warplens::analysis {
namespace {

constexpr const char* kText = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .f32 %f<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r2, [n];
  mov.u32 %r1, %tid.x;
  add.s32 %r3, %r1, 0;
LOOP:
  ld.global.f32 %f1, [%rd1];
  add.f32 %f2, %f2, %f1;
  add.s32 %r3, %r3, 4;
  setp.lt.s32 %p1, %r3, %r2;
  @%p1 bra LOOP;
  st.global.f32 [%rd1], %f2;
  ret;
})";

class Unrolled : public testing::Test {
 protected:
  Unrolled() : module_(std::move(*ptx::parse(kText))) {
    sites_ = trace::collect_sites(module_, module_.functions.front());
    for (const trace::Site& site : sites_) {
      if (site.kind == trace::SiteKind::Branch) branch_ = site.index;
      if (site.op == "ld.global.f32") load_ = site.index;
    }
  }

  // One warp whose lane l makes turns(l) turns, as the emulator tells it.
  template <typename Turns>
  void run(UnrolledCounter& counter, Turns turns) const {
    std::array<std::uint64_t, kWarpSize> addresses{};
    for (std::uint32_t turn = 0;; ++turn) {
      LaneMask active = 0, taken = 0;
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (turns(lane) > turn) active |= 1u << lane;
        if (turns(lane) > turn + 1) taken |= 1u << lane;
        addresses[lane] = 0x1000 + 4 * lane + 128 * turn;
      }
      if (active == 0) return;
      trace::Access access;
      access.site = load_;
      access.active = active;
      access.addresses = addresses.data();
      counter.on_access(access);
      trace::Branch branch;
      branch.site = branch_;
      branch.active = active;
      branch.taken = taken;
      counter.on_branch(branch);
    }
  }

  ptx::Module module_;
  std::vector<trace::Site> sites_;
  trace::SiteId branch_ = 0, load_ = 0;
};

// Turns 5 and 6: four together, then one by itself and two by the others.
TEST_F(Unrolled, LanesMeetWhereTheirTurnsFallTogether) {
  UnrolledCounter counter(sites_, module_);
  run(counter, [](unsigned lane) { return lane < 16 ? 5u : 6u; });
  const Totals& totals = counter.totals();
  EXPECT_EQ(totals.global_load.requests, 4u + 2 + 1);
  EXPECT_EQ(totals.global_load.sectors, 4u * 4 + 2 * 2 + 2);
  EXPECT_EQ(totals.branches, 1u + 1 + 1 + 1);
  EXPECT_EQ(totals.divergent_branches, 2u);
}

TEST_F(Unrolled, EqualTurnsKeepTheirRequestsAndLoseBranches) {
  UnrolledCounter counter(sites_, module_);
  run(counter, [](unsigned) { return 13u; });
  EXPECT_EQ(counter.totals().global_load.requests, 13u);
  EXPECT_EQ(counter.totals().branches, 3u + 3);
  EXPECT_EQ(counter.totals().divergent_branches, 0u);
}

TEST_F(Unrolled, NoAccessIsLostOrMadeTwice) {
  UnrolledCounter counter(sites_, module_);
  std::uint64_t lanes = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) lanes += lane * 7 % 19 + 1;
  run(counter, [](unsigned lane) { return lane * 7 % 19 + 1; });
  EXPECT_EQ(counter.totals().sites[load_].lanes, lanes);
}

TEST_F(Unrolled, ALoopThatNeverEndsIsCountedAsWritten) {
  UnrolledCounter counter(sites_, module_);
  run(counter, [](unsigned lane) { return lane == 0 ? 6000u : 5999u; });
  EXPECT_EQ(counter.totals().global_load.requests, 6000u);
}

TEST_F(Unrolled, ForksJoin) {
  UnrolledCounter counter(sites_, module_);
  const auto other = counter.fork();
  run(static_cast<UnrolledCounter&>(*other), [](unsigned lane) { return lane < 16 ? 5u : 6u; });
  counter.join(*other);
  EXPECT_EQ(counter.totals().global_load.requests, 7u);
}

TEST_F(Unrolled, WarpsAddUpToTheLaunch) {
  UnrolledCounter counter(sites_, module_);
  counter.keep_warps();
  trace::Launch launch;
  launch.grid = {1, 1, 1};
  launch.block = {32, 1, 1};
  counter.on_launch(launch, {});
  run(counter, [](unsigned lane) { return 5 + lane % 2; });
  const Totals& totals = counter.totals();
  ASSERT_TRUE(counter.warps());
  const WarpTotal& warp = counter.warps()->of(0, 0);
  EXPECT_EQ(warp.sectors, totals.global_load.sectors);
  EXPECT_EQ(warp.sectors_ideal, totals.global_load.sectors_ideal);
  EXPECT_EQ(warp.executions, totals.sites[load_].executions + totals.sites[branch_].executions);
  EXPECT_EQ(warp.lanes, totals.sites[load_].lanes + totals.sites[branch_].lanes);
  EXPECT_GT(warp.sectors, 0u);
}

}  // namespace
}  // namespace warplens::analysis
