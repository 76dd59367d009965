// Stencils, linear algebra, transforms, simulation, finance.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void stencil_3d_shared(const float* in, float* out, int nx, int ny, int nz) {
  __shared__ float s[6][10][18];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z * 4 + threadIdx.z;
  int lx = threadIdx.x + 1, ly = threadIdx.y + 1, lz = threadIdx.z + 1;
  long plane = (long)nx * ny;
  bool inside = x < nx && y < ny && z < nz;
  long at = z * plane + y * nx + x;
  if (inside) {
    s[lz][ly][lx] = in[at];
    if (threadIdx.x == 0 && x > 0) s[lz][ly][0] = in[at - 1];
    if (threadIdx.x == 15 && x < nx - 1) s[lz][ly][17] = in[at + 1];
    if (threadIdx.y == 0 && y > 0) s[lz][0][lx] = in[at - nx];
    if (threadIdx.y == 7 && y < ny - 1) s[lz][9][lx] = in[at + nx];
    if (threadIdx.z == 0 && z > 0) s[0][ly][lx] = in[at - plane];
    if (threadIdx.z == 3 && z < nz - 1) s[5][ly][lx] = in[at + plane];
  }
  __syncthreads();
  if (x > 0 && y > 0 && z > 0 && x < nx - 1 && y < ny - 1 && z < nz - 1)
    out[at] = s[lz][ly][lx] * -6.f + s[lz][ly][lx - 1] + s[lz][ly][lx + 1] + s[lz][ly - 1][lx] +
              s[lz][ly + 1][lx] + s[lz - 1][ly][lx] + s[lz + 1][ly][lx];
}

// Marches in z with registers (Micikevicius).
__global__ void stencil_march(const float* in, float* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  int stride = nx * ny, at = y * nx + x;
  float behind = 0.f, current = in[at], front = in[at + stride];
  for (int z = 1; z < nz - 1; ++z) {
    behind = current;
    current = front;
    at += stride;
    front = in[at + stride];
    out[at] = behind + front - 2.f * current;
  }
}

__global__ void wave_step(const float* now, const float* before, float* next, int n, float c) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i > 0 && i < n - 1)
    next[i] = 2 * now[i] - before[i] + c * (now[i - 1] - 2 * now[i] + now[i + 1]);
  else if (i == 0 || i == n - 1)
    next[i] = 0;
}

__global__ void jacobi_2d(const double* a, double* b, int n) {
  int j = blockIdx.x * 33 + threadIdx.x, i = blockIdx.y * 7 + threadIdx.y;
  if (i >= 1 && j >= 1 && i < n - 1 && j < n - 1)
    b[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
}

__global__ void red_black(float* u, const float* f, int n, int colour) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= n - 1 || y >= n - 1) return;
  if ((x + y & 1) == colour)
    u[y * n + x] = 0.25f * (u[y * n + x - 1] + u[y * n + x + 1] + u[(y - 1) * n + x] + u[(y + 1) * n + x] -
                            f[y * n + x]);
}

__global__ void lu_tile(float* a, int n) {
  __shared__ float s[16][16];
  int c = threadIdx.x, r = threadIdx.y;
  s[r][c] = a[blockIdx.x * 256 + r * 16 + c] + (r == c ? 20.f : 0.f);
  __syncthreads();
  for (int k = 0; k < n - 1; ++k) {
    if (c == k && r > k) s[r][k] /= s[k][k];
    __syncthreads();
    if (r > k && c > k) s[r][c] -= s[r][k] * s[k][c];
    __syncthreads();
  }
  a[blockIdx.x * 256 + r * 16 + c] = s[r][c];
}

__global__ void forward_substitution(const float* l, const float* b, float* x, int n) {
  __shared__ float solved[64];
  int t = threadIdx.x;
  float mine = b[blockIdx.x * n + t];
  for (int k = 0; k < n; ++k) {
    if (t == k) solved[k] = mine / (2.f + l[k * n + k]);
    __syncthreads();
    if (t > k) mine -= l[t * n + k] * solved[k];
  }
  x[blockIdx.x * n + t] = solved[t];
}

__device__ float2 mul(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__global__ void fft_radix4(const float2* in, float2* out, int n, int ns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n / 4) return;
  float angle = -6.2831853f * (j % ns) / (ns * 4);
  float2 v[4];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    float s, c;
    __sincosf(angle * r, &s, &c);
    v[r] = mul(in[j + r * n / 4], make_float2(c, s));
  }
  float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
  float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
  int at = (j / ns) * ns * 4 + j % ns;
  out[at] = make_float2(a.x + c.x, a.y + c.y);
  out[at + ns] = make_float2(b.x + d.x, b.y + d.y);
  out[at + 2 * ns] = make_float2(a.x - c.x, a.y - c.y);
  out[at + 3 * ns] = make_float2(b.x - d.x, b.y - d.y);
}

__global__ void dct_rows(const float* in, float* out, int width) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  __shared__ float b[8][8];
  b[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += b[threadIdx.y][k] * cospif((2 * k + 1) * threadIdx.x / 16.f);
  out[y * width + x] = sum * (threadIdx.x == 0 ? 0.35355339f : 0.5f);
}

struct Xorshift {
  unsigned state;
  __device__ unsigned next() {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
  }
  __device__ float uniform() { return next() * 2.3283064e-10f; }
};
__global__ void dice_throws(unsigned seed, int throws, unsigned* counts) {
  __shared__ unsigned bins[11];
  if (threadIdx.x < 11) bins[threadIdx.x] = 0;
  __syncthreads();
  Xorshift rng{seed + 77u * (blockIdx.x * blockDim.x + threadIdx.x) + 1};
  for (int i = 0; i < throws; ++i) {
    int sum = rng.next() % 6 + rng.next() % 6;
    atomicAdd(&bins[sum], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 11) atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

__global__ void asian_option(const float* spots, float* prices, int n, int steps, float drift, float vol) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Xorshift rng{1234567u ^ (unsigned)i * 2654435761u | 1u};
  float s = 2.f + spots[i], sum = 0.f;
#pragma unroll 4
  for (int t = 0; t < steps; ++t) {
    s *= 1.f + drift + vol * (rng.uniform() - 0.5f);
    sum += s;
  }
  prices[i] = fmaxf(sum / steps - 2.f, 0.f);
}

struct Body {
  float x, y, z, mass;
  float vx, vy, vz, pad;
};
__global__ void bodies_step(Body* bodies, const float4* where, int n, float dt) {
  __shared__ float4 tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = i < n ? where[i] : make_float4(0, 0, 0, 0);
  float3 acc = make_float3(0, 0, 0);
  for (int t = 0; t < gridDim.x; ++t) {
    int j = t * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = j < n ? where[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 64; ++k) {
      float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float f = tile[k].w * inv * inv * inv;
      acc.x += f * dx;
      acc.y += f * dy;
      acc.z += f * dz;
    }
    __syncthreads();
  }
  if (i < n) {
    bodies[i].vx += dt * acc.x;
    bodies[i].vy += dt * acc.y;
    bodies[i].vz += dt * acc.z;
    bodies[i].x += dt * bodies[i].vx;
    bodies[i].y += dt * bodies[i].vy;
    bodies[i].z += dt * bodies[i].vz;
  }
}

struct __align__(16) Particle {
  float3 p;
  int kind;
  float3 v;
  float life;
};
__global__ void move_particles(Particle* p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle q = p[i];
  switch (q.kind & 3) {
    case 0:
      q.p.x += q.v.x * dt;
      break;
    case 1:
      q.p.y += q.v.y * dt;
      q.v.y -= 9.81f * dt;
      break;
    case 2:
      q.p.z = fabsf(q.p.z + q.v.z * dt);
      break;
    default:
      q.life -= dt;
  }
  if (q.life < 0) q.life = 1.f;
  p[i] = q;
}

__global__ void k_means_update(const float2* points, const int* labels, float* sums, int* counts, int n) {
  __shared__ float sx[8], sy[8];
  __shared__ int c[8];
  if (threadIdx.x < 8) {
    sx[threadIdx.x] = sy[threadIdx.x] = 0.f;
    c[threadIdx.x] = 0;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int k = labels[i];
    atomicAdd(&sx[k], points[i].x);
    atomicAdd(&sy[k], points[i].y);
    atomicAdd(&c[k], 1);
  }
  __syncthreads();
  if (threadIdx.x < 8) {
    atomicAdd(&sums[2 * threadIdx.x], sx[threadIdx.x]);
    atomicAdd(&sums[2 * threadIdx.x + 1], sy[threadIdx.x]);
    atomicAdd(&counts[threadIdx.x], c[threadIdx.x]);
  }
}

__global__ void group_reduce(const int* in, int* out, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  __shared__ int partial[8];
  int sum = 0;
  for (int i = blockIdx.x * block.size() + block.thread_rank(); i < n; i += block.size() * gridDim.x)
    sum += in[i];
  for (int o = warp.size() / 2; o > 0; o /= 2) sum += warp.shfl_down(sum, o);
  if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() == 0) {
    int total = 0;
    for (int w = 0; w < warp.meta_group_size(); ++w) total += partial[w];
    atomicAdd(out, total);
  }
}

__global__ void tile_of_eight(const float* in, float* out, int n) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.f;
  for (int o = 4; o > 0; o /= 2) v = fmaxf(v, tile.shfl_xor(v, o));
  if (tile.thread_rank() == 0 && i < n) out[i / 8] = v;
}
