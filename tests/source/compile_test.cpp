// All three compilers on the same kernels. A compiler that is not installed skips its cases.
#include "engine/source/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "engine/base/assets.h"
#include "engine/source/diagnostics.h"
#include "engine/source/toolchain.h"

namespace warplens::source {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class Compile : public testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    for (const CompilerInfo& info : find_compilers())
      if (info.compiler == GetParam() && !info.available) GTEST_SKIP() << info.reason;
    folder_ = fs::temp_directory_path() / ("warplens_compile_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    ::setenv("WARPLENS_CACHE", (folder_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  CompileOptions options(const std::string& text) const {
    CompileOptions o;
    o.file = (folder_ / "kernel.cu").string();
    o.text = text;
    o.compiler = GetParam();
    return o;
  }
  fs::path folder_;
};

std::string name_of(const testing::TestParamInfo<Compiler>& info) {
  return std::string(name(info.param));
}
INSTANTIATE_TEST_SUITE_P(, Compile, testing::Values(Compiler::Nvrtc, Compiler::Nvcc, Compiler::Clang),
                         name_of);

TEST_P(Compile, MakesPtxWithLinesForTheArchitecture) {
  for (const char* arch : {"sm_75", "sm_80", "sm_90"}) {
    auto o = options("__global__ void twice(float* x) {\n  x[threadIdx.x] *= 2.0f;\n}\n");
    o.arch = arch;
    const auto ptx = compile(o);
    ASSERT_TRUE(ptx) << ptx.error().text();
    EXPECT_THAT(ptx->text, HasSubstr(".visible .entry _Z5twicePf"));
    EXPECT_THAT(ptx->text, HasSubstr(std::string(".target ") + arch));
    EXPECT_THAT(ptx->text, testing::ContainsRegex("\\.loc[ \t]+[0-9]+ 2 "));
    EXPECT_THAT(ptx->text, HasSubstr("kernel.cu"));
    EXPECT_EQ(ptx->compiler, GetParam());
  }
}

TEST_P(Compile, AnArchitectureThatIsNotThereIsRefusedInOurWords) {
  auto o = options("__global__ void twice(float* x) { x[threadIdx.x] *= 2.0f; }\n");
  o.arch = "sm_12";
  const auto ptx = compile(o);
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().kind, ErrorKind::Usage);
  EXPECT_THAT(ptx.error().message, HasSubstr("compiles nothing for sm_12"));
  EXPECT_THAT(ptx.error().message, HasSubstr("--arch"));
}

// The built-ins that issue and textbook kernels use, all in one file.
constexpr const char* kBuiltIns = R"cu(
#include <cstdio>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>
__constant__ float weights[32];
extern __shared__ float dynamic[];
__global__ void everything(float* a, const float4* __restrict__ v, int* counter, unsigned* bits, double* d, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n) return;
  tile[threadIdx.y & 31][threadIdx.x & 31] = __ldg(a + x);
  dynamic[threadIdx.x] = weights[x & 31];
  __syncthreads();
  float4 q = v[x];
  float s = q.x + q.y * sinf(q.z) + cosf(q.w) + expf(q.x) + logf(fabsf(q.y) + 1) + powf(2.0f, q.z) + sqrtf(2.0f);
  s += rsqrtf(3.0f) + fminf(q.x, q.y) + fmaxf(q.z, q.w) + floorf(s) + tanhf(s) + fmaf(s, s, s) + fmodf(s, 3.0f);
  for (int k = 16; k > 0; k /= 2) s += __shfl_down_sync(0xffffffff, s, k);
  s += __shfl_xor_sync(0xffffffff, s, 1) + __shfl_up_sync(0xffffffff, s, 1) + __shfl_sync(0xffffffff, s, 0);
  unsigned vote = __ballot_sync(0xffffffff, s > 0);
  if (__any_sync(0xffffffff, x == 3) || __all_sync(0xffffffff, x > 3)) vote ^= __activemask();
  bits[x] = __popc(vote) + __clz(vote) + __ffs(vote) + __brev(vote);
  atomicAdd(counter, 1); atomicAdd(a, s); atomicMax(counter, x); atomicMin(counter, y); atomicCAS(counter, 0, 1);
  atomicExch(counter, 2); atomicOr(bits, 1u); atomicAnd(bits, 3u); atomicXor(bits, 7u); atomicSub(counter, 1);
  d[x] = sqrt((double)s) + exp(d[x]) + pow(d[x], 1.5) + fabs(d[x]) + min(1.0, d[x]);
  a[x] = tile[threadIdx.x & 31][threadIdx.y & 31] + min(x, y) + max(1, n) + abs(-x) + __expf(s) + __fdividef(s, 3.0f);
  assert(x < n);
  if (x == 0) printf("%f %d\n", s, n);
  __syncwarp(); __threadfence();
  float2 two = make_float2(1, 2); int4 four = make_int4(1, 2, 3, 4);
  a[x] += two.x + four.w + __int_as_float(__float_as_int(s)) + (float)sizeof(uint64_t);
}
)cu";

TEST_P(Compile, HasTheBuiltInsThatPeopleUse) {
  for (const char* arch : {"sm_75", "sm_90"}) {
    auto o = options(kBuiltIns);
    o.arch = arch;
    const auto ptx = compile(o);
    ASSERT_TRUE(ptx) << ptx.error().text() << "\n" << testing::PrintToString(ptx.error().notes);
    EXPECT_THAT(ptx->text, HasSubstr("shfl.sync.down"));
    EXPECT_THAT(ptx->text, HasSubstr("ld.global.nc.v4"));
    EXPECT_THAT(ptx->text, HasSubstr("vprintf"));
    if (!find_toolchain(SearchPlaces::from_environment()).ptxas.path.empty()) {
      const auto info = assemble(ptx->text, arch);
      ASSERT_TRUE(info) << info.error().text() << testing::PrintToString(info.error().notes);
      EXPECT_GT(info->kernels.at(0).registers, 8);
      EXPECT_EQ(info->kernels.at(0).static_shared, 32 * 33 * 4);
    }
  }
}

TEST_P(Compile, HalfAndCooperativeGroups) {
  const auto ptx = compile(options(R"cu(
#include <cuda_fp16.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void f(__half* h, float* out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  float v = __half2float(h[block.thread_rank()]);
  for (int i = tile.size() / 2; i > 0; i /= 2) v += tile.shfl_down(v, i);
  block.sync();
  h[threadIdx.x] = __float2half(v) + h[threadIdx.x];
  if (tile.thread_rank() == 0) out[blockIdx.x] = v;
}
)cu"));
  ASSERT_TRUE(ptx) << ptx.error().text() << testing::PrintToString(ptx.error().notes);
  EXPECT_THAT(ptx->text, HasSubstr("shfl.sync.down"));
}

// Twice as many instances at every level.
constexpr const char* kEndless =
    "template <int N, int B> struct S { int v = S<N - 1, 2 * B>().v + S<N - 1, 2 * B + 1>().v; };\n"
    "template <int B> struct S<0, B> { int v = B; };\n"
    "__global__ void f(int* x) { *x = S<30, 1>().v; }\n";

TEST_P(Compile, HasThePartOfTheStandardLibraryThatDeviceCodeUses) {
  const auto ptx = compile(options(R"cu(
#include <array>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#ifndef __NVCC__
#error "this is CUDA C++"
#endif
enum class Kind : unsigned char { first };
struct Point { int x; };
template <int N> struct Large : std::bool_constant<(N > 2)> {};
template <class A, class B> __device__ std::common_type_t<A, B> sum(A a, B b) { return a + b; }
static_assert(std::is_same_v<std::common_type_t<char, short, long>, long>);
static_assert(std::is_same_v<std::make_unsigned_t<int>, unsigned>);
static_assert(std::is_same_v<std::decay_t<const int[4]>, const int*>);
static_assert(std::is_same_v<std::remove_cv_t<const volatile int>, int>);
static_assert(std::is_same_v<std::underlying_type_t<Kind>, unsigned char>);
static_assert(Large<3>::value && !Large<1>::value && std::is_signed_v<int> && !std::is_signed_v<unsigned>);
static_assert(std::is_enum_v<Kind> && std::is_class_v<Point> && std::is_arithmetic_v<float>);
static_assert(std::conjunction_v<std::is_integral<int>, std::is_pointer<int*>>);
static_assert(std::numeric_limits<int>::digits == 31 && std::numeric_limits<float>::digits == 24);
static_assert(SHRT_MIN == -32768 && USHRT_MAX == 65535 && INT16_MAX == 32767 && FLT_DIG == 6 && CHAR_BIT == 8);
__global__ void f(int* p, float* q) {
  p[0] = (int)sum(p[1], 2.5f) + Large<5>::value;
  q[0] = (float)M_LN10 + FLT_EPSILON;
}
)cu"));
  ASSERT_TRUE(ptx) << ptx.error().text() << testing::PrintToString(ptx.error().notes);
}

// Texts that would keep a compiler busy for ever, or fill all memory.
TEST_P(Compile, IsStoppedAtItsLimits) {
  CompileOptions o = options(kEndless);
  o.limits = {.seconds = 2, .memory_mib = 1024};
  const auto start = std::chrono::steady_clock::now();
  const auto ptx = compile(o);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().kind, ErrorKind::Compile);
  EXPECT_EQ(ptx.error().place.file, o.file);
  EXPECT_THAT(ptx.error().message,
              testing::AnyOf(HasSubstr("--compile-seconds"), HasSubstr("--compile-memory")));
  if (GetParam() == Compiler::Nvrtc) {  // its front end notices, and says so in its own words
    o.limits = {.seconds = 20, .memory_mib = 256};
    const auto full = compile(o);
    ASSERT_FALSE(full);
    EXPECT_THAT(full.error().message, HasSubstr("--compile-memory"));
  }
  // An #include that never ends either fails or is nothing, and the next compilation works.
  o.text = "#include \"/dev/zero\"\n__global__ void f(int* x) { *x = 1; }";
  EXPECT_LT((static_cast<void>(compile(o)), std::chrono::steady_clock::now() - start),
            std::chrono::seconds(30));
  EXPECT_TRUE(compile(options("__global__ void f(int* x) { *x = 1; }")));
}

TEST_P(Compile, StopsAtOnceWhenTheUserCancels) {
  CompileOptions o = options(kEndless);
  Progress progress;
  o.progress = &progress;
  std::chrono::steady_clock::time_point asked;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    asked = std::chrono::steady_clock::now();
    progress.cancel();
  });
  const auto ptx = compile(o);
  user.join();
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().kind, ErrorKind::Cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(3));
}

TEST_P(Compile, TakesAWholeProgram) {
  const std::string program = R"cu(
#include <iostream>
#include <vector>
#include <chrono>
#include <unistd.h>

#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \
  std::cerr << cudaGetErrorString(e); std::exit(1); } } while (0)
template <typename T, int BLOCK>
__global__ void sum(const T* in, T* out, int n) {
  __shared__ T part[BLOCK];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : T(0);
  __syncthreads();
  if (threadIdx.x == 0) for (int k = 1; k < BLOCK; ++k) part[0] += part[k];
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
static float host_sum(const std::vector<float>& v) { float s = 0; for (float x : v) s += x; return s; }
int main() {
  constexpr int kBlock = 128;
  const int n = 1 << 16;
  std::vector<float> h(n, 1.0f);
  float *in, *out;
  CHECK(cudaMalloc(&in, n * sizeof(float)));
  CHECK(cudaMalloc(&out, n / kBlock * sizeof(float)));
  auto t = std::chrono::steady_clock::now();
  sum<float, kBlock><<<n / kBlock, kBlock>>>(in, out, n);
  CHECK(cudaGetLastError());
  std::cout << host_sum(h) << std::endl;
}
)cu";
  const auto ptx = compile(options(program));
  ASSERT_TRUE(ptx) << ptx.error().text() << testing::PrintToString(ptx.error().notes);
  EXPECT_THAT(ptx->text, HasSubstr(".entry _Z3sumIfLi128EEvPKT_PS0_i"));
  EXPECT_THAT(ptx->text, testing::ContainsRegex("\\.loc[ \t]+[0-9]+ 14 "));
}

TEST_P(Compile, ClassesNamespacesAndStdMathOfAProgram) {
  const auto ptx = compile(options(R"cu(
#include <cmath>
#include <memory>
#include <type_traits>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#define HD __host__ __device__ __forceinline__
namespace sim {
constexpr float kStep = 0.01f;
__constant__ float gravity[3] = {0.f, -9.81f, 0.f};
struct alignas(16) Body { float4 position, speed; };
class Simulation {
 public:
  explicit Simulation(int n) : n_(n), host_(std::make_unique<Body[]>(n)) {}
  void step();
 private:
  int n_;
  std::unique_ptr<Body[]> host_;
};
HD float3 operator+(const float3& a, const float3& b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
template <typename T> HD typename std::enable_if<std::is_integral<T>::value, T>::type twice(T v) { return 2 * v; }
__global__ void integrate(Body* b, int n) {
  extern __shared__ float4 tile[];
  auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  tile[threadIdx.x] = b[threadIdx.x].position;
  __syncthreads();
  float3 a = {0, 0, 0};
  for (int j = 0; j < n; ++j) a = a + make_float3(tile[j].x, tile[j].y, std::sqrt(tile[j].z));
  a.x = cooperative_groups::reduce(warp, a.x, cooperative_groups::plus<float>());
  b[twice(threadIdx.x)].speed.x += a.x * kStep + gravity[1] + std::pow(2.0f, a.z) + std::fabs(a.y);
}
void Simulation::step() { integrate<<<dim3((n_ + 127) / 128), 128, 128 * sizeof(float4)>>>(nullptr, n_); }
}
int main() { sim::Simulation s(1024); s.step(); auto f = [](int x) { return x + 1; }; return f(-1); }
)cu"));
  ASSERT_TRUE(ptx) << ptx.error().text() << testing::PrintToString(ptx.error().notes);
  EXPECT_THAT(ptx->text, HasSubstr("_ZN3sim9integrateEPNS_4BodyEi"));
}

TEST_P(Compile, NamesThePlaceOfAnError) {
  const auto ptx = compile(
      options("#include <iostream>\n__global__ void f(float* x) {\n    x[0] = y;\n}\nint main() {}\n"));
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().kind, ErrorKind::Compile);
  EXPECT_EQ(ptx.error().place.line, 3);
  EXPECT_EQ(ptx.error().place.column, 12);
  EXPECT_EQ(ptx.error().place.file, (folder_ / "kernel.cu").string());
  EXPECT_THAT(ptx.error().message, HasSubstr("y"));
  for (const std::string& note : ptx.error().notes)  // said once
    EXPECT_EQ(note.find(ptx.error().message), std::string::npos) << note;
}

TEST_P(Compile, WarningsComeWithTheirPlace) {
  const auto ptx =
      compile(options("__global__ void f(float* x) {\n  unsigned i = threadIdx.x;\n  if (i = 3) x[i] = 1;\n  "
                      "const int unused = 3;\n  x[1] = 1 / 0;\n}\n"));
  ASSERT_TRUE(ptx) << ptx.error().text();
  ASSERT_FALSE(ptx->warnings.empty());
  EXPECT_GE(ptx->warnings[0].place.line, 3);
}

TEST_P(Compile, DefinesAndInstances) {
  auto o = options("template <class T, int K> __global__ void f(T* x) { x[TILE] = K; }\n");
  o.defines = {{"TILE", "16"}};
  o.instances = {"f<int, 4>", "f<float, 8>"};
  const auto ptx = compile(o);
  ASSERT_TRUE(ptx) << ptx.error().text() << testing::PrintToString(ptx.error().notes);
  EXPECT_THAT(ptx->text, HasSubstr(".entry _Z1fIiLi4EEvPT_"));
  EXPECT_THAT(ptx->text, HasSubstr(".entry _Z1fIfLi8EEvPT_"));
  EXPECT_THAT(ptx->text, HasSubstr("+64]"));
  o.instances = {"g<int>"};
  EXPECT_FALSE(compile(o));
}

TEST_P(Compile, FindsHeadersBesideTheFileAndOnThePath) {
  fs::create_directories(folder_ / "include");
  ASSERT_TRUE(write_text(folder_ / "common.h",
                         "#pragma once\n#include <iostream>\n#define DEVICE __device__\ninline void say() { "
                         "std::cout << 1; }\nDEVICE float twice(float v) { return 2 * v; }\n"));
  ASSERT_TRUE(
      write_text(folder_ / "include/sizes.h", "#include \"../common.h\"\nconstexpr int kSize = 5;\n"));
  auto o = options(
      "#include \"common.h\"\n#include <sizes.h>\nDEVICE int five() { return kSize; }\n__global__ void "
      "f(float* x) { x[five()] = "
      "twice(x[0]); }\n");
  o.include_paths = {(folder_ / "include").string()};
  const auto first = compile(o);
  ASSERT_TRUE(first) << first.error().text() << testing::PrintToString(first.error().notes);
  EXPECT_THAT(first->text, HasSubstr("+20]"));
  // A header that changes is a new text for the cache.
  ASSERT_TRUE(
      write_text(folder_ / "include/sizes.h", "#include \"../common.h\"\nconstexpr int kSize = 6;\n"));
  const auto second = compile(o);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_FALSE(second->from_cache);
  EXPECT_THAT(second->text, HasSubstr("+24]"));
}

TEST_P(Compile, AnErrorInAHeaderNamesTheHeader) {
  ASSERT_TRUE(write_text(folder_ / "bad.h", "\n\n__device__ int f() { return nothing; }\n"));
  const auto ptx = compile(options("#include \"bad.h\"\n__global__ void k(int* p) { *p = f(); }\n"));
  ASSERT_FALSE(ptx);
  EXPECT_EQ(fs::path(ptx.error().place.file).filename(), "bad.h");
  EXPECT_EQ(ptx.error().place.line, 3);
}

TEST_P(Compile, AMissingHeaderIsNamedWithWhatToDo) {
  const auto ptx =
      compile(options("\n#include \"lost_helper.h\"\n__global__ void k(int* p) { *p = LOST; }\n"));
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().place.line, 2);
  EXPECT_THAT(ptx.error().message, HasSubstr("the header lost_helper.h was not found"));
  EXPECT_THAT(ptx.error().message, HasSubstr("-I FOLDER"));
}

TEST_P(Compile, CharactersThatLookLikeOthersAreNamed) {
  const auto wide =
      compile(options("__global__ void k(int* p) {\n  int i = threadIdx.x；\n  p[i] = 1;\n}\n"));
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().place.line, 2);
  EXPECT_THAT(wide.error().message, HasSubstr("；, which is another character than ;"));
  // In comments they are what they are.
  const auto comment = compile(options("__global__ void k(int* p) {\n  *p = lost;  // 写入；完\n}\n"));
  ASSERT_FALSE(comment);
  EXPECT_THAT(comment.error().message, Not(HasSubstr("another character")));
}

TEST_P(Compile, TheCacheAnswersTheSecondTime) {
  const auto o = options("__global__ void cached(float* x) { x[0] = 1; }\n");
  const auto first = compile(o), second = compile(o);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->from_cache);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(first->text, second->text);
  EXPECT_EQ(second->compiler_version, first->compiler_version);
}

TEST_P(Compile, RefusesWhatIsNoArchitectureOrMacro) {
  auto o = options("__global__ void f() {}\n");
  o.arch = "pascal";
  ASSERT_FALSE(compile(o));
  EXPECT_EQ(compile(o).error().kind, ErrorKind::Usage);
  o.arch = "sm_90";
  o.defines = {{"A B", "1"}};
  EXPECT_FALSE(compile(o));
}

TEST_P(Compile, CancelStopsIt) {
  Progress progress;
  progress.cancel();
  auto o = options("__global__ void f(int* p) { *p = 1; }\n");
  o.progress = &progress;
  o.use_cache = false;
  const auto ptx = compile(o);
  if (GetParam() == Compiler::Nvrtc && ptx) GTEST_SKIP() << "this NVRTC cannot be stopped";
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().kind, ErrorKind::Cancelled);
}

TEST(CompileWithout, AnyCompilerSaysWhatToInstall) {
  const Toolchain nothing = find_toolchain(SearchPlaces{});
  CompileOptions o;
  o.text = "__global__ void f() {}";
  const auto ptx = compile_with(o, nothing);
  ASSERT_FALSE(ptx);
  EXPECT_THAT(ptx.error().message, HasSubstr("apt install clang"));
  EXPECT_EQ(ptx.error().notes.size(), 3u);
  o.compiler = Compiler::Nvcc;
  EXPECT_THAT(compile_with(o, nothing).error().message, HasSubstr("nvcc is not available"));
}

TEST(Names, OfCompilersGoBothWays) {
  for (const Compiler c : {Compiler::Automatic, Compiler::Nvrtc, Compiler::Nvcc, Compiler::Clang})
    EXPECT_EQ(*compiler_from(name(c)), c);
  EXPECT_FALSE(compiler_from("gcc"));
}

TEST(Diagnostics, OfEveryCompiler) {
  const auto nvcc =
      parse_diagnostics(Compiler::Nvcc,
                        "k.cu(8): error: identifier \"x\" is undefined\n"
                        "      int y = x;\n              ^\n\n"
                        "k.cu(9): warning #177-D: variable \"z\" was declared but never referenced\n"
                        "Remark: The warnings can be suppressed with \"-diag-suppress\"\n");
  ASSERT_GE(nvcc.size(), 2u);
  EXPECT_EQ(nvcc[0].place, (Place{"k.cu", 8, 9}));
  EXPECT_EQ(nvcc[1].severity, Diagnostic::Severity::Warning);
  EXPECT_EQ(nvcc[1].message, "variable \"z\" was declared but never referenced");
  const auto clang = parse_diagnostics(
      Compiler::Clang,
      "In file included from a.cu:1:\n/x/b.h:3:17: error: no such thing\n  foo\n  ^\n"
      "a.cu:9:1: note: seen here\nclang: error: unsupported CUDA gpu architecture: sm_99\n");
  ASSERT_EQ(clang.size(), 3u);
  EXPECT_EQ(clang[0].place, (Place{"/x/b.h", 3, 17}));
  EXPECT_EQ(clang[1].severity, Diagnostic::Severity::Note);
  EXPECT_EQ(clang[2].message, "unsupported CUDA gpu architecture: sm_99");
  const auto fatal = parse_diagnostics(Compiler::Nvcc,
                                       "nvcc fatal   : Unsupported gpu architecture 'compute_35'\n"
                                       "k.cu:1:10: fatal error: nope.h: No such file or directory\n");
  ASSERT_EQ(fatal.size(), 2u);
  EXPECT_EQ(fatal[0].message, "Unsupported gpu architecture 'compute_35'");
  EXPECT_EQ(fatal[1].place, (Place{"k.cu", 1, 10}));
}

TEST(Diagnostics, ATextThatEndsTooEarlyIsMarkedWhereItOpens) {
  const std::string log =
      "At end of source: error: expected a \"}\"\n"
      "k.cu(1): note #3196-D: to match this \"{\"\n"
      "  __attribute__((global)) void f(int* a) {\n"
      "                                         ^\n\n"
      "1 error detected in the compilation of \"k.cu\".\n";
  const auto diagnostics = parse_diagnostics(Compiler::Nvcc, log);
  ASSERT_EQ(diagnostics.size(), 2u);
  EXPECT_EQ(diagnostics[0].severity, Diagnostic::Severity::Error);
  const Error error = compile_error("nvcc", "k.cu", log, diagnostics);
  EXPECT_EQ(error.place.line, 1);
  EXPECT_EQ(error.message, "expected a \"}\": the text ends while what is opened here is still open");
}

}  // namespace
}  // namespace warplens::source
