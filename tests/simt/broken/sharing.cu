// Atomics beside plain accesses, flags between blocks, ends of loops that threads decide together, bounds.

//! run 4 64 buf:i32:256:iota buf:i32:1:zero buf:i32:4:zero
//! expect race
__global__ void total_looked_at_plainly(const int* in, int* total, int* out) {
  atomicAdd(total, in[blockIdx.x * 64 + threadIdx.x]);  //! there
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = *total;  //! here
}
//! run 4 64 buf:i32:256:iota buf:i32:1:zero buf:i32:4:zero
__global__ void total_looked_at_by_atomic(const int* in, int* total, int* out) {
  atomicAdd(total, in[blockIdx.x * 64 + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = atomicAdd(total, 0);
}
//! run 2 64 buf:i32:128:iota buf:i32:1:zero
//! expect race
__global__ void maximum_cleared_by_one(const int* in, int* best) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i == 0) *best = -1;  //! there
  atomicMax(best, in[i]);  //! here
}
//! run 2 64 buf:i32:128:iota buf:i32:2:zero
__global__ void maximum_of_the_block(const int* in, int* best) {
  __shared__ int most;
  int i = blockIdx.x * 64 + threadIdx.x;
  if (threadIdx.x == 0) most = -1;
  __syncthreads();
  atomicMax(&most, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) best[blockIdx.x] = most;
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect race
__global__ void places_before_the_counter_is_zero(const int* in, int* out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;  //! there
  if (in[threadIdx.x] % 3 == 0) out[atomicAdd(&n, 1) % 64u] = in[threadIdx.x];  //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero buf:i32:1:zero
//! expect race
__global__ void count_read_while_it_grows(const int* in, int* out, int* count) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  if (in[threadIdx.x] % 3 == 0) out[atomicAdd(&n, 1)] = in[threadIdx.x];  //! there
  if (threadIdx.x == 63) *count = n;  //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero buf:i32:1:zero
__global__ void count_read_when_it_is_done(const int* in, int* out, int* count) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  if (in[threadIdx.x] % 3 == 0) out[atomicAdd(&n, 1)] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) *count = n;
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect race
__global__ void queue_read_behind_the_atomic(const int* in, int* out) {
  __shared__ int queue[64], n;
  int t = threadIdx.x;
  if (t == 0) n = 0;
  queue[t] = 0;
  __syncthreads();
  int at = atomicAdd(&n, 1);
  queue[63 - at] = in[t];  //! there
  out[t] = queue[t];  //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void queue_read_behind_a_barrier(const int* in, int* out) {
  __shared__ int queue[64], n;
  int t = threadIdx.x;
  if (t == 0) n = 0;
  queue[t] = 0;
  __syncthreads();
  int at = atomicAdd(&n, 1);
  queue[63 - at] = in[t];
  __syncthreads();
  out[t] = queue[t];
}
// A histogram for each warp needs no atomics, they thought.
//! run 1 64 buf:i32:64:mod:8 buf:i32:16:zero
//! expect race "atomic"
__global__ void histogram_of_a_warp_plain(const int* in, int* out) {
  __shared__ int bins[2][8];
  int t = threadIdx.x, w = t / 32;
  if (t % 32 < 8) bins[w][t % 32] = 0;
  __syncwarp();
  bins[w][in[t]] += 1;  //! here
  __syncthreads();
  if (t < 16) out[t] = bins[t / 8][t % 8];
}
//! run 1 64 buf:i32:64:mod:8 buf:i32:16:zero
__global__ void histogram_of_a_warp_atomic(const int* in, int* out) {
  __shared__ int bins[2][8];
  int t = threadIdx.x, w = t / 32;
  if (t % 32 < 8) bins[w][t % 32] = 0;
  __syncwarp();
  atomicAdd(&bins[w][in[t]], 1);
  __syncthreads();
  if (t < 16) out[t] = bins[t / 8][t % 8];
}
//! run 2 64 buf:i32:128:hash buf:u32:4:zero
//! expect race "atomic"
__global__ void bits_of_a_shared_word(const int* in, unsigned* mask) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (in[i] & 1) mask[i / 32] |= 1u << i % 32;  //! here
}
//! run 2 64 buf:i32:128:hash buf:u32:4:zero
__global__ void bits_of_a_shared_word_atomic(const int* in, unsigned* mask) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (in[i] & 1) atomicOr(&mask[i / 32], 1u << i % 32);
}
// A plain look at the head of the queue decides whether there is more to do.
//! run 4 32 buf:i32:1:zero buf:i32:100:zero i32:100
//! expect race
__global__ void work_until_the_head_is_behind(int* head, int* done, int n) {
  while (*head < n) {  //! here
    int i = atomicAdd(head, 1);  //! there
    if (i < n) done[i] = 1;
  }
}
//! run 4 32 buf:i32:1:zero buf:i32:100:zero i32:100
__global__ void work_until_the_ticket_is_behind(int* head, int* done, int n) {
  for (int i = atomicAdd(head, 1); i < n; i = atomicAdd(head, 1)) done[i] = 1;
}
// Pushing on a list: the old head is read plainly and then taken for what the exchange found.
//! run 2 32 buf:i32:1:zero buf:i32:65:zero
//! expect race
__global__ void push_reads_the_head_plainly(int* head, int* next) {
  int me = blockIdx.x * 32 + threadIdx.x + 1;
  next[me] = *head;  //! here
  atomicExch(head, me);  //! there
}
//! run 2 32 buf:i32:1:zero buf:i32:65:zero
__global__ void push_takes_what_the_exchange_found(int* head, int* next) {
  int me = blockIdx.x * 32 + threadIdx.x + 1;
  next[me] = atomicExch(head, me);
}
// The sum of doubles as the programming guide had it: what the first look finds is only a guess.
//! run 2 32 buf:f32:64:iota buf:f32:1:zero
__global__ void sum_by_compare_and_swap(const float* in, float* sum) {
  int* word = reinterpret_cast<int*>(sum);
  int seen = *reinterpret_cast<volatile int*>(word), expected;
  do {
    expected = seen;
    seen = atomicCAS(word, expected, __float_as_int(in[blockIdx.x * 32 + threadIdx.x] + __int_as_float(expected)));
  } while (seen != expected);
}

// ---- flags ----
//! run 4 64 buf:i32:256:iota buf:i32:256:zero buf:u32:1:zero buf:i32:1:zero
//! expect race
__global__ void last_block_no_barrier_before_its_ticket(const int* in, int* part, unsigned* tickets, int* out) {
  __shared__ bool last;
  int t = threadIdx.x;
  part[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t] * 2;  //! there
  if (t == 0) {
    __threadfence();
    last = atomicAdd(tickets, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    int sum = 0;
    for (int j = 0; j < 256; ++j) sum += part[j];  //! here
    *out = sum;
  }
}
//! run 4 64 buf:i32:256:iota buf:i32:256:zero buf:u32:1:zero buf:i32:1:zero
__global__ void last_block_each_fences(const int* in, int* part, unsigned* tickets, int* out) {
  __shared__ bool last;
  int t = threadIdx.x;
  part[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t] * 2;
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(tickets, 1) == gridDim.x - 1;
  __syncthreads();
  if (last && t == 0) {
    __threadfence();
    int sum = 0;
    for (int j = 0; j < 256; ++j) sum += part[j];
    *out = sum;
  }
}
//! run 4 64 buf:i32:4:zero buf:u32:1:zero buf:i32:64:zero
//! expect race
__global__ void whether_it_is_the_last_is_not_waited_for(int* part, unsigned* tickets, int* out) {
  __shared__ bool last;
  int t = threadIdx.x;
  if (t == 0) {
    part[blockIdx.x] = blockIdx.x;
    __threadfence();
    last = atomicAdd(tickets, 1) == gridDim.x - 1;  //! there
  }
  if (last) out[t] = 1;  //! here
}
// A scan along the blocks: value and status in two words need a fence between them.
//! run 4 32 buf:i32:4:zero buf:i32:4:zero
//! expect race
__global__ void chained_sums_without_fence(int* sums, volatile int* ready) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (ready[blockIdx.x - 1] == 0) {}
    before = sums[blockIdx.x - 1];  //! here
  }
  sums[blockIdx.x] = before + blockIdx.x;  //! there
  ready[blockIdx.x] = 1;
}
//! run 4 32 buf:i32:4:zero buf:i32:4:zero
__global__ void chained_sums_with_fences(int* sums, volatile int* ready) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (ready[blockIdx.x - 1] == 0) {}
    __threadfence();
    before = sums[blockIdx.x - 1];
  }
  sums[blockIdx.x] = before + blockIdx.x;
  __threadfence();
  ready[blockIdx.x] = 1;
}
// In one word of 64 bits they need none.
//! run 4 32 buf:u64:4:zero
__global__ void chained_sums_in_one_word(volatile unsigned long long* states) {
  if (threadIdx.x != 0) return;
  unsigned long long before = 0;
  if (blockIdx.x > 0) {
    do before = states[blockIdx.x - 1];
    while (before >> 32 == 0);
  }
  states[blockIdx.x] = 1ull << 32 | ((before & 0xffffffff) + blockIdx.x);
}
// __threadfence() orders one thread's writes; it waits for nobody.
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect race "__syncthreads"
__global__ void fence_taken_for_a_barrier(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];  //! there
  __threadfence_block();
  out[t] = s[63 - t];  //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero buf:i32:64:zero
//! expect race "__syncthreads"
__global__ void global_fence_taken_for_a_barrier(const int* in, int* scratch, int* out) {
  int t = threadIdx.x;
  scratch[t] = in[t];  //! there
  __threadfence();
  out[t] = scratch[63 - t];  //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero buf:i32:64:zero
__global__ void scratch_behind_a_barrier(const int* in, int* scratch, int* out) {
  int t = threadIdx.x;
  scratch[t] = in[t];
  __syncthreads();
  out[t] = scratch[63 - t];
}
//! run 4 64 buf:i32:256:iota
//! expect race "blocks"
__global__ void odd_even_sort_across_blocks(int* a) {
  int i = blockIdx.x * 64 + threadIdx.x;
  for (int turn = 0; turn < 4; ++turn) {
    if (i % 2 == turn % 2 && i + 1 < 256) {
      int x = a[i], y = a[i + 1];  //! here
      a[i] = max(x, y);  //! there
      a[i + 1] = min(x, y);  //! there
    }
    __syncthreads();
  }
}
//! run 1 256 buf:i32:256:iota
__global__ void odd_even_sort_in_a_block(int* a) {
  int i = threadIdx.x;
  for (int turn = 0; turn < 4; ++turn) {
    if (i % 2 == turn % 2 && i + 1 < 256) {
      int x = a[i], y = a[i + 1];
      a[i] = max(x, y);
      a[i + 1] = min(x, y);
    }
    __syncthreads();
  }
}
// Anything that changed is written by many as the same value: harmless. Looked at in the same launch it is not.
//! run 2 64 buf:i32:128:iota buf:i32:1:zero buf:i32:128:zero
//! expect race
__global__ void changed_looked_at_at_once(const int* in, int* changed, int* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (in[i] > 5) *changed = 1;  //! there
  out[i] = *changed;  //! here
}
//! run 2 64 buf:i32:128:iota buf:i32:1:zero
__global__ void changed_looked_at_by_the_host(const int* in, int* changed) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (in[i] > 5) *changed = 1;
}

// ---- ends that threads decide together ----
// A fast warp clears the flag for its next turn while a slow one still asks for this one.
//! run 1 64 buf:i32:64:iota
//! expect race
__global__ void until_nobody_changes(int* a) {
  __shared__ int changed;
  int t = threadIdx.x;
  do {
    if (t == 0) changed = 0;  //! here
    __syncthreads();
    if (a[t] > 3) {
      a[t] /= 2;
      changed = 1;  //! here
    }
    __syncthreads();
  } while (changed != 0);  //! there
}
//! run 1 64 buf:i32:64:iota
__global__ void until_nobody_changes_three_barriers(int* a) {
  __shared__ int changed;
  int t = threadIdx.x;
  for (;;) {
    if (t == 0) changed = 0;
    __syncthreads();
    if (a[t] > 3) {
      a[t] /= 2;
      changed = 1;
    }
    __syncthreads();
    bool again = changed != 0;
    __syncthreads();
    if (!again) break;
  }
}
//! run 1 64 buf:i32:64:iota
__global__ void until_nobody_changes_by_vote(int* a) {
  int t = threadIdx.x, again = 1;
  while (__syncthreads_or(again)) {
    again = a[t] > 3;
    if (again) a[t] /= 2;
  }
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect divergent_barrier
__global__ void a_barrier_on_either_side(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t % 2 == 0) {
    s[t] = in[t];
    __syncthreads();  //! here
    out[t] = s[t + 1];
  } else {
    s[t] = -in[t];
    __syncthreads();  //! here
    out[t] = s[t - 1] + 1;
  }
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void one_barrier_behind_both_sides(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t % 2 == 0) {
    s[t] = in[t];
  } else {
    s[t] = -in[t];
  }
  __syncthreads();
  out[t] = s[t ^ 1] + t % 2;
}
__device__ int block_any(int* votes, int mine);
// && asks its right side only where the left one holds.
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect divergent_barrier
__global__ void barrier_behind_a_shortcut(const int* in, int* out) {
  __shared__ int votes[64];
  int t = threadIdx.x;
  if (in[t] % 2 == 0 && block_any(votes, in[t])) out[t] = 1;
}
__device__ int block_any(int* votes, int mine) {
  votes[threadIdx.x] = mine;
  __syncthreads();  //! here
  int any = 0;
  for (int j = 0; j < 64; ++j) any |= votes[j];
  return any;
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void barrier_before_the_question(const int* in, int* out) {
  __shared__ int votes[64];
  int t = threadIdx.x;
  const int any = block_any(votes, in[t]);
  if (in[t] % 2 == 0 && any) out[t] = 1;
}

// ---- bounds and alignment ----
//! run 4 64 buf:i32:256:iota buf:i32:256:zero
//! expect race
__global__ void grid_for_block_size(const int* in, int* out) {
  int i = blockIdx.x * gridDim.x + threadIdx.x;
  out[i] = in[i] + (int)blockIdx.x;  //! here
}
//! run 1 32 buf:u8:100:iota i32:100
//! expect out_of_bounds "element 100"
__global__ void clears_by_the_size_of_the_pointer(unsigned char* data, int n) {
  for (int i = threadIdx.x; i < n * (int)sizeof(data); i += 32) data[i] = 0;  //! here
}
//! run 1 32 buf:u8:100:iota i32:100
__global__ void clears_by_the_size_of_its_elements(unsigned char* data, int n) {
  for (int i = threadIdx.x; i < n * (int)sizeof(*data); i += 32) data[i] = 0;
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero u32:64
//! expect out_of_bounds
__global__ void one_less_than_zero_unsigned(const float* in, float* out, unsigned n) {
  unsigned i = threadIdx.x;
  if (i - 1 < n || i == 0) out[i] = in[i] - in[i - 1];  //! here
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero u32:64
__global__ void one_less_than_zero_asked_for(const float* in, float* out, unsigned n) {
  unsigned i = threadIdx.x;
  if (i - 1 < n) out[i] = in[i] - in[i - 1];
}
extern __shared__ char raw[];
//! run 1 64 800 buf:i32:64:iota buf:f64:64:zero
//! expect misaligned
__global__ void doubles_behind_a_count(const int* in, double* out) {
  int t = threadIdx.x;
  int* count = (int*)raw;
  double* values = (double*)(raw + sizeof(int));
  if (t == 0) *count = 64;
  values[t] = in[t];  //! here
  __syncthreads();
  out[t] = values[*count - 1 - t];
}
//! run 1 64 800 buf:i32:64:iota buf:f64:64:zero
__global__ void doubles_before_a_count(const int* in, double* out) {
  int t = threadIdx.x;
  double* values = (double*)raw;
  int* count = (int*)(values + 64);
  if (t == 0) *count = 64;
  values[t] = in[t];
  __syncthreads();
  out[t] = values[*count - 1 - t];
}
//! run 1 32 buf:u8:512:iota buf:f64:32:zero
//! expect misaligned
__global__ void fields_of_a_packed_record(const unsigned char* records, double* out) {
  out[threadIdx.x] = *(const double*)(records + threadIdx.x * 12 + 4);  //! here
}
//! run 1 32 buf:u8:512:iota buf:f64:32:zero
__global__ void fields_of_a_packed_record_copied(const unsigned char* records, double* out) {
  double value;
  memcpy(&value, records + threadIdx.x * 12 + 4, sizeof value);
  out[threadIdx.x] = value;
}
// The pointer that thread 0 got is used before it is there.
//! run 1 32 buf:i32:32:zero
//! expect race
__global__ void allocated_by_one_used_by_all(int* out) {
  __shared__ int* list;
  if (threadIdx.x == 0) {
    list = new int[32];  //! there
    for (int i = 0; i < 32; ++i) list[i] = i;
  }
  out[threadIdx.x] = list[threadIdx.x];  //! here
}
//! run 1 32 buf:i32:32:zero
__global__ void allocated_by_one_and_waited_for(int* out) {
  __shared__ int* list;
  if (threadIdx.x == 0) {
    list = new int[32];
    for (int i = 0; i < 32; ++i) list[i] = i;
  }
  __syncthreads();
  out[threadIdx.x] = list[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) delete[] list;
}
// Half of the list is filled.
//! run 1 32 buf:i32:32:zero
//! expect uninitialised_read
__global__ void allocated_and_half_filled(int* out) {
  __shared__ int* list;
  if (threadIdx.x == 0) list = new int[32];
  __syncthreads();
  if (threadIdx.x % 2 == 0) list[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = list[31 - threadIdx.x];  //! here
}
