// Matrix products: naive, tiled with several tile sizes, register tiles, vector loads.

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}

// Threads of a warp walk down a column of C: the badly coalesced twin.
__global__ void matmul_row_per_thread_x(const float* A, const float* B, float* C, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

template <int TILE>
__global__ void matmul_tiled(const float* A, const float* B, float* C, int n) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int m = 0; m < n / TILE; ++m) {
    As[threadIdx.y][threadIdx.x] = A[row * n + m * TILE + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(m * TILE + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  C[row * n + col] = sum;
}
template __global__ void matmul_tiled<8>(const float*, const float*, float*, int);
template __global__ void matmul_tiled<16>(const float*, const float*, float*, int);
template __global__ void matmul_tiled<32>(const float*, const float*, float*, int);

// Any size: tiles at the border are filled with zeros.
__global__ void matmul_ragged(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[16][16];
  __shared__ float Bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int t = 0; t < (K + 15) / 16; ++t) {
    As[ty][tx] = (row < M && t * 16 + tx < K) ? A[row * K + t * 16 + tx] : 0.0f;
    Bs[ty][tx] = (col < N && t * 16 + ty < K) ? B[(t * 16 + ty) * N + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

// B's tile is stored transposed, with and without padding.
template <int PAD>
__global__ void matmul_transposed_tile(const float* A, const float* B, float* C, int n) {
  __shared__ float As[16][16 + PAD];
  __shared__ float Bt[16][16 + PAD];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int t = 0; t < n; t += 16) {
    As[ty][tx] = A[row * n + t + tx];
    Bt[tx][ty] = B[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += As[ty][k] * Bt[tx][k];
    __syncthreads();
  }
  C[row * n + col] = sum;
}
template __global__ void matmul_transposed_tile<0>(const float*, const float*, float*, int);
template __global__ void matmul_transposed_tile<1>(const float*, const float*, float*, int);

// 64x64 of C a block, 4x4 a thread.
__global__ void matmul_register_tile(const float* A, const float* B, float* C, int n) {
  __shared__ float As[16][64];
  __shared__ float Bs[16][64];
  int t = threadIdx.x;
  int tx = t % 16, ty = t / 16;
  int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int e = t; e < 64 * 16; e += 256) {
      int r = e / 16, k = e % 16;
      As[k][r] = A[(row0 + r) * n + k0 + k];
    }
    for (int e = t; e < 64 * 16; e += 256) {
      int k = e / 64, c = e % 64;
      Bs[k][c] = B[(k0 + k) * n + col0 + c];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float a[4], b[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) a[i] = As[k][ty * 4 + i];
#pragma unroll
      for (int j = 0; j < 4; ++j) b[j] = Bs[k][tx * 4 + j];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) C[(row0 + ty * 4 + i) * n + col0 + tx * 4 + j] = acc[i][j];
}

// The same with float4 everywhere.
__global__ void matmul_vectorised(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                                  int n) {
  __shared__ float As[8][64];
  __shared__ float Bs[8][64];
  int t = threadIdx.x;  // 256
  int tx = t % 16, ty = t / 16;
  int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float4 acc[4] = {};
  for (int k0 = 0; k0 < n; k0 += 8) {
    if (t < 128) {
      int r = t / 2, k = (t % 2) * 4;
      float4 a = *reinterpret_cast<const float4*>(&A[(row0 + r) * n + k0 + k]);
      As[k + 0][r] = a.x;
      As[k + 1][r] = a.y;
      As[k + 2][r] = a.z;
      As[k + 3][r] = a.w;
    } else {
      int e = t - 128;
      int k = e / 16, c = (e % 16) * 4;
      *reinterpret_cast<float4*>(&Bs[k][c]) =
          *reinterpret_cast<const float4*>(&B[(k0 + k) * n + col0 + c]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float4 b = *reinterpret_cast<const float4*>(&Bs[k][tx * 4]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float a = As[k][ty * 4 + i];
        acc[i].x += a * b.x;
        acc[i].y += a * b.y;
        acc[i].z += a * b.z;
        acc[i].w += a * b.w;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(&C[(row0 + ty * 4 + i) * n + col0 + tx * 4]) = acc[i];
}

__global__ void matmul_double(const double* A, const double* B, double* C, int n) {
  __shared__ double As[16][16];
  __shared__ double Bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  double sum = 0.0;
  for (int t = 0; t < n; t += 16) {
    As[ty][tx] = A[row * n + t + tx];
    Bs[ty][tx] = B[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[row * n + col] = sum;
}
