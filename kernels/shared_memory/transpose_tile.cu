// Transposing through a tile: both sides coalesced, and three ways to lay the tile out.
//
// Rows of the tile are written and its columns are read. In a plain [32][32] tile a column lies in a
// single bank: 32 lanes, 32 turns. One word of padding a row moves every row on by one bank and costs 128
// bytes. The XOR swizzle permutes each row differently, costs nothing, and is free of conflicts as well.
#define TILE 32

__global__ void transpose_plain(const float* in, float* out, int n) {
  __shared__ float tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int row = 0; row < TILE; row += blockDim.y) {
    if (x < n && y + row < n) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
  }
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;  // the tile itself moves to the mirrored place
  y = blockIdx.x * TILE + threadIdx.y;
  for (int row = 0; row < TILE; row += blockDim.y) {
    if (x < n && y + row < n) out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
  }
}

__global__ void transpose_padded(const float* in, float* out, int n) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int row = 0; row < TILE; row += blockDim.y) {
    if (x < n && y + row < n) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
  }
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int row = 0; row < TILE; row += blockDim.y) {
    if (x < n && y + row < n) out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
  }
}

__global__ void transpose_swizzled(const float* in, float* out, int n) {
  __shared__ float tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int row = 0; row < TILE; row += blockDim.y) {
    int r = threadIdx.y + row;
    if (x < n && y + row < n) tile[r][threadIdx.x ^ r] = in[(y + row) * n + x];
  }
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int row = 0; row < TILE; row += blockDim.y) {
    int c = threadIdx.y + row;
    if (x < n && y + row < n) out[(y + row) * n + x] = tile[threadIdx.x][c ^ threadIdx.x];
  }
}
