// A lock that the lanes of one warp fight for.
//
// Only one lane gets the lock. If it cannot go on until the others stop asking, nobody ever gets further:
// that is what happened on GPUs whose lanes could only march together. Doing the work inside the loop,
// right after the lock was taken, works everywhere.
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
