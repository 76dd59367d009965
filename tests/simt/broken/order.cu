// Order inside a block: barriers missing, too few, too many or in the wrong place; warps and lanes taken for granted.

//! run 2 128 buf:i32:256:iota buf:i32:2:zero
//! expect race "__syncwarp"
__global__ void tail_without_volatile(const int* in, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];  //! here
    s[t] += s[t + 8];  //! here
    s[t] += s[t + 4];  //! here
    s[t] += s[t + 2];  //! here
    s[t] += s[t + 1];  //! here
  }
  if (t == 0) out[blockIdx.x] = s[0];  //! here
}
//! run 2 128 buf:i32:256:iota buf:i32:2:zero
__global__ void tail_with_syncwarp(const int* in, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) {
    int v = s[t] + s[t + 32];
    for (int half = 16; half > 0; half /= 2) v += __shfl_down_sync(~0u, v, half);
    if (t == 0) out[blockIdx.x] = v;
  }
}
// The loop ends one step early for a barrier: the last two steps stay inside a warp, the reads do not.
//! run 1 256 buf:i32:256:iota buf:i32:1:zero
//! expect race
__global__ void barrier_only_above_warps(const int* in, int* out) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];  //! here
    if (half > 64) __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}
//! run 2 64 buf:i32:128:iota
//! expect race "__syncthreads"
__global__ void one_tile_for_all_turns(int* a) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    tile[t] = a[blockIdx.x * 64 + t] + k;  //! here
    __syncthreads();
    a[blockIdx.x * 64 + t] = tile[63 - t];  //! there
  }
}
//! run 2 64 buf:i32:128:iota
__global__ void one_tile_two_barriers(int* a) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    tile[t] = a[blockIdx.x * 64 + t] + k;
    __syncthreads();
    a[blockIdx.x * 64 + t] = tile[63 - t];
    __syncthreads();
  }
}
// Two buffers, but the roles change only for reading.
//! run 1 96 buf:i32:96:iota i32:5
//! expect race
__global__ void two_buffers_read_swapped(int* a, int turns) {
  __shared__ int s[2][96];
  int t = threadIdx.x, from = 0;
  s[0][t] = a[t];
  s[1][t] = a[t];
  __syncthreads();
  for (int k = 0; k < turns; ++k) {
    s[1][t] = s[from][(t + 1) % 96];  //! here
    from ^= 1;
    __syncthreads();
  }
  a[t] = s[from][t];
}
//! run 1 96 buf:i32:96:iota i32:5
__global__ void two_buffers_swapped(int* a, int turns) {
  __shared__ int s[2][96];
  int t = threadIdx.x, from = 0;
  s[0][t] = a[t];
  __syncthreads();
  for (int k = 0; k < turns; ++k) {
    s[from ^ 1][t] = s[from][(t + 1) % 96];
    from ^= 1;
    __syncthreads();
  }
  a[t] = s[from][t];
}
//! run 2 64 buf:i32:128:iota buf:i32:2:zero
//! expect race
__global__ void max_by_first_warp(const int* in, int* out) {
  __shared__ int best[2];
  int v = in[blockIdx.x * 64 + threadIdx.x];
  for (int half = 16; half > 0; half /= 2) v = max(v, __shfl_xor_sync(~0u, v, half));
  if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = v;  //! there
  if (threadIdx.x == 0) out[blockIdx.x] = max(best[0], best[1]);  //! here
}
//! run 2 64 buf:i32:128:iota buf:i32:2:zero
__global__ void max_by_first_warp_ordered(const int* in, int* out) {
  __shared__ int best[2];
  int v = in[blockIdx.x * 64 + threadIdx.x];
  for (int half = 16; half > 0; half /= 2) v = max(v, __shfl_xor_sync(~0u, v, half));
  if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = max(best[0], best[1]);
}
// Warp sums are scanned by the first warp while the others already add them.
//! run 1 128 buf:i32:128:iota
//! expect race
__global__ void scan_of_warp_sums(int* a) {
  __shared__ int sums[4];
  int t = threadIdx.x, lane = t % 32, warp = t / 32, v = a[t];
  for (int d = 1; d < 32; d *= 2) {
    int o = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += o;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (t == 0)
    for (int k = 1; k < 4; ++k) sums[k] += sums[k - 1];  //! there
  if (warp > 0) v += sums[warp - 1];  //! here
  a[t] = v;
}
//! run 1 128 buf:i32:128:iota
__global__ void scan_of_warp_sums_ordered(int* a) {
  __shared__ int sums[4];
  int t = threadIdx.x, lane = t % 32, warp = t / 32, v = a[t];
  for (int d = 1; d < 32; d *= 2) {
    int o = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += o;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (t == 0)
    for (int k = 1; k < 4; ++k) sums[k] += sums[k - 1];
  __syncthreads();
  if (warp > 0) v += sums[warp - 1];
  a[t] = v;
}
//! run 1 128 buf:i32:128:mod:50 buf:i32:64:zero buf:i32:1:zero
//! expect race "atomic"
__global__ void plain_counter(const int* in, int* out, int* count) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  if (in[threadIdx.x] < 10) n++;  //! here
  __syncthreads();
  if (threadIdx.x == 0) *count = n;
}
//! run 1 128 buf:i32:128:mod:50 buf:i32:64:zero buf:i32:1:zero
__global__ void compaction_by_atomic(const int* in, int* out, int* count) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  if (in[threadIdx.x] < 10) out[atomicAdd(&n, 1)] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) *count = n;
}
//! run 1 64 buf:i32:64:mod:3 buf:i32:64:zero
//! expect race
__global__ void atomic_then_plain_read(const int* in, int* out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  if (in[threadIdx.x] == 0) atomicAdd(&n, 1);  //! there
  out[threadIdx.x] = n;  //! here
}
//! run 1 64 buf:i32:64:mod:3 buf:i32:64:zero
__global__ void atomic_then_ordered_read(const int* in, int* out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  if (in[threadIdx.x] == 0) atomicAdd(&n, 1);
  __syncthreads();
  out[threadIdx.x] = n;
}
//! run 1 64 buf:i32:4:zero
//! expect race "atomically updates"
__global__ void plain_reset_of_an_atomic(int* out) {
  __shared__ unsigned ticket;
  ticket = 0;
  __syncthreads();
  unsigned mine = atomicAdd(&ticket, 1);  //! there
  if (mine == 40) ticket = 0;  //! here
  if (mine < 4) out[mine] = mine;
}
// Whoever draws the last ticket has seen all others drawn.
//! run 1 64 buf:i32:4:zero
__global__ void plain_reset_by_the_last_ticket(int* out) {
  __shared__ unsigned ticket;
  ticket = 0;
  __syncthreads();
  unsigned mine = atomicAdd(&ticket, 1);
  if (mine == 63) ticket = 0;
  if (mine < 4) out[mine] = mine;
}
// Read, then written by a neighbour: write after read.
//! run 1 64 buf:i32:64:iota
//! expect race
__global__ void shift_left_in_place(int* a) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  int v = s[(t + 1) % 64];  //! there
  s[t] = v;  //! here
  __syncthreads();
  a[t] = s[t];
}
//! run 1 64 buf:i32:64:iota
__global__ void shift_left_after_all_read(int* a) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  int v = s[(t + 1) % 64];
  __syncthreads();
  s[t] = v;
  __syncthreads();
  a[t] = s[t];
}
// Same values written by all: documented as harmless.
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void everybody_writes_the_same(const int* in, int* out) {
  __shared__ int length;
  length = 64;
  __syncthreads();
  out[threadIdx.x] = in[length - 1 - threadIdx.x];
}
//! run 1 64 buf:u8:64:iota buf:u8:64:zero
__global__ void bytes_of_neighbours(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char s[64];
  s[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = s[threadIdx.x] + 1;
}
struct Cell {
  short a, b;
};
//! run 1 64 buf:i32:64:zero
__global__ void members_of_one_word(int* out) {
  __shared__ Cell cells[32];
  if (threadIdx.x < 32) cells[threadIdx.x].a = 1;
  else cells[threadIdx.x - 32].b = 2;
  __syncthreads();
  out[threadIdx.x] = cells[threadIdx.x % 32].a + cells[threadIdx.x % 32].b;
}
struct Bits {
  unsigned a : 8, b : 24;
};
//! run 1 64 buf:i32:64:zero
//! expect race
__global__ void bit_fields_of_one_word(int* out) {
  __shared__ Bits cells[32];
  if (threadIdx.x < 32) *reinterpret_cast<unsigned*>(&cells[threadIdx.x]) = 0;
  __syncthreads();
  if (threadIdx.x < 32) cells[threadIdx.x].a = threadIdx.x + 1;  //! here
  else cells[threadIdx.x - 32].b = threadIdx.x * 1000;  //! there
  __syncthreads();
  out[threadIdx.x] = cells[threadIdx.x % 32].a + cells[threadIdx.x % 32].b;
}
//! run 1 64 buf:i32:64:zero
//! expect race
__global__ void word_and_its_byte(int* out) {
  __shared__ int s[32];
  if (threadIdx.x < 32) s[threadIdx.x] = 0x01010101 * threadIdx.x;  //! here
  else reinterpret_cast<char*>(s)[(threadIdx.x - 32) * 4 + 2] = 7;  //! there
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x % 32];
}

// ---- barriers in branches and loops ----
//! run 1 64 buf:i32:64:iota i32:50
//! expect divergent_barrier
__global__ void loop_of_different_lengths(int* a, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    s[threadIdx.x] += a[i];
    __syncthreads();  //! here
  }
  a[threadIdx.x] = s[threadIdx.x];
}
//! run 1 64 buf:i32:64:iota i32:64
__global__ void loop_of_equal_lengths(int* a, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  for (int base = 0; base < n; base += 32) {
    if (base + threadIdx.x < n) s[threadIdx.x] += a[base + threadIdx.x];
    __syncthreads();
  }
  __syncthreads();
  a[threadIdx.x] = s[threadIdx.x];
}
//! run 1 64 buf:i32:64:iota
//! expect divergent_barrier
__global__ void continue_before_the_barrier(int* a) {
  __shared__ int s[64];
  for (int k = 0; k < 3; ++k) {
    if (a[threadIdx.x] % 5 == k) continue;
    s[threadIdx.x] = k;
    __syncthreads();  //! here
  }
}
//! run 1 64 buf:i32:64:iota
//! expect divergent_barrier
__global__ void two_barriers_one_per_branch(int* a) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  if (threadIdx.x % 2 == 0) {
    __syncthreads();  //! here
    a[threadIdx.x] = s[threadIdx.x + 1];
  } else {
    __syncthreads();  //! here
    a[threadIdx.x] = s[threadIdx.x - 1];
  }
}
//! run 1 64 buf:i32:64:iota
__global__ void one_barrier_before_the_branches(int* a) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = threadIdx.x % 2 == 0 ? s[threadIdx.x + 1] : s[threadIdx.x - 1];
}
//! run 1 64 buf:i32:64:iota
//! expect divergent_barrier
__global__ void barrier_behind_short_circuit(int* a) {
  if (a[threadIdx.x] > 10 && __syncthreads_or(a[threadIdx.x] == 50)) a[threadIdx.x] = 1;  //! here
}
//! run 1 64 buf:i32:64:iota
__global__ void barrier_before_short_circuit(int* a) {
  bool found = __syncthreads_or(a[threadIdx.x] == 50);
  if (a[threadIdx.x] > 10 && found) a[threadIdx.x] = 1;
}
// Named barriers: producers arrive, consumers wait.
//! run 1 64 buf:i32:96:zero
__global__ void producer_arrives_for_one_consumer(int* out) {
  __shared__ int s[32];
  if (threadIdx.x < 32) {
    s[threadIdx.x] = threadIdx.x;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = s[threadIdx.x % 32];
  }
}
// The same with another consumer: one of the two waits for ever.
//! run 1 96 buf:i32:96:zero
//! expect divergent_barrier "waits for 64 threads"
__global__ void producer_arrives_once_for_two(int* out) {
  if (threadIdx.x >= 32) __nanosleep(1000);
  if (threadIdx.x < 32) {
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");  //! here
    out[threadIdx.x] = 1;
  }
}
// A message through shared memory, from warp to warp.
//! run 1 64 buf:i32:64:zero
__global__ void flag_in_shared_memory(int* out) {
  __shared__ int data[32];
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[threadIdx.x] = threadIdx.x;
    __syncwarp();
    __threadfence_block();
    if (threadIdx.x == 0) flag = 1;
  } else {
    while (flag == 0) {
    }
    __threadfence_block();
    out[threadIdx.x] = data[threadIdx.x % 32];
  }
}
//! run 1 64 buf:i32:64:zero
//! expect race
__global__ void flag_in_shared_memory_without_fence(int* out) {
  __shared__ int data[32];
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[threadIdx.x] = threadIdx.x;  //! there
    __syncwarp();
    if (threadIdx.x == 0) flag = 1;
  } else {
    while (flag == 0) {
    }
    out[threadIdx.x] = data[threadIdx.x % 32];  //! here
  }
}
//! run 1 128 buf:i32:128:zero
//! expect race
__global__ void halves_share_a_tile(int* out) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;  //! there
  asm volatile("bar.sync %0, 64;" ::"r"(1 + static_cast<int>(threadIdx.x) / 64) : "memory");
  out[threadIdx.x] = s[127 - threadIdx.x];  //! here
}
//! run 1 128 buf:i32:128:zero
__global__ void halves_on_their_own(int* out) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;
  asm volatile("bar.sync %0, 64;" ::"r"(1 + static_cast<int>(threadIdx.x) / 64) : "memory");
  out[threadIdx.x] = s[threadIdx.x ^ 63];
}
