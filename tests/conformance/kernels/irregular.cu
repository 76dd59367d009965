// Sparse matrices, graphs, text, bits and hash tables.

// ELL in column order with rows that end at -1.
__global__ void ell_ended(const int* columns, const float* values, const float* x, float* y, int rows,
                          int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int k = 0; k < width; ++k) {
    int c = columns[k * rows + r] - 8;
    if (c < 0) break;
    sum += values[k * rows + r] * x[c];
  }
  y[r] = sum;
}

__global__ void csr_rows_in_block(const int* row, const int* col, const double* val, const double* x,
                                  double* y, int rows) {
  extern __shared__ double products[];
  int r0 = blockIdx.x * 16, r1 = min(rows, r0 + 16);
  int first = row[r0], last = row[r1];
  for (int k = first + threadIdx.x; k < last; k += blockDim.x) products[k - first] = val[k] * x[col[k]];
  __syncthreads();
  if (r0 + threadIdx.x < r1 && threadIdx.x < 16) {
    double sum = 0;
    for (int k = row[r0 + threadIdx.x]; k < row[r0 + threadIdx.x + 1]; ++k) sum += products[k - first];
    y[r0 + threadIdx.x] = sum;
  }
}

__global__ void bsr_3x3(const int* row, const int* col, const float* blocks, const float* x, float* y,
                        int block_rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= block_rows * 3) return;
  int br = r / 3, inner = r % 3;
  float sum = 0;
  for (int k = row[br]; k < row[br + 1]; ++k)
#pragma unroll
    for (int j = 0; j < 3; ++j) sum += blocks[k * 9 + inner * 3 + j] * x[col[k] * 3 + j];
  y[r] = sum;
}

// Columns are scattered; whole numbers, so that the order of the sums does not matter.
__global__ void csc_scatter(const int* start, const int* rows, const int* values, const int* x, int* y,
                            int columns) {
  int c = blockIdx.x * blockDim.y + threadIdx.y;
  if (c >= columns) return;
  for (int k = start[c] + threadIdx.x; k < start[c + 1]; k += blockDim.x)
    atomicAdd(&y[rows[k]], values[k] * x[c]);
}

__global__ void coo_entry(const int* keys, const int* cols, const int* values, int* y, int n) {
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += blockDim.x * gridDim.x)
    if (values[k] & 1) atomicAdd(y + keys[k], values[k] % 1000 * cols[k]);
}

__global__ void bfs_push(const int* row, const int* col, const int* level, unsigned* frontier, int depth,
                         int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || level[v] != depth) return;
  for (int e = row[v]; e < row[v + 1]; ++e) {
    int u = col[e];
    if (level[u] > depth) atomicOr(&frontier[u / 32], 1u << (u % 32));
  }
}

__global__ void relax_min(const int* row, const int* col, const int* weight, const int* distance, int* next,
                          int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) {
    int d = distance[v];
    if (d < 800)
      for (int e = row[v]; e < row[v + 1]; e++) atomicMin(&next[col[e]], d + weight[e]);
  }
}

__global__ void triangles_by_bits(const unsigned* adjacency, int* count, int n, int words) {
  int u = blockIdx.x, total = 0;
  for (int v = threadIdx.x; v < n; v += blockDim.x) {
    if (!(adjacency[u * words + v / 32] >> (v % 32) & 1)) continue;
    for (int w = 0; w < words; ++w) total += __popc(adjacency[u * words + w] & adjacency[v * words + w]);
  }
  total = __reduce_add_sync(~0u, total);
  if (threadIdx.x % 32 == 0 && total) atomicAdd(&count[u], total);
}

__global__ void core_peel(const int* row, const int* col, const int* alive, int* removed, int k, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  if (alive[v] == 0) return;
  int degree = 0;
  for (int e = row[v]; e < row[v + 1] && degree < k; ++e) degree += alive[col[e]] != 0;
  removed[v] = degree < k;
}

__global__ void independent_set(const int* row, const int* col, const unsigned* priority,
                                unsigned char* chosen, int n) {
  int v = blockIdx.x * (blockDim.x / 8) + threadIdx.x / 8, lane = threadIdx.x % 8;
  bool best = true;
  if (v < n)
    for (int e = row[v] + lane; e < row[v + 1]; e += 8) {
      int u = col[e];
      if (u != v && priority[u] > priority[v]) {
        best = false;
        break;
      }
    }
  unsigned votes = __ballot_sync(~0u, best);
  if (lane == 0 && v < n) chosen[v] = (votes >> (threadIdx.x % 32) & 0xff) == 0xff;
}

__global__ void hook_roots(const int* a, const int* b, int* parent, int edges) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  int u = a[e], v = b[e];
  if (u != v) atomicMin(&parent[max(u, v)], min(u, v));
}

__global__ void jump_pointers(const int* parent, int* root, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int p = v;
  while (parent[p] < p) p = parent[p];
  root[v] = p;
}

__constant__ unsigned crc_nibbles[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

__global__ void crc_by_nibbles(const unsigned char* text, unsigned* crc, int lines, int length) {
  int l = blockIdx.x * blockDim.x + threadIdx.x;
  if (l >= lines) return;
  unsigned c = 0xffffffffu;
  for (int i = 0; i < length; ++i) {
    c ^= text[l * length + i];
    c = c >> 4 ^ crc_nibbles[c & 15];
    c = c >> 4 ^ crc_nibbles[c & 15];
  }
  crc[l] = ~c;
}

__global__ void adler_rows(const unsigned char* text, unsigned* sum, int lines, int length) {
  int l = blockIdx.x * blockDim.x + threadIdx.x;
  if (l >= lines) return;
  unsigned a = 1, b = 0;
  const unsigned char* p = text + l * length;
  for (const unsigned char* end = p + length; p != end; ++p) {
    a = (a + *p) % 65521;
    b = (b + a) % 65521;
  }
  sum[l] = b << 16 | a;
}

__device__ int base64_value(unsigned char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

__global__ void base64_decode(const uchar4* in, unsigned char* out, int groups) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  uchar4 c = in[g];
  int a = base64_value(c.x & 127), b = base64_value(c.y & 127), d = base64_value(c.z & 127),
      e = base64_value(c.w & 127);
  if (a < 0 || b < 0) return;
  out[3 * g] = (unsigned char)(a << 2 | b >> 4);
  if (d < 0) return;
  out[3 * g + 1] = (unsigned char)(b << 4 | d >> 2);
  if (e >= 0) out[3 * g + 2] = (unsigned char)(d << 6 | e);
}

__global__ void utf8_length(const unsigned char* text, int* lengths, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned char c = text[i];
  int need;
  if (c < 0x80)
    need = 1;
  else if (c < 0xc0)
    need = 0;
  else if (c < 0xe0)
    need = 2;
  else if (c < 0xf0)
    need = 3;
  else
    need = c < 0xf8 ? 4 : -1;
  for (int k = 1; k < need; ++k)
    if (i + k >= n || (text[i + k] & 0xc0) != 0x80) {
      need = -k;
      break;
    }
  lengths[i] = need;
}

__global__ void expand_runs(const int* starts, const unsigned char* letter, unsigned char* out, int runs,
                            int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int lo = 0, hi = runs - 1;
  while (lo < hi) {
    int mid = (lo + hi + 1) / 2;
    if (starts[mid] * 5 <= i)
      lo = mid;
    else
      hi = mid - 1;
  }
  out[i] = letter[lo];
}

// Bit-parallel edit distance of a pattern of at most 32 letters to one word a thread.
__global__ void myers_distance(const unsigned char* words, const unsigned char* pattern, int* distance, int n,
                               int length, int m) {
  __shared__ unsigned mask[32];
  if (threadIdx.x < 32) {
    unsigned bits = 0;
    for (int i = 0; i < m; ++i)
      if ((pattern[i] & 31) == threadIdx.x) bits |= 1u << i;
    mask[threadIdx.x] = bits;
  }
  __syncthreads();
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= n) return;
  unsigned pv = ~0u, mv = 0, top = 1u << (m - 1);
  int score = m;
  for (int i = 0; i < length; ++i) {
    unsigned eq = mask[words[w * length + i] & 31];
    unsigned xv = eq | mv, xh = (((eq & pv) + pv) ^ pv) | eq;
    unsigned ph = mv | ~(xh | pv), mh = pv & xh;
    if (ph & top) score++;
    if (mh & top) score--;
    ph = ph << 1 | 1;
    pv = mh << 1 | ~(xv | ph);
    mv = ph & xv;
  }
  distance[w] = score;
}

__global__ void varint_lengths(const unsigned long long* values, unsigned char* bytes, int* lengths, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = values[i];
  int k = 0;
  while (v >= 128) {
    bytes[i * 10 + k++] = (unsigned char)(v | 128);
    v >>= 7;
  }
  bytes[i * 10 + k++] = (unsigned char)v;
  lengths[i] = k;
}

__global__ void palindromes(const signed char* text, int* longest, int n) {
  extern __shared__ signed char letters[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) letters[i] = text[i] & 3;
  __syncthreads();
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= n) return;
  int l = c - 1, r = c + 1;
  while (l >= 0 && r < n && letters[l] == letters[r]) {
    --l;
    ++r;
  }
  longest[c] = r - l - 1;
}

__global__ void letter_counts(const unsigned char* text, int* counts, int n) {
  __shared__ int bins[26];
  if (threadIdx.x < 26) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    unsigned char c = text[i] & 0x5f;
    if (c >= 'A' && c <= 'Z') atomicAdd(&bins[c - 'A'], 1);
  }
  __syncthreads();
  if (threadIdx.x < 26 && bins[threadIdx.x] > 0) atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

__global__ void bloom_query(const unsigned* filter, const unsigned* keys, unsigned char* maybe, int n,
                            unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h1 = keys[i] * 0x85ebca6bu, h2 = (h1 ^ h1 >> 15) | 1;
  bool in = true;
  for (int k = 0; k < 4 && in; ++k) {
    unsigned bit = (h1 + k * h2) & mask;
    in = filter[bit >> 5] >> (bit & 31) & 1;
  }
  maybe[i] = in;
}

__device__ unsigned squeeze(unsigned v) {
  v &= 0x09249249;
  v = (v ^ v >> 2) & 0x030c30c3;
  v = (v ^ v >> 4) & 0x0300f00f;
  v = (v ^ v >> 8) & 0xff0000ff;
  return (v ^ v >> 16) & 0x3ff;
}

__global__ void morton_decode(const unsigned* codes, ushort4* cells, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned c = codes[i];
    cells[i] = make_ushort4(squeeze(c), squeeze(c >> 1), squeeze(c >> 2), __clz(c));
  }
}

__global__ void hilbert_index(const unsigned short* x, const unsigned short* y, unsigned* d, int n,
                              int order) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned px = x[i] & ((1 << order) - 1), py = y[i] & ((1 << order) - 1), sum = 0;
  for (unsigned s = 1u << (order - 1); s > 0; s >>= 1) {
    unsigned rx = (px & s) > 0, ry = (py & s) > 0;
    sum += s * s * ((3 * rx) ^ ry);
    if (ry == 0) {
      if (rx == 1) {
        px = (1u << order) - 1 - px;
        py = (1u << order) - 1 - py;
      }
      unsigned t = px;
      px = py;
      py = t;
    }
  }
  d[i] = sum;
}

__global__ void bit_matrix_turn(const unsigned* in, unsigned* out) {
  unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x], mine = 0;
#pragma unroll
  for (int b = 0; b < 32; ++b) {
    unsigned row = __ballot_sync(~0u, v >> b & 1);
    if (threadIdx.x % 32 == b) mine = row;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

__global__ void hamming_pairs(const unsigned long long* codes, unsigned char* distance, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) distance[i * n + j] = (unsigned char)__popcll(codes[i] ^ codes[j]);
}

// A table a block; equal keys find the same slot whoever comes first.
__global__ void distinct_in_block(const int* keys, int* distinct, int n) {
  __shared__ int table[128];
  __shared__ int found;
  for (int s = threadIdx.x; s < 128; s += blockDim.x) table[s] = -1;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int key = keys[i];
    unsigned slot = (unsigned)key * 2654435761u >> 25;
    while (true) {
      int old = atomicCAS(&table[slot], -1, key);
      if (old == -1) atomicAdd(&found, 1);
      if (old == -1 || old == key) break;
      slot = (slot + 1) & 127;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) distinct[blockIdx.x] = found;
}

__global__ void push_nodes(const int* values, int* next, int* heads, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  next[i] = atomicExch(&heads[values[i] & 15], i + 1);
}
