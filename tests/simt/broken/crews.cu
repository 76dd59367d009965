// Lanes and warps that work together: who takes part, who waits, who is left.

// The tail of a reduction without a barrier of the warp.
//! run 2 128 buf:i32:256:iota buf:i32:2:zero
//! expect race "__syncwarp"
__global__ void last_steps_without_syncwarp(const int* in, int* out) {
  __shared__ volatile int s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  if (t < 64) s[t] = s[t] + s[t + 64];
  __syncthreads();
  if (t < 32) {
    for (int step = 32; step > 0; step /= 2) s[t] = s[t] + s[t + step];  //! here
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
//! run 2 128 buf:i32:256:iota buf:i32:2:zero
__global__ void last_steps_with_syncwarp(const int* in, int* out) {
  __shared__ volatile int s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  if (t < 64) s[t] = s[t] + s[t + 64];
  __syncthreads();
  if (t < 32) {
    for (int step = 32; step > 0; step /= 2) {
      int v = s[t] + s[t + step];
      __syncwarp();
      s[t] = v;
      __syncwarp();
    }
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
// Every warp sorts its 32 by ranks in shared memory and takes the lanes for running in step.
//! run 1 64 buf:i32:64:hash buf:i32:64:zero
//! expect race "__syncwarp"
__global__ void ranks_of_a_warp_in_step(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x, first = t / 32 * 32, rank = 0;
  s[t] = in[t];  //! there
  for (int k = 0; k < 32; ++k) rank += s[first + k] < in[t] || (s[first + k] == in[t] && first + k < t);  //! here
  out[first + rank] = in[t];
}
//! run 1 64 buf:i32:64:hash buf:i32:64:zero
__global__ void ranks_of_a_warp(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x, first = t / 32 * 32, rank = 0;
  s[t] = in[t];
  __syncwarp();
  for (int k = 0; k < 32; ++k) rank += s[first + k] < in[t] || (s[first + k] == in[t] && first + k < t);
  out[first + rank] = in[t];
}
// A shuffle under the guard of the data's end, with the mask of the whole warp.
//! run 1 64 buf:i32:50:iota buf:i32:2:zero i32:50
//! expect deadlock
__global__ void full_mask_under_a_guard(const int* in, int* out, int n) {
  int t = threadIdx.x;
  if (t < n) {
    int v = in[t];
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(~0u, v, step);  //! here
    if (t % 32 == 0) out[t / 32] = v;
    return;
  }
  while (out[1] != -1) __syncwarp();
}
// A sum over 16 lanes reads the lanes of the other half, which have gone.
//! run 3 16 buf:f32:48:iota buf:f32:3:zero
//! expect inactive_lane_read
__global__ void sum_over_32_in_a_block_of_16(const float* in, float* out) {
  float v = in[blockIdx.x * 16 + threadIdx.x];
  for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(~0u, v, step);  //! here
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
//! run 3 16 buf:f32:48:iota buf:f32:3:zero
__global__ void sum_over_16_in_a_block_of_16(const float* in, float* out) {
  float v = in[blockIdx.x * 16 + threadIdx.x];
  for (int step = 8; step > 0; step /= 2) v += __shfl_xor_sync(0xffffu, v, step);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
// The mask is that of the lanes which find something, the reader finds nothing.
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect inactive_lane_read
__global__ void asks_a_lane_that_found_nothing(const int* in, int* out) {
  int t = threadIdx.x;
  unsigned found = __ballot_sync(~0u, in[t] % 3 == 0);
  int v = t;
  if (in[t] % 3 == 0) v = __shfl_sync(found, in[t], t + 1);  //! here
  out[t] = v;
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void asks_the_next_lane_that_found_something(const int* in, int* out) {
  int t = threadIdx.x;
  unsigned found = __ballot_sync(~0u, in[t] % 3 == 0);
  int v = t;
  if (in[t] % 3 == 0) {
    unsigned above = found & ~((2u << t) - 1);
    v = __shfl_sync(found, in[t], above != 0 ? __ffs(above) - 1 : t);
  }
  out[t] = v;
}
// A lane takes part in a vote whose mask leaves it out.
//! run 1 40 buf:i32:40:iota buf:u32:40:zero
//! expect inactive_lane_read "mask"
__global__ void vote_of_the_first_sixteen(const int* in, unsigned* out) {
  int t = threadIdx.x;
  unsigned votes = 0;
  if (t < 20) votes = __ballot_sync(0xffffu, in[t] & 1);  //! here
  out[t] = votes;
}
//! run 1 40 buf:i32:40:iota buf:u32:40:zero
__global__ void vote_of_the_first_twenty(const int* in, unsigned* out) {
  int t = threadIdx.x;
  unsigned votes = 0;
  if (t < 20) votes = __ballot_sync(0xfffffu, in[t] & 1);
  out[t] = votes;
}
// Each lane of a warp wants the lock and holds it in the branch that the others wait for.
//! run 2 32 buf:i32:1:zero buf:i32:1:zero
__global__ void lock_with_progress(int* lock, int* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *sum += threadIdx.x;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
// The lock is never given back where the work fails.
//! run 1 64 buf:i32:1:zero buf:i32:1:zero
//! expect deadlock
__global__ void lock_lost_on_failure(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {}  //! here
  __threadfence();
  if (*sum > 10) return;
  *sum += 7;
  __threadfence();
  atomicExch(lock, 0);
}
// A barrier for the lanes of a warp among which one has a loop to finish first, and waits for them.
//! run 1 32 buf:i32:32:iota buf:i32:1:zero
//! expect deadlock
__global__ void waits_for_those_who_wait(const int* in, int* go) {
  volatile int* flag = go;
  if (threadIdx.x == 0) {
    while (*flag < 31) {}  //! here
  } else {
    __syncwarp();  //! here
    atomicAdd(go, in[threadIdx.x] >= 0);
  }
  __syncwarp();
}
// __syncthreads by one warp after the other has returned with a flag it never set.
//! run 1 64 buf:i32:2:zero
//! expect deadlock
__global__ void flag_of_a_warp_that_returned(int* flags) {
  volatile int* f = flags;
  if (threadIdx.x >= 32) {
    if (f[1] == 5) f[0] = 1;
    return;
  }
  if (threadIdx.x == 0)
    while (f[0] == 0) {}  //! here
  __syncwarp();
  f[1] = 2;
}
// Scan of a warp by shuffles that forget who is below the first lane.
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void scan_of_a_warp(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  for (int step = 1; step < 32; step *= 2) {
    int below = __shfl_up_sync(~0u, v, step);
    if (t >= step) v += below;
  }
  out[t] = v;
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect deadlock
__global__ void scan_whose_shuffle_is_guarded(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  for (int step = 1; step < 32; step *= 2)
    if (t >= step) {
      v += __shfl_up_sync(~0u, v, step);  //! here
    } else {
      __syncwarp();  //! here
    }
  out[t] = v;
}
// One warp fills, the other reads, and __syncwarp stands between.
//! run 1 64 buf:i32:32:iota buf:i32:32:zero
//! expect race "__syncthreads"
__global__ void syncwarp_for_two_warps(const int* in, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 32) s[t] = in[t] * 3;  //! there
  __syncwarp();
  if (t >= 32) out[t - 32] = s[63 - t];  //! here
}
//! run 1 64 buf:i32:32:iota buf:i32:32:zero
__global__ void named_barrier_for_two_warps(const int* in, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 32) s[t] = in[t] * 3;
  asm volatile("bar.sync 3, 64;" ::: "memory");
  if (t >= 32) out[t - 32] = s[63 - t];
}
// The number of threads of a named barrier leaves one warp out.
//! run 1 96 buf:i32:96:iota buf:i32:96:zero
//! expect race
__global__ void named_barrier_for_two_of_three(const int* in, int* out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  s[t] = in[t];  //! there
  if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  out[t] = s[(t + 32) % 96];  //! here
}
//! run 1 96 buf:i32:96:iota buf:i32:96:zero
__global__ void named_barrier_for_three_of_three(const int* in, int* out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  s[t] = in[t];
  asm volatile("bar.sync 1, 96;" ::: "memory");
  out[t] = s[(t + 32) % 96];
}
// Producer and consumer: the producer waits although nobody else arrives at its barrier.
//! run 1 64 buf:i32:32:iota buf:i32:32:zero
//! expect divergent_barrier
__global__ void consumer_waits_at_another_number(const int* in, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 32) {
    s[t] = in[t];
    asm volatile("bar.sync 1, 64;" ::: "memory");  //! here
  } else {
    asm volatile("bar.sync 2, 64;" ::: "memory");  //! here
    out[t - 32] = s[t - 32];
  }
}
// Votes are counted per warp and added without an atomic.
//! run 2 96 buf:i32:192:iota buf:i32:1:zero
//! expect race "atomic"
__global__ void votes_added_plainly(const int* in, int* total) {
  unsigned votes = __ballot_sync(~0u, in[blockIdx.x * 96 + threadIdx.x] % 7 == 0);
  if (threadIdx.x % 32 == 0) *total += __popc(votes);  //! here
}
//! run 2 96 buf:i32:192:iota buf:i32:1:zero
__global__ void votes_added_by_atomics(const int* in, int* total) {
  unsigned votes = __ballot_sync(~0u, in[blockIdx.x * 96 + threadIdx.x] % 7 == 0);
  if (threadIdx.x % 32 == 0) atomicAdd(total, __popc(votes));
}
// A call for each child without a test for the end.
__device__ __noinline__ int height(const int* left, const int* right, int node) {
  int l = height(left, right, left[node]), r = height(left, right, right[node]);
  return 1 + max(l, r);
}
//! run 1 7 buf:i32:16:mod:15 buf:i32:16:mod:13 buf:i32:7:zero
//! expect stack_overflow "recursion"
__global__ void height_of_a_tree_without_leaves(const int* left, const int* right, int* out) {
  out[threadIdx.x] = height(left, right, threadIdx.x);
}
__device__ __noinline__ int height_of(const int* left, const int* right, int node) {
  if (node >= 15) return 0;
  int l = height_of(left, right, left[node]), r = height_of(left, right, right[node]);
  return 1 + max(l, r);
}
//! run 1 7 buf:i32:16:const:15 buf:i32:16:const:15 buf:i32:7:zero
__global__ void height_of_a_tree(const int* left, const int* right, int* out) {
  out[threadIdx.x] = height_of(left, right, threadIdx.x);
}
