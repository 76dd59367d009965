// Threads of different blocks: nothing orders them inside a launch but atomics and fences.
#include <cuda/atomic>

//! run 4 64 buf:i32:1:zero
//! run 2 32 buf:i32:1:zero
//! expect race "atomic"
__global__ void counter_without_atomic(int* total) {
  if (threadIdx.x == 0) *total += 1;  //! here
}
//! run 4 64 buf:i32:1:zero
__global__ void counter_with_atomic(int* total) {
  if (threadIdx.x == 0) atomicAdd(total, 1);
}

//! run 4 64 buf:i32:256:iota buf:i32:2:zero
//! expect race
__global__ void average_reads_too_early(const int* in, int* out) {
  atomicAdd(&out[0], in[blockIdx.x * 64 + threadIdx.x]);  //! there
  __syncthreads();
  if (threadIdx.x == 0) out[1] = out[0] / 256;  //! here
}

// A whole-grid stencil in place: the neighbour block may be first or last.
//! run 4 64 buf:f32:256:iota
//! expect race "two launches"
__global__ void stencil_in_place(float* a) {
  int i = blockIdx.x * 64 + threadIdx.x;
  float left = i > 0 ? a[i - 1] : 0.0f;  //! there
  __syncthreads();
  a[i] = left;  //! here
}
//! run 4 64 buf:f32:256:iota buf:f32:256:zero
__global__ void stencil_into_another(const float* a, float* b) {
  int i = blockIdx.x * 64 + threadIdx.x;
  b[i] = i > 0 ? a[i - 1] : 0.0f;
}

// Blocks of 33 elements written by blocks of 32 threads and one: each overlaps the next by one element.
//! run 4 33 buf:i32:129:zero
//! expect race
__global__ void overlapping_blocks(int* out) {
  out[blockIdx.x * 32 + threadIdx.x] = blockIdx.x;  //! here
}
//! run 4 33 buf:i32:132:zero
__global__ void adjacent_blocks(int* out) {
  out[blockIdx.x * 33 + threadIdx.x] = blockIdx.x;
}

// ---- messages through memory ----

//! run 2 32 buf:i32:32:zero buf:i32:1:zero buf:i32:32:zero
//! expect race
__global__ void flag_without_fence(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x + 1;  //! there
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    while (*flag == 0) {
    }
    out[threadIdx.x] = data[threadIdx.x];  //! here
  }
}
//! run 2 32 buf:i32:32:zero buf:i32:1:zero buf:i32:32:zero
__global__ void flag_with_fence(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x + 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    out[threadIdx.x] = data[threadIdx.x];
  }
}
//! run 2 32 buf:i32:32:zero buf:i32:1:zero buf:i32:32:zero
__global__ void flag_released_and_acquired(int* data, int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    if (threadIdx.x == 0) ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    out[threadIdx.x] = data[threadIdx.x];
  }
}
//! run 2 32 buf:i32:32:zero buf:i32:1:zero buf:i32:32:zero
//! expect race
__global__ void flag_relaxed(int* data, int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x + 1;  //! there
    __syncthreads();
    if (threadIdx.x == 0) ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
    out[threadIdx.x] = data[threadIdx.x];  //! here
  }
}
// A plain read as a flag: the compiler may read it once.
//! run 2 32 buf:i32:32:zero buf:i32:1:zero buf:i32:32:zero
//! expect race
__global__ void flag_read_plainly(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x + 1;  //! there
    __threadfence();
    if (threadIdx.x == 0) *flag = 1;  //! there
  } else if (*flag == 1) {  //! here
    out[threadIdx.x] = data[threadIdx.x];  //! here
  }
}

// The last block adds up what all have written.
//! run 8 64 buf:i32:512:iota buf:i32:8:zero buf:i32:1:zero buf:i32:1:zero
//! run 3 96 buf:i32:288:iota buf:i32:3:zero buf:i32:1:zero buf:i32:1:zero
__global__ void last_block_sums(const int* in, int* part, unsigned* arrived, int* out) {
  __shared__ int sum;
  __shared__ bool last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    part[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += static_cast<volatile int*>(part)[b];
    *out = all;
  }
}
//! run 8 64 buf:i32:512:iota buf:i32:8:zero buf:i32:1:zero buf:i32:1:zero
//! expect race
__global__ void last_block_sums_without_fence(const int* in, int* part, unsigned* arrived, int* out) {
  __shared__ int sum;
  __shared__ bool last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    part[blockIdx.x] = sum;  //! there
    last = atomicAdd(arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += part[b];  //! here
    *out = all;
  }
}

// A lock around a plain sum.
//! run 4 1 buf:i32:1:zero buf:i32:1:zero
__global__ void lock_around_sum(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicExch(lock, 0);
}
//! run 4 1 buf:i32:1:zero buf:i32:1:zero
//! expect race
__global__ void lock_without_fence(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *sum += 1;  //! here
  atomicExch(lock, 0);
}

// atomicAdd by some, a plain write by others.
//! run 2 64 buf:i32:4:zero
//! expect race
__global__ void atomic_and_plain(int* sums) {
  if (threadIdx.x == 0) sums[0] = 100;  //! here
  atomicAdd(&sums[0], 1);               //! here
}
//! run 2 64 buf:i32:4:zero
__global__ void atomic_only(int* sums) {
  if (threadIdx.x == 0) atomicAdd(&sums[0], 100);
  atomicAdd(&sums[0], 1);
}

// Home-made barrier of the grid.
//! run 4 64 buf:i32:256:iota buf:i32:256:zero buf:i32:1:zero
__global__ void grid_barrier(int* a, int* b, int* count) {
  int i = blockIdx.x * 64 + threadIdx.x;
  a[i] *= 2;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  b[i] = a[255 - i];
}
//! run 4 64 buf:i32:256:iota buf:i32:256:zero
//! expect race
__global__ void grid_barrier_by_syncthreads(int* a, int* b) {
  int i = blockIdx.x * 64 + threadIdx.x;
  a[i] *= 2;  //! there
  __syncthreads();
  b[i] = a[255 - i];  //! here
}
//! run 4 64 buf:i32:1:zero
//! expect deadlock
__global__ void grid_barrier_counts_too_far(int* count) {
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (*static_cast<volatile int*>(count) <= gridDim.x) {  //! here
    }
  }
}
