// Registers and loops: local arrays under a dynamic index, many live values, unrolled loops, ragged trip
// counts.

template <typename T, int kSize>
__global__ void local_ring(const T* in, T* out, int n, int turns) {
  T ring[kSize];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < kSize; k++) ring[k] = in[(i + k) % n];
  int at = i % kSize;
  for (int t = 0; t < turns; t++) {
    int next = at + 1 == kSize ? 0 : at + 1;
    ring[at] = ring[at] + ring[next];
    at = next;
  }
  out[i] = ring[i * 7 % kSize];
}
template __global__ void local_ring<int, 3>(const int*, int*, int, int);
template __global__ void local_ring<double, 9>(const double*, double*, int, int);
template __global__ void local_ring<unsigned char, 40>(const unsigned char*, unsigned char*, int, int);
template __global__ void local_ring<short, 17>(const short*, short*, int, int);
template __global__ void local_ring<float, 64>(const float*, float*, int, int);

__global__ void tiny_array_static(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 4 > n) return;
  float v[4];
#pragma unroll
  for (int k = 0; k < 4; k++) v[k] = in[i + k];
#pragma unroll
  for (int a = 0; a < 3; a++)
#pragma unroll
    for (int b = a + 1; b < 4; b++)
      if (v[a] > v[b]) {
        float t = v[a];
        v[a] = v[b];
        v[b] = t;
      }
  out[i] = v[1] * 0.5f + v[2] * 0.5f;
}

__global__ void two_slots_chosen(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int slot[2] = {0, 0};
  for (int k = 0; k < 6; k++) slot[in[(i + k) % n] & 1] += k + 1;
  out[i] = slot[0] * 100 + slot[1];
}

struct Cell {
  float value;
  int weight;
  short tag[2];
};

__global__ void local_cells(const int* order, const float* in, float* out, int n) {
  Cell cells[6];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 6; k++) {
    cells[k].value = in[(i * 6 + k) % n];
    cells[k].weight = k;
    cells[k].tag[0] = cells[k].tag[1] = (short)(k * i);
  }
  Cell held = cells[order[i] % 6];
  cells[order[i] % 5] = held;
  float s = 0.f;
  for (int k = 5; k >= 0; k--) s += cells[k].value * cells[k].weight + cells[k].tag[k & 1];
  out[i] = s;
}

__global__ void __launch_bounds__(256, 8) sixty_live_values(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v[60];
#pragma unroll
  for (int k = 0; k < 60; k++) v[k] = in[(k * n) + i];
  float mean = 0.f;
#pragma unroll
  for (int k = 0; k < 60; k++) mean += v[k];
  mean /= 60.f;
  float product = 1.f;
#pragma unroll
  for (int k = 0; k < 60; k++) product = product * 0.5f + (v[k] - mean) * v[59 - k];
  out[i] = product;
}

__global__ void __launch_bounds__(1024, 2)
    wide_state_rounds(const unsigned* in, unsigned* out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s[36];
#pragma unroll
  for (int k = 0; k < 36; k++) s[k] = in[i] + k * 0x9e3779b9u;
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int k = 0; k < 36; k++) s[k] = (s[k] << 7 | s[k] >> 25) ^ s[(k + 5) % 36] + s[(k + 29) % 36];
  }
  unsigned all = 0;
#pragma unroll
  for (int k = 0; k < 36; k++) all = all * 31 + s[k];
  out[i] = all;
}

__global__ void unroll_sixteen_sum(const float* in, float* out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0.f;
#pragma unroll 16
  for (int k = t; k < n; k += 198) s += in[k];
  out[t] = s;
}

__global__ void unroll_known_eleven(const short* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int s = 0;
#pragma unroll
  for (int k = 0; k < 11; k++)
    if (i * 11 + k < n) s += in[i * 11 + k] * (k + 1);
  if (i * 11 < n) out[i] = s;
}

__global__ void inner_with_if(const int* trips, const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.f;
  for (int a = 0; a < trips[i] % 5; a++)
    for (int b = 0; b < trips[(i + a) % n] % 7; b++)
      if ((a + b) % 3 != 0) s += in[(i + a * 7 + b) % n];
  out[i] = s;
}

__global__ void inner_with_continue(const int* trips, const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int s = 0;
  for (int a = trips[i] & 3; a >= 0; a--) {
    for (int b = 0; b <= (trips[i] >> 2 & 7); b++) {
      int v = in[(i * 3 + a + b) % n];
      if (v & 1) continue;
      s += v;
      if (v & 2) continue;
      s ^= b;
    }
    s += a;
  }
  out[i] = s;
}

__global__ void inner_with_break(const int* limits, const int* in, int* out, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int found = 0;
  for (int a = 0; a < 4; a++) {
    int sum = 0;
    for (int b = 0; b < width; b++) {
      sum += in[(i + a * width + b) % n];
      if (sum > limits[i]) {
        found = found * 10 + b % 10;
        break;
      }
    }
    if (found > 5000) break;
  }
  out[i] = found;
}

__global__ void csr_row_extremes(const int* lengths, const int* columns, const float* values, float2* out,
                                 int rows, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int begin = r * width, end = begin + lengths[r];
  float low = 1e9f, high = -1e9f;
  for (int e = begin; e != end; e++) {
    float v = values[e];
    if (columns[e] == r) continue;
    low = fminf(low, v);
    if (v > high) high = v;
  }
  out[r] = make_float2(low, high);
}

__global__ void csr_two_levels(const int* lengths, const int* columns, const int* marks, int* out, int rows,
                               int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int count = 0;
  for (int e = r * width; e < r * width + lengths[r]; e++) {
    int c = columns[e];
    for (int f = c * width; f < c * width + lengths[c]; f++)
      if (marks[columns[f]] > 2 && columns[f] != r) count++;
  }
  out[r] = count;
}

__global__ void do_while_digits(const unsigned* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i] >> (i % 24);
  int odd = 0, length = 0;
  do {
    odd += v % 10 & 1;
    v /= 10;
    length++;
  } while (v != 0 && odd < 4);
  out[i] = odd * 16 + length;
}

__global__ void until_equal(const int* next, int* steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = next[i], count = 1;
  while (at != i) {
    at = next[at];
    count++;
  }
  steps[i] = count;
}

__global__ void by_twos_down(const float* in, float* out, int n, int window) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.f;
  for (int k = min(i, window); k > 0; k -= 2) s = s * 0.5f + in[i - k];
  for (int k = 0; k < window && i + k < n; k += 2) s += in[i + k];
  out[i] = s;
}

__global__ void halving_and_doubling(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int s = 0;
  for (int k = in[i]; k > 0; k >>= 1) s += in[k % n] & 15;
  for (int k = 1; k <= in[i]; k *= 2) s -= k & 5;
  out[i] = s;
}

struct Bundle {
  double mass;
  float position[3];
  int id;
  float colour[4];
};

__global__ void rotate_bundles(const Bundle* in, Bundle* out, const int* place, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Bundle b = in[place[i]];
  float x = b.position[0];
  b.position[0] = b.position[1];
  b.position[1] = x;
  out[i] = b;
}

__global__ void bundle_in_shared(const Bundle* in, float* out, int n) {
  __shared__ Bundle s[48];
  int i = blockIdx.x * 48 + threadIdx.x;
  if (i < n) s[threadIdx.x] = in[i];
  __syncthreads();
  if (i >= n) return;
  int other = min(47 - threadIdx.x, n - 1 - blockIdx.x * 48);
  Bundle b = s[other];
  out[i] = b.position[i % 3] + b.colour[2] + s[threadIdx.x].id;
}

__global__ void triangle_loop(const float* matrix, const float* x, float* y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float above = 0.f, below = 0.f;
  for (int c = 0; c < r; c++) below += matrix[r * n + c] * x[c];
  for (int c = n - 1; c > r; --c) above += matrix[r * n + c] * x[c];
  y[r] = above - below;
}

__global__ void nested_in_shared(const int* in, int* out, int n) {
  __shared__ int s[96];
  int t = threadIdx.x, i = blockIdx.x * 96 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  int best = 0;
  for (int a = t; a < 96; a += 8) {
    int run = 0;
    for (int b = a; b < 96 && s[b] >= s[a]; b++) run++;
    best = max(best, run);
  }
  if (i < n) out[i] = best;
}

__global__ void matrix_in_registers(const float* in, float* out, int count) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= count) return;
  float a[5][5];
  for (int r = 0; r < 5; r++)
    for (int c = 0; c < 5; c++) a[r][c] = in[m * 25 + r * 5 + c] + (r == c ? 5.f : 0.f);
  float det = 1.f;
#pragma unroll
  for (int p = 0; p < 5; p++) {
    det *= a[p][p];
#pragma unroll
    for (int r = p + 1; r < 5; r++) {
      float f = a[r][p] / a[p][p];
#pragma unroll
      for (int c = p; c < 5; c++) a[r][c] -= f * a[p][c];
    }
  }
  out[m] = det;
}

__global__ void local_queue_flood(const unsigned* walls, int* sizes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned char queue[25];
  unsigned open = ~walls[i] & 0x1ffffff, seen = 0;
  int head = 0, tail = 0;
  if (open & 1u << 12) queue[tail++] = 12, seen = 1u << 12;
  while (head < tail) {
    int at = queue[head++], x = at % 5;
    for (int d = 0; d < 4; d++) {
      int to = d == 0 ? at - 5 : d == 1 ? at + 5 : d == 2 ? at - 1 : at + 1;
      if (to < 0 || to > 24 || (d == 2 && x == 0) || (d == 3 && x == 4)) continue;
      if (!(open >> to & 1) || seen >> to & 1) continue;
      seen |= 1u << to;
      queue[tail++] = (unsigned char)to;
    }
  }
  sizes[i] = tail;
}
