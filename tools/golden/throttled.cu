// When a scheduler's loads and stores have to wait before they can be issued (lg throttle), beside warps that wait for
// what they asked for (long scoreboard). Read with tools/golden/throttled.py.
//
// A warp issues `row` loads or stores of its own, one right after the other, needs what was loaded, and begins anew. All
// loads find their lines in L1 after the first turn, all stores go to lines that L2 has. `apart` are the words from a
// lane to the next: 32 is a line for each lane.
enum Kind { kLoads, kLoadsOfEightLanes, kChain, kLoadsOfFourWords, kStores, kBoth };

template <int kind, int row>
__global__ void throttled(float* in, float* out, int apart, int turns) {
  const int lane = threadIdx.x % 32;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float sum = 0;
  if (kind == kLoadsOfEightLanes && lane >= 8) return;
  const float* at = in + lane * apart;
  float* to = out + (warp * row * 32 + lane) * apart;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    float v[row];
    float4 w[row];
#pragma unroll
    for (int r = 0; r < row; ++r) {
      if (kind == kLoads || kind == kLoadsOfEightLanes || kind == kBoth) v[r] = at[r * 32 * apart];
      if (kind == kChain) {  // each needs the one before
        v[r] = at[r * 32 * apart];
        at += v[r] != 0.0f ? 1 : 0;
      }
      if (kind == kLoadsOfFourWords) w[r] = *reinterpret_cast<const float4*>(at + r * 32 * apart);
      if (kind == kStores) to[r * 32 * apart] = turn;
    }
#pragma unroll
    for (int r = 0; r < row; ++r) {
      if (kind == kLoads || kind == kLoadsOfEightLanes || kind == kChain) sum += v[r];
      if (kind == kLoadsOfFourWords) sum += w[r].x + w[r].y + w[r].z + w[r].w;
      if (kind == kBoth) to[r * 32 * apart] = v[r];
    }
    at = sum == 123456789.0f ? at + 4 : at;
  }
  if (sum == 987654321.0f) out[0] = sum;
}

#define ROWS(KIND)                                                        \
  template __global__ void throttled<KIND, 1>(float*, float*, int, int);  \
  template __global__ void throttled<KIND, 2>(float*, float*, int, int);  \
  template __global__ void throttled<KIND, 4>(float*, float*, int, int);  \
  template __global__ void throttled<KIND, 8>(float*, float*, int, int);  \
  template __global__ void throttled<KIND, 16>(float*, float*, int, int);
ROWS(0) ROWS(1) ROWS(2) ROWS(3) ROWS(4) ROWS(5)
