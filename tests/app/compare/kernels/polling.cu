// Threads that wait for others by asking, again and again, and work that is shared out on demand: how often a
// warp asks, and who gets what, is a matter of time.
#define KERNEL extern "C" __global__ void

// Block b waits for the flag of block b - 1.
KERNEL chain_of_blocks(volatile int* flags, int* out) {
  __shared__ int before;
  if (threadIdx.x == 0) {
    if (blockIdx.x > 0) {
      while (flags[blockIdx.x - 1] == 0) {
      }
      __threadfence();
      before = ((volatile int*)out)[blockIdx.x * blockDim.x - 1];
    } else {
      before = 0;
    }
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = before + threadIdx.x + 1;
  __syncthreads();
  __threadfence();
  if (threadIdx.x == 0) flags[blockIdx.x] = 1;
}

// A scan in one pass: each block publishes its sum, then its prefix, and looks back over the blocks before it.
KERNEL decoupled_look_back(const int* in, int* out, volatile unsigned long long* state, int* next) {
  __shared__ int block, prefix, sums[4];
  if (threadIdx.x == 0) block = atomicAdd(next, 1);
  __syncthreads();
  const int i = block * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int x = in[i];
  for (int d = 1; d < 32; d *= 2) {
    const int y = __shfl_up_sync(~0u, x, d);
    if (lane >= d) x += y;
  }
  if (lane == 31) sums[warp] = x;
  __syncthreads();
  for (int w = 0; w < warp; ++w) x += sums[w];
  if (threadIdx.x == blockDim.x - 1) {
    const unsigned total = x;
    if (block > 0) {
      state[block] = 1ull << 32 | total;
      int before = 0;
      for (int b = block - 1; b >= 0; --b) {
        unsigned long long s;
        do s = state[b];
        while (s >> 32 == 0);
        before += (int)(unsigned)s;
        if (s >> 32 == 2) break;
      }
      prefix = before;
    } else {
      prefix = 0;
    }
    state[block] = 2ull << 32 | (unsigned)(prefix + (int)total);
  }
  __syncthreads();
  out[i] = x + prefix;
}

KERNEL ticket_lock(int* ticket, volatile int* serving, int* sum) {
  if (threadIdx.x != 0) return;
  const int mine = atomicAdd(ticket, 1);
  while (*serving != mine) __nanosleep(20);
  __threadfence();
  *(volatile int*)sum = *(volatile int*)sum + blockIdx.x;
  __threadfence();
  *serving = mine + 1;
}

KERNEL backing_off(int* lock, volatile int* sum, int* tries) {
  if (threadIdx.x % 32 != 0) return;
  unsigned wait = 8;
  int asked = 1;
  while (atomicCAS(lock, 0, 1) != 0) {
    __nanosleep(wait);
    if (wait < 256) wait *= 2;
    ++asked;
  }
  __threadfence();
  *sum = *sum + 1;
  __threadfence();
  atomicExch(lock, 0);
  tries[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = asked;
}

// All 32 lanes of a warp want the lock: each leaves the loop when it has had it.
KERNEL lock_by_lane(int* lock, volatile int* sum, const int* in) {
  const int mine = in[blockIdx.x * blockDim.x + threadIdx.x];
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *sum = *sum + mine;
      __threadfence();
      done = true;
      atomicExch(lock, 0);
    }
  }
}

KERNEL release_acquire(int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 3 * threadIdx.x + 1;
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    return;
  }
  if (threadIdx.x == 0) {
    int seen;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    while (seen == 0);
  }
  __syncthreads();
  out[(blockIdx.x - 1) * blockDim.x + threadIdx.x] = data[threadIdx.x] + blockIdx.x;
}

// The last block to finish adds up what all have left.
KERNEL last_block_sums(const float* in, float* partial, unsigned* finished, float* out) {
  __shared__ float sums[128];
  __shared__ bool last;
  sums[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  for (int d = 64; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sums[0];
    __threadfence();
    last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  float sum = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += 128) sum += ((volatile float*)partial)[b];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) *out = sums[0] + sums[1] + sums[2] + sums[3];
}

// Warps take rows from a counter until none is left.
KERNEL work_on_demand(int* next, const int* lengths, int* out, int rows) {
  for (;;) {
    int row = 0;
    if (threadIdx.x % 32 == 0) row = atomicAdd(next, 1);
    row = __shfl_sync(~0u, row, 0);
    if (row >= rows) return;
    int sum = 0;
    for (int k = threadIdx.x % 32; k < lengths[row]; k += 32) sum += k * row;
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0) out[row] = sum;
  }
}

KERNEL until_the_clock_says(int* out) {
  const long long begin = clock64();
  while (clock64() - begin < 2000) {
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

// One warp writes, the others watch a word of shared memory.
KERNEL watch_shared(const int* in, int* out) {
  __shared__ volatile int ready;
  __shared__ int tile[32];
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x] * 2;
    __threadfence_block();
    __syncwarp();
    if (threadIdx.x == 0) ready = 1;
  } else {
    while (ready == 0) {
    }
    __threadfence_block();
    out[(blockIdx.x * 3 + threadIdx.x / 32 - 1) * 32 + threadIdx.x % 32] = tile[threadIdx.x % 32] + threadIdx.x / 32;
  }
}

__device__ __noinline__ bool has_come(const volatile int* flags, int which) { return flags[which] != 0; }

KERNEL asks_by_a_function(volatile int* flags, int* out) {
  if (threadIdx.x == 0 && blockIdx.x % 2 == 0) flags[blockIdx.x] = 1;
  if (threadIdx.x == 0 && blockIdx.x % 2 == 1)
    while (!has_come(flags, blockIdx.x - 1)) {
    }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x + threadIdx.x;
}

// A barrier for the grid, made by hand: a counter and a generation.
KERNEL barrier_by_hand(int* count, volatile int* generation, int* a, int* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int turn = 0; turn < 3; ++turn) {
    (turn % 2 == 0 ? b : a)[i] = (turn % 2 == 0 ? a : b)[(i + blockDim.x) % n] + turn;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      const int now = *generation;
      if (atomicAdd(count, 1) == gridDim.x - 1) {
        *count = 0;
        __threadfence();
        *generation = now + 1;
      } else {
        while (*generation == now) {
        }
      }
      __threadfence();
    }
    __syncthreads();
  }
}

// The smallest of doubles, by compare and swap.
KERNEL smallest_by_swap(const double* in, unsigned long long* best) {
  const double mine = in[blockIdx.x * blockDim.x + threadIdx.x];
  unsigned long long seen = *best;
  while (__longlong_as_double(seen) > mine) {
    const unsigned long long before = atomicCAS(best, seen, __double_as_longlong(mine));
    if (before == seen) break;
    seen = before;
  }
}
