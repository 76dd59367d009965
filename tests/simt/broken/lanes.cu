// Lanes and groups: what runs in step only by chance, shuffles where lanes have parted, the wrong group.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__device__ void last_warp(volatile int* s, int t);
__device__ int sum_of_first_warp(const int* s);

// A barrier after each line, but the line itself reads what a neighbour writes in it.
//! run 2 64 buf:i32:128:iota buf:i32:2:zero
//! expect race "__syncwarp"
__global__ void syncwarp_behind_each_step(const int* in, int* out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  if (t < 32) s[64 + t] = 0;
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    __syncwarp();
    s[t] += s[t + 16];  //! here
    __syncwarp();
    s[t] += s[t + 8];  //! here
    __syncwarp();
    s[t] += s[t + 4];  //! here
    __syncwarp();
    s[t] += s[t + 2];  //! here
    __syncwarp();
    s[t] += s[t + 1];  //! here
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
//! run 2 64 buf:i32:128:iota buf:i32:2:zero
__global__ void syncwarp_between_read_and_write(const int* in, int* out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  if (t < 32) s[64 + t] = 0;
  __syncthreads();
  if (t < 32) {
    int v = s[t];
    for (int half = 32; half > 0; half /= 2) {
      v += s[t + half];
      __syncwarp();
      s[t] = v;
      __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = v;
  }
}
//! run 2 64 buf:i32:128:iota buf:i32:128:zero
//! expect race "__syncwarp"
__global__ void leader_writes_lanes_read(const int* in, int* out) {
  __shared__ int base[2];
  int t = threadIdx.x, w = t / 32;
  if (t % 32 == 0) base[w] = in[blockIdx.x * 64 + t];  //! there
  out[blockIdx.x * 64 + t] = base[w] + t % 32;  //! here
}
//! run 2 64 buf:i32:128:iota buf:i32:128:zero
__global__ void leader_writes_then_syncwarp(const int* in, int* out) {
  __shared__ int base[2];
  int t = threadIdx.x, w = t / 32;
  if (t % 32 == 0) base[w] = in[blockIdx.x * 64 + t];
  __syncwarp();
  out[blockIdx.x * 64 + t] = base[w] + t % 32;
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect race
__global__ void warp_scan_in_step(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x, lane = t % 32;
  s[t] = in[t];  //! here
  for (int d = 1; d < 32; d *= 2)
    if (lane >= d) s[t] += s[t - d];  //! here
  out[t] = s[t];
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void warp_scan_with_syncwarp(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x, lane = t % 32;
  s[t] = in[t];
  __syncwarp();
  for (int d = 1; d < 32; d *= 2) {
    int v = lane >= d ? s[t - d] : 0;
    __syncwarp();
    s[t] += v;
    __syncwarp();
  }
  out[t] = s[t];
}
// The lower half waits once more for all 32: its second barrier meets the upper half's last.
//! run 1 32 buf:i32:32:iota
//! expect race
__global__ void syncwarp_by_half_of_the_warp(int* a) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncwarp();
  if (t < 16) {
    int v = s[(t + 1) % 16];
    __syncwarp();
    s[t] = v;  //! there
  }
  __syncwarp();
  a[t] = s[31 - t];  //! here
}
//! run 1 32 buf:i32:32:iota
__global__ void syncwarp_with_the_mask_of_half(int* a) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncwarp();
  if (t < 16) {
    int v = s[(t + 1) % 16];
    __syncwarp(0xffff);
    s[t] = v;
  }
  __syncwarp();
  a[t] = s[31 - t];
}
// The mask has the lower half, the order was meant for both.
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect race
__global__ void syncwarp_with_a_mask_too_small(const int* in, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = in[t];  //! there
  if (t < 16) __syncwarp(0xffff);
  out[t] = s[31 - t];  //! here
}

// ---- shuffles where lanes have parted ----
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect inactive_lane_read
__global__ void mask_of_the_moment(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  if (v % 3 != 0) {
    unsigned now = __activemask();
    v = __shfl_sync(now, v, 0);  //! here
  }
  out[t] = v;
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void mask_by_ballot_and_its_first_lane(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  unsigned with = __ballot_sync(~0u, v % 3 != 0);
  if (v % 3 != 0) v = __shfl_sync(with, v, __ffs(with) - 1);
  out[t] = v;
}
// Lanes leave the loop one by one; those that go on still ask for all of them.
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect inactive_lane_read
__global__ void shuffle_in_a_loop_that_lanes_leave(const int* in, int* out) {
  int t = threadIdx.x, v = in[t], sum = 0;
  while (v < 40) {
    v += 1 + __shfl_down_sync(__activemask(), v, 1) % 3;  //! here
    ++sum;
  }
  out[t] = sum;
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void shuffle_in_a_loop_that_all_leave_together(const int* in, int* out) {
  int t = threadIdx.x, v = in[t], sum = 0;
  while (__any_sync(~0u, v < 40)) {
    int next = __shfl_down_sync(~0u, v, 1);
    if (v < 40) {
      v += 1 + next % 3;
      ++sum;
    }
  }
  out[t] = sum;
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect inactive_lane_read
__global__ void neighbour_only_where_positive(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  if (t < 20) v -= __shfl_down_sync(0xfffff, v, 1) + __shfl_sync(0xfffff, v, 25);  //! here
  out[t] = v;
}
// Both halves of the warp name the lanes of the lower one.
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect inactive_lane_read
__global__ void upper_half_with_the_mask_of_the_lower(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  for (int half = 8; half > 0; half /= 2) v += __shfl_xor_sync(0xffff, v, half);  //! here
  out[t] = v;
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void each_half_with_its_mask(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  unsigned mine = t < 16 ? 0xffff : 0xffff0000;
  for (int half = 8; half > 0; half /= 2) v += __shfl_xor_sync(mine, v, half);
  out[t] = v;
}
// Lanes that have returned need not vote.
//! run 2 64 buf:i32:100:iota buf:i32:4:zero i32:100
__global__ void ballot_of_those_that_are_left(const int* in, int* out, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  unsigned odd = __ballot_sync(~0u, in[i] % 2);
  if (threadIdx.x % 32 == 0) out[i / 32] = __popc(odd);
}
//! run 2 64 buf:i32:100:iota buf:i32:4:zero i32:100
//! expect inactive_lane_read
__global__ void sum_of_those_that_are_left(const int* in, int* out, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  int v = in[i];
  for (int half = 16; half > 0; half /= 2) v += __shfl_down_sync(~0u, v, half);  //! here
  if (threadIdx.x % 32 == 0) out[i / 32] = v;
}

// ---- the wrong group ----
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect race
__global__ void tile_sync_for_a_block(const int* in, int* out) {
  __shared__ int s[64];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x;
  s[t] = in[t];  //! there
  warp.sync();
  out[t] = s[63 - t];  //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void block_sync_for_a_block(const int* in, int* out) {
  __shared__ int s[64];
  auto block = cg::this_thread_block();
  int t = block.thread_rank();
  s[t] = in[t];
  block.sync();
  out[t] = s[63 - t];
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect race
__global__ void tile_of_16_for_a_warp(const int* in, int* out) {
  __shared__ int s[64];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int t = threadIdx.x;
  s[t] = in[t];  //! there
  tile.sync();
  out[t] = s[t ^ 16];  //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void tile_of_16_for_itself(const int* in, int* out) {
  __shared__ int s[64];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int t = threadIdx.x;
  s[t] = in[t];
  tile.sync();
  out[t] = s[t ^ 8];
}
//! run 1 64 buf:i32:64:iota buf:i32:2:zero
//! expect divergent_barrier
__global__ void group_function_by_a_part(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32 && sum_of_first_warp(s) > 0) out[threadIdx.x / 32] = 1;
}
__device__ int sum_of_first_warp(const int* s) {
  __syncthreads();  //! here
  int v = s[threadIdx.x % 32];
  return __reduce_add_sync(~0u, v);
}
// As many lanes as happen to be there, not 32.
//! run 1 32 buf:i32:32:iota buf:i32:1:zero
//! expect uninitialised_read
__global__ void coalesced_group_of_any_size(const int* in, int* out) {
  __shared__ int s[32];
  if (in[threadIdx.x] % 3 != 0) {
    auto group = cg::coalesced_threads();
    s[group.thread_rank()] = in[threadIdx.x];
    group.sync();
    int sum = 0;
    for (int j = 0; j < 32; ++j) sum += s[j];  //! here
    if (group.thread_rank() == 0) out[0] = sum;
  }
}
//! run 1 32 buf:i32:32:iota buf:i32:1:zero
__global__ void coalesced_group_of_its_size(const int* in, int* out) {
  __shared__ int s[32];
  if (in[threadIdx.x] % 3 != 0) {
    auto group = cg::coalesced_threads();
    s[group.thread_rank()] = in[threadIdx.x];
    group.sync();
    int sum = 0;
    for (int j = 0; j < (int)group.size(); ++j) sum += s[j];
    if (group.thread_rank() == 0) out[0] = sum;
  }
}
//! run 2 64 buf:f32:128:iota buf:f32:128:zero
//! expect race
__global__ void group_copy_then_group_sync(const float* in, float* out) {
  __shared__ alignas(16) float s[64];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in + blockIdx.x * 64, sizeof s);  //! there
  block.sync();
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];  //! here
  cg::wait(block);
}
//! run 2 64 buf:f32:128:iota buf:f32:128:zero
__global__ void group_copy_then_wait(const float* in, float* out) {
  __shared__ alignas(16) float s[64];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in + blockIdx.x * 64, sizeof s);
  cg::wait(block);
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
//! run 2 64 buf:f32:128:iota buf:f32:128:zero
//! expect race
__global__ void group_copy_prior_one_of_one(const float* in, float* out) {
  __shared__ alignas(16) float s[64];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in + blockIdx.x * 64, sizeof s);  //! there
  cg::wait_prior<1>(block);
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];  //! here
  cg::wait(block);
}
//! run 2 64 buf:f32:256:iota buf:f32:128:zero
__global__ void group_copy_prior_one_of_two(const float* in, float* out) {
  __shared__ alignas(16) float s[2][64];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s[0], in + blockIdx.x * 64, sizeof s[0]);
  cg::memcpy_async(block, s[1], in + 128 + blockIdx.x * 64, sizeof s[1]);
  cg::wait_prior<1>(block);
  float first = s[0][63 - threadIdx.x];
  cg::wait(block);
  out[blockIdx.x * 64 + threadIdx.x] = first + s[1][63 - threadIdx.x];
}
//! run 2 128 buf:i32:256:iota buf:i32:2:zero
//! expect race "__syncwarp"
__global__ void last_warp_of_an_old_course(const int* in, int* out) {
  __shared__ int s[160];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  if (t < 32) s[128 + t] = 0;
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) last_warp(s, t);
  if (t == 0) out[blockIdx.x] = s[0];  //! here
}
__device__ void last_warp(volatile int* s, int t) {
  s[t] += s[t + 32];  //! here
  s[t] += s[t + 16];  //! here
  s[t] += s[t + 8];  //! here
  s[t] += s[t + 4];  //! here
  s[t] += s[t + 2];  //! here
  s[t] += s[t + 1];  //! here
}
//! run 2 128 buf:i32:256:iota buf:i32:2:zero
__global__ void last_warp_by_a_group(const int* in, int* out) {
  __shared__ int s[128];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  block.sync();
  if (t < 64) s[t] += s[t + 64];
  block.sync();
  if (t < 32) {
    int sum = cg::reduce(warp, s[t] + s[t + 32], cg::plus<int>());
    if (t == 0) out[blockIdx.x] = sum;
  }
}

// ---- many barriers of a warp ----
// More than a thousand of them say nothing about another warp.
//! run 1 64 buf:i32:64:iota buf:i32:64:zero i32:1500
//! expect race "__syncthreads"
__global__ void after_1500_syncwarps(const int* in, int* out, int turns) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];  //! there
  for (int k = 0; k < turns; ++k) __syncwarp();
  out[t] = s[63 - t];  //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero i32:1500
__global__ void after_1500_syncwarps_and_a_barrier(const int* in, int* out, int turns) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  for (int k = 0; k < turns; ++k) __syncwarp();
  __syncthreads();
  out[t] = s[63 - t];
}
// Warps that hand a value on by counted barriers, with many of their own in between.
//! run 1 64 buf:i32:64:iota buf:i32:64:zero i32:1500
__global__ void handed_on_after_1500_syncwarps(const int* in, int* out, int turns) {
  __shared__ int s[32];
  int t = threadIdx.x, lane = t % 32;
  if (t < 32) {
    for (int k = 0; k < turns; ++k) __syncwarp();
    s[lane] = in[t];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    for (int k = 0; k < turns; ++k) __syncwarp();
    out[lane] = s[31 - lane];
  }
}
// What is written behind the arrival is not handed on.
//! run 1 64 buf:i32:64:iota buf:i32:64:zero i32:1500
//! expect race
__global__ void written_behind_the_arrival(const int* in, int* out, int turns) {
  __shared__ int s[32];
  int t = threadIdx.x, lane = t % 32;
  if (t < 32) {
    s[lane] = 0;  //! there
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    for (int k = 0; k < turns; ++k) __syncwarp();
    s[lane] = in[t];  //! there
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    for (int k = 0; k < turns; ++k) __syncwarp();
    out[lane] = s[31 - lane];  //! here
  }
}
// A tile's leader passes on what the other lanes of its tile wrote.
//! run 2 32 buf:i32:64:iota buf:i32:64:zero buf:i32:2:zero buf:i32:16:zero
__global__ void leader_of_a_tile_releases(const int* in, int* data, volatile int* flag, int* out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (tile.meta_group_rank() != 0) return;
  int lane = tile.thread_rank();
  if (blockIdx.x == 0) {
    data[lane] = in[lane];
    tile.sync();
    if (lane == 0) {
      __threadfence();
      flag[0] = 1;
    }
  } else {
    if (lane == 0) {
      while (flag[0] == 0) {}
      __threadfence();
    }
    tile.sync();
    out[lane] = data[15 - lane];
  }
}
