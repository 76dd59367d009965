// The default compiler gives what people get from nvcc on their own command line. Skipped where nvcc or ptxas
// is not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/source/compile.h"
#include "engine/source/process.h"
#include "engine/source/toolchain.h"
#include "tests/support/places.h"

namespace warplens::source {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// One-dimensional block tile, register tile, unrolled reduction, table, local array, helper called twice.
constexpr const char* kPublished = R"cu(
#include <cstdio>
#include <cfloat>
template <int BM, int BN, int BK, int TM>
__global__ void product_1d(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  __shared__ float As[BM * BK], Bs[BK * BN];
  const int col = threadIdx.x % BN, row = threadIdx.x / BN;
  const int inner_a = threadIdx.x % BK, row_a = threadIdx.x / BK;
  const int inner_b = threadIdx.x % BN, row_b = threadIdx.x / BN;
  A += blockIdx.y * BM * K, B += blockIdx.x * BN, C += blockIdx.y * BM * N + blockIdx.x * BN;
  float results[TM] = {0.0f};
  for (int k = 0; k < K; k += BK) {
    As[row_a * BK + inner_a] = A[row_a * K + inner_a];
    Bs[row_b * BN + inner_b] = B[row_b * N + inner_b];
    __syncthreads();
    A += BK, B += BK * N;
    for (int d = 0; d < BK; ++d) {
      const float b = Bs[d * BN + col];
      for (int r = 0; r < TM; ++r) results[r] += As[(row * TM + r) * BK + d] * b;
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; ++r) C[(row * TM + r) * N + col] = alpha * results[r] + beta * C[(row * TM + r) * N + col];
}
template <int T, int R>
__global__ void __launch_bounds__(256) product_2d(const float* __restrict__ a, const float* __restrict__ b,
                                                  float* __restrict__ c, int n) {
  __shared__ float as[T][T * R], bs[T][T * R];
  float sum[R][R] = {};
  for (int k = 0; k < n; k += T) {
    for (int i = 0; i < R; ++i) {
      as[threadIdx.x][threadIdx.y + i * T] = a[(blockIdx.y * T * R + threadIdx.y + i * T) * n + k + threadIdx.x];
      bs[threadIdx.y][threadIdx.x + i * T] = b[(k + threadIdx.y) * n + blockIdx.x * T * R + threadIdx.x + i * T];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < T; ++d)
      for (int i = 0; i < R; ++i)
        for (int j = 0; j < R; ++j) sum[i][j] += as[d][threadIdx.y * R + i] * bs[d][threadIdx.x * R + j];
    __syncthreads();
  }
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < R; ++j)
      c[(blockIdx.y * T * R + threadIdx.y * R + i) * n + blockIdx.x * T * R + threadIdx.x * R + j] = sum[i][j];
}
template <unsigned int block>
__device__ void last_warp(volatile int* s, unsigned int t) {
  if (block >= 64) s[t] += s[t + 32];
  if (block >= 32) s[t] += s[t + 16];
  s[t] += s[t + 8], s[t] += s[t + 4], s[t] += s[t + 2], s[t] += s[t + 1];
}
template <unsigned int block>
__global__ void reduce(const int* in, int* out, unsigned int n) {
  extern __shared__ int sdata[];
  const unsigned int t = threadIdx.x;
  sdata[t] = 0;
  for (unsigned int i = blockIdx.x * block * 2 + t; i < n; i += block * 2 * gridDim.x) sdata[t] += in[i] + in[i + block];
  __syncthreads();
  if (block >= 256) { if (t < 128) sdata[t] += sdata[t + 128]; __syncthreads(); }
  if (block >= 128) { if (t < 64) sdata[t] += sdata[t + 64]; __syncthreads(); }
  if (t < 32) last_warp<block>(sdata, t);
  if (t == 0) out[blockIdx.x] = sdata[0];
}
__global__ void softmax(const float* x, float* y, int n) {
  __shared__ float high[32], sum[32];
  float m = -FLT_MAX, s = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) m = fmaxf(m, x[blockIdx.x * n + i]);
  for (int by = 16; by > 0; by /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, by));
  if (threadIdx.x % 32 == 0) high[threadIdx.x / 32] = m;
  __syncthreads();
  for (int w = 0; w < blockDim.x / 32; ++w) m = fmaxf(m, high[w]);
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += expf(x[blockIdx.x * n + i] - m);
  for (int by = 16; by > 0; by /= 2) s += __shfl_xor_sync(~0u, s, by);
  if (threadIdx.x % 32 == 0) sum[threadIdx.x / 32] = s;
  __syncthreads();
  s = 0.0f;
  for (int w = 0; w < blockDim.x / 32; ++w) s += sum[w];
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[blockIdx.x * n + i] = expf(x[blockIdx.x * n + i] - m) / s;
}
__constant__ float weights[9];
__global__ void blur(const float* in, float* out, int w, int h) {
  __shared__ float tile[18][18];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int j = threadIdx.y; j < 18; j += 16)
    for (int i = threadIdx.x; i < 18; i += 16) {
      const int u = min(max((int)blockIdx.x * 16 + i - 1, 0), w - 1), v = min(max((int)blockIdx.y * 16 + j - 1, 0), h - 1);
      tile[j][i] = in[v * w + u];
    }
  __syncthreads();
  float sum = 0.0f;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) sum += weights[j * 3 + i] * tile[threadIdx.y + j][threadIdx.x + i];
  if (x < w && y < h) out[y * w + x] = sum;
}
struct Body { float4 place; float3 speed; };
__device__ float3 pull(float4 a, float4 b, float3 f) {
  const float3 r = {b.x - a.x, b.y - a.y, b.z - a.z};
  const float d = r.x * r.x + r.y * r.y + r.z * r.z + 1e-9f, s = b.w * rsqrtf(d * d * d);
  return {f.x + r.x * s, f.y + r.y * s, f.z + r.z * s};
}
__global__ void n_body(Body* bodies, int n, float dt) {
  __shared__ float4 near[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float3 f = {0, 0, 0};
  const float4 me = bodies[i].place;
  for (int t = 0; t < n; t += blockDim.x) {
    near[threadIdx.x] = bodies[t + threadIdx.x].place;
    __syncthreads();
    for (int j = 0; j < blockDim.x; ++j) f = pull(me, near[j], f);
    __syncthreads();
  }
  bodies[i].speed.x += dt * f.x, bodies[i].speed.y += dt * f.y, bodies[i].speed.z += dt * f.z;
}
__global__ void bitonic(unsigned* keys) {
  __shared__ unsigned s[512];
  s[threadIdx.x] = keys[blockIdx.x * 512 + threadIdx.x], s[threadIdx.x + 256] = keys[blockIdx.x * 512 + threadIdx.x + 256];
  for (unsigned size = 2; size <= 512; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      const bool up = (threadIdx.x & (size / 2)) == 0;
      if ((s[at] > s[at + stride]) == up) { const unsigned v = s[at]; s[at] = s[at + stride], s[at + stride] = v; }
    }
  __syncthreads();
  keys[blockIdx.x * 512 + threadIdx.x] = s[threadIdx.x], keys[blockIdx.x * 512 + threadIdx.x + 256] = s[threadIdx.x + 256];
}
__global__ void own_table(const int* at, int* out) {
  int table[20];
  for (int i = 0; i < 20; ++i) table[i] = i * at[i];
  for (int i = 0; i < 20; ++i) { const int j = at[i] % 20, v = table[i]; table[i] = table[j], table[j] = v; }
  out[threadIdx.x] = table[at[threadIdx.x] % 20];
}
int main() {
  product_1d<64, 64, 8, 8><<<dim3(2, 2), 512>>>(128, 128, 128, 1.0f, nullptr, nullptr, 0.0f, nullptr);
  product_2d<16, 4><<<dim3(2, 2), dim3(16, 16)>>>(nullptr, nullptr, nullptr, 128);
  reduce<256><<<8, 256, 1024>>>(nullptr, nullptr, 4096);
  std::printf("%d\n", cudaDeviceSynchronize());
}
)cu";

class DefaultCompiler : public testing::Test {
 protected:
  void SetUp() override {
    tools_ = find_toolchain(SearchPlaces::from_environment());
    if (tools_.nvcc.path.empty()) GTEST_SKIP() << tools_.nvcc.reason.message;
    if (tools_.ptxas.path.empty()) GTEST_SKIP() << tools_.ptxas.reason.message;
    folder_ = fs::temp_directory_path() / ("warplens_default_compiler_" + std::to_string(::getpid()));
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
    return o;
  }
  // "registers, bytes of static shared memory, of stack, of spills" by kernel, as nvcc says on its own.
  std::map<std::string, std::string> by_nvcc(const std::string& text) const {
    const fs::path file = folder_ / "published.cu";
    EXPECT_TRUE(write_text(file, text));
    const auto run = run_process({tools_.nvcc.path, "-cubin", "-arch=sm_90", "-std=c++17", "-Xptxas", "-v",
                                  file.string(), "-o", (folder_ / "published.cubin").string()},
                                 {});
    std::map<std::string, std::string> found;
    if (!run || run->status != 0) return found;
    std::istringstream lines(run->err + run->out);
    std::string kernel, frame;
    for (std::string line; std::getline(lines, line);) {
      std::smatch m;
      if (std::regex_search(line, m, std::regex("entry function '([^']+)'"))) kernel = m[1];
      if (std::regex_search(line, m, std::regex(R"((\d+) bytes stack frame, (\d+) bytes spill stores)")))
        frame = m[1].str() + " " + m[2].str();
      if (std::regex_search(line, m, std::regex(R"(Used (\d+) registers)"))) {
        std::smatch shared;
        const bool any = std::regex_search(line, shared, std::regex(R"((\d+) bytes smem)"));
        found[kernel] = m[1].str() + " " + (any ? shared[1].str() : "0") + " " + frame;
      }
    }
    return found;
  }
  static std::map<std::string, std::string> by_us(const Ptx& ptx) {
    std::map<std::string, std::string> found;
    const auto assembled = assemble(ptx.text, "sm_90");
    if (!assembled) return found;
    for (const PtxasInfo& k : assembled->kernels)
      found[k.kernel] = std::to_string(k.registers) + " " + std::to_string(k.static_shared) + " " +
                        std::to_string(k.stack) + " " + std::to_string(k.spill_stores);
    return found;
  }
  Toolchain tools_;
  fs::path folder_;
};

TEST_F(DefaultCompiler, GivesTheRegistersAndBytesThatNvccGives) {
  std::map<std::string, std::string> texts{{"published", kPublished}};
  for (const char* name : {"tiling/matmul_registers", "tiling/stencil", "shared_memory/histogram",
                           "shared_memory/transpose_tile", "warp_level/scan"})
    texts[name] = *read_text(fs::path(tests::source_dir()) / "kernels" / (std::string(name) + ".cu"));
  for (const auto& [name, text] : texts) {
    SCOPED_TRACE(name);
    const auto ptx = compile(options(text));
    ASSERT_TRUE(ptx) << ptx.error().text();
    EXPECT_EQ(ptx->compiler_version, tools_.nvcc.version);
    const auto nvcc = by_nvcc(text);
    ASSERT_FALSE(nvcc.empty());
    EXPECT_EQ(by_us(*ptx), nvcc);
  }
}

TEST_F(DefaultCompiler, SaysSoWhereNvccRefusesWhatNvrtcCanCompile) {
  if (!tools_.nvrtc) GTEST_SKIP() << tools_.nvrtc_tool.reason.message;
  const auto ptx =
      compile(options("#include <a_library_of_the_host.hpp>\n__global__ void f(int* x) { *x = 1; }\n"));
  ASSERT_TRUE(ptx) << ptx.error().text();
  EXPECT_EQ(ptx->compiler, Compiler::Nvrtc);
  ASSERT_EQ(ptx->remarks.size(), 1u);
  const Catalogue english = Catalogue::load("en").value();
  EXPECT_THAT(english.text(ptx->remarks.front()),
              AllOf(HasSubstr("nvcc refuses the file"), HasSubstr("a_library_of_the_host.hpp")));
}

TEST_F(DefaultCompiler, MissingHeadersAndTheRuntimeOfTheDeviceAreNamed) {
  const auto header =
      compile(options("#include \"vectors_of_mine.h\"\n__global__ void f(V* x) { *x = *x * 2; }\n"));
  ASSERT_FALSE(header);
  EXPECT_THAT(header.error().message, HasSubstr("vectors_of_mine.h"));
  const auto launch = compile(
      options("__global__ void g(int* x) { *x = 1; }\n__global__ void f(int* x) { g<<<1, 1>>>(x); }\n"));
  ASSERT_TRUE(launch)
      << launch.error().text();  // nvcc is asked again: g runs, and f is refused when it is run
  EXPECT_THAT(launch->text, AllOf(HasSubstr(".entry _Z1gPi"), HasSubstr(".entry _Z1fPi")));
}

}  // namespace
}  // namespace warplens::source
