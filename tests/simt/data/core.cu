// Kernels of the emulator's own tests. core.ptx is made from this file:
//   nvcc -arch=sm_90 -lineinfo -ptx core.cu -o core.ptx
#include <cassert>
#include <cstdio>
#include <cuda_pipeline.h>

#define KERNEL extern "C" __global__ void

// ---- plain ---------------------------------------------------------------------------------------------
KERNEL copy(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
KERNEL strided(float* out, const float* in, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[(long long)i * stride % n];
}
KERNEL transpose(float* out, const float* in, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
KERNEL matmul(float* c, const float* a, const float* b, int n) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[ty][tx] = a[row * n + k + tx];
    bs[ty][tx] = b[(k + ty) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
KERNEL mandelbrot(int* out, int width, int height, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cx = __fadd_rn(-2.f, __fdiv_rn(__fmul_rn(3.f, x), width));
  float cy = __fadd_rn(-1.5f, __fdiv_rn(__fmul_rn(3.f, y), height));
  float zx = 0, zy = 0;
  int k = 0;
  while (k < limit && __fadd_rn(__fmul_rn(zx, zx), __fmul_rn(zy, zy)) < 4.f) {
    float t = __fadd_rn(__fsub_rn(__fmul_rn(zx, zx), __fmul_rn(zy, zy)), cx);
    zy = __fadd_rn(__fmul_rn(__fmul_rn(2.f, zx), zy), cy);
    zx = t;
    ++k;
  }
  out[y * width + x] = k;
}

// ---- control -------------------------------------------------------------------------------------------
KERNEL nested(int* out, const int* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i], r = 0;
  if (v & 1) {
    for (int k = 0; k < (v & 15); ++k) {
      if (k % 3 == 1) continue;
      r += k * v;
      if (r > 4000) break;
    }
  } else {
    switch (v % 6) {
      case 0: r = v * 3; break;
      case 2: r = v - 7; out[i] = 0;  // falls through
      case 4: r += 11; break;
      default: r = -1;
    }
    if (v > 1000) { out[i] = r * 2; return; }
  }
  out[i] = r;
}
KERNEL unstructured(int* out, const int* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i] & 63, r = 0;
again:
  r += 1;
  if (v & 1) goto odd;
  v >>= 1;
  if (v > 9) goto again;
  if (v == 0) goto done;
odd:
  v = v * 3 + 1;
  r += 10;
  if (r < 200 && v > 1) { v >>= 1; goto again; }
done:
  out[i] = r;
}
KERNEL early_exit(int* out, int n) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if ((int)threadIdx.x >= n) return;
  atomicAdd(&sum, (int)threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = sum;
}
KERNEL block_reduce(float* out, const float* in) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
KERNEL barrier_reductions(int* out, const int* in) {
  int p = in[threadIdx.x];
  int count = __syncthreads_count(p > 0), all = __syncthreads_and(p > -5), any = __syncthreads_or(p > 95);
  out[threadIdx.x] = count * 4 + (all ? 2 : 0) + (any ? 1 : 0);
}
// Warps 0 and 1 produce, 2 and 3 consume: named barriers with counts.
KERNEL named_barriers(int* out) {
  __shared__ int s[64];
  unsigned t = threadIdx.x;
  if (t < 64) {
    s[t] = (int)t * 3;
    asm volatile("membar.cta; bar.arrive 1, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    out[t - 64] = s[t - 64];
  }
}
KERNEL divergent_barrier(int* out) {
  if (threadIdx.x < 16) __syncthreads();
  out[threadIdx.x] = 1;
  __syncthreads();
}
KERNEL both_sides_barrier(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x & 1) {
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
  } else {
    __syncthreads();
    out[threadIdx.x] = -s[63 - threadIdx.x];
  }
}
// Lanes of one warp take a lock in turn: needs independent thread scheduling.
KERNEL lane_lock(int* lock, int* count) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  *(volatile int*)count = *(volatile int*)count + 1;
  __threadfence();
  atomicExch(lock, 0);
}
// Every block waits for all the others.
KERNEL grid_barrier(int* arrived, int* data, int* out) {
  if (threadIdx.x == 0) data[blockIdx.x] = (int)blockIdx.x + 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (*(volatile int*)arrived < (int)gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += data[b];
    out[blockIdx.x] = sum;
  }
}
KERNEL wait_forever(volatile int* flag) {
  while (*flag == 0) {}
}
KERNEL endless(volatile int* out) {
  for (int k = 0; k != -1; k &= 1023) { out[threadIdx.x] = ++k; }
}
KERNEL trap(int* out) {
  if (threadIdx.x == 3) __trap();
  out[threadIdx.x] = 1;
}

// ---- calls ---------------------------------------------------------------------------------------------
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int bottomless(int n) { return n == -1 ? 0 : bottomless(n + 1) * bottomless(n + 2) + n; }
struct Pair { int a; double b; char c; };
__device__ __noinline__ Pair make_pair(int a, double b, char c) { Pair p; p.a = a + 1; p.b = b * 2; p.c = c; return p; }
__device__ __noinline__ int sum_local(const int* v, int n) { int s = 0; for (int i = 0; i < n; ++i) s += v[i]; return s; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int negate(int x) { return -x; }
__device__ __noinline__ int twice(int x) { return square(x) * 2; }
typedef int (*Function)(int);
__device__ Function functions[3] = {square, negate, twice};
KERNEL recursion(int* out) { out[threadIdx.x] = fibonacci((int)threadIdx.x % 12); }
KERNEL endless_recursion(int* out) { out[threadIdx.x] = bottomless((int)threadIdx.x); }
KERNEL structs(double* out) {
  Pair p = make_pair((int)threadIdx.x, threadIdx.x * 0.5, (char)threadIdx.x);
  out[threadIdx.x] = p.a + p.b + p.c;
}
KERNEL pointers(int* out) { out[threadIdx.x] = functions[threadIdx.x % 3]((int)threadIdx.x); }
KERNEL local_array(int* out, int n) {
  int v[16];
  for (int i = 0; i < 16; ++i) v[(i * 5 + n) & 15] = i * (int)threadIdx.x;
  out[threadIdx.x] = sum_local(v, n) + v[threadIdx.x & 15];
}
KERNEL say(int n) {
  if ((int)threadIdx.x < n) printf("thread %d of %u: %.3f %s %c %5lld%%\n", threadIdx.x, blockDim.x, threadIdx.x * 0.25, "text", 'x', -7ll);
}
KERNEL asserts(const int* in) { assert(in[threadIdx.x] < 40); }
KERNEL heap(int* out) {
  int* p = (int*)malloc(4 * sizeof(int));
  for (int i = 0; i < 4; ++i) p[i] = (int)threadIdx.x + i;
  out[threadIdx.x] = p[0] + p[3];
  free(p);
}

// ---- memory --------------------------------------------------------------------------------------------
__constant__ float weights[5] = {1, 2, 4, 8, 16};
__device__ int counter = 5;
__device__ __noinline__ float read_any(const float* p, int i) { return p[i]; }
KERNEL generic(float* out, const float* in) {
  __shared__ float s[32];
  float local[32];
  unsigned t = threadIdx.x;
  s[t] = in[t] * 2;
  for (int i = 0; i < 32; ++i) local[i] = (float)i * 3;
  __syncthreads();
  const float* p = t % 4 == 0 ? s : t % 4 == 1 ? local : t % 4 == 2 ? in : weights;
  out[t] = read_any(p, t % 4 == 3 ? t % 5 : t);
}
KERNEL constants(float* out, int n) {
  float r = 0;
  for (int i = 0; i < n; ++i) r += weights[i] * (float)(i + 1);
  out[threadIdx.x] = r + weights[threadIdx.x % 5];
}
KERNEL variables(int* out) { out[threadIdx.x] = atomicAdd(&counter, 2); }
KERNEL widths(unsigned char* b, short* h, double* d, float4* v, const signed char* in) {
  unsigned t = threadIdx.x;
  int x = in[t];
  b[t] = (unsigned char)(x + 3);
  h[t] = (short)(x * 100);
  d[t] = x * 0.5;
  float4 f = v[t];
  v[t] = make_float4(f.w, f.z, f.y, f.x);
}
KERNEL atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&i[0], t); atomicMin(&i[1], -t); atomicMax(&i[2], t); atomicSub(&i[3], 2);
  atomicAnd(&u[0], ~(1u << (t & 31))); atomicOr(&u[1], 1u << (t & 31)); atomicXor(&u[2], (unsigned)t);
  atomicInc(&u[3], 6); atomicDec(&u[4], 9);
  atomicAdd(&l[0], (unsigned long long)t << 20); atomicMax(&l[1], (unsigned long long)t << 33);
  atomicAdd(&f[0], 0.5f); atomicAdd(&d[0], 0.25);
  unsigned old = atomicCAS(&u[5], (unsigned)t, (unsigned)t + 1); if (old == 77) u[6] = 1;
  atomicExch(&u[7], 3);
}
KERNEL histogram(unsigned* bins, const unsigned* in, int n) {
  __shared__ unsigned s[64];
  if (threadIdx.x < 64) s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += (int)(gridDim.x * blockDim.x)) atomicAdd(&s[in[i] & 63], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
KERNEL async_copy(float* out, const float* in, int wait) {
  __shared__ float s[2][64];
  unsigned t = threadIdx.x;
  s[0][t] = s[1][t] = -1;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][t], &in[t + 64], 4);
  __pipeline_commit();
  if (wait) __pipeline_wait_prior(1);
  out[t] = s[0][t];
  out[t + 64] = s[1][t];
  __pipeline_wait_prior(0);
  out[t + 128] = s[1][t];
}
KERNEL memory_barrier(float* out, const float* in) {
  __shared__ alignas(16) float s[256];
  __shared__ alignas(8) unsigned long long bar;
  unsigned t = threadIdx.x, b = (unsigned)__cvta_generic_to_shared(&bar), to = (unsigned)__cvta_generic_to_shared(s);
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(b), "r"(blockDim.x) : "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("{ .reg .b64 st; mbarrier.arrive.expect_tx.shared.b64 st, [%0], 1024; }" :: "r"(b) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" :: "r"(to), "l"(in), "r"(b) : "memory");
  } else {
    asm volatile("{ .reg .b64 st; mbarrier.arrive.shared.b64 st, [%0]; }" :: "r"(b) : "memory");
  }
  asm volatile("{ .reg .pred p; WAIT: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @p bra DONE; bra WAIT; DONE: }" :: "r"(b) : "memory");
  out[t] = s[255 - t];
}
KERNEL matrix_rows(unsigned* out) {
  __shared__ alignas(16) unsigned short s[32][8];
  unsigned t = threadIdx.x;
  for (unsigned i = 0; i < 8; ++i) s[t][i] = (unsigned short)(t * 8 + i);
  __syncwarp();
  unsigned a, b, c, d, at = (unsigned)__cvta_generic_to_shared(s[t]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
  out[t] = a; out[t + 32] = b; out[t + 64] = c; out[t + 96] = d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at));
  out[t + 128] = a;
}

// ---- faults --------------------------------------------------------------------------------------------
KERNEL one_too_many(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = 1;
}
KERNEL negative_index(int* out) { out[(int)threadIdx.x - 1] = 1; }
KERNEL null_pointer(int* out, long long address) { out[0] = *(int*)address; }
KERNEL misaligned(int* out, const char* in) { out[threadIdx.x] = *(const int*)(in + threadIdx.x * 4 + 2); }
KERNEL shared_overrun(int* out) {
  __shared__ int s[32];
  s[threadIdx.x + 1] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
KERNEL missing_barrier(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = (int)threadIdx.x;
  out[threadIdx.x] = s[63 - threadIdx.x];
}
KERNEL missing_syncwarp(int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = (int)threadIdx.x;
  out[threadIdx.x] = s[31 - threadIdx.x];
}
KERNEL with_syncwarp(int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = (int)threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = s[31 - threadIdx.x];
}
KERNEL unwritten_shared(int* out) {
  __shared__ int s[64];
  if (threadIdx.x < 32) s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
KERNEL same_value(int* out) { if (threadIdx.x % 2) *out = 7; }
KERNEL block_race(int* out) { out[0] = (int)blockIdx.x; }
KERNEL atomic_and_plain(int* out) {
  atomicAdd(out, 1);
  if (blockIdx.x == 1 && threadIdx.x == 0) out[1] = *out;
}
KERNEL bytes_apart(unsigned char* out) {
  __shared__ unsigned char s[64];
  s[threadIdx.x] = (unsigned char)threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
// The last block adds up what the others left: ordered by fence, ticket and atomic.
KERNEL fenced_sum(int* part, unsigned* ticket, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = (int)blockIdx.x;
    __threadfence();
    last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += part[b];
    *out = sum;
  }
}
KERNEL unwritten_local(int* out, int k) {
  int a[8];
  for (int i = 0; i < 4; ++i) a[(i * k) & 7] = 2;
  out[threadIdx.x] = a[threadIdx.x & 7];
}
struct Padded {
  int tag;
  double value[4];
  char last;
};
__device__ __noinline__ double chosen(Padded p, int k) { return p.value[k & 3] + p.tag; }
// Copies of the padding are no reads.
KERNEL padded_local(double* out, int k) {
  Padded p[2];
  for (int i = 0; i < 2; ++i) {
    p[i].tag = i;
    p[i].last = 1;
    for (int j = 0; j < 4; ++j) p[i].value[(j + k) & 3] = j + i;
  }
  Padded q = p[k & 1];
  p[(k + 1) & 1] = q;
  out[threadIdx.x] = chosen(p[threadIdx.x & 1], threadIdx.x) + chosen(q, k);
}
// ---- one operation at several instructions -----------------------------------------------------------
// Sums over loops that turn more often in the upper half of the warp, where every shuffle names all of it.
KERNEL halves(int* out, int turns) {
  const int lane = threadIdx.x % 16, n = turns + threadIdx.x / 16 * 4;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    const int last = __shfl_sync(0xffffffffu, sum, 15, 16);
    sum = i + lane;
    for (int j = 1; j < 16; j *= 2) {
      const int left = __shfl_up_sync(0xffffffffu, sum, j, 16);
      if (lane >= j) sum += left;
    }
    sum += last;
  }
  out[threadIdx.x] = __shfl_sync(0xffffffffu, sum, 15, 16);
}
// Both sides of a branch name the whole warp; `which` is the kind of operation.
KERNEL both_sides_sync(int* out, int which) {
  const unsigned all = 0xffffffffu;
  int v = threadIdx.x + 1;
  if (threadIdx.x < 10) {
    v *= 3;
    out[64] = v;
    if (which == 0) v = __shfl_sync(all, v, 20);
    if (which == 1) v = __shfl_up_sync(all, v, 1);
    if (which == 2) v = static_cast<int>(__ballot_sync(all, v & 1));
    if (which == 3) v = __all_sync(all, v < 30);
    if (which == 4) v = __reduce_add_sync(all, v);
    if (which == 5) v = static_cast<int>(__match_any_sync(all, v));
    if (which == 6) v = __match_all_sync(all, static_cast<long long>(v != 0), &out[32]);
    if (which == 7) v = __shfl_sync(all, v, 3);
    out[threadIdx.x] = v;
  } else {
    v += 9;
    atomicAdd(out + 65, v);
    if (which == 0) v = __shfl_sync(all, v, 5);
    if (which == 1) v = __shfl_up_sync(all, v, 2);
    if (which == 2) v = static_cast<int>(__ballot_sync(all, v & 2));
    if (which == 3) v = __all_sync(all, v > 19);
    if (which == 4) v = __reduce_add_sync(all, v);
    if (which == 5) v = static_cast<int>(__match_any_sync(all, v));
    if (which == 6) v = __match_all_sync(all, static_cast<long long>(v != 0), &out[33]);
    if (which == 7) v = __shfl_xor_sync(all, v, 1);  // of another kind
    out[threadIdx.x] = v;
  }
}
// Barriers that not all threads reach: some leave the loop that it stands in; whole warps go around the first
// of two.
KERNEL loop_left(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  unsigned step = 32;
  while (step > 0) {
    __syncthreads();
    if (threadIdx.x < step) {
      s[threadIdx.x] += s[threadIdx.x + step];
      step /= 2;
    }
  }
  out[threadIdx.x] = s[threadIdx.x];
}
KERNEL around_barrier(int* out, int threads) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < threads) {
    s[threadIdx.x] += 1;
    __syncthreads();
  }
  out[threadIdx.x] = s[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] += s[127 - threadIdx.x];
}
