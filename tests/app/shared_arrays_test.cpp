// The layout of shared memory: from the text of a kernel, and from what its traced accesses do.
#include "app/model/picture/shared_arrays.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <ctime>

#include "app/model/gallery/gallery.h"
#include "app/model/text/shared_declarations.h"

namespace warplens::model {
namespace {

using testing::ElementsAre;
using testing::Optional;

// As in FindLaunches.TimeGrowsWithLength: quadratic work takes 16 times.
TEST(SharedDeclarations, TimeGrowsWithLength) {
  const auto seconds = [](const std::string& part, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += part;
    const std::clock_t begin = std::clock();
    (void)shared_declarations(text, {});
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  for (const char* part : {"__shared__ ", "__shared__ int a[", "const int a = 1 + ", "__global__ "}) {
    const double few = std::max(0.002, seconds(part, 10000)), many = seconds(part, 40000);
    EXPECT_LT(many, 12 * few) << part << ": " << few << " s, then " << many << " s";
  }
}

TEST(SharedDeclarations, ExtentsAreConstantExpressions) {
  const auto found = shared_declarations(
      "#define TILE 16\n"
      "constexpr int PAD = 1;\n"
      "// __shared__ int no[3];\n"
      "template <int N> __global__ void __launch_bounds__(256) f(float* p) {\n"
      "  __shared__ __align__(16) float a[TILE][TILE + PAD], b[N][4];\n"
      "  extern __shared__ unsigned int rest[];\n"
      "  __shared__ volatile int one;\n"
      "}\n",
      {});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].function, "f");
  EXPECT_EQ(found[0].name, "a");
  EXPECT_EQ(found[0].type, "float");
  EXPECT_EQ(found[0].line, 5);
  EXPECT_THAT(found[0].extents, ElementsAre(Optional(16), Optional(17)));
  EXPECT_EQ(found[1].name, "b");
  EXPECT_THAT(found[1].extents, ElementsAre(std::nullopt, Optional(4)));
  EXPECT_EQ(found[2].type, "unsigned int");
  EXPECT_THAT(found[2].extents, ElementsAre(std::nullopt));
  EXPECT_TRUE(found[3].extents.empty());
}

TEST(SharedDeclarations, ADefineOfTheCommandLineGoesBeforeTheText) {
  const auto found = shared_declarations("#define W 8\n__shared__ int t[W];", {{"W", "32"}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].extents, ElementsAre(Optional(32)));
}

TEST(SharedDeclarations, HostileTextEnds) {
  for (const char* text : {"__shared__", "__shared__ float a[", "__shared__ (", "__global__ (",
                           "const int x =", "__shared__ float a[1][2", "__shared__ float a[](]),"})
    shared_declarations(text, {});
}

std::vector<visual::SharedArray> arrays_of(const std::string& kernel, const std::string& slider,
                                           std::int64_t value) {
  const auto gallery = load_gallery();
  const GalleryKernel* found = gallery ? gallery->find(kernel) : nullptr;
  if (!found) return {};
  SliderValues values = default_values(*found);
  values[slider] = value;
  const auto bound = launch_of(*found, values);
  if (!bound) return {};
  const auto program = load_program(program_request(*found, *bound));
  if (!program) return {};
  RunRequest request;
  request.program = *program;
  request.launch = bound->launch;
  const auto run = execute(request);
  return run ? shared_arrays(**run) : std::vector<visual::SharedArray>{};
}

TEST(SharedArrays, PaddingAndSwizzleOfTheTransposeAreFound) {
  const auto plain = arrays_of("transpose_tile", "tile", 0);
  if (plain.empty()) GTEST_SKIP() << "no CUDA compiler here";
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_EQ(plain[0].name, "tile");
  EXPECT_EQ(plain[0].type, "float");
  EXPECT_THAT(plain[0].extents, ElementsAre(32, 32));
  EXPECT_EQ(plain[0].columns_used, 32);
  EXPECT_EQ(plain[0].swizzle_mask, 0u);

  const auto padded = arrays_of("transpose_tile", "tile", 1);
  ASSERT_EQ(padded.size(), 1u);
  EXPECT_THAT(padded[0].extents, ElementsAre(32, 33));
  EXPECT_EQ(padded[0].columns_used, 32);
  EXPECT_EQ(padded[0].swizzle_mask, 0u);

  const auto swizzled = arrays_of("transpose_tile", "tile", 2);
  ASSERT_EQ(swizzled.size(), 1u);
  EXPECT_EQ(swizzled[0].swizzle_mask, 31u);
  EXPECT_EQ(swizzled[0].swizzle_shift, 0);
}

TEST(SharedArrays, ASwizzleOfWholeFloat4sIsFoundAsOne) {
  const auto swizzled = arrays_of("padded_float4", "padding", 2);
  if (swizzled.empty()) GTEST_SKIP() << "no CUDA compiler here";
  ASSERT_EQ(swizzled.size(), 1u);
  EXPECT_EQ(swizzled[0].swizzle_mask, 7u);
  EXPECT_EQ(swizzled[0].swizzle_shift, 2);
}

TEST(SharedArrays, SeveralArraysLieOneBehindTheOther) {
  const auto both = arrays_of("matmul_tiled", "tile", 16);
  if (both.empty()) GTEST_SKIP() << "no CUDA compiler here";
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].offset, 0u);
  EXPECT_EQ(both[1].offset, both[0].bytes);
  EXPECT_NE(both[0].name, both[1].name);
}

}  // namespace
}  // namespace warplens::model
