// Whole kernels: results against plain C++, the same whatever the number of workers, counts, limits, events.
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "tests/simt/core_machine.h"

namespace warplens::simt::core {
namespace {

using ::testing::HasSubstr;

TEST(Core, CopyWithRaggedEnd) {
  const Finished run = launch("copy", {4}, {256}, {"buf:f32:1000:zero", "buf:f32:1000:iota", "i32:1000"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<float>(0);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], static_cast<float>(i));
  // 4 blocks of 8 warps: 17 instructions, 10 for the part of the last warp that is beyond the end.
  EXPECT_EQ(run.outcome.blocks_run, 4u);
  EXPECT_GT(run.outcome.warp_instructions, 32u * 10);
  std::uint64_t lanes = 0, executions = 0;
  for (const InstructionCount& count : run.outcome.counts) {
    lanes += count.lanes;
    executions += count.executions;
  }
  EXPECT_EQ(lanes, run.outcome.thread_instructions);
  EXPECT_EQ(executions, run.outcome.warp_instructions);
}

TEST(Core, WhatEachBlockExecutesIsCounted) {
  const Finished run = launch("copy", {4}, {256}, {"buf:f32:1000:zero", "buf:f32:1000:iota", "i32:513"});
  ASSERT_TRUE(run.completed()) << run.error;
  ASSERT_NE(run.outcome.work, nullptr);
  const std::vector<std::uint64_t>& blocks = run.outcome.work->instructions();
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0], blocks[1]);
  EXPECT_GT(blocks[1], blocks[2]) << "one of its 256 threads has something to do";
  EXPECT_GT(blocks[2], blocks[3]) << "none has";
  EXPECT_EQ(blocks[0] + blocks[1] + blocks[2] + blocks[3], run.outcome.warp_instructions);
}

TEST(Core, Strided) {
  const Finished run =
      launch("strided", {8}, {128}, {"buf:f32:1024:zero", "buf:f32:1024:iota", "i32:1024", "i32:33"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<float>(0);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], static_cast<float>(i * 33 % 1024));
}

TEST(Core, Transpose) {
  const Finished run =
      launch("transpose", {4, 4}, {32, 8}, {"buf:f32:16384:zero", "buf:f32:16384:iota", "i32:128"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<float>(0);
  for (std::size_t y = 0; y < 128; ++y) {
    for (std::size_t x = 0; x < 128; ++x) ASSERT_EQ(out[x * 128 + y], static_cast<float>(y * 128 + x));
  }
}

TEST(Core, TiledProductIsExact) {
  constexpr std::size_t kN = 64;
  const Finished run = launch("matmul", {4, 4}, {16, 16},
                              {"buf:f32:4096:zero", "buf:f32:4096:hash", "buf:f32:4096:hash", "i32:64"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<float>(0), a = run.buffer<float>(1), b = run.buffer<float>(2);
  for (std::size_t y = 0; y < kN; ++y) {
    for (std::size_t x = 0; x < kN; ++x) {
      float sum = 0;
      for (std::size_t k = 0; k < kN; ++k) {
        sum = std::fmaf(a[y * kN + k], b[k * kN + x], sum);
      }
      ASSERT_EQ(out[y * kN + x], sum) << x << "," << y;
    }
  }
}

TEST(Core, DivergentMandelbrot) {
  const Finished run =
      launch("mandelbrot", {5, 4}, {16, 16}, {"buf:i32:4800:zero", "i32:80", "i32:60", "i32:50"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<std::int32_t>(0);
  for (int y = 0; y < 60; ++y) {
    for (int x = 0; x < 80; ++x) {
      const float cx = -2.f + 3.f * static_cast<float>(x) / 80.f,
                  cy = -1.5f + 3.f * static_cast<float>(y) / 60.f;
      float zx = 0, zy = 0;
      int k = 0;
      while (k < 50) {
        const float xx = zx * zx, yy = zy * zy;
        if (!(xx + yy < 4.f)) break;
        const float t = (xx - yy) + cx, u = 2.f * zx, v = u * zy;
        zy = v + cy;
        zx = t;
        ++k;
      }
      ASSERT_EQ(out[static_cast<std::size_t>(y * 80 + x)], k) << x << "," << y;
    }
  }
}

TEST(Core, ResultsDoNotDependOnWorkersOrSchedule) {
  const std::vector<std::string> arguments{"buf:u32:64:zero", "buf:u32:20000:hash", "i32:20000"};
  const Finished one = launch("histogram", {40}, {128}, arguments, with(1));
  ASSERT_TRUE(one.completed()) << one.error;
  std::vector<std::uint32_t> expected(64, 0);
  for (std::uint32_t i = 0; i < 20000; ++i) ++expected[trace::fmix32(i) & 63];
  EXPECT_EQ(one.buffer<std::uint32_t>(0), expected);
  for (const int threads : {2, 3, 8}) {
    for (const auto schedule :
         {Options::Schedule::RoundRobin, Options::Schedule::Sequential, Options::Schedule::Reversed}) {
      const Finished other = launch("histogram", {40}, {128}, arguments, with(threads, schedule));
      EXPECT_EQ(other.outcome.buffers, one.outcome.buffers);
      EXPECT_EQ(other.outcome.thread_instructions, one.outcome.thread_instructions);
      EXPECT_EQ(other.outcome.warp_instructions, one.outcome.warp_instructions);
    }
  }
  // Sums of floats round differently in another order: they come in one fixed order.
  const std::vector<std::string> floats{"buf:i32:8:zero", "buf:u32:8:zero", "buf:u64:4:zero",
                                        "buf:f32:1:hash", "buf:f64:1:zero"};
  EXPECT_EQ(launch("atomics", {30}, {96}, floats, with(1)).outcome.buffers,
            launch("atomics", {30}, {96}, floats, with(4)).outcome.buffers);
}

TEST(Core, OnlyTheChosenBlocksRun) {
  Options options;
  options.only_blocks = {2, 0, 2, 77};
  const Finished run =
      launch("copy", {4}, {32}, {"buf:f32:128:zero", "buf:f32:128:const:3", "i32:128"}, options);
  ASSERT_TRUE(run.completed()) << run.error;
  EXPECT_EQ(run.outcome.blocks_run, 2u);
  EXPECT_EQ(run.outcome.blocks_total, 4u);
  const auto out = run.buffer<float>(0);
  for (std::size_t i = 0; i < 128; ++i) EXPECT_EQ(out[i], (i / 32) % 2 == 0 ? 3.f : 0.f);
}

TEST(Core, WhoWantsCountsAloneIsGivenNoBuffers) {
  Options options;
  const std::vector<std::string> arguments{"buf:f32:128:zero", "buf:f32:128:const:3", "i32:128"};
  const Finished with_buffers = launch("copy", {4}, {32}, arguments, options);
  options.keep_buffers = false;
  const Finished counts = launch("copy", {4}, {32}, arguments, options);
  ASSERT_TRUE(counts.completed()) << counts.error;
  EXPECT_EQ(with_buffers.outcome.buffers.size(), 3u);
  EXPECT_TRUE(counts.outcome.buffers.empty());
  EXPECT_EQ(counts.outcome.placements.size(), 2u);
  EXPECT_EQ(counts.outcome.warp_instructions, with_buffers.outcome.warp_instructions);
}

TEST(Core, BudgetEndsAnEndlessLoop) {
  Options options;
  options.budget = 1'000'000;
  const Finished run = launch("endless", {1}, {64}, {"buf:i32:64:zero"}, options);
  EXPECT_EQ(run.outcome.ending, Ending::Budget);
  EXPECT_GE(run.outcome.thread_instructions, 900'000u);
  EXPECT_LE(run.outcome.thread_instructions, 1'200'000u);
}

TEST(Core, CancelEndsARun) {
  Progress progress;
  progress.cancel();
  Options options;
  options.progress = &progress;
  const Finished run = launch("endless", {1}, {64}, {"buf:i32:64:zero"}, options);
  EXPECT_EQ(run.outcome.ending, Ending::Cancelled);
}

TEST(Core, LaunchesThatCannotBe) {
  EXPECT_THAT(launch("copy", {1}, {32}, {"buf:f32:32:zero"}).error, HasSubstr("3 arguments, but 1"));
  EXPECT_THAT(launch("copy", {1}, {2048}, {"buf:f32:1:zero", "buf:f32:1:zero", "i32:1"}).error,
              HasSubstr("at most 1024"));
  EXPECT_THAT(launch("copy", {1}, {32}, {"buf:f32:1:zero", "buf:f32:1:zero", "i64:1"}).error,
              HasSubstr("8 bytes, but the kernel's parameter has 4"));
  EXPECT_THAT(launch("copy", {1}, {32}, {"buf:f32:1:zero", "buf:f32:99999999999:zero", "i32:1"}).error,
              HasSubstr("MB may be used"));
  EXPECT_THAT(launch("block_reduce", {1}, {32}, {"buf:f32:1:zero", "buf:f32:32:zero"}, {}, 300000).error,
              HasSubstr("shared memory"));
  EXPECT_THAT(launch("nobody", {1}, {32}, {}).error, HasSubstr("nobody"));
}

TEST(Core, AnUnknownOperationIsNamedWithItsLine) {
  auto parsed = ptx::parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n  .reg .b32 %r<3>;\n"
      "  frobnicate.b32 %r1, %r2;\n  ret;\n}\n");
  ASSERT_TRUE(parsed) << parsed.error().text();
  const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
  const auto entry = module->find_entry("k");
  ASSERT_TRUE(entry);
  const auto missing = Kernel::unsupported(*module, **entry);
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].op, "frobnicate.b32");
  EXPECT_EQ(missing[0].ptx_line, 7);
  const auto loaded = Kernel::load(module, "k");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::Unsupported);
}

// Counts what it is told; forks and joins as a listener must.
class Counter : public trace::Listener {
 public:
  struct PerSite {
    std::uint64_t executions = 0, lanes = 0, affine = 0;
    bool operator==(const PerSite&) const = default;
  };
  std::map<trace::SiteId, PerSite> accesses;
  std::vector<trace::Branch> branches;
  std::uint64_t arrivals = 0, releases = 0, warp_syncs = 0, blocks = 0, masks = 0, parameters = 0;
  std::uint64_t issued = 0;  // by the warps that have ended

  std::unique_ptr<Listener> fork() const override { return std::make_unique<Counter>(); }
  void join(Listener& other) override {
    auto& from = static_cast<Counter&>(other);
    for (const auto& [site, count] : from.accesses) {
      accesses[site].executions += count.executions;
      accesses[site].lanes += count.lanes;
      accesses[site].affine += count.affine;
    }
    branches.insert(branches.end(), from.branches.begin(), from.branches.end());
    arrivals += from.arrivals;
    releases += from.releases;
    warp_syncs += from.warp_syncs;
    issued += from.issued;
    blocks += from.blocks;
    masks += from.masks;
    parameters += from.parameters;
  }
  Wants wants() const override { return {true, true, true, true, true}; }
  void on_block_begin(std::uint64_t) override { ++blocks; }
  void on_access(const trace::Access& access) override {
    if (access.space == trace::Space::Parameter) {
      ++parameters;
      return;
    }
    PerSite& site = accesses[access.site];
    ++site.executions;
    site.lanes += static_cast<std::uint64_t>(active_lanes(access.active));
    if (!access.affine) return;
    ++site.affine;
    const auto first = static_cast<unsigned>(std::countr_zero(access.active));
    for (unsigned l = 0; l < 32; ++l) {
      if (((access.active >> l) & 1) == 0) continue;
      EXPECT_EQ(access.addresses[l],
                access.addresses[first] + static_cast<std::uint64_t>((l - first) * access.stride));
    }
  }
  void on_branch(const trace::Branch& branch) override { branches.push_back(branch); }
  void on_barrier(const trace::Barrier& barrier) override {
    (barrier.phase == trace::Barrier::Phase::Arrive    ? arrivals
     : barrier.phase == trace::Barrier::Phase::Release ? releases
                                                       : warp_syncs) += 1;
  }
  void on_mask(const trace::MaskChange& change) override {
    ++masks;
    if (change.active == 0) issued += change.warp_instruction;
  }
};

TEST(Core, ListenersHearEveryAccess) {
  std::map<trace::SiteId, Counter::PerSite> first;
  for (const int threads : {1, 4}) {
    Counter counter;
    const Finished run = launch("copy", {5}, {64}, {"buf:f32:310:zero", "buf:f32:310:iota", "i32:310"},
                                with(threads), 0, {&counter});
    ASSERT_TRUE(run.completed()) << run.error;
    EXPECT_EQ(counter.blocks, 5u);
    EXPECT_EQ(counter.parameters, 30u);
    ASSERT_EQ(counter.accesses.size(), 2u);  // the load and the store
    for (const auto& [site, count] : counter.accesses) {
      EXPECT_EQ(count.executions, 10u);
      EXPECT_EQ(count.lanes, 310u);
      EXPECT_EQ(count.affine, 10u);
    }
    std::size_t divergent = 0;
    for (const trace::Branch& branch : counter.branches) {
      divergent += branch.taken != 0 && branch.taken != branch.active;
    }
    EXPECT_EQ(divergent, 1u);  // the warp with the ragged end
    if (first.empty()) first = counter.accesses;
    EXPECT_EQ(counter.accesses, first);
  }
}

TEST(Core, ListenersHearBarriersAndMasks) {
  Counter counter;
  const Finished run =
      launch("block_reduce", {2}, {128}, {"buf:f32:2:zero", "buf:f32:256:iota"}, {}, 512, {&counter});
  ASSERT_TRUE(run.completed()) << run.error;
  EXPECT_EQ(run.buffer<float>(0), (std::vector<float>{8128.f, 24512.f}));
  EXPECT_EQ(counter.arrivals, counter.releases);
  EXPECT_EQ(counter.arrivals, 2u * 4 * 8);  // one before the loop, seven in it, for each warp
  EXPECT_GT(counter.masks, 8u);
  EXPECT_EQ(counter.issued, run.outcome.warp_instructions);
}

}  // namespace
}  // namespace warplens::simt::core
