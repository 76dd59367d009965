// Dynamic programming, graphs, sorting, hashing.

// Longest common subsequence along anti-diagonals, one block a pair.
__global__ void lcs_block(const char* a, const char* b, int* lengths, int n) {
  __shared__ int rows[3][65];
  __shared__ char sa[64], sb[64];
  const int t = threadIdx.x;
  if (t < n) {
    sa[t] = a[blockIdx.x * n + t] & 3;
    sb[t] = b[blockIdx.x * n + t] & 3;
  }
  for (int k = t; k < 3 * 65; k += blockDim.x) rows[k / 65][k % 65] = 0;
  __syncthreads();
  for (int d = 2; d <= 2 * n; ++d) {
    int *now = rows[d % 3], *one = rows[(d + 2) % 3], *two = rows[(d + 1) % 3];
    const int i = t + 1, j = d - i;
    if (i <= n && j >= 1 && j <= n)
      now[i] = sa[i - 1] == sb[j - 1] ? two[i - 1] + 1 : max(one[i - 1], one[i]);
    else if (i <= n && j == 0)
      now[i] = 0;
    __syncthreads();
  }
  if (t == 0) lengths[blockIdx.x] = rows[(2 * n) % 3][n];
}
// Edit distance, one thread a pair, one row in local memory.
__global__ void edit_distance_each(const char* words, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char *a = words + i * 16, *b = words + (i + 1) * 16;
  int row[17];
  for (int j = 0; j <= 16; ++j) row[j] = j;
  for (int r = 1; r <= 16; ++r) {
    int diagonal = row[0];
    row[0] = r;
    for (int j = 1; j <= 16; ++j) {
      const int keep = row[j];
      const int change = diagonal + ((a[r - 1] ^ b[j - 1]) & 7 ? 1 : 0);
      row[j] = min(change, min(row[j], row[j - 1]) + 1);
      diagonal = keep;
    }
  }
  out[i] = row[16];
}
__global__ void knapsack_all(const int* weight, const int* value, int items, int* table, int capacity) {
  extern __shared__ int best[];
  for (int c = threadIdx.x; c <= capacity; c += blockDim.x) best[c] = 0;
  __syncthreads();
  for (int k = 0; k < items; ++k) {
    const int w = weight[k], v = value[k];
    int chosen[2];
    int count = 0;
    for (int c = threadIdx.x; c <= capacity && count < 2; c += blockDim.x, ++count)
      chosen[count] = c >= w ? max(best[c], best[c - w] + v) : best[c];
    __syncthreads();
    count = 0;
    for (int c = threadIdx.x; c <= capacity && count < 2; c += blockDim.x, ++count) best[c] = chosen[count];
    __syncthreads();
  }
  for (int c = threadIdx.x; c <= capacity; c += blockDim.x) table[c] = best[c];
}
__global__ void viterbi_step(const float* before, const float* transition, const float* emission, float* now, int* from, int states) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= states) return;
  float best = -1e30f;
  int who = 0;
  for (int p = 0; p < states; ++p) {
    const float v = before[p] + transition[p * states + s];
    if (v > best) {
      best = v;
      who = p;
    }
  }
  now[s] = best + emission[s];
  from[s] = who;
}

// Graphs: compressed rows of 1024 vertices.
__global__ void bfs_warp_each(const int* row, const int* col, int* level, int* changed, int n, int now) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (v >= n || level[v] % 4 != now) return;
  for (int e = row[v] + lane; e < row[v + 1]; e += 32) {
    const int u = col[e];
    if (level[u] % 4 == 3) *changed = 1;
  }
}
__global__ void bfs_queue(const int* row, const int* col, const int* frontier, int size, int* visited, int* next, int* next_size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const int v = frontier[i];
  for (int e = row[v]; e < row[v + 1]; ++e) {
    const int u = col[e];
    if (atomicExch(&visited[u], 1) == 0) next[atomicAdd(next_size, 1)] = u;
  }
}
__global__ void page_rank_pull(const int* row, const int* col, const float* rank, const int* degree, float* out, int n, float damping) {
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
    float sum = 0.f;
    const int end = row[v + 1];
    for (int e = row[v]; e < end; ++e) {
      const int u = col[e];
      sum += __fdividef(rank[u], (float)(degree[u] + 1));
    }
    out[v] = (1.f - damping) / n + damping * sum;
  }
}
__device__ int find_root(const int* parent, int v) {
  while (parent[v] < v) v = parent[v];
  return v;
}
__global__ void union_roots(const int* parent, const int2* edges, int* smaller, int m) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= m) return;
  const int a = find_root(parent, edges[e].x & 255), b = find_root(parent, edges[e].y & 255);
  smaller[e] = a == b ? -1 : min(a, b);
}
__global__ void colour_greedy(const int* row, const int* col, const int* colours, int* out, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  unsigned used = 0;
  for (int e = row[v]; e < row[v + 1]; e++)
    if (col[e] != v) used |= 1u << (colours[col[e]] & 31);
  out[v] = __ffs(~used) - 1;
}
__global__ void triangles_merge(const int* row, const int* col, int* out, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int count = 0;
  for (int e = row[v]; e < row[v + 1]; ++e) {
    int i = row[v], j = row[col[e]];
    const int ie = row[v + 1], je = row[col[e] + 1];
    while (i < ie && j < je) {
      const int x = col[i], y = col[j];
      if (x == y) {
        ++count;
        ++i;
        ++j;
      } else if (x < y) {
        ++i;
      } else {
        ++j;
      }
    }
  }
  out[v] = count;
}

// Sorting.
__global__ void bitonic_block(int* data, int up) {
  __shared__ int s[256];
  const int t = threadIdx.x, base = blockIdx.x * 256;
  s[t] = data[base + t];
  s[t + 128] = data[base + t + 128];
  for (int size = 2; size <= 256; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int at = 2 * t - (t & (stride - 1));
      const bool ascending = ((2 * t & size) == 0) == (up != 0);
      const int a = s[at], b = s[at + stride];
      if ((a > b) == ascending) {
        s[at] = b;
        s[at + stride] = a;
      }
    }
  __syncthreads();
  data[base + t] = s[t];
  data[base + t + 128] = s[t + 128];
}
__global__ void odd_even_rows(float* data, int cols) {
  extern __shared__ float row[];
  const int t = threadIdx.x;
  if (t < cols) row[t] = data[blockIdx.x * cols + t];
  __syncthreads();
  for (int phase = 0; phase < cols; ++phase) {
    if (t + 1 < cols && (t & 1) == (phase & 1) && row[t] > row[t + 1]) {
      const float hold = row[t];
      row[t] = row[t + 1];
      row[t + 1] = hold;
    }
    __syncthreads();
  }
  if (t < cols) data[blockIdx.x * cols + t] = row[t];
}
__global__ void counting_sort_rows(const unsigned char* in, unsigned char* out, int cols) {
  __shared__ int count[16], start[16];
  const unsigned char* row = in + blockIdx.x * cols;
  const int t = threadIdx.x;
  if (t < 16) count[t] = 0;
  __syncthreads();
  for (int i = t; i < cols; i += blockDim.x) atomicAdd(&count[row[i] & 15], 1);
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int k = 0; k < 16; ++k) {
      start[k] = sum;
      sum += count[k];
    }
  }
  __syncthreads();
  if (t < 16)
    for (int k = 0; k < count[t]; ++k) out[blockIdx.x * cols + start[t] + k] = t;
}
__global__ void heap_sort_each(int* data, int n, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int* a = data + i * cols;
  for (int start = cols / 2 - 1; start >= 0; --start) {
    int root = start;
    while (2 * root + 1 < cols) {
      int child = 2 * root + 1;
      if (child + 1 < cols && a[child] < a[child + 1]) ++child;
      if (a[root] >= a[child]) break;
      const int t = a[root];
      a[root] = a[child];
      a[child] = t;
      root = child;
    }
  }
  for (int end = cols - 1; end > 0; --end) {
    const int top = a[0];
    a[0] = a[end];
    a[end] = top;
    int root = 0;
    while (true) {
      int child = 2 * root + 1;
      if (child >= end) break;
      if (child + 1 < end && a[child] < a[child + 1]) child++;
      if (a[root] >= a[child]) break;
      const int t = a[root];
      a[root] = a[child];
      a[child] = t;
      root = child;
    }
  }
}
__global__ void merge_ranks(const float* a, int na, const float* b, int nb, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < na) {
    const float v = a[i];
    int lo = 0, hi = nb;
    while (lo < hi) {
      int mid = (lo + hi) / 2;
      if (b[mid] < v) lo = mid + 1; else hi = mid;
    }
    out[i + lo] = v;
  } else if (i < na + nb) {
    const float v = b[i - na];
    int lo = 0, hi = na;
    while (lo < hi) {
      int mid = (lo + hi) / 2;
      if (a[mid] <= v) lo = mid + 1; else hi = mid;
    }
    out[i - na + lo] = v;
  }
}

// Hash tables.
__global__ void cuckoo_lookup(const unsigned* slots, const unsigned* keys, int* found, int n, unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned k = keys[i];
  int place = -1;
  if (slots[(k * 2654435761u >> 7) & mask] == k)
    place = 0;
  else if (slots[((k ^ k >> 15) * 2246822519u >> 5) & mask] == k)
    place = 1;
  else if (slots[(k * 3266489917u >> 11) & mask] == k)
    place = 2;
  found[i] = place;
}
__global__ void bloom_insert(unsigned* bits, const unsigned* keys, int n, unsigned mask) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned h = keys[i];
    for (int k = 0; k < 3; ++k) {
      h = h * 1664525u + 1013904223u;
      const unsigned bit = h >> 8 & mask;
      atomicOr(&bits[bit >> 5], 1u << (bit & 31));
    }
  }
}
__global__ void linked_list_walk(const int* next, const float* value, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0;
    int at = i, guard = 0;
    do {
      sum += value[at];
      at = next[at];
    } while (at % 7 != 0 && ++guard < 40);
    out[i] = sum;
  }
}
__global__ void priority_top(const int* keys, int* out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int heap[8];
  for (int k = 0; k < 8; ++k) heap[k] = -1;
  for (int i = t; i < n; i += gridDim.x * blockDim.x) {
    const int v = keys[i];
    if (v <= heap[0]) continue;
    heap[0] = v;
    int root = 0;
    while (2 * root + 1 < 8) {
      int child = 2 * root + 1;
      if (child + 1 < 8 && heap[child + 1] < heap[child]) ++child;
      if (heap[root] <= heap[child]) break;
      const int hold = heap[root];
      heap[root] = heap[child];
      heap[child] = hold;
      root = child;
    }
  }
  for (int k = 0; k < 8; ++k) out[t * 8 + k] = heap[k];
}
