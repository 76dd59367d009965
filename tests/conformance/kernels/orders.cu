// Sorting, searching, sparse products, graphs.

__global__ void odd_even_block(int* data, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  if (t < n) s[t] = data[blockIdx.x * n + t];
  __syncthreads();
  for (int phase = 0; phase < n; ++phase) {
    int left = 2 * t + (phase & 1);
    if (left + 1 < n && s[left] > s[left + 1]) {
      int hold = s[left];
      s[left] = s[left + 1];
      s[left + 1] = hold;
    }
    __syncthreads();
  }
  if (t < n) data[blockIdx.x * n + t] = s[t];
}
__global__ void bitonic_keys_values(unsigned* keys, unsigned* values, int n) {
  extern __shared__ unsigned pairs[];
  unsigned *k = pairs, *v = pairs + n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) k[i] = keys[i], v[i] = values[i];
  for (int size = 2; size <= n; size <<= 1)
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      __syncthreads();
      for (int t = threadIdx.x; t < n / 2; t += blockDim.x) {
        int pos = 2 * t - (t & (stride - 1));
        bool ascending = (t & (size >> 1)) == 0;
        if ((k[pos] > k[pos + stride]) == ascending) {
          unsigned a = k[pos], b = v[pos];
          k[pos] = k[pos + stride];
          v[pos] = v[pos + stride];
          k[pos + stride] = a;
          v[pos + stride] = b;
        }
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) keys[i] = k[i], values[i] = v[i];
}
__global__ void merge_pass(const int* in, int* out, int width, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, start = i * 2 * width;
  if (start >= n) return;
  int mid = min(start + width, n), end = min(start + 2 * width, n), a = start, b = mid;
  for (int k = start; k < end; ++k)
    if (a < mid && (b >= end || in[a] <= in[b]))
      out[k] = in[a++];
    else
      out[k] = in[b++];
}
__global__ void radix_sort_block(unsigned* data, int bits) {
  __shared__ unsigned keys[128], zeros_before[128];
  int t = threadIdx.x;
  unsigned mine = data[blockIdx.x * 128 + t];
  for (int b = 0; b < bits; ++b) {
    unsigned zero = (mine >> b & 1) == 0;
    zeros_before[t] = zero;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
      unsigned add = t >= d ? zeros_before[t - d] : 0;
      __syncthreads();
      zeros_before[t] += add;
      __syncthreads();
    }
    unsigned total = zeros_before[127];
    unsigned place = zero ? zeros_before[t] - 1 : total + t - zeros_before[t];
    keys[place] = mine;
    __syncthreads();
    mine = keys[t];
    __syncthreads();
  }
  data[blockIdx.x * 128 + t] = mine;
}
__global__ void counting_ranks(const unsigned char* keys, int* ranks, int n) {
  __shared__ int count[16], start[16];
  int t = threadIdx.x;
  if (t < 16) count[t] = 0;
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) atomicAdd(&count[keys[i] & 15], 1);
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int k = 0; k < 16; ++k) start[k] = sum, sum += count[k];
  }
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) ranks[i] = start[keys[i] & 15];
}
__global__ void shell_sort_each(float* rows, int n, int count) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  float* a = rows + r * n;
  for (int gap = n / 2; gap > 0; gap /= 2)
    for (int i = gap; i < n; ++i) {
      float v = a[i];
      int j = i;
      while (j >= gap && a[j - gap] > v) {
        a[j] = a[j - gap];
        j -= gap;
      }
      a[j] = v;
    }
}
__global__ void find_all(const char* text, int n, const char* pattern, int m, int* found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - m) return;
  bool same = true;
  for (int k = 0; k < m && same; ++k) same = text[i + k] == pattern[k];
  found[i] = same;
}
__global__ void kmp_chunks(const unsigned char* text, int n, const unsigned char* pattern, const int* fail, int m, int chunk,
                           int* counts) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int from = t * chunk, to = min(from + chunk + m - 1, n), k = 0, hits = 0;
  if (from >= n) return;
  for (int i = from; i < to; ++i) {
    while (k > 0 && pattern[k] != text[i]) k = fail[k - 1];
    if (pattern[k] == text[i]) ++k;
    if (k == m) {
      ++hits;
      k = fail[k - 1];
    }
  }
  counts[t] = hits;
}
__global__ void search_sorted(const float* table, int n, const float* queries, int* out, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float q = queries[i];
  int lo = 0, hi = n - 1, at = -1;
  while (lo <= hi) {
    int mid = lo + (hi - lo) / 2;
    float v = table[mid];
    if (v == q) {
      at = mid;
      break;
    }
    if (v < q)
      lo = mid + 1;
    else
      hi = mid - 1;
  }
  out[i] = at >= 0 ? at : ~lo;
}

// Sparse.
__global__ void csr_one_row(const int* ptr, const int* col, const double* val, const double* x, double* y, int n, double alpha,
                            double beta) {
  int r = blockDim.x * blockIdx.x + threadIdx.x;
  if (r < n) {
    double dot = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; j++) dot += val[j] * x[col[j]];
    y[r] = alpha * dot + beta * y[r];
  }
}
__global__ void csr_block_row(const int* ptr, const int* col, const float* val, const float* x, float* y) {
  __shared__ float s[64];
  int r = blockIdx.x;
  float sum = 0;
  for (int j = ptr[r] + threadIdx.x; j < ptr[r + 1]; j += blockDim.x) sum = fmaf(val[j], x[col[j]], sum);
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int k = 32; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[r] = s[0];
}
__global__ void ell_product(const int* cols, const float* vals, const float* x, float* y, int rows, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int k = 0; k < width; ++k) {
    int c = cols[k * rows + r];
    if (c >= 0) sum += vals[k * rows + r] * x[c];
  }
  y[r] = sum;
}
__global__ void coo_product(const int* row, const int* col, const float* val, const float* x, float* y, int nnz) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nnz; i += blockDim.x * gridDim.x)
    atomicAdd(y + row[i], val[i] * x[col[i]]);
}
template <int B>
__global__ void bsr_product(const int* ptr, const int* col, const float* val, const float* x, float* y, int block_rows) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, br = t / B, r = t % B;
  if (br >= block_rows) return;
  float sum = 0;
  for (int j = ptr[br]; j < ptr[br + 1]; ++j)
    for (int k = 0; k < B; ++k) sum += val[(j * B + r) * B + k] * x[(col[j] & 255) * B + k];
  y[br * B + r] = sum;
}
template __global__ void bsr_product<3>(const int*, const int*, const float*, const float*, float*, int);
template __global__ void bsr_product<4>(const int*, const int*, const float*, const float*, float*, int);
__global__ void csr_to_dense(const int* ptr, const int* col, const float* val, float* dense, int rows, int cols) {
  int r = blockIdx.x * blockDim.y + threadIdx.y;
  if (r >= rows) return;
  for (int j = ptr[r] + threadIdx.x; j < ptr[r + 1]; j += blockDim.x)
    if (col[j] < cols) atomicExch(&dense[r * cols + col[j]], 1.f);
}

// Graphs.
__global__ void bfs_topdown(const int* ptr, const int* col, int* level, int depth, int* changed, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n && level[v] == depth) {
    for (int e = ptr[v]; e < ptr[v + 1]; ++e) {
      int w = col[e];
      if (level[w] < 0) {
        level[w] = depth + 1;
        *changed = 1;
      }
    }
  }
}
__global__ void bfs_bottomup(const int* ptr, const int* col, const int* level, int* next, int depth, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int mine = level[v];
  if (mine < 0) {
    for (int e = ptr[v]; e < ptr[v + 1]; ++e)
      if (level[col[e]] == depth) {
        mine = depth + 1;
        break;
      }
  }
  next[v] = mine;
}
__global__ void pagerank_push(const int* ptr, const int* col, const float* rank, float* next, int n, float damping) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int degree = ptr[v + 1] - ptr[v];
  if (degree == 0) return;
  float share = damping * rank[v] / degree;
  for (int e = ptr[v]; e < ptr[v + 1]; ++e) atomicAdd(&next[col[e]], share);
}
__global__ void find_roots(const int* parent, int* root, int* steps, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int r = v, k = 0;
  while (r != parent[r]) {
    r = parent[r];
    ++k;
  }
  root[v] = r;
  steps[v] = k;
}
__global__ void sssp_relax(const int* ptr, const int* col, const int* weight, const int* dist, int* next, int n) {
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
    int d = dist[v];
    if (d == 0x7fffffff) continue;
    for (int e = ptr[v]; e < ptr[v + 1]; ++e) atomicMin(&next[col[e]], d + (weight[e] & 15) + 1);
  }
}
__global__ void count_triangles(const int* ptr, const int* col, unsigned long long* total, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  unsigned count = 0;
  for (int a = ptr[v]; a < ptr[v + 1]; ++a) {
    int w = col[a];
    if (w <= v) continue;
    int i = ptr[v], j = ptr[w];
    while (i < ptr[v + 1] && j < ptr[w + 1]) {
      int x = col[i], y = col[j];
      if (x == y) ++count, ++i, ++j;
      else if (x < y) ++i;
      else ++j;
    }
  }
  if (count) atomicAdd(total, (unsigned long long)count);
}
__global__ void colour_step(const int* ptr, const int* col, const int* priority, const int* colour, int* next, int now, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int c = colour[v];
  if (c == -1) {
    bool highest = true;
    for (int e = ptr[v]; e < ptr[v + 1]; ++e) {
      int w = col[e];
      if (w == v || colour[w] != -1) continue;
      if (priority[w] >= priority[v]) {
        highest = false;
        break;
      }
    }
    if (highest) c = now;
  }
  next[v] = c;
}
