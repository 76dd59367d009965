// Counters that hand on what was done before: chains of atomics, the last one to come, tickets, look-back.
// Whoever comes last has seen all that came before, and may use the counter as its own.
#include <cuda/atomic>

__device__ unsigned guide_count, wrap_count, bare_count, early_count, spin_count;
__device__ volatile float guide_partial[4], early_partial[4], bare_partial[4];

__device__ float partial_sum(const float* in) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  return s[0];
}
// The sum of the Programming Guide, which sets its counter back for the next launch.
//! run 4 64 buf:f32:256:iota buf:f32:1:zero
__global__ void last_block_sets_the_counter_back(const float* in, float* out) {
  __shared__ bool last;
  float sum = partial_sum(in);
  if (threadIdx.x == 0) {
    guide_partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&guide_count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float total = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) total += guide_partial[k];
    *out = total;
    guide_count = 0;
  }
}
// The same without a fence.
//! run 4 64 buf:f32:256:iota buf:f32:1:zero buf:f32:4:zero
//! expect race "__threadfence()"
__global__ void last_block_without_the_fence(const float* in, float* out, float* partial) {
  __shared__ bool last;
  float sum = partial_sum(in);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;  //! there
    last = atomicInc(&bare_count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float total = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) total += partial[k];  //! here
    *out = total;
    bare_count = 0;
  }
}
// The fence behind the atomic publishes nothing that the atomic told of.
//! run 4 64 buf:f32:256:iota buf:f32:1:zero buf:f32:4:zero
//! expect race "__threadfence()"
__global__ void last_block_with_the_fence_behind(const float* in, float* out, float* partial) {
  __shared__ bool last;
  float sum = partial_sum(in);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;  //! there
    last = atomicInc(&early_count, gridDim.x) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float total = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) total += partial[k];  //! here
    *out = total;
    early_count = 0;
  }
}
// A counter that is no atomic.
//! run 4 64 buf:f32:256:iota buf:f32:1:zero buf:f32:4:zero buf:u32:1:zero
//! expect race "atomic"
__global__ void last_block_with_a_plain_counter(const float* in, float* out, float* partial, unsigned* count) {
  __shared__ bool last;
  float sum = partial_sum(in);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = (*count)++ == gridDim.x - 1;  //! here
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float total = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) total += partial[k];
    *out = total;
  }
}
// A counter that wraps by itself, and one launch that uses it twice.
//! run 4 64 buf:f32:256:iota buf:f32:2:zero buf:f32:4:zero
__global__ void last_block_of_a_counter_that_wraps(const float* in, float* out, float* partial) {
  __shared__ bool last;
  float sum = partial_sum(in);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&wrap_count, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  if (threadIdx.x < gridDim.x) atomicAdd(out, partial[threadIdx.x]);
}
// All threads of the last block sum, and another one of its threads sets the counter back.
//! run 4 64 buf:i32:256:iota buf:i32:257:zero buf:u32:1:zero
__global__ void counter_set_back_by_another_thread(const int* in, int* out, unsigned* count) {
  __shared__ bool last;
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  out[i] = in[i] * 2;
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(count, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  for (int k = t; k < 256; k += 64) atomicAdd(&out[256], out[k]);
  if (t == 63) *count = 0;
}
// Whoever is not last sets it back as well.
//! run 4 64 buf:i32:256:iota buf:i32:257:zero buf:u32:1:zero
//! expect race
__global__ void counter_set_back_by_every_block(const int* in, int* out, unsigned* count) {
  __shared__ bool last;
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  out[i] = in[i] * 2;
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(count, 1u) == gridDim.x - 1;  //! there
  __syncthreads();
  if (t == 63) *count = 0;  //! here
  if (last && t == 0) out[256] = out[0];
}
// A counter for each row of tiles: the last tile of a row sums the row.
//! run 4x3 32 buf:f32:384:iota buf:f32:12:zero buf:u32:3:zero buf:f32:3:zero
__global__ void last_tile_of_each_row(const float* in, float* partial, unsigned* arrived, float* rows) {
  unsigned row = blockIdx.y, t = threadIdx.x;
  float v = in[(row * gridDim.x + blockIdx.x) * 32 + t];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (t != 0) return;
  partial[row * gridDim.x + blockIdx.x] = v;
  __threadfence();
  if (atomicAdd(&arrived[row], 1u) != gridDim.x - 1) return;
  float sum = 0;
  for (unsigned k = 0; k < gridDim.x; ++k) sum += partial[row * gridDim.x + k];
  rows[row] = sum;
  arrived[row] = 0;
}
// Its twin sums the row of its neighbour.
//! run 4x3 32 buf:f32:384:iota buf:f32:12:zero buf:u32:3:zero buf:f32:3:zero
//! expect race
__global__ void last_tile_sums_another_row(const float* in, float* partial, unsigned* arrived, float* rows) {
  unsigned row = blockIdx.y, t = threadIdx.x;
  float v = in[(row * gridDim.x + blockIdx.x) * 32 + t];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (t != 0) return;
  partial[row * gridDim.x + blockIdx.x] = v;  //! there
  __threadfence();
  if (atomicAdd(&arrived[row], 1u) != gridDim.x - 1) return;
  float sum = 0;
  for (unsigned k = 0; k < gridDim.x; ++k) sum += partial[(row + 1) % 3 * gridDim.x + k];  //! here
  rows[row] = sum;
}
// cuda::atomic_ref of the device, released and acquired by the increment itself.
//! run 4 32 buf:i32:128:iota buf:i32:129:zero buf:u32:1:zero
__global__ void last_block_by_acquire_and_release(const int* in, int* out, unsigned* count) {
  __shared__ bool last;
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  out[i] = in[i] + 1;
  __syncthreads();
  if (t == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> c(*count);
    last = c.fetch_add(1, cuda::std::memory_order_acq_rel) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || t != 0) return;
  int sum = 0;
  for (int k = 0; k < 128; ++k) sum += out[k];
  out[128] = sum;
  *count = 0;
}
//! run 4 32 buf:i32:128:iota buf:i32:129:zero buf:u32:1:zero
//! expect race "scope"
__global__ void last_block_by_an_atomic_of_its_block(const int* in, int* out, unsigned* count) {
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  out[i] = in[i] + 1;
  __syncthreads();
  if (t != 0) return;
  cuda::atomic_ref<unsigned, cuda::thread_scope_block> c(*count);
  if (c.fetch_add(1, cuda::std::memory_order_acq_rel) != gridDim.x - 1) return;  //! here
  int sum = 0;
  for (int k = 0; k < 128; ++k) sum += out[k];
  out[128] = sum;
}
//! run 4 32 buf:i32:128:iota buf:i32:129:zero buf:u32:1:zero
//! expect race "__threadfence()"
__global__ void last_block_by_a_relaxed_atomic(const int* in, int* out, unsigned* count) {
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  out[i] = in[i] + 1;  //! there
  __syncthreads();
  if (t != 0) return;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> c(*count);
  if (c.fetch_add(1, cuda::std::memory_order_relaxed) != gridDim.x - 1) return;
  int sum = 0;
  for (int k = 0; k < 128; ++k) sum += out[k];  //! here
  out[128] = sum;
}
// The counter itself is all that matters: no fence is asked for.
//! run 4 64 buf:u32:2:zero
__global__ void last_block_that_only_counts(unsigned* count) {
  if (threadIdx.x != 0) return;
  if (atomicAdd(&count[0], 1u) == gridDim.x - 1) {
    count[1] = count[0];
    count[0] = 0;
  }
}
// A look that has not seen the last of them.
//! run 4 64 buf:u32:2:zero
//! expect race
__global__ void second_to_last_block_counts(unsigned* count) {
  if (threadIdx.x != 0) return;
  if (atomicAdd(&count[0], 1u) == gridDim.x - 2) {  //! there
    count[1] = 1;
    count[0] = 0;  //! here
  }
}
// Block 0 waits for all of them with a volatile look and sets the counter back for the next time.
//! run 4 32 buf:i32:128:iota buf:i32:5:zero
__global__ void first_block_waits_for_all(const int* in, int* out) {
  volatile unsigned* const count = &spin_count;
  if (threadIdx.x != 0) return;
  out[blockIdx.x] = in[blockIdx.x * 32];
  __threadfence();
  atomicAdd(&spin_count, 1u);
  if (blockIdx.x != 0) return;
  while (*count != gridDim.x) {}
  __threadfence();
  int sum = 0;
  for (unsigned k = 0; k < gridDim.x; ++k) sum += out[k];
  out[4] = sum;
  spin_count = 0;
}
// Decoupled look-back: a block adds up what those before it have told, down to the first that knows its whole
// prefix.
struct Told {
  int state, value;
};
//! run 5 32 buf:i32:160:iota buf:i32:160:zero buf:i32:10:zero buf:u32:1:zero
__global__ void scan_that_looks_back(const int* in, int* out, volatile int* told, unsigned* tickets) {
  __shared__ unsigned block;
  __shared__ int before;
  int t = threadIdx.x;
  if (t == 0) block = atomicAdd(tickets, 1u);
  __syncthreads();
  int v = in[block * 32 + t];
  for (int d = 1; d < 32; d *= 2) {
    int left = __shfl_up_sync(~0u, v, d);
    if (t >= d) v += left;
  }
  if (t == 31) {
    told[2 * block + 1] = v;
    __threadfence();
    told[2 * block] = 1;
    int sum = 0;
    for (int k = static_cast<int>(block) - 1; k >= 0; --k) {
      while (told[2 * k] == 0) {}
      __threadfence();
      sum += told[2 * k + 1];
    }
    before = sum;
  }
  __syncthreads();
  out[block * 32 + t] = v + before;
  if (t == 0 && block == gridDim.x - 1) *tickets = 0;
}
// Aggregates that are told without a fence.
//! run 5 32 buf:i32:160:iota buf:i32:160:zero buf:i32:5:zero buf:i32:5:zero buf:u32:1:zero
//! expect race "__threadfence()"
__global__ void look_back_without_a_fence(const int* in, int* out, int* sums, volatile int* flags,
                                          unsigned* tickets) {
  __shared__ unsigned block;
  int t = threadIdx.x;
  if (t == 0) block = atomicAdd(tickets, 1u);
  __syncthreads();
  int v = __reduce_add_sync(~0u, in[block * 32 + t]);
  if (t != 0) return;
  sums[block] = v;  //! there
  flags[block] = 1;
  int before = 0;
  for (int k = static_cast<int>(block) - 1; k >= 0; --k) {
    while (flags[k] == 0) {}
    before += sums[k];  //! here
  }
  out[block] = before;
}
// Flags with acquire and release, one for each block.
//! run 5 32 buf:i32:160:iota buf:i32:160:zero buf:i32:5:zero buf:i32:5:zero
__global__ void look_back_by_acquire_and_release(const int* in, int* out, int* sums, int* flags) {
  int t = threadIdx.x, block = blockIdx.x;
  int v = __reduce_add_sync(~0u, in[block * 32 + t]);
  if (t != 0) return;
  sums[block] = v;
  cuda::atomic_ref<int, cuda::thread_scope_device>(flags[block]).store(1, cuda::std::memory_order_release);
  int before = 0;
  for (int k = block - 1; k >= 0; --k) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[k]);
    while (flag.load(cuda::std::memory_order_acquire) == 0) {}
    before += sums[k];
  }
  out[block] = before;
}
// A counter in shared memory: the last warp sums what the others left.
//! run 2 128 buf:i32:256:iota buf:i32:2:zero
__global__ void last_warp_of_the_block(const int* in, int* out) {
  __shared__ int sums[4];
  __shared__ unsigned count;
  int t = threadIdx.x, w = t / 32;
  if (t == 0) count = 0;
  __syncthreads();
  int v = __reduce_add_sync(~0u, in[blockIdx.x * 128 + t]);
  if (t % 32 != 0) return;
  sums[w] = v;
  __threadfence_block();
  if (atomicAdd(&count, 1u) != 3) return;
  out[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
  count = 0;
}
//! run 2 128 buf:i32:256:iota buf:i32:2:zero
//! expect race "__threadfence_block()"
__global__ void last_warp_without_a_fence(const int* in, int* out) {
  __shared__ int sums[4];
  __shared__ unsigned count;
  int t = threadIdx.x, w = t / 32;
  if (t == 0) count = 0;
  __syncthreads();
  int v = __reduce_add_sync(~0u, in[blockIdx.x * 128 + t]);
  if (t % 32 != 0) return;
  sums[w] = v;  //! there
  if (atomicAdd(&count, 1u) != 3) return;
  out[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];  //! here
  count = 0;
}
// A chain of blocks in which the one between has only a fence of its block: what came before goes on with it.
//! run 3 32 buf:i32:3:zero buf:i32:4:zero
__global__ void chain_through_a_narrow_fence(int* data, int* chain) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 5;
    __threadfence();
    atomicAdd(&chain[0], 1);
  } else if (blockIdx.x == 1) {
    while (atomicAdd(&chain[1], 0) != 1) {}
    __threadfence_block();
    atomicAdd(&chain[0], 1);
    atomicExch(&chain[2], 1);
  } else {
    while (atomicAdd(&chain[0], 0) != 1) {}
    atomicExch(&chain[1], 1);
    while (atomicAdd(&chain[0], 0) != 2) {}
    __threadfence();
    data[1] = data[0];
  }
}
// Elements that fit go to where a counter says; the last block tells how many there are.
//! run 4 64 buf:i32:256:iota buf:i32:256:zero buf:u32:3:zero
__global__ void compaction_that_tells_its_size(const int* in, int* out, unsigned* counters) {
  __shared__ unsigned count, from;
  __shared__ bool last;
  int t = threadIdx.x, v = in[blockIdx.x * 64 + t];
  if (t == 0) count = 0;
  __syncthreads();
  unsigned mine = 0;
  bool fits = v % 3 == 0;
  if (fits) mine = atomicAdd(&count, 1u);
  __syncthreads();
  if (t == 0) from = atomicAdd(&counters[0], count);
  __syncthreads();
  if (fits) out[from + mine] = v;
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(&counters[1], 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last || t != 0) return;
  counters[2] = counters[0];
  counters[0] = counters[1] = 0;
}
// Sums by compare-and-swap, begun with a plain look: whatever it sees is checked by the swap.
__device__ double add_by_swapping(double* address, double value) {
  unsigned long long* bits = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
//! run 3 64 buf:f64:192:iota buf:f64:4:zero
__global__ void plain_look_before_swapping(const double* in, double* sums) {
  add_by_swapping(&sums[threadIdx.x % 4], in[blockIdx.x * 64 + threadIdx.x]);
}
//! run 3 64 buf:f32:192:iota buf:f32:4:zero
__global__ void largest_by_swapping(const float* in, float* most) {
  int* bits = reinterpret_cast<int*>(&most[threadIdx.x % 4]);
  float v = in[blockIdx.x * 64 + threadIdx.x];
  int old = *bits;
  while (__int_as_float(old) < v) {
    int seen = atomicCAS(bits, old, __float_as_int(v));
    if (seen == old) break;
    old = seen;
  }
}
//! run 2 128 buf:f32:256:iota buf:f32:2:zero
__global__ void product_by_swapping_in_shared_memory(const float* in, float* out) {
  __shared__ float product;
  int t = threadIdx.x;
  if (t == 0) product = 1;
  __syncthreads();
  int* bits = reinterpret_cast<int*>(&product);
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(__int_as_float(assumed) * (1 + in[blockIdx.x * 128 + t])));
  } while (assumed != old);
  __syncthreads();
  if (t == 0) out[blockIdx.x] = product;
}
// What is not checked: the look is used for something else, at another place, or what it sees is stored.
//! run 3 64 buf:i32:192:iota buf:i32:4:zero buf:i32:192:zero
//! expect race "atomic"
__global__ void plain_look_that_is_used(const int* in, int* most, int* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = most[threadIdx.x % 4];  //! here
  atomicMax(&most[threadIdx.x % 4], in[i]);  //! there
}
//! run 3 64 buf:f64:192:iota buf:f64:4:zero
//! expect race "atomic"
__global__ void swapping_without_a_swap(const double* in, double* sums) {
  int i = threadIdx.x % 4;
  double old = sums[i];  //! here
  sums[i] = old + in[blockIdx.x * 64 + threadIdx.x];  //! there
}
// Block 1 tells by way of block 0: another warp of block 1 hears of it from there.
//! run 2 64 buf:i32:2:zero buf:i32:2:zero
__global__ void chain_back_to_its_own_block(int* data, int* chain) {
  int t = threadIdx.x;
  if (t % 32 != 0) return;
  if (blockIdx.x == 1 && t == 0) {
    data[0] = 5;
    __threadfence();
    atomicAdd(&chain[0], 1);
  } else if (blockIdx.x == 0 && t == 0) {
    while (atomicAdd(&chain[0], 0) != 1) {}
    __threadfence();
    atomicAdd(&chain[0], 1);
  } else if (blockIdx.x == 1) {
    while (atomicAdd(&chain[0], 0) != 2) {}
    __threadfence();
    data[1] = data[0];
  }
}
// All on one line: the store and the load of another block are no  n += 1.
//! run 2 1 buf:i32:1:zero buf:i32:1:zero buf:i32:2:zero
//! expect race "__threadfence()"
__global__ void flag_on_one_line(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) { data[0] = 5; atomicExch(flag, 1); } else { while (atomicAdd(flag, 0) == 0) { } out[0] = data[0]; }  //! here
}
