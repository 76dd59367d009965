// What waits in front of L1 beside what waits in front of shared memory: for which of both a warp waits (lg throttle, mio
// throttle, short scoreboard) once L1 takes what it is given more slowly than warps come. Read by waits.py.
//
// A turn of a warp stores, adds or loads four times, a sector for each lane or (loads) a line, and then shuffles or loads
// from shared memory `each` times, and needs what that brings. The loads are volatile, and miss L1.
enum Global { kStores, kReductions, kLoads };
enum Beside { kNothing, kShuffles, kShared };

template <int beside>
__device__ int brings(int turn, int k, int lane, volatile int* shared) {
  int v = 0;
  if (beside == kShuffles) v = __shfl_xor_sync(~0u, turn + lane, k + 1);
  if (beside == kShared) v = shared[lane];
  return v;
}

template <int global, int beside, int each>
__global__ void queues(float* out, int turns) {
  __shared__ int shared[32];
  const int lane = threadIdx.x % 32;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  constexpr int kRow = 4, kApart = global == kLoads ? 32 : 8;
  shared[lane] = 0;
  __syncthreads();
  float* const to = out + (warp * kRow * 32 + lane) * kApart;
  const float* const from = out + lane * kApart;
  float sum = 0;
  int others = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int r = 0; r < kRow; ++r) {
      if (global == kStores) *(volatile float*)(to + r * 32 * kApart) = turn;
      if (global == kReductions) atomicAdd(to + r * 32 * kApart, 1.0f);
      if (global == kLoads) sum += *(const volatile float*)(from + r * 32 * kApart);
    }
#pragma unroll
    for (int k = 0; k < each; ++k) others += brings<beside>(turn, k, lane, shared);
    if (others == 123456789) turn = turns;
  }
  if (sum == 987654321.0f) out[0] = sum + others;
}

#define EACH(GLOBAL, BESIDE)                                       \
  template __global__ void queues<GLOBAL, BESIDE, 1>(float*, int); \
  template __global__ void queues<GLOBAL, BESIDE, 4>(float*, int);
#define BESIDES(GLOBAL)                                            \
  template __global__ void queues<GLOBAL, 0, 0>(float*, int);      \
  EACH(GLOBAL, 1) EACH(GLOBAL, 2)
BESIDES(0) BESIDES(1) BESIDES(2)
