// Loops that a part of a warp runs: bodies behind a condition, appends by one lane for its warp, partitions,
// filters along a line, lanes that wait.
#include <cooperative_groups.h>

__global__ void count_above_each(const float* x, const float* limits, int* out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int count = 0;
  for (int j = 0; j < m; ++j)
    if (x[j] > limits[i]) ++count;
  out[i] = count;
}

__global__ void sum_where_flagged(const int* flag, const float* x, float* out, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int j = 0; j < columns; ++j)
    if (flag[j * rows + row]) sum += x[j * rows + row];
  out[row] = sum;
}

__global__ void sparse_update(const int* flag, float* x, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int j = 0; j < columns; ++j)
    if (flag[j * rows + row] == 0) {
      float v = x[j * rows + row];
      x[j * rows + row] = v * v + 0.5f * v - x[row];
    }
}

// One lane takes places for all lanes that want one.
__device__ int append_place(int* counter) {
  unsigned mask = __activemask();
  int lane = threadIdx.x & 31, leader = __ffs(mask) - 1, base = 0;
  if (lane == leader) base = atomicAdd(counter, __popc(mask));
  base = __shfl_sync(mask, base, leader);
  return base + __popc(mask & ((1u << lane) - 1));
}

__global__ void filter_append(const int* in, int* out, int* counter, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] > limit) out[append_place(counter)] = in[i];
}

__global__ void filter_append_stride(const int* in, int* out, int* counter, int n, int limit) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (in[i] % 7 > limit) out[append_place(counter)] = in[i];
}

__global__ void ballot_append(const int* in, int* out, int* counter, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  bool keep = i < n && in[i] % 3 == 0;
  unsigned votes = __ballot_sync(0xffffffffu, keep);
  int base = 0;
  if (lane == 0 && votes) base = atomicAdd(counter, __popc(votes));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) out[base + __popc(votes & ((1u << lane) - 1))] = in[i];
}

__global__ void group_append(const int* in, int* out, int* counter, int n) {
  namespace cg = cooperative_groups;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] % 5 > 1) return;
  auto active = cg::coalesced_threads();
  int base = 0;
  if (active.thread_rank() == 0) base = atomicAdd(counter, active.size());
  out[active.shfl(base, 0) + active.thread_rank()] = in[i];
}

// Lanes with the same key work together, key after key.
__global__ void add_by_key_peers(const int* key, const int* value, int* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned active = __activemask();
  int mine = key[i];
  unsigned peers = __match_any_sync(active, mine);
  int lane = threadIdx.x & 31, sum = 0;
  for (unsigned rest = peers; rest != 0; rest &= rest - 1) sum += __shfl_sync(peers, value[i], __ffs(rest) - 1);
  if (lane == __ffs(peers) - 1) atomicAdd(&sums[mine], sum);
}

__global__ void histogram_peers(const unsigned char* in, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned bin = in[i] & 15;
  unsigned peers = __match_any_sync(__activemask(), bin);
  if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(&bins[bin], __popc(peers));
}

// Partition by ballots: as many turns as there are different keys in the warp.
__global__ void key_by_key(const int* key, int* order, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool waiting = i < n;
  int mine = waiting ? key[i] : -1, turn = 0;
  unsigned rest = __ballot_sync(0xffffffffu, waiting);
  while (rest) {
    int leader = __ffs(rest) - 1;
    int chosen = __shfl_sync(0xffffffffu, mine, leader);
    unsigned same = __ballot_sync(0xffffffffu, waiting && mine == chosen);
    if (waiting && mine == chosen) {
      order[i] = turn * 100 + __popc(same & ((1u << (threadIdx.x & 31)) - 1));
      waiting = false;
    }
    rest &= ~same;
    ++turn;
  }
}

__global__ void peel_keys(const int* key, int* order, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int mine = key[i];
  int turn = 0;
  while (true) {
    unsigned active = __activemask();
    int first = __shfl_sync(active, mine, __ffs(active) - 1);
    if (first == mine) {
      order[i] = turn;
      break;
    }
    ++turn;
  }
}

// Recursive filters: each thread runs along its line.
__global__ void smooth_lines(const float* in, float* out, int width, int height, float a) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height) return;
  float state = in[y * width];
  out[y * width] = state;
  for (int x = 1; x < width; ++x) {
    state = a * in[y * width + x] + (1.0f - a) * state;
    out[y * width + x] = state;
  }
  for (int x = width - 2; x >= 0; --x) {
    state = a * out[y * width + x] + (1.0f - a) * state;
    out[y * width + x] = state;
  }
}

__global__ void smooth_columns(float* image, int width, int height, float a) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  float* p = image + x;
  float yp = *p;
  for (int y = 0; y < height; ++y) {
    float yc = *p + a * (yp - *p);
    *p = yc;
    p += width;
    yp = yc;
  }
  p -= width;
  yp = *p;
  for (int y = height - 1; y >= 0; --y) {
    float yc = *p + a * (yp - *p);
    *p = yc;
    p -= width;
    yp = yc;
  }
}

__global__ void second_order(const float* in, float* out, int n, int lines, float b0, float b1, float a1, float a2) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  float x1 = 0, y1 = 0, y2 = 0;
  for (int i = 0; i < n; ++i) {
    float x = in[i * lines + line];
    float y = b0 * x + b1 * x1 - a1 * y1 - a2 * y2;
    out[i * lines + line] = y;
    x1 = x;
    y2 = y1;
    y1 = y;
  }
}

// Lines of different lengths.
__global__ void ragged_lines(const int* begin, const float* in, float* out, int lines) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  float state = 0.0f;
  for (int i = begin[line]; i < begin[line + 1]; ++i) {
    state = 0.25f * in[i] + 0.75f * state;
    out[i] = state;
  }
}

// One block gives, the others wait.
__global__ void wait_for_first(volatile int* flag, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      out[n] = 42;
      __threadfence();
      *flag = 1;
    }
  } else if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  if (i < n) out[i] = blockIdx.x + out[n];
}

// Only a few lanes iterate long.
__global__ void collatz_steps(const unsigned* start, int* steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = start[i] + 1;
  int count = 0;
  while (v != 1 && count < 500) {
    v = v & 1 ? 3 * v + 1 : v >> 1;
    ++count;
  }
  steps[i] = count;
}

__global__ void newton_until(const float* x, float* root, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float target = fabsf(x[i]) * 1000.0f + 1.0f, guess = target;
  while (fabsf(guess * guess - target) > 1e-3f * target) guess = 0.5f * (guess + __fdividef(target, guess));
  root[i] = guess;
}

__global__ void first_match_in_row(const int* rows, int* where, int n, int length, int wanted) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int found = -1;
  for (int j = 0; j < length; ++j)
    if (rows[i * length + j] == wanted) {
      found = j;
      break;
    }
  where[i] = found;
}

__global__ void insertion_each(int* rows, int n, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int* row = rows + i * length;
  for (int a = 1; a < length; ++a) {
    int v = row[a], b = a - 1;
    while (b >= 0 && row[b] > v) {
      row[b + 1] = row[b];
      --b;
    }
    row[b + 1] = v;
  }
}

// A lane a vertex, neighbours only of the active ones.
__global__ void relax_active(const int* begin, const int* edges, const float* weight, const int* active, float* distance,
                             int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || !active[v]) return;
  float here = v * 0.5f;
  for (int e = begin[v]; e < begin[v + 1]; ++e) {
    float far = here + weight[e];
    atomicMax(reinterpret_cast<int*>(&distance[edges[e]]), __float_as_int(fabsf(far)));
  }
}

// A warp a row, and only its first lane writes.
__global__ void warp_row_sums(const float* in, float* out, int rows, int columns) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (warp >= rows) return;
  float sum = 0.0f;
  for (int j = lane; j < columns; j += 32) sum += in[warp * columns + j];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) {
    float mean = sum / columns;
    for (int j = 0; j < 8; ++j) mean = mean * 0.5f + 0.25f;
    out[warp] = mean;
  }
}

// The first thread finishes what the block began.
__global__ void leader_finishes(const float* in, float* out, int n) {
  __shared__ float part[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int j = 0; j < 128; ++j) sum += part[j];
    out[blockIdx.x] = sum;
  }
}

__global__ void tree_in_block(const int* in, int* out, int n) {
  __shared__ int part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    if (t % (2 * s) == 0) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// A body behind a condition in a loop of fixed length.
__global__ void bits_set_sum(const unsigned* in, const int* values, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned bits = in[i];
  int sum = 0;
  for (int b = 0; b < 32; ++b)
    if (bits >> b & 1) sum += values[b] * values[(b + i) % 32];
  out[i] = sum;
}

__global__ void russian_product(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i], y = b[i], product = 0;
  while (y) {
    if (y & 1) product += x;
    x <<= 1;
    y >>= 1;
  }
  out[i] = product;
}

__global__ void particles_in_box(float* x, float* v, int n, int steps, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float p = x[i], w = v[i];
  for (int s = 0; s < steps; ++s) {
    p += w * dt;
    if (p < 0.0f) {
      p = -p;
      w = -w * 0.9f;
    } else if (p > 1.0f) {
      p = 2.0f - p;
      w = -w * 0.9f;
    }
  }
  x[i] = p;
  v[i] = w;
}

__global__ void drop_collisions(const float* x, const float* y, int* hits, int n, float radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int count = 0;
  for (int j = 0; j < n; ++j) {
    if (j == i) continue;
    float dx = x[i] - x[j], dy = y[i] - y[j];
    if (dx * dx + dy * dy < radius * radius) ++count;
  }
  hits[i] = count;
}

__global__ void runs_of_bytes(const unsigned char* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || (i > 0 && in[i - 1] == in[i])) return;
  int length = 1;
  while (i + length < n && in[i + length] == in[i]) ++length;
  out[i] = length;
}

__global__ void spin_ticket(int* ticket, int* serving, int* sum) {
  if (threadIdx.x % 32 != 0) return;
  int mine = atomicAdd(ticket, 1);
  while (atomicAdd(serving, 0) != mine) {
  }
  *sum = *sum * 3 + 1;
  __threadfence();
  atomicAdd(serving, 1);
}
