// Host part removal on programs as people write them: what remains must be the device part, at its lines and
// columns.
#include "engine/source/host_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace warplens::source {
namespace {

using testing::HasSubstr;
using testing::Not;

const IncludeRule kDropAll = [](const std::string&, const std::string&) { return std::string{}; };

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    result.push_back(line);
  }
  return result;
}

// Every line is either as it was, or blank, or has blanks where something was taken out.
void expect_places_kept(const std::string& before, const std::string& after) {
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i)
    ASSERT_TRUE(after[i] == before[i] || after[i] == ' ') << "at byte " << i;
  EXPECT_EQ(std::count(before.begin(), before.end(), '\n'), std::count(after.begin(), after.end(), '\n'));
}

std::string strip(const std::string& text) {
  const DevicePart part = device_part(text, kDropAll);
  expect_places_kept(text, part.text);
  return part.text;
}

TEST(HostCode, AProgramWithMainStreamsAndVectors) {
  const std::string program = R"cu(#include <iostream>
#include <vector>
#include <chrono>
#include <cuda_runtime.h>

using namespace std;
#define N (1 << 20)
#define CHECK(call)                                                  \
  do {                                                               \
    cudaError_t err = (call);                                        \
    if (err != cudaSuccess) { std::cerr << cudaGetErrorString(err); exit(1); } \
  } while (0)

static float* g_buffer = nullptr;
std::vector<float> results;
const int kBlock = 256;

__device__ float square(float x) { return x * x; }

__global__ void scale(float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;  // a comment with { braces
  if (i < n) x[i] = a * square(x[i]);
}

void fill(std::vector<float>& v) {
  for (auto& e : v) e = 1.0f;
}

int main(int argc, char** argv) {
  std::vector<float> h(N);
  fill(h);
  auto start = std::chrono::high_resolution_clock::now();
  CHECK(cudaMalloc(&g_buffer, N * sizeof(float)));
  scale<<<(N + kBlock - 1) / kBlock, kBlock>>>(g_buffer, 2.0f, N);
  CHECK(cudaDeviceSynchronize());
  std::cout << R"(raw { string)" << "done }" << '}' << std::endl;
  return 0;
}
)cu";
  const std::string device = strip(program);
  EXPECT_THAT(device, Not(HasSubstr("main")));
  EXPECT_THAT(device, Not(HasSubstr("using namespace std")));
  EXPECT_THAT(device, Not(HasSubstr("iostream")));
  EXPECT_THAT(device, Not(HasSubstr("g_buffer")));
  EXPECT_THAT(device, Not(HasSubstr("results")));
  EXPECT_THAT(device, HasSubstr("const int kBlock = 256;"));
  EXPECT_THAT(device, HasSubstr("#define N (1 << 20)"));
  EXPECT_EQ(lines(device)[19], "__global__ void scale(float* x, float a, int n) {");
  EXPECT_EQ(lines(device)[17], "__device__ float square(float x) { return x * x; }");
}

TEST(HostCode, KeepsWhatKernelsNeed) {
  const std::string text = R"cu(
#define HD __host__ __device__
template <typename T> struct Vec { T x, y; HD T dot(const Vec& o) const { return x * o.x + y * o.y; } };
enum class Mode { Fast, Exact };
using Real = float;
typedef unsigned int word;
constexpr int kTile = 16;
constexpr int twice(int v) { return 2 * v; }
__constant__ float coefficients[kTile];
__device__ int counter;
namespace math { HD inline Real half(Real v) { return v / 2; } }
extern "C" __global__ void plain(float* p) { p[threadIdx.x] = math::half(p[0]); }
template <int B>
__global__ void __launch_bounds__(B) bounded(word* p) { p[0] = twice(B); }
template __global__ void bounded<128>(word*);
static_assert(kTile == 16, "tile");
)cu";
  EXPECT_EQ(strip(text), text);
}

TEST(HostCode, DropsHostFunctionsOfEveryKind) {
  for (const std::string host :
       {"void run(float* d) { k<<<1, 32>>>(d); }", "int add(int a, int b);",
        "static inline double now() { return 0; }",
        "template <class T> void check(T* p) { if (!p) throw 1; }", "__host__ void setup() {}",
        "dim3 grid(16, 16);", "const dim3 block = dim3(8, 8);", "std::vector<int> v{1, 2, 3};",
        "float table[4] = {1, 2, 3, 4};", "auto f = []() { return 3; };", "FILE* log_file;",
        "cudaStream_t stream;", "const double start = now();",
        "class Timer { cudaEvent_t a, b; public: Timer() {} void go(); };",
        "void Timer::go() { cudaEventRecord(a); }", "struct Image { std::vector<float> pixels; int w; };",
        "namespace { void helper() { std::cout << 1; } }", "TEST(Scale, Works) { EXPECT_EQ(1, 1); }"}) {
    const std::string stripped = strip(host + "\n__global__ void k(float* p) { *p = 1; }\n");
    EXPECT_EQ(lines(stripped)[1], "__global__ void k(float* p) { *p = 1; }") << host;
    const std::string rest = lines(stripped)[0];
    EXPECT_TRUE(rest.empty() || rest.rfind("namespace {", 0) == 0) << host << " left " << rest;
  }
}

TEST(HostCode, ClassesKeepTheirDeviceMembers) {
  const std::string text = R"cu(
struct Matrix {
  float* data;
  int width;
  Matrix(int w) : width{w}, data(nullptr) { cudaMalloc(&data, w * w * sizeof(float)); }
  ~Matrix() { cudaFree(data); }
  __device__ float& at(int r, int c) { return data[r * width + c]; }
  void print() const { std::cout << width; }
};
__global__ void zero(Matrix m) { m.at(0, 0) = 0; }
)cu";
  const std::string device = strip(text);
  EXPECT_THAT(device, HasSubstr("float* data;"));
  EXPECT_THAT(device, HasSubstr("__device__ float& at"));
  EXPECT_THAT(device, Not(HasSubstr("cudaMalloc")));
  EXPECT_THAT(device, Not(HasSubstr("std::cout")));
  EXPECT_THAT(device, HasSubstr("zero(Matrix m)"));
}

TEST(HostCode, ConditionalBracesDoNotUnbalance) {
  const std::string text = R"cu(
#ifdef FAST
__global__ void k(float* p, int) {
#else
__global__ void k(float* p) {
#endif
  p[0] = 1;
}
int main() { return 0; }
#if 0
int main2() { {{ }
#endif
__global__ void last(int* p) { *p = 2; }
)cu";
  const std::string device = strip(text);
  EXPECT_THAT(device, HasSubstr("p[0] = 1;"));
  EXPECT_THAT(device, Not(HasSubstr("int main()")));
  EXPECT_THAT(device, HasSubstr("#else"));
  EXPECT_THAT(device, HasSubstr("void last(int* p) { *p = 2; }"));
}

TEST(HostCode, MacrosThatMakeKernelsStay) {
  const std::string text = R"cu(
#define KERNEL(name, op) __global__ void name(float* p) { p[threadIdx.x] op 2; }
#define REPORT(x) printf(#x)
KERNEL(twice, *=)
KERNEL(plus, +=);
REPORT(now);
)cu";
  const std::string device = strip(text);
  EXPECT_THAT(device, HasSubstr("KERNEL(twice, *=)"));
  EXPECT_THAT(device, HasSubstr("KERNEL(plus, +=);"));
  EXPECT_THAT(device, Not(HasSubstr("REPORT(now)")));
}

TEST(HostCode, NamesTheKernels) {
  const auto part = device_part(
      "template <int B> __global__ void __launch_bounds__(B) f(int* p) {}\n"
      "extern \"C\" __global__ void g(int*);\nvoid h() {}\n",
      kDropAll);
  EXPECT_THAT(part.kernels, testing::ElementsAre("f", "g"));
}

TEST(HostCode, BrokenTextNeverHangsOrCrashes) {
  for (const std::string text : {"{",
                                 "}",
                                 "(",
                                 "\"",
                                 "'",
                                 "R\"(",
                                 "/*",
                                 "#",
                                 "#include",
                                 "#include <",
                                 "template <",
                                 "namespace",
                                 "namespace {",
                                 "struct",
                                 "<<<",
                                 "a<<<b",
                                 "__global__",
                                 "#define",
                                 "#if\n#else\n#else\n}",
                                 "extern \"C\" {",
                                 "\\",
                                 "struct A { struct B {"})
    EXPECT_EQ(device_part(text, kDropAll).text.size() >= text.size(), true) << text;
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "namespace a{";
  EXPECT_EQ(strip(deep).size(), deep.size());
}

TEST(HostCode, AProgramHasAMain) {
  for (const char* program :
       {"int main() { return 0; }", "int main(int argc, char** argv)\n{\n}\n",
        "void f() { main; }\nauto main() -> int { f(); }", "int main() try {} catch (...) {}"})
    EXPECT_TRUE(has_main(program)) << program;
  for (const char* none :
       {"__global__ void main_loop() {}", "int main();", "void f() { int main(3); }", "// int main() {}",
        "#if 0\nint main() {}\n#endif\n", "struct S { int main() { return 1; } };", "x = main(1)", ""})
    EXPECT_FALSE(has_main(none)) << none;
}

}  // namespace
}  // namespace warplens::source
