// The tiled product whose tile of A is stored turned round. Lanes that store down a column meet in few banks;
// a word of padding a row, or a swizzle, moves them apart. All three give the same C; n is a multiple of 16.
//
// turned    row k of the tile begins at bank 0 or 16: a store takes eight passes
// padded    a row is a word longer, and each begins in another bank: 64 bytes more, and two passes, since a
//           warp stores two columns, which meet in one bank
// swizzled  word y of row k stands at y ^ k: the same memory as turned, no conflict
#define TILE 16

__global__ void matmul_turned(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < n; first += TILE) {
    tile_a[threadIdx.x][threadIdx.y] = a[row * n + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      sum += tile_a[k][threadIdx.y] * tile_b[k][threadIdx.x];
    }
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void matmul_padded(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[TILE][TILE + 1], tile_b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < n; first += TILE) {
    tile_a[threadIdx.x][threadIdx.y] = a[row * n + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      sum += tile_a[k][threadIdx.y] * tile_b[k][threadIdx.x];
    }
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void matmul_swizzled(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < n; first += TILE) {
    tile_a[threadIdx.x][threadIdx.y ^ threadIdx.x] = a[row * n + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      sum += tile_a[k][threadIdx.y ^ k] * tile_b[k][threadIdx.x];
    }
    __syncthreads();
  }
  c[row * n + col] = sum;
}
