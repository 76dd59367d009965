// Coursework: the exercises of first GPU programming courses, as students hand them in.
#include <cstdio>

__global__ void saxpy_while(int n, float a, const float* x, float* y) {
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  while (tid < n) {
    y[tid] = a * x[tid] + y[tid];
    tid += blockDim.x * gridDim.x;
  }
}

__global__ void dot_chunked(const double* a, const double* b, double* c, int n) {
  __shared__ double cache[96];
  int chunk = (n + gridDim.x - 1) / gridDim.x;
  int begin = blockIdx.x * chunk;
  int end = begin + chunk < n ? begin + chunk : n;
  double temp = 0.0;
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x) temp += a[i] * b[i];
  cache[threadIdx.x] = temp;
  __syncthreads();
  if (threadIdx.x < 32) {
    cache[threadIdx.x] += cache[threadIdx.x + 32] + cache[threadIdx.x + 64];
    __syncwarp();
    for (int s = 16; s > 0; s /= 2) {
      double v = cache[threadIdx.x + s];
      __syncwarp();
      if (threadIdx.x < s) cache[threadIdx.x] += v;
      __syncwarp();
    }
    if (threadIdx.x == 0) c[blockIdx.x] = cache[0];
  }
}

__global__ void matrix_vector_columns(const float* A, const float* x, float* y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < cols; c++) sum += A[c * rows + row] * x[c];
  y[row] = sum;
}

#define TILE 8
__global__ void matmul_rect(const float* A, const float* B, float* C, int M, int K, int N) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int col = blockIdx.x * TILE + tx;
  float acc = 0;
  for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
    if (row < M && t * TILE + tx < K)
      As[ty][tx] = A[row * K + t * TILE + tx];
    else
      As[ty][tx] = 0.0f;
    if (col < N && t * TILE + ty < K)
      Bs[ty][tx] = B[(t * TILE + ty) * N + col];
    else
      Bs[ty][tx] = 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) acc += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

__global__ void count_vowels(const char* text, int n, int* counts) {
  __shared__ int local[5];
  if (threadIdx.x < 5) local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    switch (text[i] & 31) {
      case 1: atomicAdd(&local[0], 1); break;
      case 5: atomicAdd(&local[1], 1); break;
      case 9: atomicAdd(&local[2], 1); break;
      case 15: atomicAdd(&local[3], 1); break;
      case 21: atomicAdd(&local[4], 1); break;
      default: break;
    }
  }
  __syncthreads();
  if (threadIdx.x < 5 && local[threadIdx.x] > 0) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

__global__ void collatz_longest(int* best, int n) {
  __shared__ int longest[128];
  int steps = 0;
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i <= n) {
    long long v = i;
    while (v != 1) {
      v = (v % 2 == 0) ? v / 2 : 3 * v + 1;
      steps++;
    }
  }
  longest[threadIdx.x] = steps;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s && longest[threadIdx.x + s] > longest[threadIdx.x]) longest[threadIdx.x] = longest[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) best[blockIdx.x] = longest[0];
}

__global__ void heat_rod(const float* u, float* v, int n, float r, int steps) {
  __shared__ float a[100];
  __shared__ float b[100];
  int t = threadIdx.x;
  float *now = a, *next = b;
  now[t] = u[blockIdx.x * n + t];
  __syncthreads();
  for (int k = 0; k < steps; ++k) {
    if (t > 0 && t < n - 1)
      next[t] = now[t] + r * (now[t - 1] - 2 * now[t] + now[t + 1]);
    else
      next[t] = now[t];
    __syncthreads();
    float* swap = now;
    now = next;
    next = swap;
  }
  v[blockIdx.x * n + t] = now[t];
}

__global__ void caesar(char* text, int n, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    char c = text[i];
    if (c >= 'a' && c <= 'z')
      text[i] = 'a' + (c - 'a' + shift) % 26;
    else if (c >= 'A' && c <= 'Z')
      text[i] = 'A' + (c - 'A' + shift) % 26;
  }
}

__global__ void primes_up_to(int* flags, int n) {
  int i = 2 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  bool prime = true;
  for (int d = 2; d * d <= i; d++) {
    if (i % d == 0) {
      prime = false;
      break;
    }
  }
  flags[i] = prime;
}

__global__ void transpose_rect(const int* in, int* out, int width, int height) {
  __shared__ int tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void mean_and_variance(const float* x, float* mean, float* variance, int rows, int cols) {
  int r = threadIdx.x + blockIdx.x * blockDim.x;
  if (r < rows) {
    float m = 0.f, s = 0.f;
    for (int c = 0; c < cols; ++c) {
      float delta = x[r * cols + c] - m;
      m += delta / (c + 1);
      s += delta * (x[r * cols + c] - m);
    }
    mean[r] = m;
    variance[r] = s / (cols - 1);
  }
}

__global__ void bubble_rows(int* data, int cols) {
  int* row = data + (blockIdx.x * blockDim.x + threadIdx.x) * cols;
  bool swapped;
  do {
    swapped = false;
    for (int i = 0; i + 1 < cols; ++i) {
      if (row[i] > row[i + 1]) {
        int t = row[i];
        row[i] = row[i + 1];
        row[i + 1] = t;
        swapped = true;
      }
    }
  } while (swapped);
}

__global__ void grades(const int* points, char* grade, int* failed, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    int p = points[i];
    if (p >= 90) {
      grade[i] = 'A';
    } else if (p >= 80) {
      grade[i] = 'B';
    } else if (p >= 65) {
      grade[i] = 'C';
    } else if (p >= 50) {
      grade[i] = 'D';
    } else {
      grade[i] = 'F';
      atomicAdd(failed, 1);
    }
  }
}

__global__ void cell_index_3d(int* out, int nx, int ny, int nz) {
  int x = threadIdx.x + blockDim.x * blockIdx.x;
  int y = threadIdx.y + blockDim.y * blockIdx.y;
  int z = threadIdx.z + blockDim.z * blockIdx.z;
  if (x >= nx) return;
  if (y >= ny) return;
  if (z >= nz) return;
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[(z * ny + y) * nx + x] = block * 1000 + thread;
}

__global__ void hello(const int* who, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && who[i] % 50 == 0) printf("thread %d of block %d: %d\n", threadIdx.x, blockIdx.x, who[i]);
}

__global__ void temperature_extremes(const short* readings, short2* out, int stations, int days) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s < stations) {
    short low = 32767, high = -32768;
    for (int d = 0; d < days; d++) {
      short v = readings[d * stations + s];
      if (v < low) low = v;
      if (v > high) high = v;
    }
    out[s] = make_short2(low, high);
  }
}
