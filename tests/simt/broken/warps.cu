// Lanes of one warp: what needs __syncwarp() since Volta, and shuffles that read lanes that are not there.

//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect race "__syncwarp"
__global__ void neighbour_in_warp(const int* in, int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = in[threadIdx.x];            //! there
  out[threadIdx.x] = s[(threadIdx.x + 1) % 32];  //! here
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void neighbour_in_warp_ordered(const int* in, int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = s[(threadIdx.x + 1) % 32];
}

//! run 2 64 buf:f32:128:iota buf:f32:2:zero
//! expect race "__syncwarp"
__global__ void last_warp_unrolled(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];  //! here
    if (t < 16) s[t] += s[t + 16];  //! here
    if (t < 8) s[t] += s[t + 8];    //! here
    if (t < 4) s[t] += s[t + 4];    //! here
    if (t < 2) s[t] += s[t + 2];    //! here
    if (t < 1) s[t] += s[t + 1];    //! here
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
// As books before 2017 print it. Volatile keeps the compiler from keeping values in registers; it does not keep
// the lanes together.
//! run 2 64 buf:f32:128:iota buf:f32:2:zero
//! expect race "__syncwarp"
__global__ void last_warp_volatile(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32) {
    volatile float* v = s;
    v[t] += v[t + 32];  //! here
    v[t] += v[t + 16];  //! here
    v[t] += v[t + 8];   //! here
    v[t] += v[t + 4];   //! here
    v[t] += v[t + 2];   //! here
    v[t] += v[t + 1];   //! here
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
//! run 2 64 buf:f32:128:iota buf:f32:2:zero
__global__ void last_warp_ordered(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32) {
    float v = s[t];
    for (int d = 32; d > 0; d /= 2) {
      v += s[t + d];
      __syncwarp();
      s[t] = v;
      __syncwarp();
      if (d == 32) s[t + 32] = 0.0f;
      __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = v;
  }
}
//! run 2 64 buf:f32:128:iota buf:f32:4:zero
__global__ void last_warp_shuffled(const float* in, float* out) {
  float v = in[blockIdx.x * 64 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0) out[blockIdx.x * 2 + threadIdx.x / 32] = v;
}

//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect race "__syncwarp"
__global__ void scan_in_warp_unordered(const int* in, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncwarp();
  for (int d = 1; d < 32; d *= 2) {
    int v = t >= d ? s[t - d] : 0;  //! there
    s[t] += v;                      //! here
    __syncwarp();
  }
  out[t] = s[t];
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void scan_in_warp_ordered(const int* in, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncwarp();
  for (int d = 1; d < 32; d *= 2) {
    int v = t >= d ? s[t - d] : 0;
    __syncwarp();
    s[t] += v;
    __syncwarp();
  }
  out[t] = s[t];
}

//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect inactive_lane_read
__global__ void shuffle_in_half(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  if (t % 32 < 16) {
    v += __shfl_down_sync(0x0000ffff, v, 16);  //! here
  }
  out[t] = v;
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void shuffle_by_all(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  int w = __shfl_down_sync(0xffffffff, v, 16);
  if (t % 32 < 16) v += w;
  out[t] = v;
}

//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect inactive_lane_read
__global__ void shuffle_from_outside_the_mask(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  if (t < 8) v = __shfl_sync(0xff, v, 20);  //! here
  out[t] = v;
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void shuffle_inside_the_mask(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  if (t < 8) v = __shfl_sync(0xff, v, 5);
  out[t] = v;
}

// The mask names lanes that never come.
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect deadlock "0xffff0000"
__global__ void mask_names_absent_lanes(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  if (t < 16) {
    v += __shfl_xor_sync(0xffffffff, v, 1);  //! here
    out[t] = v;
    __syncthreads();
  } else {
    __syncthreads();
    out[t] = v;
  }
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void mask_names_present_lanes(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  if (t < 16) v += __shfl_xor_sync(0x0000ffff, v, 1);
  __syncthreads();
  out[t] = v;
}

// The executing lane itself is not in its mask.
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect inactive_lane_read
__global__ void not_in_its_own_mask(const int* in, int* out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffff, in[threadIdx.x], 0);  //! here
}

// The last warp is not whole: lanes 8 to 31 of it do not exist.
//! run 1 40 buf:f32:40:iota buf:f32:2:zero
//! expect inactive_lane_read
__global__ void sum_of_partial_warp(const float* in, float* out) {
  float v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);  //! here
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}
//! run 1 64 buf:f32:40:iota buf:f32:2:zero i32:40
__global__ void sum_padded_to_warps(const float* in, float* out, int n) {
  float v = threadIdx.x < n ? in[threadIdx.x] : 0.0f;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}
//! run 1 64 buf:f32:64:iota buf:f32:8:zero
__global__ void sum_in_groups_of_eight(const float* in, float* out) {
  float v = in[threadIdx.x];
  for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d, 8);
  if (threadIdx.x % 8 == 0) out[threadIdx.x / 8] = v;
}

// Early return, then a full mask: the lanes that are gone are named.
//! run 2 32 buf:f32:40:iota buf:f32:2:zero i32:40
//! expect inactive_lane_read
__global__ void returned_lanes_in_shuffle(const float* in, float* out, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);  //! here
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
//! run 2 32 buf:f32:40:iota buf:f32:2:zero i32:40
__global__ void all_lanes_in_shuffle(const float* in, float* out, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  float v = i < n ? in[i] : 0.0f;
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

// Votes with the mask of the branch.
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void ballot_by_active_mask(const int* in, int* out) {
  int t = threadIdx.x;
  unsigned who = __ballot_sync(0xffffffff, in[t] % 3 == 0);
  if (in[t] % 3 == 0) out[t] = __popc(__ballot_sync(who, in[t] > 10));
}

// ---- endless waits ----

//! run 1 32 buf:i32:1:zero buf:i32:1:zero
__global__ void spin_lock_that_works(int* lock, int* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *static_cast<volatile int*>(sum) += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
//! run 1 32 buf:i32:1:zero buf:i32:1:zero
//! expect deadlock
__global__ void spin_lock_never_released(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {  //! here
  }
  *sum += 1;
}
//! run 2 32 buf:i32:2:zero
//! run 1 64 buf:i32:2:zero
//! expect deadlock
__global__ void waits_for_a_flag_nobody_sets(volatile int* flag) {
  while (flag[1] == 0) {  //! here
  }
  flag[0] = 1;
}
