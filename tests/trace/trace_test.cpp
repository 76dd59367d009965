#include "engine/trace/trace.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <deque>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/base/place_name.h"

namespace warplens::trace {
namespace {

using testing::HasSubstr;

class TraceTest : public testing::Test {
 protected:
  TraceTest()
      : file_(std::filesystem::temp_directory_path() / ("warplens_trace_" + std::to_string(::getpid()))) {}
  ~TraceTest() override { std::filesystem::remove(file_); }

  // An access whose addresses the fixture keeps alive.
  Access access(LaneMask active, std::function<std::uint64_t(int)> address) {
    auto& addresses = storage_.emplace_back();
    for (int lane = 0; lane < 32; ++lane) addresses[static_cast<std::size_t>(lane)] = address(lane);
    Access out;
    out.site = 0;
    out.active = active;
    out.addresses = addresses.data();
    return out;
  }
  Access affine(std::uint64_t base, std::int64_t stride, LaneMask active = kFullMask) {
    const int first = active == 0 ? 0 : std::countr_zero(active);
    Access out =
        access(active, [&](int lane) { return base + static_cast<std::uint64_t>((lane - first) * stride); });
    out.affine = true;
    out.stride = stride;
    return out;
  }

  std::deque<std::array<std::uint64_t, 32>> storage_;
  std::filesystem::path file_;
};

Access of_block(std::uint64_t block, Access access) {
  access.warp.block = block;
  return access;
}

void expect_equal(const Access& given, const AccessView& kept) {
  EXPECT_EQ(kept.site, given.site);
  EXPECT_EQ(kept.warp, given.warp.warp);
  EXPECT_EQ(kept.space, given.space);
  EXPECT_EQ(kept.bytes, given.bytes);
  ASSERT_EQ(kept.active, given.active);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if ((given.active >> lane & 1u) == 0) continue;
    EXPECT_EQ(kept.addresses[lane], given.addresses[lane]) << lane;
    if (given.shared_addresses != nullptr) {
      EXPECT_EQ(kept.shared_addresses[lane], given.shared_addresses[lane]) << lane;
    }
  }
}

Trace record(const std::vector<Access>& accesses, RecorderOptions options = {}) {
  Recorder recorder(options);
  recorder.on_block_begin(0);
  for (const Access& access : accesses) recorder.on_access(access);
  recorder.on_block_end(0);
  return recorder.take();
}

// As blocks of a cluster do, and those that wait for each other.
TEST_F(TraceTest, BlocksThatTakeTurnsAreKeptApart) {
  RecorderOptions options;
  options.blocks = 2;
  Recorder recorder(options);
  const auto add = [&](std::uint64_t block, std::uint64_t base) {
    Access a = affine(base, 4);
    a.warp = {block, 0};
    recorder.on_access(a);
  };
  recorder.on_block_begin(0);
  recorder.on_block_begin(1);
  add(0, 1000);
  add(1, 2000);
  add(0, 3000);
  add(7, 9000);  // was never begun
  recorder.on_block_end(1);
  add(1, 9000);  // has ended
  add(0, 4000);
  recorder.on_block_end(0);
  const Trace trace = recorder.take();
  ASSERT_EQ(trace.blocks().size(), 2u);
  ASSERT_EQ(trace.size(), 4u);
  EXPECT_FALSE(trace.truncated());
  const std::uint64_t bases[] = {1000, 3000, 4000, 2000};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(trace.block_of(i), i < 3 ? 0u : 1u);
    EXPECT_EQ(trace.access(i).addresses[0], bases[i]);
  }
}

TEST_F(TraceTest, GivesBackWhatWasRecorded) {
  std::mt19937_64 random(7);
  std::vector<Access> accesses{affine(0x7f0000001000, 4), affine(4096, -128, 0xfff0u), affine(0, 0, 1u),
                               affine(1, std::int64_t{1} << 40)};
  accesses.push_back(access(kFullMask, [](int lane) {
    return 4096u + 4u * static_cast<unsigned>(lane % 16) + 1024u * static_cast<unsigned>(lane / 16);
  }));
  accesses.push_back(access(0xdeadbeefu, [&](int) { return random() % 100000; }));
  accesses.push_back(access(0x80000001u, [&](int) { return random(); }));
  accesses.push_back(access(0, [](int) { return 0u; }));
  Access copy =
      access(kFullMask, [](int lane) { return 0x7f1234500000u + 16u * static_cast<unsigned>(lane); });
  auto& shared = storage_.emplace_back();
  for (std::size_t lane = 0; lane < 32; ++lane) shared[lane] = 227 * 1024 - 16 * (lane + 1);
  copy.shared_addresses = shared.data();
  copy.bytes = 16;
  accesses.push_back(copy);
  copy.addresses = storage_[3].data();  // too far apart for 32 bits
  accesses.push_back(copy);
  // What comes again is kept in other ways than what comes first.
  const std::vector<Access> once = accesses;
  for (int again = 0; again < 3; ++again) accesses.insert(accesses.end(), once.begin(), once.end());
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    accesses[i].warp.warp = static_cast<std::uint32_t>(i % 32);
    accesses[i].space = i % 3 == 0 ? Space::Shared : i % 3 == 1 ? Space::Global : Space::Local;
    if (accesses[i].shared_addresses == nullptr) accesses[i].bytes = static_cast<std::uint8_t>(1u << (i % 6));
  }
  const Trace trace = record(accesses);
  ASSERT_EQ(trace.size(), accesses.size());
  for (std::size_t i = 0; i < accesses.size(); ++i) expect_equal(accesses[i], trace.access(i));
  ASSERT_TRUE(trace.save(file_));
}

// Bytes of a trace of `count` accesses, each.
double bytes_each(const std::vector<Access>& accesses) {
  const Trace trace = record(accesses, {.max_bytes = std::size_t{1} << 30});
  EXPECT_EQ(trace.size(), accesses.size());
  EXPECT_FALSE(trace.truncated());
  expect_equal(accesses[777], trace.access(777));
  return static_cast<double>(trace.memory_bytes()) / static_cast<double>(accesses.size());
}

TEST_F(TraceTest, WhatRepeatsTakesEightBytes) {
  std::vector<Access> lines, tiles;
  for (unsigned i = 0; i < 2000; ++i) {
    lines.push_back(affine(0x7f0000000000 + std::uint64_t{128} * i, 4));
    // 16x16 tiles: no single stride, but one pattern.
    tiles.push_back(access(kFullMask, [&](int lane) {
      return 65536u + 64u * i + 4u * static_cast<unsigned>(lane % 16) +
             4096u * static_cast<unsigned>(lane / 16);
    }));
  }
  EXPECT_LE(bytes_each(lines), 8.3);
  EXPECT_LE(bytes_each(tiles), 8.3);
}

TEST_F(TraceTest, LanesThatNeverRepeatTakeSixteenBytes) {
  std::vector<Access> accesses;
  for (unsigned i = 0; i < 2000; ++i) accesses.push_back(affine(4096 + 128 * i, 4, fmix32(i) | 1u));
  EXPECT_LE(bytes_each(accesses), 16.3);
}

// The worst there is for a buffer of a million floats: 20 bits a lane, and 16 bytes for the rest.
TEST_F(TraceTest, AGatherAtRandomTakesTheBitsOfItsDistances) {
  std::mt19937 random(5);
  std::vector<Access> accesses, wild;
  for (unsigned i = 0; i < 2000; ++i) {
    accesses.push_back(access(kFullMask, [&](int) { return 0x7f0000000000 + 4 * (random() % (1u << 20)); }));
    wild.push_back(access(kFullMask, [&](int) { return std::uint64_t{random()} << 32 | random(); }));
  }
  EXPECT_LE(bytes_each(accesses), 16.3 + 20 * 32 / 8);
  EXPECT_LE(bytes_each(wild), 16.3 + 64 * 32 / 8 + 28);  // and their upper halves differ
}

TEST_F(TraceTest, KeepsBranchesBarriersAndMasks) {
  Recorder recorder({});
  recorder.on_block_begin(3);
  recorder.on_branch({5, {3, 2}, 0xffu, 0x0fu, 1, 2, 3});
  recorder.on_barrier({6, {3, 1}, 0xffffu, Barrier::Phase::Release, 9});
  recorder.on_mask({{3, 4}, 0xf0u, 0x0fu, 77, std::uint64_t{1} << 40});
  recorder.on_block_end(3);
  const Trace trace = recorder.take();
  const BranchView branch = trace.branch(0);
  EXPECT_EQ(branch.site, 5u);
  EXPECT_EQ(branch.warp, 2u);
  EXPECT_EQ(branch.active, 0xffu);
  EXPECT_EQ(branch.taken, 0x0fu);
  const BarrierView barrier = trace.barrier(1);
  EXPECT_EQ(barrier.lanes, 0xffffu);
  EXPECT_EQ(barrier.phase, Barrier::Phase::Release);
  const MaskView mask = trace.mask(2);
  EXPECT_EQ(mask.warp, 4u);
  EXPECT_EQ(mask.exited, 0x0fu);
  EXPECT_EQ(mask.instruction, 77u);
  EXPECT_EQ(mask.warp_instruction, std::uint64_t{1} << 40);
  EXPECT_EQ(trace.block_of(2), 3u);
  EXPECT_EQ(trace.branch(1).active, 0u);  // not a branch
}

TEST_F(TraceTest, ForksJoinIntoAscendingBlocks) {
  Recorder recorder({.blocks = 4});
  const auto a = recorder.fork(), b = recorder.fork();
  const auto run = [&](Listener& listener, std::uint64_t block) {
    if (!listener.wants_block(block)) return;
    listener.on_block_begin(block);
    listener.on_access(of_block(block, affine(1000 * block, 4)));
    // Irregular, so that the pool of one block must be moved behind the other's.
    listener.on_access(of_block(block, access(kFullMask, [&](int lane) {
                                  return 1000 * block + 8u * static_cast<unsigned>(lane ^ 5);
                                })));
    listener.on_block_end(block);
  };
  run(*a, 1), run(*b, 0), run(*b, 2), run(*a, 3), run(*a, 4);
  recorder.join(*b);
  recorder.join(*a);
  const Trace trace = recorder.take();
  ASSERT_EQ(trace.blocks().size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(trace.blocks()[i].block, i);
    EXPECT_EQ(trace.access(2 * i).addresses[1], 1000 * i + 4);
    EXPECT_EQ(trace.access(2 * i + 1).addresses[1], 1000 * i + 8 * (1 ^ 5));
    EXPECT_EQ(trace.block_of(2 * i + 1), i);
  }
  EXPECT_FALSE(trace.truncated());
}

TEST_F(TraceTest, ChosenBlocksOnly) {
  Recorder recorder({.blocks = 1, .chosen = {7, 2}});
  EXPECT_TRUE(recorder.wants_block(7));
  EXPECT_TRUE(recorder.wants_block(2));
  EXPECT_FALSE(recorder.wants_block(0));
}

TEST_F(TraceTest, TheCapCutsTheSameWhateverTheThreads) {
  const auto run = [&](int workers) {
    RecorderOptions options{.blocks = 10};
    options.max_bytes = 2000;
    Recorder recorder(options);
    std::vector<std::unique_ptr<Listener>> forks;
    for (int i = 0; i < workers; ++i) forks.push_back(recorder.fork());
    for (std::uint64_t block = 0; block < 10; ++block) {
      Listener& fork = *forks[block % forks.size()];
      if (!fork.wants_block(block)) continue;
      fork.on_block_begin(block);
      for (unsigned i = 0; i < 10; ++i)
        fork.on_access(of_block(block, access(kFullMask, [&](int lane) {
                                  return (static_cast<unsigned>(lane) * 2654435761u) >> i;
                                })));
      fork.on_block_end(block);
    }
    for (auto& fork : forks) recorder.join(*fork);
    return recorder.take();
  };
  const Trace one = run(1), three = run(3);
  EXPECT_TRUE(one.truncated());
  EXPECT_TRUE(three.truncated());
  EXPECT_LE(one.memory_bytes(), 2100u);
  ASSERT_EQ(one.size(), three.size());
  EXPECT_GT(one.size(), 5u);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one.access(i).addresses, three.access(i).addresses);
}

Trace sample(std::deque<std::array<std::uint64_t, 32>>& storage) {
  Recorder recorder({.blocks = 2});
  for (std::uint64_t block = 0; block < 2; ++block) {
    recorder.on_block_begin(block);
    auto& addresses = storage.emplace_back();
    for (std::size_t lane = 0; lane < 32; ++lane) addresses[lane] = 4096 + 4 * (lane * 7 % 32) + 512 * block;
    Access access;
    access.site = 1;
    access.warp.block = block;
    access.active = kFullMask;
    access.addresses = addresses.data();
    recorder.on_access(access);
    recorder.on_branch({0, {block, 0}, 3u, 1u, 0, 0, 0});
    recorder.on_mask({{block, 0}, 1u, 0u, 12, 34});
    recorder.on_block_end(block);
  }
  Trace trace = recorder.take();
  trace.launch.kernel = "scale";
  trace.launch.grid = {2, 1, 1};
  trace.launch.block = {32, 1, 1};
  trace.launch.arguments.push_back(*parse_argument("buf:f32:1024:iota"));
  trace.buffers.push_back({0, "in", 4096, 4096, ElementType::F32});
  trace.blocks_total = 2;
  trace.sites.resize(2);
  trace.sites[0].kind = SiteKind::Branch;
  trace.sites[1].kind = SiteKind::Store;
  trace.sites[1].op = "st.global.f32";
  trace.sites[1].leader = 1;
  trace.sites[1].text = "out[i] = 2 * in[i];";
  return trace;
}

TEST_F(TraceTest, SavesAndLoads) {
  const Trace trace = sample(storage_);
  ASSERT_TRUE(trace.save(file_));
  Progress progress;
  const auto loaded = Trace::load(file_, &progress);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(progress.fraction(), 1.0);
  EXPECT_EQ(loaded->launch.kernel, "scale");
  EXPECT_EQ(loaded->launch.arguments[0].text, "buf:f32:1024:iota");
  EXPECT_EQ(loaded->sites[1].text, trace.sites[1].text);
  EXPECT_EQ(loaded->buffers[0].name, "in");
  EXPECT_EQ(loaded->blocks_total, 2u);
  ASSERT_EQ(loaded->size(), trace.size());
  EXPECT_EQ(loaded->access(0).kind, SiteKind::Store);
  EXPECT_EQ(loaded->access(0).addresses, trace.access(0).addresses);
  EXPECT_EQ(loaded->branch(1).taken, 1u);
  EXPECT_EQ(loaded->mask(2).warp_instruction, 34u);
  EXPECT_EQ(loaded->blocks()[1].block, 1u);
}

TEST_F(TraceTest, LoadingCanBeCancelledAndMissingFilesAreNamed) {
  ASSERT_TRUE(sample(storage_).save(file_));
  Progress progress;
  progress.cancel();
  const auto cancelled = Trace::load(file_, &progress);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().kind, ErrorKind::Cancelled);
  const auto missing = Trace::load(file_.string() + ".none");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text(), HasSubstr(".none"));
  EXPECT_FALSE(sample(storage_).save("/nonexistent-folder/trace"));
}

TEST_F(TraceTest, EveryPrefixAndEveryFlippedByteLoadsOrFailsCleanly) {
  ASSERT_TRUE(sample(storage_).save(file_));
  const auto whole = read_text(file_);
  ASSERT_TRUE(whole);
  const auto load = [&](const std::string& bytes) {
    std::istringstream in(bytes);
    return Trace::load(in, bytes.size(), "test");
  };
  for (std::size_t length = 0; length < whole->size(); ++length)
    EXPECT_FALSE(load(whole->substr(0, length))) << length;
  EXPECT_FALSE(load(*whole + "x"));
  EXPECT_EQ(Catalogue::load("zh")->text(load(*whole + "x").error()),
            "这不是可用的 Warplens 跟踪文件：末尾之后还有内容；请重新记录");
  for (std::size_t i = 0; i < whole->size(); ++i)
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      std::string broken = *whole;
      broken[i] = static_cast<char>(static_cast<unsigned char>(broken[i]) ^ flip);
      const auto loaded = load(broken);
      if (!loaded) continue;
      // Whatever was accepted must be readable without harm.
      for (std::size_t step = 0; step < loaded->size(); ++step) {
        (void)loaded->access(step);
        (void)loaded->block_of(step);
      }
      (void)loaded->describe(Space::Global, 4100);
    }
}

// Of more blocks than are wanted in the end those that were recorded whole are known, and some are kept.
TEST_F(TraceTest, SomeOfTheRecordedBlocksAreKept) {
  const auto record_into = [&](Recorder& recorder) {
    for (const std::uint64_t block : {1u, 3u, 5u, 8u}) {
      recorder.on_block_begin(block);
      for (int k = 0; k < 50; ++k)
        recorder.on_access(of_block(block, affine(4096 + 128 * static_cast<std::uint64_t>(k), 4)));
      recorder.on_block_end(block);
    }
  };
  Recorder all({.chosen = {1, 3, 5, 8}});
  record_into(all);
  EXPECT_EQ(all.whole(), (std::vector<std::uint64_t>{1, 3, 5, 8}));
  all.keep({3, 8});
  const Trace trace = all.take();
  ASSERT_EQ(trace.blocks().size(), 2u);
  EXPECT_EQ(trace.blocks()[0].block, 3u);
  EXPECT_EQ(trace.blocks()[1].block, 8u);
  EXPECT_FALSE(trace.truncated());
  Recorder small({.chosen = {1, 3, 5, 8}, .max_bytes = 600});
  record_into(small);
  EXPECT_LT(small.whole().size(), 4u) << "there was no room for the last";
}

TEST_F(TraceTest, VersionsAreTold) {
  ASSERT_TRUE(sample(storage_).save(file_));
  std::string bytes = *read_text(file_);
  bytes[7] = 9;
  std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes;
  const auto loaded = Trace::load(file_);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("version 9"));
}

TEST_F(TraceTest, DescribesAddresses) {
  Trace trace = sample(storage_);
  EXPECT_EQ(trace.describe(Space::Global, 4096), value_of("in[0]"));
  EXPECT_EQ(trace.describe(Space::Global, 4096 + 4 * 214), value_of("in[214]"));
  EXPECT_EQ(trace.describe(Space::Global, 8192), value_of("0x2000"));
  EXPECT_EQ(trace.describe(Space::Shared, 4096), value_of("0x1000"));
  const auto told_in = [&](const char* language, std::uint64_t address) {
    return Catalogue::load(language).value().text(
        Message{"place.itself", {{"place", trace.describe(Space::Global, address)}}});
  };
  EXPECT_EQ(told_in("en", 4096 + 31), "byte 3 of in[7]");
  EXPECT_EQ(told_in("zh", 4096 + 31), "in[7] 的第 3 个字节");
  trace.buffers[0].name = argument_name(2);
  EXPECT_EQ(told_in("en", 4096 + 28), "argument 2[7]");
  EXPECT_EQ(told_in("zh", 4096 + 28), "第 2 号参数[7]");
}

}  // namespace
}  // namespace warplens::trace
