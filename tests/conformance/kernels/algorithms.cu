// Sorting, searching, graphs, strings.

__global__ void radix_pass(const unsigned* in, unsigned* out, unsigned* counts, int shift, int n) {
  __shared__ unsigned ones[256], total;
  int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  unsigned key = i < n ? in[i] : 0xffffffffu, bit = (key >> shift) & 1u;
  ones[tid] = bit;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d <<= 1) {
    unsigned t = tid >= d ? ones[tid - d] : 0u;
    __syncthreads();
    ones[tid] += t;
    __syncthreads();
  }
  if (tid == blockDim.x - 1) total = ones[tid];
  __syncthreads();
  unsigned zeros = blockDim.x - total;
  unsigned to = bit ? zeros + ones[tid] - 1 : tid - ones[tid];
  __shared__ unsigned sorted[256];
  sorted[to] = key;
  __syncthreads();
  if (i < n) out[i] = sorted[tid];
  if (tid == 0) counts[blockIdx.x] = zeros;
}

__global__ void digit_histogram(const unsigned* keys, unsigned* histograms, int n, int shift) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[(keys[i] >> shift) & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) histograms[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

__global__ void odd_even_sort(int* data, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  s[t] = data[blockIdx.x * n + t];
  __syncthreads();
  for (int phase = 0; phase < n; ++phase) {
    if (t % 2 == phase % 2 && t + 1 < n && s[t] > s[t + 1]) {
      int swap = s[t];
      s[t] = s[t + 1];
      s[t + 1] = swap;
    }
    __syncthreads();
  }
  data[blockIdx.x * n + t] = s[t];
}

__global__ void rank_sort(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float mine = in[i];
  int rank = 0;
  for (int j = 0; j < n; ++j)
    if (in[j] < mine || (in[j] == mine && j < i)) ++rank;
  out[rank] = mine;
}

__device__ void insertion(int* a, int n) {
  for (int i = 1; i < n; ++i) {
    int key = a[i], j = i - 1;
    while (j >= 0 && a[j] > key) {
      a[j + 1] = a[j];
      --j;
    }
    a[j + 1] = key;
  }
}
__global__ void insertion_sort_rows(int* rows, int n, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) insertion(rows + i * n, n);
}
__global__ void median_of_local(const int* in, int* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int window[9];
  for (int k = 0; k < 9; ++k) window[k] = in[(i + k * 7) % count];
  insertion(window, 9);
  out[i] = window[4];
}

__global__ void lower_bound(const int* sorted, int n, const int* queries, int* answers, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int q = queries[i], lo = 0, hi = n;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (sorted[mid] < q)
      lo = mid + 1;
    else
      hi = mid;
  }
  answers[i] = lo;
}

__global__ void run_heads(const int* in, int* heads, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) heads[i] = i == 0 || in[i] != in[i - 1];
}

__global__ void run_lengths(const int* in, int* lengths, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i > 0 && in[i - 1] == in[i]) {
    lengths[i] = 0;
    return;
  }
  int k = i;
  while (k < n && in[k] == in[i]) ++k;
  lengths[i] = k - i;
}

__global__ void smith_waterman(const char* a, const char* b, int* best, int n, int m) {
  __shared__ int diagonal[3][65];
  __shared__ int block_best;
  int t = threadIdx.x;
  diagonal[0][t + 1] = diagonal[1][t + 1] = diagonal[2][t + 1] = 0;
  if (t == 0) {
    diagonal[0][0] = diagonal[1][0] = diagonal[2][0] = 0;
    block_best = 0;
  }
  __syncthreads();
  const char* x = a + blockIdx.x * n;
  int mine = 0;
  for (int d = 0; d < n + m - 1; ++d) {
    int j = d - t;
    if (t < n && j >= 0 && j < m) {
      int* now = diagonal[d % 3];
      int* last = diagonal[(d + 2) % 3];
      int* before = diagonal[(d + 1) % 3];
      int score = before[t] + (x[t] == b[j] ? 2 : -1);
      score = max(score, max(last[t] - 1, last[t + 1] - 1));
      score = max(score, 0);
      now[t + 1] = score;
      mine = max(mine, score);
    }
    __syncthreads();
  }
  atomicMax(&block_best, mine);
  __syncthreads();
  if (t == 0) best[blockIdx.x] = block_best;
}

__global__ void spmv_vector(const int* rows, const int* cols, const float* values, const float* x, float* y,
                            int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= n) return;
  float sum = 0;
  for (int j = rows[row] + lane; j < rows[row + 1]; j += 32) sum += values[j] * x[cols[j]];
  for (int o = 16; o; o /= 2) sum += __shfl_down_sync(~0u, sum, o);
  if (lane == 0) y[row] = sum;
}

__global__ void spmv_scalar_double(const int* __restrict__ rows, const int* __restrict__ cols,
                                   const double* __restrict__ values, const double* __restrict__ x,
                                   double* __restrict__ y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    double dot = 0;
    int start = rows[row], end = rows[row + 1];
    for (int j = start; j < end; j++) dot += values[j] * x[cols[j]];
    y[row] += dot;
  }
}

__global__ void degree_histogram(const int* rows, int* degrees, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) atomicAdd(degrees + min(rows[v + 1] - rows[v], 15), 1);
}

__global__ void triangle_wedges(const int* rows, const int* cols, int* out, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int found = 0;
  for (int i = rows[v]; i < rows[v + 1]; ++i) {
    int u = cols[i];
    if (u <= v) continue;
    for (int j = rows[u]; j < rows[u + 1]; ++j)
      if (cols[j] == v) {
        ++found;
        break;
      }
  }
  out[v] = found;
}

__global__ void bfs_frontier(const int* rows, const int* cols, const int* frontier, int size,
                             const int* level, int* next, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  int v = frontier[i];
  for (int e = rows[v]; e < rows[v + 1]; ++e) {
    int w = cols[e];
    if (level[w] > depth) next[w] = depth;
  }
}

__device__ int find_root(const int* parent, int v) {
  while (parent[v] != v) v = parent[v];
  return v;
}
__global__ void flatten_forest(const int* parent, int* root, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) root[v] = find_root(parent, v);
}

__global__ void count_matches(const char* text, int n, const char* pattern, int m, int* counts) {
  __shared__ char p[32];
  if (threadIdx.x < m) p[threadIdx.x] = pattern[threadIdx.x];
  __syncthreads();
  int found = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + m <= n; i += gridDim.x * blockDim.x) {
    bool same = true;
    for (int k = 0; k < m && same; ++k) same = text[i + k] == p[k];
    found += same;
  }
  if (found) atomicAdd(counts, found);
}

__global__ void life_bits(const unsigned* in, unsigned* out, int words, int rows) {
  int w = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (w >= words || y >= rows) return;
  unsigned s0 = 0, s1 = 0, s2 = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    const unsigned* row = in + (y + dy + rows) % rows * words;
    unsigned c = row[w], l = c << 1 | row[(w + words - 1) % words] >> 31,
             r = c >> 1 | row[(w + 1) % words] << 31;
    unsigned add[3] = {l, r, c};
    for (int k = 0; k < (dy == 0 ? 2 : 3); ++k) {
      unsigned carry = s0 & add[k];
      s0 ^= add[k];
      unsigned carry2 = s1 & carry;
      s1 ^= carry;
      s2 |= carry2;
    }
  }
  out[y * words + w] = ~s2 & s1 & (s0 | in[y * words + w]);
}

__global__ void segmented_sum(const int* keys, const float* values, float* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i >= n) return;
  int key = keys[i];
  float v = values[i];
  for (int d = 1; d < 32; d *= 2) {
    float o = __shfl_up_sync(~0u, v, d);
    int k = __shfl_up_sync(~0u, key, d);
    if (lane >= d && k == key) v += o;
  }
  int next = __shfl_down_sync(~0u, key, 1);
  if (lane == 31 || next != key) atomicAdd(&sums[key], v);
}

__global__ void hash_lookup(const unsigned long long* table, unsigned mask, const unsigned* keys,
                            unsigned* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i], slot = key * 2654435761u >> 7 & mask, answer = 0xffffffffu;
  for (int probe = 0; probe < 16; ++probe) {
    unsigned long long entry = table[(slot + probe) & mask];
    if ((unsigned)entry == key) {
      answer = entry >> 32;
      break;
    }
    if (entry == 0) break;
  }
  values[i] = answer;
}
