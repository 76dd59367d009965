// Language features: templates, lambdas, classes, virtual functions, recursion, printf, device memory, inline
// PTX, cooperative groups, matrix instructions and asynchronous copies.
#ifdef __CUDACC__
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
namespace cg = cooperative_groups;

template <typename F>
__device__ void for_each_index(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
__global__ void lambda_axpy(float a, const float* x, float* y, int n) {
  for_each_index(n, [=](int i) { y[i] = fmaf(a, x[i], y[i]); });
}

template <typename T, template <typename> class Op>
__global__ void fold(const T* in, T* out, int n) {
  T v = in[0];
  for (int i = 1; i < n; ++i) v = Op<T>()(v, in[i]);
  out[threadIdx.x] = v;
}
template <typename T>
struct Multiply {
  __device__ T operator()(T a, T b) const { return a * b; }
};
template __global__ void fold<unsigned long long, Multiply>(const unsigned long long*, unsigned long long*, int);

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Circle : Shape {
  float r;
  __device__ Circle(float x) : r(x) {}
  __device__ float area() const override { return 3.0f * r * r; }
};
struct Square : Shape {
  float s;
  __device__ Square(float x) : s(x) {}
  __device__ float area() const override { return s * s; }
};
__global__ void virtual_area(const int* kind, float* out) {
  Circle c(threadIdx.x);
  Square s(threadIdx.x + 1);
  const Shape* shape = kind[threadIdx.x] ? (const Shape*)&c : (const Shape*)&s;
  out[threadIdx.x] = shape->area();
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

typedef int (*Function)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ Function kTable[2] = {twice, square};
__global__ void function_table(const int* in, int* out) {
  out[threadIdx.x] = kTable[in[threadIdx.x] & 1](in[threadIdx.x]);
}

__device__ int counter;
__global__ void ticket(int* out) {
  __shared__ int base;
  if (threadIdx.x == 0) base = atomicAdd(&counter, (int)blockDim.x);
  __syncthreads();
  out[base + threadIdx.x] = base + threadIdx.x;
}

__global__ void greet(int n) {
  if (threadIdx.x < n) printf("thread %d of %s: %.2f\n", (int)threadIdx.x, "block", threadIdx.x * 0.5);
}

__global__ void heap(int* out) {
  int* p = (int*)malloc(16 * sizeof(int));
  for (int i = 0; i < 16; ++i) p[i] = i * threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += p[i];
  free(p);
  out[threadIdx.x] = sum;
}

__global__ void inline_ptx(const unsigned* in, unsigned* out) {
  unsigned x = in[threadIdx.x], r, lane;
  asm("{\n .reg .u32 t;\n bfe.u32 t, %1, 4, 8;\n mad.lo.u32 %0, t, 3, 1;\n}" : "=r"(r) : "r"(x));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(r) : "r"(lane), "r"(x));
  out[threadIdx.x] = r;
}

__global__ void switch_cases(const int* in, int* out) {
  int x = in[threadIdx.x], r;
  switch (x % 12) {
    case 0: r = x; break;
    case 1: r = x * 3; break;
    case 2: r = x - 7; break;
    case 3: r = x ^ 5; break;
    case 4: r = -x; break;
    case 5: r = x << 2; break;
    case 6: r = x / 3; break;
    case 7: r = x % 5; break;
    case 8: r = 99; break;
    case 9: r = x & 12; break;
    default: r = x | 1; break;
  }
  out[threadIdx.x] = r;
}

struct __align__(16) Particle {
  float3 position;
  int id;
  double mass;
};
__global__ void structures(const Particle* in, Particle* out) {
  Particle p = in[threadIdx.x];
  p.position.x += 1;
  p.id *= 2;
  p.mass = p.mass * 0.5 + p.id;
  out[threadIdx.x] = p;
}

__global__ void unions(const float* in, int* out) {
  union {
    float f;
    unsigned char b[4];
    short s[2];
  } u;
  u.f = in[threadIdx.x];
  out[threadIdx.x] = u.b[0] + u.b[3] * 256 + u.s[1];
}

__global__ void __launch_bounds__(128, 4) coalesced_group(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 50) {
    cg::coalesced_group active = cg::coalesced_threads();
    int base;
    if (active.thread_rank() == 0) base = atomicAdd(out, (int)active.size());
    base = active.shfl(base, 0);
    atomicAdd(out + 1, base >= 0);
  }
}

__global__ void partition_tiles(int* out) {
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  int v = threadIdx.x;
  for (int k = tile.size() / 2; k > 0; k /= 2) v += tile.shfl_down(v, k);
  bool odd = tile.any(threadIdx.x % 8 == 5);
  unsigned mask = tile.ballot(threadIdx.x & 1);
  if (tile.thread_rank() == 0) out[threadIdx.x / 4] = v * 1000 + mask * 10 + odd;
}

__global__ void async_copy(const int* in, int* out) {
  __shared__ __align__(16) int s[128 * 4];
  __pipeline_memcpy_async(&s[threadIdx.x * 4], &in[(blockIdx.x * 128 + threadIdx.x) * 4], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 4; ++k) sum += s[((threadIdx.x + 1) % 128) * 4 + k];
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

__global__ void group_memcpy(const float* in, float* out) {
  __shared__ float s[256];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof(float) * 256);
  cg::wait(block);
  out[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void wmma_f16(const __half* a, const __half* b, float* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  fill_fragment(fc, 1.0f);
  for (int k = 0; k < 32; k += 16) {
    load_matrix_sync(fa, a + k, 32);
    load_matrix_sync(fb, b + k, 32);
    mma_sync(fc, fa, fb, fc);
  }
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 2.0f;
  store_matrix_sync(c, fc, 16, mem_row_major);
}
__global__ void wmma_int8(const signed char* a, const signed char* b, int* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 32, 8, 16, signed char, row_major> fa;
  fragment<matrix_b, 32, 8, 16, signed char, row_major> fb;
  fragment<accumulator, 32, 8, 16, int> fc;
  fill_fragment(fc, 0);
  load_matrix_sync(fa, a, 16);
  load_matrix_sync(fb, b, 8);
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync(c, fc, 32, mem_col_major);
}
__global__ void mma_ptx(const __half* a, const __half* b, float* c) {
  // ldmatrix feeds m16n8k16 from shared memory.
  __shared__ __half sa[16 * 16], sb[16 * 8];
  int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) sa[i] = a[i];
  for (int i = lane; i < 128; i += 32) sb[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  unsigned pa = __cvta_generic_to_shared(&sa[(lane % 16) * 16 + lane / 16 * 8]);
  unsigned pb = __cvta_generic_to_shared(&sb[(lane % 16) * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(pa));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(pb));
  float d[4] = {};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i) c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}

__global__ void bfloat_sum(const __nv_bfloat16* in, float* out, int n) {
  __nv_bfloat16 s = __float2bfloat16(0.0f);
  for (int i = 0; i < n; ++i) s = __hadd(s, in[threadIdx.x * n + i]);
  out[threadIdx.x] = __bfloat162float(s);
}

__global__ void volatile_flag(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    out[0] = 41;
    __threadfence();
    flag[0] = 1;
  }
  if (threadIdx.x == 40) {
    while (flag[0] == 0) {
    }
    __threadfence();
    atomicAdd(out, 1);
  }
}

__global__ void spin_lock(int* lock, int* total) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  int v = *(volatile int*)total;
  *(volatile int*)total = v + threadIdx.x;
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void float_classes(const float* in, int* out) {
  float x = in[threadIdx.x];
  out[threadIdx.x] = isnan(x) + 2 * isinf(x) + 4 * signbit(x) + 8 * (fminf(x, 1.0f) == 1.0f) + 16 * __float2int_rn(x) +
                     (int)(__float_as_uint(copysignf(1.0f, x)) >> 31);
}
__global__ void conversions(const float* in, long long* out) {
  float x = in[threadIdx.x] * 1e5f;
  long long* o = out + threadIdx.x * 6;
  o[0] = (long long)x;
  o[1] = (unsigned char)(int)x;
  o[2] = (short)(int)x;
  o[3] = __float2uint_ru(fabsf(x));
  o[4] = __double2ll_rd((double)x / 3);
  o[5] = (long long)(double)(float)(int)rintf(x);
}
#else
SAMPLE(lambda_axpy, {.grid = {2}, .block = {64}, .arguments = {value(2.5f), floats(300, 1), floats(300, 2), value(300)}}) {
  for (int i = 0; i < 300; ++i) data.floats(2)[i] = std::fma(2.5f, data.floats(1)[i], data.floats(2)[i]);
}
SAMPLE_AS(fold_multiply, "_Z4foldIy8MultiplyEvPKT_PS1_i", {.block = {4}, .arguments = {integers<unsigned long long>(20, 3, ~0ull), zeros<unsigned long long>(4), value(20)}}) {
  unsigned long long v = 1;
  for (int i = 0; i < 20; ++i) v *= data.as<unsigned long long>(0)[i];
  std::fill(data.as<unsigned long long>(1), data.as<unsigned long long>(1) + 4, v);
}
SAMPLE(virtual_area, {.block = {32}, .arguments = {integers(32, 4, 2), zeros<float>(32)}}) {
  for (int i = 0; i < 32; ++i) data.floats(1)[i] = static_cast<float>(data.ints(0)[i] != 0 ? 3 * i * i : (i + 1) * (i + 1));
}
SAMPLE(recursion, {.block = {32}, .arguments = {zeros<int>(32)}}) {
  const int numbers[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (int i = 0; i < 32; ++i) data.ints(0)[i] = numbers[i % 12];
}
SAMPLE(function_table, {.block = {64}, .arguments = {integers(64, 5, 1000), zeros<int>(64)}}) {
  for (int i = 0; i < 64; ++i) {
    const int x = data.ints(0)[i];
    data.ints(1)[i] = (x & 1) != 0 ? x * x : 2 * x;
  }
}
SAMPLE(ticket, {.grid = {3}, .block = {48}, .arguments = {zeros<int>(144)}}) {
  for (int i = 0; i < 144; ++i) data.ints(0)[i] = i;
}
SAMPLE(greet, {.block = {32}, .arguments = {value(3)}}) {}
SAMPLE(heap, {.block = {32}, .arguments = {zeros<int>(32)}}) {
  for (int i = 0; i < 32; ++i) data.ints(0)[i] = 120 * i;
}
SAMPLE(inline_ptx, {.block = {32}, .arguments = {integers<unsigned>(32, 6, 1ull << 32), zeros<unsigned>(32)}}) {
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned x = data.words(0)[i];
    data.words(1)[i] = ((x >> 4 & 255) * 3 + 1) ^ i ^ x;
  }
}
SAMPLE(switch_cases, {.block = {64}, .arguments = {integers(64, 7, 10000), zeros<int>(64)}}) {
  for (int i = 0; i < 64; ++i) {
    const int x = data.ints(0)[i];
    const int results[] = {x, x * 3, x - 7, x ^ 5, -x, x << 2, x / 3, x % 5, 99, x & 12, x | 1, x | 1};
    data.ints(1)[i] = results[x % 12];
  }
}
struct HostParticle {
  float x, y, z;
  int id;
  double mass, padding;
};
static Argument particles(int n) {
  std::vector<float> raw(static_cast<std::size_t>(n) * 8);
  for (int i = 0; i < n; ++i) {
    HostParticle p{static_cast<float>(i), 2, 3, i, i * 0.25, 0};
    std::memcpy(&raw[static_cast<std::size_t>(i) * 8], &p, sizeof p);
  }
  Argument argument = buffer(raw);
  argument.kind = Kind::Int32;
  return argument;
}
SAMPLE(structures, {.block = {32}, .arguments = {particles(32), particles(32)}}) {
  for (int i = 0; i < 32; ++i) {
    HostParticle& p = data.as<HostParticle>(1)[i];
    p.x += 1;
    p.id *= 2;
    p.mass = p.mass * 0.5 + p.id;
  }
}
SAMPLE(unions, {.block = {32}, .arguments = {floats(32, 8), zeros<int>(32)}}) {
  for (int i = 0; i < 32; ++i) {
    const unsigned bits = data.words(0)[i];
    data.ints(1)[i] = static_cast<int>((bits & 255) + (bits >> 24) * 256) + static_cast<short>(bits >> 16);
  }
}
SAMPLE(coalesced_group, {.grid = {2}, .block = {128}, .arguments = {integers(200, 9, 100), zeros<int>(2), value(200)}}) {
  for (int i = 0; i < 200; ++i)
    for (int k = 0; k < 2; ++k) data.ints(1)[k] += data.ints(0)[i] > 50;
}
SAMPLE(partition_tiles, {.block = {64}, .arguments = {zeros<int>(16)}}) {
  for (int t = 0; t < 16; ++t) data.ints(0)[t] = (16 * t + 6) * 1000 + 10 * 10 + (t & 1);
}
SAMPLE(async_copy, {.grid = {2}, .block = {128}, .arguments = {integers(1024, 10, 1000), zeros<int>(256)}}) {
  for (int i = 0; i < 256; ++i)
    for (int k = 0; k < 4; ++k) data.ints(1)[i] += data.ints(0)[(i / 128 * 128 + (i + 1) % 128) * 4 + k];
}
SAMPLE(group_memcpy, {.block = {256}, .arguments = {floats(256, 11), zeros<float>(256)}}) {
  std::reverse_copy(data.floats(0), data.floats(0) + 256, data.floats(1));
}
SAMPLE(wmma_f16, {.block = {32}, .arguments = {halves(16 * 32, 12), halves(16 * 32, 13), zeros<float>(256)}}) {
  for (int i = 0; i < 256; ++i) {
    double sum = 1;
    for (int k = 0; k < 32; ++k) sum += from_half(data.as<std::uint16_t>(0)[i / 16 * 32 + k]) * from_half(data.as<std::uint16_t>(1)[i % 16 * 32 + k]);
    data.floats(2)[i] = static_cast<float>(2 * sum);
  }
}
SAMPLE(wmma_int8, {.block = {32}, .arguments = {integers<signed char>(32 * 16, 14, 256), integers<signed char>(16 * 8, 15, 256), zeros<int>(256)}}) {
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 16; ++k) data.ints(2)[j * 32 + i] += data.as<signed char>(0)[i * 16 + k] * data.as<signed char>(1)[k * 8 + j];
}
SAMPLE(mma_ptx, {.block = {32}, .arguments = {halves(256, 16), halves(128, 17), zeros<float>(128)}}) {
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      double sum = 0;
      for (int k = 0; k < 16; ++k) sum += from_half(data.as<std::uint16_t>(0)[i * 16 + k]) * from_half(data.as<std::uint16_t>(1)[k * 8 + j]);
      data.floats(2)[i * 8 + j] = static_cast<float>(sum);
    }
}
static Argument bfloats(std::size_t count) {
  std::vector<std::uint16_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint16_t>(0x3f80 + i % 64);  // 1 to 1.5
  return buffer(values);
}
SAMPLE(bfloat_sum, {.block = {32}, .arguments = {bfloats(320), zeros<float>(32), value(10)}}) {
  for (int t = 0; t < 32; ++t) {
    std::uint64_t sum = 0;
    for (int i = 0; i < 10; ++i)
      sum = fused_multiply_add(static_cast<std::uint16_t>(sum), 0x3f80, data.as<std::uint16_t>(0)[t * 10 + i], kBfloat, Rounding::Nearest);
    const unsigned bits = static_cast<unsigned>(sum) << 16;
    std::memcpy(&data.floats(1)[t], &bits, 4);
  }
}
SAMPLE(volatile_flag, {.block = {64}, .arguments = {zeros<int>(1), zeros<int>(1)}}) {
  data.ints(0)[0] = 1;
  data.ints(1)[0] = 42;
}
SAMPLE(spin_lock, {.grid = {2}, .block = {40}, .arguments = {zeros<int>(1), zeros<int>(1)}}) { data.ints(1)[0] = 2 * 39 * 40 / 2; }
static Argument special_floats() {
  std::vector<float> x(32);
  for (int i = 0; i < 32; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i - 16) * 0.75f;
  x[0] = NAN;
  x[1] = INFINITY;
  x[2] = -INFINITY;
  x[3] = -0.0f;
  return buffer(x);
}
SAMPLE(float_classes, {.block = {32}, .arguments = {special_floats(), zeros<int>(32)}}) {
  for (int i = 0; i < 32; ++i) {
    const float x = data.floats(0)[i];
    const unsigned rounded = std::isnan(x) ? 0u : std::isinf(x) ? (x > 0 ? 0x7fffffffu : 0x80000000u) : static_cast<unsigned>(static_cast<int>(std::nearbyint(x)));
    const auto classes = static_cast<unsigned>(std::isnan(x) + 2 * std::isinf(x) + 8 * (std::isnan(x) || x >= 1.0f));
    const unsigned sign = std::signbit(x) ? 1u : 0u;
    data.words(1)[i] = classes + 4 * sign + 16 * rounded + sign;
  }
}
SAMPLE(conversions, {.block = {64}, .arguments = {floats(64, 18), zeros<long long>(384)}}) {
  for (int i = 0; i < 64; ++i) {
    const float x = data.floats(0)[i] * 1e5f;
    long long* o = data.as<long long>(1) + 6 * i;
    o[0] = static_cast<long long>(x);
    o[1] = static_cast<unsigned char>(static_cast<int>(x));
    o[2] = static_cast<short>(static_cast<int>(x));
    o[3] = static_cast<long long>(std::ceil(std::fabs(x)));
    o[4] = static_cast<long long>(std::floor(static_cast<double>(x) / 3));
    o[5] = static_cast<long long>(std::nearbyint(x));
  }
}
#endif
