// What lectures put on slides: tiles with ragged borders, coarsening, privatised counters, warp-wide searches, queues.

#define TILE_WIDTH 16
__global__ void tiled_any_size(const float* M, const float* N, float* P, int j, int k, int l) {
  __shared__ float ds_M[TILE_WIDTH][TILE_WIDTH];
  __shared__ float ds_N[TILE_WIDTH][TILE_WIDTH];
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int row = by * TILE_WIDTH + ty, col = bx * TILE_WIDTH + tx;
  float value = 0;
  for (int p = 0; p < (k - 1) / TILE_WIDTH + 1; ++p) {
    if (row < j && p * TILE_WIDTH + tx < k)
      ds_M[ty][tx] = M[row * k + p * TILE_WIDTH + tx];
    else
      ds_M[ty][tx] = 0.0;
    if (p * TILE_WIDTH + ty < k && col < l)
      ds_N[ty][tx] = N[(p * TILE_WIDTH + ty) * l + col];
    else
      ds_N[ty][tx] = 0.0;
    __syncthreads();
    for (int i = 0; i < TILE_WIDTH; ++i) value += ds_M[ty][i] * ds_N[i][tx];
    __syncthreads();
  }
  if (row < j && col < l) P[row * l + col] = value;
}

#define COARSE 4
__global__ void coarse_sum(const float* input, float* output, int n) {
  __shared__ float input_s[128];
  unsigned segment = COARSE * 2 * blockDim.x * blockIdx.x;
  unsigned i = segment + threadIdx.x, t = threadIdx.x;
  float sum = i < n ? input[i] : 0;
  for (unsigned tile = 1; tile < COARSE * 2; ++tile)
    if (i + tile * 128 < n) sum += input[i + tile * 128];
  input_s[t] = sum;
  for (unsigned stride = blockDim.x / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    if (t < stride) input_s[t] += input_s[t + stride];
  }
  if (t == 0) atomicAdd(output, input_s[0]);
}

__global__ void text_bins(const char* data, unsigned length, unsigned* histo) {
  __shared__ unsigned histo_s[7];
  for (unsigned bin = threadIdx.x; bin < 7; bin += blockDim.x) histo_s[bin] = 0u;
  __syncthreads();
  unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = tid; i < length; i += blockDim.x * gridDim.x) {
    int position = data[i] - 'a';
    if (position >= 0 && position < 26) atomicAdd(&histo_s[position / 4], 1);
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < 7; bin += blockDim.x) {
    unsigned value = histo_s[bin];
    if (value > 0) atomicAdd(&histo[bin], value);
  }
}

__global__ void stencil_7(const float* in, float* out, int n) {
  int i = blockIdx.z * blockDim.z + threadIdx.z;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 1 && i < n - 1 && j >= 1 && j < n - 1 && k >= 1 && k < n - 1)
    out[(i * n + j) * n + k] = 0.5f * in[(i * n + j) * n + k] + 0.1f * in[(i * n + j) * n + k - 1] +
                               0.1f * in[(i * n + j) * n + k + 1] + 0.1f * in[(i * n + j - 1) * n + k] +
                               0.1f * in[(i * n + j + 1) * n + k] + 0.05f * in[((i - 1) * n + j) * n + k] +
                               0.05f * in[((i + 1) * n + j) * n + k];
}

__global__ void frontier_queue(const int* row, const int* col, int* level, const int* prev, int* next, int n_prev,
                               int* n_next, int depth) {
  __shared__ int queue_s[256];
  __shared__ int count_s;
  if (threadIdx.x == 0) count_s = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n_prev) {
    int vertex = prev[i];
    for (int e = row[vertex]; e < row[vertex + 1]; ++e) {
      int neighbour = col[e];
      if (atomicCAS(&level[neighbour], -1, depth) == -1) {
        int at = atomicAdd(&count_s, 1);
        if (at < 256)
          queue_s[at] = neighbour;
        else
          count_s = 256;
      }
    }
  }
  __syncthreads();
  __shared__ int start;
  if (threadIdx.x == 0) start = atomicAdd(n_next, count_s);
  __syncthreads();
  for (int k = threadIdx.x; k < count_s; k += blockDim.x) next[start + k] = queue_s[k];
}

__global__ void coulomb_slice(float* grid, int nx, int ny, float spacing, float z, const float4* atoms, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  float x = spacing * i, y = spacing * j, energy = 0;
  for (int n = 0; n < count; ++n) {
    float dx = x - atoms[n].x, dy = y - atoms[n].y, dz = z - atoms[n].z;
    energy += atoms[n].w * rsqrtf(dx * dx + dy * dy + dz * dz + 0.1f);
  }
  grid[j * nx + i] += energy;
}

__global__ void gray_to_edges(const unsigned char* in, unsigned char* out, int w, int h, int threshold) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r > 0 && c > 0 && r < h - 1 && c < w - 1) {
    int gx = in[(r - 1) * w + c + 1] + 2 * in[r * w + c + 1] + in[(r + 1) * w + c + 1] - in[(r - 1) * w + c - 1] -
             2 * in[r * w + c - 1] - in[(r + 1) * w + c - 1];
    int gy = in[(r + 1) * w + c - 1] + 2 * in[(r + 1) * w + c] + in[(r + 1) * w + c + 1] -
             in[(r - 1) * w + c - 1] - 2 * in[(r - 1) * w + c] - in[(r - 1) * w + c + 1];
    out[r * w + c] = abs(gx) + abs(gy) > threshold ? 255 : 0;
  } else if (r < h && c < w) {
    out[r * w + c] = 0;
  }
}

__global__ void warp_find_max(const float* data, int* where, int n) {
  int lane = threadIdx.x & 31, row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  float best = -1e30f;
  int at = -1;
  for (int i = lane; i < n; i += 32) {
    float v = data[row * n + i];
    if (v > best) {
      best = v;
      at = i;
    }
  }
  for (int d = 16; d > 0; d >>= 1) {
    float other = __shfl_down_sync(0xffffffff, best, d);
    int index = __shfl_down_sync(0xffffffff, at, d);
    if (other > best || (other == best && index < at)) {
      best = other;
      at = index;
    }
  }
  if (lane == 0) where[row] = at;
}

__global__ void collide_spheres(const float4* s, int* hits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 a = s[i];
  int count = 0;
  for (int j = 0; j < n; ++j) {
    if (j == i) continue;
    float4 b = s[j];
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, r = 0.2f * (fabsf(a.w) + fabsf(b.w));
    if (dx * dx + dy * dy + dz * dz < r * r) ++count;
  }
  hits[i] = count;
}

__global__ void money_change(const int* amount, int* coins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int values[6] = {50, 20, 10, 5, 2, 1};
  int left = amount[i], used = 0;
  for (int k = 0; k < 6; ++k)
    while (left >= values[k]) {
      left -= values[k];
      ++used;
    }
  coins[i] = used;
}

__global__ void clamp_and_scale(float* x, int n, float lo, float hi) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    if (v < lo)
      v = lo;
    else if (v > hi)
      v = hi;
    x[i] = (v - lo) / (hi - lo);
  }
}

__global__ void fibonacci_pairs(const unsigned* n, unsigned long long* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    unsigned long long a = 0, b = 1;
    for (unsigned k = 0; k < n[i]; ++k) {
      unsigned long long t = a + b;
      a = b;
      b = t;
    }
    out[i] = a;
  }
}

__global__ void pascal_rows(int* rows, int size) {
  extern __shared__ int line[];
  int t = threadIdx.x;
  line[t] = t == 0;
  __syncthreads();
  for (int r = 0; r < size; ++r) {
    if (t <= r) rows[r * size + t] = line[t];
    int left = t > 0 ? line[t - 1] : 0;
    __syncthreads();
    line[t] += left;
    __syncthreads();
  }
}

struct Particle {
  float3 position, velocity;
  int alive;
};
__global__ void step_particles(Particle* p, int n, float dt) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    if (!p[i].alive) continue;
    p[i].velocity.y -= 9.81f * dt;
    p[i].position.x += p[i].velocity.x * dt;
    p[i].position.y += p[i].velocity.y * dt;
    p[i].position.z += p[i].velocity.z * dt;
    if (p[i].position.y < 0) {
      p[i].position.y = -p[i].position.y;
      p[i].velocity.y *= -0.5f;
    }
  }
}
