// Simulation: bodies and cells, chance, finance, transforms, integrators, collisions and trees.

__global__ void nbody_double_tiles(const double4_16a* bodies, double4_16a* acceleration, int n) {
  extern __shared__ double4_16a tile4[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double4_16a me = bodies[i < n ? i : n - 1];
  double ax = 0, ay = 0, az = 0;
  for (int base = 0; base < n; base += blockDim.x) {
    int count = min((int)blockDim.x, n - base);
    if (threadIdx.x < count) tile4[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < count; ++j) {
      double dx = tile4[j].x - me.x, dy = tile4[j].y - me.y, dz = tile4[j].z - me.z;
      double inv = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3);
      double s = tile4[j].w * inv * inv * inv;
      ax += dx * s;
      ay += dy * s;
      az += dz * s;
    }
    __syncthreads();
  }
  if (i < n) acceleration[i] = make_double4_16a(ax, ay, az, 0);
}

// Cells of fixed capacity; each particle looks at its own and the neighbouring cells.
__global__ void cell_neighbours(const float2* particles, const int* count, int* neighbours, int cells,
                                int capacity, float radius) {
  int cell = blockIdx.y * cells + blockIdx.x, slot = threadIdx.x;
  if (slot >= count[cell]) return;
  float2 me = particles[cell * capacity + slot];
  int found = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      int cx = blockIdx.x + dx, cy = blockIdx.y + dy;
      if (cx < 0 || cy < 0 || cx >= cells || cy >= cells) continue;
      int other = cy * cells + cx;
      for (int k = 0; k < count[other]; ++k) {
        if (other == cell && k == slot) continue;
        float2 p = particles[other * capacity + k];
        float ex = p.x - me.x, ey = p.y - me.y;
        if (ex * ex + ey * ey < radius * radius) ++found;
      }
    }
  neighbours[cell * capacity + slot] = found;
}

__global__ void verlet_list_force(const float3* x, const int* list, float3* force, int n, int most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 p = x[i], f = make_float3(0, 0, 0);
  for (int k = 0; k < most; ++k) {
    int j = list[k * n + i];
    if (j == i) break;
    float3 q = x[j];
    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz + 0.05f;
    if (r2 < 1.5f) {
      float s = 1.f / (r2 * r2) - 0.5f / r2;
      f.x += s * dx;
      f.y += s * dy;
      f.z += s * dz;
    }
  }
  force[i] = f;
}

__global__ void buffon_needles(unsigned long long seed, int* crossings, int throws_each, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long s = seed + i * 0x9E3779B97F4A7C15ull;
  int hits = 0;
  for (int k = 0; k < throws_each; ++k) {
    s = s * 6364136223846793005ull + 1442695040888963407ull;
    float y = (float)(s >> 40) * (1.f / 16777216.f);
    s = s * 6364136223846793005ull + 1442695040888963407ull;
    float a = (float)(s >> 40) * (3.14159265f / 16777216.f);
    if (y < 0.5f * sinf(a)) hits++;
  }
  crossings[i] = hits;
}

__global__ void ising_colour(signed char* spin, int w, int h, int colour, float beta, unsigned seed) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h || ((x + y) & 1) != colour) return;
  int i = y * w + x;
  int s = spin[i] >= 0 ? 1 : -1;
  int around = 0;
  around += spin[y * w + (x + 1) % w] >= 0 ? 1 : -1;
  around += spin[y * w + (x + w - 1) % w] >= 0 ? 1 : -1;
  around += spin[(y + 1) % h * w + x] >= 0 ? 1 : -1;
  around += spin[(y + h - 1) % h * w + x] >= 0 ? 1 : -1;
  unsigned r = seed + i * 747796405u;
  r = ((r >> ((r >> 28) + 4)) ^ r) * 277803737u;
  r ^= r >> 22;
  int delta = 2 * s * around;
  if (delta <= 0 || (r >> 8) * (1.f / 16777216.f) < __expf(-beta * delta)) spin[i] = (signed char)-s;
}

__global__ void trinomial_tree(const float* spot, float* price, int steps, float strike, float up,
                               float discount) {
  __shared__ float value[2 * 40 + 1];
  int t = threadIdx.x, width = 2 * steps + 1;
  for (int k = t; k < width; k += blockDim.x)
    value[k] = fmaxf(spot[blockIdx.x] * powf(up, k - steps) - strike, 0.f);
  __syncthreads();
  for (int step = steps - 1; step >= 0; --step) {
    float next = 0;
    bool live = t < 2 * step + 1;
    if (live) next = discount * (0.25f * value[t] + 0.5f * value[t + 1] + 0.25f * value[t + 2]);
    __syncthreads();
    if (live) value[t] = next;
    __syncthreads();
  }
  if (t == 0) price[blockIdx.x] = value[0];
}

__global__ void barrier_option(const float* normals, float* payoff, int paths, int steps, float s0,
                               float barrier) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paths) return;
  float s = s0;
  for (int k = 0; k < steps; ++k) {
    s *= __expf(0.002f + 0.2f * normals[k * paths + p]);
    if (s > barrier) {
      payoff[p] = -1.f;
      return;
    }
  }
  payoff[p] = s > s0 ? s - s0 : 0.f;
}

// 64-point transforms in shared memory, several rows a block.
__global__ void fft_64_rows(float2* data, int rows) {
  __shared__ float2 s[4][64];
  int row = blockIdx.x * 4 + threadIdx.y, t = threadIdx.x;
  if (row < rows) {
    for (int k = t; k < 64; k += 32) s[threadIdx.y][__brev(k) >> 26] = data[row * 64 + k];
  }
  __syncwarp();
  for (int half = 1; half < 64; half *= 2) {
    if (row < rows) {
      int j = t % half, base = t / half * 2 * half + j;
      float sn, cs;
      __sincosf(-3.14159265f * j / half, &sn, &cs);
      float2 a = s[threadIdx.y][base], b = s[threadIdx.y][base + half];
      float2 w = make_float2(b.x * cs - b.y * sn, b.x * sn + b.y * cs);
      s[threadIdx.y][base] = make_float2(a.x + w.x, a.y + w.y);
      s[threadIdx.y][base + half] = make_float2(a.x - w.x, a.y - w.y);
    }
    __syncwarp();
  }
  if (row < rows)
    for (int k = t; k < 64; k += 32) data[row * 64 + k] = s[threadIdx.y][k];
}

__global__ void goertzel(const float* signal, float* power, int n, const float* frequencies, int count) {
  int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f >= count) return;
  float c = 2.f * cosf(3.14159265f * frequencies[f]), s1 = 0, s2 = 0;
  for (int i = 0; i < n; ++i) {
    float s0 = signal[i] + c * s1 - s2;
    s2 = s1;
    s1 = s0;
  }
  power[f] = s1 * s1 + s2 * s2 - c * s1 * s2;
}

__constant__ float cosines[64] = {
    .3535f,  .3535f,  .3535f,  .3535f,  .3535f,  .3535f,  .3535f,  .3535f,  .4904f,  .4157f,  .2778f,
    .0975f,  -.0975f, -.2778f, -.4157f, -.4904f, .4619f,  .1913f,  -.1913f, -.4619f, -.4619f, -.1913f,
    .1913f,  .4619f,  .4157f,  -.0975f, -.4904f, -.2778f, .2778f,  .4904f,  .0975f,  -.4157f, .3535f,
    -.3535f, -.3535f, .3535f,  .3535f,  -.3535f, -.3535f, .3535f,  .2778f,  -.4904f, .0975f,  .4157f,
    -.4157f, -.0975f, .4904f,  -.2778f, .1913f,  -.4619f, .4619f,  -.1913f, -.1913f, .4619f,  -.4619f,
    .1913f,  .0975f,  -.2778f, .4157f,  -.4904f, .4904f,  -.4157f, .2778f,  -.0975f};

__global__ void dct_8x8_blocks(const unsigned char* image, short* out, int w) {
  __shared__ float in[8][8], half[8][8];
  int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 8 + y) * w + blockIdx.x * 8 + x;
  in[y][x] = image[at] - 128.f;
  __syncthreads();
  float s = 0;
  for (int k = 0; k < 8; ++k) s += cosines[x * 8 + k] * in[y][k];
  half[y][x] = s;
  __syncthreads();
  s = 0;
  for (int k = 0; k < 8; ++k) s += cosines[y * 8 + k] * half[k][x];
  out[at] = (short)rintf(s / (1 + x + y));
}

__global__ void haar_levels(float* rows, int n) {
  extern __shared__ float w[];
  float* mine = rows + blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) w[i] = mine[i];
  __syncthreads();
  for (int length = n; length > 1; length /= 2) {
    float a = 0, d = 0;
    int t = threadIdx.x;
    if (t < length / 2) {
      a = (w[2 * t] + w[2 * t + 1]) * 0.70710678f;
      d = (w[2 * t] - w[2 * t + 1]) * 0.70710678f;
    }
    __syncthreads();
    if (t < length / 2) {
      w[t] = a;
      w[length / 2 + t] = d;
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine[i] = w[i];
}

struct Biquad {
  float b0, b1, b2, a1, a2;
};

__constant__ Biquad sections[3] = {
    {.2f, .4f, .2f, -.3f, .1f}, {.5f, 0.f, -.5f, .2f, .3f}, {.3f, .1f, .3f, .0f, .2f}};

__global__ void biquad_cascade(const float* in, float* out, int channels, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  float z1[3] = {}, z2[3] = {};
  for (int i = 0; i < n; ++i) {
    float x = in[i * channels + c];
#pragma unroll
    for (int s = 0; s < 3; ++s) {
      float y = sections[s].b0 * x + z1[s];
      z1[s] = sections[s].b1 * x - sections[s].a1 * y + z2[s];
      z2[s] = sections[s].b2 * x - sections[s].a2 * y;
      x = y;
    }
    out[i * channels + c] = x;
  }
}

__global__ void autocorrelation(const float* x, float* r, int n, int lags) {
  int lag = blockIdx.x;
  __shared__ float s[33];
  float sum = 0;
  for (int i = threadIdx.x; i + lag < n; i += blockDim.x) sum += x[i] * x[i + lag];
  s[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int k = 0; k < blockDim.x; ++k) total += s[k];
    r[lag] = total / (n - lag);
  }
}

__global__ void sandpile(const int* in, int* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int v = in[y * w + x];
  int grains = v % 4;
  if (x > 0) grains += in[y * w + x - 1] / 4;
  if (x < w - 1) grains += in[y * w + x + 1] / 4;
  if (y > 0) grains += in[(y - 1) * w + x] / 4;
  if (y < h - 1) grains += in[(y + 1) * w + x] / 4;
  out[y * w + x] = grains;
}

__device__ float3 lorenz(float3 p) {
  return make_float3(10.f * (p.y - p.x), p.x * (28.f - p.z) - p.y, p.x * p.y - 2.6667f * p.z);
}

__device__ float3 along(float3 p, float3 d, float h) {
  return make_float3(p.x + h * d.x, p.y + h * d.y, p.z + h * d.z);
}

__global__ void runge_kutta(float3* state, int n, int steps, float h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 p = state[i];
  for (int k = 0; k < steps; ++k) {
    float3 k1 = lorenz(p), k2 = lorenz(along(p, k1, h / 2)), k3 = lorenz(along(p, k2, h / 2)),
           k4 = lorenz(along(p, k3, h));
    p = make_float3(p.x + h / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x),
                    p.y + h / 6 * (k1.y + 2 * k2.y + 2 * k3.y + k4.y),
                    p.z + h / 6 * (k1.z + 2 * k2.z + 2 * k3.z + k4.z));
  }
  state[i] = p;
}

__global__ void kepler(const double* mean_anomaly, const double* eccentricity, double* anomaly, int* turns,
                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double e = fabs(eccentricity[i]) * 0.9, m = mean_anomaly[i], x = m;
  int k = 0;
  for (; k < 20; ++k) {
    double d = (x - e * sin(x) - m) / (1 - e * cos(x));
    x -= d;
    if (fabs(d) < 1e-9) break;
  }
  anomaly[i] = x;
  turns[i] = k < 20;
}

__global__ void sph_density(const float4* p, float* density, int n, float h) {
  __shared__ float4 s[50];
  int i = blockIdx.x * 50 + threadIdx.x;
  float4 me = i < n ? p[i] : make_float4(9, 9, 9, 0);
  float rho = 0;
  for (int base = 0; base < n; base += 50) {
    if (base + threadIdx.x < n) s[threadIdx.x] = p[base + threadIdx.x];
    __syncthreads();
    int m = min(50, n - base);
#pragma unroll 2
    for (int j = 0; j < m; ++j) {
      float dx = me.x - s[j].x, dy = me.y - s[j].y, dz = me.z - s[j].z;
      float q = h * h - dx * dx - dy * dy - dz * dz;
      if (q > 0) rho += s[j].w * q * q * q;
    }
    __syncthreads();
  }
  if (i < n) density[i] = rho;
}

struct Box {
  float low[3], high[3];
};

__global__ void box_overlaps(const Box* boxes, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Box a = boxes[i];
  int c = 0;
  for (int j = 0; j < n; ++j) {
    if (j == i) continue;
    const Box& b = boxes[j];
    if (a.high[0] < b.low[0] || b.high[0] < a.low[0]) continue;
    if (a.high[1] < b.low[1] || b.high[1] < a.low[1]) continue;
    if (a.high[2] < b.low[2] || b.high[2] < a.low[2]) continue;
    ++c;
  }
  count[i] = c;
}

// An implicit binary tree of intervals, walked with a stack of own.
__global__ void interval_tree(const float* split, const float* queries, int* visited, int nodes, int n) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= n) return;
  float x = queries[q];
  int stack[12], top = 0, seen = 0;
  stack[top++] = 0;
  while (top > 0) {
    int node = stack[--top];
    seen++;
    float s = split[node];
    int left = 2 * node + 1, right = left + 1;
    if (left < nodes && x < s + 0.2f) stack[top++] = left;
    if (right < nodes && x > s - 0.2f) stack[top++] = right;
  }
  visited[q] = seen;
}
