// Counting, searching and graphs: histograms of the samples, backtracking, union-find, frontiers, hash tables, radix sort.

#define HISTOGRAM_BINS 64
#define H64_THREADS 64
__global__ void histogram64(unsigned* partial, const uint4* data, unsigned count) {
  __shared__ unsigned char s_hist[H64_THREADS * HISTOGRAM_BINS];
#pragma unroll
  for (unsigned i = 0; i < HISTOGRAM_BINS / 4; i++) ((unsigned*)s_hist)[threadIdx.x + i * H64_THREADS] = 0;
  __syncthreads();
  unsigned char* base = s_hist + threadIdx.x;
  for (unsigned pos = blockIdx.x * blockDim.x + threadIdx.x; pos < count; pos += blockDim.x * gridDim.x) {
    uint4 d = data[pos];
    base[(d.x >> 2 & 63) * H64_THREADS]++;
    base[(d.y >> 10 & 63) * H64_THREADS]++;
    base[(d.z >> 18 & 63) * H64_THREADS]++;
    base[(d.w >> 26 & 63) * H64_THREADS]++;
  }
  __syncthreads();
  if (threadIdx.x < HISTOGRAM_BINS) {
    unsigned char* hist = s_hist + threadIdx.x * H64_THREADS;
    unsigned sum = 0;
    for (unsigned i = 0; i < H64_THREADS; i++) sum += hist[(i + threadIdx.x) & (H64_THREADS - 1)];
    partial[blockIdx.x * HISTOGRAM_BINS + threadIdx.x] = sum;
  }
}

#define WARP_COUNT 4
__global__ void histogram256(unsigned* partial, const unsigned* data, unsigned count) {
  __shared__ unsigned s_hist[WARP_COUNT * 256];
  unsigned* warp_hist = s_hist + (threadIdx.x >> 5) * 256;
#pragma unroll
  for (unsigned i = 0; i < 8; i++) s_hist[threadIdx.x + i * WARP_COUNT * 32] = 0;
  __syncthreads();
  for (unsigned pos = blockIdx.x * blockDim.x + threadIdx.x; pos < count; pos += gridDim.x * blockDim.x) {
    unsigned d = data[pos];
    atomicAdd(warp_hist + (d & 0xff), 1);
    atomicAdd(warp_hist + (d >> 8 & 0xff), 1);
    atomicAdd(warp_hist + (d >> 16 & 0xff), 1);
    atomicAdd(warp_hist + (d >> 24), 1);
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < 256; bin += WARP_COUNT * 32) {
    unsigned sum = 0;
    for (unsigned i = 0; i < WARP_COUNT; i++) sum += s_hist[bin + i * 256] & 0x07ffffff;
    partial[blockIdx.x * 256 + bin] = sum;
  }
}

__global__ void merge_histogram256(unsigned* out, const unsigned* partial, unsigned count) {
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < count; i += 64) sum += partial[blockIdx.x + i * 256];
  __shared__ unsigned data[64];
  data[threadIdx.x] = sum;
  for (unsigned stride = 32; stride > 0; stride >>= 1) {
    __syncthreads();
    if (threadIdx.x < stride) data[threadIdx.x] += data[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = data[0];
}

__global__ void n_queens(int n, int* solutions) {
  int first = threadIdx.x % n, second = threadIdx.x / n;
  if (threadIdx.x >= n * n) return;
  int board[12];
  int count = 0;
  board[0] = first;
  board[1] = second;
  if (second == first || second == first + 1 || second == first - 1) {
    solutions[threadIdx.x] = 0;
    return;
  }
  int row = 2;
  board[2] = -1;
  while (row >= 2) {
    board[row]++;
    if (board[row] >= n) {
      row--;
      continue;
    }
    bool safe = true;
    for (int k = 0; k < row && safe; k++)
      if (board[k] == board[row] || abs(board[k] - board[row]) == row - k) safe = false;
    if (!safe) continue;
    if (row == n - 1) {
      count++;
    } else {
      row++;
      board[row] = -1;
    }
  }
  solutions[threadIdx.x] = count;
}

__global__ void n_queens_bits(unsigned all, int depth, int* solutions, int starts) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= starts) return;
  unsigned cols[16], left[16], right[16], options[16];
  int level = 0, found = 0;
  cols[0] = 1u << (t % depth);
  left[0] = cols[0] << 1;
  right[0] = cols[0] >> 1;
  options[0] = all & ~(cols[0] | left[0] | right[0]);
  while (level >= 0) {
    if (options[level] == 0) {
      --level;
    } else {
      unsigned bit = options[level] & -options[level];
      options[level] ^= bit;
      unsigned c = cols[level] | bit;
      if (c == all) {
        ++found;
      } else {
        cols[level + 1] = c;
        left[level + 1] = (left[level] | bit) << 1;
        right[level + 1] = (right[level] | bit) >> 1;
        ++level;
        options[level] = all & ~(c | left[level] | right[level]);
      }
    }
  }
  solutions[t] = found;
}

__device__ int find_root(int* parent, int i) {
  while (parent[i] != i) i = parent[i];
  return i;
}
__global__ void union_rows(const unsigned char* image, int* label, int w, int h) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h) return;
  int* parent = label + y * w;
  for (int x = 0; x < w; ++x) parent[x] = x;
  for (int x = 1; x < w; ++x) {
    if (image[y * w + x] == image[y * w + x - 1]) {
      int a = find_root(parent, x), b = find_root(parent, x - 1);
      if (a < b)
        parent[b] = a;
      else if (b < a)
        parent[a] = b;
    }
  }
  for (int x = 0; x < w; ++x) parent[x] = find_root(parent, x);
}

struct Node {
  int starting;
  int edges;
};
__global__ void bfs_rodinia(const Node* nodes, const int* edges, const bool* mask, bool* updating,
                            const bool* visited, int* cost, int n) {
  int tid = blockIdx.x * 256 + threadIdx.x;
  if (tid < n && mask[tid]) {
    for (int i = nodes[tid].starting; i < nodes[tid].edges + nodes[tid].starting; i++) {
      int id = edges[i];
      if (!visited[id]) {
        cost[id] = 7;
        updating[id] = true;
      }
    }
  }
}

__global__ void floyd_warshall(int* d, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y;
  if (j >= n) return;
  __shared__ int best;
  if (threadIdx.x == 0) best = d[n * i + k];
  __syncthreads();
  int through = best + d[k * n + j];
  if (d[i * n + j] > through) d[i * n + j] = through;
}

__global__ void ell_rows(int rows, int per_row, const int* columns, const double* values, const double* x, double* y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < rows) {
    double dot = 0;
    for (int n = 0; n < per_row; n++) {
      int col = columns[rows * n + row];
      double val = values[rows * n + row];
      if (val != 0) dot += val * x[col & 511];
    }
    y[row] += dot;
  }
}

__global__ void coo_atomics(int entries, const int* rows, const int* columns, const float* values, const float* x,
                            float* y) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < entries; e += gridDim.x * blockDim.x)
    atomicAdd(&y[rows[e]], values[e] * x[columns[e]]);
}

__global__ void csr_sub_warp(int rows, const int* offset, const int* columns, const float* values, const float* x,
                             float* y) {
  const int lanes = 8;
  int lane = threadIdx.x & (lanes - 1);
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / lanes;
  if (row >= rows) return;
  float sum = 0;
  for (int j = offset[row] + lane; j < offset[row + 1]; j += lanes) sum += values[j] * x[columns[j]];
  unsigned mask = __activemask();
  for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_down_sync(mask, sum, d, lanes);
  if (lane == 0) y[row] = sum;
}

__global__ void radix_count(const unsigned* keys, unsigned* counts, int n, int shift) {
  __shared__ unsigned local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&local[(keys[i] >> shift) & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

__global__ void radix_split_ballot(const unsigned* in, unsigned* out, int bit) {
  __shared__ unsigned falses[8];
  int i = threadIdx.x, lane = i & 31, warp = i >> 5;
  unsigned key = in[blockIdx.x * blockDim.x + i];
  bool one = key >> bit & 1;
  unsigned zeros = __ballot_sync(0xffffffff, !one);
  if (lane == 0) falses[warp] = __popc(zeros);
  __syncthreads();
  unsigned before = 0, total = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) {
    if (w < warp) before += falses[w];
    total += falses[w];
  }
  unsigned rank = before + __popc(zeros & ((1u << lane) - 1));
  unsigned target = one ? total + i - rank : rank;
  out[blockIdx.x * blockDim.x + target] = key;
}

__global__ void open_addressing(unsigned long long* table, unsigned capacity, const unsigned* keys, int n, int* steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i] + 1;
  unsigned slot = (key * 2654435761u) & (capacity - 1);
  int tries = 0;
  while (true) {
    unsigned long long entry = table[slot];
    ++tries;
    if ((unsigned)entry == key) {
      steps[i] = tries;
      return;
    }
    if (entry == 0 || tries > 12) {
      steps[i] = -tries;
      return;
    }
    slot = (slot + 1) & (capacity - 1);
  }
}

__global__ void diagonal_alignment(const char* a, const char* b, int* h, int m, int n, int diagonal) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  int first = diagonal < m ? 0 : diagonal - m + 1;
  int i = diagonal - first - k, j = first + k;
  if (i < 0 || j >= n || i >= m) return;
  int w = n + 1;
  int match = a[i] == b[j] ? 3 : -2;
  int best = h[i * w + j] + match;
  best = max(best, h[i * w + j + 1] - 1);
  best = max(best, h[(i + 1) * w + j] - 1);
  h[(i + 1) * w + j + 1] = max(best, 0);
}
