// A lock that the lanes of one warp fight for.
//
// Only one lane gets the lock. If it cannot go on until the others stop asking, nobody ever gets further:
// that is what happened on GPUs whose lanes could only march together, when the work stood after the loop.
// Since compute capability 7.0 every thread has a program counter of its own, and the lane that holds the lock
// is let go sooner or later. Doing the work inside the loop, right after the lock was taken, works everywhere.
__global__ void add_under_lock(int* lock, int* total, int times) {
  for (int k = 0; k < times; ++k) {
    bool done = false;
    while (!done) {
      if (atomicCAS(lock, 0, 1) == 0) {
        __threadfence();
        *(volatile int*)total += 1;
        __threadfence();
        atomicExch(lock, 0);
        done = true;
      }
    }
  }
}

__global__ void add_after_lock(int* lock, int* total, int times) {
  for (int k = 0; k < times; ++k) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *(volatile int*)total += 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}
