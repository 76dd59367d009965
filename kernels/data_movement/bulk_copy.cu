// One thread asks for a whole tile: the bulk copy (since compute capability 9.0).
//
// With cp.async every thread copies its own 4 or 16 bytes, so a tile costs an instruction in every warp. A bulk copy
// is one instruction of one thread for as many kilobytes as fit; the copy engine does the rest and reports the bytes
// that have arrived to a barrier in shared memory, at which all threads wait. Addresses and sizes are multiples of 16.
#ifndef TILE
#define TILE 1024
#endif

__device__ unsigned int shared_address(const void* p) { return (unsigned int)__cvta_generic_to_shared(p); }

__device__ void expect_arrivals(unsigned long long* barrier, int threads) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(threads) : "memory");
}

// The thread arrives, and the barrier waits for these bytes as well.
__device__ void arrive_and_expect(unsigned long long* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

__device__ void copy_in_bulk(void* to, const void* from, int bytes, unsigned long long* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}

__device__ void wait_for(unsigned long long* barrier, int phase) {
  int there = 0;
  while (!there) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
        : "=r"(there)
        : "r"(shared_address(barrier)), "r"(phase)
        : "memory");
  }
}

__global__ void smooth_by_threads(const float* in, float* out, int tiles) {
  __shared__ __align__(16) float tile[TILE];
  long long base = (long long)blockIdx.x * tiles * TILE;
  for (int k = 0; k < tiles; ++k, base += TILE) {
    for (int i = threadIdx.x; i < TILE; i += blockDim.x) tile[i] = in[base + i];
    __syncthreads();
    for (int i = threadIdx.x; i < TILE; i += blockDim.x) out[base + i] = 0.5f * (tile[i] + tile[(i + 1) % TILE]);
    __syncthreads();
  }
}

// Two tiles: while one is used the other is on its way.
__global__ void smooth_in_bulk(const float* in, float* out, int tiles) {
  __shared__ __align__(16) float tile[2][TILE];
  __shared__ unsigned long long arrived[2];
  const int bytes = TILE * sizeof(float);
  long long base = (long long)blockIdx.x * tiles * TILE;
  if (threadIdx.x == 0) {
    expect_arrivals(&arrived[0], 1);
    expect_arrivals(&arrived[1], 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    arrive_and_expect(&arrived[0], bytes);
    copy_in_bulk(tile[0], in + base, bytes, &arrived[0]);
  }
  for (int k = 0; k < tiles; ++k, base += TILE) {
    if (threadIdx.x == 0 && k + 1 < tiles) {
      int next = (k + 1) % 2;
      arrive_and_expect(&arrived[next], bytes);
      copy_in_bulk(tile[next], in + base + TILE, bytes, &arrived[next]);
    }
    wait_for(&arrived[k % 2], k / 2 % 2);
    const float* here = tile[k % 2];
    for (int i = threadIdx.x; i < TILE; i += blockDim.x) out[base + i] = 0.5f * (here[i] + here[(i + 1) % TILE]);
    __syncthreads();  // before the tile is asked for again
  }
}
