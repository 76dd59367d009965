// Spaces, widths, atomics, asynchronous copies.
#include <gmock/gmock.h>

#include <bit>

#include "tests/simt/core_machine.h"

namespace warplens::simt::core {
namespace {

TEST(Memory, GenericPointersReachEverySpaceAtOnce) {
  const Finished run = launch("generic", {1}, {32}, {"buf:f32:32:zero", "buf:f32:32:iota"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<float>(0);
  for (std::size_t t = 0; t < 32; ++t) {
    const float value = static_cast<float>(t);
    const float expected = t % 4 == 0   ? value * 2
                           : t % 4 == 1 ? value * 3
                           : t % 4 == 2 ? value
                                        : static_cast<float>(1 << (t % 5));
    EXPECT_EQ(out[t], expected) << t;
  }
}

TEST(Memory, Constants) {
  const Finished run = launch("constants", {1}, {32}, {"buf:f32:32:zero", "i32:5"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<float>(0);
  for (std::size_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 129.f + static_cast<float>(1 << (t % 5)));
}

TEST(Memory, ModuleVariablesStartAnewInEveryLaunch) {
  for (int again = 0; again < 2; ++again) {
    const Finished run = launch("variables", {1}, {32}, {"buf:i32:32:zero"});
    ASSERT_TRUE(run.completed()) << run.error;
    const auto out = run.buffer<int>(0);
    for (int t = 0; t < 32; ++t) EXPECT_EQ(out[static_cast<std::size_t>(t)], 5 + 2 * t);
  }
}

TEST(Memory, Widths) {
  const Finished run =
      launch("widths", {1}, {32},
             {"buf:u8:32:zero", "buf:i16:32:zero", "buf:f64:32:zero", "buf:f32:128:iota", "buf:i8:32:hash"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto bytes = run.buffer<std::uint8_t>(0);
  const auto halves = run.buffer<std::int16_t>(1);
  const auto doubles = run.buffer<double>(2);
  const auto vectors = run.buffer<float>(3);
  for (std::uint32_t t = 0; t < 32; ++t) {
    const int x = static_cast<std::int8_t>(trace::fmix32(t));
    EXPECT_EQ(bytes[t], static_cast<std::uint8_t>(x + 3));
    EXPECT_EQ(halves[t], static_cast<std::int16_t>(x * 100));
    EXPECT_EQ(doubles[t], x * 0.5);
    for (std::uint32_t k = 0; k < 4; ++k) EXPECT_EQ(vectors[4 * t + k], static_cast<float>(4 * t + 3 - k));
  }
}

TEST(Memory, LocalArrays) {
  const Finished run = launch("local_array", {1}, {64}, {"buf:i32:64:zero", "i32:7"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<int>(0);
  for (int t = 0; t < 64; ++t) {
    int v[16];
    for (int i = 0; i < 16; ++i) v[(i * 5 + 7) & 15] = i * t;
    int sum = v[t & 15];
    for (int i = 0; i < 7; ++i) sum += v[i];
    EXPECT_EQ(out[static_cast<std::size_t>(t)], sum);
  }
}

TEST(Memory, AtomicsOfEveryKind) {
  const Finished run =
      launch("atomics", {2}, {32},
             {"buf:i32:8:zero", "buf:u32:8:zero", "buf:u64:4:zero", "buf:f32:1:zero", "buf:f64:1:zero"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto i = run.buffer<int>(0);
  EXPECT_EQ(i[0], 63 * 64 / 2);
  EXPECT_EQ(i[1], -63);
  EXPECT_EQ(i[2], 63);
  EXPECT_EQ(i[3], -128);
  const auto u = run.buffer<std::uint32_t>(1);
  std::uint32_t xored = 0, inc = 0, dec = 0, cas = 0;
  for (std::uint32_t t = 0; t < 64; ++t) {
    xored ^= t;
    inc = inc >= 6 ? 0 : inc + 1;
    dec = dec == 0 || dec > 9 ? 9 : dec - 1;
    if (cas == t) cas = t + 1;
  }
  EXPECT_EQ(u[0], 0u);
  EXPECT_EQ(u[1], 0xffffffffu);
  EXPECT_EQ(u[2], xored);
  EXPECT_EQ(u[3], inc);
  EXPECT_EQ(u[4], dec);
  EXPECT_EQ(u[5], cas);
  EXPECT_EQ(u[7], 3u);
  const auto l = run.buffer<std::uint64_t>(2);
  EXPECT_EQ(l[0], std::uint64_t{63 * 64 / 2} << 20);
  EXPECT_EQ(l[1], std::uint64_t{63} << 33);
  EXPECT_EQ(run.buffer<float>(3)[0], 32.f);
  EXPECT_EQ(run.buffer<double>(4)[0], 16.0);
}

TEST(Memory, AsynchronousCopiesLandWhenTheyAreWaitedFor) {
  for (const int wait : {1, 0}) {
    const Finished run = launch("async_copy", {1}, {64},
                                {"buf:f32:192:zero", "buf:f32:128:iota", "i32:" + std::to_string(wait)});
    ASSERT_TRUE(run.completed()) << run.error;
    const auto out = run.buffer<float>(0);
    for (std::size_t t = 0; t < 64; ++t) {
      const auto value = static_cast<float>(t);
      EXPECT_EQ(out[t], wait == 1 ? value : -1.f);
      EXPECT_EQ(out[t + 64], -1.f);
      EXPECT_EQ(out[t + 128], value + 64.f);
    }
  }
}

TEST(Memory, BulkCopiesCompleteAnMbarrier) {
  const Finished run =
      launch("memory_barrier", {2}, {256}, {"buf:f32:256:zero", "buf:f32:256:iota"}, all_checks());
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<float>(0);
  for (std::size_t t = 0; t < 256; ++t) EXPECT_EQ(out[t], static_cast<float>(255 - t));
}

TEST(Memory, MatrixRowsAsTheHardwareDealsThem) {
  const Finished run = launch("matrix_rows", {1}, {32}, {"buf:u32:160:zero"}, all_checks());
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<std::uint32_t>(0);
  for (std::uint32_t l = 0; l < 32; ++l) {
    for (std::uint32_t m = 0; m < 4; ++m) {
      const std::uint32_t low = (8 * m + l / 4) * 8 + 2 * (l % 4);
      EXPECT_EQ(out[32 * m + l], low | (low + 1) << 16);
    }
    const std::uint32_t low = 2 * (l % 4) * 8 + l / 4;
    EXPECT_EQ(out[128 + l], low | (low + 8) << 16);
  }
}

TEST(Memory, DeviceHeap) {
  const Finished run = launch("heap", {3}, {64}, {"buf:i32:64:zero"}, all_checks());
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<int>(0);
  for (int t = 0; t < 64; ++t) EXPECT_EQ(out[static_cast<std::size_t>(t)], 2 * t + 3);
}

}  // namespace
}  // namespace warplens::simt::core
