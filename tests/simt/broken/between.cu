// Between blocks: neighbour exchange, messages, locks, counters and assumptions about the whole grid.
#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

//! run 4 64 buf:f32:256:iota buf:f32:256:zero
//! expect race "two launches"
__global__ void two_sweeps_in_one_launch(float* a, float* b) {
  int i = blockIdx.x * 64 + threadIdx.x;
  b[i] = (a[(i + 255) % 256] + a[(i + 1) % 256]) / 2;  //! here
  __syncthreads();
  a[i] = (b[(i + 255) % 256] + b[(i + 1) % 256]) / 2;  //! here
}
//! run 4 64 buf:f32:256:iota buf:f32:256:zero
__global__ void two_sweeps_with_the_grid(float* a, float* b) {
  int i = blockIdx.x * 64 + threadIdx.x;
  b[i] = (a[(i + 255) % 256] + a[(i + 1) % 256]) / 2;
  cg::this_grid().sync();
  a[i] = (b[(i + 255) % 256] + b[(i + 1) % 256]) / 2;
}
//! run 4 64 buf:i32:256:iota
//! expect race
__global__ void reverse_in_place(int* a) {
  int i = blockIdx.x * 64 + threadIdx.x;
  int v = a[255 - i];  //! there
  a[i] = v;  //! here
}
//! run 2 64 buf:i32:256:iota
__global__ void reverse_by_pairs(int* a) {
  int i = blockIdx.x * 64 + threadIdx.x;
  int v = a[255 - i], w = a[i];
  a[i] = v;
  a[255 - i] = w;
}
//! run 4 64 buf:i32:256:mod:8 buf:i32:8:zero
//! expect race "atomic"
__global__ void histogram_across_blocks(const int* in, int* bins) {
  __shared__ int mine[8];
  if (threadIdx.x < 8) mine[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&mine[in[blockIdx.x * 64 + threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 8) bins[threadIdx.x] += mine[threadIdx.x];  //! here
}
//! run 4 64 buf:i32:256:mod:8 buf:i32:8:zero
__global__ void histogram_across_blocks_atomic(const int* in, int* bins) {
  __shared__ int mine[8];
  if (threadIdx.x < 8) mine[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&mine[in[blockIdx.x * 64 + threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
// A plain look at a counter that all blocks raise, after this block's own atomic.
//! run 4 32 buf:i32:1:zero buf:i32:4:zero
//! expect race
__global__ void looks_after_its_own_atomic(int* n, int* out) {
  if (threadIdx.x == 0) {
    atomicAdd(n, 1);  //! there
    out[blockIdx.x] = *n;  //! here
  }
}
//! run 4 32 buf:i32:1:zero buf:i32:4:zero
__global__ void looks_by_its_own_atomic(int* n, int* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = atomicAdd(n, 1) + 1;
}
// Two blocks read, one of the readers then writes.
//! run 2 32 buf:i32:1:iota buf:i32:64:zero
//! expect race
__global__ void read_by_both_written_by_one(int* a, int* out) {
  out[blockIdx.x * 32 + threadIdx.x] = *a;  //! there
  __syncthreads();
  if (blockIdx.x == 1 && threadIdx.x == 0) *a = 5;  //! here
}
// Several blocks wrote before: the last write is ordered by the flag, the one before it is not.
//! run 3 32 buf:i32:4:zero buf:i32:2:zero buf:i32:4:zero
//! expect race
__global__ void only_the_last_writer_signals(int* data, volatile int* flag, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 1;  //! there
  } else if (blockIdx.x == 1) {
    data[0] = 2;  //! here
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    out[0] = data[0];  //! here
  }
}
// A fence by one thread after a barrier publishes what all threads wrote before it; without the barrier it
// does not.
//! run 2 64 buf:i32:64:zero buf:i32:1:zero buf:i32:64:zero
//! expect race
__global__ void fence_without_barrier(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x + 1;  //! there
    if (threadIdx.x == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    out[threadIdx.x] = data[threadIdx.x];  //! here
  }
}
//! run 2 64 buf:i32:64:zero buf:i32:1:zero buf:i32:64:zero
__global__ void fence_after_barrier(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    out[threadIdx.x] = data[threadIdx.x];
  }
}
// The flag is set before the data is there.
//! run 2 32 buf:i32:32:zero buf:i32:1:zero buf:i32:32:zero
//! expect race
__global__ void flag_before_data(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    __threadfence();
    if (threadIdx.x == 0) *flag = 1;
    data[threadIdx.x] = threadIdx.x + 1;  //! there
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    out[threadIdx.x] = data[threadIdx.x];  //! here
  }
}
// Block scope is not enough for a message to another block.
//! run 2 32 buf:i32:32:zero buf:i32:1:zero buf:i32:32:zero
//! expect race
__global__ void release_at_block_scope(int* data, int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_block> ready(*flag);
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x + 1;  //! there
    __syncthreads();
    if (threadIdx.x == 0) ready.store(1, cuda::memory_order_release);  //! there
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {  //! here
    }
    out[threadIdx.x] = data[threadIdx.x];  //! here
  }
}
//! run 4 32 buf:i32:1:zero
//! expect race
__global__ void counter_at_block_scope(int* n) {
  atomicAdd_block(n, 1);  //! here
}
//! run 4 32 buf:i32:4:zero
__global__ void counters_of_blocks(int* n) {
  atomicAdd_block(&n[blockIdx.x], 1);
}
//! run 2 32 buf:i32:32:zero buf:i32:1:zero buf:i32:32:zero
//! expect race
__global__ void fence_of_the_block_only(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x + 1;  //! there
    __threadfence_block();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence_block();
    out[threadIdx.x] = data[threadIdx.x];  //! here
  }
}

// ---- waiting for others ----
//! run 4 32 buf:i32:1:zero
//! expect deadlock
__global__ void waits_for_more_blocks_than_there_are(volatile int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(const_cast<int*>(arrived), 1);
    while (*arrived < gridDim.x + 1) {  //! here
    }
  }
}
//! run 4 32 buf:i32:1:zero
__global__ void waits_for_all_blocks(volatile int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(const_cast<int*>(arrived), 1);
    while (*arrived < gridDim.x) {
    }
  }
}
//! run 2 32 buf:i32:2:zero
//! expect deadlock
__global__ void each_waits_for_the_other(volatile int* flags) {
  if (threadIdx.x == 0) {
    while (flags[1 - blockIdx.x] == 0) {  //! here
    }
    flags[blockIdx.x] = 1;
  }
}
//! run 2 32 buf:i32:2:zero
__global__ void each_tells_first(volatile int* flags) {
  if (threadIdx.x == 0) {
    flags[blockIdx.x] = 1;
    while (flags[1 - blockIdx.x] == 0) {
    }
  }
}
//! run 2 32 buf:i32:2:zero buf:i32:1:zero
//! expect deadlock
__global__ void locks_in_opposite_order(int* locks, int* sum) {
  if (threadIdx.x != 0) return;
  int first = blockIdx.x, second = 1 - blockIdx.x;
  while (atomicCAS(&locks[first], 0, 1) != 0) {  //! here
  }
  for (int k = 0; k < 200; ++k) __nanosleep(100);
  while (atomicCAS(&locks[second], 0, 1) != 0) {  //! here
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicExch(&locks[second], 0);
  atomicExch(&locks[first], 0);
}
//! run 2 32 buf:i32:2:zero buf:i32:1:zero
__global__ void locks_in_one_order(int* locks, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&locks[0], 0, 1) != 0) {
  }
  while (atomicCAS(&locks[1], 0, 1) != 0) {
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicExch(&locks[1], 0);
  atomicExch(&locks[0], 0);
}
//! run 4 32 buf:i32:1:zero buf:i32:1:zero
//! expect deadlock
__global__ void lock_taken_twice(int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  for (int k = 0; k < 2; ++k) {
    while (atomicCAS(lock, 0, 1) != 0) {  //! here
    }
    __threadfence();
    *sum += 1;
  }
  atomicExch(lock, 0);
}
// Unlocking by a plain write: the sum may still be on its way.
//! run 4 32 buf:i32:1:zero buf:i32:1:zero
//! expect race
__global__ void lock_released_plainly(int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {  //! there
  }
  *sum += 1;  //! here
  *lock = 0;  //! here
}
//! run 1 64 buf:i32:1:zero buf:i32:1:zero
__global__ void lock_in_a_warp_since_volta(int* lock, int* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *sum += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
//! run 4 64 buf:i32:256:iota buf:i32:256:zero
//! expect deadlock
__global__ void grid_sync_by_some_blocks(int* a, int* b) {
  int i = blockIdx.x * 64 + threadIdx.x;
  a[i] *= 2;
  if (blockIdx.x == 3) return;
  cg::this_grid().sync();  //! here
  b[i] = a[191 - i];
}
//! run 1 32 buf:i32:32:iota
//! expect deadlock
__global__ void never_ends(int* a) {
  int i = 0;
  volatile int* stop = a;
  while (stop[1] != 7) ++i;  //! here
  a[threadIdx.x] = i;
}
