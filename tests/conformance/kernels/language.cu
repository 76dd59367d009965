// C++ and CUDA as a language: element types, local arrays, volatile, templates, lambdas, calls, recursion,
// atomics.
#include <cuda_fp16.h>

template <typename T, typename F>
__device__ void for_each(T* data, int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    data[i] = f(data[i], i);
}
__global__ void lambda_scale(short* data, int n, int by) {
  for_each(data, n, [by](short v, int i) { return (short)(i % 3 ? v * by : -v); });
}

template <int N, typename T>
struct Small {
  T v[N];
  __device__ T dot(const Small& o) const {
    T s = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) s += v[i] * o.v[i];
    return s;
  }
};
template <int N, typename T>
__global__ void small_dots(const Small<N, T>* a, const Small<N, T>* b, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i].dot(b[i]);
}

template __global__ void small_dots(const Small<3, float>*, const Small<3, float>*, float*, int);
template __global__ void small_dots(const Small<4, double>*, const Small<4, double>*, double*, int);
template __global__ void small_dots(const Small<5, short>*, const Small<5, short>*, short*, int);

struct Odd12 {
  int a;
  short b;
  char c;
  float d;
};
__global__ void odd_struct(const Odd12* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i].a * 0.001f + in[i].b + in[i].c * in[i].d;
}
struct Packed20 {
  float p[3];
  unsigned char colour[4];
  int id;
};
__global__ void swap_colours(Packed20* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned char r = v[i].colour[0];
  v[i].colour[0] = v[i].colour[2];
  v[i].colour[2] = r;
  v[i].id = i;
}

__global__ void bool_flags(const bool* a, const bool* b, bool* both, bool* either, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    both[i] = a[i] && b[i];
    either[i] = a[i] || b[i];
  }
}

__global__ void volatile_reduce(const int* in, int* out) {
  __shared__ volatile int s[64];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    __syncwarp();
    for (int o = 16; o > 0; o >>= 1) {
      int v = t < o ? s[t + o] : 0;
      __syncwarp();
      if (t < o) s[t] += v;
      __syncwarp();
    }
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__noinline__ __device__ float horner(const float* c, int n, float x) {
  float r = c[n - 1];
  for (int i = n - 2; i >= 0; --i) r = r * x + c[i];
  return r;
}
__global__ void call_horner(const float* coefficients, const float* x, float* y, int degree, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = horner(coefficients, degree, x[i]) + horner(coefficients + 1, degree - 1, -x[i]);
}

__device__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void fibonacci_of(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fibonacci(in[i]);
}

__device__ void quick_sort(int* a, int lo, int hi) {
  if (lo >= hi) return;
  int pivot = a[(lo + hi) / 2], i = lo, j = hi;
  while (i <= j) {
    while (a[i] < pivot) ++i;
    while (a[j] > pivot) --j;
    if (i <= j) {
      int t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  quick_sort(a, lo, j);
  quick_sort(a, i, hi);
}
__global__ void quick_sort_rows(int* rows, int length, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) quick_sort(rows + i * length, 0, length - 1);
}

__global__ void local_histogram(const unsigned char* in, unsigned* out, int per_thread) {
  unsigned bins[16];
  for (int b = 0; b < 16; ++b) bins[b] = 0;
  int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (int i = 0; i < per_thread; ++i) bins[in[i * all + t] >> 4]++;
  for (int b = 0; b < 16; ++b) out[b * all + t] = bins[b];
}

__global__ void local_stack(const int* tree, int* depth_sum, int nodes) {
  int stack[24], top = 0, sum = 0;
  stack[top++] = threadIdx.x % 7;
  while (top > 0) {
    int node = stack[--top];
    if (node >= nodes) continue;
    sum += tree[node];
    if (top < 22) {
      stack[top++] = 2 * node + 1;
      stack[top++] = 2 * node + 2;
    }
  }
  depth_sum[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void long_sums(const long long* in, long long* out, int n) {
  __shared__ long long s[128];
  long long sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[(long long)blockIdx.x * n + i] >> 3;
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int o = blockDim.x / 2; o > 0; o >>= 1) {
    if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

template <typename T>
__global__ void atomic_zoo(const T* in, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T v = in[i];
  atomicAdd(&out[0], v);
  atomicMax(&out[1 + i % 3], v);
  atomicMin(&out[4 + i % 5], v);
  atomicXor(&out[9], v);
  atomicOr(&out[10 + (i & 1)], v);
  atomicAnd(&out[12 + i / 32 % 4], v);
}

template <typename T>
__global__ void shared_atomic_zoo(const T* in, T* out, int n) {
  __shared__ T s[20];
  if (threadIdx.x < 20) s[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    T v = in[i];
    atomicAdd(&s[0], v);
    atomicMax(&s[1 + v % 3], v);
    atomicXor(&s[9], v);
    atomicOr(&s[10 + (i & 1)], v);
  }
  __syncthreads();
  if (threadIdx.x < 20) out[blockIdx.x * 20 + threadIdx.x] = s[threadIdx.x];
}

template __global__ void atomic_zoo(const int*, int*, int);
template __global__ void atomic_zoo(const unsigned long long*, unsigned long long*, int);
template __global__ void shared_atomic_zoo(const int*, int*, int);
template __global__ void shared_atomic_zoo(const unsigned long long*, unsigned long long*, int);

__global__ void ticket_order(unsigned* ticket, unsigned* owner, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned mine = atomicInc(ticket, 63u);
    atomicExch(&owner[i], mine + 1u);
  }
}

__global__ void float_max_cas(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i] + 2.f;
  int* where = (int*)&out[i % 64];
  if (v > 0) atomicMax(where, __float_as_int(v));
}

__global__ void double_buffered(const double* in, double* out, int steps) {
  __shared__ double s[2][100];
  int t = threadIdx.x, from = 0;
  s[0][t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int k = 0; k < steps; ++k) {
    double l = t ? s[from][t - 1] : 0.0, r = t + 1 < blockDim.x ? s[from][t + 1] : 0.0;
    s[from ^ 1][t] = 0.5 * s[from][t] + 0.25 * (l + r);
    from ^= 1;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = s[from][t];
}

__global__ void half_columns(const half* in, half* out, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  half sum = __float2half(0.f);
  for (int r = 0; r < rows; ++r) sum = __hadd(sum, in[r * cols + c]);
  out[c] = sum;
}

__device__ const int days_before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
__constant__ unsigned char month_days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
__global__ void day_of_year(const unsigned* dates, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned m = dates[i] % 12, d = dates[i] / 12 % 31;
  out[i] = days_before[m] + (d < month_days[m] ? (int)d : -1);
}

enum Op { Add, Subtract, Multiply, Divide, Negate };
__global__ void calculator(const unsigned char* program, const float* in, float* out, int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float acc = in[i];
  for (int pc = 0; pc < length; ++pc) {
    switch ((Op)program[(i / 16 * length + pc)]) {
      case Add:
        acc += 1.5f;
        break;
      case Subtract:
        acc -= 0.25f * pc;
        break;
      case Multiply:
        acc *= 1.01f;
        break;
      case Divide:
        acc = acc != 0 ? 1.f / acc : 0.f;
        break;
      case Negate:
        acc = -acc;
        break;
    }
  }
  out[i] = acc;
}

__global__ void nested_unroll(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
#pragma unroll 3
  for (int j = 0; j < n; ++j)
#pragma unroll 2
    for (int k = 0; k < 10; ++k) s += in[(i + j * 10 + k) & 1023];
  out[i] = s;
}

__global__ void while_polls(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
  if (i >= n) return;
  int at = i;
  do {
    at = in[at];
    if (++steps == 40) break;
  } while (at % 5 != 0);
  out[i] = steps > 30 ? -at : at + steps;
}
