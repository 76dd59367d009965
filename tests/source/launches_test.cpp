#include "engine/source/launches.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "engine/source/compile.h"
#include "engine/source/constants.h"
#include "engine/source/host_code.h"

namespace warplens::source {
namespace {

std::vector<HostLaunch> launches_in(const std::string& text) {
  return read_host({.file = "kernel.cu", .text = text}).launches;
}

std::optional<double> value(const std::string& text) {
  Constants constants;
  constants.define_macro("BLOCK 256");
  constants.define_macro("DIV_UP(a, b) (((a) + (b) - 1) / (b))");
  constants.set("n", {false, 1000, 0.0});
  const auto tokens = tokenize(text);
  const auto result = constants.evaluate(tokens);
  return result ? std::optional(result->number()) : std::nullopt;
}

TEST(Constants, FollowTheRulesOfTheLanguage) {
  EXPECT_EQ(value("(n + BLOCK - 1) / BLOCK"), 4);
  EXPECT_EQ(value("1 << 20"), 1 << 20);
  EXPECT_EQ(value("2 + 3 * 4 % 5"), 4);
  EXPECT_EQ(value("DIV_UP(n, 32)"), 32);
  EXPECT_EQ(value("n * sizeof(float)"), 4000);
  EXPECT_EQ(value("(int)ceil((float)n / 256)"), 4);
  EXPECT_EQ(value("static_cast<int>(3.9)"), 3);
  EXPECT_EQ(value("std::min(n, 12)"), 12);
  EXPECT_EQ(value("n > 5 ? 1 : 2"), 1);
  EXPECT_EQ(value("argc > 1 ? atoi(argv[1]) : 64"), 64);
  EXPECT_EQ(value("0x10'00"), 0x1000);
  EXPECT_EQ(value("-~3"), 4);
}

TEST(Constants, DoubtIsNotAValue) {
  for (const char* text :
       {"m", "n / 0", "n +", "f(n)", "(n", "atoi(argv[1])", "sizeof(Particle)", "n % 2.0", ""})
    EXPECT_EQ(value(text), std::nullopt) << text;
}

TEST(Constants, DoublingMacrosAndDeepNestingEnd) {
  std::string definitions;
  Constants constants;
  std::vector<std::string> lines = {"A0 1"};
  for (int i = 1; i < 39; ++i)
    lines.push_back("A" + std::to_string(i) + " A" + std::to_string(i - 1) + "+A" + std::to_string(i - 1));
  lines.push_back("LOOP LOOP");
  for (const std::string& line : lines) constants.define_macro(line);
  for (const std::string& text : {std::string("A38"), std::string("LOOP"), std::string(100000, '('),
                                  std::string(100000, '-'), std::string(100000, '?')}) {
    const auto tokens = tokenize(text);
    EXPECT_FALSE(constants.evaluate(tokens));
  }
}

TEST(FindLaunches, GridBlockAndSizesFromConstants) {
  const auto launches = launches_in(R"cu(
#define BLOCK 128
constexpr int kCount = 1 << 16;
inline int blocks_for(int n, int b) { return (n + b - 1) / b; }
__global__ void scale(float* x, float a, int n) {}
int main() {
  const int n = kCount;
  size_t bytes = n * sizeof(float);
  float *x;
  cudaMalloc(&x, bytes);
  scale<<<blocks_for(n, BLOCK), BLOCK, 64 * sizeof(float), stream>>>(x, 2.5f, n);
}
)cu");
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].kernel, "scale");
  EXPECT_EQ(launches[0].grid, (Dim3{512, 1, 1}));
  EXPECT_EQ(launches[0].block, (Dim3{128, 1, 1}));
  EXPECT_EQ(launches[0].shared_bytes, 256u);
  EXPECT_EQ(launches[0].line, 11);
  ASSERT_EQ(launches[0].arguments.size(), 3u);
  EXPECT_EQ(launches[0].arguments[1].text, "2.5f");
  EXPECT_EQ(launches[0].arguments[0].bytes, 4u << 16);
  EXPECT_EQ(launches[0].arguments[1].value, 2.5);
  EXPECT_EQ(launches[0].arguments[2].value, 65536);
}

constexpr const char* kKernels = R"cu(
__global__ void a(float* p) {} __global__ void b(float* p, int w) {} __global__ void c(float* p) {}
__global__ void d(float* p) {} __global__ void k(float* p) {}
)cu";

TEST(FindLaunches, Dim3InEverySpelling) {
  const auto launches = launches_in(std::string(kKernels) + R"cu(
int n();
int main() {
  float* p;
  const int w = 100, h = 60;
  dim3 block(16, 8), grid((w + block.x - 1) / 16, 5);
  dim3 g2 = dim3(7, 8);
  dim3 g3{3, 4, 5}, g4;
  g4.x = w / 20;
  g4.y = h / 20;
  a<<<g2, block>>>(p);
  b<<<g3, dim3(32)>>>(p, w);
  c<<<{2, 2}, {4, 4, 4}>>>(p);
  k<<<grid, block>>>(p);
  k<<<g4, 32>>>(p);
  d<<<n(), 32>>>(p);
}
)cu");
  ASSERT_EQ(launches.size(), 6u);
  EXPECT_EQ(launches[0].grid, (Dim3{7, 8, 1}));
  EXPECT_EQ(launches[0].block, (Dim3{16, 8, 1}));
  EXPECT_EQ(launches[1].grid, (Dim3{3, 4, 5}));
  EXPECT_EQ(launches[1].arguments[1].value, 100);
  EXPECT_EQ(launches[2].block, (Dim3{4, 4, 4}));
  EXPECT_EQ(launches[3].grid, (Dim3{7, 5, 1}));
  EXPECT_EQ(launches[4].grid, (Dim3{5, 3, 1}));
  EXPECT_EQ(launches[5].grid, std::nullopt);
  ASSERT_TRUE(launches[5].grid_doubt);
  EXPECT_EQ(launches[5].grid_doubt->name, "n");
}

// What nobody passes is a number of ours, or unknown: never a launch of one thread.
TEST(FindLaunches, WhatIsNotPassedIsSaid) {
  const auto launches = launches_in(std::string(kKernels) + R"cu(
void go(float* p, int n, dim3 g) {
  k<<<(n + 31) / 32, 32>>>(p);
  a<<<g, 32>>>(p);
}
)cu");
  ASSERT_EQ(launches.size(), 2u);
  ASSERT_TRUE(launches[0].grid_doubt);
  EXPECT_TRUE(launches[0].grid_doubt->assumed);
  EXPECT_EQ(launches[0].grid_doubt->name, "n");
  EXPECT_EQ(launches[0].grid_doubt->why, Doubt::Why::Caller);
  EXPECT_EQ(launches[1].grid, std::nullopt);
  EXPECT_FALSE(launches[1].arguments[0].bytes);
}

TEST(FindLaunches, InstancesOfTemplates) {
  EXPECT_THAT(read_host({.text = R"cu(
struct Pixel { float r; };
template <int B, bool Fast = true> __global__ void reduce(float* x) {}
template <typename T> __global__ void add(T* x, const T* y, int n) {}
template <typename T, int B> __global__ void both(T* x) {}
template <typename T, int N> void run(T* p) { both<T, N><<<1, 32>>>(p); }
template __global__ void add<short>(short*, const short*, int);
int main(int argc, char** argv) {
  constexpr int kBlock = 256;
  double *a, *b;
  float* x;
  Pixel* p;
  int* q;
  reduce<kBlock><<<4, kBlock>>>(x);
  add<<<1, 32>>>(a, b, 5);
  both<Pixel, 8><<<1, 32>>>(p);
  run<int, kBlock / 2>(q);
  if (argc > 7) reduce<2 * 64, false><<<4, 128>>>(x);
}
)cu"})
                  .instances,
              testing::UnorderedElementsAre("reduce<256>", "reduce<128, false>", "add<double>", "add<short>",
                                            "both<Pixel, 8>", "both<int, 128>"));
}

TEST(FindLaunches, ParametersAsDeclared) {
  const auto kernels = read_host({.text = R"cu(
namespace ns {
extern "C" __global__ void __launch_bounds__(256)
plain(const float* __restrict__ in, float (&rows)[4],
#ifdef NEVER
      int gone,
#endif
      unsigned long long count = 3) {}
}
#define MAKE(T) __global__ void make_##T(T* data) {}
MAKE(double)
)cu"})
                           .kernels;
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "ns::plain");
  ASSERT_EQ(kernels[0].parameters.size(), 3u);
  EXPECT_EQ(kernels[0].parameters[0].name, "in");
  EXPECT_EQ(kernels[0].parameters[0].type, "const float*");
  EXPECT_EQ(kernels[0].parameters[1].name, "rows");
  EXPECT_EQ(kernels[0].parameters[2].name, "count");
  EXPECT_EQ(kernels[1].name, "make_double");
  EXPECT_EQ(kernels[1].parameters[0].type, "double*");
}

TEST(FindLaunches, BrokenTextIsHarmless) {
  for (const char* text :
       {"<<<", "k<<<", "k<<<1", "k<<<1,2>>>", "k<<<1,2>>>(", "<1><<<1,2>>>()", "a=", "dim3 a(", "cudaMalloc(",
        "template <", "template <class T", "int f(int a) { return", ">>><<<>>>()"})
    EXPECT_TRUE(launches_in(text).empty()) << text;
}

// Four times the text may take four times the time, and thrice that for caches and a busy machine; quadratic
// work takes 16 times. {0} is the number of the part, {1} the next.
TEST(FindLaunches, TimeGrowsWithLength) {
  const auto seconds = [](const char* head, const char* part, const char* close, int count) {
    std::string text = head;
    for (int i = 0; i < count; ++i) text += fmt::format(fmt::runtime(part), i, i + 1);
    for (int i = 0; i < count; ++i) text += close;
    double least = 1e9;  // of several: others are at work on the machine
    for (int i = 0; i < 3; ++i) {
      const std::clock_t begin = std::clock();
      (void)launches_in(text);
      (void)device_part(
          text, [](const std::string&, const std::string& line) { return line; }, "");
      least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return least;
  };
  const char* const kernel = "template <typename T> __global__ void k(T* p) {}\n";
  const struct {
    const char *head, *part, *close;
  } texts[] = {{"", "int x = 1 + ", ""},
               {"", "template<int N> ", ""},
               {"", "k<<<", ""},
               {"", "a<b, ", ""},
               {"", "(", ""},
               {"", "k<<<1, 2>>>(a);\n", ""},
               {kernel, "k<<<1, 2>>>(p);\n", ""},
               {kernel, "k<int{0}><<<1, 2>>>(p{0});\n", ""},
               {"", "const ", ""},
               {"", "R\" ", ""},
               {"", "{{ ", ") "},
               {"", "{{\n#if A\n", ""},
               {"", "#if A\n{{\n#else\n(\n", ""},
               {"", "int a = (", ")"},
               {"", "cudaMalloc(p, ", ")"},
               {"", "k<<<1, 2>>>(", ")"},
               {"", "int f() {{ return ", ";}"},
               {"", "#define A{0} A{1}\n", ""},
               {"", "__global__ void k{0}() {{}} template void x{0}();\n", ""}};
  for (const auto& [head, part, close] : texts) {
    // Sixteen times the text: 256 times as long, were each part looked at for every other one.
    constexpr int kFew = 1000;
    const double few = std::max(0.002, seconds(head, part, close, kFew)),
                 many = seconds(head, part, close, 16 * kFew);
    EXPECT_LT(many, 100 * few) << part << ": " << few << " s, then " << many << " s";
  }
}

// Functions that call each other twice: two to the power of a few thousand calls, were each followed.
std::string doubling_functions() {
  std::string text = "__global__ void k(int x) {}\nint g0(int x) { return x; }\n";
  for (int i = 1; i < 400; ++i)
    text += fmt::format("int g{0}(int x) {{ return g{1}(x) + g{1}(x); }}\n", i, i - 1);
  for (int i = 1; i < 400; ++i) text += fmt::format("void h{0}() {{ k<<<g{0}(1), 32>>>(0); }}\n", i);
  return text;
}

TEST(FindLaunches, EndsWithAMessageWhenATextKeepsItBusy) {
  const std::string text = doubling_functions();
  const WorkLimit limit(CompileLimits{.seconds = 0.02}.reading());
  try {
    (void)launches_in(text);
    FAIL() << "not stopped";
  } catch (const WorkStopped& stopped) {
    const Error error = limit.error(stopped, "busy.cu");
    EXPECT_EQ(error.kind, ErrorKind::Compile);
    EXPECT_EQ(error.place.file, "busy.cu");
    EXPECT_NE(error.message.find("--compile-seconds"), std::string::npos) << error.message;
  }
}

TEST(FindLaunches, EndsWithAMessageWhenATextNeedsMoreMemoryThanItMay) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "int f(int x) { return x + 1; }\n";
  const WorkLimit limit(CompileLimits{.seconds = 60, .memory_mib = 20}.reading());
  try {
    (void)launches_in(text);
    FAIL() << "not stopped";
  } catch (const WorkStopped& stopped) {
    const Error error = limit.error(stopped, "large.cu");
    EXPECT_EQ(error.kind, ErrorKind::Compile);
    EXPECT_NE(error.message.find("20 MB of memory"), std::string::npos) << error.message;
  }
}

TEST(FindLaunches, StopsWhenTheUserDoes) {
  const std::string text = doubling_functions();
  Progress progress;
  progress.cancel();
  const WorkLimit limit(CompileLimits{}.reading(), &progress);
  try {
    (void)launches_in(text);
    FAIL() << "not stopped";
  } catch (const WorkStopped& stopped) {
    EXPECT_EQ(limit.error(stopped, "busy.cu").kind, ErrorKind::Cancelled);
  }
}

}  // namespace
}  // namespace warplens::source
