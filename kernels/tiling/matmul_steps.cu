// The tiled product, with one thing changed each time. All of them give the same C; n must be a multiple of 16.
//
// tile_of_a       only A goes through shared memory, and a warp needs nobody but itself: no block barrier
// plain           tiles of A and B, the base of those that follow
// transposed      the tile of A is stored turned round, without and with a word of padding a row
// vector_loads    each thread fetches four neighbours at once
// double_buffered the next tile is fetched while this one is used: one barrier a turn instead of two
#define TILE 16

__global__ void matmul_tile_of_a(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < n; first += TILE) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
    __syncwarp();  // a row of the tile is written and read by lanes of one warp
    for (int k = 0; k < TILE; ++k) {
      sum += tile_a[threadIdx.y][k] * b[(first + k) * n + col];
    }
    __syncwarp();
  }
  c[row * n + col] = sum;
}

__global__ void matmul_plain(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < n; first += TILE) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    }
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void matmul_transposed(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < n; first += TILE) {
    tile_a[threadIdx.x][threadIdx.y] = a[row * n + first + threadIdx.x];  // lanes write down a column
    tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      sum += tile_a[k][threadIdx.y] * tile_b[k][threadIdx.x];
    }
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void matmul_transposed_padded(const float* a, const float* b, float* c, int n) {
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

__global__ void matmul_vector_loads(const float* a, const float* b, float* c, int n) {
  __shared__ __align__(16) float tile_a[TILE][TILE], tile_b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  int t = threadIdx.y * TILE + threadIdx.x, y = t / 4, x = 4 * (t % 4);  // 64 threads fetch a whole tile
  float sum = 0.0f;
  for (int first = 0; first < n; first += TILE) {
    if (t < 64) {
      const float* from = &a[(blockIdx.y * TILE + y) * n + first + x];
      *reinterpret_cast<float4*>(&tile_a[y][x]) = *reinterpret_cast<const float4*>(from);
    } else if (t < 128) {
      const float* from = &b[(first + y - 16) * n + blockIdx.x * TILE + x];
      *reinterpret_cast<float4*>(&tile_b[y - 16][x]) = *reinterpret_cast<const float4*>(from);
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    }
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void matmul_double_buffered(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[2][TILE][TILE], tile_b[2][TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  tile_a[0][threadIdx.y][threadIdx.x] = a[row * n + threadIdx.x];
  tile_b[0][threadIdx.y][threadIdx.x] = b[threadIdx.y * n + col];
  for (int first = 0; first < n; first += TILE) {
    __syncthreads();  // this tile is there, and the other one is no longer in use
    int now = first / TILE % 2, next = first + TILE;
    if (next < n) {
      tile_a[1 - now][threadIdx.y][threadIdx.x] = a[row * n + next + threadIdx.x];
      tile_b[1 - now][threadIdx.y][threadIdx.x] = b[(next + threadIdx.y) * n + col];
    }
    for (int k = 0; k < TILE; ++k) {
      sum += tile_a[now][threadIdx.y][k] * tile_b[now][k][threadIdx.x];
    }
  }
  c[row * n + col] = sum;
}
