#include <cooperative_groups.h>

#include <cstdio>
template <class T, int N>
__device__ __noinline__ T helper(const T* p) {
  T s = 0;
  for (int i = 0; i < N; i++) s += p[i];
  return s;
}
__constant__ float c[4] = {1, 2, 3, 4};
__device__ int gi = 7;
__device__ int* gp = &gi;
__device__ int (*fp)(int);
struct __align__(16) S {
  int a;
  float b[5];
  double d;
};
template <class T, int N>
__global__ void scale(T* x, int n, S s, cudaTextureObject_t tex) {
  __shared__ T sm[256];
  extern __shared__ char dyn[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sm[threadIdx.x] = x[i];
  __syncthreads();
  if (i < n) {
    x[i] = sm[threadIdx.x ^ 1] + helper<T, N>(x) + c[i & 3] + s.b[i % 5] + tex1Dfetch<float>(tex, i) +
           tex2D<float>(tex, i, i);
    printf("hi %d %f\n", i, (double)x[i]);
    dyn[i] = 3;
    *gp = fp(i);
  }
  namespace cg = cooperative_groups;
  auto t = cg::tiled_partition<32>(cg::this_thread_block());
  x[0] = t.shfl_down(x[1], 2);
  atomicAdd(&x[3], 2);
}
template __global__ void scale<float, 4>(float*, int, S, cudaTextureObject_t);
