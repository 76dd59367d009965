// Each thread computes a WORK x WORK patch of C: operands are reused from registers.
//
// In the tiled product every multiplication reads two words from shared memory. A thread that keeps WORK
// values of each tile in registers reads 2 * WORK words for WORK * WORK multiplications.
#ifndef WORK
#define WORK 4
#endif
#define SIDE 8               // threads along one side of the block
#define TILE (SIDE * WORK)   // elements of C along one side of the block
#define DEPTH 8              // columns of A and rows of B loaded at a time

__global__ void matmul_registers(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[DEPTH][TILE + 1];  // A is stored turned, so that a column is read along a row
  __shared__ float tile_b[DEPTH][TILE];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * SIDE + tx;
  int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
  float sum[WORK][WORK] = {};
  for (int first = 0; first < n; first += DEPTH) {
    for (int e = t; e < TILE * DEPTH; e += SIDE * SIDE) {
      int row = row0 + e / DEPTH, k = first + e % DEPTH;
      tile_a[e % DEPTH][e / DEPTH] = row < n && k < n ? a[row * n + k] : 0.0f;
      k = first + e / TILE;
      int col = col0 + e % TILE;
      tile_b[e / TILE][e % TILE] = k < n && col < n ? b[k * n + col] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < DEPTH; ++k) {
      float left[WORK], right[WORK];
      for (int i = 0; i < WORK; ++i) left[i] = tile_a[k][ty + i * SIDE];
      for (int i = 0; i < WORK; ++i) right[i] = tile_b[k][tx + i * SIDE];
      for (int i = 0; i < WORK; ++i)
        for (int j = 0; j < WORK; ++j) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < WORK; ++i) {
    for (int j = 0; j < WORK; ++j) {
      int row = row0 + ty + i * SIDE, col = col0 + tx + j * SIDE;
      if (row < n && col < n) c[row * n + col] = sum[i][j];
    }
  }
}
