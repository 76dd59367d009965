// From the plain product towards the library's speed: every step keeps what the ones before it have won.
//
// naive       a thread for each element of C, operands from global memory
// tiled       16 x 16 tiles in shared memory: an element is fetched once a block instead of once a thread
// coarsened   a thread computes four elements of a row: a word of A is read once for four of them
// registers   4 x 4 elements a thread: 8 words are read for 16 multiplications
// vectors     the same, with the tiles fetched and read four floats at a time
// buffered    the same, and the next tile is on its way while this one is used
//
// n must be a multiple of 64. All have 16 x 16 threads a block; from `coarsened` on a block makes more of C.
#define TILE 16   // rows and columns of a small tile, and threads along a side of the block
#define WIDE 64   // rows and columns of a large one

__global__ void ladder_naive(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

__global__ void ladder_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
  float sum = 0.0f;
  for (int first = 0; first < n; first += TILE) {
    tile_a[y][x] = a[row * n + first + x];
    tile_b[y][x] = b[(first + y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// The tile of B is four times as wide; a thread has four columns, 16 apart.
__global__ void ladder_coarsened(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][WIDE];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * TILE + y, col0 = blockIdx.x * WIDE;
  float sum[4] = {};
  for (int first = 0; first < n; first += TILE) {
    tile_a[y][x] = a[row * n + first + x];
    for (int j = 0; j < 4; ++j) tile_b[y][x + 16 * j] = b[(first + y) * n + col0 + x + 16 * j];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      float left = tile_a[y][k];
      for (int j = 0; j < 4; ++j) sum[j] += left * tile_b[k][x + 16 * j];
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) c[row * n + col0 + x + 16 * j] = sum[j];
}

// A is stored turned, so that both operands are read along a row. The word of padding keeps the stores of the
// turned tile apart.
__global__ void ladder_registers(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[TILE][WIDE + 1], tile_b[TILE][WIDE];
  int x = threadIdx.x, y = threadIdx.y;
  int row0 = blockIdx.y * WIDE, col0 = blockIdx.x * WIDE;
  float sum[4][4] = {};
  for (int first = 0; first < n; first += TILE) {
    for (int j = 0; j < 4; ++j) {
      tile_a[x][y + 16 * j] = a[(row0 + y + 16 * j) * n + first + x];
      tile_b[y][x + 16 * j] = b[(first + y) * n + col0 + x + 16 * j];
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      float left[4], right[4];
      for (int i = 0; i < 4; ++i) left[i] = tile_a[k][y + 16 * i];
      for (int j = 0; j < 4; ++j) right[j] = tile_b[k][x + 16 * j];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(row0 + y + 16 * i) * n + col0 + x + 16 * j] = sum[i][j];
}

// Thread t fetches four neighbours of A (row t / 4 of its tile) and of B (row t / 16 of its tile). The four
// rows and the four columns of a thread are neighbours now, so that each is one read of 16 bytes. Rows of 68
// floats keep that alignment.
__device__ void fetch(const float* a, const float* b, int n, int row0, int col0, int first, float4& of_a,
                      float4& of_b) {
  int t = threadIdx.y * TILE + threadIdx.x;
  of_a = *reinterpret_cast<const float4*>(&a[(row0 + t / 4) * n + first + t % 4 * 4]);
  of_b = *reinterpret_cast<const float4*>(&b[(first + t / 16) * n + col0 + t % 16 * 4]);
}

__device__ void keep(float (*tile_a)[WIDE + 4], float (*tile_b)[WIDE], float4 of_a, float4 of_b) {
  int t = threadIdx.y * TILE + threadIdx.x, k = t % 4 * 4;
  tile_a[k][t / 4] = of_a.x;
  tile_a[k + 1][t / 4] = of_a.y;
  tile_a[k + 2][t / 4] = of_a.z;
  tile_a[k + 3][t / 4] = of_a.w;
  *reinterpret_cast<float4*>(&tile_b[t / 16][t % 16 * 4]) = of_b;
}

__device__ void multiply(const float (*tile_a)[WIDE + 4], const float (*tile_b)[WIDE], float4 (&sum)[4]) {
  for (int k = 0; k < TILE; ++k) {
    float4 left = *reinterpret_cast<const float4*>(&tile_a[k][threadIdx.y * 4]);
    float4 right = *reinterpret_cast<const float4*>(&tile_b[k][threadIdx.x * 4]);
    float of_a[4] = {left.x, left.y, left.z, left.w};
    for (int i = 0; i < 4; ++i) {
      sum[i].x += of_a[i] * right.x;
      sum[i].y += of_a[i] * right.y;
      sum[i].z += of_a[i] * right.z;
      sum[i].w += of_a[i] * right.w;
    }
  }
}

__global__ void ladder_vectors(const float* a, const float* b, float* c, int n) {
  __shared__ __align__(16) float tile_a[TILE][WIDE + 4], tile_b[TILE][WIDE];
  int row0 = blockIdx.y * WIDE, col0 = blockIdx.x * WIDE;
  float4 sum[4] = {};
  for (int first = 0; first < n; first += TILE) {
    float4 of_a, of_b;
    fetch(a, b, n, row0, col0, first, of_a, of_b);
    keep(tile_a, tile_b, of_a, of_b);
    __syncthreads();
    multiply(tile_a, tile_b, sum);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(&c[(row0 + threadIdx.y * 4 + i) * n + col0 + threadIdx.x * 4]) = sum[i];
}

__global__ void ladder_buffered(const float* a, const float* b, float* c, int n) {
  __shared__ __align__(16) float tile_a[2][TILE][WIDE + 4], tile_b[2][TILE][WIDE];
  int row0 = blockIdx.y * WIDE, col0 = blockIdx.x * WIDE;
  float4 sum[4] = {}, of_a, of_b;
  fetch(a, b, n, row0, col0, 0, of_a, of_b);
  keep(tile_a[0], tile_b[0], of_a, of_b);
  __syncthreads();
  for (int first = 0; first < n; first += TILE) {
    int now = first / TILE % 2, next = first + TILE;
    if (next < n) fetch(a, b, n, row0, col0, next, of_a, of_b);  // on its way during the products
    multiply(tile_a[now], tile_b[now], sum);
    if (next < n) keep(tile_a[1 - now], tile_b[1 - now], of_a, of_b);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(&c[(row0 + threadIdx.y * 4 + i) * n + col0 + threadIdx.x * 4]) = sum[i];
}
