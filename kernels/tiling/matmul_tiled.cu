// The same product through tiles in shared memory: every element is fetched n / TILE times instead of n
// times.
//
// C has m rows and n columns, A has m rows and k columns, B has k rows and n columns. A block loads one tile
// of A and one of B together, waits until all of it is there, multiplies, and waits again before the tile is
// overwritten. Global loads fall by the width of the tile, and each float that is fetched now takes part in
// TILE multiplications. Elements beyond the edge count as zero.
#ifndef TILE
#define TILE 16
#endif

__global__ void matmul_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += TILE) {
    int along = first + threadIdx.x, down = first + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < m && along < k ? a[row * k + along] : 0.0f;
    tile_b[threadIdx.y][threadIdx.x] = down < k && col < n ? b[down * n + col] : 0.0f;
    __syncthreads();  // nobody reads before all have written
    for (int i = 0; i < TILE; ++i) {
      sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    }
    __syncthreads();  // nobody overwrites before all have read
  }
  if (row < m && col < n) {
    c[row * n + col] = sum;
  }
}
