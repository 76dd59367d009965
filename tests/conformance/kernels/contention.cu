// Atomics of every kind, width and scope.
#include <cuda/atomic>
#include <cuda_fp16.h>

__global__ void count_words_of(const int* in, int* counter, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 500) atomicAdd(counter, 1);
}
__global__ void counters_by_key(const int* key, unsigned* table, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    int k = key[i];
    atomicAdd(&table[k], 1u);
    atomicMax(&table[64 + k], (unsigned)i);
    atomicMin(&table[128 + k], (unsigned)i);
    atomicOr(&table[192 + k], 1u << (i & 31));
    atomicXor(&table[256 + k], (unsigned)i);
  }
}
__global__ void add_wide_types(const int* key, double* d, float* f, unsigned long long* u, float2* f2, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int k = key[i];
  atomicAdd(&d[k], 0.5);
  atomicAdd(&f[k], 1.0f);
  atomicAdd(&u[k], 3ull);
  atomicAdd(&f2[k].x, 1.0f);
  atomicAdd(&f2[k].y, 2.0f);
}
__global__ void add_halves(const int* key, __half2* h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&h[key[i]], __floats2half2_rn(1.f, 2.f));
}
__global__ void scoped(const int* in, int* device_sum, int* block_sums, int* system_sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd_block(&block_sums[blockIdx.x * 4 + (i & 3)], in[i]);
    atomicAdd_system(&system_sum[i & 7], in[i]);
    atomicAdd(&device_sum[i & 15], in[i]);
  }
}
__global__ void with_atomic_ref(const int* in, int* sums, int* high, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> total(sums[in[i] & 7]);
  total.fetch_add(1, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_block> top(high[blockIdx.x]);
  top.fetch_max(in[i], cuda::memory_order_relaxed);
}
__device__ double atomic_max_double(double* address, double value) {
  unsigned long long* word = (unsigned long long*)address;
  unsigned long long old = *word, assumed;
  do {
    assumed = old;
    if (__longlong_as_double(assumed) >= value) break;
    old = atomicCAS(word, assumed, __double_as_longlong(value));
  } while (assumed != old);
  return __longlong_as_double(old);
}
__global__ void highest_of_each(const double* in, double* high, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max_double(&high[i], in[i]);
}
__global__ void exchange_slots(int* slots, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = atomicExch(&slots[i * 3 % n], i);
}
__global__ void shared_counters(const int* in, int* out, int n) {
  __shared__ int low, high, sum;
  __shared__ unsigned bits[4];
  if (threadIdx.x == 0) low = 1 << 30, high = -1, sum = 0;
  if (threadIdx.x < 4) bits[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int v = in[i];
    atomicMin(&low, v);
    atomicMax(&high, v);
    atomicAdd(&sum, v);
    atomicOr(&bits[v & 3], 1u << (v >> 5 & 31));
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    out[blockIdx.x * 4] = low;
    out[blockIdx.x * 4 + 1] = high;
    out[blockIdx.x * 4 + 2] = sum;
    out[blockIdx.x * 4 + 3] = bits[0] + bits[1] + bits[2] + bits[3];
  }
}
__global__ void spin_lock_sum(int* lock, int* total, const int* in, int n) {
  __shared__ int part;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&part, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *(volatile int*)total = *(volatile int*)total + part;
    __threadfence();
    atomicExch(lock, 0);
  }
}
__global__ void push_positive(const float* in, float* list, int* size, int n) {
  __shared__ int local_size, base;
  __shared__ float local_list[128];
  if (threadIdx.x == 0) local_size = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0.25f) local_list[atomicAdd(&local_size, 1)] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) base = atomicAdd(size, local_size);
  __syncthreads();
  for (int k = threadIdx.x; k < local_size; k += blockDim.x) list[base + k] = local_list[k];
}
__global__ void image_moments(const unsigned char* image, unsigned long long* moments, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    unsigned v = image[y * w + x];
    atomicAdd(&moments[0], (unsigned long long)v);
    atomicAdd(&moments[1], (unsigned long long)v * x);
    atomicAdd(&moments[2], (unsigned long long)v * y);
  }
}
__global__ void bit_set(const unsigned* ids, unsigned* words, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicOr(&words[ids[i] >> 5], 1u << (ids[i] & 31));
}
__global__ void clear_bits(const unsigned* ids, unsigned* words, unsigned* cleared, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned bit = 1u << (ids[i] & 31);
    unsigned old = atomicAnd(&words[ids[i] >> 5], ~bit);
    cleared[i] = old & bit ? 1 : 0;
  }
}
__global__ void ring_positions(unsigned* head, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned p = atomicInc(&head[i & 3], 15u);
    unsigned q = atomicDec(&head[4 + (i & 3)], 9u);
    out[i] = p < 16u && q < 10u ? 1 : 0;
  }
}
__global__ void sparse_votes(const float2* points, int* grid, int n, int cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float2 p = points[i];
    int cx = (int)((p.x + 1.f) * 0.5f * cells), cy = (int)((p.y + 1.f) * 0.5f * cells);
    cx = min(max(cx, 0), cells - 1);
    cy = min(max(cy, 0), cells - 1);
    atomicAdd(&grid[cy * cells + cx], 1);
  }
}
__global__ void deposit(const float* x, float* grid, int n, int cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float p = (x[i] + 1.f) * 0.5f * (cells - 1);
  int c = min((int)p, cells - 2);
  float w = p - c;
  atomicAdd(&grid[c], 1.f - w);
  atomicAdd(&grid[c + 1], w);
}
