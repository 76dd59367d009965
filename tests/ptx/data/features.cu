#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cassert>
#include <cstdio>
#include <cuda/barrier>
using namespace nvcuda;
namespace cg = cooperative_groups;
__global__ void half_ops(half2* a, __nv_bfloat162* b, int n) {
  int i = threadIdx.x;
  a[i] = __hfma2(a[i], a[i + 1], a[i + 2]);
  b[i] = __hadd2(b[i], b[i + 1]);
  half h = __float2half(1.5f);
  a[i].x = hexp(h) + a[i].x;
}
__global__ void wm(half* a, half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void sw(int* o, int k) {
  int r;
  switch (k) {
    case 0:
      r = 3;
      break;
    case 1:
      r = 5;
      break;
    case 2:
      r = o[4];
      break;
    case 3:
      r = o[3] * 2;
      break;
    case 4:
      r = 11;
      break;
    case 5:
      r = o[9] - 1;
      break;
    case 6:
      r = 17;
      break;
    case 7:
      r = o[2];
      break;
    case 8:
      r = o[1];
      break;
    case 12:
      r = 99;
      break;
    default:
      r = 0;
  }
  o[threadIdx.x] = r;
}
__device__ __noinline__ int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__global__ void rec(int* o) {
  o[threadIdx.x] = fib(threadIdx.x);
}
struct Base {
  __device__ virtual int f(int) = 0;
};
struct A : Base {
  __device__ int f(int x) override { return x + 1; }
};
struct B : Base {
  __device__ int f(int x) override { return x * 2; }
};
__global__ void virt(int* o, int k) {
  A a;
  B b;
  Base* p = k ? (Base*)&a : (Base*)&b;
  o[threadIdx.x] = p->f(o[threadIdx.x]);
  Base* q = new A;
  o[1] = q->f(3);
  delete q;
}
__global__ void pipe(float* g) {
  __shared__ __align__(16) float s[2][128];
  __pipeline_memcpy_async(&s[0][threadIdx.x * 4], &g[threadIdx.x * 4], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  g[threadIdx.x] = s[0][threadIdx.x ^ 1];
}
__global__ void bars(float* g) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  auto t = bar.arrive();
  g[threadIdx.x] += 1;
  bar.wait(std::move(t));
  g[threadIdx.x ^ 1] += 2;
}
__global__ void cgk(int* o) {
  auto g = cg::this_grid();
  auto b = cg::this_thread_block();
  auto t = cg::tiled_partition<16>(b);
  o[g.thread_rank()] = cg::reduce(t, (int)threadIdx.x, cg::plus<int>());
  g.sync();
  if (threadIdx.x & 1) {
    auto c = cg::coalesced_threads();
    o[c.thread_rank()] = c.size();
  }
  assert(o[0] == 3);
  printf("%d %s %f\n", o[1], "abc", 2.5);
}
__global__ void at(int* i, unsigned long long* u, float* f, double* d) {
  atomicAdd(i, 1);
  i[1] = atomicCAS(i + 2, 3, 4);
  atomicMax(i + 3, i[9]);
  atomicExch(u, 3ull);
  atomicAdd(f, 1.f);
  atomicAdd(d, 2.0);
  atomicInc((unsigned*)i, 7);
  i[5] = __ballot_sync(~0u, i[4]);
  i[6] = __match_any_sync(~0u, i[7]);
  i[8] = __shfl_xor_sync(~0u, i[7], 3);
  i[10] = __popc(i[11]) + __clz(i[12]) + __brev(i[13]) + __ffs(i[14]) + __byte_perm(i[1], i[2], 0x3210) +
          __dp4a(i[1], i[2], i[3]) + __sad(i[1], i[2], 3);
}
__constant__ double tab[3] = {1.5, 2, 3};
__device__ const char* names[2] = {"one", "two"};
__device__ float4 vec[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
typedef int (*F)(int);
__device__ int inc(int x) {
  return x + 1;
}
__device__ int dec(int x) {
  return x - 1;
}
__device__ F table[2] = {inc, dec};
__global__ void ind(int* o, int k) {
  o[0] = table[k & 1](o[1]);
  o[1] = names[k][0];
  o[2] = (int)vec[k].y + (int)tab[k];
}
__global__ void mathk(float* a, double* d) {
  int i = threadIdx.x;
  a[i] = sinf(a[i]) + expf(a[i + 1]) + powf(a[i], a[i + 2]) + a[i] / a[i + 3] + sqrtf(a[i]) + __sinf(a[i]) +
         rsqrtf(a[i]) + tanhf(a[i]);
  d[i] = sin(d[i]) + exp(d[i]) / d[i + 1] + fma(d[i], d[i], 1.0);
}
template <int N, typename T>
__global__ __launch_bounds__(256, 2) void tmpl(T* x) {
  T l[N];
  for (int i = 0; i < N; i++) l[i] = x[i * 7];
  for (int i = 0; i < N; i++) x[i] = l[(int)x[i] % N];
}
template __global__ void tmpl<8, float>(float*);
template __global__ void tmpl<16, int>(int*);
namespace ns {
struct P {
  int a;
  short b;
  char c[5];
};
__global__ void structs(P* p, P q) {
  p[threadIdx.x] = q;
}
}  // namespace ns
extern "C" __global__ void plain(cudaSurfaceObject_t s, cudaTextureObject_t t, float* o) {
  int v;
  surf2Dread(&v, s, 4 * threadIdx.x, 1);
  surf2Dwrite(v + 1, s, 4 * threadIdx.x, 2);
  o[0] = tex3D<float>(t, 1.f, 2.f, 3.f) + tex2DLayered<float4>(t, 1.f, 2.f, 1).x;
  long long c = clock64();
  __nanosleep(100);
  o[1] = (float)c;
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p bra DONE; trap; DONE: }" ::"r"(v));
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p bra DONE; trap; DONE: }" ::"r"(v + 1));
}
#if __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) clus(int* o) {
  auto c = cg::this_cluster();
  __shared__ int s;
  s = threadIdx.x;
  c.sync();
  int* r = c.map_shared_rank(&s, 1);
  o[0] = *r;
  c.sync();
}
#endif
int main() {}
