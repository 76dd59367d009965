// Messages between blocks, asynchronous copies and barriers in memory: what arrives before what.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using block_barrier_t = cuda::barrier<cuda::thread_scope_block>;

// The last block sums what the others wrote, of which it has not seen anything for sure.
__device__ unsigned arrived_a, arrived_b;
//! run 4 32 buf:i32:128:iota buf:i32:5:zero
//! expect race
__global__ void last_block_without_a_fence(const int* in, int* out) {
  int v = __reduce_add_sync(~0u, in[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x != 0) return;
  out[blockIdx.x] = v;  //! there
  if (atomicAdd(&arrived_a, 1) == gridDim.x - 1) {
    int sum = 0;
    for (int k = 0; k < gridDim.x; ++k) sum += out[k];  //! here
    out[4] = sum;
  }
}
//! run 4 32 buf:i32:128:iota buf:i32:5:zero
__global__ void last_block_with_fences(const int* in, int* out) {
  int v = __reduce_add_sync(~0u, in[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x != 0) return;
  out[blockIdx.x] = v;
  __threadfence();
  if (atomicAdd(&arrived_b, 1) == gridDim.x - 1) {
    __threadfence();
    int sum = 0;
    for (int k = 0; k < gridDim.x; ++k) sum += out[k];
    out[4] = sum;
  }
}
// The first thread counts its block in before the other threads have stored.
//! run 3 64 buf:i32:192:iota buf:i32:193:zero buf:u32:1:zero
//! expect race
__global__ void counted_in_before_the_others_stored(const int* in, int* out, unsigned* arrived) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i] * 2;  //! there
  __threadfence();
  if (threadIdx.x == 0 && atomicAdd(arrived, 1) == gridDim.x - 1) {
    __threadfence();
    int sum = 0;
    for (int k = 0; k < 192; ++k) sum += out[k];  //! here
    out[192] = sum;
  }
}
//! run 3 64 buf:i32:192:iota buf:i32:193:zero buf:u32:1:zero
__global__ void counted_in_after_a_barrier(const int* in, int* out, unsigned* arrived) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i] * 2;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(arrived, 1) == gridDim.x - 1) {
    __threadfence();
    int sum = 0;
    for (int k = 0; k < 192; ++k) sum += out[k];
    out[192] = sum;
  }
}
// All threads of the last block sum, but only one of them has asked who is last.
//! run 3 64 buf:i32:192:iota buf:i32:194:zero buf:u32:1:zero
//! expect race
__global__ void last_block_told_without_a_barrier(const int* in, int* out, unsigned* arrived) {
  __shared__ bool last;
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  out[i] = in[i] * 2;
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(arrived, 1) == gridDim.x - 1;  //! there
  if (last) atomicAdd(&out[193], out[t]);  //! here
}
// Thousands of ticks before the message, and none of them is the flag.
//! run 2 1 buf:i32:3:zero
//! expect race
__global__ void reads_beside_a_ticking_block(int* a) {
  if (blockIdx.x == 0) {
    a[0] = 42;  //! there
    for (int k = 0; k < 3000; ++k) {
      __threadfence();
      atomicAdd(&a[1], 1);
    }
  } else {
    a[2] = a[0];  //! here
  }
}
//! run 2 1 buf:i32:4:zero
__global__ void message_after_thousands_of_ticks(int* a) {
  if (blockIdx.x == 0) {
    a[0] = 42;
    for (int k = 0; k < 3000; ++k) {
      __threadfence();
      atomicAdd(&a[1], 1);
    }
    __threadfence();
    atomicExch(&a[3], 1);
  } else {
    while (atomicAdd(&a[3], 0) == 0) {}
    __threadfence();
    a[2] = a[0];
  }
}
// A ring of blocks hands a token on; the value goes after the token.
//! run 4 1 buf:i32:4:zero buf:i32:4:zero
//! expect race
__global__ void token_before_its_value(int* token, int* value) {
  int me = blockIdx.x;
  if (me > 0)
    while (atomicAdd(&token[me], 0) == 0) {}
  __threadfence();
  int v = me > 0 ? value[me - 1] + 1 : 1;  //! here
  if (me < 3) atomicExch(&token[me + 1], 1);
  __threadfence();
  value[me] = v;  //! there
}
//! run 4 1 buf:i32:4:zero buf:i32:4:zero
__global__ void token_behind_its_value(int* token, int* value) {
  int me = blockIdx.x;
  if (me > 0)
    while (atomicAdd(&token[me], 0) == 0) {}
  __threadfence();
  value[me] = me > 0 ? value[me - 1] + 1 : 1;
  __threadfence();
  if (me < 3) atomicExch(&token[me + 1], 1);
}
// A block waits for the one behind it, which starts when this one has gone... if the message were ever sent.
//! run 3 32 buf:i32:4:zero
//! expect deadlock
__global__ void ticket_that_is_never_called(int* a) {
  if (threadIdx.x != 0) return;
  int mine = atomicAdd(&a[0], 1);
  while (atomicAdd(&a[1], 0) != mine + 1) {}  //! here
  atomicAdd(&a[1], 1);
}
//! run 3 32 buf:i32:4:zero
__global__ void ticket_that_is_called(int* a) {
  if (threadIdx.x != 0) return;
  int mine = atomicAdd(&a[0], 1);
  while (atomicAdd(&a[1], 0) != mine) {}
  __threadfence();
  a[2] += mine;
  __threadfence();
  atomicAdd(&a[1], 1);
}
// Neighbours exchange their edges through global memory and meet only inside their blocks.
//! run 3 32 buf:f32:96:iota buf:f32:6:zero
//! expect race
__global__ void edges_exchanged_after_syncthreads(float* a, float* edges) {
  int t = threadIdx.x, b = blockIdx.x, i = b * 32 + t;
  if (t == 0) edges[2 * b] = a[i];  //! there
  if (t == 31) edges[2 * b + 1] = a[i];  //! there
  __syncthreads();
  if (t == 0 && b > 0) a[i] += edges[2 * b - 1];  //! here
  if (t == 31 && b < 2) a[i] += edges[2 * b + 2];  //! here
}
//! run 3 32 buf:f32:96:iota buf:f32:6:zero
__global__ void edges_exchanged_after_a_grid_barrier(float* a, float* edges) {
  int t = threadIdx.x, b = blockIdx.x, i = b * 32 + t;
  if (t == 0) edges[2 * b] = a[i];
  if (t == 31) edges[2 * b + 1] = a[i];
  cg::this_grid().sync();
  if (t == 0 && b > 0) a[i] += edges[2 * b - 1];
  if (t == 31 && b < 2) a[i] += edges[2 * b + 2];
}
// cp.async by hand, and the wait is for the groups that are older.
#define COPY_ASYNC(to, from)                                                                              \
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(unsigned(__cvta_generic_to_shared(to))), \
               "l"(from)                                                                                  \
               : "memory")
//! run 1 64 buf:i32:128:iota buf:i32:128:zero
//! expect uninitialised_read
__global__ void waits_for_all_but_the_one_it_reads(const int* in, int* out) {
  __shared__ int s[2][64];
  int t = threadIdx.x;
  for (int k = 0; k < 2; ++k) {
    COPY_ASYNC(&s[k][t], &in[k * 64 + t]);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  out[t] = s[0][t];
  out[64 + t] = s[1][t];  //! here
}
//! run 1 64 buf:i32:128:iota buf:i32:128:zero
__global__ void waits_for_one_and_then_for_the_other(const int* in, int* out) {
  __shared__ int s[2][64];
  int t = threadIdx.x;
  for (int k = 0; k < 2; ++k) {
    COPY_ASYNC(&s[k][t], &in[k * 64 + t]);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  out[t] = s[0][t];
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  out[64 + t] = s[1][t];
}
// A thread waits for its own copies and reads its neighbour's.
//! run 1 96 buf:i32:96:iota buf:i32:96:zero
//! expect race
__global__ void copies_of_the_neighbour(const int* in, int* out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  COPY_ASYNC(&s[t], &in[t]);  //! there
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[t] = s[(t + 33) % 96];  //! here
}
//! run 1 96 buf:i32:96:iota buf:i32:96:zero
__global__ void copies_of_the_neighbour_after_a_barrier(const int* in, int* out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  COPY_ASYNC(&s[t], &in[t]);
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[t] = s[(t + 33) % 96];
}
// The next copy goes into the buffer that others still read.
//! run 1 64 buf:i32:256:iota buf:i32:256:zero
//! expect race
__global__ void copies_into_a_buffer_in_use(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    COPY_ASYNC(&s[t], &in[k * 64 + t]);  //! here
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[k * 64 + t] = s[63 - t];  //! there
  }
}
// A cuda::barrier for more threads than ever arrive.
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect deadlock
__global__ void barrier_for_one_thread_too_many(const int* in, int* out) {
  __shared__ block_barrier_t bar;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0) init(&bar, 65);
  __syncthreads();
  s[t] = in[t];
  bar.arrive_and_wait();
  out[t] = s[63 - t];
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void barrier_for_all_threads(const int* in, int* out) {
  __shared__ block_barrier_t bar;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  s[t] = in[t];
  bar.arrive_and_wait();
  out[t] = s[63 - t];
}
// Arrives, reads at once, and waits afterwards.
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect race
__global__ void reads_between_arriving_and_waiting(const int* in, int* out) {
  __shared__ block_barrier_t bar;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  s[t] = in[t];  //! there
  auto token = bar.arrive();
  int v = s[63 - t];  //! here
  bar.wait(std::move(token));
  out[t] = v;
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void works_between_arriving_and_waiting(const int* in, int* out) {
  __shared__ block_barrier_t bar;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  s[t] = in[t];
  auto token = bar.arrive();
  int v = in[t] * 3;
  bar.wait(std::move(token));
  out[t] = v + s[63 - t];
}
// A pipeline of one stage whose consumer gives the buffer back before it has read it.
//! run 1 32 buf:i32:128:iota buf:i32:128:zero
//! expect race
__global__ void stage_released_before_it_is_read(const int* in, int* out) {
  __shared__ int s[32];
  auto block = cg::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  auto pipe = cuda::make_pipeline(block, &state);
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[t], &in[k * 32 + t], sizeof(int), pipe);  //! here
    pipe.producer_commit();
    pipe.consumer_wait();
    pipe.consumer_release();
    out[k * 32 + t] = s[31 - t];  //! there
  }
}
//! run 1 32 buf:i32:128:iota buf:i32:128:zero
__global__ void stage_released_behind_its_reading(const int* in, int* out) {
  __shared__ int s[32];
  auto block = cg::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  auto pipe = cuda::make_pipeline(block, &state);
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[t], &in[k * 32 + t], sizeof(int), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[k * 32 + t] = s[31 - t];
    pipe.consumer_release();
  }
}
// The fence stands in front of what it should publish.
//! run 2 32 buf:i32:40:zero
//! expect race
__global__ void fence_in_front_of_the_data(int* a) {
  int t = threadIdx.x;
  volatile int* flag = a + 39;
  if (blockIdx.x == 0) {
    if (t != 0) return;
    __threadfence();
    a[0] = 7;  //! there
    *flag = 1;
  } else {
    while (*flag == 0) {}
    a[1 + t] = a[0];  //! here
  }
}
//! run 2 32 buf:i32:40:zero
__global__ void fence_behind_the_data(int* a) {
  int t = threadIdx.x;
  volatile int* flag = a + 39;
  if (blockIdx.x == 0) {
    if (t != 0) return;
    a[0] = 7;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {}
    a[1 + t] = a[0];
  }
}
// A fence in the first turn only: the later pieces go out unordered.
//! run 2 1 buf:i32:9:zero buf:i32:8:zero
//! expect race
__global__ void fence_of_the_first_turn(int* a, int* out) {
  volatile int* ready = a + 8;
  for (int k = 0; k < 8; ++k) {
    if (blockIdx.x == 0) {
      a[k] = 3 * k;  //! there
      if (k == 0) __threadfence();
      *ready = k + 1;
    } else {
      while (*ready <= k) {}
      out[k] = a[k];  //! here
    }
  }
}
//! run 2 1 buf:i32:9:zero buf:i32:8:zero
__global__ void fence_of_every_turn(int* a, int* out) {
  volatile int* ready = a + 8;
  for (int k = 0; k < 8; ++k) {
    if (blockIdx.x == 0) {
      a[k] = 3 * k;
      __threadfence();
      *ready = k + 1;
    } else {
      while (*ready <= k) {}
      out[k] = a[k];
    }
  }
}
// Every thread fences and meets the others; one of them then sets the flag for all.
//! run 2 96 buf:i32:97:zero buf:i32:96:zero
__global__ void fence_of_all_before_the_barrier(int* a, int* out) {
  int t = threadIdx.x;
  volatile int* flag = a + 96;
  if (blockIdx.x == 0) {
    a[t] = t * t;
    __threadfence();
    __syncthreads();
    if (t == 0) *flag = 1;
  } else {
    if (t == 0)
      while (*flag == 0) {}
    __syncthreads();
    out[t] = a[95 - t];
  }
}
// Between warps of a block: the fence comes too early.
//! run 1 64 buf:i32:32:zero
//! expect race
__global__ void warps_with_an_early_fence(int* out) {
  __shared__ int s[32];
  __shared__ volatile int flag;
  int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t < 32) {
    __threadfence_block();
    s[t] = t;  //! there
    __syncwarp();
    if (t == 0) flag = 1;
  } else {
    while (flag == 0) {}
    out[t - 32] = s[63 - t];  //! here
  }
}
//! run 1 64 buf:i32:32:zero
__global__ void warps_with_a_fence_in_time(int* out) {
  __shared__ int s[32];
  __shared__ volatile int flag;
  int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t < 32) {
    s[t] = t;
    __syncwarp();
    __threadfence_block();
    if (t == 0) flag = 1;
  } else {
    while (flag == 0) {}
    out[t - 32] = s[63 - t];
  }
}
// The lock is given back before what it guards is written.
//! run 4 1 buf:i32:2:zero
//! expect race
__global__ void unlocked_too_early(int* a) {
  while (atomicCAS(&a[1], 0, 1) != 0) {}
  __threadfence();
  int v = a[0] + blockIdx.x;  //! here
  atomicExch(&a[1], 0);
  a[0] = v;  //! here
}
