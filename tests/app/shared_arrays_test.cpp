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

std::shared_ptr<const Run> run_of(const std::string& kernel, const std::string& slider, std::int64_t value) {
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
  return run ? *run : nullptr;
}

std::vector<visual::SharedArray> arrays_of(const std::string& kernel, const std::string& slider,
                                           std::int64_t value) {
  const auto run = run_of(kernel, slider, value);
  return run ? shared_arrays(*run) : std::vector<visual::SharedArray>{};
}

TEST(ConstantArrays, DeclarationsAreReadLikeThoseOfSharedMemory) {
  const auto found = constant_declarations(
      "#define N 5\n__constant__ const float filter[N][N + 1] = {};\nstatic __device__ __constant__ int "
      "one;\n"
      "__shared__ float tile[8];",
      {});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "filter");
  EXPECT_EQ(found[0].type, "float");
  EXPECT_THAT(found[0].extents, testing::ElementsAre(5, 6));
  EXPECT_EQ(found[1].name, "one");
}

// What an address is called is what the kernel reads there: lane i reads coefficients[i % words].
TEST(ConstantArrays, LieWhereTheTraceSees) {
  const auto run = run_of("constant_memory", "words", 8);
  if (!run) GTEST_SKIP() << "no CUDA compiler here";
  const auto arrays = constant_arrays(*run);
  ASSERT_EQ(arrays.size(), 1u);
  EXPECT_EQ(arrays[0].name, "coefficients");
  EXPECT_EQ(arrays[0].element_bytes, 4);
  EXPECT_EQ(arrays[0].extents, std::vector<int>{64});
  bool seen = false;
  for (std::size_t step = 0; step < run->trace.size() && !seen; ++step) {
    if (run->trace.steps()[step].kind != trace::StepKind::Access) continue;
    const trace::AccessView access = run->trace.access(step);
    if (access.space != trace::Space::Constant) continue;
    seen = true;
    for (std::size_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(access.addresses[lane], arrays[0].offset + 4 * (lane % 8)) << "lane " << lane;
  }
  EXPECT_TRUE(seen) << "loads of constants are part of the trace";
}

// A kernel whose constants are operands has no loads of them to step through.
TEST(ConstantArrays, OneIsRecordedOnlyWhereItIsLoaded) {
  const auto run = run_of("levels", "level", 0);
  if (!run) GTEST_SKIP() << "no CUDA compiler here";
  for (std::size_t step = 0; step < run->trace.size(); ++step) {
    if (run->trace.steps()[step].kind != trace::StepKind::Access) continue;
    EXPECT_EQ(run->trace.access(step).space, trace::Space::Global);
  }
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
