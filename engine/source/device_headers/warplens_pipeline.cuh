// The primitives of <cuda_pipeline.h>: asynchronous copies from global to shared memory.
#pragma once

#ifndef WARPLENS_FN
#define WARPLENS_FN static __inline__ __device__ __attribute__((always_inline))
#endif

WARPLENS_FN unsigned int warplens_shared_address(const void* p) {
  unsigned long long address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(p));
  return (unsigned int)address;
}
// `size` is 4, 8 or 16; the last `zeros` bytes of it are filled with zeros.
WARPLENS_FN void __pipeline_memcpy_async(void* shared, const void* global, size_t size, size_t zeros = 0) {
  const unsigned int to = warplens_shared_address(shared);
  const unsigned int real = (unsigned int)(size - zeros);
  if (size == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(real) : "memory");
  else if (size == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(global), "r"(real) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global), "r"(real) : "memory");
}
WARPLENS_FN void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// The count must be a constant in PTX.
WARPLENS_FN void __pipeline_wait_prior(size_t newest) {
  switch (newest) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_all;" ::: "memory"); break;
  }
}
