// Threads that look again and again at memory which nobody changes any more.
#include <cuda/atomic>

// A barrier of all blocks, for more blocks than a GPU runs at the same time.
//! run 300 1024 buf:i32:1:zero
//! expect deadlock "36 more blocks start only when one of these has ended"
__global__ void barrier_of_too_many_blocks(int* count) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < gridDim.x) {}  //! here
  }
  __syncthreads();
}
//! run 200 1024 buf:i32:1:zero
__global__ void barrier_of_blocks_that_fit(int* count) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < gridDim.x) {}
  }
  __syncthreads();
}
// One block leaves early and is waited for.
//! run 8 256 buf:i32:1:zero
//! expect deadlock "element 0 of argument 0 in global memory, which stays 7"
__global__ void barrier_that_one_block_never_reaches(int* count) {
  if (blockIdx.x == 5) return;
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < 8) {}  //! here
  }
  __syncthreads();
}
//! run 8 256 buf:i32:1:zero
//! expect deadlock "stays 8"
__global__ void barrier_that_waits_for_equality_too_late(int* count) {
  if (threadIdx.x != 0) return;
  atomicAdd(count, 1);
  while (atomicOr(count, 0) != 7) {}  //! here
}
//! run 8 256 buf:i32:1:zero
//! expect deadlock "stays 8"
__global__ void barrier_of_volatile_looks(int* count) {
  if (threadIdx.x != 0) return;
  atomicAdd(count, 1);
  while (*static_cast<volatile int*>(count) < 9) {}  //! here
}
//! run 8 256 buf:i32:1:zero
//! expect deadlock "stays 8"
__global__ void barrier_of_swaps_that_change_nothing(int* count) {
  if (threadIdx.x != 0) return;
  atomicAdd(count, 1);
  while (atomicCAS(count, 9, 9) != 9) {}  //! here
}
//! run 8 256 buf:i32:1:zero
//! expect deadlock "stays 8"
__global__ void barrier_of_acquiring_looks(int* count) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> c(*count);
  c.fetch_add(1, cuda::std::memory_order_release);
  while (c.load(cuda::std::memory_order_acquire) < 9) {}  //! here
}
//! run 8 256 buf:i32:1:zero
//! expect deadlock "stays 8"
__global__ void barrier_of_largest_values(int* count) {
  if (threadIdx.x != 0) return;
  atomicAdd(count, 1);
  while (atomicMax(count, 0) < 9) __nanosleep(20);  //! here
}
// The lock is taken and never given back.
//! run 4 32 buf:i32:2:zero
//! expect deadlock "stays 1"
__global__ void lock_that_is_never_given_back(int* a) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&a[0], 0, 1) != 0) {}  //! here
  __threadfence();
  a[1] += 1;
}
// Two locks, taken in two orders, by threads that hold one and wait for the other.
//! run 2 32 buf:i32:4:zero
//! expect deadlock
__global__ void two_locks_in_two_orders(int* a) {
  if (threadIdx.x != 0) return;
  int first = blockIdx.x, second = 1 - first;
  while (atomicCAS(&a[first], 0, 1) != 0) {}
  atomicAdd(&a[2], 1);
  while (atomicAdd(&a[2], 0) != 2) {}
  while (atomicCAS(&a[second], 0, 1) != 0) {}  //! here
  atomicExch(&a[second], 0);
  atomicExch(&a[first], 0);
}
// A flag in shared memory that another warp would set if it had not returned.
//! run 1 64 buf:i32:1:zero
//! expect deadlock "the shared variable flag"
__global__ void flag_of_a_warp_that_returned(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  while (flag == 0) {}  //! here
  *out = 1;
}
// Whoever looks and counts its looks gives up some day: no deadlock.
//! run 4 32 buf:i32:5:zero
__global__ void look_that_gives_up(int* a) {
  if (threadIdx.x != 0) return;
  int looks = 0;
  while (atomicAdd(&a[4], 0) == 0 && ++looks < 20000) {}
  a[blockIdx.x] = looks;
}
// Somebody works while the others wait, and takes long.
//! run 3 32 buf:i32:4:zero
__global__ void wait_for_long_work(int* a) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 2) {
    int v = 1;
    for (int k = 0; k < 40000; ++k) v = v * 1664525 + 1013904223;
    a[3] = v;
    __threadfence();
    atomicExch(&a[0], 1);
  } else {
    while (atomicAdd(&a[0], 0) == 0) __nanosleep(100);
    __threadfence();
    a[1 + blockIdx.x] = a[3];
  }
}
// Works for ever: nothing tells that it will not stop some day.
//! run 1 32 buf:i32:32:zero
//! expect budget
__global__ void counts_for_ever(volatile int* a) {
  for (int k = 0;; ++k) a[threadIdx.x] = k;
}
