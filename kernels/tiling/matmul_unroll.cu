// How far should the compiler write a loop out?
//
// `#pragma unroll 4` repeats the body four times: a quarter of the counting and jumping, and four loads that
// can be on their way together. It costs registers and code. `#pragma unroll 1` forbids it. Without a word
// the compiler decides for itself, and of a loop with a known length it writes out all.
#ifndef UNROLL
#define UNROLL 1
#endif
#define TILE 16

__global__ void matmul_unroll(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < n; first += TILE) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + col];
    __syncthreads();
    constexpr int factor = UNROLL;
#pragma unroll factor
    for (int k = 0; k < TILE; ++k) {
      sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    }
    __syncthreads();
  }
  c[row * n + col] = sum;
}
