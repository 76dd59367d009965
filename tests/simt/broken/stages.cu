// Copies and barriers that count: one stage too few to wait for, one thread too many to arrive.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
using Bar = cuda::barrier<cuda::thread_scope_block>;

// In the last turn nothing new is under way: one group may still be, and that is the one to be read.
//! run 1 64 buf:f32:512:iota buf:f32:64:zero
//! expect uninitialised_read
__global__ void last_stage_not_waited_for(const float* in, float* out) {
  __shared__ float s[8][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    if (k + 1 < 8) {
      __pipeline_memcpy_async(&s[k + 1][t], &in[(k + 1) * 64 + t], 4);
      __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    sum += s[k][t];  //! here
  }
  out[t] = sum;
  __pipeline_wait_prior(0);
}
//! run 1 64 buf:f32:512:iota buf:f32:64:zero
__global__ void last_stage_behind_an_empty_group(const float* in, float* out) {
  __shared__ float s[8][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    if (k + 1 < 8) __pipeline_memcpy_async(&s[k + 1][t], &in[(k + 1) * 64 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    sum += s[k][t];
  }
  out[t] = sum;
}
// Three stages, two of them ahead: one may be under way behind the wait, not two.
//! run 1 64 buf:f32:512:iota buf:f32:64:zero
//! expect uninitialised_read
__global__ void wait_lets_one_too_many_go(const float* in, float* out) {
  __shared__ float s[3][64];
  int t = threadIdx.x;
  for (int k = 0; k < 2; ++k) {
    __pipeline_memcpy_async(&s[k][t], &in[k * 64 + t], 4);
    __pipeline_commit();
  }
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    __pipeline_wait_prior(2);
    sum += s[k % 3][t];  //! here
    if (k + 2 < 8) __pipeline_memcpy_async(&s[(k + 2) % 3][t], &in[(k + 2) * 64 + t], 4);
    __pipeline_commit();
  }
  out[t] = sum;
  __pipeline_wait_prior(0);
}
//! run 1 64 buf:f32:512:iota buf:f32:64:zero
__global__ void wait_lets_one_go(const float* in, float* out) {
  __shared__ float s[3][64];
  int t = threadIdx.x;
  for (int k = 0; k < 2; ++k) {
    __pipeline_memcpy_async(&s[k][t], &in[k * 64 + t], 4);
    __pipeline_commit();
  }
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    __pipeline_wait_prior(1);
    sum += s[k % 3][t];
    if (k + 2 < 8) __pipeline_memcpy_async(&s[(k + 2) % 3][t], &in[(k + 2) * 64 + t], 4);
    __pipeline_commit();
  }
  out[t] = sum;
}
// The barrier comes first, then each thread waits for its own copies: nobody has waited for the neighbour's.
//! run 1 64 buf:f32:512:iota buf:f32:64:zero
//! expect race "__syncthreads"
__global__ void barrier_before_the_wait(const float* in, float* out) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);  //! there
  __pipeline_commit();
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    if (k + 1 < 8) __pipeline_memcpy_async(&s[(k + 1) % 2][t], &in[(k + 1) * 64 + t], 4);  //! there
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(1);  //! there
    sum += s[k % 2][63 - t];  //! here
    __syncthreads();
  }
  out[t] = sum;
}
//! run 1 64 buf:f32:512:iota buf:f32:64:zero
__global__ void barrier_behind_the_wait(const float* in, float* out) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    if (k + 1 < 8) __pipeline_memcpy_async(&s[(k + 1) % 2][t], &in[(k + 1) * 64 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[k % 2][63 - t];
    __syncthreads();
  }
  out[t] = sum;
}
// The next copy goes into the stage that others still read.
//! run 1 64 buf:f32:512:iota buf:f32:64:zero
//! expect race
__global__ void stage_filled_while_it_is_read(const float* in, float* out) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    if (k + 1 < 8) __pipeline_memcpy_async(&s[(k + 1) % 2][t], &in[(k + 1) * 64 + t], 4);  //! here
    __pipeline_commit();
    __pipeline_wait_prior(1);  //! here
    __syncthreads();
    sum += s[k % 2][63 - t];  //! there
  }
  out[t] = sum;
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect uninitialised_read
__global__ void pipeline_read_before_its_wait(const float* in, float* out) {
  __shared__ float s[64];
  auto pipe = cuda::make_pipeline();
  int t = threadIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(&s[t], &in[t], sizeof(float), pipe);
  pipe.producer_commit();
  out[t] = s[t];  //! here
  pipe.consumer_wait();
  pipe.consumer_release();
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
__global__ void pipeline_read_behind_its_wait(const float* in, float* out) {
  __shared__ float s[64];
  auto pipe = cuda::make_pipeline();
  int t = threadIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(&s[t], &in[t], sizeof(float), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  out[t] = s[t];
  pipe.consumer_release();
}

// ---- barriers that count ----
// Counted in warps, but every thread arrives: the phase is over when two threads are there.
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect race
__global__ void count_in_warps_arrivals_by_threads(const float* in, float* out) {
  __shared__ float s[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Bar bar;
  int t = threadIdx.x;
  if (t == 0) init(&bar, 2);
  __syncthreads();
  s[t] = in[t];  //! there
  Bar::arrival_token token = bar.arrive();
  bar.wait(std::move(token));
  out[t] = s[63 - t];  //! here
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect deadlock
__global__ void count_in_threads_arrivals_by_warps(const float* in, float* out) {
  __shared__ float s[64];
  __shared__ Bar bar;
  int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  s[t] = in[t];
  __syncwarp();
  if (t % 32 == 0) bar.arrive_and_wait();  //! here
  __syncwarp();
  out[t] = s[63 - t];
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
__global__ void count_in_warps_arrivals_by_warps(const float* in, float* out) {
  __shared__ float s[64];
  __shared__ Bar bar;
  int t = threadIdx.x;
  if (t == 0) init(&bar, 2);
  __syncthreads();
  s[t] = in[t];
  __syncwarp();
  if (t % 32 == 0) bar.arrive_and_wait();
  __syncwarp();
  out[t] = s[63 - t];
}
// Arrives, and waits by arriving again: each thread counts twice, and half of them end the phase.
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect race
__global__ void arrives_twice(const float* in, float* out) {
  __shared__ float s[64];
  __shared__ Bar bar;
  int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  if (t < 32) s[t] = in[t];  //! there
  (void)bar.arrive();
  if (t >= 32) s[t] = in[t];  //! there
  bar.arrive_and_wait();
  out[t] = s[63 - t];  //! here
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero i32:40
//! expect deadlock
__global__ void leaves_without_dropping_out(const float* in, float* out, int n) {
  __shared__ Bar bar;
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  if (t >= n) return;
  s[t] = in[t];
  bar.arrive_and_wait();  //! here
  out[t] = s[n - 1 - t];
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero i32:40
__global__ void leaves_and_drops_out(const float* in, float* out, int n) {
  __shared__ Bar bar;
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  if (t >= n) {
    bar.arrive_and_drop();
    return;
  }
  s[t] = in[t];
  bar.arrive_and_wait();
  out[t] = s[n - 1 - t];
}
// Producers fill, consumers read; nobody tells the producers that the buffer is free again.
//! run 1 64 buf:f32:256:iota buf:f32:256:zero
//! expect deadlock
__global__ void full_but_never_empty(const float* in, float* out) {
  __shared__ Bar full;
  __shared__ float s[32];
  int t = threadIdx.x, lane = t % 32;
  if (t == 0) init(&full, 64);
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    if (t < 32) {
      s[lane] = in[k * 32 + lane];
      (void)full.arrive();
    } else {
      full.arrive_and_wait();  //! here
      out[k * 32 + lane] = s[31 - lane];
    }
  }
}
//! run 1 64 buf:f32:256:iota buf:f32:256:zero
__global__ void full_and_empty(const float* in, float* out) {
  __shared__ Bar full, empty;
  __shared__ float s[32];
  int t = threadIdx.x, lane = t % 32;
  if (t == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    if (t < 32) {
      s[lane] = in[k * 32 + lane];
      (void)full.arrive();
      empty.arrive_and_wait();
    } else {
      full.arrive_and_wait();
      out[k * 32 + lane] = s[31 - lane];
      (void)empty.arrive();
    }
  }
}
// More bytes are announced than the copy brings.
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect deadlock
__global__ void announces_too_many_bytes(const float* in, float* out) {
  __shared__ alignas(16) float s[64];
  __shared__ Bar bar;
  int t = threadIdx.x;
  if (t == 0) {
    init(&bar, 64);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Bar::arrival_token token;
  if (t == 0) {
    cuda::device::experimental::cp_async_bulk_global_to_shared(s, in, 128, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, 256);
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));  //! here
  out[t] = s[t % 32];
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
__global__ void announces_its_bytes(const float* in, float* out) {
  __shared__ alignas(16) float s[64];
  __shared__ Bar bar;
  int t = threadIdx.x;
  if (t == 0) {
    init(&bar, 64);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Bar::arrival_token token;
  if (t == 0) {
    cuda::device::experimental::cp_async_bulk_global_to_shared(s, in, 256, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, 256);
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  out[t] = s[63 - t];
}
// Nobody announces the copy: the bytes that land are more than it expects, and its phase never ends.
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect deadlock
__global__ void announces_no_bytes(const float* in, float* out) {
  __shared__ alignas(16) float s[64];
  __shared__ Bar bar;
  int t = threadIdx.x;
  if (t == 0) {
    init(&bar, 64);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  if (t == 0) cuda::device::experimental::cp_async_bulk_global_to_shared(s, in, 256, bar);
  bar.arrive_and_wait();  //! here
  out[t] = s[63 - t];
}
