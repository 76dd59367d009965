// Graphs in compressed rows.

__global__ void bfs_level(const int* row, const int* col, int* level, int* changed, int n, int current) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || level[v] % 4 != current) return;
  for (int k = row[v]; k < row[v + 1]; ++k) atomicAdd(&changed[col[k]], 1);
}

__global__ void relax_edges(const int* row, const int* col, const int* weight, const int* dist, int* next, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int d = dist[v];
  for (int k = row[v]; k < row[v + 1]; ++k) atomicMin(&next[col[k]], d + weight[k]);
}

__global__ void page_rank(const int* row, const int* col, const float* rank, float* next, int n, float damping) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float sum = 0.0f;
  for (int k = row[v]; k < row[v + 1]; ++k) {
    int u = col[k];
    sum += rank[u] / (1 + row[u + 1] - row[u]);
  }
  next[v] = (1.0f - damping) / n + damping * sum;
}

__global__ void smallest_neighbour(const int* row, const int* col, const int* label, int* out, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int best = label[v];
  for (int k = row[v]; k < row[v + 1]; ++k) {
    int l = label[col[k]];
    if (l < best) best = l;
  }
  out[v] = best;
}

// Pointer jumping: list ranking.
__global__ void list_rank(const int* next, int* out, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = i;
  for (int k = 0; k < steps; ++k) at = next[at];
  out[i] = at;
}

__global__ void hash_insert(const unsigned* keys, unsigned* table, int n, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = keys[i] | 1u;
  unsigned slot = (k * 2654435761u) & mask;
  while (true) {
    unsigned old = atomicCAS(&table[slot], 0u, k);
    if (old == 0u || old == k) return;
    slot = (slot + 1) & mask;
  }
}
