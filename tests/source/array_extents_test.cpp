#include "engine/source/array_extents.h"

#include <gtest/gtest.h>

namespace warplens::source {
namespace {

using Extents = std::vector<std::uint64_t>;

Extents of(std::string_view text, std::uint64_t bytes, std::uint64_t width = 4,
           const std::vector<Define>& defines = {}) {
  return extents_of_array(text, defines, "tile", bytes, width);
}

TEST(ArrayExtents, NumbersMacrosAndConstants) {
  EXPECT_EQ(of("__shared__ float tile[32][33];", 32 * 33 * 4), (Extents{32, 33}));
  EXPECT_EQ(of("#define T 16\n__shared__ float tile[T][T + 1];", 16 * 17 * 4), (Extents{16, 17}));
  EXPECT_EQ(of("constexpr int T = 8, R = 2;\n__shared__ int tile[R * T][T][3];", 16 * 8 * 3 * 4),
            (Extents{16, 8, 3}));
  EXPECT_EQ(of("__shared__ float a[4], tile[T][2];", 10 * 4, 4, {{"T", "5"}}), (Extents{5, 2}));
  EXPECT_EQ(of("__constant__ double tile[3][3];", 72, 8), (Extents{3, 3}));
}

TEST(ArrayExtents, VectorsHaveTheirElementsBytes) {
  EXPECT_EQ(of("__shared__ float4 tile[8][9];", 8 * 9 * 16, 4), (Extents{8, 9}));
}

TEST(ArrayExtents, ATemplatesParameterFollowsFromTheSize) {
  EXPECT_EQ(of("template <int T> __global__ void k() { __shared__ float tile[T][T + 1]; }", 24 * 25 * 4),
            (Extents{24, 25}));
  EXPECT_EQ(of("template <int A, int B> __global__ void k() { __shared__ float tile[A][B]; }", 64 * 4),
            Extents{});
}

TEST(ArrayExtents, WhatDoesNotFitIsNotBelieved) {
  EXPECT_EQ(of("__shared__ float tile[32][32];", 32 * 33 * 4), Extents{});
  EXPECT_EQ(of("__shared__ float tile[1024];", 4096), Extents{});
  EXPECT_EQ(of("float tile[32][32];", 4096), Extents{});
  EXPECT_EQ(of("__shared__ float tile[32][32]; { __shared__ float tile[16][64]; }", 4096), Extents{});
  EXPECT_EQ(of("__shared__ float tile[", 4096), Extents{});
  EXPECT_EQ(of("__shared__ float tile[0][x/0];", 4096), Extents{});
  EXPECT_EQ(of("", 0), Extents{});
}

}  // namespace
}  // namespace warplens::source
